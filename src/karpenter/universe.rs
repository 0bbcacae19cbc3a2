//! `Universe`: every domain that the NodePools could ever launch into. As `buildDomainGroups`.

use rustc_hash::FxHashMap;

use super::requirement::Shape;
use super::requirements::{RequirementSets, Requirements};
use super::taints::{TaintTable, TaintsId, TolerationsId};
use super::vocabulary::{Key, Value};

/// By key and value: the taints of the pools that have it.
#[derive(Debug, Default)]
pub(super) struct Universe {
    domains: FxHashMap<Key, FxHashMap<Value, Vec<TaintsId>>>,
}

impl Universe {
    fn insert(&mut self, key: Key, value: Value, taints: TaintsId) {
        let known = self.domains.entry(key).or_default().entry(value).or_default();
        if !known.contains(&taints) {
            known.push(taints);
        }
    }

    /// Adds what one pool may launch: its own requirements, and those with each of its types.
    pub(super) fn add_pool<'a>(
        &mut self,
        pool: &Requirements,
        types: impl Iterator<Item = &'a Requirements>,
        taints: TaintsId,
        sets: &RequirementSets,
    ) {
        for of_type in types {
            for (key, requirement) in of_type.iter() {
                // Of both, upstream takes the stored values, those that are excluded too.
                let stored = match pool.get(*key) {
                    Some(own) => requirement.intersection(own, &sets.vocabulary).values,
                    None => requirement.values.clone(),
                };
                for value in stored {
                    self.insert(*key, value, taints);
                }
            }
            for (key, requirement) in pool.iter().filter(|(key, _)| of_type.get(*key).is_none()) {
                for value in &requirement.values {
                    self.insert(*key, *value, taints);
                }
            }
        }
        for (key, requirement) in pool.iter() {
            if requirement.shape() == Shape::In {
                for value in &requirement.values {
                    self.insert(*key, *value, taints);
                }
            }
        }
    }

    /// The values of a key, in a fixed order; with `seed`, only those of pools whose taints it tolerates.
    pub(super) fn values(
        &self,
        key: Key,
        seed: Option<TolerationsId>,
        taints: &mut TaintTable,
    ) -> Vec<Value> {
        let Some(values) = self.domains.get(&key) else { return Vec::new() };
        let mut reachable = |pools: &[TaintsId]| {
            seed.is_none_or(|seed| pools.iter().any(|pool| taints.tolerates(seed, *pool)))
        };
        let known = values.iter().filter(|(_, pools)| reachable(pools));
        let mut known: Vec<Value> = known.map(|(value, _)| *value).collect();
        known.sort_unstable();
        known
    }
}
