//! How many feasible nodes are enough, and what that leaves to chance.

use super::attempt::Outcome;
use super::decision::Chance;
use super::framework::Cycle;
use super::schedule_one::Setting;

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
