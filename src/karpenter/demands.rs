//! `Demands`: what a pod asks of its node, as far as it can be given up step by step. As `Preferences.Relax`.

use std::cmp::Reverse;

use crate::model::affinity::Affinity;
use crate::model::labels::Labels;
use crate::model::pod::PodSpec;
use crate::model::shared::Common;
use crate::model::spread::{TopologySpreadConstraint, WhenUnsatisfiable};
use crate::model::taint::Toleration;

use super::go_sort::sort_unstable_as_go;
use super::preferences::Relaxation;
use super::requirements::Requirements;
use super::taints::{of_soft_taints, tolerates_soft_taints};
use super::vocabulary::Vocabulary;

/// The part of a pod's spec that decides where it may go, but for its size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Demands {
    pub(super) node_selector: Labels,
    pub(super) affinity: Common<Affinity>,
    pub(super) tolerations: Vec<Toleration>,
    pub(super) spread: Vec<TopologySpreadConstraint>,
}

type Step = fn(&mut Demands) -> Option<Relaxation>;

/// What is given up, in this order.
const STEPS: [Step; 5] = [
    required_node_affinity_term,
    preferred_pod_affinity_term,
    preferred_pod_anti_affinity_term,
    preferred_node_affinity_term,
    schedule_anyway_spread,
];

impl Demands {
    pub(super) fn of(spec: &PodSpec) -> Self {
        Self {
            node_selector: spec.node_selector.clone(),
            affinity: spec.affinity.clone(),
            tolerations: spec.tolerations.to_vec(),
            spread: spec.topology_spread_constraints.to_vec(),
        }
    }

    /// Gives up one demand. `None`: only hard ones are left.
    pub(super) fn relax(&mut self, tolerates_soft: bool) -> Option<Relaxation> {
        STEPS.iter().find_map(|step| step(self)).or_else(|| {
            (tolerates_soft && !tolerates_soft_taints(&self.tolerations)).then(|| {
                self.tolerations.push(of_soft_taints());
                Relaxation::PreferNoScheduleTaints
            })
        })
    }

    /// The node selector with the first required term and, where preferences count, the heaviest preferred one.
    pub(super) fn requirements(
        &self,
        with_preference: bool,
        vocabulary: &mut Vocabulary,
    ) -> Requirements {
        let mut requirements = Requirements::default();
        requirements.add_labels(&self.node_selector, vocabulary);
        let Some(node) = &self.affinity.node else { return requirements };
        if with_preference && !node.preferred.is_empty() {
            let mut terms: Vec<_> = node.preferred.iter().collect();
            sort_unstable_as_go(&mut terms, |a, b| a.weight > b.weight);
            requirements.add_expressions(&terms[0].preference.match_expressions, vocabulary);
        }
        if let Some(first) = node.required.as_ref().and_then(|terms| terms.first()) {
            requirements.add_expressions(&first.match_expressions, vocabulary);
        }
        requirements
    }
}

fn required_node_affinity_term(demands: &mut Demands) -> Option<Relaxation> {
    let terms = demands.affinity.node.as_mut()?.required.as_mut()?;
    (terms.len() > 1).then(|| Relaxation::RequiredNodeAffinityTerm(terms.remove(0)))
}

fn preferred_pod_affinity_term(demands: &mut Demands) -> Option<Relaxation> {
    let terms = &mut demands.affinity.pod.as_mut()?.preferred;
    terms.sort_by_key(|term| Reverse(term.weight));
    (!terms.is_empty()).then(|| Relaxation::PreferredPodAffinityTerm(terms.remove(0)))
}

fn preferred_pod_anti_affinity_term(demands: &mut Demands) -> Option<Relaxation> {
    let terms = &mut demands.affinity.pod_anti.as_mut()?.preferred;
    terms.sort_by_key(|term| Reverse(term.weight));
    (!terms.is_empty()).then(|| Relaxation::PreferredPodAntiAffinityTerm(terms.remove(0)))
}

fn preferred_node_affinity_term(demands: &mut Demands) -> Option<Relaxation> {
    let terms = &mut demands.affinity.node.as_mut()?.preferred;
    terms.sort_by_key(|term| Reverse(term.weight));
    (!terms.is_empty()).then(|| Relaxation::PreferredNodeAffinityTerm(terms.remove(0)))
}

/// The first spread that may be broken; the last constraint takes its place.
fn schedule_anyway_spread(demands: &mut Demands) -> Option<Relaxation> {
    let soft = |constraint: &TopologySpreadConstraint| {
        constraint.when_unsatisfiable == WhenUnsatisfiable::ScheduleAnyway
    };
    let index = demands.spread.iter().position(soft)?;
    Some(Relaxation::ScheduleAnywaySpread(demands.spread.swap_remove(index)))
}
