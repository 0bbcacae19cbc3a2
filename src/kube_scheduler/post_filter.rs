//! What happens when no node is feasible: claims are given back, or pods preempted.

use super::attempt::Attempt;
use super::decision::{Chance, Preemption, Refusal};
use super::lineup::{Lineup, plugin};
use super::plugins::{
    Asked, DEFAULT_PREEMPTION, DYNAMIC_RESOURCES, dynamic_resources_post_filter, preempt,
};

/// A pod without a feasible node.
pub(crate) struct Unschedulable<'a> {
    /// Its filters.
    pub(crate) attempt: &'a Attempt<'a>,
    /// The profile's plugins.
    pub(crate) lineup: &'a Lineup,
    /// What stands against each node that was looked at, by number.
    pub(crate) refusals: &'a [Option<&'a Refusal>],
}

/// What PostFilter finds, and what chance decides in it.
#[derive(Default)]
pub(crate) struct Found {
    /// What preemption would do.
    pub(crate) preemption: Preemption,
    /// What chance decides.
    pub(crate) chances: Vec<Chance>,
}

/// Runs the PostFilters in order. As upstream's `RunPostFilterPlugins`.
pub(crate) fn post_filter(pod: &Unschedulable<'_>) -> Found {
    let mut messages: Vec<String> = Vec::new();
    let mut found = None;
    for at in &pod.lineup.post_filter {
        let name = plugin(*at).name;
        if name == DYNAMIC_RESOURCES {
            if !pod.attempt.pre_filter_ran.contains(at) {
                // As upstream: what its PreFilter would have left behind is missing, and that ends PostFilter.
                let preemption = Preemption { message: "not found".into(), ..Default::default() };
                return Found { preemption, ..Default::default() };
            }
            messages.extend(dynamic_resources_post_filter(pod));
        } else if name == DEFAULT_PREEMPTION {
            let asked = Asked { attempt: pod.attempt, refusals: pod.refusals };
            let mut preempted = preempt(&asked);
            let succeeded = preempted.preemption.nominated.is_some();
            let text = std::mem::take(&mut preempted.preemption.message);
            if succeeded {
                messages.clear();
            }
            if !text.is_empty() {
                messages.push(text);
            }
            found = Some(preempted);
            if succeeded {
                break;
            }
        }
    }
    let mut found = found.unwrap_or_default();
    found.preemption.message = messages.join(", ");
    found
}
