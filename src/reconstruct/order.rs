//! The order in which kube-scheduler decided for pods that were bound at nearly the same time.
//!
//! Bindings are written side by side, so their stamps tell little within some tenths of a second. The queue tells more:
//! pods that wait are taken by priority, then by the time of their last attempt (`PrioritySort`), and each round of
//! attempts keeps the order of the one before; the first refusal, whose event has microseconds, therefore orders them.

use std::cmp::Reverse;

use super::moment::Moment;
use super::stories::PodStory;
use crate::model::time::{Span, Timestamp};

/// Bindings further apart than this were not decided in one run through the queue.
const ONE_RUN: Span = Span(300_000_000);

/// Pods in the order of their decisions, and whether the queue tells it for all of them.
pub(super) fn order_of_decisions(mut pods: Vec<(Moment, &PodStory)>) -> (Vec<&PodStory>, bool) {
    pods.sort_by(|a, b| (a.0.at, &a.1.key).cmp(&(b.0.at, &b.1.key)));
    let mut is_known = true;
    let mut ordered = Vec::with_capacity(pods.len());
    let mut rest = pods.as_slice();
    while !rest.is_empty() {
        let apart = |pair: &[(Moment, &PodStory)]| pair[1].0.at.since(pair[0].0.latest()) > ONE_RUN;
        let length = rest.windows(2).position(apart).map_or(rest.len(), |at| at + 1);
        let (run, later) = rest.split_at(length);
        is_known &= order_of_run(run, &mut ordered);
        rest = later;
    }
    (ordered, is_known)
}

/// Those that had waited take the places of those that had waited, in the order of the queue.
fn order_of_run<'w>(run: &[(Moment, &'w PodStory)], ordered: &mut Vec<&'w PodStory>) -> bool {
    let mut waited: Vec<(Reverse<i32>, Timestamp, &'w PodStory)> = run
        .iter()
        .filter_map(|(_, pod)| Some((Reverse(priority(pod)), first_refusal(pod)?, *pod)))
        .collect();
    waited.sort_by(|a, b| (a.0, a.1, &a.2.key).cmp(&(b.0, b.1, &b.2.key)));
    let all = waited.len() == run.len();
    let mut queue = waited.into_iter().map(|(.., pod)| pod);
    for (_, pod) in run {
        let next = if first_refusal(pod).is_some() { queue.next() } else { None };
        ordered.push(next.unwrap_or(pod));
    }
    all || run.len() == 1
}

fn priority(pod: &PodStory) -> i32 {
    pod.object_or_likeness().map_or(0, |pod| pod.priority())
}

/// When the scheduler first refused a pod, where that is known finely.
fn first_refusal(pod: &PodStory) -> Option<Timestamp> {
    let moment = pod.scheduler_refusals.first()?.moment;
    (moment.resolution() < Span::seconds(1)).then_some(moment.at)
}
