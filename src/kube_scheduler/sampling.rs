//! How many feasible nodes are enough, and what that leaves to chance.

use std::collections::BTreeMap;

use crate::model::names::NodeName;

use super::attempt::Outcome;
use super::decision::{Chance, Odds};
use super::framework::Cycle;
use super::lineup::Lineup;
use super::node_info::NodeInfo;
use super::schedule_one::{Setting, pick, score};

/// Fewer nodes than this are all looked at.
const MIN_FEASIBLE_NODES: usize = 100;
const MIN_PERCENTAGE: usize = 5;

/// How many feasible nodes are enough when so many are searched. As upstream's `numFeasibleNodesToFind`.
pub(crate) fn enough(searched: usize, percentage: i32, has_scorers: bool) -> usize {
    if !has_scorers {
        return 1;
    }
    if searched < MIN_FEASIBLE_NODES {
        return searched;
    }
    let percentage = match usize::try_from(percentage) {
        Ok(percentage @ 1..) => percentage,
        Ok(0) | Err(_) => 50_usize.saturating_sub(searched / 125).max(MIN_PERCENTAGE),
    };
    if percentage >= 100 {
        return searched;
    }
    (searched.saturating_mul(percentage) / 100).max(MIN_FEASIBLE_NODES)
}

/// How many nodes are searched.
pub(crate) fn searched(cycle: &Cycle<'_>, outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Narrowed(names, _) => names.len(),
        Outcome::AllNodes | Outcome::Refused(_) | Outcome::Failed(_) => cycle.cluster.nodes.len(),
    }
}

/// Whether the scheduler stops before it has found all feasible nodes.
pub(crate) fn chance(
    cycle: &Cycle<'_>,
    outcome: &Outcome,
    setting: &Setting<'_>,
    feasible: usize,
) -> Option<Chance> {
    let searched = searched(cycle, outcome);
    let enough = enough(searched, setting.percentage, !setting.lineup.score.is_empty());
    (enough < feasible).then_some(Chance::Sampling { enough, feasible, searched })
}

/// No more places to start from than these are tried, evenly spread.
const MAX_STARTS: usize = 64;

/// A search that stops before it has found all feasible nodes.
pub(crate) struct Sample<'a> {
    /// Numbers of the feasible nodes, in the order in which nodes are looked at.
    pub(crate) feasible: &'a [usize],
    /// How many of them are enough.
    pub(crate) enough: usize,
}

/// How often each node is picked when the search starts anywhere with the same probability, and takes the feasible nodes
/// in their order from there.
pub(crate) fn odds(cycle: &Cycle<'_>, lineup: &Lineup, sample: &Sample<'_>) -> Odds {
    let nodes = &cycle.cluster.nodes;
    let starts = nodes.len().min(MAX_STARTS);
    let mut shares: BTreeMap<NodeName, f64> = BTreeMap::new();
    let mut seen: BTreeMap<NodeName, usize> = BTreeMap::new();
    for turn in 0..starts {
        let start = turn * nodes.len() / starts;
        let first = sample.feasible.partition_point(|index| *index < start);
        let (before, after) = sample.feasible.split_at(first);
        let found: Vec<&NodeInfo> =
            after.iter().chain(before).take(sample.enough).map(|index| &nodes[*index]).collect();
        for node in &found {
            *seen.entry(node.name.clone()).or_default() += 1;
        }
        let Ok(scores) = score(cycle, lineup, &found) else { continue };
        let highest = scores.totals.iter().max();
        let best: Vec<usize> =
            (0..found.len()).filter(|at| Some(&scores.totals[*at]) == highest).collect();
        let picked = if cycle.version().since(35) { vec![pick(&scores.totals)] } else { best };
        for at in &picked {
            *shares.entry(found[*at].name.clone()).or_default() +=
                1.0 / as_float(picked.len()) / as_float(starts);
        }
    }
    let in_sample =
        seen.into_iter().map(|(node, times)| (node, as_float(times) / as_float(starts)));
    Odds { picked: shares.into_iter().collect(), in_sample: in_sample.collect(), starts }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers, for a share")]
fn as_float(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::enough;

    #[test]
    fn few_nodes_are_all_looked_at_and_of_many_a_part() {
        for (searched, percentage, expected) in [
            (99, 0, 99),
            (100, 0, 100),
            (206, 0, 100),
            (207, 0, 101),
            (250, 0, 120),
            (1000, 0, 420),
            (5000, 0, 500),
            (6000, 0, 300),
            (500, 10, 100),
            (500, 100, 500),
        ] {
            assert_eq!(enough(searched, percentage, true), expected, "{searched} {percentage}");
        }
        assert_eq!(enough(500, 0, false), 1);
    }
}
