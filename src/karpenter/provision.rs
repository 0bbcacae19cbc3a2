//! The entry: a batch in, a plan out. As `Provisioner.Schedule`.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::cluster_state::ClusterState;
use crate::model::gap::{Gap, GapKind};
use crate::model::names::{NamespaceName, NodeName, PodKey};
use crate::model::nodepool::NodePool;
use crate::model::pod::{Phase, Pod};
use crate::model::requests::RequestRules;
use crate::model::selector::NodeSelectorTerm;

use super::amounts::ResourceOrder;
use super::batch::Batch;
use super::batch_pod::{BatchPod, PodClass};
use super::batch_pods::{Chosen, choose, leaving_pods, unbound};
use super::bound_pods::BoundPods;
use super::cloud_provider::CloudProvider;
use super::cluster_pods::ClusterPods;
use super::creators::{Beginnings, beginnings};
use super::daemon_overhead::{daemons, uses_devices};
use super::default_spread::default_constraints;
use super::demands::Demands;
use super::disruption::Simulation;
use super::existing_node::ExistingNode;
use super::finalize::has_unknown_order;
use super::finished::FinishedClaims;
use super::host_ports::host_ports;
use super::node_overlay::PoolTypes;
use super::nodeclaim_template::NodeClaimTemplate;
use super::plan::{LeftOut, Plan};
use super::pod_error::PodError;
use super::queue::Queue;
use super::requirements::RequirementSets;
use super::reservation_manager::ReservationManager;
use super::roomy::RoomyNodes;
use super::scheduler::Scheduler;
use super::settings::Settings;
use super::state::State;
use super::state_node::state_nodes;
use super::taints::TaintTable;
use super::topology::{InitialGroups, Selections};
use super::topology_rule::RuleMaker;
use super::validation::LabelRules;
use super::vocabulary::Vocabulary;
use super::volume_topology;
use super::volumes::{Storage, attachments};
use super::world::{NodeUsage, Preparation, RuleNumbers, eligible_pools, requests};

/// Why a question cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Something in the input that the replay does not model; an answer would be wrong.
    #[error("the replay does not model {0}")]
    NotModelled(String),
}

/// What Karpenter would do with a batch of pods. As `Provisioner.Schedule`.
pub fn provision(
    state: &ClusterState,
    batch: &Batch,
    provider: &dyn CloudProvider,
    settings: &Settings,
) -> Result<Plan, Refused> {
    pass(state, batch, provider, settings, None)
}

/// What would become of the pods of nodes that go: the same pass without them. As `disruption.SimulateScheduling`.
pub(super) fn simulate(
    state: &ClusterState,
    batch: &Batch,
    provider: &dyn CloudProvider,
    settings: &Settings,
    simulation: &Simulation,
) -> Result<Plan, Refused> {
    pass(state, batch, provider, settings, Some(simulation))
}

fn pass(
    state: &ClusterState,
    batch: &Batch,
    provider: &dyn CloudProvider,
    settings: &Settings,
    simulation: Option<&Simulation>,
) -> Result<Plan, Refused> {
    let then = state.at.and_then(|moment| provider.at(moment));
    let provider = then.as_deref().unwrap_or(provider);
    let version = settings.version;
    if !version.since(1, 0) {
        return Err(Refused::NotModelled(format!("Karpenter {version}: only 1.1 to 1.15 are")));
    }
    let mut plan = Plan { gaps: provider.gaps(), ..Plan::default() };
    let pods = unbound(state, batch);
    let request_rules =
        RequestRules { status_counts: version.since(14, 0), pod_level_counts: version.since(9, 0) };
    let (well_known, domains) = (provider.well_known_labels(), provider.restricted_domains());
    let mut sets = RequirementSets::new(Vocabulary::new(version, &well_known));
    let mut taints = TaintTable::new(version.since(9, 0));
    let mut order = ResourceOrder::default();
    let storage = Storage::of(state);
    let bound = BoundPods::new(&state.nodes, &pods);
    let usage = NodeUsage::of(&state.nodes, bound.iter(&pods), &storage, request_rules, &mut order);
    let found = state_nodes(state, batch, provider, |node| {
        !usage.unreadable.contains(node.meta.name.as_ref())
    });
    plan.waits_for = found.unlaunched;
    plan.gaps.extend(usage.unreadable.iter().map(unreadable_node));
    let label_rules = LabelRules::new(&well_known, &domains, settings);
    let chosen = choose(state, &pods, batch, &found.all, settings, &label_rules, &mut sets);
    plan.left_out = chosen.left_out;
    let eligible = eligible_pools(state, provider, settings);
    let pools = with_types(eligible, state, provider, settings, &mut sets)?;
    if pools.is_empty() {
        return Ok(without_pools(plan, &chosen.pods));
    }
    let mut shared_daemons = daemons(state, settings, request_rules);
    let mut preparation =
        Preparation { state, settings, sets: &mut sets, taints: &mut taints, order: &mut order };
    let made = preparation.pools(&pools, provider.reservation_id_label(), &mut shared_daemons);
    let nodes = preparation.existing_nodes(&found.all, &usage, &made, &mut shared_daemons);
    let remaining = preparation.limits(&made.templates, &found.all);
    let leaving = leaving_pods(&chosen.pods);
    let cluster =
        ClusterPods::new(&state.nodes, bound.iter(&pods), &leaving, &mut sets, &mut taints);
    let mut reservations = ReservationManager::new(simulation.is_none());
    made.tables.iter().for_each(|table| reservations.add(table));
    let of_order = made.templates.iter().filter(|template| has_unknown_order(template));
    plan.gaps.extend(of_order.map(unknown_order));
    let active: Vec<_> = nodes
        .iter()
        .filter_map(|node| {
            let name = found.all[node.index].node.as_ref()?.name();
            Some((cluster.places.get(&name).copied()?, node.set))
        })
        .collect();
    let reservation_key = provider.reservation_id_label().map(|key| sets.vocabulary.key(key));
    let mut scheduler = Scheduler {
        cluster_state: state,
        settings,
        batch,
        sets,
        taints,
        order,
        tables: made.tables,
        templates: made.templates,
        state_nodes: found.all,
        pods: Vec::new(),
        classes: Vec::new(),
        universe: made.universe,
        cluster,
        active,
        rules: RuleNumbers::default(),
        initial: InitialGroups::default(),
        selections: Selections::default(),
        tolerates_soft: made.tolerates_soft,
        placeholders: Vec::new(),
        steps: 0,
        shapes: FxHashMap::default(),
        finished: FinishedClaims::default(),
        reservation_key,
        young: young(&nodes, simulation),
        roomy: RoomyNodes::new(&nodes),
    };
    scheduler.take_in(&chosen.pods, &storage, request_rules, simulation);
    plan.gaps.extend(uncounted_devices(&scheduler));
    let queue = Queue::new(&scheduler.pods);
    plan.batch = queue.order().map(|pod| scheduler.pods[pod].key.clone()).collect();
    let count = scheduler.pods.len();
    let blank = State {
        nodes,
        queue,
        shared_ports: vec![Vec::new(); remaining.len()],
        remaining,
        reservations,
        rounds: vec![0; count],
        levels: vec![0; count],
        ..State::default()
    };
    let leaves: Vec<Option<usize>> = chosen.pods.iter().map(|pod| pod.leaves).collect();
    let Beginnings { states, is_cut } = beginnings(&mut scheduler, &blank, &leaves);
    plan.capped = is_cut;
    follow(&mut scheduler, states, &mut plan);
    Ok(plan)
}

/// Which nodes are too young to take pods that run elsewhere; empty where none is.
fn young(nodes: &[Arc<ExistingNode>], simulation: Option<&Simulation>) -> Vec<bool> {
    let young = simulation.map(|simulation| &simulation.young).filter(|young| !young.is_empty());
    young.map_or(Vec::new(), |young| nodes.iter().map(|node| young.contains(&node.name)).collect())
}

/// What is not counted for pods with devices.
fn uncounted_devices(scheduler: &Scheduler<'_>) -> Option<Gap> {
    let mut pods = scheduler.pods.iter();
    let settings = scheduler.settings;
    let counts =
        !settings.ignore_dra_requests && pods.any(|pod| uses_devices(&pod.pod.spec, settings));
    let detail = "devices of dynamic resource allocation are not counted on nodes and claims";
    counts.then(|| Gap::new(GapKind::NotModelled, "IGNORE_DRA_REQUESTS=false", detail))
}

fn unreadable_node(node: &NodeName) -> Gap {
    let detail = "a pod on it has a volume that is missing: Karpenter may not see the node";
    Gap::new(GapKind::NotModelled, format!("node/{node}"), detail)
}

fn unknown_order(template: &NodeClaimTemplate) -> Gap {
    let detail = "more than eight groups of DaemonSets: not every order of them is followed";
    Gap::new(GapKind::NotModelled, format!("nodepool/{}", template.pool.name()), detail)
}

/// Follows every beginning to its ends.
fn follow(scheduler: &mut Scheduler<'_>, states: Vec<State>, plan: &mut Plan) {
    let limits = scheduler.batch.limits;
    let mut known = FxHashSet::default();
    for state in states {
        let (ends, capped) = scheduler.solve(state, limits);
        plan.capped |= capped;
        for end in ends {
            for mut outcome in scheduler.outcomes(&end, &mut known) {
                if plan.outcomes.len() >= limits.outcomes.max(1) {
                    plan.capped = true;
                    return;
                }
                for left in plan.left_out.iter().filter(|left| left.is_told) {
                    let error = PodError::Invalid(left.reasons.clone());
                    outcome.pod_errors.entry(left.pod.clone()).or_insert(error);
                }
                plan.outcomes.push(outcome);
            }
        }
    }
}

/// Pools, each with its instance types.
pub(super) fn with_types(
    listed: Vec<Arc<NodePool>>,
    state: &ClusterState,
    provider: &dyn CloudProvider,
    settings: &Settings,
    sets: &mut RequirementSets,
) -> Result<Vec<PoolTypes>, Refused> {
    let mut pools = Vec::new();
    for pool in listed {
        let class = state.node_classes.iter().find(|class| {
            let wanted = &pool.template.node_class;
            class.group == wanted.group
                && class.kind == wanted.kind
                && Some(&class.meta.name) == wanted.name.as_ref()
        });
        let types = provider.instance_types(&pool, class.map(|class| &**class));
        pools.push((pool, types));
    }
    if settings.gates.node_overlay {
        super::node_overlay::apply(state, &mut pools, sets);
    }
    if provider.reservation_id_label().is_none() && settings.gates.reserved_capacity {
        let types = pools.iter().flat_map(|(_, types)| types);
        let launchable = types.flat_map(|model| &model.offerings).any(|offering| {
            offering.available
                && offering.reservation_capacity > 0
                && offering.requirements.iter().any(|own| {
                    &*own.key == crate::model::labels::CAPACITY_TYPE
                        && own.values.iter().any(|value| &**value == "reserved")
                })
        });
        if launchable {
            let what = format!(
                "reserved offerings with capacity on {}, which names no reservations",
                provider.name()
            );
            return Err(Refused::NotModelled(what));
        }
    }
    Ok(pools)
}

/// Without a pool that may launch, upstream does not even look at the nodes that are there, and tells no pod of it.
fn without_pools(mut plan: Plan, chosen: &[Chosen]) -> Plan {
    let mut outcome = super::plan::Outcome::default();
    for left in plan.left_out.iter().filter(|left| left.is_told) {
        outcome.pod_errors.insert(left.pod.clone(), PodError::Invalid(left.reasons.clone()));
    }
    plan.left_out.extend(chosen.iter().map(|pod| LeftOut {
        pod: pod.pod.key(),
        reasons: vec![PodError::NoNodePools.to_string()],
        is_told: false,
    }));
    plan.outcomes.push(outcome);
    plan
}

/// A claim for devices that a pod refers to and that is not there, in upstream's words.
fn missing_claim(pod: &Pod, state: &ClusterState) -> Option<String> {
    let namespace = &pod.meta.namespace;
    pod.spec.resource_claims.iter().find_map(|claim| {
        let made = || {
            let names = pod.status.resource_claim_names.iter();
            names.filter(|(name, _)| *name == claim.name).find_map(|(_, made)| made.as_ref())
        };
        let Some(name) = claim.claim_name.as_ref().or_else(made) else {
            return Some(format!(
                "resourceclaim for {:?} of pod \"{namespace}/{}\" is not created yet",
                claim.name, pod.meta.name
            ));
        };
        let is_there = state
            .resource_claims
            .iter()
            .any(|found| found.meta.name == *name && found.meta.namespace == *namespace);
        (!is_there).then(|| format!("resourceclaim \"{namespace}/{name}\" not found"))
    })
}

impl Scheduler<'_> {
    /// Prepares the pods of the batch.
    fn take_in(
        &mut self,
        chosen: &[Chosen],
        storage: &Storage<'_>,
        rules: RequestRules,
        simulation: Option<&Simulation>,
    ) {
        let mut classes: FxHashMap<(NamespaceName, crate::model::labels::Labels, Demands), usize> =
            FxHashMap::default();
        for chosen in chosen {
            let pod = &chosen.pod;
            let demands = self.demands(pod, storage);
            let key = (pod.meta.namespace.clone(), pod.meta.labels.clone(), demands);
            let known = classes.get(&key).copied();
            let class = known.unwrap_or_else(|| {
                let class = self.new_class(pod, key.2.clone());
                classes.insert(key, class);
                class
            });
            let requests = requests(pod, rules);
            let asks_for_devices = uses_devices(&pod.spec, self.settings);
            let device_refusal = match self.settings.ignore_dra_requests {
                true => asks_for_devices.then_some(PodError::Dra),
                false if self.settings.version.since(14, 0) => {
                    missing_claim(pod, self.cluster_state).map(PodError::ResourceClaim)
                }
                false => None,
            };
            let alternatives = if self.settings.version.since(9, 0) {
                volume_topology::alternatives(pod, storage, self.settings, &mut self.sets)
                    .map_err(|error| error.0)
            } else {
                Ok(Vec::new())
            };
            let is_moved = simulation.is_some_and(|simulation| self.is_moved(chosen, simulation));
            self.pods.push(BatchPod {
                avoids_young: is_moved,
                key: PodKey::new(pod.meta.namespace.clone(), pod.meta.name.clone()),
                class,
                amounts: self.order.amounts(&requests),
                requests,
                ports: host_ports(&pod.spec),
                alternatives,
                attachments: attachments(pod, storage).map_err(|error| error.0),
                device_refusal,
                pod: Arc::clone(pod),
            });
        }
    }

    /// Whether a pod runs well where it is, but for the simulation.
    fn is_moved(&self, chosen: &Chosen, simulation: &Simulation) -> bool {
        let node = chosen.leaves.and_then(|place| self.state_nodes[place].node.as_deref());
        let goes_anyhow = node.is_some_and(|node| !simulation.candidates.contains(&node.name()));
        // What stands for a CapacityBuffer has no phase at all.
        let is_pending = chosen.pod.status.phase == Phase::Pending
            && !chosen.pod.meta.annotations.contains("karpenter.sh/capacity-buffer-fake-pod");
        !is_pending && !goes_anyhow
    }

    /// What a pod demands: as it says, and as the cluster's defaults and its volumes add.
    fn demands(&self, pod: &Pod, storage: &Storage<'_>) -> Demands {
        let mut demands = Demands::of(&pod.spec);
        demands.spread.extend(default_constraints(pod, self.cluster_state, self.settings));
        if !self.settings.version.since(9, 0) {
            let injected = volume_topology::injected(pod, storage, self.settings);
            if let Ok(Some(terms)) = injected {
                let node = demands.affinity.node.get_or_insert_default();
                node.required = Some::<Vec<NodeSelectorTerm>>(terms);
            }
        }
        demands
    }

    fn new_class(&mut self, pod: &Pod, demands: Demands) -> usize {
        let class = self.classes.len();
        let mut maker = RuleMaker {
            state: self.cluster_state,
            settings: self.settings,
            sets: &mut self.sets,
            taints: &mut self.taints,
        };
        let inverse = maker.inverse(&pod.meta, &demands).into_iter();
        let inverse: Vec<_> =
            inverse.map(|(identity, rule)| (self.rules.number(identity), Arc::new(rule))).collect();
        self.classes.push(PodClass {
            namespace: pod.meta.namespace.clone(),
            labels: pod.meta.labels.clone(),
            variants: Vec::new(),
            inverse,
        });
        let first = self.make_variant(class, demands, None);
        self.classes[class].variants.push(Arc::new(first));
        class
    }
}
