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
