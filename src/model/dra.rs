//! Dynamic resource allocation: claims for devices, and who offers devices.

use super::meta::Meta;
use super::names::{NodeName, Str, Uid};
use super::selector::NodeSelectorTerm;

/// A ResourceClaim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceClaim {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.devices`, as JSON: the allocator reads it.
    pub devices: serde_json::Value,
    /// `status.allocation`; absent while not allocated.
    pub allocation: Option<Allocation>,
    /// `status.reservedFor`: resource, name, UID.
    pub reserved_for: Vec<(Str, Str, Uid)>,
}

/// What a claim was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Allocation {
    /// `nodeSelector.nodeSelectorTerms`; none fits every node.
    pub node_selector: Option<Vec<NodeSelectorTerm>>,
    /// `devices.results`: request, driver, pool, device.
    pub results: Vec<(Str, Str, Str, Str)>,
}

/// A ResourceClaimTemplate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceClaimTemplate {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.spec.devices`, as JSON.
    pub devices: serde_json::Value,
}

/// A ResourceSlice: devices of a driver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceSlice {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.driver`.
    pub driver: Option<Str>,
    /// `spec.nodeName`.
    pub node_name: Option<NodeName>,
    /// `spec.allNodes`.
    pub all_nodes: bool,
    /// `spec.nodeSelector.nodeSelectorTerms`.
    pub node_selector: Option<Vec<NodeSelectorTerm>>,
    /// The whole `spec`, as JSON: the allocator reads pool and devices.
    pub spec: serde_json::Value,
}

/// A DeviceClass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceClass {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.extendedResourceName`.
    pub extended_resource_name: Option<Str>,
    /// The whole `spec`, as JSON: the allocator reads selectors and configuration.
    pub spec: serde_json::Value,
}
