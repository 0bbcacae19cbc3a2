//! `NodeResourcesBalancedAllocation`: whether the pod makes the node's resources more evenly used.

use crate::kube_scheduler::amounts::{Amounts, is_scalar};
use crate::kube_scheduler::framework::{Cycle, MAX_NODE_SCORE, Normalize, Plugin, Scoring};
use crate::kube_scheduler::node_info::NodeInfo;
use crate::kube_scheduler::requests::Summing;
use crate::model::names::Str;

pub(crate) const PLUGIN: Plugin =
    Plugin { score: Some(score), ..Plugin::named("NodeResourcesBalancedAllocation") };

fn score(cycle: &Cycle<'_>, nodes: &[&NodeInfo]) -> Scoring {
    let version = cycle.version();
    let request = Amounts::of(&Summing::incoming(version).sum(cycle.spec(), None));
    let resources = &cycle.arguments.balanced_resources;
    let asked: Vec<(&Str, i64)> = resources.iter().map(|name| (name, request.get(name))).collect();
    let is_best_effort = asked.iter().all(|(_, asked)| *asked == 0);
    if is_best_effort && version.since(33) && cycle.pre_scores {
        return Scoring::Skips;
    }
    let scores = nodes.iter().map(|node| {
        let kept = asked.iter().filter_map(|(name, asked)| {
            let capacity = node.allocatable.get(name);
            let dropped = capacity == 0 || *asked == 0 && is_scalar(name);
            (!dropped).then(|| (node.requested.get(name), *asked, capacity))
        });
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for (used, asked, capacity) in kept {
            with.push(fraction(used.wrapping_add(asked), capacity));
            without.push(fraction(used, capacity));
        }
        if version.since(36) {
            let half = MAX_NODE_SCORE / 2;
            half + (half + balance(&with) - balance(&without)) / 2
        } else {
            balance(&with)
        }
    });
    Scoring::Scores(scores.collect(), Normalize::Not)
}

#[expect(clippy::cast_precision_loss, reason = "upstream computes in floats")]
fn fraction(used: i64, capacity: i64) -> f64 {
    (used as f64 / capacity as f64).min(1.0)
}

/// 100 when all fractions are equal, less the further they are apart.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "upstream computes in floats and truncates"
)]
fn balance(fractions: &[f64]) -> i64 {
    let deviation = match fractions {
        [] | [_] => 0.0,
        [a, b] => ((a - b) / 2.0).abs(),
        all => {
            let count = all.len() as f64;
            let mean = all.iter().sum::<f64>() / count;
            let squares = all.iter().map(|it| (it - mean) * (it - mean)).sum::<f64>();
            (squares / count).sqrt()
        }
    };
    ((1.0 - deviation) * MAX_NODE_SCORE as f64) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_float_operations_is_upstreams() {
        for (fractions, expected) in [
            (vec![3.0 / 40.0, 31.0 / 40.0], 64),
            (vec![0.68, 0.0], 65),
            (vec![0.475, 0.3125], 91),
            (vec![1.0, 0.0], 50),
            (vec![0.3], 100),
            (vec![], 100),
        ] {
            assert_eq!(balance(&fractions), expected, "{fractions:?}");
        }
    }
}
