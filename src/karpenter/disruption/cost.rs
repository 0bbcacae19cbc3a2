//! What it costs to move a pod, and whether a node counts as empty by it.

use crate::karpenter::rescheduling::is_reschedulable;
use crate::karpenter::version::Version;
use crate::model::pod::Pod;

/// The operator's word on what a disruption of the pod costs (since 1.15).
const DISRUPTION_COST: &str = "karpenter.sh/disruption-cost";
/// Kubernetes' own, which a ReplicaSet heeds when it shrinks.
const POD_DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// What it costs to move a pod: 1 for a plain one, within -10 and 10. As `disruption.EvictionCost`.
pub(super) fn of_pod(pod: &Pod, version: Version) -> f64 {
    let own = || pod.meta.annotations.value(DISRUPTION_COST).filter(|_| version.since(15, 0));
    let text = own().or_else(|| pod.meta.annotations.value(POD_DELETION_COST));
    let annotated = text.and_then(|text| text.parse::<f64>().ok()).filter(|cost| cost.is_finite());
    let by_annotation = annotated.unwrap_or(0.0) / f64::from(1 << 27);
    let by_priority = f64::from(pod.priority()) / f64::from(1 << 25);
    (1.0 + by_annotation + by_priority).clamp(-10.0, 10.0)
}

/// What it costs to take a node away: 1, and the cost of each pod that needs another place.
pub(super) fn of_node<'a>(pods: impl Iterator<Item = &'a Pod>, version: Version) -> f64 {
    let costs = pods.filter(|pod| is_reschedulable(pod)).map(|pod| of_pod(pod, version).max(0.0));
    1.0 + costs.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::names::Str;
    use crate::testing::pod;

    #[test]
    fn a_pods_cost_follows_its_annotations_and_its_priority() {
        let annotated = |key: &str, value: &str| {
            pod("p").meta(|meta| {
                meta.annotations = [(Str::from(key), Str::from(value))].into_iter().collect();
            })
        };
        let newest = Version::LATEST;
        for (case, pod, version, expected) in [
            ("plain", pod("p"), newest, 1.0),
            ("system", pod("p").priority(2_000_001_000), newest, 10.0),
            ("low", pod("p").priority(-100_000_000), newest, 1.0 - 100_000_000.0 / 33_554_432.0),
            ("deletion cost", annotated(POD_DELETION_COST, "134217728"), newest, 2.0),
            ("own cost", annotated(DISRUPTION_COST, "134217728"), newest, 2.0),
            (
                "own cost, before",
                annotated(DISRUPTION_COST, "134217728"),
                Version::new(1, 14, 0),
                1.0,
            ),
            ("not a number", annotated(POD_DELETION_COST, "much"), newest, 1.0),
        ] {
            let cost = of_pod(&pod.build(), version);
            assert!((cost - expected).abs() < 1e-9, "{case}: {cost}");
        }
    }

    #[test]
    fn pods_of_low_priority_alone_cost_nothing() {
        let pods = [pod("p").priority(-100_000_000).build()];
        assert!(of_node(pods.iter(), Version::LATEST) <= 1.0);
    }
}
