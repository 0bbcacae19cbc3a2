//! `Resources`: amounts by resource name.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::names::ResourceName;
use super::quantity::Quantity;

/// The resource `cpu`.
pub const CPU: &str = "cpu";
/// The resource `memory`.
pub const MEMORY: &str = "memory";
/// The resource `ephemeral-storage`.
pub const EPHEMERAL_STORAGE: &str = "ephemeral-storage";
/// The resource `pods`: how many pods a node may hold.
pub const PODS: &str = "pods";

/// Amounts by name, in the order of the names. A name that is not listed differs from one with a zero: upstream looks
/// at presence in several places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Resources(Vec<(ResourceName, Quantity)>);

impl Resources {
    /// No resource listed.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The amount of a listed resource.
    pub fn get(&self, name: &str) -> Option<Quantity> {
        self.position(name).ok().map(|index| self.0[index].1)
    }

    /// The amount of a resource; zero when it is not listed.
    pub fn amount(&self, name: &str) -> Quantity {
        self.get(name).unwrap_or_default()
    }

    /// Sets an amount.
    pub fn set(&mut self, name: ResourceName, amount: Quantity) {
        match self.position(name.as_str()) {
            Ok(index) => self.0[index].1 = amount,
            Err(index) => self.0.insert(index, (name, amount)),
        }
    }

    /// Takes a resource off the list.
    pub fn remove(&mut self, name: &str) -> Option<Quantity> {
        self.position(name).ok().map(|index| self.0.remove(index).1)
    }

    /// Adds every amount of another list.
    pub fn add(&mut self, other: &Self) {
        for (name, amount) in other {
            match self.position(name.as_str()) {
                Ok(index) => self.0[index].1 = self.0[index].1.plus(*amount),
                Err(index) => self.0.insert(index, (name.clone(), *amount)),
            }
        }
    }

    /// Subtracts every amount of another list; the result may be negative, also for names that only the other lists.
    pub fn subtract(&mut self, other: &Self) {
        for (name, amount) in other {
            match self.position(name.as_str()) {
                Ok(index) => self.0[index].1 = self.0[index].1.minus(*amount),
                Err(index) => self.0.insert(index, (name.clone(), Quantity::ZERO.minus(*amount))),
            }
        }
    }

    /// Raises each amount to that of another list where that is larger.
    pub fn raise_to(&mut self, other: &Self) {
        for (name, amount) in other {
            match self.position(name.as_str()) {
                Ok(index) => {
                    if *amount > self.0[index].1 {
                        self.0[index].1 = *amount;
                    }
                }
                Err(index) => self.0.insert(index, (name.clone(), *amount)),
            }
        }
    }

    /// The listed resources in the order of their names.
    pub fn iter(&self) -> std::slice::Iter<'_, (ResourceName, Quantity)> {
        self.0.iter()
    }

    /// How many resources are listed.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no resource is listed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(listed, _)| listed.as_str().cmp(name))
    }
}

impl FromIterator<(ResourceName, Quantity)> for Resources {
    fn from_iter<I: IntoIterator<Item = (ResourceName, Quantity)>>(amounts: I) -> Self {
        let mut resources = Self::new();
        for (name, amount) in amounts {
            resources.set(name, amount);
        }
        resources
    }
}

impl<'a> IntoIterator for &'a Resources {
    type Item = &'a (ResourceName, Quantity);
    type IntoIter = std::slice::Iter<'a, (ResourceName, Quantity)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Written `cpu=2, memory=4Gi`.
impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, amount)) in self.0.iter().enumerate() {
            write!(f, "{}{name}={amount}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Serialize for Resources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, amount)| (name, amount)))
    }
}

impl<'de> Deserialize<'de> for Resources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let amounts = std::collections::BTreeMap::<String, Quantity>::deserialize(deserializer)?;
        Ok(amounts.into_iter().map(|(name, amount)| (ResourceName::from(name), amount)).collect())
    }
}
