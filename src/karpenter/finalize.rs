//! The end of a pass: claims get their DaemonSets' share, their types in order, and the form of a NodeClaim.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::model::instance_type::InstanceType;
use crate::model::names::{PodKey, Str};
use crate::model::nodepool::NodeRequirement;
use crate::model::resources::Resources;

use super::bits::Bits;
use super::finished::FinishedClaim;
use super::go_sort::sort_unstable_as_go;
use super::in_flight_node_claim::InFlightNodeClaim;
use super::nodeclaim_template::NodeClaimTemplate;
use super::plan::{ExistingNodePlacement, NewNodeClaim, Outcome};
use super::pod_error::PodError;
use super::requirement::Requirement;
use super::requirements::{Requirements, SetId, Undefined};
use super::reservation_manager::is_launchable;
use super::scheduler::Scheduler;
use super::settings::MinValuesPolicy;
use super::state::State;
use super::vocabulary::Value;
use crate::model::labels;

/// Above this number of groups a map's order is not only a rotation.
const ROTATED: usize = 8;

impl Scheduler<'_> {
    /// The outcomes of a state that are not known yet: one for each order in which upstream may meet the groups of types.
    pub(super) fn outcomes(
        &mut self,
        state: &State,
        known: &mut FxHashSet<OutcomeSignature>,
    ) -> Vec<Outcome> {
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
        let mut outcomes = Vec::new();
        for order in &orders {
            if known.insert(self.signature(state, order)) {
                outcomes.push(self.outcome(state, order));
            }
        }
        outcomes
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

    fn signature(&mut self, state: &State, order: &BTreeMap<usize, usize>) -> OutcomeSignature {
        let mut claims = Vec::with_capacity(state.claims.len());
        for claim in &state.claims {
            let rotation = order.get(&claim.template).copied().unwrap_or(0);
            claims.push(self.finish(claim, rotation).id);
        }
        claims.sort_unstable();
        let nodes = state.nodes.iter().filter(|node| !node.pods.is_empty());
        OutcomeSignature {
            claims,
            nodes: nodes.map(|node| (node.index, sorted(&node.pods))).collect(),
            errors: state.errors.keys().copied().collect(),
        }
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
        claim: &Arc<InFlightNodeClaim>,
        rotation: usize,
    ) -> Result<NewNodeClaim, Vec<Str>> {
        let finished = self.finish(claim, rotation);
        let shape = &finished.shape;
        if !shape.unmet.is_empty() {
            return Err(shape.unmet.clone());
        }
        let template = &self.templates[claim.template];
        Ok(NewNodeClaim {
            node_pool: template.pool.name(),
            labels: template.labels.clone(),
            requirements: shape.requirements.clone(),
            requests: finished.requests.clone(),
            instance_types: shape.types.clone(),
            price: shape.price,
            taints: template.pool.template.taints.clone(),
            startup_taints: template.pool.template.startup_taints.clone(),
            pods: self.keys(&claim.pods),
            unnarrowed: Arc::clone(&shape.unnarrowed),
        })
    }

    /// A claim's end, worked out once for all states that share the claim.
    fn finish(&mut self, claim: &Arc<InFlightNodeClaim>, rotation: usize) -> Arc<FinishedClaim> {
        if let Some(known) = self.finished.get(claim, rotation) {
            return known;
        }
        let shape = self.shape(claim, rotation);
        let template = &self.templates[claim.template];
        let requests = self.requests(claim, template, &rotated(template.groups.len(), rotation));
        self.finished.add(claim, rotation, shape, requests)
    }

    /// What a claim may be. Claims that have come to the same are worked out once.
    fn shape(&mut self, claim: &InFlightNodeClaim, rotation: usize) -> Arc<ClaimShape> {
        let key = ShapeKey {
            template: claim.template,
            rotation,
            set: claim.set,
            options: claim.options.clone(),
            reservations: claim.reservations.clone(),
        };
        if let Some(known) = self.shapes.get(&key) {
            return Arc::clone(known);
        }
        let made = self.new_shape(claim, rotation);
        let same = self.shapes.values().find(|known| known.is_same(&made)).map(|known| known.id);
        let id = same.unwrap_or(self.shapes.len());
        let shape = Arc::new(ClaimShape { id, ..made });
        self.shapes.insert(key, Arc::clone(&shape));
        shape
    }

    fn new_shape(&mut self, claim: &InFlightNodeClaim, rotation: usize) -> ClaimShape {
        let version = self.settings.version;
        let order = rotated(self.templates[claim.template].groups.len(), rotation);
        let mut requirements = (**self.sets.get(claim.set)).clone();
        if !claim.reservations.is_empty() {
            let reserved = Requirement::one(self.sets.vocabulary.reserved);
            requirements.replace(self.sets.vocabulary.capacity_type, reserved);
            self.add_reservations(&mut requirements, &claim.reservations);
        }
        let set = self.sets.id(requirements.clone());
        let template = &self.templates[claim.template];
        let table = &self.tables[template.table];
        let mut priced: Vec<(f64, usize)> = Vec::new();
        for group in order {
            for index in template.groups[group].types.and(&claim.options).iter() {
                let launchable = |offering: &_| is_launchable(offering, version);
                priced.push((table.price(index, set, launchable, &mut self.sets), index));
            }
        }
        let name = |index: usize| &table.types[index].model.name;
        if version.since(5, 0) {
            sort_unstable_as_go(&mut priced, |a, b| a.0 < b.0);
        } else {
            priced.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| name(a.1).cmp(name(b.1))));
        }
        priced.truncate(if version.since(9, 0) { 600 } else { 60 });
        let remaining: Vec<usize> = priced.iter().map(|(_, index)| *index).collect();
        let types = remaining.iter().map(|index| Arc::clone(&table.types[*index].model)).collect();
        let admitted = version.since(14, 3);
        let unmet = table.unmet_min_values(&remaining, &requirements, admitted, &self.sets);
        let is_strict = self.settings.min_values_policy == MinValuesPolicy::Strict;
        let unmet = unmet.into_iter().filter(|_| is_strict);
        let unmet = unmet.map(|(key, _)| self.sets.vocabulary.key_text(key).clone()).collect();
        let is_own =
            |key: &str| !matches!(key, labels::REGISTERED | labels::INITIALIZED | labels::HOSTNAME);
        let unnarrowed = self.listed(&requirements, is_own).into();
        if version.since(9, 0) {
            self.narrow_capacity_types(&mut requirements, set, &remaining, claim.template);
        }
        ClaimShape {
            id: 0,
            template: claim.template,
            requirements: self
                .listed(&requirements, |key| is_own(key) && key != labels::INSTANCE_TYPE),
            unnarrowed,
            types,
            price: priced.first().map(|(price, _)| *price).filter(|price| *price < f64::MAX),
            unmet,
        }
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
        requests.shared()
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

    /// Requirements as a NodeClaim lists them, as far as their keys are wanted.
    fn listed(
        &self,
        requirements: &Requirements,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<NodeRequirement> {
        let vocabulary = &self.sets.vocabulary;
        let kept = requirements.iter().filter(|(key, _)| is_wanted(vocabulary.key_text(*key)));
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

/// What a claim may be when the pass ends.
#[derive(Debug)]
pub(super) struct ClaimShape {
    /// Equal for shapes that read the same.
    pub(super) id: usize,
    template: usize,
    requirements: Vec<NodeRequirement>,
    unnarrowed: Arc<[NodeRequirement]>,
    types: Vec<Arc<InstanceType>>,
    price: Option<f64>,
    /// Keys whose `minValues` do not hold: such a claim is not made.
    unmet: Vec<Str>,
}

impl ClaimShape {
    fn is_same(&self, other: &Self) -> bool {
        self.template == other.template
            && self.requirements == other.requirements
            && self.types.len() == other.types.len()
            && self.types.iter().zip(&other.types).all(|(a, b)| Arc::ptr_eq(a, b))
    }
}

/// What a shape follows from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ShapeKey {
    template: usize,
    rotation: usize,
    set: SetId,
    options: Bits,
    reservations: Vec<Value>,
}

/// What tells two outcomes apart: claims with their pods and requests, nodes with their pods, pods without a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct OutcomeSignature {
    claims: Vec<usize>,
    nodes: Vec<(usize, Vec<usize>)>,
    errors: Vec<usize>,
}

pub(super) fn sorted(pods: &[usize]) -> Vec<usize> {
    let mut pods = pods.to_vec();
    pods.sort_unstable();
    pods
}

/// Whether a template has more groups than the replay knows orders of.
pub(super) fn has_unknown_order(template: &NodeClaimTemplate) -> bool {
    template.groups.len() > ROTATED
}
