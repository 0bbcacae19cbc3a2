//! `NodePorts`: two pods on one node cannot have the same host port.

use crate::kube_scheduler::framework::{Cycle, Plugin, PreFiltered, Verdict};
use crate::kube_scheduler::rejection::{HostPort, Rejection};

pub(crate) const PLUGIN: Plugin =
    Plugin { filter: Some(filter), pre_filter_since: Some(0), ..Plugin::named("NodePorts") };

const ANY_ADDRESS: &str = "0.0.0.0";

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let wanted = &cycle.info.spec.host_ports;
    if wanted.is_empty() {
        return PreFiltered::Skips;
    }
    PreFiltered::per_node(move |node| {
        let taken =
            wanted.iter().find(|wanted| node.host_ports.keys().any(|used| conflict(wanted, used)));
        match taken {
            Some(port) => Verdict::unschedulable(Rejection::HostPortInUse(port.clone())),
            None => Verdict::Fits,
        }
    })
}

/// Whether two ports of different pods are one and the same. `::` stands for itself alone.
fn conflict(wanted: &HostPort, used: &HostPort) -> bool {
    let same_address =
        wanted.ip == used.ip || [&wanted.ip, &used.ip].iter().any(|ip| &***ip == ANY_ADDRESS);
    wanted.protocol == used.protocol && wanted.port == used.port && same_address
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, question, unschedulable};
    use crate::model::pod::{Container, ContainerPort};
    use crate::testing::{TestPod, cluster, node, pod};

    fn port(ip: &str, protocol: &str, port: i32) -> ContainerPort {
        let (host_ip, protocol) = (ip.into(), protocol.into());
        ContainerPort { container_port: port, host_port: port, host_ip, protocol }
    }

    fn wants(name: &str, ip: &str, protocol: &str) -> TestPod {
        pod(name).spec(|spec| spec.containers[0].ports = vec![port(ip, protocol, 80)].into())
    }

    #[test]
    fn any_address_conflicts_with_each_and_two_colons_with_themselves() {
        let taken = || unschedulable("node(s) didn't have free ports for the requested pod ports");
        for (used, wanted, expected) in [
            (("", ""), ("10.0.0.1", "TCP"), taken()),
            (("", ""), ("10.0.0.1", "UDP"), FITS),
            (("10.0.0.1", "TCP"), ("0.0.0.0", "TCP"), taken()),
            (("10.0.0.1", "TCP"), ("10.0.0.2", "TCP"), FITS),
            (("::", "TCP"), ("10.0.0.1", "TCP"), FITS),
            (("::", "TCP"), ("::", "TCP"), taken()),
        ] {
            let state = cluster([node("n")], [wants("q", used.0, used.1).on("n")]);
            let verdicts = question(state, wants("p", wanted.0, wanted.1)).filter(&PLUGIN);
            assert_eq!(verdicts, [expected], "{used:?} {wanted:?}");
        }
    }

    #[test]
    fn a_sidecars_port_counts_from_1_34_on() {
        let sidecar = Container {
            restarts_always: true,
            ports: vec![port("", "", 80)].into(),
            ..Container::default()
        };
        let user = pod("q").on("n").spec(|spec| spec.init_containers = vec![sidecar]);
        let state = cluster([node("n")], [user]);
        for (minor, expected) in [
            (33, FITS),
            (34, unschedulable("node(s) didn't have free ports for the requested pod ports")),
        ] {
            let question = question(state.clone(), wants("p", "", "")).release(minor);
            assert_eq!(question.filter(&PLUGIN), [expected], "1.{minor}");
        }
    }
}
