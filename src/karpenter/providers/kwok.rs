//! kwok: the provider that comes with Karpenter and launches nodes that are not there.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::instance_type::{InstanceType, Offering, Overhead};
use crate::model::labels;
use crate::model::names::{InstanceTypeName, Str};
use crate::model::nodepool::{NodeClass, NodeClassRef, NodePool, NodeRequirement};
use crate::model::quantity::Quantity;
use crate::model::resources::{CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Resources};
use crate::model::selector::Operator;

use super::super::cloud_provider::{CloudProvider, Launch};
use super::super::plan::NewNodeClaim;

/// The kwok provider with its instance types.
#[derive(Clone, Debug)]
pub struct Kwok {
    types: Vec<Arc<InstanceType>>,
    offering_keys: Vec<Str>,
}

/// The group of kwok's node class.
const GROUP: &str = "karpenter.kwok.sh";
/// How many pods a type holds that does not say so.
const PODS_OF_A_TYPE: i64 = 110;

impl Kwok {
    /// kwok with the types of a file, as rows of architecture, operating systems, resources and offerings.
    pub fn new(rows: &[Arc<InstanceType>]) -> Self {
        let types: Vec<Arc<InstanceType>> =
            rows.iter().map(|row| Arc::new(complete(row))).collect();
        let keys: BTreeSet<Str> = types
            .iter()
            .flat_map(|model| &model.offerings)
            .flat_map(|offering| &offering.requirements)
            .map(|requirement| requirement.key.clone())
            .collect();
        Self { types, offering_keys: keys.into_iter().collect() }
    }

    /// kwok with the types that it has built in.
    pub fn built_in() -> Self {
        Self::new(&built_in_rows())
    }
}

impl CloudProvider for Kwok {
    fn name(&self) -> &'static str {
        "kwok"
    }

    fn supports(&self, class: &NodeClassRef) -> bool {
        class.group.as_deref() == Some(GROUP) && class.kind.as_deref() == Some("KWOKNodeClass")
    }

    fn instance_types(&self, _: &NodePool, _: Option<&NodeClass>) -> Vec<Arc<InstanceType>> {
        self.types.clone()
    }

    fn well_known_labels(&self) -> Vec<Str> {
        let own = ["size", "family", "cpu", "memory"];
        let own = own.map(|part| Str::from(format!("{GROUP}/instance-{part}")));
        own.into_iter().chain(self.offering_keys.iter().cloned()).collect()
    }

    fn restricted_domains(&self) -> Vec<Str> {
        vec![GROUP.into()]
    }

    fn launches(&self, claim: &NewNodeClaim, types: &[Arc<InstanceType>]) -> Vec<Launch> {
        let mut ordered: Vec<&Arc<InstanceType>> = types.iter().collect();
        ordered.sort_by(|a, b| a.name.cmp(&b.name));
        let mut best: Option<(f64, &InstanceType)> = None;
        for model in ordered {
            let fitting = model.offerings.iter().filter(|offering| fits(claim, offering));
            let price = fitting.map(|offering| offering.price).min_by(f64::total_cmp);
            if let Some(price) = price
                && best.is_none_or(|(least, _)| price < least)
            {
                best = Some((price, model));
            }
        }
        let Some((price, model)) = best else { return Vec::new() };
        let cheapest = model
            .offerings
            .iter()
            .filter(|offering| fits(claim, offering) && offering.price.total_cmp(&price).is_eq());
        cheapest
            .map(|offering| Launch {
                instance_type: model.name.clone(),
                zone: single(offering, labels::ZONE),
                capacity_type: single(offering, labels::CAPACITY_TYPE),
                price,
            })
            .collect()
    }
}

/// Whether an offering can be had and each of its labels is one that the claim allows.
fn fits(claim: &NewNodeClaim, offering: &Offering) -> bool {
    offering.available
        && offering.requirements.iter().all(|own| {
            let asked = claim.requirements.iter().filter(|asked| asked.key == own.key);
            asked.into_iter().all(|asked| match asked.operator {
                Operator::In => own.values.iter().any(|value| asked.values.contains(value)),
                Operator::NotIn => own.values.iter().any(|value| !asked.values.contains(value)),
                Operator::DoesNotExist => own.values.is_empty(),
                _ => true,
            })
        })
}

fn single(offering: &Offering, key: &str) -> Option<Str> {
    let requirement = offering.requirements.iter().find(|own| &*own.key == key)?;
    match &requirement.values[..] {
        [value] => Some(value.clone()),
        _ => None,
    }
}

/// A row with what the provider adds: labels, overhead, room for pods. All offerings can be had.
fn complete(row: &InstanceType) -> InstanceType {
    let mut capacity = row.capacity.clone();
    if capacity.get(PODS).is_none() {
        capacity.set(PODS.into(), Quantity::units(PODS_OF_A_TYPE));
    }
    let offered = |key: &str| {
        let offerings = row.offerings.iter().flat_map(|offering| &offering.requirements);
        let values: BTreeSet<Str> = offerings
            .filter(|requirement| &*requirement.key == key)
            .flat_map(|requirement| requirement.values.iter().cloned())
            .collect();
        values.into_iter().collect::<Vec<Str>>()
    };
    let text = |name: &str| row.capacity.get(name).map(|amount| amount.to_string());
    let (cpu, memory) = (text(CPU).unwrap_or_default(), text(MEMORY).unwrap_or_default());
    let name = row.name.as_str();
    let size = size(name).map_or_else(|| cpu.clone(), str::to_owned);
    let own = [
        (labels::INSTANCE_TYPE.to_owned(), vec![row.name.0.clone()]),
        (labels::ZONE.to_owned(), offered(labels::ZONE)),
        (labels::CAPACITY_TYPE.to_owned(), offered(labels::CAPACITY_TYPE)),
        (format!("{GROUP}/instance-size"), vec![size.into()]),
        (format!("{GROUP}/instance-family"), vec![family(name).into()]),
        (format!("{GROUP}/instance-cpu"), vec![cpu.into()]),
        (format!("{GROUP}/instance-memory"), vec![memory.into()]),
    ];
    let mut requirements = row.requirements.clone();
    requirements.extend(own.into_iter().map(|(key, values)| one_of(key, values)));
    let offerings = row.offerings.iter();
    InstanceType {
        name: row.name.clone(),
        requirements,
        offerings: offerings
            .map(|offering| Offering { available: true, ..offering.clone() })
            .collect(),
        capacity,
        overhead: Overhead {
            kube_reserved: [
                (CPU.into(), Quantity::millis(100)),
                (MEMORY.into(), Quantity::bytes(10 << 20)),
            ]
            .into_iter()
            .collect(),
            ..Overhead::default()
        },
        volume_attachment_limits: Vec::new(),
    }
}

fn one_of(key: impl Into<Str>, values: Vec<Str>) -> NodeRequirement {
    NodeRequirement { key: key.into(), operator: Operator::In, values, min_values: None }
}

/// The size that a name of the form `family.size` tells.
fn size(name: &str) -> Option<&str> {
    let (family, size) = name.split_once('.')?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_size = match size {
        "nano" | "micro" | "small" | "medium" | "metal" => true,
        _ => {
            let times = size.strip_suffix("large")?;
            times.is_empty()
                || times
                    .strip_suffix('x')
                    .is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
        }
    };
    (!family.is_empty() && family.chars().all(is_word) && is_size).then_some(size)
}

/// The family of a name: what is in front of the first `.` or `-`, or else the first letter.
fn family(name: &str) -> &str {
    match name.find(['.', '-']) {
        Some(end) => &name[..end],
        None => name.char_indices().nth(1).map_or(name, |(end, _)| &name[..end]),
    }
}

/// The built-in types: families c, s and m in twelve sizes, for two architectures and two systems.
fn built_in_rows() -> Vec<Arc<InstanceType>> {
    const SIZES: [i64; 12] = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256];
    const FAMILIES: [(&str, i64); 3] = [("c", 2), ("s", 4), ("m", 8)];
    let mut rows = Vec::new();
    for cpus in SIZES {
        for (family, memory_per_cpu) in FAMILIES {
            for system in ["linux", "windows"] {
                for arch in ["amd64", "arm64"] {
                    let row = built_in_row(cpus, family, cpus * memory_per_cpu, system, arch);
                    rows.push(Arc::new(row));
                }
            }
        }
    }
    rows
}

fn built_in_row(cpus: i64, family: &str, gibibytes: i64, system: &str, arch: &str) -> InstanceType {
    const SPOT: f64 = 0.7;
    let memory = Quantity::bytes(gibibytes << 30);
    let price = 0.025 * Quantity::units(cpus).as_f64() + 0.001 * (memory.as_f64() / 1e9);
    let mut offerings = Vec::new();
    for zone in ["test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d"] {
        for (capacity_type, price) in [("spot", price * SPOT), ("on-demand", price)] {
            offerings.push(Offering {
                requirements: vec![
                    one_of(labels::CAPACITY_TYPE, vec![capacity_type.into()]),
                    one_of(labels::ZONE, vec![zone.into()]),
                ],
                price,
                available: true,
                reservation_capacity: 0,
                capacity_override: Resources::new(),
                overhead_override: None,
            });
        }
    }
    InstanceType {
        name: InstanceTypeName::from(format!("{family}-{cpus}x-{arch}-{system}")),
        requirements: vec![
            one_of(labels::ARCH, vec![arch.into()]),
            one_of(labels::OS, vec![system.into()]),
        ],
        offerings,
        capacity: [
            (CPU.into(), Quantity::units(cpus)),
            (MEMORY.into(), memory),
            (PODS.into(), Quantity::units((cpus * 16).min(1024))),
            (EPHEMERAL_STORAGE.into(), Quantity::bytes(20 << 30)),
        ]
        .into_iter()
        .collect(),
        overhead: Overhead::default(),
        volume_attachment_limits: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_and_family_are_read_from_the_name() {
        for (name, expected_size, expected_family) in [
            ("m5.large", Some("large"), "m5"),
            ("m5.24xlarge", Some("24xlarge"), "m5"),
            ("m5.metal", Some("metal"), "m5"),
            ("m5.metal-24xl", None, "m5"),
            ("c-4x-amd64", None, "c"),
            ("plain", None, "p"),
        ] {
            assert_eq!((size(name), family(name)), (expected_size, expected_family), "{name}");
        }
    }

    #[test]
    fn there_are_144_built_in_types() {
        let types = Kwok::built_in().types;
        assert_eq!(types.len(), 144);
        assert!(types.iter().all(|model| model.offerings.len() == 8));
    }
}
