//! `World`: a snapshot with all that was worked out from it, once for all questions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::chronicle::{Chronicle, karpenter_pod};
use super::groups::{Group, group};
use super::passes::{Batching, Pass, passes};
use super::pending::Now;
use super::replays::{self, PassReplay};
use super::state_at::{Instant, state_at};
use super::stories::{OwnerKey, PodStory};
use crate::karpenter::{self, Batch, CloudProvider, Limits, Plan, PreferencePolicy};
use crate::kube_scheduler::{self, Scheduler};
use crate::model::cluster_state::ClusterState;
use crate::model::event::LogRecord;
use crate::model::instance_type::InstanceType;
use crate::model::names::{NodeClaimName, NodeName, NodePoolName, PodKey};
use crate::model::nodepool::NodePool;
use crate::model::snapshot::Snapshot;
use crate::model::time::Span;

/// How the two components were set up, and what the provider can launch.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// What the provider adds to Karpenter.
    pub provider: &'a dyn CloudProvider,
    /// Karpenter's settings.
    pub karpenter: &'a karpenter::Settings,
    /// When Karpenter closes a batch.
    pub batching: Batching,
    /// kube-scheduler's configuration.
    pub scheduler: &'a kube_scheduler::Configuration,
    /// kube-scheduler's release.
    pub scheduler_version: &'a kube_scheduler::Version,
}

/// Counting nodes needs no more than the first outcome.
const ONE_OUTCOME: Limits = Limits { outcomes: 1, steps: 5_000 };

/// A snapshot with all that was worked out from it. Replays are made when they are first asked for, and kept; threads may
/// ask side by side.
pub struct World<'a> {
    /// What was read.
    pub snapshot: &'a Snapshot,
    /// How the components were set up.
    pub setup: Setup<'a>,
    /// The lives of the objects.
    pub chronicle: Chronicle,
    /// Karpenter's passes, in order of time.
    pub passes: Vec<Pass>,
    replays: Vec<OnceLock<Option<PassReplay>>>,
    ignoring_preferences: Vec<OnceLock<Option<usize>>>,
    launched_for: OnceLock<BTreeMap<NodeClaimName, BTreeSet<PodKey>>>,
    trusted: Mutex<BTreeMap<OwnerKey, bool>>,
    groups: Mutex<BTreeMap<OwnerKey, Arc<Group>>>,
    relaxing: OnceLock<BTreeMap<PodKey, Vec<usize>>>,
    instance_types: Mutex<BTreeMap<NodePoolName, Arc<[Arc<InstanceType>]>>>,
    last_plan: Mutex<Option<Planned>>,
    now: OnceLock<Now>,
}

/// What a pass plans for a state.
type Planned = (ClusterState, Option<Plan>);

impl<'a> World<'a> {
    /// Works out what does not depend on the question.
    pub fn new(snapshot: &'a Snapshot, setup: Setup<'a>) -> Self {
        let chronicle = Chronicle::of(snapshot);
        let passes = passes(snapshot, &chronicle, setup.batching);
        let replays = passes.iter().map(|_| OnceLock::new()).collect();
        let ignoring_preferences = passes.iter().map(|_| OnceLock::new()).collect();
        Self {
            snapshot,
            setup,
            chronicle,
            passes,
            replays,
            ignoring_preferences,
            launched_for: OnceLock::new(),
            trusted: Mutex::default(),
            groups: Mutex::default(),
            relaxing: OnceLock::new(),
            instance_types: Mutex::default(),
            last_plan: Mutex::default(),
            now: OnceLock::new(),
        }
    }

    /// A pass, replayed; `None` when the replay does not model it.
    pub fn replay(&self, pass: usize) -> Option<&PassReplay> {
        self.replays.get(pass)?.get_or_init(|| replays::replay(self, &self.passes[pass])).as_ref()
    }

    /// Some pods that wait will be asked about: what both components make of them now is prepared for all of them at once.
    pub fn prepare_waiting(&self, pods: BTreeSet<PodKey>) {
        self.now.get_or_init(|| Now::of(self, pods));
    }

    pub(super) fn now(&self) -> Option<&Now> {
        self.now.get()
    }

    /// What a pass plans for a state; none where the replay does not model it. While a cluster stands still, one pass after
    /// the other plans the same: that is worked out once.
    pub(super) fn planned(&self, state: ClusterState, batch: &Batch) -> Option<Plan> {
        let is_still = is_timeless(&state, self.setup.provider);
        if is_still
            && let Some((known, plan)) = &*held(&self.last_plan)
            && known.is_same(&state)
        {
            return plan.clone();
        }
        let plan =
            karpenter::provision(&state, batch, self.setup.provider, self.setup.karpenter).ok();
        if is_still {
            *held(&self.last_plan) = Some((state, plan.clone()));
        }
        plan
    }

    /// The state that a pass looked at; none where its replay does not model it.
    pub fn state_of(&self, pass: usize) -> Option<ClusterState> {
        let instant = &self.replay(pass)?.instant;
        Some(state_at(self.snapshot, &self.chronicle, instant).state)
    }

    /// How many new nodes a pass plans when preferences are ignored; `None` when they were, or the replay does not model it.
    pub fn new_nodes_ignoring_preferences(&self, pass: usize) -> Option<usize> {
        if self.setup.karpenter.preference_policy == PreferencePolicy::Ignore {
            return None;
        }
        let cell = self.ignoring_preferences.get(pass)?;
        *cell.get_or_init(|| {
            let settings = karpenter::Settings {
                preference_policy: PreferencePolicy::Ignore,
                ..self.setup.karpenter.clone()
            };
            let batch = Batch { limits: ONE_OUTCOME, ..Batch::default() };
            let state = self.state_of(pass)?;
            let plan = karpenter::provision(&state, &batch, self.setup.provider, &settings).ok()?;
            Some(plan.outcomes.first()?.new_node_claims.len())
        })
    }

    /// What the provider could launch for a NodePool; asked of it once.
    pub fn instance_types(&self, pool: &NodePool) -> Arc<[Arc<InstanceType>]> {
        let mut known = held(&self.instance_types);
        let types = known.entry(pool.name()).or_insert_with(|| {
            let wanted = &pool.template.node_class;
            let mut classes = self.snapshot.objects.node_classes.iter();
            let class = classes.find(|class| {
                wanted.name.as_ref() == Some(&class.meta.name)
                    && (wanted.kind.is_none() || wanted.kind == class.kind)
            });
            self.setup.provider.instance_types(pool, class.map(|class| &**class)).into()
        });
        Arc::clone(types)
    }

    /// Whether the rebuilt states can be right for a pod: when kube-scheduler said that no node takes it, none may take it
    /// in the state rebuilt for that moment. Asked once for the pods of one owner.
    pub fn is_trusted(&self, pod: &PodStory) -> bool {
        let Some(owner) = &pod.owner else { return self.refuses_as_recorded(pod) };
        if let Some(known) = held(&self.trusted).get(owner) {
            return *known;
        }
        let trusted = self.refuses_as_recorded(pod);
        held(&self.trusted).insert(owner.clone(), trusted);
        trusted
    }

    fn refuses_as_recorded(&self, pod: &PodStory) -> bool {
        let (Some(said), Some(unbound)) = (pod.scheduler_refusals.first(), pod.unbound()) else {
            return true;
        };
        let at = said.moment.at;
        let mut instant = Instant::at(at);
        instant.released.insert(pod.key.clone());
        let state = state_at(self.snapshot, &self.chronicle, &instant).state;
        let mut scheduler =
            Scheduler::new(&state, self.setup.scheduler, self.setup.scheduler_version.clone());
        let feasible = scheduler.feasible(unbound);
        // A node that came at about the same time may have been seen or not.
        let settled = at.plus(Span(-Span::seconds(3).0));
        let long_there = |node: &NodeName| {
            let story = self.chronicle.nodes.get(node);
            let initialized = self.chronicle.claim_of(node).and_then(|claim| claim.initialized);
            let since =
                initialized.or_else(|| story.and_then(|story| story.ready.or(story.created)));
            since.is_some_and(|since| since.latest() < settled)
        };
        !feasible.iter().any(long_there)
    }

    /// The pods of an owner, counted; the same for all of them, so counted once.
    pub fn group(&self, owner: &OwnerKey) -> Arc<Group> {
        if let Some(known) = held(&self.groups).get(owner) {
            return Arc::clone(known);
        }
        let counted = Arc::new(group(self, owner));
        held(&self.groups).insert(owner.clone(), Arc::clone(&counted));
        counted
    }

    /// The lines of Karpenter's log that give up a soft rule of a pod, oldest first.
    pub(super) fn relaxing(&self, pod: &PodKey) -> impl Iterator<Item = &'a LogRecord> {
        let log = &self.snapshot.karpenter_log;
        let lines = self.relaxing.get_or_init(|| {
            let mut lines: BTreeMap<PodKey, Vec<usize>> = BTreeMap::new();
            for (index, record) in log.iter().enumerate() {
                if record.message.starts_with("relaxing soft constraints")
                    && let Some(pod) = karpenter_pod(record)
                {
                    lines.entry(pod).or_default().push(index);
                }
            }
            lines
        });
        lines.get(pod).into_iter().flatten().map(|&index| &log[index])
    }

    /// The pods that a node's claim was launched for, as nominations say and replays give.
    pub fn launched_for(&self, node: &NodeName) -> &BTreeSet<PodKey> {
        const NONE: &BTreeSet<PodKey> = &BTreeSet::new();
        let Some(claim) = self.chronicle.claim_of(node) else { return NONE };
        self.launches().get(&claim.name).unwrap_or(NONE)
    }

    /// For each NodeClaim of which that is known, the pods that it was launched for. Where planned claims cannot be told
    /// apart, a pod counts for each that may be its own.
    pub fn launches(&self) -> &BTreeMap<NodeClaimName, BTreeSet<PodKey>> {
        self.launched_for.get_or_init(|| self.all_launched_for())
    }

    /// The pods that one NodeClaim was launched for; asks only the passes that may have made it.
    pub fn launch(&self, claim: &NodeClaimName) -> BTreeSet<PodKey> {
        if let Some(known) = self.launched_for.get() {
            return known.get(claim).cloned().unwrap_or_default();
        }
        let mut launched = self.nominated_first(|named| named == claim);
        for index in (0..self.passes.len()).filter(|&at| self.passes[at].created.contains(claim)) {
            self.add_planned(index, &mut launched);
        }
        launched.remove(claim).unwrap_or_default()
    }

    fn all_launched_for(&self) -> BTreeMap<NodeClaimName, BTreeSet<PodKey>> {
        let mut launched = self.nominated_first(|_| true);
        for index in (0..self.passes.len()).filter(|&at| !self.passes[at].created.is_empty()) {
            self.add_planned(index, &mut launched);
        }
        launched
    }

    /// The pods whose first nomination names a claim: the first launches, later ones find the claim there.
    fn nominated_first(
        &self,
        is_asked: impl Fn(&NodeClaimName) -> bool,
    ) -> BTreeMap<NodeClaimName, BTreeSet<PodKey>> {
        let mut launched: BTreeMap<NodeClaimName, BTreeSet<PodKey>> = BTreeMap::new();
        for pod in &self.chronicle.pods {
            let first = pod.nominations.first().and_then(|nomination| nomination.claim.as_ref());
            if let Some(claim) = first.filter(|claim| is_asked(claim)) {
                launched.entry(claim.clone()).or_default().insert(pod.key.clone());
            }
        }
        launched
    }

    /// Adds the pods for which a pass's replay plans the claims that were then created.
    fn add_planned(&self, index: usize, launched: &mut BTreeMap<NodeClaimName, BTreeSet<PodKey>>) {
        let created = &self.passes[index].created;
        for (pod, places) in self.replay(index).iter().flat_map(|replay| &replay.places) {
            let new = places.iter().filter(|place| place.new);
            for claim in new.filter_map(|place| place.claim.as_ref()) {
                if created.contains(claim) {
                    launched.entry(claim.clone()).or_default().insert(pod.clone());
                }
            }
        }
    }

    /// Karpenter's environment, as far as the input shows it.
    pub fn environment(&self) -> Option<&BTreeMap<String, String>> {
        self.snapshot.settings.karpenter_environment.as_ref()
    }
}

/// What a mutex keeps; what another thread left of it when it panicked is whole all the same.
pub(super) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether what Karpenter plans for a state is the same at any time: nothing in it goes away or is of an age that counts.
fn is_timeless(state: &ClusterState, provider: &dyn CloudProvider) -> bool {
    state.capacity_buffers.is_empty()
        && state.at.is_none_or(|at| provider.at(at).is_none())
        && !state.nodes.iter().any(|node| node.meta.is_terminating())
        && !state
            .node_claims
            .iter()
            .any(|claim| claim.meta.is_terminating() || claim.is("InstanceTerminating"))
        && !state.pods.iter().any(|pod| pod.meta.is_terminating())
}
