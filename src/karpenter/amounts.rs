//! `Amounts`: resources as plain numbers in a fixed order, for comparisons that are made very often.

use crate::model::names::ResourceName;
use crate::model::quantity::{Format, Quantity};
use crate::model::resources::{EPHEMERAL_STORAGE, MEMORY, Resources};

/// The order of the resources of one pass.
#[derive(Debug, Default)]
pub(super) struct ResourceOrder {
    names: Vec<ResourceName>,
}

impl ResourceOrder {
    pub(super) fn index(&mut self, name: &ResourceName) -> usize {
        if let Some(index) = self.names.iter().position(|known| known == name) {
            return index;
        }
        self.names.push(name.clone());
        self.names.len() - 1
    }

    pub(super) fn name(&self, index: usize) -> &ResourceName {
        &self.names[index]
    }

    /// An amount as a quantity in the resource's usual notation.
    pub(super) fn quantity(&self, index: usize, nanos: i128) -> Quantity {
        let binary = matches!(self.names[index].as_str(), MEMORY | EPHEMERAL_STORAGE)
            || self.names[index].as_str().starts_with("hugepages-");
        let format = if binary { Format::BinarySi } else { Format::DecimalSi };
        Quantity::from_nanos(nanos).in_format(format)
    }

    pub(super) fn amounts(&mut self, resources: &Resources) -> Amounts {
        let mut amounts = Amounts::default();
        for (name, amount) in resources {
            let index = self.index(name);
            *amounts.at(index) = amount.nanos();
        }
        amounts
    }
}

/// Amounts in billionths by the resource's place in the order; what is not there is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Amounts(Vec<i128>);

impl Amounts {
    pub(super) fn get(&self, index: usize) -> i128 {
        self.0.get(index).copied().unwrap_or(0)
    }

    /// Nothing of anything.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn at(&mut self, index: usize) -> &mut i128 {
        if index >= self.0.len() {
            self.0.resize(index + 1, 0);
        }
        &mut self.0[index]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, i128)> {
        self.0.iter().copied().enumerate()
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (index, amount) in other.iter() {
            *self.at(index) += amount;
        }
    }

    pub(super) fn subtract(&mut self, other: &Self) {
        for (index, amount) in other.iter() {
            *self.at(index) -= amount;
        }
    }

    /// Adds an amount of one resource.
    pub(super) fn raise(&mut self, index: usize, amount: i128) {
        *self.at(index) += amount;
    }

    /// Takes off an amount of one resource.
    pub(super) fn lower(&mut self, index: usize, amount: i128) {
        *self.at(index) -= amount;
    }

    pub(super) fn raise_to(&mut self, other: &Self) {
        for (index, amount) in other.iter() {
            let there = self.at(index);
            *there = (*there).max(amount);
        }
    }

    pub(super) fn has_negative(&self) -> bool {
        self.0.iter().any(|amount| *amount < 0)
    }

    /// Whether each amount is at most that of `room`.
    pub(super) fn is_within(&self, room: &Self) -> bool {
        self.iter().all(|(index, amount)| amount <= room.get(index))
    }
}
