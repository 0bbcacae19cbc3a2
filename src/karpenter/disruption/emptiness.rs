//! Emptiness: a node that no pod needs is deleted. As `disruption.Emptiness`.

use super::budget::Allowance;
use super::facts::Facts;
use super::{Blocked, Disruptions, Reason};

impl Disruptions<'_> {
    /// What keeps a node from going as an empty one, beside what bars it altogether.
    pub(super) fn not_empty(&self, facts: &Facts<'_>) -> Vec<Blocked> {
        let Some((pool, policy)) = facts.pool.zip(facts.policy) else { return Vec::new() };
        if pool.pool.replicas.is_some() {
            return vec![Blocked::StaticNodePool(pool.pool.name())];
        }
        let mut blocked = Vec::new();
        if policy.after.is_none() {
            blocked.push(Blocked::ConsolidationDisabled(pool.pool.name()));
        }
        if let Some(node) = &facts.node.node
            && self.memory.buffered.contains(facts.node.name())
        {
            blocked.push(Blocked::BufferPods(node.name()));
        }
        if !facts.is_empty {
            blocked.push(Blocked::NotEmpty);
        }
        blocked.extend(facts.too_young(self.state.at));
        blocked.extend(over_budget(self.allowance(pool, Reason::Empty), Reason::Empty));
        blocked
    }
}

/// A budget that leaves nothing.
pub(super) fn over_budget(allowance: Allowance, reason: Reason) -> Option<Blocked> {
    (!allowance.leaves_one()).then_some(Blocked::Budget {
        reason,
        allowed: allowance.allowed,
        disrupting: allowance.disrupting,
        until: allowance.until,
    })
}
