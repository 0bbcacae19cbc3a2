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
        for (name, _) in stated.iter().filter(|(name, _)| counts_for_pod_level(name.as_str())) {
            if let Some(amount) = whole.get(name.as_str()) {
                sum.set(name.clone(), amount);
            }
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
        let status = pod.status.resize.as_deref()?;
        let pending = pod.status.conditions.iter().find(|it| &*it.kind == "PodResizePending");
        let infeasible = pending.is_some_and(|condition| &*condition.reason == "Infeasible");
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
}
