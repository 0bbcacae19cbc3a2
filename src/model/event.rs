//! What happened, as the cluster told it: Events, log lines, audit entries.

use std::collections::BTreeMap;

use super::names::{NamespaceName, NodeName, PodKey, Str, Uid};
use super::time::Timestamp;

/// An Event, of either API.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// `involvedObject` or `regarding`.
    pub regarding: ObjectRef,
    /// `type`: `Normal` or `Warning`.
    pub kind: Str,
    /// `reason`, such as `Nominated`.
    pub reason: Str,
    /// `message` or `note`.
    pub message: Str,
    /// `source.component` or `reportingController`: who says so.
    pub reporter: Str,
    /// `firstTimestamp`, or `eventTime` where that is set.
    pub first: Option<Timestamp>,
    /// `lastTimestamp`, or the time of the series' last, or the first.
    pub last: Option<Timestamp>,
    /// Whether the times carry microseconds (`eventTime`) and not whole seconds.
    pub is_precise: bool,
    /// `count`, or the series' count; at least 1.
    pub count: i64,
}

/// Which object something is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// `kind`.
    pub kind: Str,
    /// `namespace`; empty for objects that live in none.
    pub namespace: NamespaceName,
    /// `name`.
    pub name: Str,
    /// `uid`; empty when not given.
    pub uid: Uid,
}

/// One line of Karpenter's log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRecord {
    /// `time`.
    pub time: Option<Timestamp>,
    /// `level`.
    pub level: Str,
    /// `message`.
    pub message: Str,
    /// `logger` and `controller`, and all other fields, by name.
    pub fields: BTreeMap<Str, serde_json::Value>,
}

/// One entry of the API server's audit log that tells of a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditRecord {
    /// When the request came in, in microseconds.
    pub received: Option<Timestamp>,
    /// When it was answered.
    pub completed: Option<Timestamp>,
    /// `verb`.
    pub verb: Str,
    /// The object, and its subresource.
    pub object: ObjectRef,
    /// `objectRef.subresource`; empty for the object itself.
    pub subresource: Str,
    /// `user.username`.
    pub user: Str,
    /// `userAgent`.
    pub user_agent: Str,
    /// `responseStatus.code`.
    pub code: i64,
    /// For a binding, the node.
    pub target: Option<NodeName>,
}

/// One attempt of kube-scheduler that its log tells of, where it was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulerLogRecord {
    /// When.
    pub time: Timestamp,
    /// Which pod.
    pub pod: PodKey,
    /// The line's text.
    pub message: Str,
    /// The node it was bound to, where the line says so.
    pub node: Option<NodeName>,
}
