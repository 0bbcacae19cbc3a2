//! `Binding`: kube-scheduler's decision, replayed on the state of its moment, in each order that the stamps allow.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::moment::Moment;
use super::state_at::{Assumption, Instant, Stage, StateAt, stage, state_at};
use super::stories::PodStory;
use super::world::World;
use crate::kube_scheduler::{Decision, Scheduler};
use crate::model::cluster_state::ClusterState;
use crate::model::names::NodeName;
use crate::model::pod::Pod;
use crate::model::time::{Span, Timestamp};

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
    /// Pods whose binding was written so close by that they may have been decided before or after.
    pub close: Vec<(Arc<Pod>, NodeName)>,
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

/// How long a binding may take after the decision: what was written up to then may have been decided before.
const BINDING_TAKES: Span = Span(400_000_000);
/// At most so many orders are tried.
const MOST_ORDERS: usize = 64;

/// Replays the decision; `None` for a pod that is on no node, or of which no time is known.
pub fn binding(world: &World<'_>, pod: &PodStory) -> Option<Binding> {
    let (moment, node) = (pod.bound?, pod.node.as_ref()?);
    let likeness = pod.unbound().cloned()?;
    let mut close: Vec<(Timestamp, &PodStory)> = close_by(world, pod, moment);
    close.sort_by(|a, b| (a.0, &a.1.key).cmp(&(b.0, &b.1.key)));
    close.truncate(MOST_ORDERS);
    let mut instant = Instant::at(moment.latest());
    instant.released = close.iter().map(|(_, other)| other.key.clone()).collect();
    instant.released.insert(pod.key.clone());
    let mut state = state_at(world.snapshot, &world.chronicle, &instant).state;
    state.at = Some(moment.at);
    let mut scheduler =
        Scheduler::new(&state, world.setup.scheduler, world.setup.scheduler_version.clone());
    let own_place = close.iter().filter(|(at, _)| *at < moment.at).count();
    let mut tally = Tally::default();
    // The order that the stamps give, or the nearest one that gives what happened. A decision holds a line for each node,
    // so only the one that is chosen so far is kept.
    let mut chosen: Option<(bool, usize, Decision)> = None;
    for order in 0..=close.len() {
        if order > 0 {
            let (_, other) = close[order - 1];
            if let (Some(pod), Some(node)) = (other.unbound(), &other.node) {
                scheduler.assume(pod, node);
            }
        }
        let decision = scheduler.schedule_pod(&likeness);
        let is_best = decision.best.contains(node);
        tally.orders += 1;
        tally.feasible += u32::from(decision.feasible.contains(node));
        tally.best += u32::from(is_best);
        tally.alone += u32::from(is_best && decision.best.len() == 1);
        let rank = |is_best: bool, order: usize| (!is_best, order.abs_diff(own_place));
        if chosen
            .as_ref()
            .is_none_or(|(was_best, at, _)| rank(is_best, order) < rank(*was_best, *at))
        {
            chosen = Some((is_best, order, decision));
        }
    }
    let (_, chosen, decision) = chosen?;
    let before: BTreeSet<_> = close[..chosen].iter().map(|(_, other)| other.key.clone()).collect();
    instant.released.retain(|key| !before.contains(key));
    instant.assumed = before;
    let StateAt { mut state, assumptions } = state_at(world.snapshot, &world.chronicle, &instant);
    state.at = Some(moment.at);
    let close = close
        .into_iter()
        .filter_map(|(_, other)| Some((other.unbound().cloned()?, other.node.clone()?)))
        .collect();
    Some(Binding { moment, state, decision, pod: likeness, tally, close, assumptions })
}

/// Pods that were bound so close by that the stamps do not tell who was decided first.
fn close_by<'w>(
    world: &'w World<'_>,
    pod: &PodStory,
    moment: Moment,
) -> Vec<(Timestamp, &'w PodStory)> {
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
            (overlaps && there).then_some((bound.at, other))
        })
        .collect()
}
