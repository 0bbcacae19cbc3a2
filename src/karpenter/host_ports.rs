//! Host ports: which are in use on a node or claim, and by whom. As `scheduling.HostPortUsage`.

use crate::model::names::PodKey;
use crate::model::pod::PodSpec;

use super::refusal::HostPortUse;

/// A port in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PortInUse {
    pub(super) port: HostPortUse,
    pub(super) by: PodKey,
}

/// The host ports that a pod's containers ask for; init containers do not count.
pub(super) fn host_ports(spec: &PodSpec) -> Vec<HostPortUse> {
    let ports = spec.containers.iter().flat_map(|container| &container.ports);
    ports
        .filter(|port| port.host_port != 0)
        .map(|port| HostPortUse {
            ip: if port.host_ip.is_empty() { "0.0.0.0".into() } else { port.host_ip.clone() },
            port: port.host_port,
            protocol: if port.protocol.is_empty() { "TCP".into() } else { port.protocol.clone() },
        })
        .collect()
}

/// The first port that cannot be had, with what is in its way.
pub(super) fn conflict<'a>(
    wanted: &[HostPortUse],
    pod: &PodKey,
    used: impl IntoIterator<Item = &'a PortInUse>,
) -> Option<(HostPortUse, PortInUse)> {
    if wanted.is_empty() {
        return None;
    }
    used.into_iter().filter(|used| used.by != *pod).find_map(|used| {
        let wanted = wanted.iter().find(|wanted| clash(wanted, &used.port))?;
        Some((wanted.clone(), used.clone()))
    })
}

fn clash(a: &HostPortUse, b: &HostPortUse) -> bool {
    let everywhere = |port: &HostPortUse| matches!(&*port.ip, "0.0.0.0" | "::");
    a.protocol == b.protocol && a.port == b.port && (a.ip == b.ip || everywhere(a) || everywhere(b))
}
