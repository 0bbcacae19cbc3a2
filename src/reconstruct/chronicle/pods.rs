//! The lives of pods, from their objects and from events; a pod that is gone is kept as far as events tell of it.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::super::moment::{Clock, Moment};
use super::super::stories::{Incident, IncidentKind, Message, Nomination, OwnerKey, PodStory};
use super::{gone, parse};
use crate::model::event::Event;
use crate::model::labels;
use crate::model::meta::{Owner, condition};
use crate::model::names::{PodKey, Uid};
use crate::model::node::Node;
use crate::model::pod::{Phase, Pod, PodStatus};
use crate::model::snapshot::Snapshot;
use crate::model::time::Span;

/// The stories of all pods, in the order of namespace, name and creation.
pub(super) fn stories(snapshot: &Snapshot) -> Vec<PodStory> {
    let all_nodes = snapshot.departed.nodes.iter().chain(&snapshot.objects.nodes);
    let nodes: FxHashMap<&str, &Arc<Node>> =
        all_nodes.map(|node| (&*node.meta.name, node)).collect();
    let mut register = Register::default();
    register.stories.reserve_exact(snapshot.objects.pods.len());
    for pod in &snapshot.objects.pods {
        register.add(from_object(pod, &nodes));
    }
    for pod in &snapshot.departed.pods {
        let story = from_object(pod, &nodes);
        register.add(PodStory { last: story.object, object: None, ..story });
    }
    for event in &snapshot.events {
        if &*event.regarding.kind == "Pod" {
            let key = PodKey::new(event.regarding.namespace.clone(), event.regarding.name.clone());
            tell(register.story(key, &event.regarding.uid), event);
        } else {
            tell_of_controlled(&mut register, event);
        }
    }
    tell_from_audit(&mut register, snapshot);
    let mut stories = register.stories;
    for story in &mut stories {
        story.nominations.sort_by_key(|nomination| nomination.moment.at);
        story.karpenter_refusals.sort_by_key(|message| message.moment.at);
        story.scheduler_refusals.sort_by_key(|message| message.moment.at);
        let first = story.scheduler_refusals.first().map(|message| message.moment);
        story.unschedulable = earlier(story.unschedulable, first);
    }
    gone::dress(&mut stories, snapshot);
    stories
        .sort_by(|a, b| (&a.key, a.created.map(|m| m.at)).cmp(&(&b.key, b.created.map(|m| m.at))));
    stories
}

/// The stories so far, found by name and UID.
#[derive(Default)]
struct Register {
    stories: Vec<PodStory>,
    by_key: FxHashMap<PodKey, Vec<usize>>,
}

impl Register {
    fn add(&mut self, story: PodStory) -> usize {
        self.by_key.entry(story.key.clone()).or_default().push(self.stories.len());
        self.stories.push(story);
        self.stories.len() - 1
    }

    /// The story of a pod, begun when there is none. Without a UID, the one of this name that is there.
    fn story(&mut self, key: PodKey, uid: &Uid) -> &mut PodStory {
        let known = self.by_key.get(&key).and_then(|at| {
            at.iter().copied().find(|&at| {
                let story = &self.stories[at];
                uid.as_str().is_empty() || story.uid.as_str().is_empty() || story.uid == *uid
            })
        });
        let at = known.unwrap_or_else(|| self.add(empty(key, uid.clone())));
        let story = &mut self.stories[at];
        if story.uid.as_str().is_empty() {
            story.uid = uid.clone();
        }
        story
    }
}

fn empty(key: PodKey, uid: Uid) -> PodStory {
    PodStory {
        key,
        uid,
        object: None,
        last: None,
        unbound: OnceLock::new(),
        copied: CopiedLabels::default(),
        owner: None,
        created: None,
        unschedulable: None,
        patched: None,
        bound: None,
        node: None,
        ended: None,
        nominations: Vec::new(),
        karpenter_refusals: Vec::new(),
        scheduler_refusals: Vec::new(),
        incidents: Vec::new(),
    }
}

fn from_object(pod: &Arc<Pod>, nodes: &FxHashMap<&str, &Arc<Node>>) -> PodStory {
    let server = |at| Moment::whole_second(at, Clock::ApiServer);
    let scheduled = condition(&pod.status.conditions, "PodScheduled");
    let became_true =
        scheduled.filter(|condition| &*condition.status == "True").and_then(|c| c.changed);
    let became_false =
        scheduled.filter(|c| &*c.status == "False" && &*c.reason != "SchedulingGated");
    let started = pod.status.start_time.map(|at| Moment::whole_second(at, Clock::Kubelet));
    let patched = pod
        .meta
        .managed
        .iter()
        .filter(|field| field.manager.contains("scheduler") && &*field.subresource == "status")
        .filter_map(|field| field.time)
        .max();
    let bound = pod
        .node_name
        .as_ref()
        .and_then(|_| became_true.map(server).or(started).or(pod.meta.created.map(server)));
    let asked_to_go = pod
        .meta
        .deletion
        .map(|at| at.plus(Span(-Span::seconds(pod.meta.deletion_grace_seconds.unwrap_or(0)).0)));
    let finished = pod
        .is_terminal()
        .then(|| condition(&pod.status.conditions, "Ready").and_then(|condition| condition.changed))
        .flatten();
    PodStory {
        object: Some(Arc::clone(pod)),
        copied: CopiedLabels::of(pod, nodes),
        owner: pod
            .meta
            .controller()
            .or_else(|| pod.meta.owners.first())
            .map(|owner| owner_key(pod, owner)),
        created: pod.meta.created.map(server),
        unschedulable: became_false.and_then(|c| c.changed).or(patched).map(server),
        patched: patched.map(server),
        bound,
        node: pod.node_name.clone(),
        ended: finished.or(asked_to_go).map(server),
        ..empty(pod.key(), pod.meta.uid.clone())
    }
}

fn owner_key(pod: &Pod, owner: &Owner) -> OwnerKey {
    OwnerKey {
        namespace: pod.meta.namespace.0.clone(),
        kind: owner.kind.clone(),
        name: owner.name.clone(),
    }
}

/// Labels that binding copies from the node to the pod, as far as a pod has them from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopiedLabels {
    zone: bool,
    region: bool,
}

impl CopiedLabels {
    fn of(pod: &Pod, nodes: &FxHashMap<&str, &Arc<Node>>) -> Self {
        let node = pod.node_name.as_ref().and_then(|name| nodes.get(name.as_str()).copied());
        let is_copied = |key: &str| match (node, pod.meta.labels.value(key)) {
            (Some(node), Some(value)) => node.meta.labels.value(key) == Some(value),
            // The node is gone: a label that no template has came with the binding.
            (None, Some(_)) => true,
            (_, None) => false,
        };
        Self { zone: is_copied(labels::ZONE), region: is_copied(labels::REGION) }
    }

    fn keys(self) -> Vec<&'static str> {
        let keys = [(self.zone, labels::ZONE), (self.region, labels::REGION)];
        keys.into_iter().filter(|(is_copied, _)| *is_copied).map(|(_, key)| key).collect()
    }
}

/// A pod as it was before binding: on no node, unscheduled, without the labels that binding copies from the node.
pub fn unbound(pod: &Pod, copied: CopiedLabels) -> Pod {
    let mut pod = pod.clone();
    pod.node_name = None;
    let copied = copied.keys();
    if !copied.is_empty() {
        pod.meta.labels = pod.meta.labels.without(&copied);
    }
    pod.meta.deletion = None;
    pod.meta.deletion_grace_seconds = None;
    pod.status = PodStatus { phase: Phase::Pending, ..PodStatus::default() };
    pod
}

fn earlier(a: Option<Moment>, b: Option<Moment>) -> Option<Moment> {
    match (a, b) {
        // The finer of two that may be the same tells more.
        (Some(a), Some(b)) if a.at <= b.at && b.at < a.latest() => Some(b),
        (Some(a), Some(b)) => Some(if a.at <= b.at { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// The first and the last moment of an event.
pub(super) fn moments(event: &Event) -> Option<(Moment, Moment)> {
    let first = event.first.or(event.last)?;
    let clock = Clock::of_reporter(&event.reporter);
    let read = |at| {
        if event.is_precise { Moment::precise(at, clock) } else { Moment::whole_second(at, clock) }
    };
    Some((read(first), read(event.last.unwrap_or(first))))
}

pub(super) fn message(event: &Event) -> Option<Message> {
    let (moment, last) = moments(event)?;
    Some(Message {
        moment,
        last,
        reporter: event.reporter.clone(),
        text: event.message.clone(),
        count: event.count,
    })
}

/// Adds what an event says about its pod.
fn tell(story: &mut PodStory, event: &Event) {
    let Some(message) = message(event) else { return };
    let by_karpenter = &*event.reporter == "karpenter";
    match &*event.reason {
        "Nominated" => {
            let (claim, node) = parse::nominated(&event.message);
            story.nominations.push(Nomination {
                moment: message.moment,
                claim,
                node,
                count: event.count,
                message: event.message.clone(),
            });
        }
        "FailedScheduling" if by_karpenter => story.karpenter_refusals.push(message),
        "FailedScheduling" => story.scheduler_refusals.push(message),
        "Scheduled" => {
            let Some(node) = parse::assigned(&event.message) else { return };
            if story.node.is_none() || story.node.as_ref() == Some(&node) {
                let finer = event.is_precise || story.bound.is_none();
                story.node = Some(node);
                if finer {
                    story.bound = Some(message.moment);
                }
            }
        }
        "Preempted" => incident(story, IncidentKind::Preempted, message),
        "TaintManagerEviction" if !event.message.starts_with("Cancelling") => {
            incident(story, IncidentKind::EvictedByTaint, message);
        }
        "Evicted" | "Disrupted" | "EvictionThresholdMet" => {
            incident(story, IncidentKind::Evicted, message);
        }
        "Killing" => incident(story, IncidentKind::Killed, message),
        "InsufficientCapacityError" => incident(story, IncidentKind::LaunchFailed, message),
        _ => {}
    }
}

fn incident(story: &mut PodStory, kind: IncidentKind, message: Message) {
    if story.object.is_none() && kind != IncidentKind::LaunchFailed {
        story.ended = earlier(story.ended, Some(message.moment));
    }
    story.incidents.push(Incident { kind, message });
}

/// What a controller says about its pods: `Created pod: …`, `Deleted pod: …`.
fn tell_of_controlled(register: &mut Register, event: &Event) {
    let created = &*event.reason == "SuccessfulCreate";
    if !created && &*event.reason != "SuccessfulDelete" {
        return;
    }
    let (Some(pod), Some((moment, _))) = (parse::controlled_pod(&event.message), moments(event))
    else {
        return;
    };
    let key = PodKey::new(event.regarding.namespace.clone(), pod);
    let story = register.story(key, &Uid::from(""));
    if story.owner.is_none() {
        story.owner = Some(OwnerKey {
            namespace: event.regarding.namespace.0.clone(),
            kind: event.regarding.kind.clone(),
            name: event.regarding.name.clone(),
        });
    }
    if created {
        story.created = story.created.or(Some(moment));
    } else if story.object.is_none() {
        story.ended = earlier(story.ended, Some(moment));
    }
}

/// The audit log tells the moment of a binding to the microsecond.
fn tell_from_audit(register: &mut Register, snapshot: &Snapshot) {
    for record in snapshot.audit_log.iter().filter(|record| &*record.subresource == "binding") {
        let key = PodKey::new(record.object.namespace.clone(), record.object.name.clone());
        let Some(time) = record.completed.or(record.received) else { continue };
        if !(200..300).contains(&record.code) {
            continue;
        }
        let story = register.story(key, &record.object.uid);
        if story.node.is_none() || record.target.is_none() || story.node == record.target {
            story.bound = Some(Moment::precise(time, Clock::ApiServer));
            story.node = story.node.take().or_else(|| record.target.clone());
        }
    }
}
