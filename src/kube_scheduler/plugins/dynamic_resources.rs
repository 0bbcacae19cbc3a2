//! `DynamicResources`: devices that a pod claims.

use crate::kube_scheduler::framework::{Cycle, Plugin};
use crate::kube_scheduler::post_filter::Unschedulable;

pub(crate) const PLUGIN: Plugin =
    Plugin { pre_filter_since: Some(0), ..Plugin::named("DynamicResources") };

pub(crate) fn backs(_: &Cycle<'_>, _: &str) -> bool {
    false
}

pub(crate) fn post_filter(pod: &Unschedulable<'_>) -> Option<String> {
    let minor = pod.attempt.cycle.version().minor();
    (34..=36).contains(&minor).then(|| "no new claims to deallocate".to_owned())
}
