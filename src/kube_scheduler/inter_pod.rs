//! What both halves of `InterPodAffinity` share: the terms of pods, and which pods they speak of.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::affinity::PodAffinityTerm;
use crate::model::labels::Labels;
use crate::model::names::NamespaceName;
use crate::model::selector::LabelSelector;

use super::framework::Cycle;
use super::pod_groups::{GroupId, PodGroup};
use super::selectors::selects;
use super::topology::Topology;

/// A term of the pod itself, ready to be held against existing pods.
pub(crate) struct OwnTerm<'a> {
    /// What counts as near.
    pub(crate) topology: Arc<Topology>,
    selector: Option<&'a LabelSelector>,
    namespaces: BTreeSet<NamespaceName>,
    all_namespaces: bool,
}

impl<'a> OwnTerm<'a> {
    /// Reads a term of the pod.
    pub(crate) fn new(cycle: &Cycle<'_>, term: &'a PodAffinityTerm) -> Self {
        let mut namespaces: BTreeSet<NamespaceName> = term.namespaces.iter().cloned().collect();
        let mut all_namespaces = false;
        match &term.namespace_selector {
            None if namespaces.is_empty() => {
                namespaces.insert(cycle.pod().meta.namespace.clone());
            }
            None => {}
            Some(selector) if selector.is_empty() => all_namespaces = true,
            Some(selector) => {
                namespaces.extend(cycle.cluster.objects.namespaces_of(selector).cloned());
                // From 1.34 to 1.36 the selector stays in force, and is held against no labels at all.
                all_namespaces = (34..=36).contains(&cycle.version().minor())
                    && selects(Some(selector), &Labels::default());
            }
        }
        Self {
            topology: cycle.cluster.topology(&term.topology_key),
            selector: term.label_selector.as_ref(),
            namespaces,
            all_namespaces,
        }
    }

    /// Whether the term speaks of pods with these labels in this namespace.
    pub(crate) fn matches(&self, namespace: &NamespaceName, labels: &Labels) -> bool {
        self.covers(namespace) && selects(self.selector, labels)
    }

    /// Whether the term speaks of pods of a namespace.
    pub(crate) fn covers(&self, namespace: &NamespaceName) -> bool {
        self.all_namespaces || self.namespaces.contains(namespace)
    }
}

/// The groups of pods that a term speaks of.
pub(crate) fn groups_of<'a>(
    cycle: &'a Cycle<'_>,
    term: &'a OwnTerm<'_>,
) -> impl Iterator<Item = (GroupId, &'a PodGroup)> {
    let groups = &cycle.cluster.groups;
    let namespaces = groups.namespaces().filter(|namespace| term.covers(namespace));
    namespaces
        .flat_map(|namespace| groups.of_namespace(namespace))
        .filter(|(_, group)| selects(term.selector, &group.labels))
}

/// The pod as the terms of existing pods see it.
pub(crate) struct Seen<'a> {
    namespace: &'a NamespaceName,
    namespace_labels: Labels,
    labels: &'a Labels,
}

impl<'a> Seen<'a> {
    /// The pod of a cycle.
    pub(crate) fn new(cycle: &'a Cycle<'_>) -> Self {
        let meta = &cycle.pod().meta;
        Self {
            namespace: &meta.namespace,
            namespace_labels: cycle.cluster.objects.namespace_labels(&meta.namespace),
            labels: &meta.labels,
        }
    }

    /// Whether a term of a pod of some namespace speaks of the pod.
    pub(crate) fn is_meant(&self, term: &PodAffinityTerm, owner: &NamespaceName) -> bool {
        let of_owner = term.namespaces.is_empty() && term.namespace_selector.is_none();
        let covered = term.namespaces.contains(self.namespace)
            || of_owner && owner == self.namespace
            || selects(term.namespace_selector.as_ref(), &self.namespace_labels);
        covered && selects(term.label_selector.as_ref(), self.labels)
    }
}
