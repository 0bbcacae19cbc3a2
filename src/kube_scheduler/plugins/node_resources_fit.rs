//! `NodeResourcesFit`: whether what is left on a node suffices, and how full the pod would make it.

use crate::kube_scheduler::amounts::{Amounts, is_extended, is_scalar};
use crate::kube_scheduler::configuration::{Arguments, ScoringStrategy, Shape};
use crate::kube_scheduler::decision::Code;
use crate::kube_scheduler::framework::{
    Cycle, MAX_NODE_SCORE, Normalize, Plugin, PreFiltered, Scoring, Trial, Verdict,
};
use crate::kube_scheduler::node_info::NodeInfo;
use crate::kube_scheduler::rejection::Rejection;
use crate::kube_scheduler::requests::Summing;
use crate::model::names::{ResourceName, Str};
use crate::model::resources::{CPU, EPHEMERAL_STORAGE, MEMORY};

use super::dynamic_resources;

pub(crate) const PLUGIN: Plugin = Plugin {
    filter: Some(filter),
    pre_filter_since: Some(0),
    score: Some(score),
    ..Plugin::named("NodeResourcesFit")
};

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let version = cycle.version();
    let request = Amounts::of(&Summing::incoming(version).sum(cycle.spec(), None));
    let may_be_unresolvable = version.since(34);
    PreFiltered::per_node(move |node| {
        let reasons = insufficient(cycle, &request, node);
        if reasons.is_empty() {
            return Verdict::Fits;
        }
        let never_fits = reasons.iter().any(|reason| {
            matches!(reason, Rejection::InsufficientResource { requested, allocatable, .. } if requested > allocatable)
        });
        let code = if may_be_unresolvable && never_fits {
            Code::UnschedulableAndUnresolvable
        } else {
            Code::Unschedulable
        };
        Verdict::Rejects(code, reasons)
    })
}

/// Everything that the node has too little of. As upstream's `fitsRequest`.
fn insufficient(cycle: &Cycle<'_>, request: &Amounts, node: &Trial<'_>) -> Vec<Rejection> {
    let mut reasons = Vec::new();
    let pods = i64::try_from(node.pods.len()).unwrap_or(i64::MAX);
    if pods + 1 > node.allowed_pods {
        reasons.push(Rejection::TooManyPods { pods, allowed: node.allowed_pods });
    }
    let named = [
        (CPU, request.milli_cpu, node.requested.milli_cpu, node.allocatable.milli_cpu),
        (MEMORY, request.memory, node.requested.memory, node.allocatable.memory),
        (
            EPHEMERAL_STORAGE,
            request.ephemeral_storage,
            node.requested.ephemeral_storage,
            node.allocatable.ephemeral_storage,
        ),
    ];
    let mut check = |resource: ResourceName, requested: i64, used: i64, allocatable: i64| {
        if requested > allocatable.wrapping_sub(used) {
            reasons.push(Rejection::InsufficientResource {
                resource,
                requested,
                used,
                allocatable,
            });
        }
    };
    for (resource, requested, used, allocatable) in named {
        if requested > 0 {
            check(resource.into(), requested, used, allocatable);
        }
    }
    for (resource, requested) in &request.scalars {
        let name = resource.as_str();
        if *requested == 0 || is_ignored(cycle.arguments, name) {
            continue;
        }
        let allocatable = node.allocatable.scalar(name);
        if allocatable == 0 && dynamic_resources::backs(cycle, name) {
            continue;
        }
        check(resource.clone(), *requested, node.requested.scalar(name), allocatable);
    }
    reasons
}

/// Whether the arguments take an extended resource out of the question.
fn is_ignored(arguments: &Arguments, name: &str) -> bool {
    let group = name.split('/').next().unwrap_or("");
    is_extended(name)
        && (arguments.ignored_resources.iter().any(|ignored| ignored == name)
            || arguments.ignored_resource_groups.iter().any(|ignored| ignored == group))
}

fn score(cycle: &Cycle<'_>, nodes: &[&NodeInfo]) -> Scoring {
    let arguments = cycle.arguments;
    let request = Amounts::of(&Summing::scored().sum(cycle.spec(), None));
    let asked: Vec<(&Str, i64, i64)> = arguments
        .scored_resources
        .iter()
        .map(|(name, weight)| (name, *weight, request.get(name)))
        .filter(|(name, _, asked)| *asked != 0 || !is_scalar(name))
        .collect();
    let scores = nodes.iter().map(|node| {
        let parts = asked.iter().filter_map(|(name, weight, asked)| {
            let capacity = node.allocatable.get(name);
            let used = match &***name {
                CPU => node.non_zero_milli_cpu,
                MEMORY => node.non_zero_memory,
                other => node.requested.get(other),
            };
            (capacity != 0).then(|| (*weight, used.wrapping_add(*asked), capacity))
        });
        match &arguments.scoring_strategy {
            ScoringStrategy::LeastAllocated => {
                average(parts.map(|(weight, used, capacity)| (weight, least(used, capacity))))
            }
            ScoringStrategy::MostAllocated => {
                average(parts.map(|(weight, used, capacity)| (weight, most(used, capacity))))
            }
            ScoringStrategy::RequestedToCapacityRatio(shape) => {
                ratio(parts.map(|(weight, used, capacity)| (weight, shape.score(used, capacity))))
            }
        }
    });
    Scoring::Scores(scores.collect(), Normalize::Not)
}

fn least(used: i64, capacity: i64) -> i64 {
    if used > capacity { 0 } else { (capacity - used).wrapping_mul(MAX_NODE_SCORE) / capacity }
}

fn most(used: i64, capacity: i64) -> i64 {
    used.min(capacity).wrapping_mul(MAX_NODE_SCORE) / capacity
}

fn average(parts: impl Iterator<Item = (i64, i64)>) -> i64 {
    let (sum, weights) = sums(parts);
    if weights == 0 { 0 } else { sum / weights }
}

fn sums(parts: impl Iterator<Item = (i64, i64)>) -> (i64, i64) {
    parts.fold((0_i64, 0_i64), |(sum, weights), (weight, score)| {
        (sum.wrapping_add(score.wrapping_mul(weight)), weights.wrapping_add(weight))
    })
}

/// Averages what scores above zero; the rest is left out of the weights as well.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "upstream averages in floats and rounds"
)]
pub(crate) fn ratio(parts: impl Iterator<Item = (i64, i64)>) -> i64 {
    let (sum, weights) = sums(parts.filter(|(_, score)| *score > 0));
    if weights == 0 { 0 } else { (sum as f64 / weights as f64).round() as i64 }
}

impl Shape {
    /// The score of a utilization. As upstream's `buildRequestedToCapacityRatioScorerFunction`.
    pub(crate) fn score(&self, used: i64, capacity: i64) -> i64 {
        let utilization = if capacity == 0 || used > capacity {
            MAX_NODE_SCORE
        } else {
            used.wrapping_mul(MAX_NODE_SCORE) / capacity
        };
        let mut before: Option<(i64, i64)> = None;
        for (at, score) in &self.0 {
            if utilization <= *at {
                return match before {
                    None => *score,
                    Some((at_before, score_before)) => {
                        let rise = score - score_before;
                        score_before + rise * (utilization - at_before) / (at - at_before)
                    }
                };
            }
            before = Some((*at, *score));
        }
        before.map_or(0, |(_, score)| score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_linear_between_its_points_and_flat_beyond() {
        let falling = Shape(vec![(20, 100), (60, 0)]);
        for (used, expected) in [(0, 100), (20, 100), (21, 98), (40, 50), (59, 3), (60, 0), (99, 0)]
        {
            assert_eq!(falling.score(used, 100), expected, "{used}");
        }
        let rising = Shape(vec![(0, 0), (100, 100)]);
        assert_eq!([rising.score(50, 0), rising.score(3, 2)], [100, 100]);
    }

    #[test]
    fn least_most_and_ratio_average_as_upstream_does() {
        // cpu 4000m with 2000m taken, memory 16Gi with 5Gi taken.
        let parts = [(2000, 4000), (5, 16)];
        let with = |score: fn(i64, i64) -> i64| {
            average(parts.iter().map(|(used, capacity)| (1, score(*used, *capacity))))
        };
        assert_eq!((with(least), with(most)), (59, 40));
        let rising = Shape(vec![(0, 0), (100, 100)]);
        let scores = parts.iter().map(|(used, capacity)| (1, rising.score(*used, *capacity)));
        assert_eq!(ratio(scores), 41);
        assert_eq!(ratio([(1, 0), (1, 50)].into_iter()), 50);
    }

    #[test]
    fn everything_that_is_lacking_is_told() {
        use crate::kube_scheduler::plugin_tests::{FITS, Said, question};
        use crate::testing::{cluster, node, pod};
        type Case = (&'static str, &'static str, u32, Option<(Code, &'static [&'static str])>);
        let (now, ever) = (Code::Unschedulable, Code::UnschedulableAndUnresolvable);
        let cases: [Case; 9] = [
            ("cpu=1", "memory=1Gi", 37, None),
            ("cpu=3", "cpu=1", 37, None),
            ("cpu=3", "cpu=1001m", 37, Some((now, &["Insufficient cpu"]))),
            ("cpu=3", "cpu=5", 37, Some((ever, &["Insufficient cpu"]))),
            ("cpu=3", "cpu=5", 33, Some((now, &["Insufficient cpu"]))),
            (
                "cpu=3",
                "cpu=2,memory=17Gi",
                37,
                Some((ever, &["Insufficient cpu", "Insufficient memory"])),
            ),
            ("cpu=9", "cpu=0", 37, None),
            ("cpu=1", "example.com/gpu=1", 37, Some((ever, &["Insufficient example.com/gpu"]))),
            ("cpu=1", "example.com/gpu=0", 37, None),
        ];
        for (used, asked, minor, expected) in cases {
            let state = cluster([node("n")], [pod("q").on("n").requests(used)]);
            let verdicts = question(state, pod("p").requests(asked)).release(minor).filter(&PLUGIN);
            let expected = expected.map_or(FITS, |(code, reasons)| {
                Said::Refused(code, reasons.iter().map(|it| (*it).to_owned()).collect())
            });
            assert_eq!(verdicts, [expected], "{used} {asked} 1.{minor}");
        }
    }

    #[test]
    fn a_node_without_pod_slots_takes_none() {
        use crate::kube_scheduler::plugin_tests::{question, unschedulable};
        use crate::testing::{cluster, node, pod};
        let state = cluster([node("n").allocatable("cpu=4,memory=1Gi")], []);
        assert_eq!(question(state, pod("p")).filter(&PLUGIN), [unschedulable("Too many pods")]);
    }

    #[test]
    fn containers_without_requests_are_scored_as_small_ones() {
        use crate::kube_scheduler::plugin_tests::question;
        use crate::testing::{cluster, node, pod};
        // cpu (4000 - 100) of 4000 is 97; memory (16Gi - 200Mi) of 16Gi is 98.
        let question = question(cluster([node("n")], []), pod("p"));
        assert_eq!(question.score(&PLUGIN), Some((vec![97], vec![97])));
    }
}
