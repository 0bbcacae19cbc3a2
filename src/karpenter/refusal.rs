//! `Refusal`: why a candidate does not take a pod; the first stage that fails, as a value, and upstream's words for it.

use std::fmt;

use crate::model::names::{NodePoolName, PodKey, ResourceName, Str};
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;
use crate::model::taint::Taint;

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

/// What was ever met while instance types were filtered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeFlags {
    /// Some type fits the requirements.
    pub compatible: bool,
    /// Some type has room.
    pub fits: bool,
    /// Some type has a compatible offering.
    pub has_offering: bool,
    /// Some type fits the requirements and has room, but has no offering.
    pub compatible_and_fits: bool,
    /// Some type fits the requirements and has an offering, but no room.
    pub compatible_and_offered: bool,
    /// Some type has room and an offering, but does not fit the requirements.
    pub fits_and_offered: bool,
    /// Groups of types were passed over because a DaemonSet has the pod's host port there.
    pub host_port_conflict: bool,
}

/// Why no instance type remains.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeRefusal {
    /// What was ever met.
    pub flags: TypeFlags,
    /// Keys whose `minValues` do not hold, with the number that could be had.
    pub min_values: Vec<(Str, i64)>,
    /// What was asked of the types, in upstream's notation.
    pub requirements: String,
    /// The pod's requests with the least DaemonSet overhead.
    pub least: Resources,
    /// The pod's requests with the most DaemonSet overhead.
    pub most: Resources,
}

impl TypeRefusal {
    fn stage(&self) -> &'static str {
        let flags = self.flags;
        if !self.min_values.is_empty() {
            "min-values"
        } else if flags.host_port_conflict && !flags.compatible && !flags.has_offering {
            "host-port"
        } else if !flags.compatible {
            "requirements"
        } else if !flags.has_offering {
            "offering"
        } else if !flags.fits || flags.compatible_and_offered {
            "resources"
        } else {
            "requirements"
        }
    }

    /// What stands against every type, in upstream's words, without what was asked.
    pub fn headline(&self) -> &'static str {
        let TypeFlags { compatible, fits, has_offering, .. } = self.flags;
        match (compatible, fits, has_offering) {
            (false, false, false) => {
                "no instance type met the scheduling requirements or had enough resources or had a required offering"
            }
            (false, false, true) => {
                "no instance type met the scheduling requirements or had enough resources"
            }
            (false, true, false) => {
                "no instance type met the scheduling requirements or had a required offering"
            }
            (true, false, false) => {
                "no instance type had enough resources or had a required offering"
            }
            (false, true, true) => "no instance type met all requirements",
            (true, false, true) => "no instance type has enough resources",
            (true, true, false) => "no instance type has the required offering",
            (true, true, true) if self.flags.compatible_and_fits => {
                "no instance type which met the scheduling requirements and had enough resources, had a required offering"
            }
            (true, true, true) if self.flags.fits_and_offered => {
                "no instance type which had enough resources and the required offering met the scheduling requirements"
            }
            (true, true, true) if self.flags.compatible_and_offered => {
                "no instance type which met the scheduling requirements and the required offering had the required resources"
            }
            (true, true, true) => "no instance type met the requirements/resources/offering tuple",
        }
    }
}

impl fmt::Display for TypeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min_values.is_empty() {
            f.write_str(self.headline())?;
        } else {
            let keys: Vec<&str> = self.min_values.iter().map(|(key, _)| &**key).collect();
            let keys = keys.join(" ");
            write!(f, "minValues requirement is not met for label(s) (label(s)=[{keys}])")?;
        }
        let (least, most) = (json(&self.least), json(&self.most));
        write!(f, ", requirements={}, resources=", self.requirements)?;
        if least == most {
            f.write_str(&least)?;
        } else {
            write!(f, "min={least}, max={most}")?;
        }
        let asks_millions = self.least.amount("cpu") >= Quantity::units(1_000_000);
        if self.min_values.is_empty() && self.flags.compatible && !self.flags.fits && asks_millions
        {
            f.write_str(" (CPU request >= 1 Million, m vs M typo?)")?;
        }
        Ok(())
    }
}

fn json(resources: &Resources) -> String {
    serde_json::to_string(resources).unwrap_or_default()
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
