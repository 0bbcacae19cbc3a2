//! `SnapshotOnly`: a provider whose arithmetic is not known, seen through its NodeClaims and Nodes; or a list of types
//! that a file gives.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::karpenter::{CloudProvider, Launch, NewNodeClaim};
use crate::model::gap::Gap;
use crate::model::instance_type::{InstanceType, Offering, Overhead};
use crate::model::labels;
use crate::model::names::{InstanceTypeName, Str};
use crate::model::nodepool::{NodeClass, NodeClassRef, NodePool};
use crate::model::resources::Resources;
use crate::model::time::Timestamp;

use super::observed::{Machine, Observed};
use super::requirement::{in_values, meets, only_value};
use super::unavailable::Unavailable;

/// Labels that are of a machine and not of its type.
const NOT_OF_THE_TYPE: [&str; 8] = [
    labels::HOSTNAME,
    labels::NODEPOOL,
    labels::REGISTERED,
    labels::INITIALIZED,
    labels::ZONE,
    labels::CAPACITY_TYPE,
    labels::INSTANCE_TYPE,
    "karpenter.sh/do-not-sync-taints",
];

/// The label in which some providers tell a machine's price.
const PRICE: &str = "eks-node-viewer/instance-price";

/// A provider that is known by its list of types alone.
pub struct SnapshotOnly {
    /// The types, in the order of their names.
    pub types: Vec<Arc<InstanceType>>,
    /// What had to be assumed.
    pub gaps: Vec<Gap>,
}

impl SnapshotOnly {
    /// The types that the snapshot's machines show: what each offered at the launch nearest to a moment, in every zone
    /// and capacity type of the snapshot's machines.
    pub fn of(observed: &Observed, at: Option<Timestamp>, unavailable: &[Unavailable]) -> Self {
        let machines = || observed.machines.values().flatten().filter(|it| it.node_claim.is_some());
        let places: BTreeSet<(Str, Str)> = machines()
            .filter_map(|it| Some((it.zone()?.clone(), it.capacity_type()?.clone())))
            .collect();
        let types = observed.machines.iter().filter_map(|(name, machines)| {
            let machine = nearest(machines, at)?;
            Some(Arc::new(instance_type(name, machine, machines, (&places, unavailable))))
        });
        Self { types: types.collect(), gaps: Vec::new() }
    }

    /// The types that a file lists, as it lists them.
    pub fn listed(types: &[Arc<InstanceType>], unavailable: &[Unavailable]) -> Self {
        let types = types.iter().map(|listed| {
            let hidden = |offering: &Offering| is_hidden(&listed.name, offering, unavailable);
            let mut changed = InstanceType::clone(listed);
            complete(&mut changed);
            for offering in &mut changed.offerings {
                offering.available &= !hidden(offering);
            }
            Arc::new(changed)
        });
        Self { types: types.collect(), gaps: Vec::new() }
    }
}

/// Adds what a list does not say twice: the name, and where it is offered.
fn complete(listed: &mut InstanceType) {
    let offered = |key: &str| {
        let of_key = listed.offerings.iter().flat_map(|it| &it.requirements);
        let values = of_key.filter(|it| &*it.key == key).flat_map(|it| it.values.iter().cloned());
        values.collect::<BTreeSet<Str>>()
    };
    let added = [
        in_values(labels::INSTANCE_TYPE, [listed.name.as_str()]),
        in_values(labels::ZONE, offered(labels::ZONE)),
        in_values(labels::CAPACITY_TYPE, offered(labels::CAPACITY_TYPE)),
    ];
    for requirement in added {
        if !listed.requirements.iter().any(|own| own.key == requirement.key) {
            listed.requirements.push(requirement);
        }
    }
}

fn is_hidden(name: &InstanceTypeName, offering: &Offering, unavailable: &[Unavailable]) -> bool {
    let value = |key| only_value(&offering.requirements, key).map_or("", |value| &**value);
    let (zone, capacity_type) = (value(labels::ZONE), value(labels::CAPACITY_TYPE));
    unavailable.iter().any(|mark| mark.covers(name.as_str(), zone, capacity_type))
}

fn nearest(machines: &[Machine], at: Option<Timestamp>) -> Option<&Machine> {
    let told = machines.iter().filter(|machine| machine.predicted.is_some());
    told.min_by_key(|machine| match (machine.launched, at) {
        (Some(launched), Some(at)) => launched.since(at).0.abs(),
        (Some(launched), None) => Timestamp::from_seconds(0).since(launched).0,
        (None, _) => i128::MAX,
    })
}

fn instance_type(
    name: &InstanceTypeName,
    machine: &Machine,
    machines: &[Machine],
    (places, unavailable): (&BTreeSet<(Str, Str)>, &[Unavailable]),
) -> InstanceType {
    let (capacity, allocatable) = machine.predicted.clone().unwrap_or_default();
    let kept: Resources = allocatable
        .iter()
        .map(|(name, amount)| (name.clone(), capacity.amount(name.as_str()).minus(*amount)))
        .collect();
    let mut requirements = vec![in_values(labels::INSTANCE_TYPE, [name.as_str()])];
    // What every machine of the type has alike is the type's; the rest is the pool's or the machine's.
    let shared = machine.labels.iter().filter(|(key, value)| {
        let is_own = NOT_OF_THE_TYPE.contains(&&**key) || &**key == PRICE;
        !is_own && machines.iter().all(|other| other.labels.get(key) == Some(value))
    });
    requirements.extend(shared.map(|(key, value)| in_values(key, [value.clone()])));
    let zones: BTreeSet<&Str> = places.iter().map(|(zone, _)| zone).collect();
    let kinds: BTreeSet<&Str> = places.iter().map(|(_, kind)| kind).collect();
    requirements.push(in_values(labels::ZONE, zones.into_iter().cloned()));
    requirements.push(in_values(labels::CAPACITY_TYPE, kinds.into_iter().cloned()));
    let prices: BTreeMap<(&Str, &Str), f64> = machines
        .iter()
        .filter_map(|it| Some(((it.zone()?, it.capacity_type()?), price(it)?)))
        .collect();
    let cheapest = prices.values().copied().min_by(f64::total_cmp).unwrap_or(0.0);
    let offerings = places.iter().map(|(zone, capacity_type)| Offering {
        requirements: vec![
            in_values(labels::CAPACITY_TYPE, [capacity_type.clone()]),
            in_values(labels::ZONE, [zone.clone()]),
        ],
        price: prices.get(&(zone, capacity_type)).copied().unwrap_or(cheapest),
        available: !unavailable.iter().any(|it| it.covers(name.as_str(), zone, capacity_type)),
        reservation_capacity: 0,
        capacity_override: Resources::new(),
        overhead_override: None,
    });
    InstanceType {
        name: name.clone(),
        offerings: offerings.collect(),
        requirements,
        capacity,
        overhead: Overhead { kube_reserved: kept, ..Overhead::default() },
        volume_attachment_limits: Vec::new(),
    }
}

fn price(machine: &Machine) -> Option<f64> {
    machine.labels.value(PRICE)?.parse().ok()
}

impl CloudProvider for SnapshotOnly {
    fn name(&self) -> &'static str {
        "snapshot"
    }

    fn supports(&self, _: &NodeClassRef) -> bool {
        true
    }

    fn instance_types(&self, _: &NodePool, _: Option<&NodeClass>) -> Vec<Arc<InstanceType>> {
        self.types.clone()
    }

    fn well_known_labels(&self) -> Vec<Str> {
        let of_types = self.types.iter().flat_map(|it| &it.requirements);
        let of_offerings =
            self.types.iter().flat_map(|it| it.offerings.iter().flat_map(|it| &it.requirements));
        let keys: BTreeSet<Str> = of_types.chain(of_offerings).map(|it| it.key.clone()).collect();
        keys.into_iter().collect()
    }

    fn launches(&self, claim: &NewNodeClaim, types: &[Arc<InstanceType>]) -> Vec<Launch> {
        let possible = types.iter().flat_map(|listed| {
            let fits = |offering: &&Offering| {
                let met = |asked| meets(&offering.requirements, asked);
                offering.available && claim.requirements.iter().all(met)
            };
            listed.offerings.iter().filter(fits).map(|offering| Launch {
                instance_type: listed.name.clone(),
                zone: only_value(&offering.requirements, labels::ZONE).cloned(),
                capacity_type: only_value(&offering.requirements, labels::CAPACITY_TYPE).cloned(),
                price: offering.price,
            })
        });
        let mut possible: Vec<Launch> = possible.collect();
        possible.sort_by(|a, b| {
            a.price.total_cmp(&b.price).then_with(|| a.instance_type.cmp(&b.instance_type))
        });
        possible
    }

    fn gaps(&self) -> Vec<Gap> {
        self.gaps.clone()
    }
}
