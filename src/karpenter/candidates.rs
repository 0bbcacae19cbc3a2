//! What became of asking a candidate whether it can take a pod.

use super::amounts::ResourceOrder;
use super::batch_pod::Variant;
use super::bits::Bits;
use super::refusal::{Refusal, TopologyKind};
use super::requirements::{RequirementSets, SetId};
use super::settings::Settings;
use super::taints::TaintTable;
use super::topology::{Constraint, TopologyCandidate, TopologyChoice, unsatisfiable};
use super::vocabulary::Value;

/// What candidates are asked with.
pub(super) struct Rules<'a> {
    pub(super) settings: &'a Settings,
    pub(super) sets: &'a mut RequirementSets,
    pub(super) taints: &'a mut TaintTable,
    pub(super) order: &'a ResourceOrder,
    /// Whether refusals are worth their words.
    pub(super) explains: bool,
    /// Whether a hostname counts only once it is registered, as before 1.5.
    pub(super) only_known_hosts: bool,
}

/// A way in which a candidate can take a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    /// Its requirements then.
    pub(super) set: SetId,
    /// Its instance types then; none for nodes.
    pub(super) options: Bits,
    /// The reservations that it holds then.
    pub(super) reservations: Vec<Value>,
    /// Which alternative of the pod's volumes was taken.
    pub(super) alternative: usize,
}

impl Accepted {
    pub(super) fn on_node(set: SetId, alternative: usize) -> Self {
        Self { set, options: Bits::default(), reservations: Vec::new(), alternative }
    }
}

/// What a candidate answered: it may be left to chance.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// Every way in which it may take the pod.
    pub(super) accepted: Vec<Accepted>,
    /// Whether it may refuse.
    pub(super) is_refused: bool,
    /// Whether it may refuse for reserved capacity, which ends the attempt.
    pub(super) is_reserved: bool,
    /// Why, where that was asked for; of several alternatives, the last one's reason.
    pub(super) refusal: Option<Box<Refusal>>,
}

impl Tried {
    pub(super) fn refused() -> Self {
        Self { is_refused: true, ..Self::default() }
    }

    pub(super) fn because(explains: bool, refusal: impl FnOnce() -> Refusal) -> Self {
        let mut tried = Self::refused();
        tried.refuse(explains, refusal);
        tried
    }

    pub(super) fn refuse(&mut self, explains: bool, refusal: impl FnOnce() -> Refusal) {
        self.is_refused = true;
        if explains {
            self.refusal = Some(Box::new(refusal()));
        }
    }

    pub(super) fn accept(&mut self, accepted: Accepted) {
        if !self.accepted.contains(&accepted) {
            self.accepted.push(accepted);
        }
    }
}

/// Why rules over other pods stand against a candidate.
pub(super) fn topology_refusal(
    choice: &TopologyChoice,
    constraints: &[Constraint],
    variant: &Variant,
    candidate: &TopologyCandidate,
    sets: &RequirementSets,
) -> Refusal {
    if let Some(refusal) = unsatisfiable(constraints, &variant.strict, candidate, sets) {
        return Refusal::Topology(refusal);
    }
    let rules: Vec<(TopologyKind, crate::model::names::Str)> = constraints
        .iter()
        .map(|constraint| {
            let rule = &constraint.group.rule;
            (rule.kind, sets.vocabulary.key_text(rule.key).clone())
        })
        .collect();
    let mismatches = match choice {
        TopologyChoice::Incompatible(failed) => failed.first().map(|chosen| {
            let there = sets.get(candidate.set);
            there.mismatches(sets.get(*chosen), candidate.undefined, &sets.vocabulary)
        }),
        TopologyChoice::Sets(_) | TopologyChoice::Unsatisfiable => None,
    };
    Refusal::TopologyRequirements { rules, mismatches: mismatches.unwrap_or_default() }
}
