//! The API server's defaults, applied once, here. A dump already shows them; a manifest or a reduced snapshot may not.
//!
//! What upstream treats differently when absent stays absent: a StorageClass without a binding mode, for one.

use crate::model::names::{ResourceName, Str};
use crate::model::pod::Container;
use crate::model::resources::{CPU, MEMORY, Resources};

use super::intern::Interner;

/// A pod without a scheduler's name is `default-scheduler`'s.
pub(crate) fn scheduler_name(name: &str, interner: &mut Interner) -> Str {
    interner.text(if name.is_empty() { "default-scheduler" } else { name })
}

/// A limit without a request is a request too; returns the names that were copied.
pub(crate) fn copy_limits(requests: &mut Resources, limits: &Resources) -> Vec<ResourceName> {
    let mut copied = Vec::new();
    for (name, limit) in limits {
        if requests.get(name.as_str()).is_none() {
            requests.set(name.clone(), *limit);
            copied.push(name.clone());
        }
    }
    copied
}

/// Requests of the pod as a whole. Where the pod has limits, a missing request is what its containers ask for in sum,
/// or else the limit. As `setDefaultPodRequests`.
pub(crate) fn pod_level_requests(
    mut requests: Resources,
    limits: Option<&Resources>,
    containers: &[Container],
    init_containers: &[Container],
) -> Resources {
    let Some(limits) = limits.filter(|limits| !limits.is_empty()) else { return requests };
    for (name, amount) in &sum_of_containers(containers, init_containers) {
        let is_plain = [CPU, MEMORY].contains(&name.as_str());
        if is_plain && requests.get(name.as_str()).is_none() {
            requests.set(name.clone(), *amount);
        }
    }
    for (name, limit) in limits {
        let counts =
            [CPU, MEMORY].contains(&name.as_str()) || name.as_str().starts_with("hugepages-");
        if counts && requests.get(name.as_str()).is_none() {
            requests.set(name.clone(), *limit);
        }
    }
    requests
}

/// What containers ask for: those that run side by side in sum, or one that runs before them where it asks for more.
fn sum_of_containers(containers: &[Container], init_containers: &[Container]) -> Resources {
    let mut sum = Resources::new();
    for container in containers {
        sum.add(&container.requests);
    }
    let mut sidecars = Resources::new();
    let mut largest = Resources::new();
    for container in init_containers {
        let mut together = sidecars.clone();
        together.add(&container.requests);
        if container.restarts_always {
            sum.add(&container.requests);
            sidecars = together.clone();
        }
        largest.raise_to(&together);
    }
    sum.raise_to(&largest);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resources(json: &str) -> Resources {
        serde_json::from_str(json).expect("resources")
    }

    #[test]
    fn a_limit_without_a_request_is_a_request() {
        let mut requests = resources(r#"{"cpu":"1"}"#);
        let copied = copy_limits(&mut requests, &resources(r#"{"cpu":"2","memory":"1Gi"}"#));
        assert_eq!(requests, resources(r#"{"cpu":"1","memory":"1Gi"}"#));
        assert_eq!(copied, [ResourceName::from("memory")]);
    }

    #[test]
    fn a_pods_own_limits_make_its_requests_complete() {
        let container =
            Container { requests: resources(r#"{"cpu":"500m"}"#), ..Container::default() };
        let limits = resources(r#"{"cpu":"2","memory":"1Gi","ephemeral-storage":"1Gi"}"#);
        assert_eq!(
            pod_level_requests(Resources::new(), Some(&limits), &[container], &[]),
            resources(r#"{"cpu":"500m","memory":"1Gi"}"#)
        );
    }
}
