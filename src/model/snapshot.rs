//! `Snapshot`: all that was read, when, and what could not be.

use std::collections::BTreeMap;

use super::catalogue::Catalogue;
use super::cluster_state::ClusterState;
use super::event::{AuditRecord, Event, LogRecord, SchedulerLogRecord};
use super::gap::Gap;
use super::history::{Change, Stretch};
use super::instance_type::InstanceType;
use super::names::Str;
use super::node::Node;
use super::nodeclaim::NodeClaim;
use super::pod::Pod;
use super::time::Timestamp;
use std::sync::Arc;

/// All that was read from a live cluster or from files.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The objects, as they were when the snapshot was taken.
    pub objects: ClusterState,
    /// What was there once and is not in the newest listing any more.
    pub departed: Departed,
    /// What was recorded as it happened (`watch-*.json`, `kubectl landed record`), in the order of the recording.
    pub history: Vec<Change>,
    /// When every change was recorded, by `kubectl landed record`; oldest first.
    pub recorded: Vec<Stretch>,
    /// Events of both APIs, oldest first.
    pub events: Vec<Event>,
    /// Karpenter's log, oldest first.
    pub karpenter_log: Vec<LogRecord>,
    /// What kube-scheduler's log tells, oldest first.
    pub scheduler_log: Vec<SchedulerLogRecord>,
    /// What the audit log tells, oldest first.
    pub audit_log: Vec<AuditRecord>,
    /// Settings found in the input itself.
    pub settings: FoundSettings,
    /// When the snapshot was taken: as the source says, or the newest time that it holds.
    pub taken_at: Option<Timestamp>,
    /// Whether it was read from a running cluster.
    pub is_live: bool,
    /// What was not read, or is lacking.
    pub gaps: Vec<Gap>,
    /// What was read: files or the cluster's address, in the order given.
    pub inputs: Vec<String>,
}

/// Objects that an older dump or a watch shows, and the newest listing does not: deleted in between. Each in the last
/// state that the input shows.
#[derive(Clone, Debug, Default)]
pub struct Departed {
    /// Pods.
    pub pods: Vec<Arc<Pod>>,
    /// Nodes.
    pub nodes: Vec<Arc<Node>>,
    /// NodeClaims.
    pub node_claims: Vec<Arc<NodeClaim>>,
}

impl Departed {
    /// Takes what is gone by another account.
    pub fn extend(&mut self, other: Self) {
        self.pods.extend(other.pods);
        self.nodes.extend(other.nodes);
        self.node_claims.extend(other.node_claims);
    }
}

/// Settings of the two components, as far as the input shows them.
#[derive(Clone, Debug, Default)]
pub struct FoundSettings {
    /// A KubeSchedulerConfiguration, as JSON.
    pub scheduler_configuration: Option<serde_json::Value>,
    /// Karpenter's environment: variable and value. From its Deployment or pods, or from a file.
    pub karpenter_environment: Option<BTreeMap<String, String>>,
    /// Karpenter's version, without a leading `v`.
    pub karpenter_version: Option<String>,
    /// Kubernetes' version, without a leading `v`.
    pub kubernetes_version: Option<String>,
    /// Instance types that a file lists, in the order of the file. Each provider model says how it uses them.
    pub instance_types: Option<Vec<Arc<InstanceType>>>,
    /// What files say of a cloud's machines and prices.
    pub catalogue: Catalogue,
    /// The cloud's region, where the user names it.
    pub region: Option<Str>,
    /// Offerings that could not be had, as the user says: type, zone and capacity type, `*` for any.
    pub unavailable: Vec<Str>,
}
