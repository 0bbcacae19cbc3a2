//! Instance types: what Karpenter believes a machine is, rebuilt without asking the cloud.
//!
//! No Kubernetes object holds the list that Karpenter decides with; its provider makes it in memory. Each provider has
//! a model here that makes the same list from what is known, best first: what the snapshot's NodeClaims and Nodes show,
//! files of the cloud's own command line, the table that is built in, rules by name.

pub mod aws;
pub mod built_in;
pub mod provider_kind;
pub mod source;
pub mod unavailable;
