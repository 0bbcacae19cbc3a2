//! `Template`: what a workload makes its pods from, with the place of its fields.

use std::sync::Arc;

use crate::model::labels::Labels;
use crate::model::names::NamespaceName;
use crate::model::pod::PodSpec;
use crate::model::selector::LabelSelector;

use super::manifest::Manifest;
use super::position::FieldPath;
use super::tree::Tree;

/// What a workload makes its pods from; a Pod is its own.
#[derive(Clone, Debug)]
pub struct Template {
    /// The object that holds it: its place among the manifests.
    pub manifest: Arc<Manifest>,
    /// The field that holds labels and spec: `spec.template`; the root for a Pod.
    pub path: FieldPath,
    /// The namespace of the pods.
    pub namespace: NamespaceName,
    /// The labels of the pods, with those that only the controller adds.
    pub labels: Labels,
    /// The `spec` of the pods, as the API server would store it.
    pub spec: Arc<PodSpec>,
    /// How many pods there will be; for a DaemonSet as many as nodes, so none by itself.
    pub replicas: i64,
    /// Whether it is a Pod that runs already.
    pub is_bound: bool,
    /// The workload's selector; a Pod has none.
    pub selector: Option<LabelSelector>,
}

impl Template {
    /// Where kinds of objects keep their template.
    pub fn path_in(kind: &str) -> Option<FieldPath> {
        match kind {
            "Pod" => Some(FieldPath::default()),
            "Deployment"
            | "ReplicaSet"
            | "StatefulSet"
            | "DaemonSet"
            | "Job"
            | "ReplicationController" => Some(FieldPath::of("spec.template")),
            "CronJob" => Some(FieldPath::of("spec.jobTemplate.spec.template")),
            _ => None,
        }
    }

    /// The path of a field of the pods' `spec`.
    pub fn spec_path(&self, dotted: &str) -> FieldPath {
        self.path.then("spec").then(dotted)
    }

    /// The value of a field of the pods' `spec`, as written.
    pub fn field(&self, dotted: &str) -> Option<&Tree> {
        self.manifest.tree.at(&self.spec_path(dotted))
    }

    /// Whether the pods come from a controller that replaces them by newer ones bit by bit.
    pub fn rolls_out(&self) -> bool {
        let recreates =
            self.manifest.field("spec.strategy.type").and_then(Tree::text) == Some("Recreate");
        self.manifest.kind == "Deployment" && !recreates
    }

    /// Whether its pods are yet to be placed: not those of a DaemonSet, which come with each node.
    pub fn is_to_place(&self) -> bool {
        !self.is_daemon() && !self.is_bound
    }

    /// Whether a DaemonSet makes the pods.
    pub fn is_daemon(&self) -> bool {
        self.manifest.kind == "DaemonSet"
    }
}
