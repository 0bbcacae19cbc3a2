//! `Topology`: the rules over other pods in force, with their counts, and what they leave to a pod on a candidate.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::batch_pod::RuleId;
use super::cluster_pods::{ClusterPods, passes};
use super::refusal::{TopologyKind, TopologyRefusal};
use super::requirement::Requirement;
use super::requirements::{Demand, RequirementSets, Requirements, SetId, Undefined};
use super::taints::{TaintTable, TaintsId};
use super::topology_group::{Asked, TopologyGroup};
use super::topology_rule::TopologyRule;
use super::vocabulary::{Key, Value};

/// The groups of one state of a pass. A group is known by its rule's number: the first rule of a number is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Topology {
    pub(super) direct: Vec<Arc<TopologyGroup>>,
    pub(super) inverse: Vec<Arc<TopologyGroup>>,
    places: FxHashMap<RuleId, usize>,
    inverse_places: FxHashMap<RuleId, usize>,
}

/// A rule that constrains the pod at hand.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub(super) group: Arc<TopologyGroup>,
    pub(super) is_selected: bool,
}

/// A candidate as a rule sees it.
pub(super) struct TopologyCandidate {
    pub(super) set: SetId,
    pub(super) host: Value,
    pub(super) undefined: Undefined,
    /// Whether a hostname counts only once it is registered, as before 1.5.
    pub(super) only_known_hosts: bool,
}

impl Topology {
    pub(super) fn direct_place(&self, rule: RuleId) -> Option<usize> {
        self.places.get(&rule).copied()
    }

    pub(super) fn inverse_place(&self, rule: RuleId) -> Option<usize> {
        self.inverse_places.get(&rule).copied()
    }

    pub(super) fn add_direct(&mut self, rule: RuleId, group: Arc<TopologyGroup>) {
        self.places.insert(rule, self.direct.len());
        self.direct.push(group);
    }

    pub(super) fn add_inverse(&mut self, rule: RuleId, group: Arc<TopologyGroup>) {
        self.inverse_places.insert(rule, self.inverse.len());
        self.inverse.push(group);
    }

    /// Makes a hostname known to every group over hostnames.
    pub(super) fn register_host(&mut self, key: Key, host: Value) {
        for group in self.direct.iter_mut().chain(&mut self.inverse) {
            if group.rule.key == key {
                Arc::make_mut(group).register(host);
            }
        }
    }

    /// Counts a placed pod: where it is, and which of the groups select it.
    pub(super) fn record(
        &mut self,
        placed: &Placed<'_>,
        mut selects: impl FnMut(&TopologyGroup) -> bool,
        sets: &mut RequirementSets,
        taints: &mut TaintTable,
    ) {
        for group in &mut self.direct {
            if !selects(group) {
                continue;
            }
            let labels = (placed.set, Some(placed.host));
            let looks = group.rule.filter.terms.is_empty()
                && group.rule.filter.tolerations.is_none()
                || passes(
                    &group.rule.filter,
                    labels,
                    placed.taints,
                    placed.undefined,
                    sets,
                    taints,
                );
            if !looks {
                continue;
            }
            let domains = domains(group.rule.key, placed, sets);
            match &domains[..] {
                [_] if group.rule.kind != TopologyKind::AntiAffinity => {
                    let is_single = group.rule.key == sets.vocabulary.hostname
                        || sets
                            .get(placed.set)
                            .get(group.rule.key)
                            .is_some_and(|requirement| requirement.single().is_some());
                    if is_single {
                        Arc::make_mut(group).record(domains[0]);
                    }
                }
                all if group.rule.kind == TopologyKind::AntiAffinity && !all.is_empty() => {
                    let group = Arc::make_mut(group);
                    for domain in all {
                        group.record(*domain);
                    }
                }
                _ => {}
            }
        }
        for rule in placed.owned_inverse {
            let Some(place) = self.inverse_places.get(rule) else { continue };
            let group = &mut self.inverse[*place];
            let domains = domains(group.rule.key, placed, sets);
            if !domains.is_empty() {
                let group = Arc::make_mut(group);
                for domain in domains {
                    group.record(domain);
                }
            }
        }
    }
}

/// Where a pod was placed.
pub(super) struct Placed<'a> {
    pub(super) set: SetId,
    pub(super) host: Value,
    pub(super) taints: TaintsId,
    pub(super) undefined: Undefined,
    /// The pod's own required anti-affinities.
    pub(super) owned_inverse: &'a [RuleId],
}

/// The stored values of a key.
fn domains(key: Key, placed: &Placed<'_>, sets: &RequirementSets) -> Vec<Value> {
    if key == sets.vocabulary.hostname {
        return vec![placed.host];
    }
    sets.get(placed.set).get(key).map(|requirement| requirement.values.clone()).unwrap_or_default()
}

/// What rules leave of a candidate.
pub(super) enum TopologyChoice {
    /// Every set that upstream may end with, the candidate's own narrowed.
    Sets(Vec<SetId>),
    /// A rule has no domain left.
    Unsatisfiable,
    /// Every choice contradicts the candidate; the sets of what was chosen.
    Incompatible(Vec<SetId>),
}

/// Whether the rules over hostnames leave a candidate to a pod.
pub(super) fn leaves_host(
    constraints: &[Constraint],
    pod: &Demand,
    candidate: &TopologyCandidate,
    sets: &RequirementSets,
) -> bool {
    let hostname = sets.vocabulary.hostname;
    let mut over_hosts =
        constraints.iter().filter(|constraint| constraint.group.rule.key == hostname);
    over_hosts.all(|constraint| {
        constraint.group.allows_host(
            candidate.host,
            pod.host.as_ref(),
            constraint.is_selected,
            candidate.only_known_hosts,
            &sets.vocabulary,
        )
    })
}

/// What the rules leave of a candidate, and whether another choice would have failed. As `Topology.AddRequirements`.
pub(super) fn constrain(
    constraints: &[Constraint],
    pod: &Demand,
    candidate: &TopologyCandidate,
    sets: &mut RequirementSets,
) -> (TopologyChoice, bool) {
    let hostname = sets.vocabulary.hostname;
    if !leaves_host(constraints, pod, candidate, sets) {
        return (TopologyChoice::Unsatisfiable, true);
    }
    if constraints.iter().all(|constraint| constraint.group.rule.key == hostname) {
        return (TopologyChoice::Sets(vec![candidate.set]), false);
    }
    let pod_set = Arc::clone(sets.get(pod.set));
    let node_set = Arc::clone(sets.get(candidate.set));
    // The alternatives so far: what is asked of each key beside what the candidate has.
    let mut asked: Vec<Requirements> = vec![Requirements::default()];
    for constraint in constraints {
        let rule = &constraint.group.rule;
        if rule.key == hostname {
            continue;
        }
        let any = Requirement::EXISTS;
        let question = Asked {
            pod: pod_set.get(rule.key).unwrap_or(&any),
            node: node_set.get(rule.key).unwrap_or(&any),
            is_selected: constraint.is_selected,
        };
        let choices = constraint.group.choices(&question, &sets.vocabulary);
        if choices.is_empty() {
            return (TopologyChoice::Unsatisfiable, true);
        }
        let mut next: Vec<Requirements> = Vec::with_capacity(asked.len() * choices.len());
        for so_far in &asked {
            for choice in &choices {
                let mut with = so_far.clone();
                if with.get(rule.key).is_none() {
                    let own = choice.intersection(question.node, &sets.vocabulary);
                    with.replace(rule.key, own);
                } else {
                    with.add(rule.key, choice.clone(), &sets.vocabulary);
                }
                if !next.contains(&with) {
                    next.push(with);
                }
            }
        }
        asked = next;
    }
    let (mut left, mut failed) = (Vec::new(), Vec::new());
    for requirements in asked {
        let chosen = sets.id(requirements);
        match sets.merge(candidate.set, chosen, candidate.undefined) {
            Some(set) if left.contains(&set) => {}
            Some(set) => left.push(set),
            None => failed.push(chosen),
        }
    }
    let some_failed = !failed.is_empty();
    if left.is_empty() {
        (TopologyChoice::Incompatible(failed), true)
    } else {
        (TopologyChoice::Sets(left), some_failed)
    }
}

/// The first rule that has no domain left, as a value.
pub(super) fn unsatisfiable(
    constraints: &[Constraint],
    pod: &Demand,
    candidate: &TopologyCandidate,
    sets: &RequirementSets,
) -> Option<TopologyRefusal> {
    let vocabulary = &sets.vocabulary;
    let any = Requirement::EXISTS;
    constraints.iter().find_map(|constraint| {
        let group = &constraint.group;
        let rule = &group.rule;
        let is_host = rule.key == vocabulary.hostname;
        let host = Requirement::one(candidate.host);
        let (pod_domains, node_domains) = if is_host {
            (pod.host.as_ref().unwrap_or(&any), &host)
        } else {
            let of = |set| sets.get(set).get(rule.key);
            (of(pod.set).unwrap_or(&any), of(candidate.set).unwrap_or(&any))
        };
        let is_left = if is_host {
            group.allows_host(
                candidate.host,
                pod.host.as_ref(),
                constraint.is_selected,
                candidate.only_known_hosts,
                vocabulary,
            )
        } else {
            let question =
                Asked { pod: pod_domains, node: node_domains, is_selected: constraint.is_selected };
            !group.choices(&question, vocabulary).is_empty()
        };
        let key = vocabulary.key_text(rule.key);
        (!is_left).then(|| TopologyRefusal {
            kind: rule.kind,
            is_inverse: rule.is_inverse,
            key: key.clone(),
            counts: group.listed(vocabulary),
            pod_domains: pod_domains.print(key, vocabulary),
            node_domains: node_domains.print(key, vocabulary),
        })
    })
}

/// Groups as they are before anything is placed: from the universe and from the cluster's pods.
#[derive(Debug, Default)]
pub(super) struct InitialGroups {
    known: FxHashMap<Arc<TopologyRule>, Arc<TopologyGroup>>,
}

/// What initial counts are made from.
pub(super) struct CountSource<'a> {
    pub(super) universe: &'a super::universe::Universe,
    pub(super) cluster: &'a ClusterPods,
    /// Nodes that take pods, as places of the cluster's nodes, with the labels that count.
    pub(super) active: &'a [(usize, SetId)],
    pub(super) sets: &'a mut RequirementSets,
    pub(super) taints: &'a mut TaintTable,
    /// Whether nodes without pods are domains too, as since 1.5.
    pub(super) registers_nodes: bool,
}

impl InitialGroups {
    pub(super) fn direct(
        &mut self,
        rule: &Arc<TopologyRule>,
        selection: usize,
        source: &mut CountSource<'_>,
    ) -> Arc<TopologyGroup> {
        if let Some(known) = self.known.get(rule) {
            return Arc::clone(known);
        }
        let mut group = TopologyGroup::new(Arc::clone(rule), selection);
        let is_host = rule.key == source.sets.vocabulary.hostname;
        for value in source.universe.values(rule.key, rule.seed, source.taints) {
            group.register(value);
        }
        if source.registers_nodes && !is_host {
            for (place, labels) in source.active {
                let own = source.sets.get(*labels).get(rule.key);
                let Some(domain) = own.and_then(Requirement::single) else { continue };
                if source.cluster.passes(*place, &rule.filter, source.sets, source.taints) {
                    group.register(domain);
                }
            }
        }
        let mut passing: FxHashMap<usize, bool> = FxHashMap::default();
        for namespace in &rule.namespaces {
            let selects = |labels: &crate::model::labels::Labels| {
                rule.selector.as_ref().is_none_or(|selector| selector.matches(labels))
            };
            for place in source.cluster.places_of(namespace, selects) {
                let Some(domain) = source.cluster.domain(place, rule.key, true, source.sets) else {
                    continue;
                };
                let looks = *passing.entry(place).or_insert_with(|| {
                    source.cluster.passes(place, &rule.filter, source.sets, source.taints)
                });
                if looks {
                    group.record(domain);
                }
            }
        }
        let group = Arc::new(group);
        self.known.insert(Arc::clone(rule), Arc::clone(&group));
        group
    }
}

/// An inverse group before anything is counted.
pub(super) fn new_inverse(
    rule: &Arc<TopologyRule>,
    selection: usize,
    universe: &super::universe::Universe,
    taints: &mut TaintTable,
) -> TopologyGroup {
    let mut group = TopologyGroup::new(Arc::clone(rule), selection);
    for value in universe.values(rule.key, rule.seed, taints) {
        group.register(value);
    }
    group
}

/// Which selectors select which classes of pods: asked once each.
#[derive(Debug, Default)]
pub(super) struct Selections {
    ids: FxHashMap<SelectionKey, usize>,
    keys: Vec<SelectionKey>,
    known: FxHashMap<(usize, usize), bool>,
}

type SelectionKey =
    (Vec<crate::model::names::NamespaceName>, Option<crate::model::selector::LabelSelector>);

impl Selections {
    pub(super) fn id(&mut self, rule: &TopologyRule) -> usize {
        let key = (rule.namespaces.clone(), rule.selector.clone());
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        self.keys.push(key.clone());
        self.ids.insert(key, self.keys.len() - 1);
        self.keys.len() - 1
    }

    /// Whether a selector selects a class. A selector that is absent selects nothing.
    pub(super) fn selects(
        &mut self,
        selection: usize,
        class: usize,
        pod: &super::batch_pod::PodClass,
    ) -> bool {
        let (namespaces, selector) = &self.keys[selection];
        *self.known.entry((selection, class)).or_insert_with(|| {
            namespaces.binary_search(&pod.namespace).is_ok()
                && selector.as_ref().is_some_and(|selector| selector.matches(&pod.labels))
        })
    }
}
