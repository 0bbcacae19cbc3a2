//! Drift: a node that is no longer as its NodePool would make it. As `nodeclaim/disruption.Drift`.

use super::Blocked;
use super::decision::{Action, Decision, Replacement};
use super::facts::Facts;
use super::simulation::Simulated;
use crate::karpenter::requirements::{RequirementSets, Requirements, Undefined};
use crate::karpenter::state_node::StateNode;
use crate::model::labels;
use crate::model::meta::condition;
use crate::model::names::Str;
use crate::model::nodepool::NodePool;
use crate::model::time::Timestamp;

/// The hash of what a NodePool's nodes are made of.
const HASH: &str = "karpenter.sh/nodepool-hash";
/// How that hash was made.
const HASH_VERSION: &str = "karpenter.sh/nodepool-hash-version";

/// Why a node counts as drifted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The reason of the condition: `NodePoolDrifted`, `RequirementsDrifted`, or a provider's own.
    pub reason: Str,
    /// When the condition became true; `None` where the objects differ and the condition is not there yet.
    pub since: Option<Timestamp>,
}

/// What drifted: as the NodeClaim's condition says, or as Karpenter would find at its next look.
pub(super) fn drift(
    node: &StateNode,
    pool: Option<&NodePool>,
    sets: &mut RequirementSets,
) -> Option<Drift> {
    let claim = node.claim.as_deref()?;
    if let Some(told) = condition(&claim.conditions, "Drifted")
        && &*told.status == "True"
    {
        return Some(Drift { reason: told.reason.clone(), since: told.changed });
    }
    let pool = pool?;
    let of = |key: &str| (pool.meta.annotations.value(key), claim.meta.annotations.value(key));
    let (there, own) = of(HASH_VERSION);
    if there.is_some() && there == own {
        let (there, own) = of(HASH);
        if there.is_some() && own.is_some() && there != own {
            return Some(Drift { reason: "NodePoolDrifted".into(), since: None });
        }
    }
    // Labels that come with the launch are not there before it.
    if !claim.is("Launched") || !claim.meta.labels.contains(labels::NODEPOOL) {
        return None;
    }
    let mut own = Requirements::default();
    own.add_labels(&claim.meta.labels, &mut sets.vocabulary);
    let mut wanted = Requirements::default();
    wanted.add_listed(&pool.template.requirements, &mut sets.vocabulary);
    let fits = own.is_compatible(&wanted, Undefined::Nothing, &sets.vocabulary);
    (!fits).then(|| Drift { reason: "RequirementsDrifted".into(), since: None })
}

/// What drift comes to: the node is replaced by whatever its pods need. As `disruption.Drift.ComputeCommands`.
pub(super) fn replace(facts: &Facts<'_>, simulated: Simulated) -> Decision {
    let Simulated { moves, claims, errors } = simulated;
    if !errors.is_empty() {
        let action = Action::Keep(Blocked::PodsWouldNotSchedule(errors));
        return Decision { action, moves, savings: None };
    }
    let prices = claims.iter().map(|claim| claim.price.unwrap_or(0.0));
    let savings = Some(facts.price - prices.sum::<f64>());
    if claims.is_empty() {
        return Decision { action: Action::Delete, moves, savings };
    }
    let replacements = claims.into_iter().map(|claim| Replacement {
        price: claim.price,
        worst_price: None,
        only_spot: false,
        claim,
    });
    Decision { action: Action::Replace(replacements.collect()), moves, savings }
}
