//! `BatchPod`: a pod of the batch, prepared; pods that demand the same share a class.

use std::sync::Arc;

use crate::model::labels::Labels;
use crate::model::names::{NamespaceName, PodKey, Str};
use crate::model::pod::Pod;
use crate::model::resources::Resources;

use super::amounts::Amounts;
use super::demands::Demands;
use super::preferences::Relaxation;
use super::refusal::HostPortUse;
use super::requirements::Demand;
use super::taints::TolerationsId;
use super::topology_rule::TopologyRule;

/// A rule's number: pods whose rules have one number share its counts.
pub(super) type RuleId = usize;

/// A pod of the batch.
#[derive(Debug)]
pub(super) struct BatchPod {
    pub(super) pod: Arc<Pod>,
    pub(super) key: PodKey,
    pub(super) class: usize,
    pub(super) requests: Resources,
    pub(super) amounts: Amounts,
    pub(super) ports: Vec<HostPortUse>,
    /// Where its volumes let it go; none: anywhere. An error where they could not be looked up.
    pub(super) alternatives: Result<Vec<Demand>, String>,
    /// The claims that it attaches, by driver. An error where they could not be looked up.
    pub(super) attachments: Result<Vec<(Str, Str)>, String>,
    /// Whether nodes that are under `consolidateAfter` are no place for it: it is only asked about, for consolidation.
    pub(super) avoids_young: bool,
    /// Why what it asks for by dynamic resource allocation keeps it from being placed.
    pub(super) device_refusal: Option<super::pod_error::PodError>,
}

/// What pods with equal labels and demands share.
#[derive(Debug)]
pub(super) struct PodClass {
    pub(super) namespace: NamespaceName,
    pub(super) labels: Labels,
    /// Its states of relaxation, as far as they were needed; the first is the pod as it is.
    pub(super) variants: Vec<Arc<Variant>>,
    /// Its own required anti-affinity, as the pods that it selects see it.
    pub(super) inverse: Vec<(RuleId, Arc<TopologyRule>)>,
}

/// A class with some demands given up.
#[derive(Debug)]
pub(super) struct Variant {
    pub(super) demands: Demands,
    /// Node selector and affinity with the heaviest preference.
    pub(super) full: Demand,
    /// The same without preferences.
    pub(super) strict: Demand,
    pub(super) tolerations: TolerationsId,
    /// Spreads and affinities over other pods.
    pub(super) rules: Vec<(RuleId, Arc<TopologyRule>)>,
    /// What was given up last.
    pub(super) given_up: Option<Relaxation>,
}
