//! `NodeOverlay`: other prices or more capacity for some instance types. As `nodeoverlay.Controller`.

use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::instance_type::InstanceType;
use crate::model::labels::Labels;
use crate::model::nodepool::{NodeOverlay, NodePool};
use crate::model::resources::{CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Resources};

use super::requirements::{RequirementSets, Requirements, Undefined};

/// A pool with its types as the provider gives them.
pub(super) type PoolTypes = (Arc<NodePool>, Vec<Arc<InstanceType>>);

/// What overlays have recorded for one type of one pool.
#[derive(Clone, Debug, Default)]
struct Recorded {
    /// By offering: the change of its price, and the weight of the last overlay that wanted one.
    prices: Vec<Option<(String, i32)>>,
    /// By overlay: its weight and what it adds.
    capacities: Vec<(i32, Resources)>,
}

/// Applies the overlays of the cluster to the types of its pools.
pub(super) fn apply(state: &ClusterState, pools: &mut [PoolTypes], sets: &mut RequirementSets) {
    let mut overlays: Vec<&NodeOverlay> =
        state.node_overlays.iter().map(|overlay| &**overlay).collect();
    overlays.sort_by(|a, b| {
        let weight = |overlay: &NodeOverlay| overlay.weight.unwrap_or(0);
        weight(b).cmp(&weight(a)).then_with(|| b.meta.name.cmp(&a.meta.name))
    });
    let mut recorded: Vec<Vec<Recorded>> = pools
        .iter()
        .map(|(_, types)| {
            types
                .iter()
                .map(|model| Recorded {
                    prices: vec![None; model.offerings.len()],
                    capacities: Vec::new(),
                })
                .collect()
        })
        .collect();
    for overlay in overlays.into_iter().filter(|overlay| is_valid(overlay)) {
        let selected = selected(overlay, pools, sets);
        let weight = overlay.weight.unwrap_or(0);
        let conflicts = selected.iter().any(|(pool, index, offerings)| {
            conflicts(overlay, weight, &recorded[*pool][*index], offerings)
        });
        if conflicts {
            continue;
        }
        for (pool, index, offerings) in selected {
            record(overlay, weight, &mut recorded[pool][index], &offerings);
        }
    }
    for ((_, types), recorded) in pools.iter_mut().zip(&recorded) {
        for (model, recorded) in types.iter_mut().zip(recorded) {
            overlay(model, recorded);
        }
    }
}

/// Whether an overlay may be used at all: it adds none of the resources that every machine has.
fn is_valid(overlay: &NodeOverlay) -> bool {
    let is_own = |name: &str| matches!(name, CPU | MEMORY | EPHEMERAL_STORAGE | PODS);
    !overlay.capacity.iter().any(|(name, _)| is_own(name.as_str()))
}

/// The types and offerings that an overlay is about: place of the pool, of the type, and of its offerings.
fn selected(
    overlay: &NodeOverlay,
    pools: &[PoolTypes],
    sets: &mut RequirementSets,
) -> Vec<(usize, usize, Vec<usize>)> {
    let mut asked = Requirements::default();
    asked.add_listed(&overlay.requirements, &mut sets.vocabulary);
    let mut selected = Vec::new();
    for (place, (pool, types)) in pools.iter().enumerate() {
        let own: Labels =
            [(crate::model::labels::NODEPOOL.into(), pool.meta.name.clone())].into_iter().collect();
        let mut of_pool = Requirements::default();
        of_pool.add_labels(&own, &mut sets.vocabulary);
        of_pool.add_labels(&pool.template.labels, &mut sets.vocabulary);
        for (index, model) in types.iter().enumerate() {
            let mut there = of_pool.clone();
            there.add_listed(&model.requirements, &mut sets.vocabulary);
            if !there.is_compatible(&asked, Undefined::Nothing, &sets.vocabulary) {
                continue;
            }
            let offerings = model.offerings.iter().enumerate().filter(|(_, offering)| {
                let mut requirements = Requirements::default();
                requirements.add_listed(&offering.requirements, &mut sets.vocabulary);
                asked.is_compatible(&requirements, Undefined::WellKnown, &sets.vocabulary)
            });
            let offerings: Vec<usize> = offerings.map(|(place, _)| place).collect();
            if !offerings.is_empty() {
                selected.push((place, index, offerings));
            }
        }
    }
    selected
}

/// The change of price that an overlay asks for.
fn price_change(overlay: &NodeOverlay) -> Option<&str> {
    overlay.price.as_deref().or(overlay.price_adjustment.as_deref())
}

/// Whether an overlay contradicts another one of the same weight.
fn conflicts(overlay: &NodeOverlay, weight: i32, there: &Recorded, offerings: &[usize]) -> bool {
    let of_price = price_change(overlay).is_some()
        && offerings.iter().any(|offering| {
            there.prices[*offering].as_ref().is_some_and(|(_, lowest)| *lowest == weight)
        });
    let of_capacity = there.capacities.last().is_some_and(|(lowest, _)| {
        *lowest == weight
            && there.capacities.iter().filter(|(other, _)| other == lowest).any(|(_, resources)| {
                overlay.capacity.iter().any(|(name, _)| resources.get(name.as_str()).is_some())
            })
    });
    of_price || of_capacity
}

fn record(overlay: &NodeOverlay, weight: i32, there: &mut Recorded, offerings: &[usize]) {
    if let Some(change) = price_change(overlay) {
        for offering in offerings {
            let change = match there.prices[*offering].take() {
                Some((first, _)) => first,
                None => change.to_owned(),
            };
            there.prices[*offering] = Some((change, weight));
        }
    }
    if !overlay.capacity.is_empty() {
        there.capacities.push((weight, overlay.capacity.clone()));
    }
}

/// Puts what was recorded in place. The first overlay that names a resource decides it.
fn overlay(model: &mut Arc<InstanceType>, recorded: &Recorded) {
    let changes_price = recorded.prices.iter().any(Option::is_some);
    if !changes_price && recorded.capacities.is_empty() {
        return;
    }
    let model = Arc::make_mut(model);
    for (offering, change) in model.offerings.iter_mut().zip(&recorded.prices) {
        if let Some((change, _)) = change {
            offering.price = adjusted(offering.price, change);
            offering.capacity_override = Resources::new();
            offering.overhead_override = None;
        }
    }
    for (_, resources) in recorded.capacities.iter().rev() {
        for (name, amount) in resources {
            model.capacity.set(name.clone(), *amount);
        }
    }
}

/// A price after a change: a new price, an amount more or less, or a percentage more or less.
fn adjusted(price: f64, change: &str) -> f64 {
    if !change.starts_with(['+', '-']) {
        return change.parse().unwrap_or(price);
    }
    let adjusted = match change.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().map(|percent| price * (1.0 + percent / 100.0)),
        None => change.parse::<f64>().map(|amount| price + amount),
    };
    adjusted.map_or(price, |adjusted| adjusted.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_replaced_raised_or_lowered() {
        for (change, expected) in
            [("0.5", 0.5), ("+1", 3.0), ("-5", 0.0), ("+50%", 3.0), ("-100%", 0.0), ("-1", 1.0)]
        {
            assert!((adjusted(2.0, change) - expected).abs() < 1e-12, "{change}");
        }
    }
}
