//! `TaintToleration`: taints keep away the pods that do not tolerate them.

use crate::kube_scheduler::framework::{Cycle, Normalize, Plugin, PreFiltered, Scoring, Verdict};
use crate::kube_scheduler::node_info::NodeInfo;
use crate::kube_scheduler::rejection::Rejection;
use crate::model::node::Node;
use crate::model::pod::Pod;
use crate::model::taint::{Effect, Taint, Toleration};

pub(crate) const PLUGIN: Plugin =
    Plugin { filter: Some(filter), score: Some(score), ..Plugin::named("TaintToleration") };

/// Rejects a node for the first hard taint that the pod does not tolerate.
fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    PreFiltered::per_node(|node| {
        let untolerated = untolerated(cycle.pod(), &node.node);
        Verdict::unresolvable_if(untolerated.cloned().map(Rejection::UntoleratedTaint))
    })
}

/// The first hard taint of a node that a pod does not tolerate.
pub(crate) fn untolerated<'a>(pod: &Pod, node: &'a Node) -> Option<&'a Taint> {
    node.taints.iter().find(|taint| {
        matches!(taint.effect, Effect::NoSchedule | Effect::NoExecute) && !pod.tolerates(taint)
    })
}

/// Counts the soft taints that the pod does not tolerate; a toleration for another effect does not help.
fn score(cycle: &Cycle<'_>, nodes: &[&NodeInfo]) -> Scoring {
    let tolerations: Vec<&Toleration> = cycle
        .spec()
        .tolerations
        .iter()
        .filter(|it| it.effect.as_ref().is_none_or(|effect| *effect == Effect::PreferNoSchedule))
        .collect();
    let counts = nodes.iter().map(|node| {
        let soft = node.node.taints.iter().filter(|it| it.effect == Effect::PreferNoSchedule);
        let kept = soft.filter(|taint| !tolerations.iter().any(|it| it.tolerates(taint)));
        i64::try_from(kept.count()).unwrap_or(i64::MAX)
    });
    Scoring::Scores(counts.collect(), Normalize::LowerIsBetter)
}
