//! Disruption budgets: how many nodes of a NodePool may go at once. As `NodePool.GetAllowedDisruptionsByReason`.

use super::Reason;
use super::cron::Schedule;
use crate::karpenter::duration;
use crate::model::nodepool::{Budget, NodePool};
use crate::model::time::Timestamp;

/// The nodes of a NodePool, as budgets count them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PoolNodes {
    /// Managed nodes that are initialized or restart, and whose machine does not end.
    pub(super) total: u64,
    /// Those of them that are going away, restart or are not ready.
    pub(super) disrupting: u64,
}

/// What budgets leave for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// How many nodes may go at once.
    pub allowed: u64,
    /// How many are going, or are not there for another cause.
    pub disrupting: u64,
    /// When a window closes so that one more could go; `None` where one may go now, or no schedule will help.
    pub until: Option<Timestamp>,
}

impl Allowance {
    /// Whether one more node may go.
    pub fn leaves_one(&self) -> bool {
        self.allowed > self.disrupting
    }
}

/// What a budget says at a moment.
struct Active {
    allowed: u64,
    /// When it stops to count; `None` for one that always does.
    until: Option<Timestamp>,
}

/// What a NodePool's budgets leave for a reason. Without a moment, budgets with a schedule do not count.
pub(super) fn allowance(
    pool: &NodePool,
    nodes: PoolNodes,
    reason: Reason,
    at: Option<Timestamp>,
) -> Allowance {
    // Windows that a later one overlaps make for a few rounds; a schedule that never closes must end too.
    const ROUNDS: usize = 64;
    let active = active(pool, nodes.total, reason, at);
    let allowed = least(&active);
    let mut until = None;
    if allowed <= nodes.disrupting {
        let mut closing = closes(&active, nodes.disrupting);
        for _ in 0..ROUNDS {
            let Some(moment) = closing else { break };
            let then = self::active(pool, nodes.total, reason, Some(moment));
            if least(&then) > nodes.disrupting {
                until = Some(moment);
                break;
            }
            closing = closes(&then, nodes.disrupting);
        }
    }
    Allowance { allowed, disrupting: nodes.disrupting, until }
}

fn least(active: &[Active]) -> u64 {
    // Where no budget counts, any number may go.
    active.iter().map(|budget| budget.allowed).min().unwrap_or(u64::MAX)
}

/// When the first of the windows that stand in the way closes; `None` where one of them never does.
fn closes(active: &[Active], disrupting: u64) -> Option<Timestamp> {
    let blocking = active.iter().filter(|budget| budget.allowed <= disrupting);
    blocking.map(|budget| budget.until).min().flatten()
}

fn active(pool: &NodePool, total: u64, reason: Reason, at: Option<Timestamp>) -> Vec<Active> {
    let default = [Budget { nodes: Some("10%".into()), ..Budget::default() }];
    let budgets = &pool.disruption.budgets[..];
    let budgets = if budgets.is_empty() { &default } else { budgets };
    let of_reason = budgets.iter().filter(|budget| {
        let reasons = budget.reasons.as_ref();
        reasons.is_none_or(|reasons| reasons.iter().any(|named| **named == *reason.as_str()))
    });
    of_reason.filter_map(|budget| at_moment(budget, total, at)).collect()
}

/// What a budget says at a moment; `None` while its window is closed.
fn at_moment(budget: &Budget, total: u64, at: Option<Timestamp>) -> Option<Active> {
    let broken = Some(Active { allowed: 0, until: None });
    let until = match (&budget.schedule, &budget.duration) {
        (None, None) => None,
        (schedule, length) => {
            let Some(schedule) = schedule.as_deref().and_then(Schedule::parse) else {
                return broken;
            };
            let Some(length) = length.as_deref().and_then(duration::parse) else { return broken };
            Some(schedule.open_until(at?, length)?)
        }
    };
    match nodes(budget.nodes.as_deref().unwrap_or("10%"), total) {
        Some(allowed) => Some(Active { allowed, until }),
        None => broken,
    }
}

/// A number, or a percentage of a total, rounded up.
fn nodes(text: &str, total: u64) -> Option<u64> {
    match text.strip_suffix('%') {
        Some(percent) => Some(total.checked_mul(percent.parse().ok()?)?.div_ceil(100)),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::nodepool::Disruption;

    fn budget(nodes: &str, reasons: Option<&[&str]>, window: Option<(&str, &str)>) -> Budget {
        Budget {
            nodes: Some(nodes.into()),
            reasons: reasons.map(|reasons| reasons.iter().map(|reason| (*reason).into()).collect()),
            schedule: window.map(|(schedule, _)| schedule.into()),
            duration: window.map(|(_, duration)| duration.into()),
        }
    }

    fn ask(
        budgets: Vec<Budget>,
        total: u64,
        disrupting: u64,
        reason: Reason,
    ) -> (u64, Option<String>) {
        let disruption = Disruption { budgets, ..Disruption::default() };
        let pool = NodePool { disruption, ..NodePool::default() };
        let at = "2026-12-01T09:30:00Z".parse().ok();
        let found = allowance(&pool, PoolNodes { total, disrupting }, reason, at);
        (found.allowed, found.until.map(|until| until.to_string()))
    }

    #[test]
    fn the_least_of_the_active_budgets_of_a_reason_counts() {
        let empty_only = Some(&["Empty"][..]);
        let morning = Some(("0 9 * * *", "1h"));
        let evening = Some(("0 18 * * *", "1h"));
        for (case, budgets, total, reason, expected) in [
            ("by default a tenth, rounded up", vec![], 11, Reason::Empty, 2),
            ("of none, none", vec![], 0, Reason::Empty, 0),
            ("a number", vec![budget("3", None, None)], 11, Reason::Empty, 3),
            (
                "another reason",
                vec![budget("0", empty_only, None), budget("5", None, None)],
                11,
                Reason::Drifted,
                5,
            ),
            (
                "the least",
                vec![budget("0", empty_only, None), budget("5", None, None)],
                11,
                Reason::Empty,
                0,
            ),
            ("an open window", vec![budget("0", None, morning)], 11, Reason::Empty, 0),
            ("a closed window", vec![budget("0", None, evening)], 11, Reason::Empty, u64::MAX),
            ("nonsense", vec![budget("some", None, None)], 11, Reason::Empty, 0),
            ("no schedule", vec![budget("5", None, Some(("x", "1h")))], 11, Reason::Empty, 0),
        ] {
            assert_eq!(ask(budgets, total, 0, reason).0, expected, "{case}");
        }
    }

    #[test]
    fn a_window_that_blocks_says_when_it_closes() {
        let closed = |nodes, window| ask(vec![budget(nodes, None, window)], 10, 1, Reason::Empty).1;
        let ten = Some("2026-12-01T10:00:00Z".to_owned());
        assert_eq!(closed("0", Some(("0 9 * * *", "1h"))), ten);
        assert_eq!(closed("0", None), None, "it never closes");
        assert_eq!(closed("5", Some(("0 9 * * *", "1h"))), None, "it does not block");
        // One begins before the other ends.
        let both = vec![
            budget("0", None, Some(("0 9 * * *", "1h"))),
            budget("0", None, Some(("45 9 * * *", "1h"))),
        ];
        assert_eq!(ask(both, 10, 0, Reason::Empty).1, Some("2026-12-01T10:45:00Z".to_owned()));
        // Every hour, for an hour: always.
        assert_eq!(closed("0", Some(("@hourly", "1h"))), None);
    }
}
