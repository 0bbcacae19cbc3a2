//! `PodInfo`: a pod with what is counted of it, worked out once.

use std::sync::Arc;

use crate::model::pod::{Container, Pod, PodSpec, VolumeSource};

use super::pod_groups::{AffinityId, GroupId};
use super::rejection::HostPort;
use super::requests::{ResizeOf, Usage};
use super::version::Version;

/// A pod with what is counted of it.
#[derive(Clone, Debug)]
pub(crate) struct PodInfo {
    /// The pod.
    pub(crate) pod: Arc<Pod>,
    /// What follows from its specification, shared with the pods that have the same.
    pub(crate) spec: Arc<SpecInfo>,
    /// What it takes of its node where a resize makes that differ from the specification.
    resized: Option<Box<Usage>>,
    /// The pods that no label selector can tell from this one.
    pub(crate) group: GroupId,
    /// The pods that have the same affinity to other pods; `None` when it has none.
    pub(crate) affinity: Option<AffinityId>,
}

/// What follows from a pod's specification alone.
#[derive(Clone, Debug)]
pub(crate) struct SpecInfo {
    /// What a pod takes of its node.
    usage: Usage,
    /// Host ports, in the order of the containers.
    pub(crate) host_ports: Vec<HostPort>,
    /// Whether it has volumes that the scheduler looks at.
    pub(crate) has_volumes: bool,
}

impl PodInfo {
    /// A pod of a group, with what follows from its specification.
    pub(crate) fn new(
        pod: Arc<Pod>,
        spec: Arc<SpecInfo>,
        group: GroupId,
        affinity: Option<AffinityId>,
        version: &Version,
    ) -> Self {
        let resized = ResizeOf::pod(&pod)
            .map(|resize| Box::new(Usage::of(&pod.spec, Some(&resize), version)));
        Self { pod, spec, resized, group, affinity }
    }

    /// What the pod takes of its node.
    pub(crate) fn usage(&self) -> &Usage {
        self.resized.as_deref().unwrap_or(&self.spec.usage)
    }
}

impl SpecInfo {
    /// What follows from a specification.
    pub(crate) fn of(spec: &PodSpec, version: &Version) -> Self {
        Self {
            usage: Usage::of(spec, None, version),
            host_ports: host_ports(spec, version),
            has_volumes: spec.volumes.iter().any(|volume| {
                !matches!(volume.source, VolumeSource::Csi { .. } | VolumeSource::Image { .. })
            }),
        }
    }
}

/// The host ports that a pod takes: those of its containers and, from 1.34 on, of its sidecars.
fn host_ports(spec: &PodSpec, version: &Version) -> Vec<HostPort> {
    let sidecars: &[Container] = if version.since(34) { &spec.init_containers } else { &[] };
    let containers =
        spec.containers.iter().chain(sidecars.iter().filter(|container| container.restarts_always));
    containers
        .flat_map(|container| &container.ports)
        .filter(|port| port.host_port > 0)
        .map(|port| HostPort {
            ip: if port.host_ip.is_empty() { "0.0.0.0".into() } else { port.host_ip.clone() },
            protocol: if port.protocol.is_empty() { "TCP".into() } else { port.protocol.clone() },
            port: port.host_port,
        })
        .collect()
}
