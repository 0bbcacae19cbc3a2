//! What a pod demands after each relaxation, and the groups over other pods that this brings into force.

use std::sync::Arc;

use super::batch_pod::Variant;
use super::preferences::Relaxation;
use super::scheduler::Scheduler;
use super::settings::PreferencePolicy;
use super::state::State;
use super::topology::{Constraint, CountSource, new_inverse};
use super::topology_rule::RuleMaker;

impl Scheduler<'_> {
    /// The rules that constrain a pod: its own, and others' anti-affinity that selects it.
    pub(super) fn constraints(
        &mut self,
        state: &State,
        pod: usize,
        variant: &Variant,
    ) -> Vec<Constraint> {
        let class_place = self.pods[pod].class;
        let class = &self.classes[class_place];
        let mut constraints = Vec::new();
        let mut seen = Vec::new();
        for (rule, _) in &variant.rules {
            let Some(place) = state.topology.direct_place(*rule) else { continue };
            if seen.contains(&place) {
                continue;
            }
            seen.push(place);
            let group = Arc::clone(&state.topology.direct[place]);
            let is_selected = self.selections.selects(group.selection, class_place, class);
            constraints.push(Constraint { group, is_selected });
        }
        for group in &state.topology.inverse {
            if self.selections.selects(group.selection, class_place, class) {
                constraints.push(Constraint { group: Arc::clone(group), is_selected: true });
            }
        }
        constraints
    }

    /// Makes the groups that a pod's rules need and that are not there yet. As `Topology.Update`.
    pub(super) fn register(&mut self, state: &mut State, class: usize, variant: &Variant) {
        for place in 0..self.classes[class].inverse.len() {
            let (rule, made) = self.classes[class].inverse[place].clone();
            if state.topology.inverse_place(rule).is_none() {
                let selection = self.selections.id(&made);
                let group = new_inverse(&made, selection, &self.universe, &mut self.taints);
                state.topology.add_inverse(rule, Arc::new(group));
            }
        }
        for (rule, made) in &variant.rules {
            if state.topology.direct_place(*rule).is_none() {
                let selection = self.selections.id(made);
                let mut source = CountSource {
                    universe: &self.universe,
                    cluster: &self.cluster,
                    active: &self.active,
                    sets: &mut self.sets,
                    taints: &mut self.taints,
                    registers_nodes: self.settings.version.since(5, 0),
                };
                let group = self.initial.direct(made, selection, &mut source);
                state.topology.add_direct(*rule, group);
            }
        }
    }

    /// A class with so many demands given up; `None` when it has nothing more to give up.
    pub(super) fn variant(&mut self, class: usize, level: usize) -> Option<Arc<Variant>> {
        while self.classes[class].variants.len() <= level {
            let mut demands = self.classes[class].variants.last()?.demands.clone();
            let given_up = demands.relax(self.tolerates_soft)?;
            let made = self.make_variant(class, demands, Some(given_up));
            self.classes[class].variants.push(Arc::new(made));
        }
        Some(Arc::clone(&self.classes[class].variants[level]))
    }

    pub(super) fn make_variant(
        &mut self,
        class: usize,
        demands: super::demands::Demands,
        given_up: Option<Relaxation>,
    ) -> Variant {
        let respects = self.settings.preference_policy == PreferencePolicy::Respect;
        let full = demands.requirements(respects, &mut self.sets.vocabulary);
        let strict = demands.requirements(false, &mut self.sets.vocabulary);
        let (namespace, labels) =
            (self.classes[class].namespace.clone(), self.classes[class].labels.clone());
        let mut maker = RuleMaker {
            state: self.cluster_state,
            settings: self.settings,
            sets: &mut self.sets,
            taints: &mut self.taints,
        };
        let rules = maker.direct(&namespace, &labels, &demands);
        let rules = rules
            .into_iter()
            .map(|(identity, rule)| (self.rules.number(identity), Arc::new(rule)))
            .collect();
        Variant {
            full: self.sets.demand(full),
            strict: self.sets.demand(strict),
            tolerations: self.taints.tolerations_id(&demands.tolerations),
            rules,
            given_up,
            demands,
        }
    }
}
