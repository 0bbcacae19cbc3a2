//! `Listing`: the instance types that a NodePool may launch, and why it may not launch the others.

use std::collections::BTreeMap;
use std::fmt;

use crate::model::instance_type::{InstanceType, Offering};
use crate::model::labels;
use crate::model::names::{InstanceTypeName, NodePoolName, Str};
use crate::model::nodepool::{NodeClass, NodePool, NodeRequirement};
use crate::model::resources::Resources;
use crate::model::selector::Operator;

use super::aws::provider::MemorySource;
use super::provided::Provided;
use super::requirement::{in_values, meets, only_value};

/// The instance types of one NodePool.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The NodePool.
    pub node_pool: NodePoolName,
    /// Types that it may launch, cheapest first, equal ones by name.
    pub kept: Vec<Kept>,
    /// Types that it may not launch, by name, with the first thing that stands against each.
    pub left_out: Vec<(InstanceTypeName, LeftOut)>,
}

/// A type that a NodePool may launch.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its name.
    pub name: InstanceTypeName,
    /// What the machine has.
    pub capacity: Resources,
    /// What pods can use of it.
    pub allocatable: Resources,
    /// The cheapest price of its places.
    pub price: Option<f64>,
    /// Where and how it may be launched.
    pub places: Vec<Place>,
    /// What else is to say of it.
    pub notes: Vec<String>,
}

/// Where and how a type may be launched.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The zone.
    pub zone: Str,
    /// `spot`, `on-demand` or `reserved`.
    pub capacity_type: Str,
    /// Its price.
    pub price: f64,
}

/// Why a NodePool may not launch a type.
#[derive(Clone, Debug, PartialEq)]
pub enum LeftOut {
    /// A requirement of the NodePool.
    Requirement {
        /// What the NodePool asks.
        asked: NodeRequirement,
        /// What the type has: none when it has no such label.
        values: Vec<Str>,
    },
    /// It has no offering that the NodePool may have.
    NoOffering {
        /// Why its offerings cannot be had, with how many each.
        obstacles: BTreeMap<String, usize>,
    },
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requirement { asked, values } => {
                let has = if values.is_empty() { "absent".to_owned() } else { values.join(", ") };
                let operator = asked.operator.as_str();
                write!(f, "{} is {has}, and the NodePool asks for {operator}", asked.key)?;
                if !asked.values.is_empty() {
                    write!(f, " {}", asked.values.join(", "))?;
                }
                Ok(())
            }
            Self::NoOffering { obstacles } if obstacles.is_empty() => {
                f.write_str("no offering of it is one that the NodePool may have")
            }
            Self::NoOffering { obstacles } => {
                let reasons: Vec<&str> = obstacles.keys().map(String::as_str).collect();
                f.write_str(&reasons.join("; "))
            }
        }
    }
}

/// A requirement as text: key, operator, values.
pub fn text_of(asked: &NodeRequirement) -> String {
    let values = asked.values.join(", ");
    format!("{} {} {values}", asked.key, asked.operator.as_str()).trim_end().to_owned()
}

/// The listing of a NodePool.
pub fn listing(provided: &Provided, pool: &NodePool, class: Option<&NodeClass>) -> Listing {
    let asked = asked(pool);
    let types = provided.provider.instance_types(pool, class);
    let told = told(provided, pool, class);
    let mut listing = Listing { node_pool: pool.name(), kept: Vec::new(), left_out: Vec::new() };
    for instance_type in &types {
        let told = told.get(&instance_type.name);
        match judge(instance_type, &asked, told) {
            Ok(kept) => listing.kept.push(kept),
            Err(reason) => listing.left_out.push((instance_type.name.clone(), reason)),
        }
    }
    let price = |kept: &Kept| kept.price.unwrap_or(f64::MAX);
    listing.kept.sort_by(|a, b| price(a).total_cmp(&price(b)).then_with(|| a.name.cmp(&b.name)));
    listing.left_out.sort_by(|a, b| a.0.cmp(&b.0));
    listing
}

/// The NodePool's requirements and labels.
fn asked(pool: &NodePool) -> Vec<NodeRequirement> {
    let labels = pool.template.labels.iter();
    let labelled = labels.map(|(key, value)| in_values(key, [value.clone()]));
    pool.template.requirements.iter().cloned().chain(labelled).collect()
}

/// What the provider's model tells of a type beside the type itself.
#[derive(Default)]
struct Told {
    obstacles: Vec<Option<String>>,
    notes: Vec<String>,
}

fn told(
    provided: &Provided,
    pool: &NodePool,
    class: Option<&NodeClass>,
) -> BTreeMap<InstanceTypeName, Told> {
    let Some(aws) = &provided.aws else { return BTreeMap::new() };
    let modelled = aws.modelled(&pool.template.node_class, class);
    let told = modelled.into_iter().map(|it| {
        let mut notes = Vec::new();
        if let Some(claim) = &it.corrected_by {
            notes.push(format!("numbers of nodeclaim/{claim}, which differ from the formulas"));
        }
        if it.memory == MemorySource::Discovered {
            notes.push("memory as seen on a machine".to_owned());
        }
        let obstacles = it.offerings.iter().map(|it| it.obstacle.as_ref().map(ToString::to_string));
        (it.instance_type.name.clone(), Told { obstacles: obstacles.collect(), notes })
    });
    told.collect()
}

fn judge(
    instance_type: &InstanceType,
    asked: &[NodeRequirement],
    told: Option<&Told>,
) -> Result<Kept, LeftOut> {
    if let Some(unmet) = asked.iter().find(|asked| !meets(&instance_type.requirements, asked)) {
        let own = instance_type.requirements.iter().find(|own| own.key == unmet.key);
        let values = own.filter(|own| own.operator == Operator::In);
        return Err(LeftOut::Requirement {
            asked: unmet.clone(),
            values: values.map(|own| own.values.clone()).unwrap_or_default(),
        });
    }
    let wanted = |offering: &Offering| asked.iter().all(|it| meets(&offering.requirements, it));
    let mut places = Vec::new();
    let mut obstacles: BTreeMap<String, usize> = BTreeMap::new();
    for (index, offering) in instance_type.offerings.iter().enumerate() {
        if !wanted(offering) {
            continue;
        }
        let value = |key| only_value(&offering.requirements, key).cloned();
        let (zone, capacity_type) = (value(labels::ZONE), value(labels::CAPACITY_TYPE));
        if offering.available {
            places.push(Place {
                zone: zone.unwrap_or_else(|| "".into()),
                capacity_type: capacity_type.unwrap_or_else(|| "".into()),
                price: offering.price,
            });
        } else {
            let told = told.and_then(|told| told.obstacles.get(index)?.clone());
            let reason = told.unwrap_or_else(|| "it could not be had".to_owned());
            *obstacles.entry(reason).or_default() += 1;
        }
    }
    if places.is_empty() {
        return Err(LeftOut::NoOffering { obstacles });
    }
    let overhead = &instance_type.overhead;
    let mut allocatable = instance_type.capacity.clone();
    for (name, amount) in &instance_type.capacity {
        let kept = overhead.kube_reserved.amount(name.as_str());
        let kept = kept.plus(overhead.system_reserved.amount(name.as_str()));
        let kept = kept.plus(overhead.eviction_threshold.amount(name.as_str()));
        allocatable.set(name.clone(), amount.minus(kept));
    }
    Ok(Kept {
        name: instance_type.name.clone(),
        capacity: instance_type.capacity.clone(),
        allocatable,
        price: places.iter().map(|place| place.price).min_by(f64::total_cmp),
        places,
        notes: told.map(|told| told.notes.clone()).unwrap_or_default(),
    })
}
