//! Nodes.

use std::sync::Arc;

use serde::Deserialize;

use crate::model::names::Str;
use crate::model::node::{Node, NodeImage};

use super::intern::Interner;
use super::meta::{RawCondition, RawMeta, conditions};
use super::selectors::{RawTaint, taints};
use super::wire::{Amounts, List, Text};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawNode<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawNodeSpec<'a>,
    #[serde(borrow)]
    status: RawNodeStatus<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawNodeSpec<'a> {
    #[serde(borrow, rename = "providerID")]
    provider_id: Text<'a>,
    unschedulable: Option<bool>,
    #[serde(borrow)]
    taints: List<RawTaint<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawNodeStatus<'a> {
    #[serde(borrow)]
    capacity: Amounts<'a>,
    #[serde(borrow)]
    allocatable: Amounts<'a>,
    #[serde(borrow)]
    conditions: List<RawCondition<'a>>,
    #[serde(borrow)]
    images: List<RawImage<'a>>,
    #[serde(borrow)]
    declared_features: List<Text<'a>>,
    #[serde(borrow)]
    node_info: RawNodeInfo<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawImage<'a> {
    #[serde(borrow)]
    names: List<Text<'a>>,
    size_bytes: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawNodeInfo<'a> {
    #[serde(borrow)]
    kubelet_version: Text<'a>,
    #[serde(borrow)]
    os_image: Text<'a>,
}

impl RawNode<'_> {
    pub fn read(&self, interner: &mut Interner) -> Node {
        let (spec, status) = (&self.spec, &self.status);
        Node {
            meta: self.metadata.read(interner),
            provider_id: (!spec.provider_id.is_empty()).then(|| spec.provider_id.as_str().into()),
            unschedulable: spec.unschedulable.unwrap_or(false),
            taints: taints(&spec.taints, interner),
            capacity: interner.resources(&status.capacity),
            // Without an allocatable of its own, a node allocates its capacity. As `SetDefaults_NodeStatus`.
            allocatable: interner.resources(if status.allocatable.0.is_empty() {
                &status.capacity
            } else {
                &status.allocatable
            }),
            conditions: conditions(&status.conditions, interner),
            images: status
                .images
                .0
                .iter()
                .map(|image| NodeImage {
                    names: image
                        .names
                        .0
                        .iter()
                        .map(|name| interner.text(name.as_str()))
                        .collect::<Arc<[Str]>>(),
                    size: image.size_bytes.unwrap_or(0),
                })
                .collect(),
            declared_features: interner.texts(&status.declared_features.0),
            kubelet_version: interner.some(&status.node_info.kubelet_version),
            os_image: interner.some(&status.node_info.os_image),
        }
    }
}
