//! `Scheduler`: a cluster as kube-scheduler sees it, ready to be asked about pods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::gap::Gap;
use crate::model::labels::{HOSTNAME, ZONE};
use crate::model::names::{NodeName, PodKey, Str};
use crate::model::pod::{Phase, Pod, PodSpec, PodStatus};

use super::cluster::Cluster;
use super::configuration::{Configuration, Profile};
use super::decision::{Chance, Decision, Odds};
use super::framework::Cycle;
use super::lineup::Lineup;
use super::plugins::image_locality::images;
use super::pod_info::PodInfo;
use super::sampling::{Sample, odds};
use super::schedule_one::{Setting, feasible, schedule_one};
use super::version::Version;

/// A cluster as kube-scheduler sees it, ready to be asked about pods.
#[derive(Clone, Debug)]
pub struct Scheduler {
    configuration: Configuration,
    /// Of each profile, in order.
    lineups: Vec<Lineup>,
    cluster: Cluster,
    pods: Vec<Arc<Pod>>,
    /// Pods that were assumed, with the numbers of their nodes.
    assumed: BTreeMap<PodKey, usize>,
}

impl Scheduler {
    /// Reads a state. Everything that does not depend on the pod is made here, once.
    pub fn new(state: &ClusterState, configuration: &Configuration, version: Version) -> Self {
        let mut configuration = configuration.clone();
        if configuration.profiles.is_empty() {
            configuration.profiles.push(Profile::default());
        }
        let lineup = |profile| Lineup::of(profile, &version);
        let mut scheduler = Self {
            lineups: configuration.profiles.iter().map(lineup).collect(),
            configuration,
            cluster: Cluster::new(state, version),
            pods: state.pods.clone(),
            assumed: BTreeMap::new(),
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
        self.with_pod_off(key, Self::schedule_pod)
    }

    /// What becomes of a pod of the state when the search starts elsewhere. `None`: the state has no such pod, or all of
    /// its feasible nodes are found wherever the search starts.
    pub fn odds(&mut self, key: &PodKey) -> Option<Odds> {
        self.with_pod_off(key, Self::odds_of_pod)?
    }

    fn with_pod_off<T>(
        &mut self,
        key: &PodKey,
        ask: impl FnOnce(&mut Self, &Arc<Pod>) -> T,
    ) -> Option<T> {
        let pod = Arc::clone(self.pod(key)?);
        let assumed = self.assumed.get(key).copied();
        let bound = pod.node_name.as_ref().and_then(|node| self.cluster.index_of(node));
        let taken = assumed.or(bound).and_then(|node| self.cluster.take(key, node));
        let answer = ask(self, &pod);
        if let Some(place) = taken {
            self.cluster.put_back(place);
        }
        Some(answer)
    }

    /// What would become of a pod that is not in the state. Where it is bound, and its status but for a nomination, are
    /// not looked at.
    pub fn schedule_pod(&mut self, pod: &Arc<Pod>) -> Decision {
        let pending = self.ready(pod);
        self.cluster.read_images(images(&pod.spec, &self.cluster.version).0);
        let (at, own) = self.profile_of(&pending);
        let mut decision = schedule_one(&self.cycle(&pending, at), &self.setting(pod, at));
        decision.gaps.extend(self.configuration.gaps());
        if !own {
            let wanted = &pod.spec.scheduler_name.0;
            decision.error = Some(format!("no profile for scheduler {wanted:?}"));
        }
        decision
    }

    /// The nodes that take a pod, as [`Decision::feasible`] has them; nothing else is worked out.
    pub fn feasible(&mut self, pod: &Arc<Pod>) -> Vec<NodeName> {
        let pending = self.ready(pod);
        let (at, _) = self.profile_of(&pending);
        feasible(&self.cycle(&pending, at), &self.lineups[at])
    }

    fn odds_of_pod(&mut self, pod: &Arc<Pod>) -> Option<Odds> {
        let decision = self.schedule_pod(pod);
        let enough = decision.chances.iter().find_map(|chance| match chance {
            Chance::Sampling { enough, .. } => Some(*enough),
            _ => None,
        })?;
        let pending = self.ready(pod);
        let (at, _) = self.profile_of(&pending);
        let feasible: Vec<usize> =
            decision.feasible.iter().filter_map(|name| self.cluster.index_of(name)).collect();
        let sample = Sample { feasible: &feasible, enough };
        Some(odds(&self.cycle(&pending, at), &self.lineups[at], &sample))
    }

    /// The pod as it was before it was bound, and the labels read that its rules look at.
    fn ready(&mut self, pod: &Pod) -> Arc<PodInfo> {
        for key in topology_keys(&pod.spec) {
            self.cluster.read_topology(&key);
        }
        self.cluster.info(&Arc::new(pending(pod)))
    }

    /// The profile for a pod; the first, and `false`, when another scheduler looks after it.
    fn profile_of(&self, pod: &PodInfo) -> (usize, bool) {
        let wanted = &pod.pod.spec.scheduler_name.0;
        let mut profiles = self.configuration.profiles.iter();
        let own = profiles.position(|profile| profile.scheduler_name == *wanted);
        (own.unwrap_or(0), own.is_some())
    }

    fn cycle<'a>(&'a self, info: &'a PodInfo, profile: usize) -> Cycle<'a> {
        Cycle {
            cluster: &self.cluster,
            info,
            arguments: &self.configuration.profiles[profile].arguments,
            pre_scores: true,
        }
    }

    fn setting(&self, pod: &Pod, at: usize) -> Setting<'_> {
        let profile = &self.configuration.profiles[at];
        let percentage = profile.percentage_of_nodes_to_score;
        Setting {
            lineup: &self.lineups[at],
            scheduler_name: &profile.scheduler_name,
            percentage: percentage.unwrap_or(self.configuration.percentage_of_nodes_to_score),
            bound: pod.node_name.clone(),
        }
    }

    /// A pod of the state.
    fn pod(&self, key: &PodKey) -> Option<&Arc<Pod>> {
        let wanted = (&*key.namespace.0, &*key.name);
        let found = self
            .pods
            .binary_search_by(|pod| (&*pod.meta.namespace.0, &*pod.meta.name).cmp(&wanted));
        found.ok().map(|at| &self.pods[at])
    }

    /// Counts a pod on a node from now on, as the scheduler does once it has decided; a nomination of the pod is of the
    /// past then. `false`: there is no such node.
    pub fn assume(&mut self, pod: &Arc<Pod>, node: &NodeName) -> bool {
        let Some(index) = self.cluster.index_of(node) else { return false };
        let mut bound = pending(pod);
        bound.node_name = Some(node.clone());
        let info = self.cluster.info(&Arc::new(bound));
        self.cluster.put(index, usize::MAX, info);
        self.cluster.drop_nomination(&pod.key());
        self.assumed.insert(pod.key(), index);
        true
    }

    /// Takes back an `assume`, or takes a pod of the state off its node for good. `false`: it is on no node.
    pub fn forget(&mut self, key: &PodKey) -> bool {
        let of_state = self.pod(key).cloned();
        if let Some(node) = self.assumed.remove(key) {
            if let Some(waiting) = of_state.filter(|pod| pod.node_name.is_none()) {
                self.cluster.nominate(&waiting);
            }
            return self.cluster.take(key, node).is_some();
        }
        let node = of_state.and_then(|pod| self.cluster.index_of(pod.node_name.as_ref()?));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cluster, node, pod};

    fn scheduler(state: &ClusterState) -> Scheduler {
        Scheduler::new(state, &Configuration::default(), Version::default())
    }

    fn feasible(decision: &Decision) -> Vec<&str> {
        decision.feasible.iter().map(NodeName::as_str).collect()
    }

    #[test]
    fn a_bound_pod_is_taken_off_its_node_alone_and_put_back() {
        let state = cluster(
            [node("a"), node("b").allocatable("cpu=1,pods=10")],
            [pod("p").requests("cpu=4").on("a"), pod("q").requests("cpu=1").on("b")],
        );
        let mut scheduler = scheduler(&state);
        for _ in 0..2 {
            for (name, expected) in [("p", vec!["a"]), ("q", vec!["b"])] {
                let key = PodKey::new("default", name);
                let decision = scheduler.schedule(&key).expect("the pod is there");
                assert_eq!(feasible(&decision), expected, "{name}");
            }
        }
    }

    #[test]
    fn an_assumed_pod_holds_its_room_until_it_is_forgotten() {
        let mut scheduler = scheduler(&cluster([node("a")], []));
        let all = Arc::new(pod("p").requests("cpu=4").build());
        let more = Arc::new(pod("q").requests("cpu=1").build());
        assert!(scheduler.assume(&all, &"a".into()));
        assert_eq!(feasible(&scheduler.schedule_pod(&more)), Vec::<&str>::new());
        assert!(scheduler.forget(&all.key()));
        assert_eq!(feasible(&scheduler.schedule_pod(&more)), ["a"]);
        assert!(!scheduler.forget(&all.key()));
        assert!(!scheduler.assume(&all, &"elsewhere".into()));
    }

    #[test]
    fn a_pod_that_waits_with_a_nomination_holds_its_room_for_less_important_ones_only() {
        let waits = pod("w").priority(5).requests("cpu=4").status(|status| {
            status.nominated_node_name = Some("a".into());
        });
        let state = cluster([node("a")], [waits]);
        for (priority, expected) in [(4, vec![]), (5, vec![]), (6, vec!["a"])] {
            let asked = Arc::new(pod("p").priority(priority).requests("cpu=1").build());
            let decision = scheduler(&state).schedule_pod(&asked);
            assert_eq!(feasible(&decision), expected, "{priority}");
            assert_eq!(scheduler(&state).feasible(&asked), decision.feasible, "{priority}");
        }
    }

    #[test]
    fn where_the_search_stops_early_the_odds_are_told() {
        let nodes = (0..300).map(|number| node(&format!("n{number:03}")));
        let state = cluster(nodes, [pod("p")]);
        let mut scheduler = scheduler(&state);
        let key = PodKey::new("default", "p");
        let odds = scheduler.odds(&key).expect("a part of 300 nodes is looked at");
        let sum: f64 = odds.picked.iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        // 300 nodes: 48 percent are enough, 144.
        let in_sample: f64 = odds.in_sample.iter().map(|(_, share)| share).sum();
        assert!((in_sample - 144.0).abs() < 1e-6, "{in_sample}");
        let few = cluster([node("a")], [pod("p")]);
        assert_eq!(
            Scheduler::new(&few, &Configuration::default(), Version::default()).odds(&key),
            None
        );
    }

    #[test]
    fn another_schedulers_pod_is_told_apart() {
        let other = pod("p").spec(|spec| {
            spec.scheduler_name = crate::model::pod::SchedulerName("other".into());
        });
        let decision = scheduler(&cluster([node("a")], [])).schedule_pod(&Arc::new(other.build()));
        assert_eq!(decision.error.as_deref(), Some("no profile for scheduler \"other\""));
    }
}
