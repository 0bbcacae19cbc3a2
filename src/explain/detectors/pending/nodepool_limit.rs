//! The NodePools that could serve the pod have reached their limits.

use std::sync::Arc;

use super::super::Case;
use super::no_nodepool_fits::told_error;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::what_if::{self, PlannedPlace};
use crate::explain::words;
use crate::karpenter::{Plan, PodError, Refusal};
use crate::model::names::NodePoolName;
use crate::model::resources::Resources;

/// The code.
pub const CODE: &str = "nodepool-limit";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let Some(outcome) = case.plan().and_then(|plan| plan.outcomes.first()) else {
        return Vec::new();
    };
    let Some(PodError::NewNodeClaims(refusals)) = outcome.pod_errors.get(&case.landing.pod.key)
    else {
        return Vec::new();
    };
    let limited: Vec<(&NodePoolName, Option<&Resources>)> = refusals
        .iter()
        .filter_map(|(pool, refusal)| match refusal {
            Refusal::TypeLimits { remaining, .. } => Some((pool, Some(remaining))),
            Refusal::NodeLimit(_) => Some((pool, None)),
            _ => None,
        })
        .collect();
    if limited.is_empty() {
        return Vec::new();
    }
    vec![cause(case, &limited)]
}

/// What Karpenter plans when these NodePools have no limits.
pub(super) fn without_limits(case: &Case<'_, '_, '_>, pools: &[&NodePoolName]) -> Option<Plan> {
    let mut state = case.state.clone();
    for pool in &mut state.node_pools {
        if pools.iter().any(|name| **name == pool.name()) {
            let mut open = (**pool).clone();
            open.limits = None;
            *pool = Arc::new(open);
        }
    }
    what_if::plan(case.landing.world, &state, case.landing.world.setup.karpenter)
}

fn cause(case: &Case<'_, '_, '_>, limited: &[(&NodePoolName, Option<&Resources>)]) -> Cause {
    let names: Vec<&NodePoolName> = limited.iter().map(|(name, _)| *name).collect();
    let then = without_limits(case, &names);
    let place = then.as_ref().and_then(|plan| what_if::placement(plan, &case.landing.pod.key));
    let hidden =
        then.as_ref().and_then(|plan| plan.outcomes.first()?.pod_errors.get(&case.landing.pod.key));
    let pools: Vec<String> = limited.iter().map(|(pool, _)| format!("nodepool/{pool}")).collect();
    let names = words::list(&pools, 4);
    let summary = match hidden {
        Some(error) => format!(
            "{names} has reached its limits, and Karpenter gives that as the reason; but without the limit it could not serve the pod either: {}.",
            told_error(error)
        ),
        None => format!(
            "{names} could serve the pod but has reached its limits: Karpenter may launch nothing more there."
        ),
    };
    let mut cause = Cause::new(CODE, Class::Constraint, summary);
    for (pool, remaining) in limited {
        let Some(object) = case.state.node_pool(pool) else { continue };
        let limits = object.limits.as_ref().map(words::resources).unwrap_or_default();
        let used = words::resources(&object.used);
        let left = remaining
            .map(|remaining| format!(", left for new nodes: {}", words::resources(remaining)))
            .unwrap_or_default();
        cause = cause.because(
            Evidence::object(
                format!("nodepool/{pool}"),
                "spec.limits",
                format!("limits: {limits}; in use: {used}{left}"),
            )
            .value(limits),
        );
    }
    for message in case.landing.pod.karpenter_refusals.iter().rev().take(1) {
        cause = cause.because(Evidence::event(case.pod_name(), message, "Karpenter says so"));
    }
    let (outcome, flips) = match (&place, hidden) {
        (Some(PlannedPlace::New(claim)), _) => {
            (format!("Karpenter launches {}", super::prefers_no_karpenter_node::told(claim)), true)
        }
        (Some(PlannedPlace::Existing(node)), _) => {
            (format!("Karpenter plans the pod for {node}"), true)
        }
        (None, Some(error)) => {
            (format!("Karpenter refuses the pod all the same: {}", told_error(error)), false)
        }
        (None, None) => ("Karpenter has no place for the pod either".to_owned(), false),
    };
    cause
        .unless(Counterfactual::new(format!("without the limits of {names}"), outcome, flips))
        .advise(Advice::new("Raise spec.limits of the NodePool, if that much may be spent; a limit counts every node of the pool, also those that are still starting."))
        .advise(Advice::new("Or let another NodePool without this limit serve the pod; weights decide which is tried first."))
}
