//! What a machine has: the capacity that Karpenter reckons with before it has seen one.

use crate::model::catalogue::Ec2InstanceType;
use crate::model::names::ResourceName;
use crate::model::quantity::Quantity;
use crate::model::resources::{CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Resources};

use super::node_class::Ec2NodeClass;
use super::settings::AwsSettings;

/// Bytes of a MiB.
pub const MIB: i64 = 1 << 20;
/// Bytes of a GiB.
pub const GIB: i64 = 1 << 30;

/// How many pods a machine takes where neither its interfaces nor a setting say so.
const UNKNOWN_PODS: i64 = 110;
/// How many pods a Windows machine takes.
const WINDOWS_PODS: i64 = 110;

/// All that a machine has. As `instancetype.computeCapacity`.
pub fn capacity(
    facts: &Ec2InstanceType,
    class: &Ec2NodeClass,
    settings: &AwsSettings,
) -> Resources {
    let interfaces = facts.interfaces;
    let mut amounts = vec![
        (CPU, Quantity::units(facts.vcpus)),
        (MEMORY, memory(facts, settings)),
        (EPHEMERAL_STORAGE, ephemeral_storage(facts, class)),
        (PODS, Quantity::units(pods(facts, class, settings))),
        ("vpc.amazonaws.com/pod-eni", Quantity::units(facts.branch_interfaces)),
        ("nvidia.com/gpu", Quantity::units(gpus_of(facts, "nvidia"))),
        ("amd.com/gpu", Quantity::units(gpus_of(facts, "amd"))),
        ("habana.ai/gaudi", Quantity::units(gpus_of(facts, "habana"))),
        ("aws.amazon.com/neuron", Quantity::units(neuron_devices(facts))),
        ("aws.amazon.com/neuroncore", Quantity::units(neuron_cores(facts))),
        (
            "vpc.amazonaws.com/efa",
            Quantity::units(class.configured_efa().unwrap_or(facts.efa_interfaces)),
        ),
    ];
    if class.family.is_windows() {
        let addresses = interfaces.map_or(0, |interfaces| interfaces.ipv4_addresses - 1);
        amounts.push(("vpc.amazonaws.com/PrivateIPv4Address", Quantity::units(addresses)));
    }
    amounts.into_iter().map(|(name, amount)| (ResourceName::from(name), amount)).collect()
}

/// Memory by the formula: what EC2 advertises, less what Arm firmware takes, less a part for the hypervisor.
pub fn memory(facts: &Ec2InstanceType, settings: &AwsSettings) -> Quantity {
    let advertised = facts.memory_mib - if &*facts.arch == "arm64" { 64 } else { 0 };
    Quantity::bytes((advertised - vm_overhead(advertised, settings.vm_memory_overhead)) * MIB)
}

/// MiB that a machine does not show, rounded up. Upstream reckons in floats, and so do we.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as upstream")]
fn vm_overhead(advertised_mib: i64, fraction: f64) -> i64 {
    let bytes = (advertised_mib * MIB) as f64;
    (bytes * fraction / 1024.0 / 1024.0).ceil() as i64
}

/// How many pods a machine takes. As `instancetype.pods`.
pub fn pods(facts: &Ec2InstanceType, class: &Ec2NodeClass, settings: &AwsSettings) -> i64 {
    let limit = if let Some(max_pods) = class.kubelet.max_pods {
        max_pods
    } else if class.family.is_windows() {
        WINDOWS_PODS
    } else {
        pods_by_interfaces(facts, class, settings.reserved_enis).unwrap_or(UNKNOWN_PODS)
    };
    match class.kubelet.pods_per_core {
        Some(per_core) if per_core > 0 && class.family.honours_pods_per_core() => {
            limit.min(per_core * facts.vcpus)
        }
        _ => limit,
    }
}

/// How many pods get an address: each interface keeps one for itself, and two pods use the host's network. `None`
/// when the interfaces are not known.
pub fn pods_by_interfaces(
    facts: &Ec2InstanceType,
    class: &Ec2NodeClass,
    reserved_enis: i64,
) -> Option<i64> {
    let interfaces = facts.interfaces?;
    let usable = interfaces.on_default_card - reserved_enis - class.efa_only_on_first_card();
    if usable <= 0 {
        return Some(0);
    }
    Some(usable * (interfaces.ipv4_addresses - 1) + 2)
}

/// The storage that pods share. As `instancetype.ephemeralStorage`.
pub fn ephemeral_storage(facts: &Ec2InstanceType, class: &Ec2NodeClass) -> Quantity {
    if let (true, Some(gigabytes)) = (class.uses_instance_store, facts.instance_store_gb) {
        return Quantity::units(gigabytes * 1_000_000_000);
    }
    let devices = &class.block_devices;
    let root = devices.iter().find(|device| device.is_root).and_then(|device| device.size);
    let data = || match class.family.data_device() {
        Some(name) => devices.iter().find(|device| &*device.device == name)?.size,
        None => devices.last()?.size,
    };
    root.or_else(data).unwrap_or_else(|| Quantity::bytes(class.family.default_storage_gib() * GIB))
}

fn gpus_of(facts: &Ec2InstanceType, manufacturer: &str) -> i64 {
    let made = facts.gpus.iter().filter(|gpu| &*gpu.manufacturer == manufacturer);
    made.map(|gpu| gpu.count).sum()
}

fn neuron_devices(facts: &Ec2InstanceType) -> i64 {
    facts.neuron_devices.iter().map(|device| device.count).sum()
}

fn neuron_cores(facts: &Ec2InstanceType) -> i64 {
    facts.neuron_devices.first().map_or(0, |device| device.count * device.cores)
}
