//! `Interner`: equal texts, labels and specs are kept once.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::model::affinity::Affinity;
use crate::model::labels::Labels;
use crate::model::meta::{Condition, Owner};
use crate::model::names::{ResourceName, Str};
use crate::model::pod::{ContainerPort, PodSpec};
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;
use crate::model::shared::{Common, Shared};
use crate::model::spread::TopologySpreadConstraint;
use crate::model::taint::Toleration;

use super::wire::{Amounts, Text, Texts};

/// Keeps one copy of what many objects share. Each thread has its own; what they keep is equal, so nothing shows.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    texts: FxHashSet<Str>,
    labels: FxHashSet<Labels>,
    specs: FxHashSet<(Notation, Arc<PodSpec>)>,
    resources: FxHashSet<(Notation, Resources)>,
    tolerations: FxHashSet<Shared<Toleration>>,
    ports: FxHashSet<Shared<ContainerPort>>,
    affinities: FxHashSet<Common<Affinity>>,
    spreads: FxHashSet<Shared<TopologySpreadConstraint>>,
    conditions: FxHashSet<Arc<[Condition]>>,
    owners: FxHashSet<Arc<[Owner]>>,
    /// How the amounts of the spec that is being read are written.
    notation: Notation,
}

/// How some amounts are written. Equal amounts may be written differently, and it must stay as it was: sums are written
/// as their first part is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Notation(u64);

impl Notation {
    fn and(self, amount: Quantity) -> Self {
        Self(self.0.wrapping_mul(31).wrapping_add(amount.format() as u64 + 1))
    }
}

impl Interner {
    /// Shared text, for what occurs often: keys, values, names of nodes and images.
    pub fn text(&mut self, text: &str) -> Str {
        if let Some(kept) = self.texts.get(text) {
            return kept.clone();
        }
        let kept = Str::from(text);
        self.texts.insert(kept.clone());
        kept
    }

    /// Shared text, where there is any.
    pub fn some(&mut self, text: &Text<'_>) -> Option<Str> {
        (!text.is_empty()).then(|| self.text(text.as_str()))
    }

    /// Shared texts.
    pub fn texts(&mut self, texts: &[Text<'_>]) -> Vec<Str> {
        texts.iter().map(|text| self.text(text.as_str())).collect()
    }

    /// Shared labels.
    pub fn labels(&mut self, pairs: &Texts<'_>) -> Labels {
        self.labels_where(pairs, |_| true)
    }

    /// Shared labels, only those whose key is wanted.
    pub fn labels_where(&mut self, pairs: &Texts<'_>, wanted: impl Fn(&str) -> bool) -> Labels {
        let labels: Labels = pairs
            .0
            .iter()
            .filter(|(key, _)| wanted(key.as_str()))
            .map(|(key, value)| (self.text(key.as_str()), self.text(value.as_str())))
            .collect();
        shared(&mut self.labels, labels)
    }

    /// Amounts, rounded up to a thousandth as the API server stores them.
    pub fn resources(&mut self, amounts: &Amounts<'_>) -> Resources {
        if amounts.0.is_empty() {
            return Resources::new();
        }
        let rounded = |amount: &Quantity| amount.rounded_to_milli();
        let list: Resources = amounts
            .0
            .iter()
            .map(|(name, amount)| (self.resource_name(name), rounded(amount)))
            .collect();
        self.shared_resources(list)
    }

    /// Amounts, kept once.
    pub fn shared_resources(&mut self, list: Resources) -> Resources {
        let notation =
            list.iter().fold(Notation::default(), |so_far, (_, amount)| so_far.and(*amount));
        for (_, amount) in &list {
            self.amount(*amount);
        }
        shared(&mut self.resources, (notation, list.shared())).1
    }

    /// Notes how an amount of the spec that is being read is written.
    pub fn amount(&mut self, amount: Quantity) {
        self.notation = self.notation.and(amount);
    }

    /// Begins a spec.
    pub fn begin_spec(&mut self) {
        self.notation = Notation::default();
    }

    /// Shared tolerations.
    pub fn tolerations(&mut self, list: Vec<Toleration>) -> Shared<Toleration> {
        if list.is_empty() { Shared::default() } else { shared(&mut self.tolerations, list.into()) }
    }

    /// Shared ports.
    pub fn ports(&mut self, list: Vec<ContainerPort>) -> Shared<ContainerPort> {
        if list.is_empty() { Shared::default() } else { shared(&mut self.ports, list.into()) }
    }

    /// A shared affinity: most pods have none.
    pub fn affinity(&mut self, affinity: Affinity) -> Common<Affinity> {
        if let Some(kept) = self.affinities.get(&affinity) {
            return kept.clone();
        }
        let affinity = Common::from(affinity);
        self.affinities.insert(affinity.clone());
        affinity
    }

    /// Shared spread constraints.
    pub fn spread(
        &mut self,
        list: Vec<TopologySpreadConstraint>,
    ) -> Shared<TopologySpreadConstraint> {
        if list.is_empty() { Shared::default() } else { shared(&mut self.spreads, list.into()) }
    }

    /// The name of a resource.
    pub fn resource_name(&mut self, name: &Text<'_>) -> ResourceName {
        ResourceName(self.text(name.as_str()))
    }

    /// A shared spec: the one that was read since [`Self::begin_spec`].
    pub fn spec(&mut self, spec: PodSpec) -> Arc<PodSpec> {
        shared(&mut self.specs, (self.notation, Arc::new(spec))).1
    }

    /// Shared conditions.
    pub fn conditions(&mut self, conditions: Vec<Condition>) -> Arc<[Condition]> {
        shared_slice(&mut self.conditions, conditions)
    }

    /// Shared owners.
    pub fn owners(&mut self, owners: Vec<Owner>) -> Arc<[Owner]> {
        shared_slice(&mut self.owners, owners)
    }
}

fn shared<T: Clone + Eq + Hash>(kept: &mut FxHashSet<T>, value: T) -> T {
    if let Some(kept) = kept.get(&value) {
        return kept.clone();
    }
    kept.insert(value.clone());
    value
}

fn shared_slice<T: Eq + Hash>(kept: &mut FxHashSet<Arc<[T]>>, list: Vec<T>) -> Arc<[T]> {
    if let Some(kept) = kept.get(list.as_slice()) {
        return kept.clone();
    }
    let list: Arc<[T]> = list.into();
    kept.insert(list.clone());
    list
}
