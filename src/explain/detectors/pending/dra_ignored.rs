//! Karpenter sets pods with resource claims aside.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::what_if::{self, PlannedPlace};
use crate::explain::words;
use crate::karpenter::PodError;
use crate::model::dra::ResourceClaim;
use crate::model::names::Str;
use crate::model::pod::Pod;
use std::sync::Arc;

/// The code.
pub const CODE: &str = "dra-ignored";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(pod), Some(plan)) = (case.pod(), case.plan()) else { return Vec::new() };
    let error =
        plan.outcomes.first().and_then(|outcome| outcome.pod_errors.get(&case.landing.pod.key));
    let left_out = plan.left_out.iter().any(|left| {
        left.pod == case.landing.pod.key
            && left.reasons.iter().any(|reason| reason.contains("Dynamic Resource Allocation"))
    });
    if !(matches!(error, Some(PodError::Dra)) || left_out) {
        return Vec::new();
    }
    vec![cause(case, pod)]
}

/// The names of the claims that a pod refers to.
fn claim_names(pod: &Pod) -> Vec<Str> {
    let mut names = Vec::new();
    for claim in &pod.spec.resource_claims {
        let made = pod.status.resource_claim_names.iter().find(|(name, _)| *name == claim.name);
        let name = claim.claim_name.clone().or_else(|| made.and_then(|(_, made)| made.clone()));
        names.push(name.unwrap_or_else(|| claim.name.clone()));
    }
    names
}

/// The device classes that a claim asks for.
fn device_classes(claim: &ResourceClaim) -> Vec<String> {
    let requests = claim.devices.get("requests").and_then(|requests| requests.as_array());
    let mut classes = Vec::new();
    for request in requests.into_iter().flatten() {
        let exactly = request.get("exactly").unwrap_or(request);
        classes.extend(
            exactly.get("deviceClassName").and_then(|name| name.as_str()).map(ToOwned::to_owned),
        );
    }
    classes
}

fn cause(case: &Case<'_, '_, '_>, pod: &Arc<Pod>) -> Cause {
    let name = case.pod_name();
    let names = claim_names(pod);
    let objects: Vec<&Arc<ResourceClaim>> = case
        .state
        .resource_claims
        .iter()
        .filter(|claim| {
            claim.meta.namespace == pod.meta.namespace && names.contains(&claim.meta.name)
        })
        .collect();
    let mut classes: Vec<String> = objects.iter().flat_map(|claim| device_classes(claim)).collect();
    classes.sort();
    classes.dedup();
    let claims = words::list(
        &names.iter().map(|name| format!("resourceclaim/{name}")).collect::<Vec<_>>(),
        3,
    );
    let of_class = if classes.is_empty() {
        String::new()
    } else {
        format!(" (device class {})", classes.join(", "))
    };
    let summary = format!(
        "DRA: the device is asked for by {claims}{of_class}, not by an extended resource such as nvidia.com/gpu. Karpenter sets pods with resource claims aside (IGNORE_DRA_REQUESTS is {} by default): that alone keeps the pod out of the simulation, and nothing is launched or relaxed.",
        case.landing.world.setup.karpenter.ignore_dra_requests
    );
    let mut cause = Cause::new(CODE, Class::Constraint, summary).because(
        Evidence::object(&name, "spec.resourceClaims", format!("the pod refers to {claims}"))
            .value(names.join(", ")),
    );
    for claim in &objects {
        let classes = device_classes(claim).join(", ");
        cause = cause.because(
            Evidence::object(
                format!("resourceclaim/{}", claim.meta.name),
                "spec.devices.requests",
                format!("the claim asks for device class {classes}"),
            )
            .value(classes),
        );
    }
    cause =
        cause.because(Evidence::replay(format!("Karpenter refuses the pod: {}", PodError::Dra)));
    cause = cause.because(slices(case, &classes));
    let mut without = (**pod).clone();
    let mut spec = (*pod.spec).clone();
    spec.resource_claims.clear();
    for container in spec.containers.iter_mut().chain(&mut spec.init_containers) {
        container.claims.clear();
    }
    without.spec = Arc::new(spec);
    let state = what_if::with_pod(case.state, without);
    let then = what_if::plan(case.landing.world, &state, case.landing.world.setup.karpenter);
    let place = then.as_ref().and_then(|plan| what_if::placement(plan, &case.landing.pod.key));
    let (outcome, flips) = match &place {
        Some(PlannedPlace::New(claim)) => (
            format!(
                "Karpenter launches {}: cpu and memory fit",
                super::prefers_no_karpenter_node::told(claim)
            ),
            true,
        ),
        Some(PlannedPlace::Existing(node)) => (format!("Karpenter plans the pod for {node}"), true),
        None => ("Karpenter has no place for the pod either".to_owned(), false),
    };
    cause
        .unless(Counterfactual::new("without the resource claim", outcome, flips))
        .advise(Advice::new(
            "Request the device through its device plugin instead, as an extended resource: nvidia.com/gpu in the container's limits. Karpenter knows which instance types have it.",
        ))
        .advise(Advice::new("Or keep one such node by other means: a static NodePool, a node group, or a placeholder pod that asks for the extended resource."))
        .advise(Advice::new(
            "Switching DRA on (IGNORE_DRA_REQUESTS=false) is not enough by itself: the provider has to declare which devices a new node will publish.",
        ))
}

fn slices(case: &Case<'_, '_, '_>, classes: &[String]) -> Evidence {
    let drivers: Vec<&str> = classes.iter().map(String::as_str).collect();
    let of_driver = case.state.resource_slices.iter().filter(|slice| {
        slice.driver.as_deref().is_some_and(|driver| {
            drivers.iter().any(|class| class.contains(driver) || driver.contains(class))
        })
    });
    let number = of_driver.count();
    if number == 0 {
        Evidence::object(
            "resourceslices",
            "spec.driver",
            "no ResourceSlice of the driver exists in the cluster: even with DRA switched on, the provider would have to declare what devices a new node will publish (a template), without that no instance type satisfies the claim",
        )
    } else {
        Evidence::object(
            "resourceslices",
            "spec.driver",
            format!("{} of the driver in the cluster", words::count(number, "ResourceSlice")),
        )
    }
}
