//! `Intent`: where Karpenter meant a pod to go: as records say, and as replays of its passes give it.

use std::collections::BTreeSet;
use std::ops::Range;

use super::moment::Moment;
use super::pass_instants::is_provisionable;
use super::passes::{Known, Pass};
use super::replays::Place;
use super::state_at::Instant;
use super::stories::{Nomination, PodStory};
use super::world::World;
use crate::model::names::{NodeClaimName, NodeName};
use crate::model::time::{Span, Timestamp};

/// How a plan is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// An event says so.
    Recorded,
    /// A replay of a pass gives it.
    Replayed,
    /// A replay gives it, and an event says the same.
    Both,
}

/// What one pass planned for a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The pass, by its place in `World::passes`; `None` when only an event tells of it.
    pub pass: Option<usize>,
    /// When.
    pub at: Timestamp,
    /// Where; several when chance decided or planned claims cannot be told apart, none when a pass that is on record had
    /// the pod and no replay gives what was then created.
    pub places: BTreeSet<Place>,
    /// How it is known.
    pub basis: Basis,
    /// Whether there must have been such a pass.
    pub certain: bool,
}

impl Planned {
    /// The place, when it is the only one.
    pub fn place(&self) -> Option<&Place> {
        let only = self.places.first().filter(|_| self.places.len() == 1)?;
        (only.claim.is_some() || only.node.is_some()).then_some(only)
    }
}

/// Where Karpenter meant a pod to go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    /// What each pass planned, oldest first, up to the pod's binding.
    pub plans: Vec<Planned>,
    /// Passes, up to the binding, that had the pod and found no place for it.
    pub refused: Vec<usize>,
    /// Passes, up to the binding, that had the pod and of which no replay tells what they planned.
    pub untold: Vec<usize>,
    /// An event that says otherwise than the replay of its pass.
    pub disagreement: Option<(Nomination, Planned)>,
}

impl Intent {
    /// What the pod was first planned for.
    pub fn first(&self) -> Option<&Planned> {
        self.plans.first()
    }

    /// What the pod was last planned for: the intent that counts.
    pub fn last(&self) -> Option<&Planned> {
        self.plans.last()
    }

    /// Whether Karpenter planned for the pod at all.
    pub fn is_empty(&self) -> bool {
        self.plans.is_empty()
    }
}

/// The passes that may have had a pod: those from when kube-scheduler gave up on it to its binding.
pub fn passes_with(world: &World<'_>, pod: &PodStory) -> Range<usize> {
    // Passes before kube-scheduler gave up on the pod did not have it: most of them, for most pods.
    let from = pod.unschedulable.map_or(world.passes.len(), |since| {
        world.passes.partition_point(|pass| pass.time < since.at)
    });
    let until = pod.bound.map_or(world.passes.len(), |bound| {
        world.passes.partition_point(|pass| pass.time <= bound.at)
    });
    from..until.max(from)
}

/// Works out where Karpenter meant a pod to go.
pub fn intent(world: &World<'_>, pod: &PodStory) -> Intent {
    let mut intent = Intent::default();
    let bound = pod.bound.map(|moment| moment.at);
    for index in passes_with(world, pod) {
        let pass = &world.passes[index];
        if !is_provisionable(pod, &Instant::at(pass.time)) {
            continue;
        }
        if bound.is_some_and(|bound| decided(world, pass) > bound) {
            continue;
        }
        // A replay that does not give what was then created is worth nothing for a single pod.
        let replay = world.replay(index).filter(|replay| match pass.known {
            Known::Created => replay.agrees(),
            Known::Logged | Known::Inferred => replay.mostly_agrees(),
        });
        // What a replay gives on a state that cannot have been is worth nothing; what was created tells by itself.
        if pass.known == Known::Inferred && !world.is_trusted(pod) {
            continue;
        }
        if was_refused(pod, pass.earliest, pass.latest) {
            intent.refused.push(index);
            continue;
        }
        let Some(replay) = replay else {
            intent.untold.push(index);
            if pass.known == Known::Logged && !pass.created.is_empty() {
                intent.plans.push(Planned {
                    pass: Some(index),
                    at: pass.time,
                    places: BTreeSet::new(),
                    basis: Basis::Replayed,
                    certain: true,
                });
            }
            continue;
        };
        match replay.places.get(&pod.key) {
            Some(places) => intent.plans.push(Planned {
                pass: Some(index),
                at: pass.time,
                places: places.clone(),
                basis: Basis::Replayed,
                certain: pass.certain,
            }),
            None => intent.refused.push(index),
        }
    }
    for nomination in &pod.nominations {
        if bound.is_some_and(|bound| nomination.moment.at > bound) {
            continue;
        }
        record(world, &mut intent, nomination);
    }
    intent.plans.sort_by_key(|planned| planned.at);
    set_aside_launches_that_were_not(world, &mut intent);
    intent
}

/// A pass that launched nothing planned no launch. Where a replay says otherwise, while the claim that the pod was planned
/// for was on its way, its state lacks that claim: it is gone since, and nothing tells what it had room for.
fn set_aside_launches_that_were_not(world: &World<'_>, intent: &mut Intent) {
    let mut before: Option<NodeClaimName> = None;
    for planned in std::mem::take(&mut intent.plans) {
        let launched_nothing = planned.pass.filter(|&pass| {
            planned.basis == Basis::Replayed && world.passes[pass].created.is_empty()
        });
        let is_launch = !planned.places.is_empty()
            && planned.places.iter().all(|place| place.new && place.claim.is_none());
        let is_under_way = || {
            let claim = world.chronicle.claims.get(before.as_ref()?)?;
            let is_there = claim.created.is_some_and(|created| created.at <= planned.at)
                && claim.deleted.is_none_or(|deleted| deleted.at > planned.at);
            is_there.then_some(())
        };
        match launched_nothing {
            Some(pass) if is_launch && is_under_way().is_some() => intent.untold.push(pass),
            _ => {
                if let Some(claim) = planned.place().and_then(|place| place.claim.clone()) {
                    before = Some(claim);
                }
                intent.plans.push(planned);
            }
        }
    }
}

/// When a pass had decided: what was bound by then was bound without its plan.
fn decided(world: &World<'_>, pass: &Pass) -> Timestamp {
    if pass.known != Known::Logged {
        return pass.time;
    }
    let created = pass.created.iter().filter_map(|name| world.chronicle.claims.get(name)?.created);
    let pending = i128::from(pass.pending.unwrap_or(0));
    let worked = pass.time.plus(Span(PER_POD.0 * pending));
    created.map(|moment| moment.at).min().unwrap_or(worked).max(pass.time)
}

/// How long a pass takes for a pod, measured on a busy machine.
const PER_POD: Span = Span(1_600_000);

/// Whether Karpenter said, right after a pass, that it found no place for the pod.
fn was_refused(pod: &PodStory, earliest: Timestamp, latest: Timestamp) -> bool {
    let until = latest.plus(Span::seconds(3));
    let from = earliest.plus(Span(-Span::seconds(1).0));
    let in_time = |moment: Moment| moment.at >= from && moment.at <= until;
    let nominated = pod.nominations.iter().any(|nomination| in_time(nomination.moment));
    !nominated && pod.karpenter_refusals.iter().any(|message| in_time(message.moment))
}

/// Lets a nomination confirm, correct or add a plan.
fn record(world: &World<'_>, intent: &mut Intent, nomination: &Nomination) {
    let named = place_named(world, nomination.claim.as_ref(), nomination.node.as_ref());
    let Some(named) = named else { return };
    let near = |planned: &Planned| is_near(planned.at, nomination.moment);
    let at = (0..intent.plans.len())
        .filter(|&index| near(&intent.plans[index]))
        .min_by_key(|&index| intent.plans[index].at.since(nomination.moment.at).0.abs());
    let Some(index) = at else {
        intent.plans.push(Planned {
            pass: None,
            at: nomination.moment.at,
            places: BTreeSet::from([named]),
            basis: Basis::Recorded,
            certain: true,
        });
        return;
    };
    let planned = &mut intent.plans[index];
    let same = |place: &Place| is_same(place, &named);
    if let Some(found) = planned.places.iter().find(|place| same(place)).cloned() {
        planned.places = BTreeSet::from([found]);
        planned.basis = Basis::Both;
    } else {
        intent.disagreement = Some((nomination.clone(), planned.clone()));
        planned.places = BTreeSet::from([named]);
        planned.basis = Basis::Recorded;
    }
    planned.certain = true;
}

/// A nomination is sent when its pass is done: within some seconds after its beginning.
fn is_near(pass: Timestamp, nomination: Moment) -> bool {
    let after = nomination.latest().since(pass);
    after >= Span(-Span::seconds(1).0) && after <= Span::seconds(4)
}

fn is_same(a: &Place, b: &Place) -> bool {
    match (&a.claim, &b.claim) {
        (Some(a), Some(b)) => a == b,
        _ => a.node.is_some() && a.node == b.node,
    }
}

/// The place that a record names.
pub(super) fn place_named(
    world: &World<'_>,
    claim: Option<&NodeClaimName>,
    node: Option<&NodeName>,
) -> Option<Place> {
    let claim =
        claim.cloned().or_else(|| world.chronicle.claim_of(node?).map(|story| story.name.clone()));
    let story = claim.as_ref().and_then(|name| world.chronicle.claims.get(name));
    let node = node.cloned().or_else(|| story.and_then(|story| story.node.clone()));
    if claim.is_none() && node.is_none() {
        return None;
    }
    Some(Place {
        node_pool: story.and_then(|story| story.node_pool.clone()),
        new: node.is_none(),
        claim,
        node,
    })
}
