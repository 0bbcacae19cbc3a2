//! `NodeName`: a pod that names its node goes nowhere else.

use crate::kube_scheduler::framework::{Cycle, Plugin, PreFiltered, Verdict};
use crate::kube_scheduler::rejection::Rejection;

pub(crate) const PLUGIN: Plugin =
    Plugin { filter: Some(filter), pre_filter_since: Some(37), ..Plugin::named("NodeName") };

/// A replayed pod is taken off its node first, so that the name is absent here; a simulated pod may have one.
fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let Some(wanted) = &cycle.pod().node_name else {
        return PreFiltered::per_node(|_| Verdict::Fits);
    };
    PreFiltered::Narrowed(
        vec![wanted.clone()],
        Box::new(move |node| {
            Verdict::unresolvable_if((node.name != *wanted).then_some(Rejection::NodeName))
        }),
    )
}
