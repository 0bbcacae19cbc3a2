//! `Misprediction`: a machine of the cluster that registered other amounts than its NodeClaim predicts.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::labels;
use crate::model::names::Str;
use crate::model::node::Node;
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::resources::{CPU, MEMORY, Resources};

/// One machine, for all of its type and NodePool.
#[derive(Clone, Debug)]
pub(crate) struct Misprediction {
    /// Its NodePool.
    pub node_pool: Str,
    /// Its instance type.
    pub instance_type: Str,
    /// `status.allocatable` of the NodeClaim.
    pub predicted: Resources,
    /// `status.allocatable` of the node.
    pub registered: Resources,
    /// What DaemonSets' pods ask for on it.
    pub daemons: Resources,
    /// The node.
    pub node: Arc<Node>,
}

impl Misprediction {
    /// Those of a cluster, one for each NodePool and instance type.
    pub fn of(cluster: &ClusterState) -> Vec<Self> {
        let mut seen = BTreeSet::new();
        let mut found: Vec<Self> = Vec::new();
        for claim in &cluster.node_claims {
            let label = |key: &str| claim.meta.labels.get(key).cloned();
            let (Some(node_pool), Some(instance_type)) =
                (label(labels::NODEPOOL), label(labels::INSTANCE_TYPE))
            else {
                continue;
            };
            let Some(node) = claim.node_name.as_ref().and_then(|name| cluster.node(name)) else {
                continue;
            };
            let differs = |name: &str| {
                let (said, is) = (claim.allocatable.amount(name), node.allocatable.amount(name));
                !said.is_zero() && !is.is_zero() && said != is
            };
            let mut is_new = || seen.insert((node_pool.clone(), instance_type.clone()));
            if (differs(CPU) || differs(MEMORY)) && is_new() {
                found.push(Self {
                    node_pool,
                    instance_type,
                    predicted: claim.allocatable.clone(),
                    registered: node.allocatable.clone(),
                    daemons: Resources::new(),
                    node: Arc::clone(node),
                });
            }
        }
        if found.is_empty() {
            return found;
        }
        for pod in cluster.pods.iter().filter(|pod| pod.is_daemon() && !pod.is_terminal()) {
            let on = |one: &&mut Self| pod.node_name.as_ref() == Some(&one.node.name());
            if let Some(one) = found.iter_mut().find(on) {
                one.daemons.add(&spec_requests(&pod.spec, RequestRules::default()));
            }
        }
        found
    }
}
