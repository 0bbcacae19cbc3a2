//! `Meta`: what every object carries in `metadata`.

use std::sync::Arc;

use super::labels::Labels;
use super::names::{NamespaceName, ObjectKey, PodKey, Str, Uid};
use super::time::Timestamp;

/// An object's `metadata`, as far as a replay or an explanation uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct Meta {
    /// `name`.
    pub name: Str,
    /// `namespace`; empty for objects that live in none.
    pub namespace: NamespaceName,
    /// `uid`; empty when the input has none.
    pub uid: Uid,
    /// `resourceVersion` where it is a number.
    pub resource_version: Option<u64>,
    /// `generation`.
    pub generation: Option<i64>,
    /// `creationTimestamp`.
    pub created: Option<Timestamp>,
    /// `deletionTimestamp`: for pods, the moment at which the grace period ends.
    pub deletion: Option<Timestamp>,
    /// `deletionGracePeriodSeconds`.
    pub deletion_grace_seconds: Option<i64>,
    /// `labels`.
    pub labels: Labels,
    /// `annotations`, only those on the allow-list of `ingest`.
    pub annotations: Labels,
    /// `ownerReferences`.
    pub owners: Arc<[Owner]>,
    /// `managedFields`, without the fields themselves.
    pub managed: Arc<[ManagedField]>,
}

impl Meta {
    /// Namespace and name.
    pub fn key(&self) -> ObjectKey {
        ObjectKey { namespace: self.namespace.clone(), name: self.name.clone() }
    }

    /// Namespace and name, of a pod.
    pub fn pod_key(&self) -> PodKey {
        PodKey { namespace: self.namespace.clone(), name: self.name.clone() }
    }

    /// The owner that manages the object, if one does.
    pub fn controller(&self) -> Option<&Owner> {
        self.owners.iter().find(|owner| owner.controller)
    }

    /// Whether somebody asked for the object's deletion.
    pub fn is_terminating(&self) -> bool {
        self.deletion.is_some()
    }
}

impl Default for Meta {
    fn default() -> Self {
        Self {
            name: Str::from(""),
            namespace: NamespaceName::from(""),
            uid: Uid::from(""),
            resource_version: None,
            generation: None,
            created: None,
            deletion: None,
            deletion_grace_seconds: None,
            labels: Labels::default(),
            annotations: Labels::default(),
            owners: Arc::default(),
            managed: Arc::default(),
        }
    }
}

/// One of `ownerReferences`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// `apiVersion`.
    pub api_version: Str,
    /// `kind`.
    pub kind: Str,
    /// `name`.
    pub name: Str,
    /// `uid`.
    pub uid: Uid,
    /// Whether this owner manages the object.
    pub controller: bool,
}

/// One of `managedFields`: who wrote, and when.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ManagedField {
    /// `manager`.
    pub manager: Str,
    /// `operation`: `Apply` or `Update`.
    pub operation: Str,
    /// `subresource`; empty for the object itself.
    pub subresource: Str,
    /// `time`.
    pub time: Option<Timestamp>,
    /// The fields that matter here and that this manager wrote last, such as `spec.taints` or
    /// `status.nominatedNodeName`.
    pub fields: Arc<[Str]>,
}

/// One of `status.conditions`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// `type`, such as `PodScheduled`.
    pub kind: Str,
    /// `status`: `True`, `False` or `Unknown`.
    pub status: Str,
    /// `reason`.
    pub reason: Str,
    /// `message`.
    pub message: Str,
    /// `lastTransitionTime`.
    pub changed: Option<Timestamp>,
    /// `observedGeneration`.
    pub observed_generation: Option<i64>,
}

/// The first condition of a type.
pub fn condition<'a>(conditions: &'a [Condition], kind: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| &*condition.kind == kind)
}

/// Whether the first condition of a type has the status `True`.
pub fn is_true(conditions: &[Condition], kind: &str) -> bool {
    condition(conditions, kind).is_some_and(|condition| &*condition.status == "True")
}
