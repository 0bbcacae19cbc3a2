//! Types that could not be had, as the lists of NodeClaims show by leaving them out.
//!
//! A NodeClaim lists the types that were compatible, had room and could be had, the cheapest first where there are too
//! many. So a type that should be in a list, and is cheaper than another that is, was not offered: not sold in the
//! region, without a price, or out of capacity. A single list would prove too much; a type that any list or machine
//! shows is left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::instance_types::observed::ListedTypes;
use crate::instance_types::requirement::{meets, only_value};
use crate::model::instance_type::{InstanceType, Offering};
use crate::model::labels;
use crate::model::names::{InstanceTypeName, NodeClaimName, Str};
use crate::model::nodepool::{NodeClass, NodeClassRef};

use super::provider::AwsProvider;

/// Lists that differ are looked at, the first so many.
const MOST_LISTS: usize = 32;
/// How much cheaper a type must be than one that is listed: price lists are not exact.
const CHEAPER: f64 = 0.85;

/// Offerings of a type that lists lack.
#[derive(Clone, Debug)]
pub struct NotListed {
    /// The first NodeClaim whose list lacks the type.
    pub node_claim: NodeClaimName,
    /// Zone and capacity type of each offering that such a NodeClaim could have had.
    pub places: BTreeSet<(Str, Str)>,
}

impl NotListed {
    /// Whether the lists show that the offering could not be had.
    pub fn covers(&self, zone: &str, capacity_type: &str) -> bool {
        self.places.iter().any(|(own, kind)| **own == *zone && **kind == *capacity_type)
    }
}

/// Types that lists lack.
pub fn types(
    provider: &AwsProvider,
    classes: &[Arc<NodeClass>],
) -> BTreeMap<InstanceTypeName, NotListed> {
    let mut missing = BTreeMap::new();
    let mut models: BTreeMap<&NodeClassRef, Vec<InstanceType>> = BTreeMap::new();
    let mut seen: BTreeSet<&BTreeSet<Str>> = BTreeSet::new();
    for list in &provider.observed.lists {
        let is_cut = list.requirements.iter().any(|it| it.min_values.is_some());
        if is_cut || !seen.insert(&list.types) {
            continue;
        }
        if seen.len() > MOST_LISTS {
            break;
        }
        let models = models.entry(&list.node_class).or_insert_with(|| {
            let named =
                |class: &&Arc<NodeClass>| Some(&class.meta.name) == list.node_class.name.as_ref();
            let class = classes.iter().find(named);
            let modelled = provider.modelled(&list.node_class, class.map(|class| &**class));
            modelled.into_iter().map(|it| it.instance_type).collect()
        });
        add_missing(list, models, provider, &mut missing);
    }
    missing
}

fn add_missing(
    list: &ListedTypes,
    models: &[InstanceType],
    provider: &AwsProvider,
    missing: &mut BTreeMap<InstanceTypeName, NotListed>,
) {
    let listed = models.iter().filter(|it| list.types.contains(it.name.as_str()));
    let Some(dearest) = listed.filter_map(|it| price(it, list)).max_by(f64::total_cmp) else {
        return;
    };
    for model in models {
        if provider.observed.shows(model.name.as_str()) {
            continue;
        }
        let is_cheap = price(model, list).is_some_and(|price| price < dearest * CHEAPER);
        let is_compatible = || list.requirements.iter().all(|it| meets(&model.requirements, it));
        if is_cheap && is_compatible() && has_room(model, list) {
            let found = missing.entry(model.name.clone()).or_insert_with(|| NotListed {
                node_claim: list.node_claim.clone(),
                places: BTreeSet::new(),
            });
            found.places.extend(possible(model, list).filter_map(place));
        }
    }
}

/// Offerings that the NodeClaim may have.
fn possible<'a>(
    model: &'a InstanceType,
    list: &'a ListedTypes,
) -> impl Iterator<Item = &'a Offering> {
    model.offerings.iter().filter(|offering| {
        offering.available && list.requirements.iter().all(|it| meets(&offering.requirements, it))
    })
}

fn price(model: &InstanceType, list: &ListedTypes) -> Option<f64> {
    possible(model, list).map(|offering| offering.price).min_by(f64::total_cmp)
}

fn place(offering: &Offering) -> Option<(Str, Str)> {
    let value = |key| only_value(&offering.requirements, key).cloned();
    Some((value(labels::ZONE)?, value(labels::CAPACITY_TYPE)?))
}

/// With a little to spare: memory may have been known better or worse at the time.
fn has_room(model: &InstanceType, list: &ListedTypes) -> bool {
    list.requests.iter().all(|(name, amount)| {
        let name = name.as_str();
        let kept = model.overhead.kube_reserved.amount(name);
        let kept = kept.plus(model.overhead.system_reserved.amount(name));
        let kept = kept.plus(model.overhead.eviction_threshold.amount(name));
        let free = model.capacity.amount(name).minus(kept);
        let margin = if name == crate::model::resources::MEMORY { 0.92 } else { 1.0 };
        amount.as_f64() <= free.as_f64() * margin
    })
}
