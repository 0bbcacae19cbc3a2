//! `Amounts`: resources as the scheduler counts them, in whole numbers: cpu in thousandths, all else in units.

use crate::model::names::ResourceName;
use crate::model::resources::{CPU, EPHEMERAL_STORAGE, MEMORY, Resources};

/// Amounts of what the scheduler counts. As upstream's `framework.Resource`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amounts {
    /// cpu, in thousandths.
    pub(crate) milli_cpu: i64,
    /// memory.
    pub(crate) memory: i64,
    /// ephemeral-storage.
    pub(crate) ephemeral_storage: i64,
    /// Extended resources, huge pages, attachable volumes and what has a `kubernetes.io/` prefix, by name.
    pub(crate) scalars: Vec<(ResourceName, i64)>,
}

impl Amounts {
    /// The amounts of a list; names that the scheduler does not count are left out.
    pub(crate) fn of(resources: &Resources) -> Self {
        let mut amounts = Self::default();
        for (name, amount) in resources {
            match name.as_str() {
                CPU => amounts.milli_cpu = amount.milli_value(),
                MEMORY => amounts.memory = amount.value(),
                EPHEMERAL_STORAGE => amounts.ephemeral_storage = amount.value(),
                other if is_scalar(other) => amounts.scalars.push((name.clone(), amount.value())),
                _ => {}
            }
        }
        amounts
    }

    /// The amount of a resource; zero when it is not listed.
    pub(crate) fn get(&self, name: &str) -> i64 {
        match name {
            CPU => self.milli_cpu,
            MEMORY => self.memory,
            EPHEMERAL_STORAGE => self.ephemeral_storage,
            other => self.scalar(other),
        }
    }

    /// The amount of a scalar resource; zero when it is not listed.
    pub(crate) fn scalar(&self, name: &str) -> i64 {
        let found = self.scalars.binary_search_by(|(listed, _)| listed.as_str().cmp(name));
        found.map_or(0, |index| self.scalars[index].1)
    }

    /// Whether a scalar resource is listed, be it with nothing.
    pub(crate) fn lists_scalar(&self, name: &str) -> bool {
        self.scalars.binary_search_by(|(listed, _)| listed.as_str().cmp(name)).is_ok()
    }

    /// Adds another list, `times` being 1 or -1. Overflow wraps, as upstream's does.
    pub(crate) fn add(&mut self, other: &Self, times: i64) {
        let add = |a: &mut i64, b: i64| *a = a.wrapping_add(b.wrapping_mul(times));
        add(&mut self.milli_cpu, other.milli_cpu);
        add(&mut self.memory, other.memory);
        add(&mut self.ephemeral_storage, other.ephemeral_storage);
        for (name, amount) in &other.scalars {
            match self.scalars.binary_search_by(|(listed, _)| listed.cmp(name)) {
                Ok(index) => add(&mut self.scalars[index].1, *amount),
                Err(index) => {
                    self.scalars.insert(index, (name.clone(), amount.wrapping_mul(times)));
                }
            }
        }
    }
}

/// Whether the scheduler counts a resource beyond the three that it knows by name. As upstream's
/// `IsScalarResourceName`.
pub(crate) fn is_scalar(name: &str) -> bool {
    is_extended(name)
        || name.starts_with("hugepages-")
        || name.contains("kubernetes.io/")
        || name.starts_with("attachable-volumes-")
}

/// Whether a resource is somebody's own. As upstream's `IsExtendedResourceName`.
pub(crate) fn is_extended(name: &str) -> bool {
    name.contains('/')
        && !name.contains("kubernetes.io/")
        && !name.starts_with("requests.")
        && is_qualified_name(&format!("requests.{name}"))
}

/// Whether a text is a label key. As upstream's `IsQualifiedName`.
pub(crate) fn is_qualified_name(text: &str) -> bool {
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    prefix.is_none_or(is_dns_subdomain) && !name.is_empty() && is_label_value(name)
}

/// Whether a text is a label value. As upstream's `IsValidLabelValue`.
pub(crate) fn is_label_value(text: &str) -> bool {
    let bytes = text.as_bytes();
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    match (bytes.first(), bytes.last()) {
        (Some(first), Some(last)) => {
            bytes.len() <= 63
                && first.is_ascii_alphanumeric()
                && last.is_ascii_alphanumeric()
                && bytes.iter().all(inner)
        }
        _ => true,
    }
}

fn is_dns_subdomain(text: &str) -> bool {
    let part = |part: &str| {
        let bytes = part.as_bytes();
        let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        bytes.first().is_some_and(plain)
            && bytes.last().is_some_and(plain)
            && bytes.iter().all(|byte| plain(byte) || *byte == b'-')
    };
    text.len() <= 253 && text.split('.').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_told_from_what_is_not_counted() {
        for (name, scalar, extended) in [
            ("nvidia.com/gpu", true, true),
            ("hugepages-2Mi", true, false),
            ("attachable-volumes-csi-x", true, false),
            ("node.kubernetes.io/thing", true, false),
            ("pods", false, false),
            ("gpu", false, false),
            ("requests.example.com/gpu", false, false),
            ("Example.com/gpu", false, false),
        ] {
            assert_eq!((is_scalar(name), is_extended(name)), (scalar, extended), "{name}");
        }
    }
}
