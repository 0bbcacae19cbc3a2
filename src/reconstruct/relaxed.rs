//! Relaxations: the soft rules that Karpenter gave up for a pod, as its log says or a replay gives.

use super::moment::Moment;
use super::stories::PodStory;
use super::world::World;
use crate::karpenter::Relaxation;
use crate::model::time::Timestamp;

/// A rule that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relaxed {
    /// The rule, where a replay gives it.
    pub rule: Option<Relaxation>,
    /// What the log says: `removing: spec.…`.
    pub logged: Option<String>,
    /// When.
    pub at: Option<Timestamp>,
}

/// What Karpenter gave up for a pod before it was bound, in order; of several passes the last.
pub fn relaxed(world: &World<'_>, pod: &PodStory, pass: Option<usize>) -> Vec<Relaxed> {
    let logged = from_log(world, pod);
    if !logged.is_empty() {
        return logged;
    }
    let Some((pass, replay)) = pass.and_then(|pass| Some((pass, world.replay(pass)?))) else {
        return Vec::new();
    };
    let at = world.passes.get(pass).map(|pass| pass.time);
    replay
        .relaxations(&pod.key)
        .map(|rule| Relaxed { rule: Some(rule.clone()), logged: None, at })
        .collect()
}

fn from_log(world: &World<'_>, pod: &PodStory) -> Vec<Relaxed> {
    let until = pod.bound.map(Moment::latest);
    let mut last_pass = None;
    let mut found: Vec<Relaxed> = Vec::new();
    for record in world.relaxing(&pod.key) {
        if let (Some(time), Some(until)) = (record.time, until)
            && time > until
        {
            break;
        }
        let pass = record.fields.get("reconcileID").and_then(|id| id.as_str());
        if pass != last_pass {
            found.clear();
            last_pass = pass;
        }
        let reason = record.fields.get("reason").and_then(|reason| reason.as_str());
        found.push(Relaxed { rule: None, logged: reason.map(ToOwned::to_owned), at: record.time });
    }
    found
}
