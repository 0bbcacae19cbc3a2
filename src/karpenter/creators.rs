//! Which pod creates a rule's group where several share it: that pod's filter and tolerations count for all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::batch_pod::RuleId;
use super::demands::Demands;
use super::scheduler::Scheduler;
use super::state::State;
use super::topology::new_inverse;
use super::topology_group::TopologyGroup;
use super::topology_rule::{RuleMaker, TopologyRule};

/// The states in which a pass may begin.
pub(super) struct Beginnings {
    pub(super) states: Vec<State>,
    /// Whether there are more than these.
    pub(super) is_cut: bool,
}

/// Most states that are begun with.
const MOST: usize = 64;
/// Of so many nodes that go away, every order is looked at.
const ORDERED: usize = 5;

/// Registers the rules of bound pods and of the batch, in every order that upstream may meet them in.
pub(super) fn beginnings(
    scheduler: &mut Scheduler<'_>,
    blank: &State,
    leaves: &[Option<usize>],
) -> Beginnings {
    let mut is_cut = false;
    let mut states = vec![blank.clone()];
    for (rule, choices) in inverse_choices(scheduler) {
        let mut next = Vec::new();
        for state in &states {
            for choice in &choices {
                let mut with = state.clone();
                with.topology.add_inverse(rule, Arc::clone(choice));
                next.push(with);
            }
        }
        is_cut |= next.len() > MOST;
        next.truncate(MOST);
        states = next;
    }
    let orders = creator_orders(scheduler, leaves, &mut is_cut);
    let mut begun = Vec::new();
    for state in &states {
        for order in &orders {
            let mut with = state.clone();
            for pod in order {
                // A pod whose volumes cannot be looked up is not registered.
                if scheduler.pods[*pod].alternatives.is_err() {
                    continue;
                }
                let class = scheduler.pods[*pod].class;
                if let Some(variant) = scheduler.variant(class, 0) {
                    scheduler.register(&mut with, class, &variant);
                }
            }
            if !scheduler.settings.version.since(5, 0) {
                let hostname = scheduler.sets.vocabulary.hostname;
                for node in &blank.nodes {
                    with.topology.register_host(hostname, node.host);
                }
            }
            begun.push(with);
        }
    }
    is_cut |= begun.len() > MOST;
    begun.truncate(MOST);
    Beginnings { states: begun, is_cut }
}

/// The inverse groups of bound pods; of each, one for every set of known domains that its creator may give it.
fn inverse_choices(scheduler: &mut Scheduler<'_>) -> Vec<(RuleId, Vec<Arc<TopologyGroup>>)> {
    let mut rules: Vec<(RuleId, Vec<Arc<TopologyRule>>, Vec<usize>)> = Vec::new();
    let mut places: BTreeMap<RuleId, usize> = BTreeMap::new();
    for index in 0..scheduler.cluster.repelling.len() {
        let (pod, place) = scheduler.cluster.repelling[index].clone();
        let mut maker = RuleMaker {
            state: scheduler.cluster_state,
            settings: scheduler.settings,
            sets: &mut scheduler.sets,
            taints: &mut scheduler.taints,
        };
        for (identity, rule) in maker.inverse(&pod.meta, &Demands::of(&pod.spec)) {
            let number = scheduler.rules.number(identity);
            let at = *places.entry(number).or_insert_with(|| {
                rules.push((number, Vec::new(), Vec::new()));
                rules.len() - 1
            });
            if !rules[at].1.iter().any(|known| **known == rule) {
                rules[at].1.push(Arc::new(rule));
            }
            rules[at].2.push(place);
        }
    }
    let mut choices = Vec::with_capacity(rules.len());
    for (number, creators, nodes) in rules {
        let mut seeds = Vec::new();
        let mut groups = Vec::new();
        for rule in creators {
            let seed = scheduler.universe.values(rule.key, rule.seed, &mut scheduler.taints);
            if seeds.contains(&seed) {
                continue;
            }
            seeds.push(seed);
            let selection = scheduler.selections.id(&rule);
            let mut group =
                new_inverse(&rule, selection, &scheduler.universe, &mut scheduler.taints);
            for place in &nodes {
                let domain = scheduler.cluster.domain(*place, rule.key, false, &scheduler.sets);
                if let Some(domain) = domain {
                    group.record(domain);
                }
            }
            groups.push(Arc::new(group));
        }
        choices.push((number, groups));
    }
    choices
}

/// The orders of the batch's pods that differ in who creates a group. Only nodes that go away come in any order.
fn creator_orders(
    scheduler: &mut Scheduler<'_>,
    leaves: &[Option<usize>],
    is_cut: &mut bool,
) -> Vec<Vec<usize>> {
    let stays: Vec<usize> = (0..leaves.len()).filter(|pod| leaves[*pod].is_none()).collect();
    let mut nodes: Vec<usize> = leaves.iter().flatten().copied().collect();
    nodes.dedup();
    if !differ_in_creators(scheduler, leaves) {
        return vec![(0..leaves.len()).collect()];
    }
    let mut of_node: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (pod, node) in leaves.iter().enumerate() {
        if let Some(node) = node {
            of_node.entry(*node).or_default().push(pod);
        }
    }
    let mut orders: Vec<Vec<usize>> = Vec::new();
    let mut known: Vec<BTreeMap<RuleId, Arc<TopologyRule>>> = Vec::new();
    let permutations = if nodes.len() <= ORDERED {
        permutations(&nodes)
    } else {
        *is_cut = true;
        (0..nodes.len().min(MOST))
            .map(|first| nodes[first..].iter().chain(&nodes[..first]).copied().collect())
            .collect()
    };
    for permutation in permutations {
        let mut order = stays.clone();
        for node in permutation {
            order.extend(of_node.get(&node).into_iter().flatten());
        }
        let mut creators: BTreeMap<RuleId, Arc<TopologyRule>> = BTreeMap::new();
        for pod in &order {
            let class = scheduler.pods[*pod].class;
            let Some(variant) = scheduler.variant(class, 0) else { continue };
            let inverse = scheduler.classes[class].inverse.iter();
            for (number, rule) in variant.rules.iter().chain(inverse) {
                creators.entry(*number).or_insert_with(|| Arc::clone(rule));
            }
        }
        if !known.contains(&creators) {
            known.push(creators);
            orders.push(order);
        }
    }
    orders
}

/// Whether pods that leave nodes share a rule's number and not the rule: only then does their order matter.
fn differ_in_creators(scheduler: &mut Scheduler<'_>, leaves: &[Option<usize>]) -> bool {
    let mut classes: Vec<usize> = leaves
        .iter()
        .enumerate()
        .filter(|(_, leaves)| leaves.is_some())
        .map(|(pod, _)| scheduler.pods[pod].class)
        .collect();
    classes.sort_unstable();
    classes.dedup();
    let mut rules: BTreeMap<RuleId, Arc<TopologyRule>> = BTreeMap::new();
    classes.into_iter().any(|class| {
        let Some(variant) = scheduler.variant(class, 0) else { return false };
        let inverse = scheduler.classes[class].inverse.iter();
        variant.rules.iter().chain(inverse).any(|(number, rule)| {
            *rules.entry(*number).or_insert_with(|| Arc::clone(rule)) != *rule
        })
    })
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(index);
        for mut tail in permutations(&rest) {
            tail.insert(0, *first);
            all.push(tail);
        }
    }
    all
}
