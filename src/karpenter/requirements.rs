//! `Requirements`: what a set of label keys may be. Equal sets are one number, so that what was once compared is known.
//!
//! `kubernetes.io/hostname` is kept apart from the sets: it is the one key in which all nodes and claims differ.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use crate::model::labels::Labels;
use crate::model::nodepool::NodeRequirement;
use crate::model::selector::Expression;

use super::refusal::Mismatch;
use super::requirement::Requirement;
use super::vocabulary::{Key, Value, Vocabulary};

/// Requirements by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Requirements(Vec<(Key, Requirement)>);

impl Requirements {
    pub(super) fn get(&self, key: Key) -> Option<&Requirement> {
        self.0.binary_search_by_key(&key, |(listed, _)| *listed).ok().map(|index| &self.0[index].1)
    }

    /// Adds a requirement; one that is there already is narrowed.
    pub(super) fn add(&mut self, key: Key, requirement: Requirement, vocabulary: &Vocabulary) {
        match self.0.binary_search_by_key(&key, |(listed, _)| *listed) {
            Ok(index) => {
                let there = &mut self.0[index].1;
                *there = requirement.intersection(there, vocabulary);
            }
            Err(index) => self.0.insert(index, (key, requirement)),
        }
    }

    /// Puts a requirement in place of what is there.
    pub(super) fn replace(&mut self, key: Key, requirement: Requirement) {
        match self.0.binary_search_by_key(&key, |(listed, _)| *listed) {
            Ok(index) => self.0[index].1 = requirement,
            Err(index) => self.0.insert(index, (key, requirement)),
        }
    }

    pub(super) fn remove(&mut self, key: Key) -> Option<Requirement> {
        let found = self.0.binary_search_by_key(&key, |(listed, _)| *listed);
        found.ok().map(|index| self.0.remove(index).1)
    }

    pub(super) fn add_all(&mut self, other: &Self, vocabulary: &Vocabulary) {
        for (key, requirement) in &other.0 {
            self.add(*key, requirement.clone(), vocabulary);
        }
    }

    pub(super) fn add_labels(&mut self, labels: &Labels, vocabulary: &mut Vocabulary) {
        for (key, value) in labels {
            let key = vocabulary.key(key);
            let requirement = Requirement::one(vocabulary.value(value));
            self.add(key, requirement, vocabulary);
        }
    }

    pub(super) fn add_expressions(
        &mut self,
        expressions: &[Expression],
        vocabulary: &mut Vocabulary,
    ) {
        for expression in expressions {
            let key = vocabulary.key(&expression.key);
            let requirement =
                Requirement::read(&expression.operator, &expression.values, None, vocabulary);
            self.add(key, requirement, vocabulary);
        }
    }

    pub(super) fn add_listed(&mut self, listed: &[NodeRequirement], vocabulary: &mut Vocabulary) {
        for entry in listed {
            let key = vocabulary.key(&entry.key);
            let requirement =
                Requirement::read(&entry.operator, &entry.values, entry.min_values, vocabulary);
            self.add(key, requirement, vocabulary);
        }
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, (Key, Requirement)> {
        self.0.iter()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = Key> {
        self.0.iter().map(|(key, _)| *key)
    }

    /// In upstream's notation; the hostname is left out.
    pub(super) fn print(&self, vocabulary: &Vocabulary) -> String {
        let mut each: Vec<String> = self
            .0
            .iter()
            .filter(|(key, _)| *key != vocabulary.hostname)
            .map(|(key, requirement)| requirement.print(vocabulary.key_text(*key), vocabulary))
            .collect();
        each.sort_unstable();
        each.join(", ")
    }

    /// Whether no key that both have is without a common value. As `Requirements.Intersects`.
    pub(super) fn intersects(&self, other: &Self, vocabulary: &Vocabulary) -> bool {
        let (fewer, more) =
            if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        fewer.0.iter().all(|(key, requirement)| {
            more.get(*key).is_none_or(|there| is_common(there, requirement, vocabulary))
        })
    }

    /// Whether `incoming` can be demanded of what this describes. As `Requirements.Compatible`.
    pub(super) fn is_compatible(
        &self,
        incoming: &Self,
        undefined: Undefined,
        vocabulary: &Vocabulary,
    ) -> bool {
        incoming.0.iter().all(|(key, requirement)| match self.get(*key) {
            Some(there) => is_common(there, requirement, vocabulary),
            None => is_allowed(*key, requirement, undefined, vocabulary),
        })
    }

    /// What stands against `incoming`, in the order of the keys' names; an undefined key is told alone.
    pub(super) fn mismatches(
        &self,
        incoming: &Self,
        undefined: Undefined,
        vocabulary: &Vocabulary,
    ) -> Vec<Mismatch> {
        let missing = incoming
            .0
            .iter()
            .filter(|(key, requirement)| {
                self.get(*key).is_none() && !is_allowed(*key, requirement, undefined, vocabulary)
            })
            .map(|(key, _)| vocabulary.key_text(*key))
            .min();
        if let Some(key) = missing {
            return vec![Mismatch::Undefined { key: key.clone() }];
        }
        let mut disjoint: Vec<Mismatch> = incoming
            .0
            .iter()
            .filter_map(|(key, requirement)| {
                let there = self.get(*key)?;
                (!is_common(there, requirement, vocabulary))
                    .then(|| disjoint(*key, requirement, there, vocabulary))
            })
            .collect();
        disjoint.sort_by(|a, b| a.key().cmp(b.key()));
        disjoint
    }
}

/// A key without a common value.
pub(super) fn disjoint(
    key: Key,
    wanted: &Requirement,
    there: &Requirement,
    vocabulary: &Vocabulary,
) -> Mismatch {
    let name = vocabulary.key_text(key);
    Mismatch::Disjoint {
        key: name.clone(),
        wanted: wanted.print(name, vocabulary),
        there: there.print(name, vocabulary),
    }
}

/// Whether two requirements of one key go together: a common value, or both are met by the key's absence.
fn is_common(there: &Requirement, incoming: &Requirement, vocabulary: &Vocabulary) -> bool {
    there.intersects(incoming, vocabulary) || (there.allows_absence() && incoming.allows_absence())
}

fn is_allowed(
    key: Key,
    requirement: &Requirement,
    undefined: Undefined,
    vocabulary: &Vocabulary,
) -> bool {
    requirement.allows_absence()
        || (undefined == Undefined::WellKnown && vocabulary.is_well_known(key))
}

/// Which keys may be demanded though they are not defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Undefined {
    /// None: of nodes that exist.
    Nothing,
    /// Well-known ones: of claims, which the provider labels.
    WellKnown,
}

/// A set of requirements by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SetId(u32);

/// A set without, and a requirement of, the hostname.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Demand {
    /// All keys but the hostname.
    pub(super) set: SetId,
    /// The hostname, where it is asked for.
    pub(super) host: Option<Requirement>,
}

impl Demand {
    /// Whether a host of this name is allowed.
    pub(super) fn allows_host(&self, host: Value, vocabulary: &Vocabulary) -> bool {
        self.host.as_ref().is_none_or(|required| required.has(host, vocabulary))
    }
}

/// All sets of one pass, and what became of comparing them.
#[derive(Debug)]
pub(super) struct RequirementSets {
    pub(super) vocabulary: Vocabulary,
    sets: Vec<Arc<Requirements>>,
    ids: FxHashMap<Arc<Requirements>, SetId>,
    merged: FxHashMap<(SetId, SetId, Undefined), Option<SetId>>,
    by_labels: FxHashMap<Box<[(Key, Value)]>, SetId>,
}

impl RequirementSets {
    /// The set without any requirement.
    pub(super) const NONE: SetId = SetId(0);

    pub(super) fn new(vocabulary: Vocabulary) -> Self {
        let mut sets = Self {
            vocabulary,
            sets: Vec::new(),
            ids: FxHashMap::default(),
            merged: FxHashMap::default(),
            by_labels: FxHashMap::default(),
        };
        sets.id(Requirements::default());
        sets
    }

    /// The number of a set; it must not have the hostname.
    pub(super) fn id(&mut self, requirements: Requirements) -> SetId {
        if let Some(id) = self.ids.get(&requirements) {
            return *id;
        }
        let id = SetId(u32::try_from(self.sets.len()).unwrap_or(u32::MAX));
        let shared = Arc::new(requirements);
        self.sets.push(Arc::clone(&shared));
        self.ids.insert(shared, id);
        id
    }

    /// The set and the hostname of requirements.
    pub(super) fn demand(&mut self, mut requirements: Requirements) -> Demand {
        let host = requirements.remove(self.vocabulary.hostname);
        Demand { set: self.id(requirements), host }
    }

    /// The set and the hostname of a node's labels. Nodes differ in little else than the hostname, so that most sets
    /// are known by their numbers alone.
    pub(super) fn of_labels(&mut self, labels: &Labels) -> (SetId, Option<Value>) {
        let hostname = self.vocabulary.hostname;
        let mut host = None;
        let mut pairs: Vec<(Key, Value)> = Vec::with_capacity(labels.len());
        for (key, value) in labels {
            let (key, value) = (self.vocabulary.key(key), self.vocabulary.value(value));
            if key == hostname {
                host = Some(value);
            } else {
                pairs.push((key, value));
            }
        }
        pairs.sort_unstable();
        if let Some(known) = self.by_labels.get(&pairs[..]) {
            return (*known, host);
        }
        let mut requirements = Requirements::default();
        for (key, value) in &pairs {
            requirements.add(*key, Requirement::one(*value), &self.vocabulary);
        }
        let set = self.id(requirements);
        self.by_labels.insert(pairs.into(), set);
        (set, host)
    }

    pub(super) fn get(&self, id: SetId) -> &Arc<Requirements> {
        &self.sets[id.0 as usize]
    }

    /// `existing` narrowed by `incoming`; `None` where the two are not compatible.
    pub(super) fn merge(
        &mut self,
        existing: SetId,
        incoming: SetId,
        undefined: Undefined,
    ) -> Option<SetId> {
        if incoming == Self::NONE {
            return Some(existing);
        }
        if let Some(known) = self.merged.get(&(existing, incoming, undefined)) {
            return *known;
        }
        let (there, wanted) = (self.get(existing).clone(), self.get(incoming).clone());
        let merged = there.is_compatible(&wanted, undefined, &self.vocabulary).then(|| {
            let mut both = (*there).clone();
            both.add_all(&wanted, &self.vocabulary);
            self.id(both)
        });
        self.merged.insert((existing, incoming, undefined), merged);
        merged
    }
}
