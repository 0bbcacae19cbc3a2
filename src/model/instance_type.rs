//! `InstanceType`: a kind of machine that a provider sells, and where it sells it.

use super::names::InstanceTypeName;
use super::names::Str;
use super::nodepool::NodeRequirement;
use super::resources::Resources;

/// A kind of machine, as a provider hands it to Karpenter for one NodePool.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceType {
    /// Its name.
    pub name: InstanceTypeName,
    /// Its labels, as requirements: one key may allow several values (zones), or forbid a label.
    pub requirements: Vec<NodeRequirement>,
    /// Where and how it can be had.
    pub offerings: Vec<Offering>,
    /// What the machine has.
    pub capacity: Resources,
    /// What of it pods cannot use.
    pub overhead: Overhead,
    /// Volumes that may be attached, by driver.
    pub volume_attachment_limits: Vec<(Str, i64)>,
}

/// What of a machine pods cannot use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overhead {
    /// Kept for the kubelet and the runtime.
    pub kube_reserved: Resources,
    /// Kept for the system.
    pub system_reserved: Resources,
    /// Below this much free, pods are evicted.
    pub eviction_threshold: Resources,
}

/// One way to have an instance type: a zone, a capacity type, a price.
#[derive(Clone, Debug, PartialEq)]
pub struct Offering {
    /// Its labels, as requirements: at least zone and capacity type.
    pub requirements: Vec<NodeRequirement>,
    /// Price in US dollars an hour, or in what the provider counts.
    pub price: f64,
    /// Whether it can be had now.
    pub available: bool,
    /// How many a reservation still holds.
    pub reservation_capacity: i64,
    /// Capacity that differs from the type's.
    pub capacity_override: Resources,
    /// Overhead that differs from the type's.
    pub overhead_override: Option<Overhead>,
}
