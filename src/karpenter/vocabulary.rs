//! `Vocabulary`: label keys and values as small numbers, so that comparing them costs nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::labels;
use crate::model::names::Str;

use super::version::Version;

/// A label key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(u32);

/// A label value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Value(u32);

/// All keys and values of one pass. Deprecated keys are their modern ones.
#[derive(Debug)]
pub(super) struct Vocabulary {
    keys: Interner,
    values: Interner,
    numbers: Vec<Option<i64>>,
    well_known: FxHashSet<Key>,
    /// `kubernetes.io/hostname`.
    pub(super) hostname: Key,
    /// `karpenter.sh/capacity-type`.
    pub(super) capacity_type: Key,
    /// `karpenter.sh/nodepool`.
    pub(super) node_pool: Key,
    /// `reserved`.
    pub(super) reserved: Value,
    /// Bounds are compared as exclusive ones, as before 1.9.
    pub(super) exclusive_bounds: bool,
}

/// Label keys that core itself knows.
pub(crate) const WELL_KNOWN: [&str; 8] = [
    labels::NODEPOOL,
    labels::CAPACITY_TYPE,
    labels::ZONE,
    labels::REGION,
    labels::INSTANCE_TYPE,
    labels::ARCH,
    labels::OS,
    "node.kubernetes.io/windows-build",
];

/// The modern form of a label key.
pub(super) fn modern_key(key: &str) -> &str {
    match key {
        labels::ZONE_BETA => labels::ZONE,
        labels::REGION_BETA => labels::REGION,
        "beta.kubernetes.io/arch" => labels::ARCH,
        "beta.kubernetes.io/os" => labels::OS,
        "beta.kubernetes.io/instance-type" => labels::INSTANCE_TYPE,
        other => other,
    }
}

impl Vocabulary {
    pub(super) fn new(version: Version, provider_keys: &[Str]) -> Self {
        let (mut keys, mut values) = (Interner::default(), Interner::default());
        let hostname = Key(keys.id(labels::HOSTNAME));
        let capacity_type = Key(keys.id(labels::CAPACITY_TYPE));
        let node_pool = Key(keys.id(labels::NODEPOOL));
        let reserved = Value(values.id("reserved"));
        let mut vocabulary = Self {
            keys,
            values,
            numbers: vec![None],
            well_known: FxHashSet::default(),
            hostname,
            capacity_type,
            node_pool,
            reserved,
            exclusive_bounds: !version.since(9, 0),
        };
        let provided = provider_keys.iter().map(|key| &**key);
        for key in WELL_KNOWN.into_iter().chain(provided) {
            let key = vocabulary.key(key);
            vocabulary.well_known.insert(key);
        }
        vocabulary
    }

    /// The key of a text.
    pub(super) fn key(&mut self, text: &str) -> Key {
        Key(self.keys.id(modern_key(text)))
    }

    /// The value of a text.
    pub(super) fn value(&mut self, text: &str) -> Value {
        let id = self.values.id(text);
        if id as usize == self.numbers.len() {
            self.numbers.push(text.parse().ok());
        }
        Value(id)
    }

    pub(super) fn key_text(&self, key: Key) -> &Str {
        &self.keys.texts[key.0 as usize]
    }

    pub(super) fn value_text(&self, value: Value) -> &Str {
        &self.values.texts[value.0 as usize]
    }

    /// The value as an integer, where it is one.
    pub(super) fn number(&self, value: Value) -> Option<i64> {
        self.numbers[value.0 as usize]
    }

    pub(super) fn is_well_known(&self, key: Key) -> bool {
        self.well_known.contains(&key)
    }
}

#[derive(Debug, Default)]
struct Interner {
    ids: FxHashMap<Str, u32>,
    texts: Vec<Str>,
}

impl Interner {
    fn id(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let text = Str::from(text);
        self.texts.push(text.clone());
        self.ids.insert(text, id);
        id
    }
}
