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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, Said, question, unresolvable};
    use crate::testing::{TestNode, TestPod, cluster, node, pod};

    fn verdict(pod: &TestPod, node: &TestNode, minor: u32) -> Said {
        let question = question(cluster([node.clone()], []), pod.clone()).release(minor);
        question.filter(&PLUGIN).remove(0)
    }

    #[test]
    fn a_hard_taint_rejects_unless_tolerated() {
        let gpu = node("n").taint("gpu=true:NoSchedule");
        let untolerated = || unresolvable("node(s) had untolerated taint(s)");
        for (case, pod, expected) in [
            ("no toleration", pod("p"), untolerated()),
            ("same key, value, effect", pod("p").tolerates("gpu=true:NoSchedule"), FITS),
            ("no effect means every effect", pod("p").tolerates("gpu=true"), FITS),
            ("no value means every value", pod("p").tolerates("gpu:NoSchedule"), FITS),
            ("another value", pod("p").tolerates("gpu=false:NoSchedule"), untolerated()),
            ("another effect", pod("p").tolerates("gpu=true:NoExecute"), untolerated()),
            ("no key means every key", pod("p").tolerates(""), FITS),
        ] {
            assert_eq!(verdict(&pod, &gpu, 37), expected, "{case}");
        }
        assert_eq!(
            verdict(&pod("p"), &gpu, 33),
            unresolvable("node(s) had untolerated taint {gpu: true}")
        );
        assert_eq!(verdict(&pod("p"), &node("n").taint("a:PreferNoSchedule"), 37), FITS);
    }

    #[test]
    fn soft_taints_count_unless_tolerated_for_their_own_effect() {
        let nodes = [
            node("a"),
            node("b").taint("x=1:PreferNoSchedule"),
            node("c")
                .taint("x=1:PreferNoSchedule")
                .taint("y:PreferNoSchedule")
                .taint("z:PreferNoSchedule"),
        ];
        for (pod, raw, normalized) in [
            (pod("p"), vec![0, 1, 3], vec![100, 67, 0]),
            (pod("p").tolerates("x=1:NoSchedule"), vec![0, 1, 3], vec![100, 67, 0]),
            (pod("p").tolerates("x=1"), vec![0, 0, 2], vec![100, 100, 0]),
        ] {
            let question = question(cluster(nodes.clone(), []), pod);
            assert_eq!(question.score(&PLUGIN), Some((raw, normalized)));
        }
    }
}
