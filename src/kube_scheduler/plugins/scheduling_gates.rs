//! `SchedulingGates`: a pod with gates is not queued.

use crate::kube_scheduler::framework::{Cycle, Plugin};
use crate::kube_scheduler::rejection::Rejection;

pub(crate) const PLUGIN: Plugin =
    Plugin { pre_enqueue: Some(pre_enqueue), ..Plugin::named("SchedulingGates") };

fn pre_enqueue(cycle: &Cycle<'_>) -> Option<Rejection> {
    let gates = &cycle.spec().scheduling_gates;
    (!gates.is_empty()).then(|| Rejection::SchedulingGates(gates.clone()))
}
