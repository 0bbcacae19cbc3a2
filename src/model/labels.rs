//! `Labels`: what an object is called by, and the label keys that both components know.

use std::fmt;
use std::sync::Arc;

use super::names::Str;

/// `topology.kubernetes.io/zone`.
pub const ZONE: &str = "topology.kubernetes.io/zone";
/// `topology.kubernetes.io/region`.
pub const REGION: &str = "topology.kubernetes.io/region";
/// The deprecated form of `topology.kubernetes.io/zone`.
pub const ZONE_BETA: &str = "failure-domain.beta.kubernetes.io/zone";
/// The deprecated form of `topology.kubernetes.io/region`.
pub const REGION_BETA: &str = "failure-domain.beta.kubernetes.io/region";
/// `kubernetes.io/hostname`.
pub const HOSTNAME: &str = "kubernetes.io/hostname";
/// `kubernetes.io/arch`.
pub const ARCH: &str = "kubernetes.io/arch";
/// `kubernetes.io/os`.
pub const OS: &str = "kubernetes.io/os";
/// `node.kubernetes.io/instance-type`.
pub const INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";
/// `karpenter.sh/nodepool`.
pub const NODEPOOL: &str = "karpenter.sh/nodepool";
/// `karpenter.sh/capacity-type`.
pub const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";
/// `karpenter.sh/registered`.
pub const REGISTERED: &str = "karpenter.sh/registered";
/// `karpenter.sh/initialized`.
pub const INITIALIZED: &str = "karpenter.sh/initialized";

/// Values by key, in the order of the keys. Objects with equal labels share them.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labels(Arc<[(Str, Str)]>);

impl Labels {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Str> {
        self.0
            .binary_search_by(|(listed, _)| (**listed).cmp(key))
            .ok()
            .map(|index| &self.0[index].1)
    }

    /// The value of a key as text.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.get(key).map(|value| &**value)
    }

    /// Whether the key is present.
    pub fn contains(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Keys and values in the order of the keys.
    pub fn iter(&self) -> std::slice::Iter<'_, (Str, Str)> {
        self.0.iter()
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Where the labels are kept: equal for labels that are shared, and so a quick test that two are equal.
    pub fn address(&self) -> usize {
        self.0.as_ptr().addr()
    }

    /// Whether there is no label.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These labels with some set anew, and others added.
    #[must_use]
    pub fn with(&self, more: impl IntoIterator<Item = (Str, Str)>) -> Self {
        self.iter().cloned().chain(more).collect()
    }

    /// These labels without some keys.
    #[must_use]
    pub fn without(&self, keys: &[&str]) -> Self {
        self.iter().filter(|(key, _)| !keys.contains(&&**key)).cloned().collect()
    }
}

/// A later value of a key replaces an earlier one.
impl FromIterator<(Str, Str)> for Labels {
    fn from_iter<I: IntoIterator<Item = (Str, Str)>>(pairs: I) -> Self {
        let mut list: Vec<(Str, Str)> = pairs.into_iter().collect();
        list.reverse();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list.dedup_by(|later, earlier| later.0 == earlier.0);
        if list.is_empty() { Self::default() } else { Self(list.into()) }
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Labels {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(pairs: I) -> Self {
        pairs.into_iter().map(|(key, value)| (Str::from(key), Str::from(value))).collect()
    }
}

impl<'a> IntoIterator for &'a Labels {
    type Item = &'a (Str, Str);
    type IntoIter = std::slice::Iter<'a, (Str, Str)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Written `app=web,tier=front`.
impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.iter().enumerate() {
            write!(f, "{}{key}={value}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_key_stays() {
        let labels: Labels = [("b", "1"), ("a", "2"), ("b", "3")].into_iter().collect();
        assert_eq!(labels.to_string(), "a=2,b=3");
        assert_eq!(labels.with([("b".into(), "4".into())]).value("b"), Some("4"));
    }
}
