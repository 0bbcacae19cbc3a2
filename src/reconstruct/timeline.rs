//! `Timeline`: what happened to a pod, to the NodeClaims that were meant for it and to its node, in order.

use super::moment::{Clock, Moment};
use super::passes::Known;
use super::stories::{ClaimStory, IncidentKind, Message, NodeStory, PodStory};
use super::world::World;
use super::{Landing, replays::Place};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Happening {
    /// The object was created.
    Created,
    /// kube-scheduler or Karpenter found no place.
    FailedScheduling,
    /// Karpenter's pass planned a place.
    Planned,
    /// Karpenter said which place it planned.
    Nominated,
    /// The claim's machine was launched.
    Launched,
    /// A launch failed.
    LaunchFailed,
    /// The machine joined as a node.
    Registered,
    /// The node was ready.
    Ready,
    /// The claim was initialized.
    Initialized,
    /// Another pod left a node that matters: room was freed.
    RoomFreed,
    /// The pod was bound.
    Bound,
    /// Another pod pushed the pod off.
    Preempted,
    /// The pod was evicted.
    Evicted,
    /// Karpenter chose the node for removal.
    Disrupted,
    /// The object was deleted.
    Deleted,
    /// The input was taken.
    Observed,
}

/// One entry: when, by whose clock, from which source, what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, with its clock and resolution.
    pub moment: Moment,
    /// Where it was read.
    pub source: String,
    /// The object, as kubectl names it.
    pub object: String,
    /// What happened.
    pub what: Happening,
    /// What happened, in words.
    pub summary: String,
    /// Whether the answer turns on it.
    pub deciding: bool,
}

/// What happened, in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The entries.
    pub entries: Vec<Entry>,
}

impl Timeline {
    /// The time line of a landing.
    pub fn of(landing: &Landing<'_, '_>) -> Self {
        let mut timeline = Self::default();
        let world = landing.world;
        timeline.pod(landing.pod);
        timeline.passes(landing);
        let mut places: Vec<&Place> = landing
            .intent
            .plans
            .iter()
            .filter_map(|planned| planned.place())
            .chain(&landing.actual)
            .collect();
        places.sort();
        places.dedup_by(|a, b| a.claim == b.claim && a.node == b.node);
        for place in &places {
            if let Some(claim) =
                place.claim.as_ref().and_then(|name| world.chronicle.claims.get(name))
            {
                timeline.claim(claim);
            }
            if let Some(node) = place.node.as_ref().and_then(|name| world.chronicle.nodes.get(name))
            {
                timeline.node(node);
            }
        }
        timeline.room_freed(landing);
        timeline.taken(world);
        timeline.in_order()
    }

    /// The time line of a node and its claim alone.
    pub fn of_place(
        world: &World<'_>,
        claim: Option<&ClaimStory>,
        node: Option<&NodeStory>,
    ) -> Self {
        let mut timeline = Self::default();
        if let Some(claim) = claim {
            timeline.claim(claim);
        }
        if let Some(node) = node {
            timeline.node(node);
        }
        timeline.taken(world);
        timeline.in_order()
    }

    fn taken(&mut self, world: &World<'_>) {
        if let Some(taken) = world.snapshot.taken_at {
            self.add(
                Moment::read(taken, Clock::ApiServer),
                "input",
                "input",
                Happening::Observed,
                "the snapshot was taken",
            );
        }
    }

    fn in_order(mut self) -> Self {
        self.entries.sort_by(|a, b| {
            (a.moment.at, a.what, &a.object, &a.summary).cmp(&(
                b.moment.at,
                b.what,
                &b.object,
                &b.summary,
            ))
        });
        self.entries.dedup();
        self
    }

    fn add(
        &mut self,
        moment: Moment,
        source: &str,
        object: impl Into<String>,
        what: Happening,
        summary: impl Into<String>,
    ) {
        let deciding =
            matches!(what, Happening::Bound | Happening::Preempted | Happening::RoomFreed);
        self.entries.push(Entry {
            moment,
            source: source.to_owned(),
            object: object.into(),
            what,
            summary: summary.into(),
            deciding,
        });
    }

    fn pod(&mut self, pod: &PodStory) {
        let name = format!("pod/{}", pod.key.name);
        if let Some(moment) = pod.created {
            self.add(
                moment,
                "metadata.creationTimestamp",
                &name,
                Happening::Created,
                "the pod was created",
            );
        }
        if let Some(moment) = pod.unschedulable.filter(|_| pod.scheduler_refusals.is_empty()) {
            let summary = "kube-scheduler found no node for it";
            self.add(
                moment,
                "status.conditions[PodScheduled]",
                &name,
                Happening::FailedScheduling,
                summary,
            );
        }
        for message in pod.scheduler_refusals.iter().chain(&pod.karpenter_refusals) {
            self.refusal(&name, message);
        }
        for nomination in &pod.nominations {
            self.add(
                nomination.moment,
                "event Nominated",
                &name,
                Happening::Nominated,
                &*nomination.message,
            );
        }
        if let (Some(moment), Some(node)) = (pod.bound, &pod.node) {
            let source = match moment.clock {
                Clock::Scheduler => "event Scheduled",
                Clock::Kubelet => "status.startTime",
                _ => "status.conditions[PodScheduled]",
            };
            self.add(moment, source, &name, Happening::Bound, format!("bound to node/{node}"));
        }
        for incident in &pod.incidents {
            let (what, reason) = match incident.kind {
                IncidentKind::Preempted => (Happening::Preempted, "event Preempted"),
                IncidentKind::Evicted => (Happening::Evicted, "event Evicted"),
                IncidentKind::EvictedByTaint => (Happening::Evicted, "event TaintManagerEviction"),
                IncidentKind::Killed => (Happening::Deleted, "event Killing"),
                IncidentKind::LaunchFailed => {
                    (Happening::LaunchFailed, "event InsufficientCapacityError")
                }
            };
            self.add(incident.message.moment, reason, &name, what, &*incident.message.text);
        }
    }

    fn refusal(&mut self, name: &str, message: &Message) {
        let who =
            if message.moment.clock == Clock::Karpenter { "Karpenter" } else { &*message.reporter };
        let times =
            if message.count > 1 { format!(" ({} times)", message.count) } else { String::new() };
        let summary = format!("{who}: {}{times}", message.text);
        self.add(
            message.moment,
            "event FailedScheduling",
            name,
            Happening::FailedScheduling,
            summary,
        );
    }

    fn passes(&mut self, landing: &Landing<'_, '_>) {
        for planned in &landing.intent.plans {
            let Some(pass) = planned.pass.and_then(|pass| landing.world.passes.get(pass)) else {
                continue;
            };
            let source = match pass.known {
                Known::Logged => "karpenter log",
                Known::Created => "creation of NodeClaims, and a replay",
                Known::Inferred => "worked out from what wakes Karpenter, and a replay",
            };
            let unsure = pass.latest.since(pass.earliest);
            let moment = Moment::within(pass.time, Clock::Karpenter, unsure);
            let place = match planned.place() {
                Some(place) => crate::reconstruct::place_text(place),
                None if planned.places.is_empty() => "a place that no replay gives".to_owned(),
                None => format!("one of {} places", planned.places.len()),
            };
            let name = format!("pod/{}", landing.pod.key.name);
            self.add(
                moment,
                source,
                name,
                Happening::Planned,
                format!("Karpenter planned it for {place}"),
            );
        }
    }

    fn claim(&mut self, claim: &ClaimStory) {
        let name = format!("nodeclaim/{}", claim.name);
        let steps = [
            (
                claim.created,
                "creation of the NodeClaim",
                Happening::Created,
                "the NodeClaim was created",
            ),
            (claim.launched, "condition Launched", Happening::Launched, "its machine was launched"),
            (claim.registered, "condition Registered", Happening::Registered, "its node joined"),
            (
                claim.initialized,
                "condition Initialized",
                Happening::Initialized,
                "its node was initialized",
            ),
            (
                claim.deleted,
                "deletion of the NodeClaim",
                Happening::Deleted,
                "the NodeClaim was deleted",
            ),
        ];
        for (moment, source, what, summary) in steps {
            if let Some(moment) = moment {
                self.add(moment, source, &name, what, summary);
            }
        }
        if let Some(message) = &claim.failed {
            self.add(message.moment, "event", &name, Happening::LaunchFailed, &*message.text);
        }
        if let Some(message) = &claim.disrupted {
            self.add(
                message.moment,
                "event DisruptionTerminating",
                &name,
                Happening::Disrupted,
                &*message.text,
            );
        }
    }

    fn node(&mut self, node: &NodeStory) {
        let name = format!("node/{}", node.name);
        if let Some(moment) = node.created {
            self.add(
                moment,
                "metadata.creationTimestamp",
                &name,
                Happening::Registered,
                "the Node object was created",
            );
        }
        if let Some(moment) = node.ready {
            self.add(
                moment,
                "status.conditions[Ready]",
                &name,
                Happening::Ready,
                "the node became ready",
            );
        }
        if let Some(moment) = node.deleted {
            self.add(
                moment,
                "deletion of the Node",
                &name,
                Happening::Deleted,
                "the node was removed",
            );
        }
    }

    /// Pods that left the pod's node between its creation and its binding.
    fn room_freed(&mut self, landing: &Landing<'_, '_>) {
        for pod in landing.freed() {
            if let Some(moment) = pod.ended {
                let node = pod.node.as_ref().map(ToString::to_string).unwrap_or_default();
                let summary = format!("left node/{node}: its room was free from then on");
                self.add(
                    moment,
                    "event or deletion",
                    format!("pod/{}", pod.key.name),
                    Happening::RoomFreed,
                    summary,
                );
            }
        }
    }
}

impl<'w> Landing<'w, '_> {
    /// Pods that left the pod's node while it waited.
    pub fn freed(&self) -> Vec<&'w PodStory> {
        let (Some(node), Some(created)) = (&self.pod.node, self.pod.created) else {
            return Vec::new();
        };
        let until = self.pod.bound.map(Moment::latest);
        let world: &'w World<'_> = self.world;
        world
            .chronicle
            .pods
            .iter()
            .filter(|other| {
                let there = other.node.as_ref() == Some(node);
                // Of a pod that is gone nothing may tell where it was: one of the same workload counts.
                let may_be =
                    other.node.is_none() && other.object.is_none() && is_kin(other, self.pod);
                (there || may_be) && other.key != self.pod.key
            })
            .filter(|other| {
                other.ended.is_some_and(|ended| {
                    ended.latest() >= created.at && until.is_none_or(|until| ended.at <= until)
                })
            })
            .collect()
    }
}

/// Whether two pods belong to one workload, by their names: `web-5d9c-x2x4q` and `web-7fb4-k2k3j`.
fn is_kin(a: &PodStory, b: &PodStory) -> bool {
    let stem = |pod: &PodStory| {
        let name = pod.key.name.rsplit_once('-')?.0.to_owned();
        Some(name.rsplit_once('-').map_or(name.clone(), |(stem, _)| stem.to_owned()))
    };
    a.key.namespace == b.key.namespace && stem(a).is_some() && stem(a) == stem(b)
}
