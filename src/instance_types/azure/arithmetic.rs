//! Capacity and overhead of a VM size.

use crate::model::catalogue::AzureVmSize;
use crate::model::instance_type::Overhead;
use crate::model::names::{ResourceName, Str};
use crate::model::nodepool::NodeClass;
use crate::model::quantity::Quantity;
use crate::model::resources::{CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Resources};

/// Brackets of cores: up to, part kept.
const CPU_BRACKETS: [(f64, f64); 4] = [(1.0, 0.06), (2.0, 0.04), (4.0, 0.02), (f64::MAX, 0.01)];
/// Brackets of GiB: up to, part kept.
const MEMORY_BRACKETS: [(f64, f64); 5] =
    [(4.0, 0.25), (8.0, 0.20), (16.0, 0.10), (128.0, 0.06), (f64::MAX, 0.02)];
/// Memory in MiB below which pods are evicted.
const EVICTION_MIB: i64 = 750;

/// What decides over sizes besides their own facts.
#[derive(Clone, Debug, PartialEq)]
pub struct AzureSettings {
    /// `VM_MEMORY_OVERHEAD_PERCENT`, as a fraction.
    pub vm_memory_overhead: f64,
    /// Pods of a node where the NodeClass does not say: 250 with overlay or without a plugin, 30 in the node's subnet.
    pub default_pods: i64,
}

impl Default for AzureSettings {
    fn default() -> Self {
        Self { vm_memory_overhead: 0.075, default_pods: 250 }
    }
}

/// The parts of an AKSNodeClass that change a size.
#[derive(Clone, Debug, PartialEq)]
pub struct AksNodeClass {
    /// `spec.maxPods`.
    pub max_pods: Option<i64>,
    /// `spec.osDiskSizeGB`.
    pub os_disk_gb: i64,
    /// `spec.imageFamily`, as `kubernetes.azure.com/os-sku` says it.
    pub os_sku: Str,
    /// `spec.fipsMode: FIPS`.
    pub is_fips: bool,
}

impl Default for AksNodeClass {
    fn default() -> Self {
        Self { max_pods: None, os_disk_gb: 128, os_sku: "Ubuntu".into(), is_fips: false }
    }
}

impl AksNodeClass {
    /// What a NodeClass object says.
    pub fn read(class: &NodeClass) -> Self {
        let (spec, defaults) = (&class.spec, Self::default());
        let family = spec["imageFamily"].as_str().unwrap_or_default();
        Self {
            max_pods: spec["maxPods"].as_i64(),
            os_disk_gb: spec["osDiskSizeGB"].as_i64().unwrap_or(defaults.os_disk_gb),
            // Ubuntu comes as `Ubuntu`, `Ubuntu2204` and so on.
            os_sku: if family.starts_with("AzureLinux") { "AzureLinux" } else { "Ubuntu" }.into(),
            is_fips: spec["fipsMode"] == "FIPS",
        }
    }
}

/// All that a machine has.
pub fn capacity(size: &AzureVmSize, class: &AksNodeClass, settings: &AzureSettings) -> Resources {
    let of = |maker: &str| if &*size.gpu_manufacturer == maker { size.gpus } else { 0 };
    [
        (CPU, Quantity::units(size.vcpus)),
        (MEMORY, memory(size, settings)),
        (EPHEMERAL_STORAGE, Quantity::units(class.os_disk_gb * 1_000_000_000)),
        (PODS, Quantity::units(class.max_pods.unwrap_or(settings.default_pods))),
        ("nvidia.com/gpu", Quantity::units(of("nvidia"))),
        ("amd.com/gpu", Quantity::units(of("amd"))),
    ]
    .into_iter()
    .map(|(name, amount)| (ResourceName::from(name), amount))
    .collect()
}

/// Whole GiB, less the part that the hypervisor takes. Upstream reckons in floats, and so do we.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as upstream")]
fn memory(size: &AzureVmSize, settings: &AzureSettings) -> Quantity {
    let bytes = (size.memory_mib / 1024) << 30;
    Quantity::bytes(bytes - (bytes as f64 * settings.vm_memory_overhead).ceil() as i64)
}

/// All that pods cannot use.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as upstream")]
pub fn overhead(size: &AzureVmSize) -> Overhead {
    let millis = (1000.0 * kept(&CPU_BRACKETS, size.vcpus as f64)) as i64;
    let mib = (1024.0 * kept(&MEMORY_BRACKETS, size.memory_mib as f64 / 1024.0)) as i64;
    Overhead {
        kube_reserved: [
            (ResourceName::from(CPU), Quantity::millis(millis)),
            (ResourceName::from(MEMORY), Quantity::bytes(mib << 20)),
        ]
        .into_iter()
        .collect(),
        system_reserved: Resources::new(),
        eviction_threshold: std::iter::once((
            ResourceName::from(MEMORY),
            Quantity::bytes(EVICTION_MIB << 20),
        ))
        .collect(),
    }
}

fn kept(brackets: &[(f64, f64)], amount: f64) -> f64 {
    let (mut sum, mut from) = (0.0, 0.0);
    for &(to, part) in brackets {
        if from > amount {
            break;
        }
        sum += (amount.min(to) - from) * part;
        from = to;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance_types::built_in;

    #[test]
    fn the_worked_example_holds() {
        let size = built_in::azure().get("Standard_D4s_v5").expect("a known size");
        let settings = AzureSettings::default();
        let mut free = capacity(size, &AksNodeClass::default(), &settings);
        let overhead = overhead(size);
        free.subtract(&overhead.kube_reserved);
        free.subtract(&overhead.eviction_threshold);
        assert_eq!(free.amount(CPU).to_string(), "3860m");
        let sixteen: i64 = 16 << 30;
        // 7.5 % of 16Gi is 1288490188.8 bytes.
        let memory = sixteen - 1_288_490_189 - (2662 << 20) - (750 << 20);
        assert_eq!(free.amount(MEMORY), Quantity::bytes(memory));
        assert_eq!(free.amount(EPHEMERAL_STORAGE).to_string(), "128G");
        assert_eq!(free.amount(PODS).to_string(), "250");
    }
}
