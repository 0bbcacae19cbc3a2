//! `TopologyRule`: one spread, affinity or anti-affinity, and the identity by which pods share its counts.

use crate::model::affinity::PodAffinityTerm;
use crate::model::cluster_state::ClusterState;
use crate::model::labels::Labels;
use crate::model::meta::Meta;
use crate::model::names::{NamespaceName, Str};
use crate::model::selector::{Expression, LabelSelector, Operator};
use crate::model::spread::{NodeInclusionPolicy, TopologySpreadConstraint, WhenUnsatisfiable};
use crate::model::taint::Toleration;

use super::demands::Demands;
use super::refusal::TopologyKind;
use super::requirements::{Demand, RequirementSets, Requirements};
use super::settings::{PreferencePolicy, Settings};
use super::taints::{TaintTable, TolerationsId};
use super::vocabulary::{Key, Vocabulary};

/// One rule over other pods.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TopologyRule {
    pub(super) kind: TopologyKind,
    /// Whether it is another pod's anti-affinity, seen from the pods that it selects.
    pub(super) is_inverse: bool,
    pub(super) key: Key,
    /// In order.
    pub(super) namespaces: Vec<NamespaceName>,
    pub(super) selector: Option<LabelSelector>,
    pub(super) max_skew: i32,
    pub(super) min_domains: Option<i32>,
    pub(super) filter: NodeFilter,
    /// The creator's tolerations, where they decide which domains of the universe are known.
    pub(super) seed: Option<TolerationsId>,
}

/// Which nodes a spread looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct NodeFilter {
    /// Node selector and affinity: one of them must hold; none lets every node through.
    pub(super) terms: Vec<Demand>,
    /// The tolerations that must let the pod on.
    pub(super) tolerations: Option<TolerationsId>,
}

/// What decides whether two pods share a rule's counts. As `TopologyGroup.Hash`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RuleIdentity {
    kind: TopologyKind,
    is_inverse: bool,
    key: Key,
    namespaces: Vec<NamespaceName>,
    max_skew: i32,
    selector: Option<(Labels, Vec<Expression>)>,
    policies: Option<(bool, bool)>,
    tolerations: Vec<Toleration>,
    terms: Vec<Vec<Key>>,
}

impl TopologyRule {
    /// The rule's identity. Not in it: `minDomains`, and what the filter's terms ask of their keys.
    pub(super) fn identity(
        &self,
        taints: &TaintTable,
        sets: &RequirementSets,
        policies: Option<(bool, bool)>,
        creator: Option<TolerationsId>,
        version: super::version::Version,
    ) -> RuleIdentity {
        let tolerations = creator.map(|id| {
            let plain = taints.tolerations(id).iter().map(|toleration| Toleration {
                seconds: toleration.seconds.filter(|seconds| *seconds != 0),
                ..toleration.clone()
            });
            odd_ones(plain.collect())
        });
        let keys = |term: &Demand| {
            let mut keys: Vec<Key> = sets.get(term.set).keys().collect();
            keys.extend(term.host.as_ref().map(|_| sets.vocabulary.hostname));
            keys.sort_unstable();
            keys
        };
        RuleIdentity {
            kind: self.kind,
            is_inverse: self.is_inverse,
            key: self.key,
            namespaces: self.namespaces.clone(),
            max_skew: self.max_skew,
            selector: self.selector.as_ref().map(|selector| {
                let mut expressions: Vec<Expression> = selector
                    .match_expressions
                    .iter()
                    .map(|expression| Expression {
                        values: odd_ones(expression.values.clone()),
                        ..expression.clone()
                    })
                    .collect();
                if version.since(9, 0) {
                    expressions.sort_unstable();
                    expressions.dedup();
                } else {
                    expressions = odd_ones(expressions);
                }
                (selector.match_labels.clone(), expressions)
            }),
            policies,
            tolerations: tolerations.unwrap_or_default(),
            terms: odd_ones(self.filter.terms.iter().map(keys).collect()),
        }
    }
}

/// Those that occur an odd number of times, once each, in order: equal pairs cancel each other in upstream's hash.
fn odd_ones<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    let mut kept: Vec<T> = Vec::with_capacity(list.len());
    for item in list {
        if kept.last() == Some(&item) {
            kept.pop();
        } else {
            kept.push(item);
        }
    }
    kept
}

/// What rules are made from.
pub(super) struct RuleMaker<'a> {
    pub(super) state: &'a ClusterState,
    pub(super) settings: &'a Settings,
    pub(super) sets: &'a mut RequirementSets,
    pub(super) taints: &'a mut TaintTable,
}

impl RuleMaker<'_> {
    /// The rules that a pod with these demands has, with their identities: spreads first, in the order of the pod.
    pub(super) fn direct(
        &mut self,
        namespace: &NamespaceName,
        labels: &Labels,
        demands: &Demands,
    ) -> Vec<(RuleIdentity, TopologyRule)> {
        let respects = self.settings.preference_policy == PreferencePolicy::Respect;
        let mut rules = Vec::new();
        for constraint in &demands.spread {
            if respects || constraint.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule {
                rules.push(self.spread(namespace, labels, demands, constraint));
            }
        }
        let tolerations = self.taints.tolerations_id(&demands.tolerations);
        let affinities = [
            (TopologyKind::Affinity, &demands.affinity.pod),
            (TopologyKind::AntiAffinity, &demands.affinity.pod_anti),
        ];
        for (kind, affinity) in affinities {
            let Some(affinity) = affinity else { continue };
            let preferred = affinity.preferred.iter().map(|weighted| &weighted.term);
            let terms = affinity.required.iter().chain(preferred.filter(|_| respects));
            for term in terms {
                rules.push(self.affinity(kind, false, namespace, term, tolerations));
            }
        }
        rules
    }

    /// A pod's required anti-affinity, as the pods that it selects see it.
    pub(super) fn inverse(
        &mut self,
        meta: &Meta,
        demands: &Demands,
    ) -> Vec<(RuleIdentity, TopologyRule)> {
        let Some(anti) = &demands.affinity.pod_anti else { return Vec::new() };
        if anti.required.is_empty() {
            return Vec::new();
        }
        let tolerations = self.taints.tolerations_id(&demands.tolerations);
        let terms = anti.required.iter();
        terms
            .map(|term| {
                self.affinity(TopologyKind::AntiAffinity, true, &meta.namespace, term, tolerations)
            })
            .collect()
    }

    fn affinity(
        &mut self,
        kind: TopologyKind,
        is_inverse: bool,
        namespace: &NamespaceName,
        term: &PodAffinityTerm,
        tolerations: TolerationsId,
    ) -> (RuleIdentity, TopologyRule) {
        let rule = TopologyRule {
            kind,
            is_inverse,
            key: topology_key(&term.topology_key, &mut self.sets.vocabulary),
            namespaces: self.namespaces(namespace, term),
            selector: term.label_selector.clone(),
            max_skew: i32::MAX,
            min_domains: None,
            filter: NodeFilter::default(),
            // Before 1.5 every domain that some pool has is known.
            seed: self.settings.version.since(5, 0).then_some(tolerations),
        };
        let version = self.settings.version;
        (rule.identity(self.taints, self.sets, None, None, version), rule)
    }

    fn namespaces(&self, own: &NamespaceName, term: &PodAffinityTerm) -> Vec<NamespaceName> {
        let mut names = term.namespaces.clone();
        match &term.namespace_selector {
            None if names.is_empty() => names.push(own.clone()),
            None => {}
            Some(selector) => {
                let matching =
                    self.state.namespaces.iter().filter(|n| selector.matches(n.labels()));
                names.extend(matching.map(|namespace| NamespaceName(namespace.meta.name.clone())));
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    fn spread(
        &mut self,
        namespace: &NamespaceName,
        labels: &Labels,
        demands: &Demands,
        constraint: &TopologySpreadConstraint,
    ) -> (RuleIdentity, TopologyRule) {
        let version = self.settings.version;
        let knows_policies = version.since(5, 0);
        let honors_taints =
            knows_policies && constraint.node_taints_policy == Some(NodeInclusionPolicy::Honor);
        let honors_affinity =
            !knows_policies || constraint.node_affinity_policy != Some(NodeInclusionPolicy::Ignore);
        let mut selector = constraint.label_selector.clone();
        if knows_policies {
            for key in &constraint.match_label_keys {
                if let Some(value) = labels.get(key) {
                    let expression = Expression {
                        key: key.clone(),
                        operator: Operator::In,
                        values: vec![value.clone()],
                    };
                    let selector = selector.get_or_insert_with(LabelSelector::default);
                    selector.match_expressions.push(expression);
                }
            }
        }
        let tolerations = self.taints.tolerations_id(&demands.tolerations);
        let terms = self.filter_terms(demands);
        let mut rule = TopologyRule {
            kind: TopologyKind::Spread,
            is_inverse: false,
            key: topology_key(&constraint.topology_key, &mut self.sets.vocabulary),
            namespaces: vec![namespace.clone()],
            selector,
            max_skew: constraint.max_skew,
            min_domains: constraint.min_domains,
            filter: NodeFilter { terms, tolerations: honors_taints.then_some(tolerations) },
            seed: honors_taints.then_some(tolerations),
        };
        let policies = knows_policies.then_some((honors_taints, honors_affinity));
        let creator = knows_policies.then_some(tolerations);
        let identity = rule.identity(self.taints, self.sets, policies, creator, version);
        if !honors_affinity {
            rule.filter.terms.clear();
        }
        (identity, rule)
    }

    /// The node selector with each of the required terms.
    fn filter_terms(&mut self, demands: &Demands) -> Vec<Demand> {
        let vocabulary = &mut self.sets.vocabulary;
        let mut selector = Requirements::default();
        selector.add_labels(&demands.node_selector, vocabulary);
        let required = demands.affinity.node.as_ref().and_then(|node| node.required.as_ref());
        let terms: Vec<Requirements> = match required {
            None => vec![selector],
            Some(terms) => terms
                .iter()
                .map(|term| {
                    let mut requirements = selector.clone();
                    requirements.add_expressions(&term.match_expressions, vocabulary);
                    requirements
                })
                .collect(),
        };
        terms.into_iter().map(|term| self.sets.demand(term)).collect()
    }
}

/// A topology key as written: only requirements know deprecated keys by their modern names.
fn topology_key(key: &Str, vocabulary: &mut Vocabulary) -> Key {
    vocabulary.key(key)
}
