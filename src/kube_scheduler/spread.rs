//! What both halves of `PodTopologySpread` share: the constraints of a pod, and which pods and nodes they count.

use std::sync::Arc;

use crate::model::labels::{HOSTNAME, Labels, ZONE};
use crate::model::names::{ObjectKey, Str};
use crate::model::selector::{Expression, LabelSelector, Operator, matches_all};
use crate::model::spread::{NodeInclusionPolicy, TopologySpreadConstraint, WhenUnsatisfiable};
use crate::model::workload::WorkloadKind;

use super::framework::Cycle;
use super::node_info::NodeInfo;
use super::plugins::taint_toleration::untolerated;
use super::pod_info::PodInfo;
use super::selectors::{RequiredNodeAffinity, selects};
use super::topology::Topology;

/// One constraint, ready to count.
pub(crate) struct Constraint {
    /// The label that makes the domains.
    pub(crate) topology: Arc<Topology>,
    /// `maxSkew`.
    pub(crate) max_skew: i64,
    /// `minDomains`; 1 when unset.
    pub(crate) min_domains: i64,
    honors_affinity: bool,
    honors_taints: bool,
    /// Which pods count; `None` counts none.
    selector: Option<LabelSelector>,
    /// Of each group of pods, whether its pods count; only groups of the pod's namespace can.
    counts_group: Vec<bool>,
}

/// The pod's constraints of one kind. The flag says whether they are its own or listed by the profile, so that a node
/// without one of the labels is out.
pub(crate) fn constraints(cycle: &Cycle<'_>, kind: WhenUnsatisfiable) -> (Vec<Constraint>, bool) {
    let own = &cycle.spec().topology_spread_constraints;
    let of_kind = |it: &&TopologySpreadConstraint| it.when_unsatisfiable == kind;
    if !own.is_empty() {
        let constraints = own.iter().filter(of_kind).map(|it| {
            let selector = it.label_selector.clone().map(|selector| {
                with_label_keys(selector, &it.match_label_keys, &cycle.pod().meta.labels)
            });
            Constraint::new(cycle, it, selector)
        });
        return (constraints.collect(), true);
    }
    let listed = cycle.arguments.default_constraints.as_deref();
    let system = system_defaults();
    let mut defaults = listed.unwrap_or(&system).iter().filter(of_kind).peekable();
    if defaults.peek().is_none() {
        return (Vec::new(), listed.is_some());
    }
    let selector = derived_selector(cycle);
    if selector.is_empty() {
        return (Vec::new(), listed.is_some());
    }
    let constraints = defaults.map(|it| Constraint::new(cycle, it, Some(selector.clone())));
    (constraints.collect(), listed.is_some())
}

/// What pods without constraints get when the profile lists none. As upstream's `systemDefaultConstraints`.
fn system_defaults() -> [TopologySpreadConstraint; 2] {
    let soft = |key: &str, max_skew| TopologySpreadConstraint {
        max_skew,
        topology_key: key.into(),
        when_unsatisfiable: WhenUnsatisfiable::ScheduleAnyway,
        label_selector: None,
        min_domains: None,
        node_affinity_policy: None,
        node_taints_policy: None,
        match_label_keys: Vec::new(),
    };
    [soft(HOSTNAME, 3), soft(ZONE, 5)]
}

/// A selector narrowed to the pod's own values of some labels.
fn with_label_keys(mut selector: LabelSelector, keys: &[Str], labels: &Labels) -> LabelSelector {
    for key in keys {
        if let Some(value) = labels.get(key) {
            selector.match_expressions.push(Expression {
                key: key.clone(),
                operator: Operator::In,
                values: vec![value.clone()],
            });
        }
    }
    selector
}

/// The pods that belong with this one: by its Services and its controller. As upstream's `DefaultSelector`.
fn derived_selector(cycle: &Cycle<'_>) -> LabelSelector {
    let (meta, objects) = (&cycle.pod().meta, &cycle.cluster.objects);
    let mut selector = LabelSelector::default();
    for service in objects.services.get(&meta.namespace).into_iter().flatten() {
        let of_service = service.selector.as_ref().filter(|it| !it.is_empty());
        if let Some(of_service) = of_service.filter(|it| matches_all(it, &meta.labels)) {
            selector.match_labels = selector.match_labels.with(of_service.iter().cloned());
        }
    }
    let Some(controller) = meta.controller() else { return selector };
    let kind = match (&*controller.api_version, &*controller.kind) {
        ("v1", "ReplicationController") => WorkloadKind::ReplicationController,
        ("apps/v1", "ReplicaSet") => WorkloadKind::ReplicaSet,
        ("apps/v1", "StatefulSet") => WorkloadKind::StatefulSet,
        _ => return selector,
    };
    let key = ObjectKey::new(meta.namespace.clone(), controller.name.clone());
    let owner = objects.owners.get(&(kind, key));
    let Some(of_owner) = owner.and_then(|owner| owner.selector.as_ref()) else { return selector };
    if kind == WorkloadKind::ReplicationController {
        selector.match_labels = selector.match_labels.with(of_owner.match_labels.iter().cloned());
        return selector;
    }
    // Both must hold, also where they ask for different values of one label.
    let in_labels = of_owner.match_labels.iter().map(|(key, value)| Expression {
        key: key.clone(),
        operator: Operator::In,
        values: vec![value.clone()],
    });
    selector.match_expressions.extend(in_labels);
    selector.match_expressions.extend(of_owner.match_expressions.iter().cloned());
    selector
}

impl Constraint {
    fn new(
        cycle: &Cycle<'_>,
        constraint: &TopologySpreadConstraint,
        selector: Option<LabelSelector>,
    ) -> Self {
        let mut counts_group = vec![false; cycle.cluster.groups.len()];
        for (id, group) in cycle.cluster.groups.of_namespace(&cycle.pod().meta.namespace) {
            counts_group[id.0] = selects(selector.as_ref(), &group.labels);
        }
        let honors = |policy: Option<NodeInclusionPolicy>, default| {
            policy.unwrap_or(default) == NodeInclusionPolicy::Honor
        };
        Self {
            topology: cycle.cluster.topology(&constraint.topology_key),
            max_skew: i64::from(constraint.max_skew),
            min_domains: i64::from(constraint.min_domains.unwrap_or(1)),
            honors_affinity: honors(constraint.node_affinity_policy, NodeInclusionPolicy::Honor),
            honors_taints: honors(constraint.node_taints_policy, NodeInclusionPolicy::Ignore),
            selector,
            counts_group,
        }
    }

    /// Whether the pod itself counts.
    pub(crate) fn counts_pod(&self, labels: &Labels) -> bool {
        selects(self.selector.as_ref(), labels)
    }

    /// Whether a pod counts that is thought on a node or away. As upstream's hooks, that look neither at deletion nor
    /// at whether the selector is empty.
    pub(crate) fn counts_change(&self, pod: &PodInfo) -> bool {
        self.counts_group.get(pod.group.0).copied().unwrap_or(false)
    }

    /// The number of pods that count on each of the nodes that have any.
    pub(crate) fn counts<'a>(&'a self, cycle: &'a Cycle<'_>) -> Vec<(usize, i64)> {
        // As upstream's countPodsMatchSelector: the empty selector counts nothing here.
        if self.selector.as_ref().is_none_or(LabelSelector::is_empty) {
            return Vec::new();
        }
        let groups = cycle.cluster.groups.of_namespace(&cycle.pod().meta.namespace);
        groups
            .filter(|(id, group)| self.counts_group[id.0] && !group.terminating)
            .flat_map(|(_, group)| group.placements.iter())
            .collect()
    }
}

/// Which nodes the constraints' policies take in.
pub(crate) struct Inclusion {
    affinity: Vec<bool>,
    taints: Vec<bool>,
}

impl Inclusion {
    /// Asks what the policies of the constraints ask.
    pub(crate) fn new(cycle: &Cycle<'_>, constraints: &[Constraint]) -> Self {
        let nodes = &cycle.cluster.nodes;
        let asked = |asked: bool, includes: &dyn Fn(&NodeInfo) -> bool| {
            if asked { nodes.iter().map(includes).collect() } else { Vec::new() }
        };
        let required = RequiredNodeAffinity::of(cycle.spec());
        let affinity = constraints.iter().any(|it| it.honors_affinity) && !required.is_empty();
        let taints = constraints.iter().any(|it| it.honors_taints);
        Self {
            affinity: asked(affinity, &|node| required.matches(&node.node)),
            taints: asked(taints, &|node| untolerated(cycle.pod(), &node.node).is_none()),
        }
    }

    /// Whether a node counts for a constraint.
    pub(crate) fn includes(&self, constraint: &Constraint, node: usize) -> bool {
        let holds =
            |honors: bool, list: &[bool]| !honors || list.get(node).copied().unwrap_or(true);
        holds(constraint.honors_affinity, &self.affinity)
            && holds(constraint.honors_taints, &self.taints)
    }
}
