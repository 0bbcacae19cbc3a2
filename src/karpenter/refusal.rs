//! `Refusal`: why a candidate does not take a pod; the first stage that fails, as a value, and upstream's words for it.

use std::fmt;

use crate::model::names::{NodePoolName, PodKey, ResourceName, Str};
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;
use crate::model::taint::Taint;

use super::type_refusal::TypeRefusal;

/// Why a candidate does not take a pod.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// Taints that the pod does not tolerate.
    Taints(Vec<Taint>),
    /// More volumes than the node may attach.
    NodeVolumeLimit {
        /// The driver.
        driver: Str,
        /// Volumes with the pod's.
        count: i64,
        /// What may be attached.
        limit: i64,
    },
    /// More volumes than any remaining instance type may attach.
    TypeVolumeLimit,
    /// A host port is taken.
    HostPort {
        /// What the pod asks for.
        wanted: HostPortUse,
        /// What is in use.
        used: HostPortUse,
        /// By which pod.
        by: PodKey,
    },
    /// Not enough room on an existing node.
    Resources(Vec<Shortage>),
    /// Labels that do not fit the pod's node selector or affinity.
    Requirements(Vec<Mismatch>),
    /// Labels that do not fit the pod's volumes.
    VolumeTopology(Vec<Mismatch>),
    /// A spread or an affinity over other pods has no domain left.
    Topology(TopologyRefusal),
    /// The domain that a spread or affinity chose does not fit the candidate.
    TopologyRequirements {
        /// The kind and key of each rule that constrains the pod.
        rules: Vec<(TopologyKind, Str)>,
        /// What does not fit.
        mismatches: Vec<Mismatch>,
    },
    /// No instance type remains.
    InstanceTypes(TypeRefusal),
    /// Reserved capacity.
    Reserved(ReservedRefusal),
    /// Dynamic resource allocation.
    Dra(String),
    /// The pool's limit on nodes is used up.
    NodeLimit(NodePoolName),
    /// Every instance type exceeds what the pool's limits leave.
    TypeLimits {
        /// The pool.
        node_pool: NodePoolName,
        /// What is left of each limit.
        remaining: Resources,
    },
}

impl Refusal {
    /// The stage at which the candidate fell, as the specification's 6.6 names it.
    pub fn stage(&self) -> String {
        match self {
            Self::Taints(_) => "taint".into(),
            Self::NodeVolumeLimit { .. } | Self::TypeVolumeLimit => "volume-limit".into(),
            Self::HostPort { .. } => "host-port".into(),
            Self::Resources(_) => "resources".into(),
            Self::Requirements(_) => "requirements".into(),
            Self::VolumeTopology(_) => "volume-topology".into(),
            Self::Topology(topology) => {
                format!("topology:{}:{}", topology.kind.code(), topology.key)
            }
            Self::TopologyRequirements { rules, mismatches } => {
                let failing = rules
                    .iter()
                    .find(|(_, key)| mismatches.iter().any(|mismatch| mismatch.key() == &**key));
                failing.map_or_else(
                    || "topology".into(),
                    |(kind, key)| format!("topology:{}:{key}", kind.code()),
                )
            }
            Self::InstanceTypes(types) => types.stage().into(),
            Self::Reserved(_) => "reserved".into(),
            Self::Dra(_) => "dra".into(),
            Self::NodeLimit(_) | Self::TypeLimits { .. } => "limits".into(),
        }
    }
}

/// One host port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostPortUse {
    /// The address; `0.0.0.0` where none was given.
    pub ip: Str,
    /// The port.
    pub port: i32,
    /// The protocol.
    pub protocol: Str,
}

/// Of a resource, more is asked than there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The resource.
    pub resource: ResourceName,
    /// What the pod asks for.
    pub requested: Quantity,
    /// What is left; below zero, the node takes no pod at all.
    pub available: Quantity,
}

/// One key that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The candidate has no label of this key, and none can be made up.
    Undefined {
        /// The key.
        key: Str,
    },
    /// The key is there, without a common value.
    Disjoint {
        /// The key.
        key: Str,
        /// What is asked, in upstream's notation.
        wanted: String,
        /// What there is, in upstream's notation.
        there: String,
    },
}

impl Mismatch {
    /// The key.
    pub fn key(&self) -> &str {
        match self {
            Self::Undefined { key } | Self::Disjoint { key, .. } => key,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined { key } => write!(f, "label {key:?} does not have known values"),
            Self::Disjoint { key, wanted, there } => {
                write!(f, "key {key}, {wanted} not in {there}")
            }
        }
    }
}

/// A kind of rule over other pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TopologyKind {
    /// `topologySpreadConstraints`.
    Spread,
    /// `podAffinity`.
    Affinity,
    /// `podAntiAffinity`, the pod's own or that of another which selects the pod.
    AntiAffinity,
}

impl TopologyKind {
    /// A short code: `spread`, `affinity`, `anti-affinity`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Spread => "spread",
            Self::Affinity => "affinity",
            Self::AntiAffinity => "anti-affinity",
        }
    }
}

impl fmt::Display for TopologyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spread => "topology spread",
            Self::Affinity => "pod affinity",
            Self::AntiAffinity => "pod anti-affinity",
        })
    }
}

/// A rule over other pods for which no domain is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyRefusal {
    /// The kind of rule.
    pub kind: TopologyKind,
    /// Whether the rule is another pod's anti-affinity, which selects this pod.
    pub is_inverse: bool,
    /// The topology key.
    pub key: Str,
    /// Pods that count, by domain.
    pub counts: Vec<(Str, i32)>,
    /// What the pod allows, in upstream's notation.
    pub pod_domains: String,
    /// What the candidate allows, in upstream's notation.
    pub node_domains: String,
}

impl fmt::Display for TopologyRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 25;
        let Self { kind, key, pod_domains, node_domains, .. } = self;
        write!(f, "unsatisfiable topology constraint for {kind}, key={key} (counts = ")?;
        for (index, (domain, count)) in self.counts.iter().take(SHOWN).enumerate() {
            write!(f, "{}{domain}: {count}", if index == 0 { "" } else { ", " })?;
        }
        if self.counts.len() > SHOWN {
            write!(f, " and {} other(s)", self.counts.len() - SHOWN)?;
        }
        // The parenthesis stays open upstream.
        write!(f, ", podDomains = {pod_domains}, nodeDomains = {node_domains}")
    }
}

/// What stands in the way of reserved capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReservedRefusal {
    /// Reservations have capacity, but other claims of this pass hold it.
    Held,
    /// Every reservation is full, and nothing else can be had.
    Full,
    /// Every reservation is full; other pools may be tried.
    FullFallingThrough,
    /// The claim would lose the reservations that it holds.
    WouldLose,
}

impl fmt::Display for ReservedRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Held => {
                "one or more instance types with compatible reserved offerings are available, but could not be reserved"
            }
            Self::Full => {
                "all compatible reserved offerings are full and no on-demand or spot fallback is available"
            }
            Self::FullFallingThrough => {
                "the only compatible reserved offering is full; falling through to other NodePools"
            }
            Self::WouldLose => {
                "satisfying updated nodeclaim constraints would remove all compatible reserved offering options"
            }
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taints(taints) => {
                let each = taints.iter().map(|t| format!("did not tolerate taint (taint={t})"));
                f.write_str(&each.collect::<Vec<_>>().join("; "))
            }
            Self::NodeVolumeLimit { driver, count, limit } => write!(
                f,
                "checking volume usage, would exceed volume limit (provisioner={driver}, volume-count={count}, volume-limit={limit})"
            ),
            Self::TypeVolumeLimit => {
                f.write_str("would exceed volume limit for all instance type options")
            }
            Self::HostPort { wanted, by, .. } => {
                write!(f, "checking host port usage, port {} is used by {by}", wanted.port)
            }
            Self::Resources(_) => f.write_str("exceeds node resources"),
            Self::Requirements(mismatches) => {
                write!(f, "incompatible requirements, {}", joined(mismatches))
            }
            Self::VolumeTopology(mismatches) => {
                write!(f, "incompatible volume requirements, {}", joined(mismatches))
            }
            Self::Topology(topology) => topology.fmt(f),
            Self::TopologyRequirements { mismatches, .. } => f.write_str(&joined(mismatches)),
            Self::InstanceTypes(types) => types.fmt(f),
            Self::Reserved(reserved) => reserved.fmt(f),
            Self::Dra(text) => f.write_str(text),
            Self::NodeLimit(pool) => {
                write!(f, "node limits have been exhausted for nodepool (NodePool={pool})")
            }
            Self::TypeLimits { node_pool, .. } => write!(
                f,
                "all available instance types exceed limits for nodepool (NodePool={node_pool})"
            ),
        }
    }
}

fn joined(mismatches: &[Mismatch]) -> String {
    mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
