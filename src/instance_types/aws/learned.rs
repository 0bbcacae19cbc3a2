//! What NodeClaims tell of settings that no object of the snapshot holds: Karpenter's environment, a missing NodeClass.

use std::collections::{BTreeMap, BTreeSet};

use crate::instance_types::built_in;
use crate::instance_types::observed::{Machine, Observed};
use crate::model::catalogue::Ec2InstanceType;
use crate::model::names::{InstanceTypeName, ResourceName};
use crate::model::nodepool::NodeClassRef;
use crate::model::quantity::Quantity;
use crate::model::resources::{CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Resources};

use super::ami_family::AmiFamily;
use super::capacity;
use super::node_class::{BlockDevice, Ec2NodeClass};
use super::overhead;
use super::settings::AwsSettings;

/// A machine with the facts of its type and the provider's numbers.
struct Sample<'a> {
    facts: &'a Ec2InstanceType,
    capacity: &'a Resources,
    allocatable: &'a Resources,
}

fn sample<'a>(name: &InstanceTypeName, machine: &'a Machine) -> Option<Sample<'a>> {
    let facts = &built_in::aws().get(name.as_str())?.facts;
    let (capacity, allocatable) = machine.predicted.as_ref()?;
    Some(Sample { facts, capacity, allocatable })
}

/// The part of memory that machines do not show, where NodeClaims of several types agree on one that is not the
/// setting's: then the environment holds another value. Discovered memory differs from type to type and never agrees.
pub fn vm_memory_overhead(observed: &Observed, settings: &AwsSettings) -> Option<f64> {
    let mut samples: BTreeMap<&InstanceTypeName, Sample<'_>> = BTreeMap::new();
    for (name, machines) in &observed.machines {
        let told = machines.iter().find_map(|machine| sample(name, machine));
        samples.extend(told.map(|sample| (name, sample)));
    }
    let fits = |fraction: f64| {
        let settings = AwsSettings { vm_memory_overhead: fraction, ..*settings };
        let equal =
            |it: &&Sample<'_>| capacity::memory(it.facts, &settings) == it.capacity.amount(MEMORY);
        samples.values().filter(equal).count()
    };
    let set = fits(settings.vm_memory_overhead);
    // In thousandths: nobody sets it finer.
    let best = (0..=200)
        .map(|thousandths| f64::from(thousandths) / 1000.0)
        .map(|fraction| (fits(fraction), fraction))
        .max_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)))?;
    (set == 0 && best.0 >= 2 && best.0 * 2 > samples.len()).then_some(best.1)
}

/// Interfaces that give no address to pods, where NodeClaims of several types agree on a number of them. Only
/// NodeClaims of NodeClasses that are known not to limit pods themselves can tell.
pub fn reserved_enis(
    observed: &Observed,
    classes: &BTreeMap<NodeClassRef, Ec2NodeClass>,
) -> Option<i64> {
    let mut told: BTreeMap<&InstanceTypeName, BTreeSet<Option<i64>>> = BTreeMap::new();
    for (name, machine) in observed
        .machines
        .iter()
        .flat_map(|(name, machines)| machines.iter().map(move |machine| (name, machine)))
    {
        let Some(class) = classes.get(&machine.node_class) else { continue };
        let own_limit = class.kubelet.max_pods.or(class.kubelet.pods_per_core);
        let (None, false) = (own_limit, class.family.is_windows()) else { continue };
        let Some(sample) = sample(name, machine) else { continue };
        let pods = sample.capacity.get(PODS).map(Quantity::value);
        let fitting = (0..=3).find(|reserved| {
            pods.is_some() && capacity::pods_by_interfaces(sample.facts, class, *reserved) == pods
        });
        told.entry(name).or_default().insert(fitting);
    }
    let all: BTreeSet<Option<i64>> = told.values().flatten().copied().collect();
    match all.into_iter().collect::<Vec<_>>()[..] {
        [Some(reserved)] if told.len() >= 2 => Some(reserved),
        _ => None,
    }
}

/// A NodeClass that the snapshot lacks, as its NodeClaims show it; `None` without any. The number says how many
/// NodeClaims it was read from, and how many of them it explains to the last byte.
pub fn node_class(
    observed: &Observed,
    class: &NodeClassRef,
    settings: &AwsSettings,
) -> Option<(Ec2NodeClass, usize, usize)> {
    let machines = observed.machines.iter().flat_map(|(name, machines)| {
        let of_class = machines.iter().filter(|machine| machine.node_class == *class);
        of_class.filter_map(move |machine| sample(name, machine))
    });
    let samples: Vec<Sample<'_>> = machines.collect();
    let explained = |class: &Ec2NodeClass| {
        samples.iter().filter(|sample| explains(class, settings, sample)).count()
    };
    let mut best: Option<(usize, Ec2NodeClass)> = None;
    for candidate in candidates(&samples) {
        let count = explained(&candidate);
        if best.as_ref().is_none_or(|(most, _)| count > *most) {
            best = Some((count, candidate));
        }
    }
    best.filter(|_| !samples.is_empty()).map(|(count, class)| (class, samples.len(), count))
}

/// Families, pod limits and disks that the samples allow, the most usual first.
fn candidates(samples: &[Sample<'_>]) -> Vec<Ec2NodeClass> {
    let storage = only(samples.iter().map(|it| it.capacity.get(EPHEMERAL_STORAGE)));
    let pods = only(samples.iter().map(|it| it.capacity.get(PODS)));
    let max_pods = [None, pods.map(Quantity::value)];
    let families = [AmiFamily::Al2023, AmiFamily::Bottlerocket, AmiFamily::Windows2022];
    let mut candidates = Vec::new();
    for family in families {
        for max_pods in max_pods {
            let mut class = Ec2NodeClass { family, ..Ec2NodeClass::default() };
            class.kubelet.max_pods = max_pods;
            let device = family.data_device().unwrap_or_default();
            class.block_devices = storage
                .map(|size| BlockDevice { device: device.into(), is_root: false, size: Some(size) })
                .into_iter()
                .collect();
            // What is kept beyond the formulas is the same on every machine: the kubelet's settings say so.
            if let Some(more) = kept_beyond(&class, samples) {
                class.kubelet.system_reserved = more;
            }
            candidates.push(class);
        }
    }
    candidates
}

/// What every machine keeps beyond the formulas, where it is the same for all and not less than nothing.
fn kept_beyond(class: &Ec2NodeClass, samples: &[Sample<'_>]) -> Option<Resources> {
    let settings = AwsSettings::default();
    let mut more = Resources::new();
    for name in [CPU, MEMORY, EPHEMERAL_STORAGE] {
        let beyond = only(samples.iter().map(|sample| {
            let kept = sample.capacity.amount(name).minus(sample.allocatable.amount(name));
            Some(kept.minus(kept_by(class, sample.facts, &settings).amount(name)))
        }))?;
        if beyond.is_negative() {
            return None;
        }
        if !beyond.is_zero() {
            more.set(ResourceName::from(name), beyond);
        }
    }
    (!more.is_empty()).then_some(more)
}

fn kept_by(class: &Ec2NodeClass, facts: &Ec2InstanceType, settings: &AwsSettings) -> Resources {
    let overhead = overhead::overhead(facts, class, settings);
    let mut kept = overhead.kube_reserved;
    kept.add(&overhead.system_reserved);
    kept.add(&overhead.eviction_threshold);
    kept
}

/// Whether a NodeClass gives the provider's numbers; memory's capacity aside, which may be a discovered one.
fn explains(class: &Ec2NodeClass, settings: &AwsSettings, sample: &Sample<'_>) -> bool {
    let capacity = capacity::capacity(sample.facts, class, settings);
    let kept = kept_by(class, sample.facts, settings);
    let same_capacity =
        [CPU, PODS, EPHEMERAL_STORAGE].iter().all(|it| capacity.get(it) == sample.capacity.get(it));
    same_capacity
        && [CPU, MEMORY, EPHEMERAL_STORAGE].iter().all(|name| {
            let taken = sample.capacity.amount(name).minus(sample.allocatable.amount(name));
            taken == kept.amount(name)
        })
}

/// The value that all samples share.
fn only(values: impl Iterator<Item = Option<Quantity>>) -> Option<Quantity> {
    let values: BTreeSet<Option<Quantity>> = values.collect();
    match values.len() {
        1 => values.into_iter().next().flatten(),
        _ => None,
    }
}
