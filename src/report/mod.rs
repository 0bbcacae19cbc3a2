//! The JSON contract: what an answer says, as plain values. Renderers read nothing else.
//!
//! Within one `apiVersion` fields are only added, and enumerations may gain values. Arrays have a defined order, said at
//! each. Times are RFC 3339 in UTC. A quantity stands twice: as canonical text and as an integer of its base unit.
//! Objects are named as kubectl does: `pod/web-0`, `node/a`, `nodeclaim/general-x4k2p`.

mod audit;
mod cause;
mod check;
mod comparison;
mod context;
mod explain;
mod explanation;
mod instance_types;
mod node;
mod node_report;
mod placement;
mod removal;
mod schema;
mod simulation;
mod timeline;
mod wanted;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use audit::{Audit, AuditGroup, AuditKind, Launches, NodeInVain, OwnerCount};
pub use cause::{Advice, Cause, Confidence, Counterfactual, Evidence, EvidenceKind, Relaxation};
pub use check::{
    CheckReport, CheckReportKind, CheckSummary, Finding, IgnoredFinding, Severity, UnreadablePart,
};
pub use comparison::{ComparedPod, Comparison, ComparisonKind, ComparisonRow, Section};
pub use context::{Assumption, Gap, GapKind, Input, InputKind, Metadata, Replayed, Variants};
pub use explanation::{Class, Explanation, ExplanationList, Pod, Tally, Verdict};
pub use instance_types::{
    InstanceType, InstanceTypeList, LeftOut, LeftOutReason, PoolTypes, Source, Unavailable,
};
pub use node::{KarpenterView, Node, NodePool, Refusal, Role, Score};
pub use node_report::{NodeReport, NodeReportKind, PodOfNode, PodPart, RunningPod};
pub use placement::{Alternative, Amount, Basis, Batch, BatchNode, Placement, Room};
pub use removal::{Hold, PodMove, Removal, RemovalState};
pub use schema::{DocumentSchema, SCHEMAS};
pub use simulation::{
    Outlook, PredictedNode, SimulatedWorkload, Simulation, SimulationKind, WaitingPod,
};
pub use timeline::{Moment, TimelineEntry};
pub use wanted::{Nearest, Wanted, WantedEdit, WantedPatch, WantedResult};

/// The version of the contract.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum ApiVersion {
    /// The first one.
    #[default]
    #[serde(rename = "landed.dev/v1alpha1")]
    V1Alpha1,
}

/// A document: what one run prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Report {
    /// Several pods.
    ExplanationList(ExplanationList),
    /// One pod.
    Explanation(Box<Explanation>),
    /// Instance types.
    InstanceTypeList(Box<InstanceTypeList>),
    /// Every pod's verdict.
    Audit(Box<Audit>),
    /// One node.
    NodeReport(Box<NodeReport>),
    /// Two pods side by side.
    Comparison(Box<Comparison>),
}

impl From<Explanation> for Report {
    fn from(explanation: Explanation) -> Self {
        Self::Explanation(Box::new(explanation))
    }
}

impl From<ExplanationList> for Report {
    fn from(list: ExplanationList) -> Self {
        Self::ExplanationList(list)
    }
}

impl From<InstanceTypeList> for Report {
    fn from(list: InstanceTypeList) -> Self {
        Self::InstanceTypeList(Box::new(list))
    }
}

impl From<Audit> for Report {
    fn from(audit: Audit) -> Self {
        Self::Audit(Box::new(audit))
    }
}

impl From<Comparison> for Report {
    fn from(comparison: Comparison) -> Self {
        Self::Comparison(Box::new(comparison))
    }
}

impl From<NodeReport> for Report {
    fn from(report: NodeReport) -> Self {
        Self::NodeReport(Box::new(report))
    }
}

impl Report {
    /// The explanations in it, in the document's order.
    pub fn explanations(&self) -> &[Explanation] {
        match self {
            Self::ExplanationList(list) => &list.items,
            Self::Explanation(explanation) => std::slice::from_ref(explanation),
            Self::InstanceTypeList(_)
            | Self::Audit(_)
            | Self::NodeReport(_)
            | Self::Comparison(_) => &[],
        }
    }
}

/// A moment as JSON has it: text in the form of RFC 3339.
impl JsonSchema for crate::model::time::Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "date-time",
            "description": "A moment in UTC, in the form of RFC 3339.",
        })
    }
}
