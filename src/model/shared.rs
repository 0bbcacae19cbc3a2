//! `Shared` and `Common`: a list, and a value, that equal owners keep once.

use std::borrow::Borrow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A list that is shared: cloning copies a pointer, changing it makes a list of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shared<T>(Arc<[T]>);

impl<T: Clone> Shared<T> {
    /// Adds an element.
    pub fn push(&mut self, element: T) {
        self.0 = self.0.iter().cloned().chain([element]).collect();
    }

    /// Changes the list.
    pub fn change(&mut self, change: impl FnOnce(&mut Vec<T>)) {
        let mut list = self.0.to_vec();
        change(&mut list);
        self.0 = list.into();
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Deref for Shared<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> From<Vec<T>> for Shared<T> {
    fn from(list: Vec<T>) -> Self {
        Self(list.into())
    }
}

impl<T> FromIterator<T> for Shared<T> {
    fn from_iter<I: IntoIterator<Item = T>>(list: I) -> Self {
        Self(list.into_iter().collect())
    }
}

impl<'a, T> IntoIterator for &'a Shared<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// A value that is shared: cloning copies a pointer, changing it makes a value of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Common<T>(Arc<T>);

impl<T> From<T> for Common<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Deref for Common<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Common<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> Borrow<T> for Common<T> {
    fn borrow(&self) -> &T {
        &self.0
    }
}
