//! `Node`: a machine that runs pods.

use std::sync::Arc;

use super::meta::{Condition, Meta};
use super::names::{NodeName, Str};
use super::resources::Resources;
use super::taint::Taint;

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.providerID`; empty when unset.
    pub provider_id: Option<Str>,
    /// `spec.unschedulable`.
    pub unschedulable: bool,
    /// `spec.taints`.
    pub taints: Vec<Taint>,
    /// `status.capacity`.
    pub capacity: Resources,
    /// `status.allocatable`.
    pub allocatable: Resources,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
    /// `status.images`.
    pub images: Vec<NodeImage>,
    /// `status.declaredFeatures`.
    pub declared_features: Vec<Str>,
    /// `status.nodeInfo.kubeletVersion`.
    pub kubelet_version: Option<Str>,
    /// `status.nodeInfo.osImage`.
    pub os_image: Option<Str>,
}

impl Node {
    /// `metadata.name`.
    pub fn name(&self) -> NodeName {
        NodeName(self.meta.name.clone())
    }
}

/// One image that a node holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeImage {
    /// `names`.
    pub names: Arc<[Str]>,
    /// `sizeBytes`.
    pub size: i64,
}
