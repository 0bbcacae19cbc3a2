//! The labels of a machine on AWS, as requirements: what Karpenter knows of a type before it is launched.

use crate::instance_types::requirement::in_values;
use crate::karpenter::Version;
use crate::model::catalogue::Ec2InstanceType;
use crate::model::labels;
use crate::model::names::Str;
use crate::model::nodepool::NodeRequirement;

use super::node_class::Ec2NodeClass;

/// The label of a zone's id, the same in every account.
pub const ZONE_ID: &str = "topology.k8s.aws/zone-id";
/// The label of a capacity reservation's id.
pub const RESERVATION_ID: &str = "karpenter.k8s.aws/capacity-reservation-id";
/// The label of a capacity reservation's kind.
pub const RESERVATION_TYPE: &str = "karpenter.k8s.aws/capacity-reservation-type";
/// The label that says whether a capacity reservation may be taken away.
pub const RESERVATION_INTERRUPTIBLE: &str = "karpenter.k8s.aws/capacity-reservation-interruptible";

/// The domain of Karpenter's own labels on AWS.
pub const DOMAIN: &str = "karpenter.k8s.aws";

/// Labels of `karpenter.k8s.aws/`, and the minor release that they came with.
const OWN_LABELS: [(&str, u32); 27] = [
    ("capacity-reservation-id", 6),
    ("capacity-reservation-type", 6),
    ("capacity-reservation-interruptible", 10),
    ("instance-accelerator-count", 0),
    ("instance-accelerator-manufacturer", 0),
    ("instance-accelerator-name", 0),
    ("instance-capability-flex", 7),
    ("instance-category", 0),
    ("instance-cpu", 0),
    ("instance-cpu-manufacturer", 0),
    ("instance-cpu-sustained-clock-speed-mhz", 1),
    ("instance-ebs-bandwidth", 0),
    ("instance-encryption-in-transit-supported", 0),
    ("instance-family", 0),
    ("instance-generation", 0),
    ("instance-gpu-count", 0),
    ("instance-gpu-manufacturer", 0),
    ("instance-gpu-memory", 0),
    ("instance-gpu-name", 0),
    ("instance-hypervisor", 0),
    ("instance-local-nvme", 0),
    ("instance-memory", 0),
    ("instance-network-bandwidth", 0),
    ("instance-size", 0),
    ("instance-tenancy", 9),
    ("placement-group-id", 11),
    ("placement-group-partition", 11),
];

/// Keys that are well known beside core's own: those of a type or an offering.
pub fn well_known_labels(version: Version) -> Vec<Str> {
    let own = OWN_LABELS.iter().filter(|(_, minor)| version.since(*minor, 0));
    let own = own.map(|(name, _)| Str::from(format!("{DOMAIN}/{name}")));
    own.chain([Str::from(ZONE_ID)]).collect()
}

/// Family and size: the halves of the name around the dot.
pub fn family_and_size(name: &str) -> (&str, &str) {
    name.split_once('.').unwrap_or((name, ""))
}

/// Category and generation: the letters before, and the first digits of, the family; `u-6tb1` is `u`, `1`.
pub fn category_and_generation(name: &str) -> Option<(&str, &str)> {
    let (family, _) = name.split_once('.')?;
    let letters = family.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(family.len());
    let (category, rest) = family.split_at(letters);
    let rest = after_size_of_memory(rest).unwrap_or(rest);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    (letters > 0 && digits > 0).then(|| (category, &rest[..digits]))
}

/// What follows the `-6tb` of a high-memory family.
fn after_size_of_memory(text: &str) -> Option<&str> {
    let text = text.strip_prefix('-')?;
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    text[digits..].strip_prefix("tb").filter(|_| digits > 0)
}

/// All labels of a type but its zones and capacity types. As `instancetype.computeRequirements`.
pub fn requirements(
    facts: &Ec2InstanceType,
    class: &Ec2NodeClass,
    version: Version,
) -> Vec<NodeRequirement> {
    let name = facts.name.as_str();
    let (family, size) = family_and_size(name);
    let kind = category_and_generation(name);
    let number = |number: i64| Some(number.to_string());
    let text = |text: &str| Some(text.to_owned());
    let gpu = if let [gpu] = &facts.gpus[..] { Some(gpu) } else { None };
    let accelerator = match (&facts.neuron_devices[..], &facts.accelerators[..]) {
        ([device], _) => Some((&device.name, "aws", device.count)),
        (_, [other]) => Some((&other.name, &*other.manufacturer, other.count)),
        _ => None,
    };
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let values: [(&str, Option<String>); 23] = [
        ("instance-category", kind.and_then(|(category, _)| text(category))),
        ("instance-generation", kind.and_then(|(_, generation)| text(generation))),
        ("instance-family", text(family)),
        ("instance-size", text(size)),
        ("instance-capability-flex", Some(family.contains("-flex").to_string())),
        ("instance-cpu", number(facts.vcpus)),
        ("instance-memory", number(facts.memory_mib)),
        ("instance-cpu-manufacturer", known(&facts.cpu_manufacturer)),
        ("instance-cpu-sustained-clock-speed-mhz", facts.clock_mhz.and_then(number)),
        ("instance-ebs-bandwidth", facts.ebs_mbps.and_then(number)),
        ("instance-network-bandwidth", facts.network_mbps.and_then(number)),
        (
            "instance-local-nvme",
            facts.instance_store_gb.filter(|_| facts.has_nvme).and_then(number),
        ),
        ("instance-hypervisor", text(&facts.hypervisor)),
        ("instance-encryption-in-transit-supported", Some(facts.encrypts_in_transit.to_string())),
        ("instance-gpu-name", gpu.and_then(|gpu| text(&gpu.name))),
        ("instance-gpu-manufacturer", gpu.and_then(|gpu| text(&gpu.manufacturer))),
        ("instance-gpu-count", gpu.and_then(|gpu| number(gpu.count))),
        ("instance-gpu-memory", gpu.and_then(|gpu| number(gpu.memory_mib))),
        ("instance-accelerator-name", accelerator.and_then(|(name, ..)| text(name))),
        ("instance-accelerator-manufacturer", accelerator.and_then(|(_, maker, _)| text(maker))),
        ("instance-accelerator-count", accelerator.and_then(|(.., count)| number(count))),
        ("placement-group-id", None),
        ("placement-group-partition", None),
    ];
    let mut requirements = vec![
        in_values(labels::INSTANCE_TYPE, [name]),
        in_values(labels::ARCH, [facts.arch.clone()]),
        in_values(labels::OS, operating_systems(facts, class)),
        in_values("node.kubernetes.io/windows-build", class.family.windows_build()),
    ];
    let since = |name: &str| {
        let label = OWN_LABELS.iter().find(|(label, _)| *label == name);
        label.is_none_or(|(_, minor)| version.since(*minor, 0))
    };
    let own = values.into_iter().filter(|(name, _)| since(name));
    requirements.extend(own.map(|(name, value)| in_values(&format!("{DOMAIN}/{name}"), value)));
    if version.since(9, 0) {
        let key = format!("{DOMAIN}/instance-tenancy");
        requirements.push(in_values(&key, ["default", "dedicated"]));
    }
    requirements
}

/// Linux, or Windows where the images are; Windows does not run on Arm.
fn operating_systems(facts: &Ec2InstanceType, class: &Ec2NodeClass) -> Option<&'static str> {
    if !class.family.is_windows() {
        Some("linux")
    } else if &*facts.arch == "amd64" {
        Some("windows")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance_types::built_in;

    #[test]
    fn a_name_tells_category_and_generation() {
        for (name, expected) in [
            ("m5.large", Some(("m", "5"))),
            ("c7i-flex.8xlarge", Some(("c", "7"))),
            ("u-6tb1.56xlarge", Some(("u", "1"))),
            ("u7i-12tb.224xlarge", Some(("u", "7"))),
            ("trn1n.32xlarge", Some(("trn", "1"))),
            ("x2iedn.metal", Some(("x", "2"))),
            ("inf2.xlarge", Some(("inf", "2"))),
            ("nonsense", None),
        ] {
            assert_eq!(category_and_generation(name), expected, "{name}");
        }
    }

    #[test]
    fn labels_are_those_of_the_documentation() {
        let labels = |name: &str| {
            let facts = &built_in::aws().get(name).expect("a known type").facts;
            let all = requirements(facts, &Ec2NodeClass::default(), Version::LATEST);
            let own = all.into_iter().filter(|it| it.key.starts_with(DOMAIN));
            let text = own.filter(|it| !it.values.is_empty()).map(|it| {
                let key = it.key.trim_start_matches("karpenter.k8s.aws/instance-").to_owned();
                format!("{key}={}", it.values.join("|"))
            });
            text.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            labels("g6.48xlarge"),
            "category=g generation=6 family=g6 size=48xlarge capability-flex=false cpu=192 memory=786432 \
             cpu-manufacturer=amd cpu-sustained-clock-speed-mhz=3400 ebs-bandwidth=60000 network-bandwidth=100000 \
             local-nvme=7520 hypervisor=nitro encryption-in-transit-supported=true gpu-name=l4 gpu-manufacturer=nvidia \
             gpu-count=8 gpu-memory=22888 tenancy=default|dedicated"
        );
        assert_eq!(
            labels("trn1.32xlarge"),
            "category=trn generation=1 family=trn1 size=32xlarge capability-flex=false cpu=128 memory=524288 \
             cpu-manufacturer=intel cpu-sustained-clock-speed-mhz=3500 ebs-bandwidth=80000 network-bandwidth=800000 \
             local-nvme=7600 hypervisor=nitro encryption-in-transit-supported=true accelerator-name=trainium \
             accelerator-manufacturer=aws accelerator-count=16 tenancy=default|dedicated"
        );
    }

    #[test]
    fn bare_metal_has_an_empty_hypervisor() {
        let facts = &built_in::aws().get("m5.metal").expect("a known type").facts;
        let all = requirements(facts, &Ec2NodeClass::default(), Version::LATEST);
        let hypervisor = all.iter().find(|it| it.key.ends_with("hypervisor")).expect("a label");
        assert_eq!(hypervisor.values, [Str::from("")]);
    }
}
