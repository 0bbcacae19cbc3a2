//! What a pod asks for as a whole: Kubernetes' own sum over its containers. As `component-helpers`' `PodRequests`.

use super::meta::condition;
use super::names::ResourceName;
use super::pod::{Container, ContainerResources, Pod, PodSpec};
use super::resources::{CPU, MEMORY, Resources};

/// Which parts of the sum a component's release knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRules {
    /// What the kubelet reported of an in-place resize counts beside the spec.
    pub status_counts: bool,
    /// `spec.resources.requests` replaces the containers' sum.
    pub pod_level_counts: bool,
}

impl Default for RequestRules {
    fn default() -> Self {
        Self { status_counts: true, pod_level_counts: true }
    }
}

/// What a pod requests, with its overhead.
pub fn pod_requests(pod: &Pod, rules: RequestRules) -> Resources {
    let resized = pod.status.resize.as_deref().filter(|_| rules.status_counts);
    let Some(resized) = resized else { return spec_requests(&pod.spec, rules) };
    let infeasible = condition(&pod.status.conditions, "PodResizePending")
        .is_some_and(|pending| &*pending.reason == "Infeasible");
    let amended = |container: &Container, reported: &[ContainerResources]| {
        let status = reported
            .iter()
            .find(|status| Some(&status.name) == container.name.as_ref() && status.has_resources);
        let Some(status) = status else { return container.requests.clone() };
        let mut requests = if infeasible { Resources::new() } else { container.requests.clone() };
        for side in [&status.requests, &status.allocated].into_iter().flatten() {
            requests.raise_to(side);
        }
        requests
    };
    sum(
        &pod.spec,
        rules,
        |container| amended(container, &resized.containers),
        |container| {
            if container.restarts_always {
                amended(container, &resized.init_containers)
            } else {
                container.requests.clone()
            }
        },
    )
}

/// What pods of a spec request while nothing was resized.
pub fn spec_requests(spec: &PodSpec, rules: RequestRules) -> Resources {
    sum(spec, rules, |container| container.requests.clone(), |container| container.requests.clone())
}

fn sum(
    spec: &PodSpec,
    rules: RequestRules,
    container_requests: impl Fn(&Container) -> Resources,
    init_requests: impl Fn(&Container) -> Resources,
) -> Resources {
    let mut total = Resources::new();
    for container in &spec.containers {
        total.add(&container_requests(container));
    }
    let (mut sidecars, mut starting) = (Resources::new(), Resources::new());
    for container in &spec.init_containers {
        let mut requests = init_requests(container);
        if container.restarts_always {
            total.add(&requests);
            sidecars.add(&requests);
            starting.raise_to(&sidecars);
        } else {
            requests.add(&sidecars);
            starting.raise_to(&requests);
        }
    }
    total.raise_to(&starting);
    if let Some(whole) = spec.pod_requests.as_ref().filter(|_| rules.pod_level_counts) {
        for (name, amount) in whole {
            if is_pod_level(name) {
                total.set(name.clone(), *amount);
            }
        }
    }
    total.add(&spec.overhead);
    total
}

/// Whether a pod as a whole may request the resource.
fn is_pod_level(name: &ResourceName) -> bool {
    matches!(name.as_str(), CPU | MEMORY) || name.as_str().starts_with("hugepages-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::quantity::Quantity;

    fn container(cpu: i64, restarts_always: bool) -> Container {
        let requests = [(ResourceName::from(CPU), Quantity::units(cpu))].into_iter().collect();
        Container { requests, restarts_always, ..Container::default() }
    }

    #[test]
    fn sidecars_add_and_other_init_containers_take_turns() {
        for (case, init, expected) in [
            ("none", vec![], 2),
            ("one large", vec![container(5, false)], 5),
            ("a sidecar runs beside the containers", vec![container(1, true)], 3),
            (
                "what starts after a sidecar runs beside it",
                vec![container(1, true), container(5, false)],
                6,
            ),
            ("what starts before does not", vec![container(3, false), container(1, true)], 3),
        ] {
            let spec = PodSpec {
                containers: vec![container(2, false)],
                init_containers: init,
                ..PodSpec::default()
            };
            let requests = spec_requests(&spec, RequestRules::default());
            assert_eq!(requests.amount(CPU), Quantity::units(expected), "{case}");
        }
    }
}
