//! Karpenter's provisioning pass, replayed: which existing nodes and which new NodeClaims a batch of pods gets.
//!
//! [`provision`] answers for a [`ClusterState`](crate::model::cluster_state::ClusterState) and a [`Batch`]; what a
//! cloud provider adds comes through [`CloudProvider`], what the operator set through [`Settings`]. Where upstream's
//! answer depends on the order of a map or on a random pick, the [`Plan`] holds every outcome.

mod amounts;
mod batch;
mod batch_pod;
mod batch_pods;
mod bits;
mod bound_pods;
mod candidates;
mod capacity_buffer;
mod cloud_provider;
mod cluster_pods;
mod counterfactual;
mod creators;
mod daemon_overhead;
mod default_spread;
mod demands;
pub mod disruption;
mod duration;
mod existing_node;
mod finalize;
mod finished;
mod go_sort;
mod host_ports;
mod in_flight_node_claim;
mod instance_types;
pub mod launched;
mod new_claims;
mod node_overlay;
mod nodeclaim_template;
mod plan;
mod pod_error;
mod preferences;
pub mod providers;
mod provision;
mod queue;
mod refusal;
mod requirement;
mod requirements;
mod rescheduling;
mod reservation_manager;
mod roomy;
mod scheduler;
mod settings;
mod state;
mod state_node;
mod taints;
mod topology;
mod topology_group;
mod topology_rule;
mod trace;
mod type_refusal;
mod universe;
mod validation;
mod variants;
mod version;
mod vocabulary;
mod volume_topology;
mod volumes;
mod world;

pub use batch::{Batch, BatchPods, Limits, Tracing};
pub use cloud_provider::{CloudProvider, Launch};
pub use counterfactual::{Change, Rule, what_if};
pub use plan::{
    Attempt, Candidate, CandidateVerdict, ExistingNodePlacement, LeftOut, Narrowing, NarrowingStep,
    NewNodeClaim, Outcome, Plan,
};
pub use pod_error::PodError;
pub use preferences::Relaxation;
pub use provision::{Refused, provision};
pub use refusal::{
    HostPortUse, Mismatch, Refusal, ReservedRefusal, Shortage, TopologyKind, TopologyRefusal,
};
pub use settings::{FeatureGates, MinValuesPolicy, PreferencePolicy, Settings};
pub use type_refusal::{TypeFlags, TypeRefusal};
pub use version::{Version, VersionError};
pub(crate) use vocabulary::WELL_KNOWN;
