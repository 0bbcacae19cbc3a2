//! `Resources`: amounts by resource name.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

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
#[derive(Clone)]
pub struct Resources(List);

/// The list itself: equal ones that were read are kept once.
#[derive(Clone)]
enum List {
    Own(Vec<(ResourceName, Quantity)>),
    Shared(Arc<[(ResourceName, Quantity)]>),
}

impl Resources {
    /// No resource listed.
    pub const fn new() -> Self {
        Self(List::Own(Vec::new()))
    }

    /// The amount of a listed resource.
    pub fn get(&self, name: &str) -> Option<Quantity> {
        self.position(name).ok().map(|index| self.list()[index].1)
    }

    /// The amount of a resource; zero when it is not listed.
    pub fn amount(&self, name: &str) -> Quantity {
        self.get(name).unwrap_or_default()
    }

    /// Sets an amount.
    pub fn set(&mut self, name: ResourceName, amount: Quantity) {
        match self.position(name.as_str()) {
            Ok(index) => self.own()[index].1 = amount,
            Err(index) => self.own().insert(index, (name, amount)),
        }
    }

    /// Takes a resource off the list.
    pub fn remove(&mut self, name: &str) -> Option<Quantity> {
        self.position(name).ok().map(|index| self.own().remove(index).1)
    }

    /// Adds every amount of another list.
    pub fn add(&mut self, other: &Self) {
        for (name, amount) in other {
            match self.position(name.as_str()) {
                Ok(index) => {
                    let own = self.own();
                    own[index].1 = own[index].1.plus(*amount);
                }
                Err(index) => self.own().insert(index, (name.clone(), *amount)),
            }
        }
    }

    /// Subtracts every amount of another list; the result may be negative, also for names that only the other lists.
    pub fn subtract(&mut self, other: &Self) {
        for (name, amount) in other {
            match self.position(name.as_str()) {
                Ok(index) => {
                    let own = self.own();
                    own[index].1 = own[index].1.minus(*amount);
                }
                Err(index) => {
                    self.own().insert(index, (name.clone(), Quantity::ZERO.minus(*amount)));
                }
            }
        }
    }

    /// Raises each amount to that of another list where that is larger.
    pub fn raise_to(&mut self, other: &Self) {
        for (name, amount) in other {
            match self.position(name.as_str()) {
                Ok(index) => {
                    if *amount > self.list()[index].1 {
                        self.own()[index].1 = *amount;
                    }
                }
                Err(index) => self.own().insert(index, (name.clone(), *amount)),
            }
        }
    }

    /// The listed resources in the order of their names.
    pub fn iter(&self) -> std::slice::Iter<'_, (ResourceName, Quantity)> {
        self.list().iter()
    }

    /// How many resources are listed.
    pub fn len(&self) -> usize {
        self.list().len()
    }

    /// Whether no resource is listed.
    pub fn is_empty(&self) -> bool {
        self.list().is_empty()
    }

    /// The same amounts, in a list that clones share.
    #[must_use]
    pub(crate) fn shared(self) -> Self {
        match self.0 {
            List::Own(list) => Self(List::Shared(list.into())),
            List::Shared(_) => self,
        }
    }

    /// Where the list is kept: equal for lists that are shared.
    pub(crate) fn address(&self) -> usize {
        self.list().as_ptr().addr()
    }

    fn list(&self) -> &[(ResourceName, Quantity)] {
        match &self.0 {
            List::Own(list) => list,
            List::Shared(list) => list,
        }
    }

    /// The list, made its own before it is changed.
    fn own(&mut self) -> &mut Vec<(ResourceName, Quantity)> {
        if let List::Shared(list) = &self.0 {
            self.0 = List::Own(list.to_vec());
        }
        match &mut self.0 {
            List::Own(list) => list,
            List::Shared(_) => unreachable!("it was made its own above"),
        }
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.list().binary_search_by(|(listed, _)| listed.as_str().cmp(name))
    }
}

impl Default for Resources {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(name, amount)| (name, amount))).finish()
    }
}

impl PartialEq for Resources {
    fn eq(&self, other: &Self) -> bool {
        self.list() == other.list()
    }
}

impl Eq for Resources {}

impl Hash for Resources {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.list().hash(state);
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
        self.list().iter()
    }
}

/// Written `cpu=2, memory=4Gi`.
impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, amount)) in self.list().iter().enumerate() {
            write!(f, "{}{name}={amount}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Serialize for Resources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.list().iter().map(|(name, amount)| (name, amount)))
    }
}

impl<'de> Deserialize<'de> for Resources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let amounts = std::collections::BTreeMap::<String, Quantity>::deserialize(deserializer)?;
        Ok(amounts.into_iter().map(|(name, amount)| (ResourceName::from(name), amount)).collect())
    }
}
