//! `AwsSettings`: what the operator set in the environment of Karpenter on AWS.

use std::collections::BTreeMap;

use crate::karpenter::Version;
use crate::model::gap::{Gap, GapKind};

/// Settings that change what an instance type looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AwsSettings {
    /// Karpenter's release.
    pub version: Version,
    /// `VM_MEMORY_OVERHEAD_PERCENT`: the part of a machine's memory that it does not show, as a fraction.
    pub vm_memory_overhead: f64,
    /// `RESERVED_ENIS`: interfaces that give no address to pods.
    pub reserved_enis: i64,
}

impl Default for AwsSettings {
    fn default() -> Self {
        Self { version: Version::LATEST, vm_memory_overhead: 0.075, reserved_enis: 0 }
    }
}

impl AwsSettings {
    /// The settings of an environment; what cannot be read becomes a gap.
    pub fn from_environment(
        version: Version,
        environment: &BTreeMap<String, String>,
    ) -> (Self, Vec<Gap>) {
        let mut settings = Self { version, ..Self::default() };
        let mut gaps = Vec::new();
        let mut read = |name: &str, set: &mut dyn FnMut(&str) -> bool| {
            let Some(value) = environment.get(name).map(|value| value.trim()) else { return };
            if !value.is_empty() && !set(value) {
                let detail = format!("the value {value:?} is not known: the default is assumed");
                gaps.push(Gap::new(GapKind::Assumed, format!("setting {name}"), detail));
            }
        };
        read("VM_MEMORY_OVERHEAD_PERCENT", &mut |value| {
            let fraction = value.parse().ok().filter(|fraction| (0.0..1.0).contains(fraction));
            settings.vm_memory_overhead = fraction.unwrap_or(settings.vm_memory_overhead);
            fraction.is_some()
        });
        read("RESERVED_ENIS", &mut |value| {
            let number = value.parse().ok().filter(|number| (0..100).contains(number));
            settings.reserved_enis = number.unwrap_or(settings.reserved_enis);
            number.is_some()
        });
        (settings, gaps)
    }
}
