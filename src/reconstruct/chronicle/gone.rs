//! Pods that are gone: whose they were, what they looked like, when they came and went, as far as events tell.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::super::moment::{Clock, Moment};
use super::super::stories::{OwnerKey, PodStory};
use super::pods::moments;
use crate::model::meta::Owner;
use crate::model::names::{NodeName, PodKey, Str};
use crate::model::pod::{Pod, PodStatus};
use crate::model::snapshot::Snapshot;
use crate::model::time::{Span, Timestamp};
use crate::model::workload::{Workload, WorkloadKind};

/// How long a pod is taken to have been there after its last event, when nothing tells of its end.
const LINGERS: Span = Span::seconds(300);

/// `terminationGracePeriodSeconds` when a pod does not say.
const GRACE: i64 = 30;

/// Gives pods that are gone an owner, a likeness (a sibling's, or their owner's template) and stamps.
pub(super) fn dress(stories: &mut [PodStory], snapshot: &Snapshot) {
    if stories.iter().all(|story| story.object.is_some()) {
        return;
    }
    // By owner, the first of its pods that is there.
    let mut siblings: FxHashMap<OwnerKey, usize> = FxHashMap::default();
    let mut births: FxHashMap<OwnerKey, Vec<Moment>> = FxHashMap::default();
    for (index, story) in stories.iter().enumerate().filter(|(_, story)| story.object.is_some()) {
        let Some(owner) = &story.owner else { continue };
        siblings.entry(owner.clone()).or_insert(index);
        births.entry(owner.clone()).or_default().extend(story.created);
    }
    let scaled_down = scaled_down(snapshot);
    for index in 0..stories.len() {
        if stories[index].object.is_some() {
            continue;
        }
        let owner = stories[index]
            .owner
            .clone()
            .or_else(|| guessed_owner(&stories[index].key, &siblings, snapshot));
        let sibling = owner.as_ref().and_then(|owner| siblings.get(owner));
        let likeness = sibling.and_then(|sibling| stories[*sibling].unbound().cloned());
        let story = &mut stories[index];
        story.owner = owner;
        if let Some(last) = &story.last {
            if last.is_terminal() && story.ended.is_some() {
                continue;
            }
            // What was seen while it stopped tells when it was to be gone.
            if let Some(deletion) = last.meta.deletion {
                story.ended = Some(Moment::whole_second(deletion, Clock::ApiServer));
                continue;
            }
        }
        let Some(owner) = story.owner.clone() else {
            if let Some(ended) = &mut story.ended {
                ended.at = ended.at.plus(Span::seconds(GRACE));
            }
            continue;
        };
        if story.created.is_none() {
            story.created = birth(story, births.get(&owner));
        }
        if story.ended.is_none() {
            story.ended = end(story, scaled_down.get(&owner));
        }
        let model = story.last.clone().or(likeness).or_else(|| from_template(&owner, snapshot));
        // What was told to stop holds its room until its grace period ends.
        let grace =
            model.as_ref().map_or(GRACE, |pod| pod.spec.termination_grace_seconds.unwrap_or(GRACE));
        if let Some(ended) = &mut story.ended {
            ended.at = ended.at.plus(Span::seconds(grace));
        }
        if story.last.is_none()
            && let Some(model) = model
        {
            let mut pod = (*model).clone();
            pod.meta.name = story.key.name.clone();
            pod.meta.uid = story.uid.clone();
            pod.meta.created = story.created.map(|moment| moment.at);
            story.unbound = OnceLock::from(Arc::new(pod));
        }
    }
}

/// When it was created: with the siblings that were there by its first event, else right before that.
fn birth(story: &PodStory, siblings: Option<&Vec<Moment>>) -> Option<Moment> {
    let first = story.unschedulable.or(story.bound)?;
    let with = siblings.into_iter().flatten().filter(|moment| moment.at <= first.at);
    let latest = with.max_by_key(|moment| moment.at).copied();
    Some(latest.unwrap_or(first))
}

/// When it went: with the scaling down of its owner, else some time after its last event.
fn end(story: &PodStory, scaled_down: Option<&Vec<Moment>>) -> Option<Moment> {
    let last = last_event(story)?;
    let with = scaled_down.into_iter().flatten().filter(|moment| moment.latest() >= last.at);
    let first = with.min_by_key(|moment| moment.at).copied();
    Some(first.unwrap_or(last.plus(LINGERS)))
}

fn last_event(story: &PodStory) -> Option<Moment> {
    let refusals = story
        .scheduler_refusals
        .iter()
        .chain(&story.karpenter_refusals)
        .map(|message| message.last);
    let nominations = story.nominations.iter().map(|nomination| nomination.moment);
    let at = |moment: &Moment| -> Timestamp { moment.at };
    refusals.chain(nominations).chain(story.bound).chain(story.created).max_by_key(at)
}

/// When ReplicaSets were scaled down: `Scaled down replica set NAME from 80 to 30`.
fn scaled_down(snapshot: &Snapshot) -> FxHashMap<OwnerKey, Vec<Moment>> {
    let mut times: FxHashMap<OwnerKey, Vec<Moment>> = FxHashMap::default();
    for event in snapshot.events.iter().filter(|event| &*event.reason == "ScalingReplicaSet") {
        let name = event
            .message
            .strip_prefix("Scaled down replica set ")
            .and_then(|rest| rest.split(' ').next());
        if let (Some(name), Some((moment, last))) = (name, moments(event)) {
            let owner = OwnerKey {
                namespace: event.regarding.namespace.0.clone(),
                kind: "ReplicaSet".into(),
                name: name.into(),
            };
            times.entry(owner).or_default().extend([moment, last]);
        }
    }
    times
}

/// The owner whose name the pod's name continues.
fn guessed_owner(
    key: &PodKey,
    siblings: &FxHashMap<OwnerKey, usize>,
    snapshot: &Snapshot,
) -> Option<OwnerKey> {
    let (stem, _) = key.name.rsplit_once('-')?;
    let known = ["ReplicaSet", "StatefulSet", "DaemonSet", "Job"].into_iter().find_map(|kind| {
        let owner =
            OwnerKey { namespace: key.namespace.0.clone(), kind: kind.into(), name: stem.into() };
        siblings.contains_key(&owner).then_some(owner)
    });
    known.or_else(|| {
        let workload = workload_named(snapshot, &key.namespace.0, stem)?;
        Some(OwnerKey {
            namespace: key.namespace.0.clone(),
            kind: workload.kind.as_str().into(),
            name: stem.into(),
        })
    })
}

fn workload_named<'a>(
    snapshot: &'a Snapshot,
    namespace: &Str,
    name: &str,
) -> Option<&'a Arc<Workload>> {
    snapshot.objects.workloads.iter().find(|workload| {
        let owns_pods = !matches!(workload.kind, WorkloadKind::Deployment | WorkloadKind::CronJob);
        owns_pods && workload.meta.namespace.0 == *namespace && &*workload.meta.name == name
    })
}

fn from_template(owner: &OwnerKey, snapshot: &Snapshot) -> Option<Arc<Pod>> {
    let workload = snapshot.objects.workloads.iter().find(|workload| {
        workload.kind.as_str() == &*owner.kind
            && workload.meta.namespace.0 == owner.namespace
            && workload.meta.name == owner.name
    })?;
    let mut pod = Pod {
        meta: crate::model::meta::Meta {
            namespace: owner.namespace.clone().into(),
            labels: workload.template.labels.clone(),
            ..Default::default()
        },
        node_name: None::<NodeName>,
        spec: Arc::clone(&workload.template.spec),
        status: PodStatus::default(),
    };
    pod.meta.owners = Arc::from([Owner {
        api_version: "apps/v1".into(),
        kind: owner.kind.clone(),
        name: owner.name.clone(),
        uid: workload.meta.uid.clone(),
        controller: true,
    }]);
    Some(Arc::new(pod))
}
