//! `NodeInfo`: a node with the pods on it and what they take.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::names::NodeName;
use crate::model::node::Node;
use crate::model::resources::PODS;

use super::amounts::Amounts;
use super::pod_info::PodInfo;
use super::rejection::HostPort;

/// A node with the pods on it and what they take. As upstream's `framework.NodeInfo`.
#[derive(Clone, Debug)]
pub(crate) struct NodeInfo {
    /// The node's place in the order in which nodes are looked at.
    pub(crate) index: usize,
    /// The node's name.
    pub(crate) name: NodeName,
    /// The node.
    pub(crate) node: Arc<Node>,
    /// What it can give.
    pub(crate) allocatable: Amounts,
    /// How many pods it can hold.
    pub(crate) allowed_pods: i64,
    /// Pods on it.
    pub(crate) pods: Vec<Arc<PodInfo>>,
    /// What the pods ask for.
    pub(crate) requested: Amounts,
    /// cpu with the default of containers that ask for none, in thousandths.
    pub(crate) non_zero_milli_cpu: i64,
    /// Memory with the default of containers that ask for none.
    pub(crate) non_zero_memory: i64,
    /// How many pods have volumes that the scheduler looks at.
    pub(crate) pods_with_volumes: usize,
    /// Host ports in use. A hash map: looked up and gone through for conflicts only.
    pub(crate) host_ports: FxHashMap<HostPort, u32>,
}

impl NodeInfo {
    /// A node without pods.
    pub(crate) fn new(index: usize, node: Arc<Node>) -> Self {
        Self {
            index,
            name: node.name(),
            allocatable: Amounts::of(&node.allocatable),
            allowed_pods: node.allocatable.amount(PODS).value(),
            node,
            pods: Vec::new(),
            requested: Amounts::default(),
            non_zero_milli_cpu: 0,
            non_zero_memory: 0,
            pods_with_volumes: 0,
            host_ports: FxHashMap::default(),
        }
    }

    /// Puts a pod on the node, at a place in the list of its pods.
    pub(crate) fn add(&mut self, pod: Arc<PodInfo>, place: usize) {
        self.count(&pod, 1);
        self.pods.insert(place.min(self.pods.len()), pod);
    }

    /// Takes a pod off the node.
    pub(crate) fn remove(&mut self, place: usize) -> Arc<PodInfo> {
        let pod = self.pods.remove(place);
        self.count(&pod, -1);
        pod
    }

    /// The node with some pods more and some less.
    pub(crate) fn changed(&self, added: &[Arc<PodInfo>], removed: &[Arc<PodInfo>]) -> Self {
        let mut changed = self.clone();
        if !removed.is_empty() {
            changed.pods.retain(|pod| !removed.iter().any(|gone| Arc::ptr_eq(pod, gone)));
            for pod in removed {
                changed.count(pod, -1);
                // As upstream's HostPortInfo, a set: a port that two pods share is free when one of them goes.
                for port in &pod.spec.host_ports {
                    changed.host_ports.remove(port);
                }
            }
        }
        for pod in added {
            changed.add(Arc::clone(pod), usize::MAX);
        }
        changed
    }

    fn count(&mut self, pod: &PodInfo, times: i64) {
        let usage = pod.usage();
        self.requested.add(&usage.requested, times);
        let add = |sum: &mut i64, amount: i64| {
            *sum = sum.wrapping_add(amount.wrapping_mul(times));
        };
        add(&mut self.non_zero_milli_cpu, usage.non_zero_milli_cpu);
        add(&mut self.non_zero_memory, usage.non_zero_memory);
        if pod.spec.has_volumes {
            self.pods_with_volumes = if times > 0 {
                self.pods_with_volumes + 1
            } else {
                self.pods_with_volumes.saturating_sub(1)
            };
        }
        for port in &pod.spec.host_ports {
            if times > 0 {
                *self.host_ports.entry(port.clone()).or_default() += 1;
            } else if let Some(count) = self.host_ports.get_mut(port) {
                *count -= 1;
                if *count == 0 {
                    self.host_ports.remove(port);
                }
            }
        }
    }
}
