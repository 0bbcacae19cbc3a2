//! A change, tried out: Karpenter plans, its nodes come up in several orders, kube-scheduler binds. Only what holds in
//! all of them counts.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::scene::Scene;
use super::target::Goal;
use crate::explain::detectors::{told, told_error};
use crate::explain::what_if::{PlannedPlace, placement_in};
use crate::explain::words;
use crate::karpenter::launched::{daemon_pods, launch};
use crate::karpenter::{self, Batch, Limits, Outcome, Plan};
use crate::kube_scheduler::{Decision, Scheduler};
use crate::model::cluster_state::ClusterState;
use crate::model::names::{NodeName, PodKey};
use crate::model::node::Node;
use crate::model::pod::Pod;
use crate::model::taint::Taint;

/// How far outcomes are followed: the pod must be placed well in each of them.
const LIMITS: Limits = Limits { outcomes: 8, steps: 2_000 };

/// What a change gives, once it gives what was wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Gained {
    /// What both replays then do, in a sentence.
    pub summary: String,
    /// New nodes that Karpenter plans; `None` when it is not asked.
    pub new_nodes: Option<usize>,
}

/// What still stands in the way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Obstacle {
    /// How far it is from what was wanted: 0 is nearest.
    pub distance: u32,
    /// What stands in the way, in a sentence.
    pub summary: String,
}

impl Obstacle {
    fn new(distance: u32, summary: String) -> Self {
        Self { distance, summary }
    }
}

/// Tries a scene.
pub fn attempt(scene: &Scene<'_>, goal: &Goal) -> Result<Gained, Obstacle> {
    let Some(pod) = scene.state.pod(&scene.pod) else {
        return Err(Obstacle::new(9, "the pod is not in the rebuilt state".to_owned()));
    };
    let at_once = decide(scene, &scene.state, pod);
    match verdict(&at_once, &scene.state, goal) {
        Some(Ok(node)) => {
            not_elsewhere(scene, goal)?;
            return Ok(Gained {
                summary: format!(
                    "kube-scheduler binds the pod to {} at once, so Karpenter is not asked",
                    words::node(&node)
                ),
                new_nodes: None,
            });
        }
        Some(Err(node)) => {
            return Err(Obstacle::new(
                2,
                format!(
                    "kube-scheduler would bind the pod to {} at once, where there is room",
                    words::node(&node)
                ),
            ));
        }
        None => {}
    }
    let plan = plan(scene)?;
    for outcome in &plan.outcomes {
        is_planned_well(scene, goal, outcome, &plan)?;
    }
    let Some(outcome) = plan.outcomes.first() else {
        return Err(Obstacle::new(8, "Karpenter has no plan".to_owned()));
    };
    let orders = comes_up(scene, goal, outcome)?;
    not_elsewhere(scene, goal)?;
    let new_nodes = outcome.new_node_claims.len();
    let place = match placement_in(outcome, &scene.pod) {
        Some(PlannedPlace::New(claim)) => told(claim),
        Some(PlannedPlace::Existing(node)) => format!("node/{node}"),
        None => String::new(),
    };
    Ok(Gained {
        summary: format!(
            "Karpenter plans {place} for the pod, and kube-scheduler binds it there {orders}"
        ),
        new_nodes: Some(new_nodes),
    })
}

/// Karpenter's plan for all that waits.
pub fn plan(scene: &Scene<'_>) -> Result<Plan, Obstacle> {
    let batch = Batch { limits: LIMITS, ..Batch::default() };
    karpenter::provision(&scene.state, &batch, scene.world.setup.provider, &scene.settings)
        .map_err(|refused| Obstacle::new(9, format!("Karpenter's pass is not modelled: {refused}")))
}

fn decide(scene: &Scene<'_>, state: &ClusterState, pod: &Arc<Pod>) -> Decision {
    let setup = &scene.world.setup;
    Scheduler::new(state, setup.scheduler, setup.scheduler_version.clone()).schedule_pod(pod)
}

/// The node that a decision gives, `Err` when it may be one that is not wanted; `None` when no node takes the pod.
fn verdict(
    decision: &Decision,
    state: &ClusterState,
    goal: &Goal,
) -> Option<Result<NodeName, NodeName>> {
    let is_wanted = |name: &&NodeName| state.node(name).is_some_and(|node| goal.is_met_by(node));
    match decision.best.iter().find(|name| !is_wanted(name)) {
        Some(other) => Some(Err(other.clone())),
        None => decision.best.first().map(|name| Ok(name.clone())),
    }
}

/// Whether an outcome places the pod where it is wanted, whatever is launched.
fn is_planned_well(
    scene: &Scene<'_>,
    goal: &Goal,
    outcome: &Outcome,
    plan: &Plan,
) -> Result<(), Obstacle> {
    match placement_in(outcome, &scene.pod) {
        Some(PlannedPlace::New(claim)) => {
            if goal.is_met_by_claim(claim, scene.world.setup.provider) {
                return Ok(());
            }
            Err(Obstacle::new(4, format!("Karpenter would launch {}", told(claim))))
        }
        Some(PlannedPlace::Existing(name)) => {
            let by_name = scene.state.node(&NodeName(name.as_str().into()));
            let started = scene
                .world
                .chronicle
                .claims
                .get(name.as_str())
                .and_then(|claim| scene.world.snapshot.objects.node(claim.node.as_ref()?));
            if by_name.or(started).is_some_and(|node| goal.is_met_by(node)) {
                return Ok(());
            }
            Err(Obstacle::new(4, format!("Karpenter would count on {name} for the pod")))
        }
        None => {
            let left_out = plan.left_out.iter().find(|left| left.pod == scene.pod);
            let why = match (outcome.pod_errors.get(&scene.pod), left_out) {
                (Some(error), _) => told_error(error),
                (None, Some(left)) => left.reasons.join("; "),
                (None, None) => "it does not plan for the pod".to_owned(),
            };
            Err(Obstacle::new(5, format!("Karpenter would launch nothing for the pod: {why}")))
        }
    }
}

/// Binds the pods of the pass once the planned nodes are there: all at once, and those last that are wanted.
fn comes_up(scene: &Scene<'_>, goal: &Goal, outcome: &Outcome) -> Result<String, Obstacle> {
    let provider = scene.world.setup.provider;
    let launched = outcome.new_node_claims.iter().enumerate();
    let nodes: Vec<Arc<Node>> = launched
        .filter_map(|(index, claim)| Some(launch(claim, index + 1, provider)?.node))
        .chain(started(scene, outcome))
        .collect();
    let (wanted, others): (Vec<Arc<Node>>, Vec<Arc<Node>>) =
        nodes.iter().cloned().partition(|node| goal.is_met_by(node));
    bind(scene, goal, &[nodes])?;
    if others.is_empty() {
        return Ok("as soon as it is ready".to_owned());
    }
    bind(scene, goal, &[others, wanted]).map_err(|obstacle| {
        Obstacle::new(
            obstacle.distance,
            format!("when the other new nodes are ready first, {}", obstacle.summary),
        )
    })?;
    Ok("in whatever order the new nodes become ready".to_owned())
}

/// Nodes that are being started and that the plan counts on, as they then came.
fn started(scene: &Scene<'_>, outcome: &Outcome) -> Vec<Arc<Node>> {
    let claims = outcome.existing_nodes.iter().filter(|node| node.node.is_none());
    claims
        .filter_map(|node| {
            scene.world.chronicle.claims.get(node.node_claim.as_ref()?)?.node.as_ref()
        })
        .filter(|name| scene.state.node(name).is_none())
        .filter_map(|name| scene.world.snapshot.objects.node(name).cloned())
        .collect()
}

/// kube-scheduler over all that waits, each time that nodes have come up.
fn bind(scene: &Scene<'_>, goal: &Goal, phases: &[Vec<Arc<Node>>]) -> Result<(), Obstacle> {
    let setup = &scene.world.setup;
    let mut state = scene.state.clone();
    let is_waiting = |pod: &Arc<Pod>| pod.node_name.is_none() && !pod.is_terminal();
    let (mut queue, bound): (Vec<Arc<Pod>>, Vec<Arc<Pod>>) =
        state.pods.drain(..).partition(is_waiting);
    state.pods = bound;
    let passes = |taint: &Taint| {
        scene.passing.iter().any(|one| one.key == taint.key && one.effect == taint.effect)
    };
    for node in state.nodes.iter_mut().filter(|node| node.taints.iter().any(passes)) {
        Arc::make_mut(node).taints.retain(|taint| !passes(taint));
    }
    queue.sort_by_key(|pod| (Reverse(pod.priority()), pod.meta.created));
    let mut message = "kube-scheduler would leave the pod pending".to_owned();
    for nodes in phases {
        for node in nodes {
            state.pods.extend(daemon_pods(node, &state));
            state.nodes.push(Arc::clone(node));
        }
        state.nodes.sort_by(|a, b| a.meta.name.cmp(&b.meta.name));
        sort(&mut state.pods);
        let mut scheduler =
            Scheduler::new(&state, setup.scheduler, setup.scheduler_version.clone());
        let mut placed: BTreeSet<PodKey> = BTreeSet::new();
        for pod in &queue {
            let decision = scheduler.schedule_pod(pod);
            let is_own = pod.key() == scene.pod;
            if is_own {
                match verdict(&decision, &state, goal) {
                    Some(Ok(_)) => return Ok(()),
                    Some(Err(other)) => {
                        let node = words::node(&other);
                        let summary = format!("kube-scheduler would bind the pod to {node}");
                        return Err(Obstacle::new(1, summary));
                    }
                    None => {
                        let why = decision.message.clone().unwrap_or_default();
                        message = format!("kube-scheduler would leave the pod pending: {why}");
                    }
                }
            }
            let node = decision.pick.clone().or_else(|| decision.best.first().cloned());
            if let Some(node) = node.filter(|node| scheduler.assume(pod, node)) {
                let there = Pod { node_name: Some(node), ..Pod::clone(pod) };
                placed.insert(pod.key());
                state.pods.push(Arc::new(there));
            }
        }
        queue.retain(|pod| !placed.contains(&pod.key()));
    }
    Err(Obstacle::new(3, message))
}

fn sort(pods: &mut [Arc<Pod>]) {
    pods.sort_by(|a, b| (&a.meta.namespace, &a.meta.name).cmp(&(&b.meta.namespace, &b.meta.name)));
}

/// When the pod was bound, nodes that the pass did not launch may have had room that they had not before.
fn not_elsewhere(scene: &Scene<'_>, goal: &Goal) -> Result<(), Obstacle> {
    let Some((state, pod)) = &scene.at_binding else { return Ok(()) };
    match verdict(&decide(scene, state, pod), state, goal) {
        Some(Err(other)) => Err(Obstacle::new(
            2,
            format!(
                "when the pod was bound, kube-scheduler would still have chosen {}, which was there already",
                words::node(&other)
            ),
        )),
        _ => Ok(()),
    }
}
