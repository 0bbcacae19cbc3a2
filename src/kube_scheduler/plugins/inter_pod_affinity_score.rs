//! How `InterPodAffinity` scores: by the pods that the pod prefers to be near, or away from, and that prefer so of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::kube_scheduler::framework::{Cycle, MAX_NODE_SCORE, Normalize, Scoring};
use crate::kube_scheduler::inter_pod::{OwnTerm, Seen, groups_of};
use crate::kube_scheduler::node_info::NodeInfo;
use crate::kube_scheduler::pod_groups::Placements;
use crate::kube_scheduler::topology::Topology;
use crate::model::affinity::{PodAffinity, WeightedPodAffinityTerm};
use crate::model::names::Str;

/// Weights by label and value; a value with an entry differs from one without, also when its weights cancel out.
#[derive(Default)]
struct Table(BTreeMap<Str, (Arc<Topology>, Vec<Option<i64>>)>);

impl Table {
    fn add(&mut self, cycle: &Cycle<'_>, key: &Str, placements: &Placements, weight: i64) {
        let (topology, weights) = self.0.entry(key.clone()).or_insert_with(|| {
            let topology = cycle.cluster.topology(key);
            let weights = vec![None; topology.len()];
            (topology, weights)
        });
        for (node, pods) in placements.iter() {
            if let Some(domain) = topology.domain(node) {
                let sum = weights[domain].get_or_insert(0);
                *sum = sum.wrapping_add(pods.wrapping_mul(weight));
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.0.values().all(|(_, weights)| weights.iter().all(Option::is_none))
    }

    fn sum(&self, node: usize) -> i64 {
        let weights = self.0.values().filter_map(|(topology, weights)| {
            topology.domain(node).and_then(|domain| weights[domain])
        });
        weights.fold(0, i64::wrapping_add)
    }
}

pub(crate) fn score(cycle: &Cycle<'_>, nodes: &[&NodeInfo]) -> Scoring {
    let affinity = &cycle.spec().affinity;
    let (near, away) = (preferred(affinity.pod.as_ref()), preferred(affinity.pod_anti.as_ref()));
    let ignores_others = cycle.arguments.ignores_preferred_terms_of_existing_pods;
    if near.is_empty() && away.is_empty() && ignores_others {
        return Scoring::Skips;
    }
    let mut table = Table::default();
    for (terms, sign) in [(near, 1), (away, -1)] {
        for weighted in terms {
            let term = OwnTerm::new(cycle, &weighted.term);
            for (_, group) in groups_of(cycle, &term) {
                let weight = sign * i64::from(weighted.weight);
                table.add(cycle, &weighted.term.topology_key, &group.placements, weight);
            }
        }
    }
    add_existing(cycle, &mut table);
    if table.is_empty() {
        return Scoring::Skips;
    }
    let raw: Vec<i64> = nodes.iter().map(|node| table.sum(node.index)).collect();
    let normalized = normalize(&raw);
    Scoring::Scores(raw, Normalize::Own(normalized))
}

fn preferred(affinity: Option<&PodAffinity>) -> &[WeightedPodAffinityTerm] {
    affinity.map_or(&[], |affinity| &affinity.preferred)
}

/// Adds what existing pods want of this one. What they require counts with the profile's weight.
fn add_existing(cycle: &Cycle<'_>, table: &mut Table) {
    let seen = Seen::new(cycle);
    let hard = cycle.arguments.hard_pod_affinity_weight;
    for (_, group) in cycle.cluster.groups.affinities() {
        let required = group.affinity.pod.iter().flat_map(|it| &it.required).map(|it| (it, hard));
        let near = preferred(group.affinity.pod.as_ref());
        let near = near.iter().map(|it| (&it.term, i64::from(it.weight)));
        let away = preferred(group.affinity.pod_anti.as_ref());
        let away = away.iter().map(|it| (&it.term, -i64::from(it.weight)));
        for (term, weight) in required.filter(|(_, hard)| *hard > 0).chain(near).chain(away) {
            if seen.is_meant(term, &group.namespace) {
                table.add(cycle, &term.topology_key, &group.placements, weight);
            }
        }
    }
}

/// From the lowest to the highest. As upstream's `NormalizeScore`: the division comes first, and in floats.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "upstream computes in floats and truncates"
)]
fn normalize(raw: &[i64]) -> Vec<i64> {
    let lowest = raw.iter().copied().min().unwrap_or(0);
    let range = raw.iter().copied().max().unwrap_or(0).wrapping_sub(lowest);
    let share = |score: i64| {
        if range > 0 {
            (MAX_NODE_SCORE as f64 * (score.wrapping_sub(lowest) as f64 / range as f64)) as i64
        } else {
            0
        }
    };
    raw.iter().map(|score| share(*score)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_division_comes_first_and_in_floats() {
        for (raw, expected) in [
            (vec![129, 100, 200], vec![28, 0, 100]),
            (vec![29, 0, 100], vec![28, 0, 100]),
            (vec![57, 0, 100], vec![56, 0, 100]),
            (vec![58, 0, 100], vec![57, 0, 100]),
            (vec![5, 5], vec![0, 0]),
            (vec![100, -50, 0, 30], vec![100, 0, 33, 53]),
        ] {
            assert_eq!(normalize(&raw), expected, "{raw:?}");
        }
    }
}
