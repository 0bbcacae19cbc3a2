//! `Binding`: kube-scheduler's decision, replayed on the state of its moment, in each order that the stamps allow.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::moment::Moment;
use super::order::order_of_decisions;
use super::state_at::{Assumption, Instant, Stage, StateAt, stage, state_at};
use super::stories::PodStory;
use super::world::World;
use crate::kube_scheduler::{Decision, Scheduler};
use crate::model::cluster_state::ClusterState;
use crate::model::names::NodeName;
use crate::model::pod::Pod;
use crate::model::time::Span;

/// kube-scheduler's decision for a pod that was bound.
#[derive(Clone, Debug)]
pub struct Binding {
    /// When the binding was written.
    pub moment: Moment,
    /// The state that the likeliest order gives, the pod on no node.
    pub state: ClusterState,
    /// The decision in that order.
    pub decision: Decision,
    /// The pod as it was then.
    pub pod: Arc<Pod>,
    /// In how many orders which of these holds.
    pub tally: Tally,
    /// What had to be held true to rebuild the moment.
    pub assumptions: Vec<Assumption>,
}

/// In how many orders something holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Orders tried.
    pub orders: u32,
    /// The node that the pod was bound to passes all filters.
    pub feasible: u32,
    /// It has the highest total, alone or with others.
    pub best: u32,
    /// It alone has the highest total.
    pub alone: u32,
}

impl Tally {
    /// What one order gives.
    fn of(decision: &Decision, node: &NodeName) -> Self {
        let is_best = decision.best.contains(node);
        Self {
            orders: 1,
            feasible: u32::from(decision.feasible.contains(node)),
            best: u32::from(is_best),
            alone: u32::from(is_best && decision.best.len() == 1),
        }
    }

    fn add(&mut self, other: Self) {
        self.orders += other.orders;
        self.feasible += other.feasible;
        self.best += other.best;
        self.alone += other.alone;
    }
}

/// How long a binding may take after the decision: what was written up to then may have been decided before.
const BINDING_TAKES: Span = Span(400_000_000);
/// At most so many orders are tried.
const MOST_ORDERS: usize = 64;

/// Replays the decision; `None` for a pod that is on no node, or of which no time is known.
pub fn binding(world: &World<'_>, pod: &PodStory) -> Option<Binding> {
    let (moment, node) = (pod.bound?, pod.node.as_ref()?);
    let likeness = pod.unbound().cloned()?;
    let close = close_by(world, pod, moment);
    let (mut sequence, is_known) =
        order_of_decisions(close.into_iter().chain([(moment, pod)]).collect());
    let is_own = |other: &&PodStory| other.key == pod.key && other.uid == pod.uid;
    let own_place = sequence.iter().position(is_own).unwrap_or(0);
    sequence.remove(own_place);
    let first = own_place.saturating_sub(MOST_ORDERS / 2);
    let last = sequence.len().min(first + MOST_ORDERS);
    let keys = |pods: &[&PodStory]| pods.iter().map(|other| other.key.clone()).collect();
    // Those before all orders that are tried are on their nodes from the start.
    let mut instant = Instant::at(moment.latest());
    instant.assumed = keys(&sequence[..first]);
    instant.released = keys(&sequence[first..]);
    instant.released.insert(pod.key.clone());
    let rebuild = |instant: &Instant| {
        let StateAt { mut state, assumptions } =
            state_at(world.snapshot, &world.chronicle, instant);
        state.at = Some(moment.at);
        (state, assumptions)
    };
    let (mut state, mut assumptions) = rebuild(&instant);
    let mut scheduler =
        Scheduler::new(&state, world.setup.scheduler, world.setup.scheduler_version.clone());
    let mut tally = Tally::default();
    // The order that the queue or the stamps give, or the nearest one that gives what happened. A decision holds a line
    // for each node, so only the one that is chosen so far is kept.
    let mut chosen: Option<(bool, usize, Decision)> = None;
    for order in first..=last {
        if order > first
            && let (Some(pod), Some(node)) =
                (sequence[order - 1].unbound(), &sequence[order - 1].node)
        {
            scheduler.assume(pod, node);
        }
        let decision = scheduler.schedule_pod(&likeness);
        let here = Tally::of(&decision, node);
        let is_best = here.best == 1;
        if is_known && order == own_place && is_best {
            // The queue tells the order, and it gives what happened: no other one is in question.
            tally = here;
            chosen = Some((is_best, order, decision));
            break;
        }
        tally.add(here);
        let rank = |is_best: bool, order: usize| (!is_best, order.abs_diff(own_place));
        if chosen
            .as_ref()
            .is_none_or(|(was_best, at, _)| rank(is_best, order) < rank(*was_best, *at))
        {
            chosen = Some((is_best, order, decision));
        }
    }
    let (_, chosen, decision) = chosen?;
    // In the first order it is the state from above.
    if chosen > first {
        let before: BTreeSet<_> = keys(&sequence[..chosen]);
        instant.released.retain(|key| !before.contains(key));
        instant.assumed = before;
        (state, assumptions) = rebuild(&instant);
    }
    Some(Binding { moment, state, decision, pod: likeness, tally, assumptions })
}

/// Pods that were bound so close by that the stamps do not tell who was decided first.
fn close_by<'w>(
    world: &'w World<'_>,
    pod: &PodStory,
    moment: Moment,
) -> Vec<(Moment, &'w PodStory)> {
    let from = moment.at.plus(Span(-BINDING_TAKES.0));
    let to = moment.latest().plus(BINDING_TAKES);
    world
        .chronicle
        .pods
        .iter()
        .filter(|other| other.key != pod.key || other.uid != pod.uid)
        .filter_map(|other| {
            let bound = other.bound?;
            let overlaps = bound.latest() > from && bound.at < to;
            let there = stage(other, &Instant::at(bound.latest())) != Stage::Absent;
            (overlaps && there).then_some((bound, other))
        })
        .collect()
}
