//! `Shared`: a list that equal owners keep once.

use std::ops::Deref;
use std::sync::Arc;

/// A list that is shared: cloning copies a pointer, changing it makes a list of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shared<T>(Arc<[T]>);

impl<T: Clone> Shared<T> {
    /// Adds an element.
    pub fn push(&mut self, element: T) {
        self.0 = self.0.iter().cloned().chain([element]).collect();
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(Arc::from([]))
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
