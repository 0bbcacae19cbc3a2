//! `Scheduler`: a cluster as kube-scheduler sees it, ready to be asked about pods.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::gap::Gap;
use crate::model::labels::{HOSTNAME, ZONE};
use crate::model::names::{NodeName, PodKey, Str};
use crate::model::pod::{Phase, Pod, PodSpec, PodStatus};

use super::cluster::Cluster;
use super::configuration::Configuration;
use super::decision::Decision;
use super::framework::Cycle;
use super::lineup::Lineup;
use super::pod_info::PodInfo;
use super::schedule_one::{Setting, schedule_one};
use super::version::Version;

/// A cluster as kube-scheduler sees it, ready to be asked about pods.
#[derive(Clone, Debug)]
pub struct Scheduler {
    configuration: Configuration,
    /// Of each profile, in order.
    lineups: Vec<Lineup>,
    cluster: Cluster,
    pods: Vec<Arc<Pod>>,
    assumed: Vec<(PodKey, usize)>,
}

impl Scheduler {
    /// Reads a state. Everything that does not depend on the pod is made here, once.
    pub fn new(state: &ClusterState, configuration: &Configuration, version: Version) -> Self {
        let lineup = |profile| Lineup::of(profile, &version);
        let mut scheduler = Self {
            lineups: configuration.profiles.iter().map(lineup).collect(),
            configuration: configuration.clone(),
            cluster: Cluster::new(state, version),
            pods: state.pods.clone(),
            assumed: Vec::new(),
        };
        for key in [HOSTNAME, ZONE] {
            scheduler.cluster.read_topology(&key.into());
        }
        scheduler
    }

    /// The release that is replayed.
    pub fn version(&self) -> &Version {
        &self.cluster.version
    }

    /// What would become of a pod of the state. It is taken off its node first, alone, and put back afterwards.
    /// `None`: the state has no such pod.
    pub fn schedule(&mut self, key: &PodKey) -> Option<Decision> {
        let wanted = (&*key.namespace.0, &*key.name);
        let found = self
            .pods
            .binary_search_by(|pod| (&*pod.meta.namespace.0, &*pod.meta.name).cmp(&wanted));
        let pod = Arc::clone(&self.pods[found.ok()?]);
        let assumed = self.assumed.iter().find(|(other, _)| other == key).map(|(_, node)| *node);
        let bound = pod.node_name.as_ref().and_then(|node| self.cluster.index_of(node));
        let taken = assumed.or(bound).and_then(|node| self.cluster.take(key, node));
        let decision = self.schedule_pod(&pod);
        if let Some(place) = taken {
            self.cluster.put_back(place);
        }
        Some(decision)
    }

    /// What would become of a pod that is not in the state. Where it is bound, and its status but for a nomination, are
    /// not looked at.
    pub fn schedule_pod(&mut self, pod: &Arc<Pod>) -> Decision {
        let pending = self.cluster.info(&Arc::new(pending(pod)));
        for key in topology_keys(&pending.pod.spec) {
            self.cluster.read_topology(&key);
        }
        self.decide(&pending, pod.node_name.clone())
    }

    fn decide(&self, info: &PodInfo, bound: Option<NodeName>) -> Decision {
        let profiles = &self.configuration.profiles;
        let wanted = &info.pod.spec.scheduler_name.0;
        let own = profiles.iter().position(|profile| profile.scheduler_name == *wanted);
        // Another scheduler's pod: what the first profile would do is told all the same.
        let at = own.unwrap_or(0);
        let profile = &profiles[at];
        let cycle =
            Cycle { cluster: &self.cluster, info, arguments: &profile.arguments, pre_scores: true };
        let percentage = profile.percentage_of_nodes_to_score;
        let setting = Setting {
            lineup: &self.lineups[at],
            scheduler_name: &profile.scheduler_name,
            percentage: percentage.unwrap_or(self.configuration.percentage_of_nodes_to_score),
            bound,
        };
        let mut decision = schedule_one(&cycle, &setting);
        decision.gaps.extend(self.configuration.gaps());
        if own.is_none() {
            decision.error = Some(format!("no profile for scheduler {wanted:?}"));
        }
        decision
    }

    /// Counts a pod on a node from now on, as the scheduler does once it has decided. `false`: there is no such node.
    pub fn assume(&mut self, pod: &Arc<Pod>, node: &NodeName) -> bool {
        let Some(index) = self.cluster.index_of(node) else { return false };
        let mut bound = pending(pod);
        bound.node_name = Some(node.clone());
        let info = self.cluster.info(&Arc::new(bound));
        self.cluster.put(index, usize::MAX, info);
        self.assumed.push((pod.key(), index));
        true
    }

    /// Takes back an `assume`, or takes a pod of the state off its node for good. `false`: it is on no node.
    pub fn forget(&mut self, key: &PodKey) -> bool {
        let assumed = self.assumed.iter().position(|(other, _)| other == key);
        let node = match assumed {
            Some(at) => Some(self.assumed.remove(at).1),
            None => self
                .pods
                .iter()
                .find(|pod| pod.meta.name == key.name && pod.meta.namespace == key.namespace)
                .and_then(|pod| pod.node_name.as_ref())
                .and_then(|node| self.cluster.index_of(node)),
        };
        node.and_then(|node| self.cluster.take(key, node)).is_some()
    }

    /// What the configuration names that no replay can know.
    pub fn gaps(&self) -> Vec<Gap> {
        let mut gaps = self.configuration.gaps();
        gaps.extend(self.lineups.iter().flat_map(|lineup| lineup.gaps.iter().cloned()));
        gaps
    }
}

/// A pod as it was before it was bound: what the scheduler has not seen yet is taken away.
fn pending(pod: &Pod) -> Pod {
    let waits = pod.node_name.is_none();
    Pod {
        meta: pod.meta.clone(),
        node_name: None,
        spec: Arc::clone(&pod.spec),
        status: PodStatus {
            phase: Phase::Pending,
            resource_claim_names: Arc::clone(&pod.status.resource_claim_names),
            // A nomination of a bound pod is of the past.
            nominated_node_name: pod.status.nominated_node_name.clone().filter(|_| waits),
            ..PodStatus::default()
        },
    }
}

/// The labels that a pod's rules over other pods look at.
fn topology_keys(spec: &PodSpec) -> BTreeSet<Str> {
    let affinities = [&spec.affinity.pod, &spec.affinity.pod_anti].into_iter().flatten();
    let terms = affinities.flat_map(|affinity| {
        affinity.required.iter().chain(affinity.preferred.iter().map(|weighted| &weighted.term))
    });
    let spread = spec.topology_spread_constraints.iter().map(|it| it.topology_key.clone());
    terms.map(|term| term.topology_key.clone()).chain(spread).collect()
}
