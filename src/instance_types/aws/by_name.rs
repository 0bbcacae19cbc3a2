//! Rules by name, for a type that no table and no file knows: a guess, and said to be one.

use std::sync::Arc;

use crate::instance_types::built_in::{self, Aws};
use crate::instance_types::observed::Machine;
use crate::model::catalogue::{Ec2InstanceType, Gpu};
use crate::model::labels;
use crate::model::names::{InstanceTypeName, Str};
use crate::model::quantity::Quantity;
use crate::model::resources::{CPU, MEMORY};

use super::requirements::{DOMAIN, category_and_generation, family_and_size};

/// Facts of an unknown type: its machine's labels where one runs, else the type most like it. `None`: the name does
/// not tell.
pub fn facts(name: &InstanceTypeName, seen: Option<&Machine>) -> Option<Arc<Ec2InstanceType>> {
    let tables = built_in::aws();
    let like = most_like(tables, name.as_str());
    let mut facts = match like {
        Some(like) => Ec2InstanceType::clone(like),
        None => nothing_known(name),
    };
    facts.name = name.clone();
    facts.arch = arch(name.as_str()).into();
    if let Some(vcpus) = vcpus(name.as_str()) {
        facts.vcpus = vcpus;
    }
    if let Some(memory) = memory_mib(name.as_str(), facts.vcpus) {
        facts.memory_mib = memory;
    }
    if let Some(machine) = seen {
        correct(&mut facts, machine);
    } else if like.is_none() && (facts.vcpus == 0 || facts.memory_mib == 0) {
        return None;
    }
    Some(Arc::new(facts))
}

/// The type of the same size in the family most like its own: of the same category, with the most of the family's
/// name in common, the newest.
fn most_like<'a>(tables: &'a Aws, name: &str) -> Option<&'a Ec2InstanceType> {
    let (category, _) = category_and_generation(name)?;
    let (family, size) = family_and_size(name);
    let alike = tables.types.iter().map(|known| &*known.facts).filter(|facts| {
        let other = facts.name.as_str();
        family_and_size(other).1 == size
            && category_and_generation(other).is_some_and(|(other, _)| other == category)
            && *facts.arch == *arch(name)
    });
    alike.max_by_key(|facts| {
        let (other, _) = family_and_size(facts.name.as_str());
        let suffix = |family: &str| {
            family
                .trim_start_matches(|c: char| c.is_ascii_lowercase() && c != '-')
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .to_owned()
        };
        let generation = category_and_generation(facts.name.as_str());
        let generation = generation.and_then(|(_, number)| number.parse::<u32>().ok());
        (suffix(other) == suffix(family), generation)
    })
}

/// A medium has one vCPU, a large and what is smaller two, an xlarge four, and N of them N times four.
fn vcpus(name: &str) -> Option<i64> {
    let (_, size) = family_and_size(name);
    let size = size.strip_prefix("metal-").map_or(size, |size| size);
    match size {
        "medium" => Some(1),
        "nano" | "micro" | "small" | "large" => Some(2),
        "xlarge" => Some(4),
        _ => {
            let number = size.strip_suffix("xlarge").or_else(|| size.strip_suffix("xl"))?;
            number.parse::<i64>().ok().filter(|number| (1..=9_999).contains(number)).map(|n| n * 4)
        }
    }
}

/// GiB a vCPU of the common families since the fifth generation.
fn memory_mib(name: &str, vcpus: i64) -> Option<i64> {
    let (category, generation) = category_and_generation(name)?;
    let generation: u32 = generation.parse().ok()?;
    let gib = match category {
        "m" => 4,
        "r" => 8,
        "c" => 2,
        _ => return None,
    };
    (generation >= 5).then_some(vcpus * gib * 1024)
}

/// Arm where the letters after the generation hold a `g`.
fn arch(name: &str) -> &'static str {
    let (family, _) = family_and_size(name);
    let after = category_and_generation(name)
        .and_then(|(category, generation)| family.strip_prefix(category)?.strip_prefix(generation));
    let letters = after.map_or("", |after| after.split('-').next().unwrap_or_default());
    if family == "a1" || letters.contains('g') { "arm64" } else { "amd64" }
}

/// A type of which only the name is known; `None` where that is no name of a type.
pub(super) fn blank(name: &InstanceTypeName) -> Option<Arc<Ec2InstanceType>> {
    (!name.as_str().is_empty()).then(|| Arc::new(nothing_known(name)))
}

fn nothing_known(name: &InstanceTypeName) -> Ec2InstanceType {
    Ec2InstanceType {
        name: name.clone(),
        arch: "amd64".into(),
        vcpus: 0,
        memory_mib: 0,
        capacity_types: None,
        hypervisor: "nitro".into(),
        cpu_manufacturer: "".into(),
        clock_mhz: None,
        instance_store_gb: None,
        has_nvme: false,
        ebs_mbps: None,
        interfaces: None,
        network_mbps: None,
        branch_interfaces: 0,
        efa_interfaces: 0,
        encrypts_in_transit: true,
        gpus: Vec::new(),
        neuron_devices: Vec::new(),
        accelerators: Vec::new(),
    }
}

/// Replaces guesses by what the labels and the status of a machine say.
fn correct(facts: &mut Ec2InstanceType, machine: &Machine) {
    let own = |name: &str| machine.labels.value(&format!("{DOMAIN}/instance-{name}"));
    let number = |name: &str| own(name).and_then(|text| text.parse::<i64>().ok());
    let text = |name: &str| own(name).map(Str::from);
    if let Some(arch) = machine.labels.get(labels::ARCH) {
        facts.arch = arch.clone();
    }
    let capacity = machine.predicted.as_ref().map(|(capacity, _)| capacity);
    let capacity = capacity.or(machine.capacity.as_ref());
    let cpu = capacity.and_then(|it| it.get(CPU)).map(Quantity::value);
    let memory = capacity.and_then(|it| it.get(MEMORY)).map(|memory| memory.value() >> 20);
    if let Some(vcpus) = number("cpu").or(cpu) {
        facts.vcpus = vcpus;
    }
    if let Some(memory) = number("memory").or_else(|| memory.filter(|_| facts.memory_mib == 0)) {
        facts.memory_mib = memory;
    }
    if own("category").is_none() {
        return;
    }
    // The labels are Karpenter's own: what they lack is not there.
    facts.hypervisor = text("hypervisor").unwrap_or_else(|| facts.hypervisor.clone());
    facts.cpu_manufacturer = text("cpu-manufacturer").unwrap_or_else(|| "".into());
    facts.clock_mhz = number("cpu-sustained-clock-speed-mhz");
    facts.ebs_mbps = number("ebs-bandwidth");
    facts.network_mbps = number("network-bandwidth");
    facts.instance_store_gb = number("local-nvme");
    facts.has_nvme = facts.instance_store_gb.is_some();
    facts.encrypts_in_transit = own("encryption-in-transit-supported") == Some("true");
    facts.gpus = text("gpu-name")
        .map(|name| Gpu {
            name,
            manufacturer: text("gpu-manufacturer").unwrap_or_else(|| "".into()),
            count: number("gpu-count").unwrap_or(0),
            memory_mib: number("gpu-memory").unwrap_or(0),
        })
        .into_iter()
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_by_name_are_as_right_as_measured() {
        let types = &built_in::aws().types;
        let count = |right: &dyn Fn(&Ec2InstanceType) -> Option<bool>| {
            let judged = types.iter().filter_map(|known| right(&known.facts));
            let judged: Vec<bool> = judged.collect();
            (judged.iter().filter(|right| **right).count(), judged.len())
        };
        let name = |facts: &Ec2InstanceType| facts.name.as_str().to_owned();
        let by_vcpus = count(&|facts| Some(vcpus(&name(facts))? == facts.vcpus));
        let by_arch = count(&|facts| Some(arch(&name(facts)) == &*facts.arch));
        let by_memory =
            count(&|facts| Some(memory_mib(&name(facts), facts.vcpus)? == facts.memory_mib));
        assert_eq!(by_vcpus, (1310, 1333));
        assert_eq!(by_arch, (1384, 1384));
        assert_eq!(by_memory, (358 + 326 + 305, 358 + 326 + 312));
    }

    #[test]
    fn a_new_generation_is_like_the_last() {
        let facts = facts(&"m12g.4xlarge".into(), None).expect("a guess");
        let last = &built_in::aws().get("m9g.4xlarge").expect("a known type").facts;
        assert_eq!((facts.vcpus, facts.memory_mib, &*facts.arch), (16, 65536, "arm64"));
        assert_eq!(facts.interfaces, last.interfaces);
        assert_eq!(super::facts(&"nonsense".into(), None), None);
    }
}
