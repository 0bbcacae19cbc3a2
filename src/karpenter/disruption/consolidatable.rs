//! `consolidateAfter`: when a NodeClaim counts as consolidatable. As `nodeclaim/disruption.Consolidation`.

use crate::karpenter::duration;
use crate::model::meta::{condition, is_true};
use crate::model::nodeclaim::NodeClaim;
use crate::model::nodepool::NodePool;
use crate::model::time::{Span, Timestamp};

/// What a NodePool says of consolidation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// `consolidationPolicy`.
    pub when: When,
    /// `consolidateAfter`; `None` stands for `Never`.
    pub after: Option<Span>,
}

/// `consolidationPolicy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// Only nodes without pods that need another place.
    Empty,
    /// Those, and nodes whose pods would do with less.
    #[default]
    EmptyOrUnderutilized,
    /// The same, where what is saved is worth what is moved (since 1.14).
    Balanced,
}

impl Policy {
    /// A NodePool's policy, with the API's defaults where it does not say.
    pub fn of(pool: &NodePool) -> Self {
        let when = match pool.disruption.consolidation_policy.as_deref() {
            Some("WhenEmpty") => When::Empty,
            Some("Balanced") => When::Balanced,
            _ => When::EmptyOrUnderutilized,
        };
        let after = match pool.disruption.consolidate_after.as_deref() {
            Some("Never") => None,
            Some(text) => Some(duration::parse(text).unwrap_or_default()),
            None => Some(Span::default()),
        };
        Self { when, after }
    }
}

/// Whether and when a NodeClaim is consolidatable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consolidatable {
    /// When the condition `Consolidatable` became true, as the NodeClaim says.
    pub since: Option<Timestamp>,
    /// From which moment the time is counted: the last pod that came or went, or the end of initialization.
    pub counts_from: Option<Timestamp>,
    /// When `consolidateAfter` has passed; `None` where it never does or nothing is counted yet.
    pub due: Option<Timestamp>,
}

impl Consolidatable {
    /// What a NodeClaim's times come to under a policy.
    pub fn of(claim: &NodeClaim, policy: Policy) -> Self {
        let initialized = is_true(&claim.conditions, "Initialized");
        let initialization = condition(&claim.conditions, "Initialized").and_then(|it| it.changed);
        let counts_from = initialized.then_some(claim.last_pod_event.or(initialization)).flatten();
        let due = policy.after.and_then(|after| Some(counts_from?.plus(after)));
        Self { since: claim.since("Consolidatable"), counts_from, due }
    }

    /// Whether it holds at a moment. Without a moment the NodeClaim's own condition is all that is known.
    pub fn holds(&self, at: Option<Timestamp>) -> bool {
        match (at, self.due) {
            (Some(at), Some(due)) => due <= at,
            (None, Some(_)) => self.since.is_some(),
            (_, None) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::meta::Condition;
    use crate::model::nodepool::Disruption;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_seconds(second)
    }

    fn claim(last_pod_event: Option<i64>, status: &str) -> NodeClaim {
        let initialized = Condition {
            kind: "Initialized".into(),
            status: status.into(),
            reason: "".into(),
            message: "".into(),
            changed: Some(at(100)),
            observed_generation: None,
        };
        NodeClaim {
            last_pod_event: last_pod_event.map(at),
            conditions: vec![initialized],
            ..NodeClaim::default()
        }
    }

    fn policy(after: Option<&str>) -> Policy {
        let disruption =
            Disruption { consolidate_after: after.map(Into::into), ..Disruption::default() };
        Policy::of(&NodePool { disruption, ..NodePool::default() })
    }

    #[test]
    fn the_last_pod_counts_before_the_end_of_initialization() {
        for (case, claim, after, due) in [
            ("no pod yet", claim(None, "True"), Some("20s"), Some(120)),
            ("a pod came", claim(Some(110), "True"), Some("20s"), Some(130)),
            ("before it was initialized", claim(Some(90), "True"), Some("20s"), Some(110)),
            ("by default at once", claim(None, "True"), None, Some(100)),
            ("never", claim(None, "True"), Some("Never"), None),
            ("not initialized", claim(Some(110), "Unknown"), Some("20s"), None),
        ] {
            let found = Consolidatable::of(&claim, policy(after));
            assert_eq!(found.due, due.map(at), "{case}");
            assert_eq!(found.holds(Some(at(1000))), due.is_some(), "{case}");
        }
    }
}
