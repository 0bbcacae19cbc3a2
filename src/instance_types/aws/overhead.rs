//! What of a machine pods cannot use: kept for the kubelet, for the system, and for the time before pods are evicted.

use crate::model::catalogue::Ec2InstanceType;
use crate::model::instance_type::Overhead;
use crate::model::names::{ResourceName, Str};
use crate::model::quantity::Quantity;
use crate::model::resources::{CPU, EPHEMERAL_STORAGE, MEMORY, Resources};

use super::capacity::{GIB, MIB, ephemeral_storage, memory, pods, pods_by_interfaces};
use super::node_class::Ec2NodeClass;
use super::settings::AwsSettings;

/// The brackets of cores, in millicores: from, to, ten-thousandths kept.
const CPU_BRACKETS: [(i64, i64, i64); 4] =
    [(0, 1000, 600), (1000, 2000, 100), (2000, 4000, 50), (4000, i64::MAX, 25)];

/// All that pods cannot use. As `instancetype.NewInstanceType`.
pub fn overhead(facts: &Ec2InstanceType, class: &Ec2NodeClass, settings: &AwsSettings) -> Overhead {
    Overhead {
        kube_reserved: kube_reserved(facts, class, settings),
        system_reserved: class.kubelet.system_reserved.clone(),
        eviction_threshold: eviction_threshold(facts, class, settings),
    }
}

fn kube_reserved(
    facts: &Ec2InstanceType,
    class: &Ec2NodeClass,
    settings: &AwsSettings,
) -> Resources {
    let reserved_memory = 11 * pods_to_reserve_for(facts, class, settings) + 255;
    let mut reserved: Resources = [
        (ResourceName::from(CPU), Quantity::millis(kept_millicores(facts.vcpus))),
        (ResourceName::from(MEMORY), Quantity::bytes(reserved_memory * MIB)),
        (ResourceName::from(EPHEMERAL_STORAGE), Quantity::bytes(GIB)),
    ]
    .into_iter()
    .collect();
    for (name, amount) in &class.kubelet.kube_reserved {
        reserved.set(name.clone(), *amount);
    }
    reserved
}

fn kept_millicores(vcpus: i64) -> i64 {
    let millis = vcpus * 1000;
    let kept = |&(from, to, part): &(i64, i64, i64)| (millis.min(to) - from).max(0) * part / 10_000;
    CPU_BRACKETS.iter().map(kept).sum()
}

/// The number of pods that the kubelet's memory is reckoned by.
fn pods_to_reserve_for(
    facts: &Ec2InstanceType,
    class: &Ec2NodeClass,
    settings: &AwsSettings,
) -> i64 {
    if !class.family.reserves_by_interfaces() {
        return pods(facts, class, settings);
    }
    let reserved_enis = if settings.version.since(6, 0) { 0 } else { settings.reserved_enis };
    pods_by_interfaces(facts, class, reserved_enis).unwrap_or_else(|| pods(facts, class, settings))
}

fn eviction_threshold(
    facts: &Ec2InstanceType,
    class: &Ec2NodeClass,
    settings: &AwsSettings,
) -> Resources {
    let storage = ephemeral_storage(facts, class);
    let signal = |name: &str, capacity: Quantity, default: Quantity| {
        let of = |signals: &[(Str, Str)]| {
            let (_, threshold) = signals.iter().find(|(signal, _)| &**signal == name)?;
            amount(threshold, capacity)
        };
        let soft_counts = !settings.version.since(9, 0) && class.family.honoured_soft_eviction();
        let hard = of(&class.kubelet.eviction_hard);
        let soft = if soft_counts { of(&class.kubelet.eviction_soft) } else { None };
        hard.max(soft).unwrap_or(default)
    };
    // The formula's memory stays the base of percentages, also where another capacity was seen.
    let memory_capacity = memory(facts, settings);
    [
        (
            ResourceName::from(MEMORY),
            signal("memory.available", memory_capacity, Quantity::bytes(100 * MIB)),
        ),
        (
            ResourceName::from(EPHEMERAL_STORAGE),
            signal("nodefs.available", storage, percent_of(storage, 10.0)),
        ),
    ]
    .into_iter()
    .collect()
}

/// A threshold of the kubelet: a quantity, or a percentage of which 100 counts as none.
fn amount(threshold: &str, capacity: Quantity) -> Option<Quantity> {
    match threshold.strip_suffix('%') {
        Some(percent) => {
            let percent: f64 = percent.trim().parse().ok()?;
            let counted = if (percent - 100.0).abs() < f64::EPSILON { 0.0 } else { percent };
            Some(percent_of(capacity, counted))
        }
        None => threshold.parse().ok(),
    }
}

/// Bytes, rounded up. Upstream reckons in floats, and so do we.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as upstream")]
fn percent_of(capacity: Quantity, percent: f64) -> Quantity {
    Quantity::bytes((capacity.value() as f64 / 100.0 * percent).ceil() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance_types::aws::ami_family::AmiFamily;
    use crate::instance_types::aws::capacity::capacity;
    use crate::instance_types::aws::node_class::BlockDevice;
    use crate::instance_types::built_in;
    use crate::karpenter::Version;

    /// `cpu memory pods ephemeral-storage` of what pods can use.
    fn allocatable(name: &str, class: &Ec2NodeClass, settings: &AwsSettings) -> String {
        let facts = &built_in::aws().get(name).expect("a known type").facts;
        let mut free = capacity(facts, class, settings);
        let overhead = overhead(facts, class, settings);
        for kept in [overhead.kube_reserved, overhead.system_reserved, overhead.eviction_threshold]
        {
            free.subtract(&kept);
        }
        let amounts =
            [CPU, MEMORY, "pods", EPHEMERAL_STORAGE].map(|it| free.amount(it).to_string());
        amounts.join(" ")
    }

    fn class(family: AmiFamily, max_pods: Option<i64>) -> Ec2NodeClass {
        let mut class = Ec2NodeClass { family, ..Ec2NodeClass::default() };
        class.kubelet.max_pods = max_pods;
        class
    }

    #[test]
    fn the_worked_examples_hold() {
        use AmiFamily::{Al2023, Bottlerocket, Windows2022};
        let reserved = |reserved_enis| AwsSettings { reserved_enis, ..AwsSettings::default() };
        for (case, name, class, settings, expected) in [
            ("default", "m5.large", class(Al2023, None), reserved(0), "1930m 6903Mi 29 17Gi"),
            ("max", "m5.large", class(Al2023, Some(110)), reserved(0), "1930m 6903Mi 110 17Gi"),
            (
                "box",
                "m5.large",
                class(Bottlerocket, Some(110)),
                reserved(0),
                "1930m 6012Mi 110 17Gi",
            ),
            ("eni", "m5.large", class(Al2023, None), reserved(1), "1930m 6903Mi 20 17Gi"),
            ("box eni", "m5.large", class(Bottlerocket, None), reserved(1), "1930m 7002Mi 20 17Gi"),
            ("windows", "m5.large", class(Windows2022, None), reserved(0), "1930m 6012Mi 110 44Gi"),
            ("arm", "a1.medium", class(Al2023, None), reserved(0), "940m 1392Mi 8 17Gi"),
        ] {
            assert_eq!(allocatable(name, &class, &settings), expected, "{case}");
        }
    }

    #[test]
    fn a_disk_array_of_a_real_node_claim() {
        let raid = Ec2NodeClass { uses_instance_store: true, ..Ec2NodeClass::default() };
        let facts = &built_in::aws().get("g6.48xlarge").expect("a known type").facts;
        let settings = AwsSettings::default();
        let has = capacity(facts, &raid, &settings);
        assert_eq!(has.amount(MEMORY).to_string(), "727449Mi");
        assert_eq!(has.amount(EPHEMERAL_STORAGE).to_string(), "7520G");
        assert_eq!(has.amount("nvidia.com/gpu").to_string(), "8");
        let free = allocatable("g6.48xlarge", &raid, &settings);
        assert_eq!(free, "191450m 718987Mi 737 6766926258176");
    }

    #[test]
    fn kubelet_settings_replace_or_add() {
        let with = |change: fn(&mut Ec2NodeClass)| {
            let mut class = Ec2NodeClass::default();
            change(&mut class);
            allocatable("m5.large", &class, &AwsSettings::default())
        };
        for (case, actual, expected) in [
            (
                "kubeReserved replaces one resource",
                with(|class| {
                    class.kubelet.kube_reserved.set(CPU.into(), Quantity::millis(100));
                }),
                "1900m 6903Mi 29 17Gi",
            ),
            (
                "systemReserved comes on top",
                with(|class| {
                    class.kubelet.system_reserved.set(MEMORY.into(), Quantity::bytes(100 * MIB));
                }),
                "1930m 6803Mi 29 17Gi",
            ),
            (
                "evictionHard in percent of the formula's memory, rounded up to bytes",
                with(|class| {
                    class.kubelet.eviction_hard = vec![("memory.available".into(), "5%".into())];
                }),
                "1930m 6945924710 29 17Gi",
            ),
            (
                "a full percentage is none",
                with(|class| {
                    class.kubelet.eviction_hard = vec![("memory.available".into(), "100%".into())];
                }),
                "1930m 7003Mi 29 17Gi",
            ),
            (
                "podsPerCore caps",
                with(|class| class.kubelet.pods_per_core = Some(4)),
                "1930m 6903Mi 8 17Gi",
            ),
            (
                "a root volume's size",
                with(|class| {
                    class.block_devices = vec![BlockDevice {
                        device: "/dev/xvda".into(),
                        is_root: false,
                        size: "100Gi".parse().ok(),
                    }];
                }),
                "1930m 6903Mi 29 89Gi",
            ),
        ] {
            assert_eq!(actual, expected, "{case}");
        }
    }

    #[test]
    fn older_releases_reckoned_otherwise() {
        let release = |minor| AwsSettings {
            version: Version::new(1, minor, 0),
            reserved_enis: 1,
            ..AwsSettings::default()
        };
        let plain = Ec2NodeClass::default();
        // Up to 1.5 the reserved interface lowered the kubelet's share: 20 pods, 475Mi.
        assert_eq!(allocatable("m5.large", &plain, &release(5)), "1930m 7002Mi 20 17Gi");
        assert_eq!(allocatable("m5.large", &plain, &release(6)), "1930m 6903Mi 20 17Gi");
        let mut soft = Ec2NodeClass::default();
        soft.kubelet.eviction_soft = vec![("memory.available".into(), "500Mi".into())];
        // Up to 1.8 the larger of hard and soft counted.
        assert_eq!(allocatable("m5.large", &soft, &release(8)), "1930m 6503Mi 20 17Gi");
        assert_eq!(allocatable("m5.large", &soft, &release(9)), "1930m 6903Mi 20 17Gi");
        soft.family = AmiFamily::Bottlerocket;
        assert_eq!(allocatable("m5.large", &soft, &release(8)), "1930m 7002Mi 20 17Gi");
    }
}
