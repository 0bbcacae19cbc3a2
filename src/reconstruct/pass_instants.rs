//! The moments of a pass: what Karpenter may have seen of the cluster when it planned.

use super::moment::Moment;
use super::passes::Pass;
use super::state_at::{Instant, Stage, stage};
use super::stories::{ClaimStory, PodStory};
use super::world::World;
use crate::model::time::{Span, Timestamp};

/// Earlier moments in which Karpenter's picture of the nodes was another: it hears of its own writes some tenths of a second
/// late. One before each registration and initialization, the latest first.
pub(super) fn unheard(world: &World<'_>, likely: &Instant) -> Vec<Instant> {
    let since = likely.at.plus(Span(-LATE.0));
    let mut steps: Vec<Timestamp> = world
        .chronicle
        .claims
        .values()
        .flat_map(|claim| [claim.registered, claim.initialized])
        .flatten()
        .map(|moment| moment.at)
        .filter(|&at| at > since && at <= likely.at)
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let before = |at: Timestamp| Instant { at: at.plus(Span(-1)), ..likely.clone() };
    steps.into_iter().rev().take(MOST_UNHEARD).map(before).collect()
}

/// How late Karpenter hears of a change at most, on a machine that is busy.
const LATE: Span = Span(600_000_000);
/// At most so many earlier moments are tried for one pass.
const MOST_UNHEARD: usize = 12;

/// The moments that a pass may have looked at: one where its time and the nodes' are known finely, else one for each
/// order in which nodes may have become ready before or after it.
pub(super) fn instants(world: &World<'_>, pass: &Pass) -> Vec<Instant> {
    let likely =
        Instant { absent: pass.created.iter().cloned().collect(), ..calibrated(world, pass) };
    let at = likely.at;
    let unsure = pass.latest.since(pass.earliest);
    let mut open: Vec<(u64, &ClaimStory)> = world
        .chronicle
        .claims
        .values()
        .filter(|claim| {
            claim.initialized.is_some_and(|moment| {
                let coarse = moment.resolution() >= Span::seconds(1) || unsure >= Span::seconds(1);
                coarse && moment.at <= at.plus(unsure) && moment.latest() > at
            })
        })
        .map(|claim| (last_write(world, claim), claim))
        .collect();
    open.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
    if open.is_empty() {
        return vec![likely];
    }
    // The share of the open second that had passed tells how many of them were likely ready.
    let passed =
        at.since(open[0].1.initialized.map_or(at, |moment| moment.at)).as_seconds().clamp(0.0, 1.0);
    #[expect(clippy::cast_precision_loss, reason = "a handful of nodes")]
    let distance = |ready: &usize| (*ready as f64 - passed * open.len() as f64).abs();
    // A pass that must have been is known to a tenth of a second; one that only may have been, less well.
    let within = if pass.certain { 0.75 } else { 1.5 };
    let mut orders: Vec<usize> = (0..=open.len()).collect();
    orders.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    let plausible = orders.iter().filter(|ready| distance(ready) <= within).count();
    orders.truncate(plausible.clamp(1, MOST_STATES));
    orders
        .into_iter()
        .map(|ready| Instant {
            uninitialized: open[ready..].iter().map(|(_, claim)| claim.name.clone()).collect(),
            ..likely.clone()
        })
        .collect()
}

/// At most so many states are tried for one pass.
const MOST_STATES: usize = 3;

/// The counter of the node's last write: initialization is the last that Karpenter does to a node for a while.
fn last_write(world: &World<'_>, claim: &ClaimStory) -> u64 {
    let node = claim.node.as_ref().and_then(|node| world.snapshot.objects.node(node));
    node.and_then(|node| node.meta.resource_version).unwrap_or(u64::MAX)
}

/// The moment at which as many pods waited as the log counts: Karpenter hears of what happens some tenths of a second late.
fn calibrated(world: &World<'_>, pass: &Pass) -> Instant {
    let instant = Instant::at(pass.time);
    let Some(pending) = pass.pending.and_then(|pending| usize::try_from(pending).ok()) else {
        return instant;
    };
    // What pods waited for all of the time around it need not be counted again for each moment of it.
    let around = [pass.time.plus(Span(-Span::seconds(1).0)), pass.time.plus(Span::seconds(1))];
    let (mut always, mut sometimes) = (0, Vec::new());
    for pod in &world.chronicle.pods {
        let steps = [pod.created, pod.unschedulable, pod.bound, pod.ended];
        let is_near = |moment: &Moment| moment.at > around[0] && moment.at <= around[1];
        if steps.iter().flatten().any(is_near) {
            sometimes.push(pod);
        } else {
            always += usize::from(is_provisionable(pod, &instant));
        }
    }
    let waits = |at: Timestamp| {
        let instant = Instant::at(at);
        always + sometimes.iter().filter(|pod| is_provisionable(pod, &instant)).count()
    };
    if waits(pass.time) == pending {
        return instant;
    }
    // Steps of the scheduler's clock close by, nearest first.
    let near = |moment: Timestamp| moment.since(pass.time).0.abs();
    let mut times: Vec<Timestamp> = sometimes
        .iter()
        .flat_map(|pod| [pod.bound, pod.unschedulable])
        .flatten()
        .flat_map(|moment| [moment.at, moment.at.plus(Span(-1_000))])
        .filter(|&at| near(at) < Span::seconds(1).0)
        .collect();
    times.sort_by_key(|&at| near(at));
    times.dedup();
    times.into_iter().take(1024).find(|&at| waits(at) == pending).map_or(instant, Instant::at)
}

/// Whether a pod was one that Karpenter provisions for.
pub fn is_provisionable(pod: &PodStory, instant: &Instant) -> bool {
    !pod.is_daemon()
        && pod.unschedulable.is_some_and(|moment| moment.at <= instant.at)
        && (pod.object.is_some() || pod.ended.is_some())
        && stage(pod, instant) == Stage::Waiting
}
