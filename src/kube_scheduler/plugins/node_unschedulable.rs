//! `NodeUnschedulable`: a cordoned node takes no pod but one that tolerates the taint of cordoned nodes.

use crate::kube_scheduler::framework::{Cycle, Plugin, PreFiltered, Verdict};
use crate::kube_scheduler::rejection::Rejection;
use crate::model::taint::{Effect, Taint};

pub(crate) const PLUGIN: Plugin =
    Plugin { filter: Some(filter), ..Plugin::named("NodeUnschedulable") };

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let cordoned = Taint {
        key: "node.kubernetes.io/unschedulable".into(),
        value: "".into(),
        effect: Effect::NoSchedule,
        added: None,
    };
    let tolerated = cycle.pod().tolerates(&cordoned);
    PreFiltered::per_node(move |node| {
        let refused = node.node.unschedulable && !tolerated;
        Verdict::unresolvable_if(refused.then_some(Rejection::Unschedulable))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, question, unresolvable};
    use crate::testing::{cluster, node, pod};

    #[test]
    fn a_cordoned_node_takes_only_pods_that_tolerate_it() {
        let cordoned = node("n").with(|node| node.unschedulable = true);
        let tainted = node("n").taint("node.kubernetes.io/unschedulable:NoSchedule");
        let refused = || unresolvable("node(s) were unschedulable");
        for (case, pod, node, expected) in [
            ("cordoned", pod("p"), &cordoned, refused()),
            ("tolerated", pod("p").tolerates("node.kubernetes.io/unschedulable"), &cordoned, FITS),
            ("everything is tolerated", pod("p").tolerates(""), &cordoned, FITS),
            ("the taint alone", pod("p"), &tainted, FITS),
        ] {
            let question = question(cluster([node.clone()], []), pod);
            assert_eq!(question.filter(&PLUGIN), [expected], "{case}");
        }
    }
}
