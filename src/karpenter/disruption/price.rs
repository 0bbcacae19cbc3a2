//! Prices: what a node costs, and what a replacement may come to cost.

use crate::karpenter::requirements::{Requirements, Undefined};
use crate::karpenter::version::Version;
use crate::karpenter::vocabulary::Vocabulary;
use crate::model::instance_type::{InstanceType, Offering};
use crate::model::labels::{self, Labels};

/// Capacity types in the order in which one is taken for a launch.
const CAPACITY_TYPES: [&str; 3] = ["reserved", "spot", "on-demand"];

/// The price of the offering that a node is; 0 where its type sells none like it, as upstream counts.
pub(super) fn of_node(model: &InstanceType, labels: &Labels) -> f64 {
    let (zone, capacity_type) = (labels.value(labels::ZONE), labels.value(labels::CAPACITY_TYPE));
    let is_it = |offering: &&Offering| {
        admits(offering, labels::ZONE, zone)
            && admits(offering, labels::CAPACITY_TYPE, capacity_type)
    };
    model.offerings.iter().find(is_it).map_or(0.0, |offering| offering.price)
}

fn admits(offering: &Offering, key: &str, value: Option<&str>) -> bool {
    let mut own = offering.requirements.iter().filter(|requirement| &*requirement.key == key);
    own.all(|requirement| {
        requirement.values.iter().any(|listed| value.is_some_and(|value| &**listed == value))
    })
}

/// The offerings of a type that a claim of these requirements may be launched with.
pub(super) fn launchable<'a>(
    model: &'a InstanceType,
    claim: &'a Requirements,
    vocabulary: &'a mut Vocabulary,
    version: Version,
) -> Vec<&'a Offering> {
    let offerings = model.offerings.iter();
    offerings
        .filter(|offering| {
            let is_full = version.since(15, 0)
                && admits(offering, labels::CAPACITY_TYPE, Some("reserved"))
                && offering.reservation_capacity <= 0;
            if !offering.available || is_full {
                return false;
            }
            let mut own = Requirements::default();
            own.add_listed(&offering.requirements, vocabulary);
            own.remove(vocabulary.hostname);
            claim.is_compatible(&own, Undefined::WellKnown, vocabulary)
        })
        .collect()
}

/// The most that a launch may come to cost: of the capacity type that it will have, the dearest.
pub(super) fn worst(launchable: &[&Offering]) -> f64 {
    for capacity_type in CAPACITY_TYPES {
        let of_type = launchable
            .iter()
            .filter(|offering| admits(offering, labels::CAPACITY_TYPE, Some(capacity_type)));
        if let Some(worst) = of_type.map(|offering| offering.price).reduce(f64::max) {
            return worst;
        }
    }
    f64::MAX
}

/// The least that a launch may cost; `None` where there is no offering.
pub(super) fn least(launchable: &[&Offering]) -> Option<f64> {
    launchable.iter().map(|offering| offering.price).reduce(f64::min)
}
