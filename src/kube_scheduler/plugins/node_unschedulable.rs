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
