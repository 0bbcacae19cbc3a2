//! Why each existing node refuses the pod.

use super::super::Case;
use super::super::facts::refusals_by_message;
use crate::explain::cause::{Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::kube_scheduler::Rejection;
use crate::model::quantity::Quantity;

/// The code.
pub const CODE: &str = "no-node-fits";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(decision), true) = (case.decision(), case.waits()) else { return Vec::new() };
    if !decision.feasible.is_empty() || decision.nodes.is_empty() {
        return Vec::new();
    }
    let messages = refusals_by_message(decision);
    let told: Vec<String> =
        messages.iter().map(|(message, nodes)| format!("{} {message}", nodes.len())).collect();
    let summary = format!(
        "kube-scheduler refuses every node ({}): {}.",
        words::count(decision.nodes.len(), "node"),
        told.join(", ")
    );
    let mut cause = Cause::new(CODE, Class::Constraint, summary).confidence(Confidence::Consistent);
    for (message, nodes) in messages.iter().take(8) {
        let names: Vec<String> = nodes.iter().map(words::node).collect();
        cause = cause.because(Evidence::replay(format!("{message}: {}", words::list(&names, 5))));
    }
    for verdict in decision.nodes.iter().take(4) {
        for rejection in verdict.refusals.iter().flat_map(|refusal| &refusal.reasons) {
            if let Some(detail) = detail(case, rejection) {
                cause = cause
                    .because(Evidence::replay(format!("{}: {detail}", words::node(&verdict.node))));
            }
        }
    }
    if let Some(message) = case.landing.pod.scheduler_refusals.last() {
        cause = cause.because(Evidence::event(case.pod_name(), message, "kube-scheduler says so"));
    }
    vec![cause]
}

/// The numbers behind a rejection.
fn detail(case: &Case<'_, '_, '_>, rejection: &Rejection) -> Option<String> {
    match rejection {
        Rejection::InsufficientResource { resource, requested, used, allocatable } => {
            // The scheduler counts cpu in thousandths and all else in whole units.
            let told = |amount: i64| {
                let of_cpu = resource.as_str() == "cpu";
                let quantity =
                    if of_cpu { Quantity::millis(amount) } else { Quantity::units(amount) };
                words::amount(resource.as_str(), quantity)
            };
            Some(format!(
                "{resource}: {} asked, {} free of {}",
                told(*requested),
                told((allocatable - used).max(0)),
                told(*allocatable)
            ))
        }
        Rejection::UntoleratedTaint(taint) => {
            Some(format!("taint {taint} that {} does not tolerate", case.pod_name()))
        }
        Rejection::TooManyPods { pods, allowed } => Some(format!("{pods} pods of {allowed}")),
        Rejection::SpreadSkew { topology_key, domain, count, minimum, max_skew, .. } => {
            Some(format!(
                "spread over {topology_key}: {count} in {domain}, {minimum} where fewest, maxSkew {max_skew}"
            ))
        }
        _ => None,
    }
}
