//! `NodeReport`: for which pods a node was launched, where each of them went and why, and what becomes of the node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::audit::price_sources;
use super::{Advice, ApiVersion, Class, Gap, Metadata, Removal, Room, Source, TimelineEntry};
use crate::explain::node::{NodeAnswer, NodePod, Part};
use crate::instance_types::Provided;
use crate::model::labels;
use crate::model::pod::Pod;
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::time::Timestamp;
use crate::reconstruct::World;
use crate::reconstruct::timeline::Timeline;

/// What is to say of one node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeReport {
    /// The version of the contract.
    pub api_version: ApiVersion,
    /// Always `NodeReport`.
    pub kind: NodeReportKind,
    /// What answered, and from what.
    #[serde(default)]
    pub metadata: Metadata,
    /// The answer in one or two sentences.
    pub summary: String,
    /// The Node's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The NodeClaim's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_claim: Option<String>,
    /// The NodePool's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_pool: Option<String>,
    /// The instance type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// The zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// `on-demand`, `spot` or `reserved`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<String>,
    /// What it costs an hour: an estimate, not a bill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_per_hour_estimate: Option<f64>,
    /// Where the price comes from, with region and day where there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub price_sources: Vec<Source>,
    /// Whether the input holds the Node or the NodeClaim; otherwise only events and logs remember it.
    pub is_there: bool,
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// Until when it was there; none while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// Pods that Karpenter meant for it and pods that ran on it, DaemonSets' apart: those it was launched for first.
    pub pods: Vec<PodOfNode>,
    /// What runs on it now, DaemonSets' pods too.
    pub running: Vec<RunningPod>,
    /// What pods may use of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocatable: Option<Room>,
    /// What is left of that now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<Room>,
    /// Whether and when Karpenter removes it, or what holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removal: Option<Removal>,
    /// What happened to it, in order of time.
    pub timeline: Vec<TimelineEntry>,
    /// What had to be assumed, could not be read, or is not in the input.
    pub gaps: Vec<Gap>,
}

/// The kind of a [`NodeReport`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NodeReportKind {
    /// One node's answer.
    #[default]
    NodeReport,
}

/// A pod that was meant for a node, or ran on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodOfNode {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// What controls it, such as `replicaset/web-5d9c`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// How it has to do with the node.
    pub part: PodPart,
    /// Whether an event says that Karpenter meant it for the node; otherwise a replay does, or nothing.
    pub recorded: bool,
    /// Whether it was bound to the node.
    pub here: bool,
    /// The node that it was bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// When it was bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Timestamp>,
    /// The verdict on it, as `explain` gives it.
    pub class: Class,
    /// The code of the strongest cause; only where it was looked into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// That cause in one or two sentences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What to do, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Advice>,
    /// The answer for the pod in one sentence.
    pub summary: String,
}

/// How a pod has to do with a node. Further values may be added.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum PodPart {
    /// The node was launched for it.
    LaunchedFor,
    /// A later pass of Karpenter meant it for the node.
    PlannedLater,
    /// It ran there; Karpenter had meant it for another node.
    MeantElsewhere,
    /// It ran there; Karpenter had not planned for it, or the input does not tell.
    #[default]
    Unplanned,
}

/// A pod that runs on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunningPod {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// What controls it, such as `replicaset/web-5d9c`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Whether a DaemonSet made it.
    pub daemon: bool,
    /// What it asks for.
    pub requests: Room,
}

impl NodeReport {
    /// The report of an answer.
    pub fn of(world: &World<'_>, answer: &NodeAnswer<'_>, provided: &Provided) -> Self {
        let (claim, node) = (answer.subject.claim, answer.subject.node);
        let label = |key: &str| {
            let object = node.and_then(|node| node.object.as_ref());
            object.and_then(|node| node.meta.labels.value(key)).map(ToOwned::to_owned)
        };
        let created = claim.and_then(|claim| claim.created).or(node.and_then(|node| node.created));
        Self {
            metadata: super::explain::metadata(world),
            summary: answer.summary.clone(),
            node: answer.subject.node_name().map(ToString::to_string),
            node_claim: claim.map(|claim| claim.name.to_string()),
            node_pool: label(labels::NODEPOOL).or_else(|| {
                claim.and_then(|claim| claim.node_pool.as_ref()).map(ToString::to_string)
            }),
            instance_type: label(labels::INSTANCE_TYPE).or_else(|| {
                claim.and_then(|claim| claim.instance_type.as_ref()).map(ToString::to_string)
            }),
            zone: label(labels::ZONE)
                .or_else(|| claim.and_then(|claim| claim.zone.as_ref()).map(ToString::to_string)),
            capacity_type: label(labels::CAPACITY_TYPE).or_else(|| {
                claim.and_then(|claim| claim.capacity_type.as_ref()).map(ToString::to_string)
            }),
            price_per_hour_estimate: answer.price,
            price_sources: answer.price.map(|_| price_sources(provided)).unwrap_or_default(),
            is_there: answer.subject.is_there(),
            created: created.map(|moment| moment.at),
            ended: answer.ended,
            pods: answer.pods.iter().map(PodOfNode::from).collect(),
            running: answer.running.iter().map(|pod| RunningPod::from(&**pod)).collect(),
            allocatable: answer.room.as_ref().map(|room| Room::from(&room.allocatable)),
            free: answer.room.as_ref().map(|room| Room::from(&room.free)),
            removal: Removal::of(answer),
            timeline: super::explain::timeline::entries(Timeline::of_place(world, claim, node)),
            gaps: world.snapshot.gaps.iter().map(Gap::from).collect(),
            ..Self::default()
        }
    }
}

impl From<&NodePod<'_>> for PodOfNode {
    fn from(pod: &NodePod<'_>) -> Self {
        let story = pod.pod;
        let cause = pod.cause.as_ref().map(super::Cause::from);
        Self {
            namespace: story.key.namespace.to_string(),
            name: story.key.name.to_string(),
            owner: story.owner.as_ref().map(ToString::to_string),
            part: match pod.part {
                Part::LaunchedFor => PodPart::LaunchedFor,
                Part::PlannedLater => PodPart::PlannedLater,
                Part::MeantElsewhere => PodPart::MeantElsewhere,
                Part::Unplanned => PodPart::Unplanned,
            },
            recorded: pod.is_recorded,
            here: pod.is_here,
            node: story.node.as_ref().map(ToString::to_string),
            bound: story.bound.map(|moment| moment.at),
            class: pod.class.into(),
            cause: cause.as_ref().map(|cause| cause.code.clone()),
            why: cause.as_ref().map(|cause| cause.summary.clone()),
            advice: cause.map(|cause| cause.advice).unwrap_or_default(),
            summary: pod.summary.clone(),
        }
    }
}

impl From<&Pod> for RunningPod {
    fn from(pod: &Pod) -> Self {
        let owner = pod.meta.controller().or_else(|| pod.meta.owners.first());
        Self {
            namespace: pod.meta.namespace.to_string(),
            name: pod.meta.name.to_string(),
            owner: owner.map(|owner| format!("{}/{}", owner.kind.to_lowercase(), owner.name)),
            daemon: pod.is_daemon(),
            requests: Room::from(&spec_requests(&pod.spec, RequestRules::default())),
        }
    }
}
