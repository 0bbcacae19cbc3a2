//! Instance types: what Karpenter believes a machine is, rebuilt without asking the cloud.
//!
//! No Kubernetes object holds the list that Karpenter decides with; its provider makes it in memory. Each provider has
//! a model here that makes the same list from what is known, best first: what the snapshot's NodeClaims and Nodes show,
//! files of the cloud's own command line, the table that is built in, rules by name.

pub mod aws;
pub mod azure;
pub mod built_in;
mod correct;
pub mod listing;
pub mod observed;
pub mod provided;
pub mod provider_kind;
pub mod registered;
mod requirement;
pub mod snapshot_only;
pub mod source;
pub mod unavailable;
mod zones;

pub use provided::{Options, Provided, provider_for};
pub use provider_kind::ProviderKind;
pub use registered::{Because, Difference, predicted_vs_registered};
pub use source::{SourceKind, UsedSource};
pub use unavailable::Unavailable;
