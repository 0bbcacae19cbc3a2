//! `PodError`: why a pod has no place when the pass ends, in upstream's words.

use std::fmt;

use crate::model::names::{NodePoolName, Str};

use super::refusal::Refusal;

/// Why a pod has no place.
#[derive(Clone, Debug, PartialEq)]
pub enum PodError {
    /// It was refused before the pass, for these reasons.
    Invalid(Vec<String>),
    /// Its volumes could not be looked up.
    Volumes(String),
    /// It asks for devices by dynamic resource allocation.
    Dra,
    /// A claim for devices that it refers to is not there.
    ResourceClaim(String),
    /// No pool has any instance type.
    NoInstanceTypes,
    /// No pool can be used at all.
    NoNodePools,
    /// What each pool's new NodeClaim failed by, in the order of the pools, after the last relaxation.
    NewNodeClaims(Vec<(NodePoolName, Refusal)>),
    /// The claim that it was placed on was dropped: too few instance types are left for `minValues`.
    MinValuesAfterTruncation {
        /// The claim's pool.
        node_pool: NodePoolName,
        /// The keys.
        keys: Vec<Str>,
    },
}

impl fmt::Display for PodError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reasons) => f.write_str(&reasons.join("; ")),
            Self::Volumes(text) | Self::ResourceClaim(text) => f.write_str(text),
            Self::Dra => f.write_str(
                "pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter",
            ),
            Self::NoInstanceTypes => {
                f.write_str("nodepool requirements filtered out all available instance types")
            }
            Self::NoNodePools => f.write_str("no dynamic nodepools found"),
            Self::NewNodeClaims(refusals) => {
                let each = refusals.iter().map(|(_, refusal)| refusal.to_string());
                f.write_str(&each.collect::<Vec<_>>().join("; "))
            }
            Self::MinValuesAfterTruncation { node_pool, keys } => write!(
                f,
                "pod didn’t schedule because NodePool couldn’t meet minValues requirements, validating minValues, minValues requirement is not met for label(s) (label(s)=[{}]) (NodePool={node_pool})",
                keys.join(" ")
            ),
        }
    }
}
