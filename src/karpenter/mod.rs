//! Karpenter's provisioning pass, replayed: which existing nodes and which new NodeClaims a batch of pods gets.
//!
//! [`provision`] answers for a [`ClusterState`](crate::model::cluster_state::ClusterState) and a [`Batch`]; what a
//! cloud provider adds comes through [`CloudProvider`], what the operator set through [`Settings`]. Where upstream's
//! answer depends on the order of a map or on a random pick, the [`Plan`] holds every outcome.

mod batch;
mod cloud_provider;
mod plan;
mod preferences;
mod provision;
mod refusal;
mod settings;
mod version;

pub use batch::{Batch, BatchPods, Limits, Tracing};
pub use cloud_provider::{CloudProvider, Launch};
pub use plan::{
    Attempt, Candidate, CandidateVerdict, ExistingNodePlacement, LeftOut, Narrowing, NarrowingStep,
    NewNodeClaim, Outcome, Plan,
};
pub use preferences::Relaxation;
pub use provision::{Refused, provision};
pub use refusal::{
    HostPortUse, Mismatch, PodError, Refusal, ReservedRefusal, Shortage, TopologyKind,
    TopologyRefusal, TypeFlags, TypeRefusal,
};
pub use settings::{FeatureGates, MinValuesPolicy, PreferencePolicy, Settings};
pub use version::Version;
