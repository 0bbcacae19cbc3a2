//! `ClusterPods`: the nodes of the cluster and the pods bound to them, as topology counts them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::labels::Labels;
use crate::model::names::{NamespaceName, NodeName};
use crate::model::node::Node;
use crate::model::pod::Pod;

use super::requirements::{Demand, RequirementSets, SetId, Undefined};
use super::taints::{TaintTable, TaintsId};
use super::topology_rule::NodeFilter;
use super::vocabulary::{Key, Value};

/// A Node with its labels and taints as they are.
#[derive(Debug)]
pub(super) struct ApiNode {
    pub(super) labels: SetId,
    /// The hostname label.
    pub(super) host: Option<Value>,
    pub(super) name: Value,
    pub(super) taints: TaintsId,
}

/// Pods with equal labels: the node of each.
type LabelClass = (Labels, Vec<usize>);

/// Nodes, and where pods run.
#[derive(Debug, Default)]
pub(super) struct ClusterPods {
    pub(super) nodes: Vec<ApiNode>,
    pub(super) places: FxHashMap<NodeName, usize>,
    by_namespace: FxHashMap<NamespaceName, Vec<LabelClass>>,
    /// Bound pods that keep others away, with their nodes.
    pub(super) repelling: Vec<(Arc<Pod>, usize)>,
}

impl ClusterPods {
    pub(super) fn new<'p>(
        nodes: &[Arc<Node>],
        bound: impl Iterator<Item = (&'p Arc<Pod>, usize)>,
        in_batch: &rustc_hash::FxHashSet<*const Pod>,
        sets: &mut RequirementSets,
        taints: &mut TaintTable,
    ) -> Self {
        let mut cluster = Self::default();
        for node in nodes {
            let (labels, host) = sets.of_labels(&node.meta.labels);
            cluster.places.insert(node.name(), cluster.nodes.len());
            cluster.nodes.push(ApiNode {
                labels,
                host,
                name: sets.vocabulary.value(&node.meta.name),
                taints: taints.taints_id(&node.taints),
            });
        }
        // Pods of one owner share their labels, and most often the name of their namespace.
        let mut classes: FxHashMap<(usize, usize), (NamespaceName, usize)> = FxHashMap::default();
        for (pod, place) in bound {
            if pod.is_terminal() || in_batch.contains(&Arc::as_ptr(pod)) {
                continue;
            }
            let anti = pod.spec.affinity.pod_anti.as_ref();
            if anti.is_some_and(|anti| !anti.required.is_empty()) {
                cluster.repelling.push((Arc::clone(pod), place));
            }
            if pod.meta.is_terminating() {
                continue;
            }
            let key = (pod.meta.labels.address(), pod.meta.namespace.0.as_ptr().addr());
            let by_namespace = &mut cluster.by_namespace;
            let (namespace, class) = classes.entry(key).or_insert_with(|| {
                let classes = by_namespace.entry(pod.meta.namespace.clone()).or_default();
                classes.push((pod.meta.labels.clone(), Vec::new()));
                (pod.meta.namespace.clone(), classes.len() - 1)
            });
            if let Some(classes) = cluster.by_namespace.get_mut(namespace) {
                classes[*class].1.push(place);
            }
        }
        cluster
    }

    /// The nodes of the bound pods in a namespace that satisfy a condition over their labels, one entry a pod.
    pub(super) fn places_of(
        &self,
        namespace: &NamespaceName,
        selects: impl Fn(&Labels) -> bool,
    ) -> impl Iterator<Item = usize> {
        let classes = self.by_namespace.get(namespace).into_iter().flatten();
        classes
            .filter(move |(labels, _)| selects(labels))
            .flat_map(|(_, places)| places.iter().copied())
    }

    /// A node's value of a key; the hostname falls back to the node's name where `by_name`.
    pub(super) fn domain(
        &self,
        place: usize,
        key: Key,
        by_name: bool,
        sets: &RequirementSets,
    ) -> Option<Value> {
        let node = &self.nodes[place];
        if key == sets.vocabulary.hostname {
            return node.host.or_else(|| by_name.then_some(node.name));
        }
        sets.get(node.labels).get(key).and_then(super::requirement::Requirement::single)
    }

    /// Whether a spread looks at a node.
    pub(super) fn passes(
        &self,
        place: usize,
        filter: &NodeFilter,
        sets: &mut RequirementSets,
        taints: &mut TaintTable,
    ) -> bool {
        let node = &self.nodes[place];
        passes(filter, (node.labels, node.host), node.taints, Undefined::Nothing, sets, taints)
    }
}

/// Whether a spread looks at a node or claim with these labels and taints.
pub(super) fn passes(
    filter: &NodeFilter,
    labels: (SetId, Option<Value>),
    node_taints: TaintsId,
    undefined: Undefined,
    sets: &mut RequirementSets,
    taints: &mut TaintTable,
) -> bool {
    let (set, host) = labels;
    let mut holds = |term: &Demand| {
        sets.merge(set, term.set, undefined).is_some()
            && match (&term.host, host) {
                (None, _) => true,
                (Some(wanted), Some(host)) => wanted.has(host, &sets.vocabulary),
                (Some(wanted), None) => wanted.allows_absence(),
            }
    };
    let fits = filter.terms.is_empty() || filter.terms.iter().any(&mut holds);
    fits && filter.tolerations.is_none_or(|tolerations| taints.tolerates(tolerations, node_taints))
}
