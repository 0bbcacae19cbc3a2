//! `Interner`: equal texts, labels and specs are kept once.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::model::affinity::Affinity;
use crate::model::labels::Labels;
use crate::model::meta::{Condition, ManagedField, Owner};
use crate::model::names::{ResourceName, Str};
use crate::model::pod::{Container, ContainerPort, PodSpec};
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
    labels: FxHashSet<ByParts<Labels>>,
    specs: FxHashSet<ByParts<(Notation, Arc<PodSpec>)>>,
    resources: FxHashSet<(Notation, Resources)>,
    tolerations: FxHashSet<Shared<Toleration>>,
    ports: FxHashSet<Shared<ContainerPort>>,
    affinities: FxHashSet<Common<Affinity>>,
    spreads: FxHashSet<Shared<TopologySpreadConstraint>>,
    conditions: FxHashSet<ByParts<Arc<[Condition]>>>,
    managed: FxHashSet<Arc<[ManagedField]>>,
    paths: FxHashSet<Arc<[Str]>>,
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
        if labels.is_empty() { labels } else { shared(&mut self.labels, ByParts(labels)).0 }
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
        shared(&mut self.specs, ByParts((self.notation, Arc::new(spec)))).0.1
    }

    /// Shared conditions.
    pub fn conditions(&mut self, conditions: Vec<Condition>) -> Arc<[Condition]> {
        if conditions.is_empty() {
            return Arc::default();
        }
        shared(&mut self.conditions, ByParts(conditions.into())).0
    }

    /// Shared managed fields.
    pub fn managed(&mut self, managed: Vec<ManagedField>) -> Arc<[ManagedField]> {
        shared_slice(&mut self.managed, managed)
    }

    /// Shared paths of managed fields.
    pub fn paths(&mut self, paths: &[Cow<'static, str>]) -> Arc<[Str]> {
        let paths = paths.iter().map(|path| self.text(path)).collect();
        shared_slice(&mut self.paths, paths)
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
    if list.is_empty() {
        return Arc::default();
    }
    if let Some(kept) = kept.get(list.as_slice()) {
        return kept.clone();
    }
    let list: Arc<[T]> = list.into();
    kept.insert(list.clone());
    list
}

/// Something that is made of parts which the interner keeps: what is equal has the same parts at the same place. Their
/// places are hashed and not the texts, which takes a fraction of the time. At worst something is kept twice.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ByParts<T>(T);

impl<T: Parts> Hash for ByParts<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash_parts(state);
    }
}

trait Parts {
    fn hash_parts<H: Hasher>(&self, state: &mut H);
}

impl Parts for Str {
    fn hash_parts<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.as_ptr().addr());
    }
}

impl Parts for Option<Str> {
    fn hash_parts<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.as_ref().map_or(0, |text| text.as_ptr().addr()));
    }
}

impl Parts for Labels {
    fn hash_parts<H: Hasher>(&self, state: &mut H) {
        for (key, value) in self {
            key.hash_parts(state);
            value.hash_parts(state);
        }
    }
}

impl Parts for Arc<[Condition]> {
    fn hash_parts<H: Hasher>(&self, state: &mut H) {
        for condition in &**self {
            let texts = [&condition.kind, &condition.status, &condition.reason, &condition.message];
            for text in &texts {
                text.hash_parts(state);
            }
            condition.changed.hash(state);
        }
    }
}

impl Parts for Container {
    fn hash_parts<H: Hasher>(&self, state: &mut H) {
        self.name.hash_parts(state);
        self.image.hash_parts(state);
        let lists = [self.requests.address(), self.limits.address(), self.ports.as_ptr().addr()];
        for list in lists {
            state.write_usize(list);
        }
    }
}

impl Parts for (Notation, Arc<PodSpec>) {
    fn hash_parts<H: Hasher>(&self, state: &mut H) {
        let (notation, spec) = self;
        notation.hash(state);
        spec.priority.hash(state);
        let lists = [
            spec.node_selector.address(),
            std::ptr::from_ref(&*spec.affinity).addr(),
            spec.tolerations.as_ptr().addr(),
            spec.topology_spread_constraints.as_ptr().addr(),
        ];
        for list in lists {
            state.write_usize(list);
        }
        for container in spec.containers.iter().chain(&spec.init_containers) {
            container.hash_parts(state);
        }
        spec.volumes.hash(state);
        spec.resource_claims.hash(state);
    }
}
