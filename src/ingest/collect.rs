//! `Collector`: gathers what was read from all inputs and puts it in order.

use std::sync::Arc;

use crate::model::cluster_state::{ClusterState, each_list};
use crate::model::event::Event;
use crate::model::gap::{Gap, GapKind};
use crate::model::meta::Meta;
use crate::model::snapshot::Snapshot;

use super::listings::{Age, settle_the_departed};
use super::object::Object;
use super::recording::Recorded;
use super::scheduler_log;

/// Objects as they come, in any order.
#[derive(Debug, Default)]
pub struct Collector {
    pub(crate) snapshot: Snapshot,
    pub(crate) found: bool,
    /// Whether a list was read, which tells what there is, and not only single objects.
    pub(crate) is_listing: bool,
    pub(super) age: Age,
    events: Vec<(Meta, Event)>,
    pub(super) recorded: Recorded,
}

impl Collector {
    /// Takes an object.
    pub(crate) fn push(&mut self, object: Object) {
        let lists = &mut self.snapshot.objects;
        match object {
            Object::Pod(object) => lists.pods.push(object),
            Object::Node(object) => lists.nodes.push(object),
            Object::NodePool(object) => lists.node_pools.push(object),
            Object::NodeClaim(object) => lists.node_claims.push(object),
            Object::NodeClass(object) => lists.node_classes.push(object),
            Object::NodeOverlay(object) => lists.node_overlays.push(object),
            Object::CapacityBuffer(object) => lists.capacity_buffers.push(object),
            Object::PodTemplate(object) => lists.pod_templates.push(object),
            Object::Workload(object) => lists.workloads.push(object),
            Object::Service(object) => lists.services.push(object),
            Object::Namespace(object) => lists.namespaces.push(object),
            Object::PersistentVolume(object) => lists.persistent_volumes.push(object),
            Object::PersistentVolumeClaim(object) => lists.persistent_volume_claims.push(object),
            Object::StorageClass(object) => lists.storage_classes.push(object),
            Object::CsiNode(object) => lists.csi_nodes.push(object),
            Object::CsiDriver(object) => lists.csi_drivers.push(object),
            Object::CsiStorageCapacity(object) => lists.csi_storage_capacities.push(object),
            Object::VolumeAttachment(object) => lists.volume_attachments.push(object),
            Object::PodDisruptionBudget(object) => lists.pod_disruption_budgets.push(object),
            Object::PriorityClass(object) => lists.priority_classes.push(object),
            Object::ResourceClaim(object) => lists.resource_claims.push(object),
            Object::ResourceClaimTemplate(object) => lists.resource_claim_templates.push(object),
            Object::ResourceSlice(object) => lists.resource_slices.push(object),
            Object::DeviceClass(object) => lists.device_classes.push(object),
            Object::Event(event) => self.events.push(*event),
        }
    }

    /// Notes what could not be read.
    pub fn gap(&mut self, gap: Gap) {
        self.snapshot.gaps.push(gap);
    }

    /// Takes all that another collector has gathered.
    pub fn absorb(&mut self, other: Self) {
        let Self { snapshot: mut theirs, found, is_listing, age, events, recorded } = other;
        self.absorb_recording(recorded);
        self.snapshot.objects.extend(std::mem::take(&mut theirs.objects));
        self.events.extend(events);
        self.found |= found;
        self.is_listing |= is_listing;
        for (ours, theirs) in self.age.iter_mut().zip(age) {
            *ours = (*ours).max(theirs);
        }
        let ours = &mut self.snapshot;
        ours.history.extend(theirs.history);
        ours.departed.extend(theirs.departed);
        ours.karpenter_log.extend(theirs.karpenter_log);
        ours.scheduler_log.extend(theirs.scheduler_log);
        ours.audit_log.extend(theirs.audit_log);
        ours.gaps.extend(theirs.gaps);
        ours.taken_at = ours.taken_at.max(theirs.taken_at);
        let (ours, theirs) = (&mut ours.settings, theirs.settings);
        ours.scheduler_configuration =
            ours.scheduler_configuration.take().or(theirs.scheduler_configuration);
        ours.kubernetes_version = ours.kubernetes_version.take().or(theirs.kubernetes_version);
        ours.karpenter_version = ours.karpenter_version.take().or(theirs.karpenter_version);
        if let Some(environment) = theirs.karpenter_environment {
            let known = ours.karpenter_environment.get_or_insert_default();
            for (name, value) in environment {
                known.entry(name).or_insert(value);
            }
        }
        ours.catalogue.extend(theirs.catalogue);
        if let Some(types) = theirs.instance_types {
            ours.instance_types.get_or_insert_default().extend(types);
        }
    }

    /// Whether anything was found that an answer can stand on.
    pub fn has_found_something(&self) -> bool {
        self.found
    }

    /// The snapshot: every list in the order of namespace and name, each object once.
    pub fn finish(mut self) -> Snapshot {
        self.finish_recording();
        let mut conflicts = Vec::new();
        in_order(&mut self.snapshot.objects, &mut conflicts);
        settle_the_departed(&mut self.snapshot);
        self.snapshot.events = events_in_order(self.events);
        logs_in_order(&mut self.snapshot);
        self.snapshot.taken_at = self.snapshot.taken_at.or_else(|| newest(&self.snapshot));
        self.snapshot.objects.at = self.snapshot.taken_at;
        scheduler_log::set_years(&mut self.snapshot.scheduler_log, self.snapshot.taken_at);
        let kubernetes = self.snapshot.settings.kubernetes_version.take();
        self.snapshot.settings.kubernetes_version =
            kubernetes.or_else(|| newest_kubelet(&self.snapshot.objects));
        self.snapshot.gaps.append(&mut conflicts);
        self.snapshot.gaps.sort();
        self.snapshot.gaps.dedup();
        self.snapshot
    }
}

fn in_order(lists: &mut ClusterState, gaps: &mut Vec<Gap>) {
    macro_rules! sort {
        ($($list:ident: $what:literal, $kind:expr;)+) => {
            $(one_each(&mut lists.$list, $what, |object| &object.meta, $kind, gaps);)+
        };
    }
    each_list!(sort);
}

/// Newest state first; what was created last when neither says.
fn newer_first(a: &Meta, b: &Meta) -> std::cmp::Ordering {
    b.resource_version
        .cmp(&a.resource_version)
        .then_with(|| b.created.cmp(&a.created))
        .then_with(|| b.generation.cmp(&a.generation))
        .then_with(|| b.uid.cmp(&a.uid))
}

/// Sorts a list and keeps the newest state of each object; different states of one object are noted.
fn one_each<T: PartialEq, K: Ord>(
    list: &mut Vec<Arc<T>>,
    what: &str,
    meta: impl Fn(&T) -> &Meta,
    kind: impl Fn(&T) -> K,
    gaps: &mut Vec<Gap>,
) {
    let before = |a: &Arc<T>, b: &Arc<T>| {
        let (left, right) = (meta(a), meta(b));
        kind(a)
            .cmp(&kind(b))
            .then_with(|| left.namespace.cmp(&right.namespace))
            .then_with(|| left.name.cmp(&right.name))
            .then_with(|| newer_first(left, right))
    };
    list.sort_by(before);
    let mut differing: Vec<String> = Vec::new();
    list.dedup_by(|later, kept| {
        let (left, right) = (meta(later), meta(kept));
        let same = left.name == right.name
            && left.namespace == right.namespace
            && kind(later) == kind(kept);
        if same && later != kept {
            let meta = meta(kept);
            let name = if meta.namespace.as_str().is_empty() {
                meta.name.to_string()
            } else {
                format!("{}/{}", meta.namespace, meta.name)
            };
            if differing.last() != Some(&name) {
                differing.push(name);
            }
        }
        same
    });
    if !differing.is_empty() {
        let shown = differing.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let more = differing.len().saturating_sub(3);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        gaps.push(Gap::new(
            GapKind::Conflict,
            what,
            format!("given more than once in different states, the newest is used: {shown}{more}"),
        ));
    }
}

/// Oldest first; an event that was given twice, also through the other API, counts once.
fn events_in_order(mut events: Vec<(Meta, Event)>) -> Vec<Event> {
    events.sort_by(|(a, one), (b, other)| {
        (a.uid.as_str(), a.namespace.as_str(), &*a.name)
            .cmp(&(b.uid.as_str(), b.namespace.as_str(), &*b.name))
            .then_with(|| newer_first(a, b))
            .then_with(|| other.last.cmp(&one.last))
            .then_with(|| other.count.cmp(&one.count))
    });
    events.dedup_by(|(later, later_event), (kept, kept_event)| {
        if later.uid.as_str().is_empty() {
            later.name == kept.name
                && later.namespace == kept.namespace
                && later_event == kept_event
        } else {
            later.uid == kept.uid
        }
    });
    events.sort_by(|(a, one), (b, other)| {
        (one.first, one.last, a.resource_version, &*a.name, &*one.message).cmp(&(
            other.first,
            other.last,
            b.resource_version,
            &*b.name,
            &*other.message,
        ))
    });
    events.into_iter().map(|(_, event)| event).collect()
}

/// Oldest first; a line that was given twice counts once.
fn logs_in_order(snapshot: &mut Snapshot) {
    snapshot.karpenter_log.sort_by_key(|record| record.time);
    snapshot.karpenter_log.dedup();
    snapshot.scheduler_log.sort_by_key(|record| record.time);
    snapshot.audit_log.sort_by_key(|record| record.received);
    snapshot.audit_log.dedup();
}

/// The newest of the kubelets' versions: no kubelet is newer than the API server.
fn newest_kubelet(lists: &ClusterState) -> Option<String> {
    let numbers = |text: &str| {
        let mut parts = text.trim_start_matches('v').splitn(3, '.');
        let mut number = || {
            let part = parts.next()?;
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..end].parse::<u32>().ok()
        };
        Some((number()?, number()?, number().unwrap_or(0)))
    };
    let versions = lists.nodes.iter().filter_map(|node| node.kubelet_version.as_deref());
    let known = versions.filter_map(|text| Some((numbers(text)?, text)));
    known.max().map(|(_, text)| text.trim_start_matches('v').to_owned())
}

/// The newest moment that the snapshot itself knows of.
fn newest(snapshot: &Snapshot) -> Option<crate::model::time::Timestamp> {
    let lists = &snapshot.objects;
    let pods = lists.pods.iter().flat_map(|pod| {
        let conditions = pod.status.conditions.iter().filter_map(|condition| condition.changed);
        conditions.chain(pod.meta.created)
    });
    let nodes = lists.nodes.iter().flat_map(|node| {
        let conditions = node.conditions.iter().filter_map(|condition| condition.changed);
        conditions.chain(node.meta.created)
    });
    let claims = lists.node_claims.iter().flat_map(|claim| {
        let conditions = claim.conditions.iter().filter_map(|condition| condition.changed);
        conditions.chain(claim.meta.created).chain(claim.last_pod_event)
    });
    let events = snapshot.events.iter().filter_map(|event| event.last);
    let log = snapshot.karpenter_log.iter().filter_map(|record| record.time);
    pods.chain(nodes).chain(claims).chain(events).chain(log).max()
}
