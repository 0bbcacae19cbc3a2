//! One node, method by method.

use super::disruptions::sets;
use super::facts::Facts;
use super::{
    Action, Blocked, Decision, Depth, Disruptions, Drift, Method, NodeDisruption, Reason,
    candidate, drift, emptiness, expiration,
};
use crate::karpenter::provision::Refused;
use crate::karpenter::requirements::RequirementSets;
use crate::karpenter::rescheduling::is_reschedulable;
use crate::model::meta::condition;
use crate::model::names::NodePoolName;
use crate::model::time::{Span, Timestamp};

impl Disruptions<'_> {
    /// What disruption comes to for one node, by its name or its NodeClaim's; `None` where there is none of that name.
    pub fn assess(&self, name: &str, depth: Depth) -> Result<Option<NodeDisruption>, Refused> {
        let Some(place) = self.find(name) else { return Ok(None) };
        let node = &self.nodes[place];
        let mut sets = sets(self.provider(), self.settings);
        let pods = self.pods_on(node);
        let facts = self.facts(node, pods);
        let pool = facts.pool.map(|pool| &*pool.pool);
        let drift = drift::drift(node, pool, &mut sets);
        let barred = self.barred(node, pods);
        let mut methods = Vec::new();
        if node.is_managed() {
            for reason in self.order() {
                let method = self.method(&facts, reason, &barred, drift.as_ref(), depth, &mut sets);
                methods.push(method?);
            }
        }
        let claim = node.claim.as_deref();
        Ok(Some(NodeDisruption {
            name: node.name().clone(),
            node: node.node.as_ref().map(|node| node.name()),
            node_claim: claim.map(crate::model::nodeclaim::NodeClaim::name),
            node_pool: node.node_pool().cloned().map(NodePoolName),
            policy: facts.policy,
            price: facts.instance_type.map(|_| facts.price),
            pods: pods.iter().filter(|pod| is_reschedulable(pod)).map(|pod| pod.key()).collect(),
            cost: facts.cost,
            is_empty: facts.is_empty,
            consolidatable: facts.consolidatable,
            drift,
            expires: claim.and_then(expiration::expires),
            underway: claim.and_then(|claim| {
                let told = condition(&claim.conditions, "DisruptionReason")?;
                (&*told.status == "True").then(|| told.reason.clone())
            }),
            barred,
            methods,
            waits_for: self.waits_for.clone(),
            gaps: self.gaps.clone(),
        }))
    }

    /// The reasons in the order in which their methods are tried.
    fn order(&self) -> [Reason; 3] {
        if self.settings.version.since(5, 0) {
            [Reason::Empty, Reason::Drifted, Reason::Underutilized]
        } else {
            [Reason::Drifted, Reason::Empty, Reason::Underutilized]
        }
    }

    fn method(
        &self,
        facts: &Facts<'_>,
        reason: Reason,
        barred: &[Blocked],
        drift: Option<&Drift>,
        depth: Depth,
        sets: &mut RequirementSets,
    ) -> Result<Method, Refused> {
        let blocked = match reason {
            Reason::Empty => self.not_empty(facts),
            Reason::Drifted => self.not_drifted(facts, drift),
            Reason::Underutilized => self.not_consolidated(facts),
        };
        let decisions = if depth == Depth::Simulated && is_asked(reason, facts, &blocked) {
            self.decisions(facts, reason, sets)?
        } else {
            Vec::new()
        };
        let claim = facts.node.claim.as_deref();
        let is_eventual = reason == Reason::Drifted
            && claim.is_some_and(|claim| claim.termination_grace_period.is_some());
        let heeded = barred.iter().filter(|it| !(is_eventual && candidate::is_about_pods(it)));
        let stays = !decisions.is_empty() && !decisions.iter().any(Decision::removes);
        let earliest = if stays { None } else { self.earliest(reason, heeded.chain(&blocked)) };
        Ok(Method {
            reason,
            allowance: facts.pool.map(|pool| self.allowance(pool, reason)),
            blocked,
            decisions,
            earliest,
        })
    }

    /// When all that is in the way has worn off.
    fn earliest<'b>(
        &self,
        reason: Reason,
        mut blocked: impl Iterator<Item = &'b Blocked>,
    ) -> Option<Timestamp> {
        // For so long a command waits before it is checked again and carried out.
        const WAIT: Span = Span::seconds(15);
        let now = self.state.at?;
        let free = blocked.try_fold(now, |free, blocked| Some(free.max(blocked.until()?)))?;
        Some(if reason == Reason::Drifted { free } else { free.plus(WAIT) })
    }

    fn decisions(
        &self,
        facts: &Facts<'_>,
        reason: Reason,
        sets: &mut RequirementSets,
    ) -> Result<Vec<Decision>, Refused> {
        if reason == Reason::Empty {
            let savings = Some(facts.price);
            return Ok(vec![Decision { action: Action::Delete, moves: Vec::new(), savings }]);
        }
        let outcomes = self.simulated(facts.node, reason)?;
        let mut decisions: Vec<Decision> = Vec::new();
        for outcome in outcomes {
            let decision = match reason {
                Reason::Drifted => drift::replace(facts, outcome),
                _ => self.consolidate(facts, outcome, sets),
            };
            let is_known = decisions.iter().any(|known| known.is_like(&decision));
            if !is_known {
                decisions.push(decision);
            }
        }
        Ok(decisions)
    }

    fn not_drifted(&self, facts: &Facts<'_>, drift: Option<&Drift>) -> Vec<Blocked> {
        let Some(pool) = facts.pool else { return Vec::new() };
        let mut blocked = Vec::new();
        if drift.is_none() {
            blocked.push(Blocked::NotDrifted);
        }
        let allowance = self.allowance(pool, Reason::Drifted);
        blocked.extend(emptiness::over_budget(allowance, Reason::Drifted));
        blocked
    }
}

/// Whether it is worth asking what a method would do: what is in its way passes by itself, or is about the pods.
fn is_asked(reason: Reason, facts: &Facts<'_>, blocked: &[Blocked]) -> bool {
    if facts.node.node.is_none() || facts.pool.is_none() {
        return false;
    }
    let wont = |blocked: &Blocked| match blocked {
        Blocked::NotEmpty
        | Blocked::Empty
        | Blocked::NotDrifted
        | Blocked::StaticNodePool(_)
        | Blocked::ConsolidationDisabled(_)
        | Blocked::OnlyWhenEmpty(_)
        | Blocked::InstanceTypeNotFound(_)
        | Blocked::NoLabel(_) => true,
        Blocked::BufferPods(_) => reason == Reason::Empty,
        _ => false,
    };
    !blocked.iter().any(wont)
}
