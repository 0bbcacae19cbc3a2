//! The end of a pass: claims get their DaemonSets' share, their types in order, and the form of a NodeClaim.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::names::{InstanceTypeName, PodKey, Str};
use crate::model::nodepool::NodeRequirement;
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;

use super::go_sort::sort_unstable_as_go;
use super::in_flight_node_claim::InFlightNodeClaim;
use super::nodeclaim_template::NodeClaimTemplate;
use super::plan::{ExistingNodePlacement, NewNodeClaim, Outcome};
use super::refusal::PodError;
use super::requirement::Requirement;
use super::requirements::{Requirements, Undefined};
use super::reservation_manager::is_launchable;
use super::scheduler::Scheduler;
use super::settings::MinValuesPolicy;
use super::state::State;
use super::vocabulary::{Key, Value};
use crate::model::labels;

/// Above this number of groups a map's order is not only a rotation.
const ROTATED: usize = 8;

impl Scheduler<'_> {
    /// The outcomes of a state: one for each order in which upstream may meet the groups of types.
    pub(super) fn outcomes(&mut self, state: &State) -> Vec<Outcome> {
        let mut orders: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::new()];
        for template in 0..self.templates.len() {
            let rotations = self.rotations(state, template);
            let mut next = Vec::with_capacity(orders.len() * rotations.len());
            for order in &orders {
                for rotation in &rotations {
                    let mut with = order.clone();
                    with.insert(template, *rotation);
                    next.push(with);
                }
            }
            orders = next;
        }
        orders.iter().map(|order| self.outcome(state, order)).collect()
    }

    /// The rotations of a template's groups that may show in its claims.
    fn rotations(&self, state: &State, template: usize) -> Vec<usize> {
        let groups = &self.templates[template].groups;
        let claims = state.claims.iter().filter(|claim| claim.template == template);
        let matters = claims.into_iter().any(|claim| {
            groups.iter().filter(|group| !group.types.and(&claim.options).is_empty()).count() > 1
        });
        if matters { (0..groups.len()).collect() } else { vec![0] }
    }

    fn outcome(&mut self, state: &State, order: &BTreeMap<usize, usize>) -> Outcome {
        let mut outcome = Outcome::default();
        for node in state.nodes.iter().filter(|node| !node.pods.is_empty()) {
            let state_node = &self.state_nodes[node.index];
            outcome.existing_nodes.push(ExistingNodePlacement {
                name: node.name.clone(),
                node: state_node.node.as_ref().map(|node| node.name()),
                node_claim: state_node.claim.as_ref().map(|claim| claim.name()),
                pods: self.keys(&node.pods),
            });
        }
        outcome.existing_nodes.sort_by(|a, b| a.name.cmp(&b.name));
        for (pod, error) in &state.errors {
            outcome.pod_errors.insert(self.pods[*pod].key.clone(), (**error).clone());
        }
        for claim in &state.claims {
            let rotation = order.get(&claim.template).copied().unwrap_or(0);
            match self.finished(claim, rotation) {
                Ok(claim) => outcome.new_node_claims.push(claim),
                Err(keys) => {
                    let node_pool = self.templates[claim.template].pool.name();
                    for key in self.keys(&claim.pods) {
                        let error = PodError::MinValuesAfterTruncation {
                            node_pool: node_pool.clone(),
                            keys: keys.clone(),
                        };
                        outcome.pod_errors.insert(key, error);
                    }
                }
            }
        }
        let relaxations = state.relaxations.iter();
        outcome.relaxations = relaxations
            .map(|(pod, relaxation)| (self.pods[*pod].key.clone(), relaxation.clone()))
            .collect();
        let trace = state.trace.iter();
        outcome.trace =
            trace.map(|(pod, attempts)| (self.pods[*pod].key.clone(), attempts.clone())).collect();
        outcome
    }

    fn keys(&self, pods: &[usize]) -> Vec<PodKey> {
        pods.iter().map(|pod| self.pods[*pod].key.clone()).collect()
    }

    /// A claim as it would be created; the keys of `minValues` that no longer hold where it is dropped.
    fn finished(
        &mut self,
        claim: &InFlightNodeClaim,
        rotation: usize,
    ) -> Result<NewNodeClaim, Vec<Str>> {
        let version = self.settings.version;
        let template = &self.templates[claim.template];
        let order = rotated(template.groups.len(), rotation);
        let requests = self.requests(claim, template, &order);
        let mut requirements = (**self.sets.get(claim.set)).clone();
        if !claim.reservations.is_empty() {
            let reserved = Requirement::one(self.sets.vocabulary.reserved);
            requirements.replace(self.sets.vocabulary.capacity_type, reserved);
            self.add_reservations(&mut requirements, &claim.reservations);
        }
        let template = &self.templates[claim.template];
        let set = self.sets.id(requirements.clone());
        let table = &self.tables[template.table];
        let mut priced: Vec<(f64, usize)> = Vec::new();
        for group in order {
            for index in template.groups[group].types.and(&claim.options).iter() {
                let price = table.price(
                    index,
                    set,
                    |offering| is_launchable(offering, version),
                    &mut self.sets,
                );
                priced.push((price, index));
            }
        }
        let name = |index: usize| &table.types[index].model.name;
        if version.since(5, 0) {
            sort_unstable_as_go(&mut priced, |a, b| a.0 < b.0);
        } else {
            priced.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| name(a.1).cmp(name(b.1))));
        }
        let most = if version.since(9, 0) { 600 } else { 60 };
        priced.truncate(most);
        let remaining: Vec<usize> = priced.iter().map(|(_, index)| *index).collect();
        let admitted = version.since(14, 3);
        let unmet = table.unmet_min_values(&remaining, &requirements, admitted, &self.sets);
        if self.settings.min_values_policy == MinValuesPolicy::Strict && !unmet.is_empty() {
            let vocabulary = &self.sets.vocabulary;
            return Err(unmet.iter().map(|(key, _)| vocabulary.key_text(*key).clone()).collect());
        }
        if version.since(9, 0) {
            self.narrow_capacity_types(&mut requirements, set, &remaining, claim.template);
        }
        let template = &self.templates[claim.template];
        let table = &self.tables[template.table];
        let price = priced.first().map(|(price, _)| *price).filter(|price| *price < f64::MAX);
        Ok(NewNodeClaim {
            node_pool: template.pool.name(),
            labels: template.labels.clone(),
            requirements: self.listed(&requirements),
            requests,
            instance_types: remaining
                .iter()
                .map(|index| Arc::clone(&table.types[*index].model))
                .collect(),
            price,
            taints: template.pool.template.taints.clone(),
            startup_taints: template.pool.template.startup_taints.clone(),
            pods: self.keys(&claim.pods),
        })
    }

    /// What a claim's pods ask for, and its DaemonSets. As `NodeClaim.addDaemonRequests`.
    fn requests(
        &self,
        claim: &InFlightNodeClaim,
        template: &NodeClaimTemplate,
        order: &[usize],
    ) -> Resources {
        let mut requests = Resources::new();
        for pod in &claim.pods {
            requests.add(&self.pods[*pod].requests);
        }
        let mut least = Resources::new();
        for group in order {
            let group = &template.groups[*group];
            if group.types.and(&claim.options).is_empty() {
                continue;
            }
            let none = Resources::new();
            let own = group.requests.as_ref().unwrap_or(&none);
            if least.is_empty() {
                least = own.clone();
            } else {
                let common = least.iter().filter_map(|(name, amount)| {
                    let other = own.get(name.as_str())?;
                    Some((name.clone(), (*amount).min(other)))
                });
                least = common.collect();
            }
        }
        requests.add(&least);
        requests
    }

    fn add_reservations(&self, requirements: &mut Requirements, ids: &[Value]) {
        let Some(key) = self.reservation_key else { return };
        requirements.add(key, Requirement::any_of(ids.iter().copied()), &self.sets.vocabulary);
    }

    /// Leaves only capacity types that the remaining types can be launched with.
    fn narrow_capacity_types(
        &mut self,
        requirements: &mut Requirements,
        set: super::requirements::SetId,
        remaining: &[usize],
        template: usize,
    ) {
        let version = self.settings.version;
        let table = &self.tables[self.templates[template].table];
        let mut types: Vec<Value> = Vec::new();
        for index in remaining {
            for offering in &table.types[*index].offerings {
                let fits = is_launchable(offering, version)
                    && self.sets.merge(set, offering.requirements, Undefined::WellKnown).is_some();
                if fits && let Some(own) = &offering.capacity_type {
                    types.extend(own.values.iter().copied());
                }
            }
        }
        if !types.is_empty() {
            let key = self.sets.vocabulary.capacity_type;
            requirements.add(key, Requirement::any_of(types), &self.sets.vocabulary);
        }
    }

    /// Requirements as a NodeClaim lists them, without those of the simulation and without the types.
    fn listed(&self, requirements: &Requirements) -> Vec<NodeRequirement> {
        let vocabulary = &self.sets.vocabulary;
        let is_listed = |key: Key| {
            let text: &str = vocabulary.key_text(key);
            !matches!(
                text,
                labels::REGISTERED | labels::INITIALIZED | labels::HOSTNAME | labels::INSTANCE_TYPE
            )
        };
        let kept = requirements.iter().filter(|(key, _)| is_listed(*key));
        let mut listed: Vec<NodeRequirement> =
            kept.flat_map(|(key, requirement)| requirement.listed(*key, vocabulary)).collect();
        listed.sort_by(|a, b| {
            a.key.cmp(&b.key).then_with(|| a.operator.as_str().cmp(b.operator.as_str()))
        });
        listed
    }
}

/// Groups in the order of a map that is met from one of them on.
fn rotated(groups: usize, first: usize) -> Vec<usize> {
    (first..groups).chain(0..first).collect()
}

/// What tells two outcomes apart: nodes, claims and errors, but not the order of claims.
pub(super) fn signature(outcome: &Outcome) -> OutcomeSignature {
    let mut claims: Vec<ClaimSignature> = outcome
        .new_node_claims
        .iter()
        .map(|claim| {
            let mut pods = claim.pods.clone();
            pods.sort_unstable();
            (
                claim.node_pool.0.clone(),
                pods,
                claim.instance_types.iter().map(|model| model.name.clone()).collect(),
                claim.requests.iter().map(|(name, amount)| (name.0.clone(), *amount)).collect(),
                claim.requirements.iter().map(|entry| format!("{entry:?}")).collect(),
            )
        })
        .collect();
    claims.sort_unstable();
    let nodes = outcome.existing_nodes.iter().map(|node| {
        let mut pods = node.pods.clone();
        pods.sort_unstable();
        (node.name.clone(), pods)
    });
    (claims, nodes.collect(), outcome.pod_errors.keys().cloned().collect())
}

type ClaimSignature = (Str, Vec<PodKey>, Vec<InstanceTypeName>, Vec<(Str, Quantity)>, Vec<String>);
/// Claims, nodes with their pods, pods without a place.
pub(super) type OutcomeSignature = (Vec<ClaimSignature>, Vec<(Str, Vec<PodKey>)>, Vec<PodKey>);

/// Whether a template has more groups than the replay knows orders of.
pub(super) fn has_unknown_order(template: &NodeClaimTemplate) -> bool {
    template.groups.len() > ROTATED
}
