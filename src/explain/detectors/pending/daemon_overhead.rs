//! DaemonSets that set only limits make the node larger than the pod alone would need.

use std::sync::Arc;

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::what_if::{self, PlannedPlace};
use crate::explain::words;
use crate::model::cluster_state::ClusterState;
use crate::model::pod::Container;
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::resources::{CPU, MEMORY, Resources};
use crate::model::workload::{Workload, WorkloadKind};

/// The code.
pub const CODE: &str = "daemonset-limits-only";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let Some(plan) = case.plan() else { return Vec::new() };
    let Some(PlannedPlace::New(claim)) = what_if::placement(plan, &case.landing.pod.key) else {
        return Vec::new();
    };
    let daemons: Vec<&Arc<Workload>> = case
        .state
        .workloads
        .iter()
        .filter(|workload| workload.kind == WorkloadKind::DaemonSet)
        .collect();
    let limited: Vec<&Arc<Workload>> =
        daemons.iter().copied().filter(|daemon| is_limited_only(daemon)).collect();
    if limited.is_empty() {
        return Vec::new();
    }
    let stated = what_if::plan(
        case.landing.world,
        &with_stated_requests(case.state),
        case.landing.world.setup.karpenter,
    );
    let Some(PlannedPlace::New(smaller)) =
        stated.as_ref().and_then(|plan| what_if::placement(plan, &case.landing.pod.key))
    else {
        return Vec::new();
    };
    let (Some(now), Some(then)) = (claim.instance_types.first(), smaller.instance_types.first())
    else {
        return Vec::new();
    };
    if claim.requests == smaller.requests {
        return Vec::new();
    }
    let own = case.requests();
    let mut terms = vec![words::amount(CPU, own.amount(CPU))];
    for daemon in &daemons {
        let cpu = spec_requests(&daemon.template.spec, RequestRules::default()).amount(CPU);
        if !cpu.is_zero() {
            terms.push(format!(
                "{} ({}/{})",
                words::amount(CPU, cpu),
                daemon.meta.namespace,
                daemon.meta.name
            ));
        }
    }
    let total = words::amount(CPU, claim.requests.amount(CPU));
    let names: Vec<String> = limited.iter().map(|daemon| name(daemon)).collect();
    let mut summary = format!(
        "DaemonSet overhead: {} sets only limits ({}). The API server copies limits into missing requests when a pod is made, and Karpenter does the same with the template: {} = {total}.",
        words::list(&names, 3),
        limited.iter().map(|daemon| limits(daemon)).collect::<Vec<_>>().join("; "),
        terms.join(" + "),
    );
    if now.name != then.name {
        let less = allocatable(then);
        summary.push_str(&format!(
            " {} has {} cpu allocatable, so the cheapest that fits is {}.",
            then.name,
            words::amount(CPU, less.amount(CPU)),
            now.name
        ));
    }
    let mut cause = Cause::new(CODE, Class::Constraint, summary);
    for daemon in &limited {
        cause = cause.because(
            Evidence::object(
                name(daemon),
                "spec.template.spec.containers[].resources.limits",
                format!("{} states limits but no requests: {}", name(daemon), limits(daemon)),
            )
            .value(limits(daemon)),
        );
    }
    let smaller_total = words::amount(CPU, smaller.requests.amount(CPU));
    cause = cause
        .because(Evidence::replay(format!("Karpenter plans one NodeClaim with cpu {total}, cheapest type {}", now.name)))
        .because(Evidence::replay(format!("{} allocatable: {}", then.name, words::resources(&allocatable(then)))))
        .because(Evidence::inferred(format!(
            "a replay that reads resources.requests of the template alone would say {smaller_total} and {}, which is what old releases of Karpenter did, and then they looped",
            then.name
        )))
        .unless(Counterfactual::new(
            "with the requests that the templates state themselves",
            format!("Karpenter plans cpu {smaller_total} and {}", then.name),
            now.name != then.name,
        ));
    vec![cause.advise(Advice::new(
        "State requests in the DaemonSet: what it needs, not its limit. Too little, and it is squeezed on a full node; every new node is smaller by the difference.",
    ))]
}

fn name(daemon: &Workload) -> String {
    format!("DaemonSet {}/{}", daemon.meta.namespace, daemon.meta.name)
}

/// Resources that a container limits without asking for them.
fn unstated(container: &Container) -> Vec<(&str, String)> {
    container
        .requests_from_limits
        .iter()
        .filter_map(|resource| {
            Some((resource.as_str(), container.limits.get(resource.as_str())?.to_string()))
        })
        .collect()
}

fn is_limited_only(daemon: &Workload) -> bool {
    daemon.template.spec.containers.iter().any(|container| !unstated(container).is_empty())
}

fn limits(daemon: &Workload) -> String {
    let containers = daemon.template.spec.containers.iter();
    let amounts: Vec<String> = containers
        .flat_map(|container| unstated(container).into_iter().map(|(_, amount)| amount))
        .collect();
    amounts.join("/")
}

fn allocatable(kind: &crate::model::instance_type::InstanceType) -> Resources {
    let mut left = kind.capacity.clone();
    for part in [
        &kind.overhead.kube_reserved,
        &kind.overhead.system_reserved,
        &kind.overhead.eviction_threshold,
    ] {
        left.subtract(part);
    }
    [CPU, MEMORY].into_iter().filter_map(|name| Some((name, left.get(name)?))).fold(
        Resources::new(),
        |mut sum, (name, amount)| {
            sum.set(name.into(), amount);
            sum
        },
    )
}

/// The state with each DaemonSet and its pods asking only for what the template states.
fn with_stated_requests(state: &ClusterState) -> ClusterState {
    let mut state = state.clone();
    for daemon in
        state.workloads.iter_mut().filter(|workload| workload.kind == WorkloadKind::DaemonSet)
    {
        if !is_limited_only(daemon) {
            continue;
        }
        let mut stated = (**daemon).clone();
        let mut spec = (*stated.template.spec).clone();
        for container in &mut spec.containers {
            for (resource, _) in unstated(&container.clone()) {
                container.requests.remove(resource);
                container.limits.remove(resource);
            }
        }
        stated.template.spec = Arc::new(spec);
        let template = Arc::clone(&stated.template.spec);
        let owner = stated.meta.name.clone();
        for pod in &mut state.pods {
            if pod.is_daemon() && pod.meta.owners.iter().any(|known| known.name == owner) {
                let mut of_template = (**pod).clone();
                let mut own = (*of_template.spec).clone();
                own.containers.clone_from(&template.containers);
                of_template.spec = Arc::new(own);
                *pod = Arc::new(of_template);
            }
        }
        *daemon = Arc::new(stated);
    }
    state
}
