//! Which instance types and offerings a claim may still be, and why the others fell.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::instance_type::{InstanceType, Overhead};
use crate::model::names::Str;
use crate::model::quantity::Quantity;
use crate::model::resources::{MEMORY, Resources};

use super::amounts::{Amounts, ResourceOrder};
use super::bits::Bits;
use super::requirement::Requirement;
use super::requirements::{RequirementSets, Requirements, SetId, Undefined};
use super::version::Version;
use super::vocabulary::{Key, Value};

/// The instance types of one NodePool, prepared for being asked often.
#[derive(Debug)]
pub(super) struct TypeTable {
    /// In the provider's order.
    pub(super) types: Vec<TypeEntry>,
    /// What the types' offerings leave to pods; a type has several where offerings override its size.
    slots: Vec<Slot>,
    masks: FxHashMap<SetId, Arc<TypeMask>>,
    has_reserved: bool,
}

/// One instance type.
#[derive(Debug)]
pub(super) struct TypeEntry {
    pub(super) model: Arc<InstanceType>,
    pub(super) requirements: Requirements,
    pub(super) capacity: Amounts,
    pub(super) offerings: Vec<OfferingEntry>,
    first_slot: usize,
    end_slot: usize,
}

/// One offering.
#[derive(Debug)]
pub(super) struct OfferingEntry {
    pub(super) requirements: SetId,
    pub(super) price: f64,
    pub(super) available: bool,
    pub(super) reserved: bool,
    pub(super) reservation_capacity: i64,
    /// The reservation's id, of a reserved offering.
    pub(super) reservation: Option<Value>,
    /// Its capacity type as a requirement.
    pub(super) capacity_type: Option<Requirement>,
}

/// Offerings that leave the same room.
#[derive(Debug)]
struct Slot {
    allocatable: Amounts,
    has_negative: bool,
    offerings: Vec<usize>,
}

/// What some requirements leave of a table.
#[derive(Debug)]
pub(super) struct TypeMask {
    /// Types whose requirements go together with these.
    pub(super) compatible: Bits,
    /// Slots that have an available and compatible offering.
    offered: Bits,
    /// Types that are compatible and have such a slot.
    pub(super) possible: Bits,
}

impl TypeTable {
    pub(super) fn new(
        types: &[Arc<InstanceType>],
        version: Version,
        reservation_label: Option<&str>,
        sets: &mut RequirementSets,
        order: &mut ResourceOrder,
    ) -> Self {
        let mut table = Self {
            types: Vec::new(),
            slots: Vec::new(),
            masks: FxHashMap::default(),
            has_reserved: false,
        };
        let reservation_key = reservation_label.map(|label| sets.vocabulary.key(label));
        for model in types {
            let mut requirements = Requirements::default();
            requirements.add_listed(&model.requirements, &mut sets.vocabulary);
            let offerings: Vec<OfferingEntry> = model
                .offerings
                .iter()
                .map(|offering| {
                    let mut listed = Requirements::default();
                    listed.add_listed(&offering.requirements, &mut sets.vocabulary);
                    let capacity_type = listed.get(sets.vocabulary.capacity_type).cloned();
                    let admits = |requirement: &Requirement| {
                        requirement.has(sets.vocabulary.reserved, &sets.vocabulary)
                    };
                    let reserved = capacity_type.as_ref().is_some_and(admits);
                    let reservation = reservation_key
                        .and_then(|key| listed.get(key))
                        .and_then(|id| id.values.first().copied());
                    listed.remove(sets.vocabulary.hostname);
                    OfferingEntry {
                        requirements: sets.id(listed),
                        price: offering.price,
                        available: offering.available,
                        reserved,
                        reservation_capacity: offering.reservation_capacity,
                        reservation,
                        capacity_type,
                    }
                })
                .collect();
            table.has_reserved |= offerings.iter().any(|offering| offering.reserved);
            let first_slot = table.slots.len();
            table.slots.extend(slots(model, version, order));
            table.types.push(TypeEntry {
                model: Arc::clone(model),
                requirements,
                capacity: order.amounts(&model.capacity),
                offerings,
                first_slot,
                end_slot: table.slots.len(),
            });
        }
        table
    }

    /// Whether any offering is a reserved one.
    pub(super) fn has_reserved(&self) -> bool {
        self.has_reserved
    }

    pub(super) fn len(&self) -> usize {
        self.types.len()
    }

    /// What a set of requirements leaves.
    pub(super) fn mask(
        &mut self,
        requirements: SetId,
        sets: &mut RequirementSets,
    ) -> Arc<TypeMask> {
        if let Some(mask) = self.masks.get(&requirements) {
            return Arc::clone(mask);
        }
        let mut mask = TypeMask {
            compatible: Bits::none(self.types.len()),
            offered: Bits::none(self.slots.len()),
            possible: Bits::none(self.types.len()),
        };
        let asked = Arc::clone(sets.get(requirements));
        for (index, entry) in self.types.iter().enumerate() {
            let compatible = entry.requirements.intersects(&asked, &sets.vocabulary);
            if compatible {
                mask.compatible.insert(index);
            }
            for slot in entry.first_slot..entry.end_slot {
                let offered = self.slots[slot].offerings.iter().any(|offering| {
                    let offering = &entry.offerings[*offering];
                    sets.merge(requirements, offering.requirements, Undefined::WellKnown).is_some()
                });
                if offered {
                    mask.offered.insert(slot);
                    if compatible {
                        mask.possible.insert(index);
                    }
                }
            }
        }
        let mask = Arc::new(mask);
        self.masks.insert(requirements, Arc::clone(&mask));
        mask
    }

    /// Whether a type has an offering that leaves room for requests.
    pub(super) fn has_room(&self, index: usize, mask: &TypeMask, total: &Amounts) -> bool {
        let entry = &self.types[index];
        (entry.first_slot..entry.end_slot).any(|slot| {
            let slot_entry = &self.slots[slot];
            mask.offered.contains(slot)
                && !slot_entry.has_negative
                && total.is_within(&slot_entry.allocatable)
        })
    }

    /// Whether a type has any offering.
    pub(super) fn has_offering(&self, index: usize, mask: &TypeMask) -> bool {
        let entry = &self.types[index];
        (entry.first_slot..entry.end_slot).any(|slot| mask.offered.contains(slot))
    }

    /// The most room that any offering of a type leaves, resource by resource.
    pub(super) fn most_room(&self, index: usize) -> Amounts {
        let entry = &self.types[index];
        let mut most = Amounts::default();
        for slot in &self.slots[entry.first_slot..entry.end_slot] {
            most.raise_to(&slot.allocatable);
        }
        most
    }

    /// The lowest price of a type's launchable offerings that fit requirements.
    pub(super) fn price(
        &self,
        index: usize,
        requirements: SetId,
        launchable: impl Fn(&OfferingEntry) -> bool,
        sets: &mut RequirementSets,
    ) -> f64 {
        let mut price = f64::MAX;
        for offering in &self.types[index].offerings {
            let fits = launchable(offering)
                && sets.merge(requirements, offering.requirements, Undefined::WellKnown).is_some();
            if fits && offering.price < price {
                price = offering.price;
            }
        }
        price
    }

    /// For each `minValues` of requirements that the types do not meet: the key and how many values there are.
    pub(super) fn unmet_min_values(
        &self,
        remaining: &[usize],
        requirements: &Requirements,
        counts_only_admitted: bool,
        sets: &RequirementSets,
    ) -> Vec<(Key, i64)> {
        if remaining.is_empty() {
            return Vec::new();
        }
        let mut unmet = Vec::new();
        for (key, requirement) in requirements.iter() {
            let Some(wanted) = requirement.min_values else { continue };
            let mut values: Vec<Value> = Vec::new();
            for index in remaining {
                let Some(offered) = self.types[*index].requirements.get(*key) else { continue };
                let admitted = offered.values.iter().filter(|value| {
                    !counts_only_admitted || requirement.has(**value, &sets.vocabulary)
                });
                values.extend(admitted);
            }
            values.sort_unstable();
            values.dedup();
            let count = i64::try_from(values.len()).unwrap_or(i64::MAX);
            if count < wanted {
                unmet.push((*key, count));
            }
        }
        unmet
    }
}

/// What an offering changes of its type: capacity and overhead.
type Overrides<'a> = (Resources, Option<&'a Overhead>);

/// A type's room, by the offerings that share it: first those without overrides.
fn slots(model: &InstanceType, version: Version, order: &mut ResourceOrder) -> Vec<Slot> {
    let mut kinds: Vec<(Overrides<'_>, Vec<usize>)> = vec![((Resources::new(), None), Vec::new())];
    for (index, offering) in model.offerings.iter().enumerate() {
        if !offering.available {
            continue;
        }
        let overrides = if version.since(14, 0) {
            (offering.capacity_override.clone(), offering.overhead_override.as_ref())
        } else {
            (Resources::new(), None)
        };
        match kinds
            .iter_mut()
            .find(|(known, _)| known.0 == overrides.0 && same(known.1, overrides.1))
        {
            Some((_, offerings)) => offerings.push(index),
            None => kinds.push((overrides, vec![index])),
        }
    }
    kinds
        .into_iter()
        .map(|((capacity, overhead), offerings)| {
            let resources = allocatable(model, &capacity, overhead, version);
            let allocatable = order.amounts(&resources);
            Slot { has_negative: allocatable.has_negative(), allocatable, offerings }
        })
        .collect()
}

fn same(a: Option<&Overhead>, b: Option<&Overhead>) -> bool {
    let total = |overhead: Option<&Overhead>| overhead.map(total_overhead).unwrap_or_default();
    total(a) == total(b)
}

fn total_overhead(overhead: &Overhead) -> Resources {
    let mut total = overhead.kube_reserved.clone();
    total.add(&overhead.system_reserved);
    total.add(&overhead.eviction_threshold);
    total
}

/// What a type leaves to pods. As `InstanceType.Allocatable`.
pub(super) fn allocatable(
    model: &InstanceType,
    capacity_override: &Resources,
    overhead_override: Option<&Overhead>,
    version: Version,
) -> Resources {
    let mut capacity = model.capacity.clone();
    for (name, amount) in capacity_override {
        capacity.set(name.clone(), *amount);
    }
    let mut overhead = total_overhead(&model.overhead);
    for (name, amount) in &overhead_override.map(total_overhead).unwrap_or_default() {
        overhead.set(name.clone(), *amount);
    }
    let mut allocatable: Resources = capacity
        .iter()
        .map(|(name, amount)| (name.clone(), amount.minus(overhead.amount(name.as_str()))))
        .collect();
    if version.since(9, 0) {
        for (name, amount) in &capacity {
            if name.as_str().starts_with("hugepages-")
                && let Some(memory) = allocatable.get(MEMORY)
            {
                let rest = memory.minus(*amount);
                let rest = if rest.is_negative() { Quantity::ZERO } else { rest };
                allocatable.set(MEMORY.into(), rest);
            }
        }
    }
    allocatable
}

/// How many volumes of a driver a type may attach.
pub(super) fn attachment_limit(model: &InstanceType, driver: &Str) -> Option<i64> {
    let limits = &model.volume_attachment_limits;
    limits.iter().find(|(listed, _)| listed == driver).map(|(_, limit)| *limit)
}
