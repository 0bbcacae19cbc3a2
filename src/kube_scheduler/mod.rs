//! kube-scheduler: where it would put a pod, and what every plugin says of every node.
//!
//! A `Scheduler` holds what does not depend on the pod, so that many pods can be asked about one state. Every filter is
//! asked on every node, also where an earlier one refused; scores are given for every feasible node.

mod allocator;
mod amounts;
mod arguments;
mod attempt;
mod cel;
mod cel_syntax;
mod cluster;
pub mod configuration;
mod csi;
pub mod decision;
mod devices;
mod dra_claims;
mod fit_error;
mod framework;
mod inter_pod;
mod lineup;
mod node_info;
mod objects;
#[cfg(test)]
mod plugin_tests;
mod plugins;
mod pod_claims;
mod pod_groups;
mod pod_info;
mod post_filter;
mod pv_matching;
pub mod rejection;
mod requests;
mod sampling;
mod schedule_one;
mod scheduler;
mod selectors;
mod spread;
mod topology;
pub mod version;

pub use configuration::{Configuration, ConfigurationError, Profile};
pub use decision::{
    Candidate, Chance, Code, Decision, Ending, NodeVerdict, Odds, PluginScore, PreFilterOutcome,
    PreFilterVerdict, Preemption, Refusal,
};
pub use rejection::{HostPort, Rejection};
pub use scheduler::Scheduler;
pub use version::{Version, VersionError};
