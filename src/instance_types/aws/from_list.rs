//! The kwok provider's file of instance types, read as a catalogue of EC2: which types there are, where, at what price.

use std::sync::Arc;

use crate::instance_types::built_in;
use crate::instance_types::requirement::{only_value, values_of};
use crate::model::catalogue::{Catalogue, Ec2InstanceType, SpotPrice};
use crate::model::instance_type::InstanceType;
use crate::model::labels;
use crate::model::quantity::Quantity;
use crate::model::resources::{CPU, MEMORY};

use super::by_name;

/// Facts of known names come from the built-in table, others from the file's resources and from rules by name.
pub fn catalogue(types: &[Arc<InstanceType>]) -> Catalogue {
    let mut catalogue = Catalogue::default();
    for listed in types {
        let Some(facts) = facts(listed) else { continue };
        catalogue.ec2.push(facts);
        for offering in &listed.offerings {
            let value = |key| only_value(&offering.requirements, key);
            let Some(zone) = value(labels::ZONE) else { continue };
            let zones = catalogue.ec2_zones.entry(listed.name.clone()).or_default();
            if !zones.contains(zone) {
                zones.push(zone.clone());
            }
            match value(labels::CAPACITY_TYPE).map(|kind| &**kind) {
                Some("spot") => catalogue.spot.push(SpotPrice {
                    instance_type: listed.name.clone(),
                    zone: zone.clone(),
                    price: offering.price,
                    since: None,
                }),
                Some("on-demand") => {
                    catalogue.on_demand.insert(listed.name.clone(), offering.price);
                }
                _ => {}
            }
        }
    }
    catalogue
}

fn facts(listed: &InstanceType) -> Option<Arc<Ec2InstanceType>> {
    if let Some(known) = built_in::aws().get(listed.name.as_str()) {
        return Some(known.facts.clone());
    }
    let guessed = by_name::facts(&listed.name, None);
    let mut facts = (*guessed.or_else(|| by_name::blank(&listed.name))?).clone();
    facts.vcpus = listed.capacity.get(CPU).map_or(facts.vcpus, Quantity::value);
    facts.memory_mib =
        listed.capacity.get(MEMORY).map_or(facts.memory_mib, |memory| memory.value() >> 20);
    if let [arch] = values_of(&listed.requirements, labels::ARCH) {
        facts.arch = if &**arch == "x86_64" { "amd64".into() } else { arch.clone() };
    }
    Some(Arc::new(facts))
}
