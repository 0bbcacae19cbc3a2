//! Underutilised: a node whose pods fit elsewhere, or onto something cheaper. As `disruption.SingleNodeConsolidation`.

use super::consolidatable::When;
use super::decision::{Action, Decision, Replacement};
use super::emptiness::over_budget;
use super::facts::Facts;
use super::simulation::Simulated;
use super::{Blocked, Disruptions, Reason, price};
use crate::karpenter::plan::NewNodeClaim;
use crate::karpenter::requirement::Requirement;
use crate::karpenter::requirements::{RequirementSets, Requirements};
use crate::model::labels;
use crate::model::names::Str;

/// How many types a spot node's replacement by spot must leave open.
const SPOT_TO_SPOT: usize = 15;
/// Below this ratio of savings to disruption, `Balanced` leaves a node alone.
const BALANCED: f64 = 0.5;

impl Disruptions<'_> {
    /// What keeps a node from being consolidated, beside what bars it altogether and what a simulation shows.
    pub(super) fn not_consolidated(&self, facts: &Facts<'_>) -> Vec<Blocked> {
        let Some((pool, policy)) = facts.pool.zip(facts.policy) else { return Vec::new() };
        if pool.pool.replicas.is_some() {
            return vec![Blocked::StaticNodePool(pool.pool.name())];
        }
        let mut blocked = Vec::new();
        let labels = facts.node.labels();
        if facts.instance_type.is_none() {
            let name = labels.value(labels::INSTANCE_TYPE).unwrap_or_default();
            blocked.push(Blocked::InstanceTypeNotFound(name.into()));
        }
        for label in [labels::CAPACITY_TYPE, labels::ZONE] {
            if !labels.contains(label) {
                blocked.push(Blocked::NoLabel(label.into()));
            }
        }
        if policy.after.is_none() {
            blocked.push(Blocked::ConsolidationDisabled(pool.pool.name()));
        }
        if facts.is_empty {
            blocked.push(Blocked::Empty);
        } else if policy.when == When::Empty {
            blocked.push(Blocked::OnlyWhenEmpty(pool.pool.name()));
        }
        blocked.extend(facts.too_young(self.state.at));
        let reason = Reason::Underutilized;
        blocked.extend(over_budget(self.allowance(pool, reason), reason));
        blocked
    }

    /// What consolidation comes to, from one outcome of the simulation. As `consolidation.computeConsolidation`.
    pub(super) fn consolidate(
        &self,
        facts: &Facts<'_>,
        simulated: Simulated,
        sets: &mut RequirementSets,
    ) -> Decision {
        let Simulated { moves, mut claims, errors } = simulated;
        let keep =
            |blocked| Decision { action: Action::Keep(blocked), moves: Vec::new(), savings: None };
        let decision = if errors.is_empty() {
            match claims.len() {
                0 => Decision {
                    action: Action::Delete,
                    moves: Vec::new(),
                    savings: Some(facts.price),
                },
                1 => match self.cheaper(facts, claims.remove(0), sets) {
                    Ok(replacement) => Decision {
                        savings: replacement.price.map(|price| facts.price - price),
                        action: Action::Replace(vec![replacement]),
                        moves: Vec::new(),
                    },
                    Err(blocked) => keep(blocked),
                },
                count => keep(Blocked::SeveralCandidates(count)),
            }
        } else {
            keep(Blocked::PodsWouldNotSchedule(errors))
        };
        let decision = match self.unbalanced(facts, &decision) {
            Some(blocked) => keep(blocked),
            None => decision,
        };
        Decision { moves, ..decision }
    }

    /// The claim with only those types that cost less than the node, whatever offering is launched.
    fn cheaper(
        &self,
        facts: &Facts<'_>,
        mut claim: NewNodeClaim,
        sets: &mut RequirementSets,
    ) -> Result<Replacement, Blocked> {
        let mut requirements = Requirements::default();
        requirements.add_listed(&claim.unnarrowed, &mut sets.vocabulary);
        let capacity_type = sets.vocabulary.capacity_type;
        let spot = sets.vocabulary.value("spot");
        let on_demand = sets.vocabulary.value("on-demand");
        let admits = |value, sets: &RequirementSets| {
            let own = requirements.get(capacity_type);
            own.is_none_or(|own| own.has(value, &sets.vocabulary))
        };
        let (admits_spot, admits_on_demand) = (admits(spot, sets), admits(on_demand, sets));
        let is_spot = facts.node.labels().value(labels::CAPACITY_TYPE) == Some("spot");
        let spot_to_spot = is_spot && admits_spot;
        if spot_to_spot {
            if !self.settings.gates.spot_to_spot_consolidation {
                return Err(Blocked::SpotToSpotDisabled);
            }
            requirements.add(capacity_type, Requirement::one(spot), &sets.vocabulary);
        }
        let mut priced = Vec::new();
        for model in std::mem::take(&mut claim.instance_types) {
            let offerings = price::launchable(
                &model,
                &requirements,
                &mut sets.vocabulary,
                self.settings.version,
            );
            let (least, worst) = (price::least(&offerings), price::worst(&offerings));
            if worst < facts.price {
                priced.push((least, worst, model));
            }
        }
        let unmet = unmet_min_values(&requirements, &priced, sets, self.settings.version);
        if !priced.is_empty() && !unmet.is_empty() {
            return Err(Blocked::MinValues(unmet));
        }
        if spot_to_spot {
            if priced.len() < SPOT_TO_SPOT {
                return Err(Blocked::TooFewSpotTypes(priced.len()));
            }
            let enough = (SPOT_TO_SPOT..=priced.len()).find(|count| {
                let kept = &priced[..*count];
                unmet_min_values(&requirements, kept, sets, self.settings.version).is_empty()
            });
            priced.truncate(enough.unwrap_or(priced.len()));
        }
        if priced.is_empty() {
            return Err(Blocked::NotCheaper);
        }
        let price = priced.iter().filter_map(|(least, ..)| *least).reduce(f64::min);
        let worst_price = priced.first().map(|(_, worst, _)| *worst);
        claim.price = price;
        claim.instance_types = priced.into_iter().map(|(.., model)| model).collect();
        let only_spot = spot_to_spot || (admits_spot && admits_on_demand);
        Ok(Replacement { claim, price, worst_price, only_spot })
    }

    /// Whether `Balanced` holds a command back.
    fn unbalanced(&self, facts: &Facts<'_>, decision: &Decision) -> Option<Blocked> {
        if facts.policy?.when != When::Balanced || !self.settings.version.since(14, 0) {
            return None;
        }
        let savings = decision.savings?;
        let (price, cost) = self.pool_totals(facts.node.node_pool()?);
        if price <= 0.0 || cost <= 0.0 {
            return None;
        }
        let score = (savings / price) / (facts.cost / cost);
        (score < BALANCED).then_some(Blocked::Unbalanced { score })
    }
}

type Priced = (Option<f64>, f64, std::sync::Arc<crate::model::instance_type::InstanceType>);

/// The keys whose `minValues` some types do not meet.
fn unmet_min_values(
    requirements: &Requirements,
    types: &[Priced],
    sets: &mut RequirementSets,
    version: crate::karpenter::version::Version,
) -> Vec<Str> {
    let mut unmet = Vec::new();
    for (key, requirement) in requirements.iter() {
        let Some(wanted) = requirement.min_values else { continue };
        let name = sets.vocabulary.key_text(*key).clone();
        let mut values: Vec<&Str> = types
            .iter()
            .flat_map(|(.., model)| &model.requirements)
            .filter(|own| own.key == name)
            .flat_map(|own| &own.values)
            .collect();
        if version.since(14, 3) {
            values.retain(|value| {
                let value = sets.vocabulary.value(value);
                requirement.has(value, &sets.vocabulary)
            });
        }
        values.sort_unstable();
        values.dedup();
        if i64::try_from(values.len()).unwrap_or(i64::MAX) < wanted {
            unmet.push(name);
        }
    }
    unmet.sort();
    unmet
}
