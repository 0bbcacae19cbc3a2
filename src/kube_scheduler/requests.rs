//! What a pod asks for: the sums over its containers, its overhead, and what a resize has left behind.

use crate::model::pod::{Container, ContainerResources, Pod, PodSpec, ResizeStatus};
use crate::model::quantity::Quantity;
use crate::model::resources::{CPU, MEMORY, Resources};

use super::amounts::Amounts;
use super::version::Version;

/// What a container without a cpu request counts as, for scores.
pub(crate) const DEFAULT_CPU: Quantity = Quantity::millis(100);
/// What a container without a memory request counts as, for scores.
pub(crate) const DEFAULT_MEMORY: Quantity = Quantity::bytes(200 * 1024 * 1024);

/// What of a pod is summed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summing {
    /// What an in-place resize has allocated and made real counts too.
    resize: Resize,
    /// Requests of the pod as a whole replace those of its containers.
    pod_level: bool,
    /// A container that lacks one of these counts as asking for it: cpu, memory.
    defaults: (bool, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resize {
    /// Only what the manifest asks for.
    Ignored,
    /// The largest for each container (1.33 to 1.36), and for the pod as a whole from 1.36 on.
    PerContainer { pod_level: bool },
    /// The largest of the sums (from 1.37 on).
    OfSums,
}

impl Summing {
    /// For `NodeResourcesFit`'s filter, and for `NodeResourcesBalancedAllocation`'s score, of a pod that is not bound.
    pub(crate) fn incoming(version: &Version) -> Self {
        Self { resize: Resize::Ignored, pod_level: version.since(34), defaults: (false, false) }
    }

    /// For `NodeResourcesFit`'s score: upstream never honours the requests of the pod as a whole here.
    pub(crate) const fn scored() -> Self {
        Self { resize: Resize::Ignored, pod_level: false, defaults: (true, true) }
    }

    /// For pods that are on a node.
    fn on_node(version: &Version) -> Self {
        let resize = match version.minor() {
            ..=32 => Resize::Ignored,
            33..=36 => Resize::PerContainer { pod_level: version.since(36) },
            _ => Resize::OfSums,
        };
        Self { resize, ..Self::incoming(version) }
    }

    /// What a pod asks for in all. As upstream's `PodRequests`.
    pub(crate) fn sum(self, pod: &PodSpec, resize: Option<&ResizeOf<'_>>) -> Resources {
        let resize = resize.filter(|_| self.resize != Resize::Ignored);
        let mut sum = match (self.resize, resize) {
            (Resize::PerContainer { .. }, Some(resize)) => {
                self.aggregate(pod, |container, kind| resize.largest(container, kind))
            }
            (Resize::OfSums, Some(resize)) => self.largest_of_sums(pod, resize),
            (_, None) | (Resize::Ignored, _) => self.stated(pod),
        };
        if self.pod_level {
            self.replace_by_pod_level(pod, resize, &mut sum);
        }
        sum.add(&pod.overhead);
        sum
    }

    fn stated(self, pod: &PodSpec) -> Resources {
        self.aggregate(pod, |container, _| container.requests.clone())
    }

    fn largest_of_sums(self, pod: &PodSpec, resize: &ResizeOf<'_>) -> Resources {
        let status = resize.status;
        let (mut sum, actual) = match (&status.allocated, &status.requests) {
            (Some(allocated), Some(actual)) => (allocated.clone(), actual.clone()),
            _ => (
                self.aggregate(pod, |container, _| resize.allocated(container)),
                self.aggregate(pod, |container, _| resize.actual(container)),
            ),
        };
        sum.raise_to(&actual);
        if !resize.infeasible {
            sum.raise_to(&self.stated(pod));
        }
        sum
    }

    fn aggregate(
        self,
        pod: &PodSpec,
        requests: impl Fn(&Container, ContainerKind) -> Resources,
    ) -> Resources {
        let with_defaults = |container: &Container, kind| {
            let mut requests = requests(container, kind);
            let (cpu, memory) = self.defaults;
            if cpu && requests.get(CPU).is_none() {
                requests.set(CPU.into(), DEFAULT_CPU);
            }
            if memory && requests.get(MEMORY).is_none() {
                requests.set(MEMORY.into(), DEFAULT_MEMORY);
            }
            requests
        };
        let mut sum = Resources::new();
        for container in &pod.containers {
            sum.add(&with_defaults(container, ContainerKind::Regular));
        }
        let (mut sidecars, mut largest) = (Resources::new(), Resources::new());
        for container in &pod.init_containers {
            if container.restarts_always {
                let requests = with_defaults(container, ContainerKind::Sidecar);
                sum.add(&requests);
                sidecars.add(&requests);
                largest.raise_to(&sidecars);
            } else {
                let mut requests = with_defaults(container, ContainerKind::Init);
                requests.add(&sidecars);
                largest.raise_to(&requests);
            }
        }
        sum.raise_to(&largest);
        sum
    }

    fn replace_by_pod_level(
        self,
        pod: &PodSpec,
        resize: Option<&ResizeOf<'_>>,
        sum: &mut Resources,
    ) {
        let Some(stated) = pod.pod_requests.as_ref().filter(|stated| sets_pod_level(stated)) else {
            return;
        };
        let resized = resize.filter(|resize| {
            resize.status.has_resources
                && matches!(self.resize, Resize::OfSums | Resize::PerContainer { pod_level: true })
        });
        let mut whole = stated.clone();
        if let Some(resize) = resized {
            if resize.infeasible {
                whole = Resources::new();
            }
            for more in [&resize.status.requests, &resize.status.allocated].into_iter().flatten() {
                whole.raise_to(more);
            }
        }
        for (name, amount) in whole.iter().filter(|(name, _)| counts_for_pod_level(name.as_str())) {
            sum.set(name.clone(), *amount);
        }
    }
}

/// Whether a list of requests of the pod as a whole says anything. As upstream's `IsPodLevelRequestsSet`.
fn sets_pod_level(stated: &Resources) -> bool {
    stated.iter().any(|(name, _)| counts_for_pod_level(name.as_str()))
}

fn counts_for_pod_level(name: &str) -> bool {
    name == CPU || name == MEMORY || name.starts_with("hugepages-")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContainerKind {
    Regular,
    Sidecar,
    Init,
}

/// What was reported of a pod's resize.
pub(crate) struct ResizeOf<'a> {
    status: &'a ResizeStatus,
    infeasible: bool,
}

impl<'a> ResizeOf<'a> {
    /// What a pod's status reports of resources, if anything.
    pub(crate) fn pod(pod: &'a Pod) -> Option<Self> {
        static NOTHING: ResizeStatus = ResizeStatus {
            containers: Vec::new(),
            init_containers: Vec::new(),
            allocated: None,
            requests: None,
            has_resources: false,
        };
        let pending = pod.status.conditions.iter().find(|it| &*it.kind == "PodResizePending");
        let infeasible = pending.is_some_and(|condition| &*condition.reason == "Infeasible");
        // What is wanted in vain does not count, also where nothing else is known.
        let status = pod.status.resize.as_deref().or(infeasible.then_some(&NOTHING))?;
        Some(Self { status, infeasible })
    }

    fn of(&self, container: &Container) -> Option<&ContainerResources> {
        let name = container.name.as_deref().unwrap_or("");
        let mut all = self.status.containers.iter().chain(&self.status.init_containers);
        all.find(|status| &*status.name == name)
    }

    fn wanted(&self, container: &Container) -> Resources {
        if self.infeasible { Resources::new() } else { container.requests.clone() }
    }

    fn allocated(&self, container: &Container) -> Resources {
        let status = self.of(container);
        let allocated = status.and_then(|status| status.allocated.clone());
        allocated.unwrap_or_else(|| self.wanted(container))
    }

    fn actual(&self, container: &Container) -> Resources {
        let status = self.of(container);
        let actual = status.and_then(|status| status.requests.clone());
        actual.unwrap_or_else(|| self.allocated(container))
    }

    /// The largest of what is wanted, allocated and real, as releases before 1.37 have it.
    fn largest(&self, container: &Container, kind: ContainerKind) -> Resources {
        let status = self.of(container).filter(|status| status.has_resources);
        let Some(status) = status.filter(|_| kind != ContainerKind::Init) else {
            return container.requests.clone();
        };
        let mut largest = self.wanted(container);
        for more in [&status.requests, &status.allocated].into_iter().flatten() {
            largest.raise_to(more);
        }
        largest
    }
}

/// What a pod takes of its node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// What it asks for.
    pub(crate) requested: Amounts,
    /// cpu with the default of containers that ask for none, in thousandths.
    pub(crate) non_zero_milli_cpu: i64,
    /// Memory with the default of containers that ask for none.
    pub(crate) non_zero_memory: i64,
}

impl Usage {
    /// What a pod takes of its node. As upstream's `PodInfo.CalculateResource`.
    pub(crate) fn of(pod: &PodSpec, resize: Option<&ResizeOf<'_>>, version: &Version) -> Self {
        if resize.is_none() && is_plain(pod) {
            return Self::plain(pod);
        }
        let summing = Summing::on_node(version);
        let requests = summing.sum(pod, resize);
        let pod_level = summing.pod_level && pod.pod_requests.as_ref().is_some_and(sets_pod_level);
        let missing = |name| !pod_level || requests.get(name).is_none();
        let defaults = (missing(CPU), missing(MEMORY));
        let non_zero = if defaults == (false, false) {
            requests.clone()
        } else {
            Summing { defaults, ..summing }.sum(pod, resize)
        };
        Self {
            requested: Amounts::of(&requests),
            non_zero_milli_cpu: non_zero.amount(CPU).milli_value(),
            non_zero_memory: non_zero.amount(MEMORY).value(),
        }
    }

    /// The same where only containers ask for something: so most pods are, and there are very many.
    fn plain(pod: &PodSpec) -> Self {
        let of = |name: &str, default: Quantity| {
            let amounts = pod.containers.iter().map(|it| it.requests.get(name).unwrap_or(default));
            amounts.fold(Quantity::default(), Quantity::plus)
        };
        let mut requests = Resources::new();
        match pod.containers.as_slice() {
            [only] => requests = only.requests.clone(),
            all => all.iter().for_each(|container| requests.add(&container.requests)),
        }
        Self {
            requested: Amounts::of(&requests),
            non_zero_milli_cpu: of(CPU, DEFAULT_CPU).milli_value(),
            non_zero_memory: of(MEMORY, DEFAULT_MEMORY).value(),
        }
    }
}

/// Whether a pod asks for what its containers ask for together, and for nothing beside it.
fn is_plain(pod: &PodSpec) -> bool {
    pod.init_containers.is_empty() && pod.pod_requests.is_none() && pod.overhead.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::meta::Condition;
    use crate::testing::{TestPod, pod, resources};

    fn container(requests: &str, is_sidecar: bool) -> Container {
        Container {
            name: Some("c".into()),
            requests: resources(requests),
            restarts_always: is_sidecar,
            ..Container::default()
        }
    }

    fn with_init(requests: &str, init: &[(&str, bool)]) -> TestPod {
        pod("p").requests(requests).spec(|spec| {
            let init = init.iter().map(|(requests, sidecar)| container(requests, *sidecar));
            spec.init_containers = init.collect();
        })
    }

    #[test]
    fn sidecars_add_to_the_init_containers_after_them() {
        for (pod, expected) in [
            (with_init("cpu=1", &[("cpu=1", true), ("cpu=1500m", false)]), "cpu=2500m"),
            (with_init("cpu=1", &[("cpu=1500m", false), ("cpu=1", true)]), "cpu=2"),
            (with_init("cpu=1", &[("memory=1Gi", false)]), "cpu=1,memory=1Gi"),
            (
                pod("p").requests("cpu=1,memory=1Gi").spec(|spec| {
                    spec.pod_requests = Some(resources("cpu=2"));
                    spec.overhead = resources("cpu=100m");
                }),
                "cpu=2100m,memory=1Gi",
            ),
        ] {
            let sum = Summing::incoming(&Version::default()).sum(&pod.build().spec, None);
            assert_eq!(sum, resources(expected));
        }
    }

    #[test]
    fn defaults_stand_in_where_a_container_asks_for_nothing() {
        let pod = with_init("cpu=0", &[]).build();
        let sum = Summing::scored().sum(&pod.spec, None);
        assert_eq!(sum, resources("cpu=0,memory=200Mi"));
    }

    #[test]
    fn a_resize_counts_as_the_largest_of_wanted_allocated_and_actual() {
        // Two containers: one wants 2 and has 1, the other wants 1 and has 3.
        let one = |name: &str, has: &str| ContainerResources {
            name: name.into(),
            allocated: Some(resources(has)),
            has_resources: true,
            requests: None,
        };
        let resized = |infeasible: bool| {
            let named = |name: &str, requests| Container {
                name: Some(name.into()),
                ..container(requests, false)
            };
            let pending = Condition {
                kind: "PodResizePending".into(),
                status: "True".into(),
                reason: if infeasible { "Infeasible" } else { "Deferred" }.into(),
                message: "".into(),
                changed: None,
                observed_generation: None,
            };
            let pod = pod("p")
                .spec(|spec| spec.containers = vec![named("a", "cpu=2"), named("b", "cpu=1")])
                .status(|status| {
                    status.conditions = vec![pending].into();
                    status.resize = Some(Box::new(ResizeStatus {
                        containers: vec![one("a", "cpu=1"), one("b", "cpu=3")],
                        ..ResizeStatus::default()
                    }));
                });
            pod.build()
        };
        for (infeasible, minor, expected) in [
            (false, 32, 3000),
            (false, 36, 5000),
            (false, 37, 4000),
            (true, 37, 4000),
            (true, 36, 4000),
        ] {
            let (pod, version) =
                (resized(infeasible), Version::of_minor(minor).expect("a release"));
            let usage = Usage::of(&pod.spec, ResizeOf::pod(&pod).as_ref(), &version);
            assert_eq!(usage.requested.milli_cpu, expected, "1.{minor} {infeasible}");
        }
    }
}
