//! kube-scheduler: where it would put a pod, and what every plugin says of every node.
//!
//! A `Scheduler` holds what does not depend on the pod, so that many pods can be asked about one state. Every filter is
//! asked on every node, also where an earlier one refused; scores are given for every feasible node.

mod arguments;
pub mod configuration;
pub mod decision;
pub mod rejection;
pub mod version;

use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::gap::{Gap, GapKind};
use crate::model::names::{NodeName, PodKey};
use crate::model::pod::Pod;

pub use configuration::{Configuration, ConfigurationError, Profile};
pub use decision::{
    Candidate, Chance, Code, Decision, Ending, NodeVerdict, PluginScore, PreFilterOutcome,
    PreFilterVerdict, Preemption, Refusal,
};
pub use rejection::{HostPort, Rejection};
pub use version::{Version, VersionError};

/// A cluster as kube-scheduler sees it, ready to be asked about pods.
#[derive(Clone, Debug)]
pub struct Scheduler {
    configuration: Configuration,
    version: Version,
    pods: Vec<Arc<Pod>>,
}

impl Scheduler {
    /// Reads a state. Everything that does not depend on the pod is made here, once.
    pub fn new(state: &ClusterState, configuration: &Configuration, version: Version) -> Self {
        Self { configuration: configuration.clone(), version, pods: state.pods.clone() }
    }

    /// What would become of a pod of the state. It is taken off its node first, alone, and put back afterwards.
    /// `None`: the state has no such pod.
    pub fn schedule(&mut self, key: &PodKey) -> Option<Decision> {
        let pod = self.pods.iter().find(|pod| pod.key() == *key)?.clone();
        Some(self.schedule_pod(&pod))
    }

    /// What would become of a pod that is not in the state. Where it is bound, and its status but for a nomination, are
    /// not looked at.
    pub fn schedule_pod(&mut self, pod: &Arc<Pod>) -> Decision {
        Decision {
            pod: pod.key(),
            bound: pod.node_name.clone(),
            version: self.version.clone(),
            scheduler_name: self.configuration.profiles[0].scheduler_name.clone(),
            pre_enqueue: Vec::new(),
            pre_filter: Vec::new(),
            pre_score_skipped: Vec::new(),
            nodes: Vec::new(),
            feasible: Vec::new(),
            best: Vec::new(),
            pick: None,
            message: None,
            preemption: None,
            chances: Vec::new(),
            error: None,
            gaps: vec![Gap::new(GapKind::NotModelled, "kube-scheduler", "not yet replayed")],
        }
    }

    /// Counts a pod on a node from now on, as the scheduler does once it has decided. `false`: there is no such node.
    pub fn assume(&mut self, _pod: &Arc<Pod>, _node: &NodeName) -> bool {
        false
    }

    /// Takes back an `assume`, or takes a pod of the state off its node for good. `false`: it is on no node.
    pub fn forget(&mut self, _key: &PodKey) -> bool {
        false
    }
}
