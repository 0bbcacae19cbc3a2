//! `state_at`: the cluster as it was at a moment, rebuilt from how it is now.
//!
//! Objects that came later are left out, bindings and conditions that came later are undone, taints that have been
//! removed since stand again, and what is gone is put back as far as events tell of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::chronicle::Chronicle;
use super::moment::Moment;
use super::recorded::recorded;
use super::stories::{ClaimStory, PodStory};
use super::volumes_at;
use crate::model::cluster_state::ClusterState;
use crate::model::labels;
use crate::model::meta::{Condition, condition};
use crate::model::names::{NodeClaimName, NodeName, PodKey, Str};
use crate::model::node::Node;
use crate::model::nodeclaim::NodeClaim;
use crate::model::pod::{Phase, Pod};
use crate::model::resources::Resources;
use crate::model::snapshot::Snapshot;
use crate::model::taint::{Effect, Taint};
use crate::model::time::Timestamp;

/// The taint of a node that Karpenter has not registered yet.
pub const UNREGISTERED: &str = "karpenter.sh/unregistered";
/// The taint of a node that Karpenter is about to remove.
pub const DISRUPTED: &str = "karpenter.sh/disrupted";
/// The taint of a node that is not ready.
pub const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// Which moment, and what is held of the things that the input leaves open.
#[derive(Clone, Debug)]
pub struct Instant {
    /// The moment.
    pub at: Timestamp,
    /// Pods that count as bound although their binding was written at the same time or a little later: kube-scheduler
    /// counts a pod from its decision on.
    pub assumed: BTreeSet<PodKey>,
    /// Pods that count as not bound although their binding may have been written before.
    pub released: BTreeSet<PodKey>,
    /// NodeClaims that count as not initialized although their stamp, which is coarse, says otherwise.
    pub uninitialized: BTreeSet<NodeClaimName>,
    /// NodeClaims that count as not created yet: those that the pass in question was about to create.
    pub absent: BTreeSet<NodeClaimName>,
    /// Whether pods that are gone, and of which only events tell, are put back.
    pub with_the_gone: bool,
}

impl Instant {
    /// A moment, with everything taken as its stamp says.
    pub fn at(at: Timestamp) -> Self {
        Self {
            at,
            assumed: BTreeSet::new(),
            released: BTreeSet::new(),
            uninitialized: BTreeSet::new(),
            absent: BTreeSet::new(),
            with_the_gone: true,
        }
    }
}

/// A rebuilt state.
#[derive(Clone, Debug)]
pub struct StateAt {
    /// The cluster then.
    pub state: ClusterState,
    /// What was done to get there, and what stays uncertain.
    pub assumptions: Vec<Assumption>,
}

/// Something that had to be held true to rebuild a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assumption {
    /// What: an object as kubectl names it.
    pub subject: String,
    /// What is held of it, and why.
    pub reason: String,
}

/// Rebuilds the cluster at a moment.
pub fn state_at(snapshot: &Snapshot, chronicle: &Chronicle, instant: &Instant) -> StateAt {
    if let Some(state) = recorded(snapshot, &chronicle.recording, instant) {
        let reason = format!("the cluster at {} was recorded, so it is not rebuilt", instant.at);
        let assumption = Assumption { subject: "recording".to_owned(), reason };
        return StateAt { state, assumptions: vec![assumption] };
    }
    let now = &snapshot.objects;
    let mut assumptions = Vec::new();
    let gone = &snapshot.departed;
    let was_there = |deleted: Option<Moment>| !had_happened(deleted, instant.at);
    let gone_nodes = gone.nodes.iter().filter(|node| {
        was_there(chronicle.nodes.get(&node.name()).and_then(|story| story.deleted))
    });
    let mut nodes: Vec<Arc<Node>> = now
        .nodes
        .iter()
        .chain(gone_nodes)
        .filter(|node| was_created(node.meta.created, instant.at))
        .map(|node| node_at(node, chronicle, instant))
        .collect();
    // A name may be taken again: the sort is stable, and what is there now comes first.
    nodes.sort_by(|a, b| a.meta.name.cmp(&b.meta.name));
    nodes.dedup_by(|later, kept| later.meta.name == kept.meta.name);
    let gone_claims = gone.node_claims.iter().filter(|claim| {
        was_there(chronicle.claims.get(&claim.name()).and_then(|story| story.deleted))
    });
    let mut node_claims: Vec<Arc<NodeClaim>> = now
        .node_claims
        .iter()
        .chain(gone_claims)
        .filter(|claim| !instant.absent.contains(&claim.name()))
        .filter(|claim| claim_existed(chronicle.claims.get(&claim.name()), claim, instant.at))
        .map(|claim| claim_at(claim, chronicle, instant))
        .collect();
    node_claims.sort_by(|a, b| a.meta.name.cmp(&b.meta.name));
    node_claims.dedup_by(|later, kept| later.meta.name == kept.meta.name);
    let there: BTreeSet<&str> = nodes.iter().map(|node| &*node.meta.name).collect();
    let pods = pods_at(chronicle, &there, instant, &mut assumptions);
    let mut state = ClusterState {
        at: Some(instant.at),
        pods,
        node_claims,
        node_pools: kept(&now.node_pools, |pool| pool.meta.created, instant.at),
        workloads: kept(&now.workloads, |workload| workload.meta.created, instant.at),
        ..now.without_machines()
    };
    state.nodes = nodes;
    volumes_at::unbind(&mut state, snapshot, chronicle, instant);
    StateAt { state, assumptions }
}

fn was_created(created: Option<Timestamp>, at: Timestamp) -> bool {
    created.is_none_or(|created| created <= at)
}

fn kept<T>(
    list: &[Arc<T>],
    created: impl Fn(&T) -> Option<Timestamp>,
    at: Timestamp,
) -> Vec<Arc<T>> {
    list.iter().filter(|object| was_created(created(object), at)).map(Arc::clone).collect()
}

/// Whether something with this stamp had happened.
fn had_happened(moment: Option<Moment>, at: Timestamp) -> bool {
    moment.is_some_and(|moment| moment.at <= at)
}

fn claim_existed(story: Option<&ClaimStory>, claim: &NodeClaim, at: Timestamp) -> bool {
    // A log line tells the creation to the millisecond, the stamp only to the second.
    story
        .and_then(|story| story.created)
        .map_or_else(|| was_created(claim.meta.created, at), |created| created.at <= at)
}

/// A condition as it was: one that changed since is unknown again.
fn conditions_at(
    conditions: &[Condition],
    at: Timestamp,
    moment_of: impl Fn(&str) -> Option<Moment>,
) -> Vec<Condition> {
    conditions
        .iter()
        .filter_map(|condition| {
            let changed = moment_of(&condition.kind).map(|moment| moment.at).or(condition.changed);
            if changed.is_none_or(|changed| changed <= at) {
                return Some(condition.clone());
            }
            let lifecycle = ["Launched", "Registered", "Initialized", "Ready"];
            lifecycle.contains(&&*condition.kind).then(|| Condition {
                status: "Unknown".into(),
                reason: "AwaitingReconciliation".into(),
                message: "".into(),
                changed: None,
                ..condition.clone()
            })
        })
        .collect()
}

fn claim_at(claim: &Arc<NodeClaim>, chronicle: &Chronicle, instant: &Instant) -> Arc<NodeClaim> {
    let at = instant.at;
    let story = chronicle.claims.get(&claim.name());
    let of = |kind: &str| {
        let story = story?;
        match kind {
            "Launched" => story.launched,
            "Registered" => story.registered,
            "Initialized" => story.initialized,
            _ => None,
        }
    };
    let launched = claim.is("Launched") && had_happened(of("Launched"), at);
    let registered = claim.is("Registered") && had_happened(of("Registered"), at);
    let untouched = claim.meta.deletion.is_none_or(|deletion| deletion <= at)
        && claim
            .conditions
            .iter()
            .all(|condition| condition.changed.is_none_or(|changed| changed <= at));
    if untouched {
        return Arc::clone(claim);
    }
    let mut claim = (**claim).clone();
    claim.conditions = conditions_at(&claim.conditions, at, of);
    claim.meta.deletion = claim.meta.deletion.filter(|deletion| *deletion <= at);
    if !registered {
        claim.node_name = None;
    }
    if !launched {
        claim.provider_id = None;
        claim.capacity = Resources::new();
        claim.allocatable = Resources::new();
    }
    Arc::new(claim)
}

fn node_at(node: &Arc<Node>, chronicle: &Chronicle, instant: &Instant) -> Arc<Node> {
    let at = instant.at;
    let story = chronicle.claim_of(&node.name());
    if is_as_now(node, story, instant) {
        return Arc::clone(node);
    }
    let mut changed = (**node).clone();
    let mut labels_gone: Vec<&str> = Vec::new();
    let unregistered = taint(UNREGISTERED, Effect::NoExecute);
    if let Some(claim) = story {
        if !had_happened(claim.registered, at) && claim.registered.is_some() {
            labels_gone.push(labels::REGISTERED);
            put_taint(&mut changed, unregistered);
        }
        if claim.initialized.is_some()
            && (!had_happened(claim.initialized, at) || instant.uninitialized.contains(&claim.name))
        {
            labels_gone.push(labels::INITIALIZED);
            let object = claim.object.iter().chain(&claim.last);
            for startup in object.flat_map(|claim| &claim.startup_taints) {
                put_taint(&mut changed, startup.clone());
            }
        }
        let object = claim.object.as_ref().or(claim.last.as_ref());
        let disrupted = object.and_then(|claim| condition(&claim.conditions, "DisruptionReason"));
        if disrupted.and_then(|condition| condition.changed).is_some_and(|since| since > at) {
            changed.taints.retain(|taint| &*taint.key != DISRUPTED);
        }
    }
    if !labels_gone.is_empty() {
        changed.meta.labels = changed.meta.labels.without(&labels_gone);
    }
    changed.taints.retain(|taint| taint.added.is_none_or(|added| added <= at));
    changed.meta.deletion = changed.meta.deletion.filter(|deletion| *deletion <= at);
    let became_ready = condition(&changed.conditions, "Ready")
        .filter(|ready| &*ready.status == "True")
        .and_then(|ready| ready.changed);
    if became_ready.is_some_and(|since| since > at) {
        put_taint(&mut changed, taint(NOT_READY, Effect::NoSchedule));
        for ready in changed.conditions.iter_mut().filter(|condition| &*condition.kind == "Ready") {
            ready.status = "False".into();
            ready.changed = None;
        }
    }
    if changed == **node { Arc::clone(node) } else { Arc::new(changed) }
}

/// Whether a node was then as it is now, in all that [`node_at`] may change: so most are, and none of them is copied.
fn is_as_now(node: &Node, story: Option<&ClaimStory>, instant: &Instant) -> bool {
    let later = |time: Option<Timestamp>| time.is_some_and(|time| time > instant.at);
    let of_claim = story.is_none_or(|claim| {
        let disrupted = claim
            .object
            .as_ref()
            .and_then(|claim| condition(&claim.conditions, "DisruptionReason"));
        !later(claim.registered.map(|moment| moment.at))
            && !later(claim.initialized.map(|moment| moment.at))
            && !instant.uninitialized.contains(&claim.name)
            && !later(disrupted.and_then(|condition| condition.changed))
    });
    of_claim
        && !node.taints.iter().any(|taint| later(taint.added))
        && !later(node.meta.deletion)
        && !later(condition(&node.conditions, "Ready").and_then(|ready| ready.changed))
}

fn taint(key: &str, effect: Effect) -> Taint {
    Taint { key: key.into(), value: "".into(), effect, added: None }
}

fn put_taint(node: &mut Node, taint: Taint) {
    if !node.taints.iter().any(|known| known.key == taint.key && known.effect == taint.effect) {
        node.taints.push(taint);
    }
}

/// Where a pod was in its life at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It was not there: not created yet, or gone.
    Absent,
    /// It was there, on no node.
    Waiting,
    /// It was on its node.
    Bound,
}

/// Where a pod was in its life.
pub fn stage(story: &PodStory, instant: &Instant) -> Stage {
    let is_released = || instant.released.contains(&story.key);
    stage_with(story, instant.at, is_released, || instant.assumed.contains(&story.key))
}

/// The same for all pods, in their order: of which of them the instant holds something is looked up once.
pub(super) fn stages<'c>(
    chronicle: &'c Chronicle,
    instant: &'c Instant,
) -> impl Iterator<Item = (&'c PodStory, Stage)> {
    let places = |keys: &BTreeSet<PodKey>| -> FxHashSet<usize> {
        keys.iter().flat_map(|key| chronicle.places_of(key)).collect()
    };
    let (released, assumed) = (places(&instant.released), places(&instant.assumed));
    chronicle.pods.iter().enumerate().map(move |(place, story)| {
        let is_released = || released.contains(&place);
        (story, stage_with(story, instant.at, is_released, || assumed.contains(&place)))
    })
}

fn stage_with(
    story: &PodStory,
    at: Timestamp,
    is_released: impl Fn() -> bool,
    is_assumed: impl Fn() -> bool,
) -> Stage {
    if story.created.is_some_and(|created| created.at > at) {
        return Stage::Absent;
    }
    if story.ended.is_some_and(|ended| ended.at <= at)
        && story.object.as_ref().is_none_or(|pod| !pod.is_terminal())
    {
        return Stage::Absent;
    }
    let is_bound = match story.bound {
        None => story.object.as_ref().is_some_and(|pod| pod.node_name.is_some()),
        Some(bound) => (bound.at <= at && !is_released()) || is_assumed(),
    };
    if is_bound { Stage::Bound } else { Stage::Waiting }
}

fn pods_at(
    chronicle: &Chronicle,
    nodes: &BTreeSet<&str>,
    instant: &Instant,
    assumptions: &mut Vec<Assumption>,
) -> Vec<Arc<Pod>> {
    let mut pods: Vec<Arc<Pod>> = Vec::with_capacity(chronicle.pods.len());
    let mut namesakes = chronicle.namesakes.iter().peekable();
    let (mut last, mut strays) = (None, false);
    for (index, (story, stage)) in stages(chronicle, instant).enumerate() {
        let is_namesake = namesakes.next_if(|&&next| next == index).is_some();
        // Of several that had a name, the first that was there.
        if stage == Stage::Absent || is_namesake && last == Some(&story.key) {
            continue;
        }
        let pod = match &story.object {
            Some(pod) => living(pod, story, stage, instant),
            None if instant.with_the_gone => {
                let Some(pod) = gone(story, stage, nodes, instant.at, assumptions) else {
                    continue;
                };
                strays |= pod.meta.namespace != story.key.namespace;
                pod
            }
            None => continue,
        };
        last = Some(&story.key);
        pods.push(pod);
    }
    // Stories are in the order of the names already.
    if strays {
        pods.sort_by(|a, b| {
            (&a.meta.namespace, &a.meta.name).cmp(&(&b.meta.namespace, &b.meta.name))
        });
        pods.dedup_by(|later, earlier| {
            later.meta.namespace == earlier.meta.namespace && later.meta.name == earlier.meta.name
        });
    }
    pods
}

/// A pod that is there now, as it was then.
fn living(pod: &Arc<Pod>, story: &PodStory, stage: Stage, instant: &Instant) -> Arc<Pod> {
    let ended_later = story.ended.is_some_and(|ended| ended.at > instant.at);
    if stage == Stage::Bound {
        let deleted_later = pod.meta.deletion.is_some() && ended_later;
        if !(deleted_later || pod.is_terminal() && ended_later) {
            return Arc::clone(pod);
        }
        let mut pod = (**pod).clone();
        pod.meta.deletion = None;
        pod.meta.deletion_grace_seconds = None;
        if pod.is_terminal() {
            pod.status.phase = Phase::Running;
        }
        return Arc::new(pod);
    }
    if pod.node_name.is_none() && !ended_later {
        return waiting_now(pod, story, instant.at);
    }
    let unbound = story.unbound().cloned().unwrap_or_else(|| Arc::clone(pod));
    waiting(&unbound, story, instant.at)
}

/// A pod that waits now: as it is, but for an unschedulable condition that came later.
fn waiting_now(pod: &Arc<Pod>, story: &PodStory, at: Timestamp) -> Arc<Pod> {
    if story.unschedulable.is_some_and(|moment| moment.at > at) {
        let unbound = story.unbound().cloned().unwrap_or_else(|| Arc::clone(pod));
        return waiting(&unbound, story, at);
    }
    Arc::clone(pod)
}

/// A pod before it was bound, with the condition that kube-scheduler had given it by then.
fn waiting(unbound: &Arc<Pod>, story: &PodStory, at: Timestamp) -> Arc<Pod> {
    let Some(since) = story.unschedulable.filter(|moment| moment.at <= at) else {
        return Arc::clone(unbound);
    };
    let said = story.scheduler_refusals.iter().rev().find(|message| message.moment.at <= at);
    let mut pod = (**unbound).clone();
    pod.status.conditions = Arc::from([Condition {
        kind: "PodScheduled".into(),
        status: "False".into(),
        reason: "Unschedulable".into(),
        message: said.map_or_else(|| Str::from(""), |message| message.text.clone()),
        changed: Some(since.at),
        observed_generation: None,
    }]);
    Arc::new(pod)
}

/// A pod that is gone now, put back in the likeness of its siblings.
fn gone(
    story: &PodStory,
    stage: Stage,
    nodes: &BTreeSet<&str>,
    at: Timestamp,
    assumptions: &mut Vec<Assumption>,
) -> Option<Arc<Pod>> {
    // Without a stamp of its end nothing tells how long it was there.
    story.ended?;
    let likeness = story.unbound()?;
    let on = story.node.as_ref().filter(|_| stage == Stage::Bound);
    if on.is_some_and(|node: &NodeName| !nodes.contains(node.as_str())) {
        return None;
    }
    let reason = if story.last.is_some() {
        "is gone; it is put back as an older dump shows it"
    } else {
        "is gone; it is put back as events tell of it, in the likeness of its siblings"
    };
    let subject = format!("pod/{}", story.key.name);
    assumptions.push(Assumption { subject, reason: reason.to_owned() });
    if let Some(node) = on {
        let mut pod = (**likeness).clone();
        pod.node_name = Some(node.clone());
        pod.status.phase = Phase::Running;
        return Some(Arc::new(pod));
    }
    Some(waiting(likeness, story, at))
}
