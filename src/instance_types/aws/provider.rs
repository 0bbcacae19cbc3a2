//! `AwsProvider`: the model of `karpenter-provider-aws` over everything that is known of a cluster.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::instance_types::correct::correct;
use crate::instance_types::observed::{Machine, Observed};
use crate::instance_types::requirement::in_values;
use crate::instance_types::unavailable::Unavailable;
use crate::karpenter::{CloudProvider, Launch, NewNodeClaim};
use crate::model::catalogue::Ec2InstanceType;
use crate::model::gap::Gap;
use crate::model::instance_type::InstanceType;
use crate::model::labels;
use crate::model::names::{InstanceTypeName, ResourceName, Str};
use crate::model::nodepool::{NodeClass, NodeClassRef, NodePool};
use crate::model::quantity::Quantity;
use crate::model::resources::MEMORY;
use crate::model::time::Timestamp;

use super::capacity;
use super::fleet;
use super::node_class::{Ec2NodeClass, Subnet};
use super::not_listed::NotListed;
use super::offerings::{self, Listed, Market};
use super::overhead;
use super::prices::Prices;
use super::requirements::{self, DOMAIN, RESERVATION_ID, RESERVATION_TYPE, ZONE_ID};
use super::requirements::{RESERVATION_INTERRUPTIBLE, well_known_labels};
use super::settings::AwsSettings;

/// The model of AWS. What is large is shared: the model of another moment is cheap to make.
#[derive(Clone)]
pub struct AwsProvider {
    /// Facts of every type that EC2 may offer, in the order of the names.
    pub types: Arc<BTreeMap<InstanceTypeName, Arc<Ec2InstanceType>>>,
    /// Karpenter's settings.
    pub settings: AwsSettings,
    /// Prices of the region.
    pub prices: Arc<Prices>,
    /// The zones of the region as far as known, for a NodeClass that does not list its own.
    pub zones: Vec<Subnet>,
    /// The zones in which a type is offered, where a file says so.
    pub offered_in: Option<Arc<BTreeMap<InstanceTypeName, Vec<Str>>>>,
    /// What the snapshot shows.
    pub observed: Arc<Observed>,
    /// NodeClasses that the snapshot lacks, as their NodeClaims show them.
    pub inferred: BTreeMap<NodeClassRef, Ec2NodeClass>,
    /// Types that no list of a NodeClaim has though it should.
    pub not_listed: Arc<BTreeMap<InstanceTypeName, NotListed>>,
    /// What could not be had, and when.
    pub unavailable: Arc<Vec<Unavailable>>,
    /// The moment.
    pub at: Option<Timestamp>,
    /// What had to be assumed.
    pub gaps: Vec<Gap>,
    /// Types by NodeClass as they are at any moment but for those that machines or marks of a moment change.
    pub(super) timeless: Timeless,
}

/// Lists that were worked out once: most types are the same at every moment.
#[derive(Clone, Default)]
pub(super) struct Timeless(Arc<Mutex<BTreeMap<(NodeClassRef, bool), Types>>>);

type Types = Arc<[Arc<InstanceType>]>;

/// A type as the model sees it for a NodeClass, with why its offerings cannot be had.
pub struct Modelled {
    /// The type.
    pub instance_type: InstanceType,
    /// Its offerings, in the same order.
    pub offerings: Vec<Listed>,
    /// The NodeClaim whose numbers replaced the formulas', where they differ.
    pub corrected_by: Option<Str>,
    /// Where its memory comes from.
    pub memory: MemorySource,
}

/// Where a type's memory comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemorySource {
    /// The formula.
    Formula,
    /// What a node had, or what the provider said at a launch after it had seen one.
    Discovered,
}

impl AwsProvider {
    /// What a NodeClass says; where there is none, what its NodeClaims show, else the defaults.
    pub fn node_class(&self, reference: &NodeClassRef, class: Option<&NodeClass>) -> Ec2NodeClass {
        match class {
            Some(class) => Ec2NodeClass::read(class).0,
            None => self.inferred.get(reference).cloned().unwrap_or_default(),
        }
    }

    /// Every type for a NodeClass.
    pub fn modelled(&self, reference: &NodeClassRef, class: Option<&NodeClass>) -> Vec<Modelled> {
        let is_default = class.is_none();
        let class = self.node_class(reference, class);
        let zones = if class.subnets.is_empty() { &self.zones } else { &class.subnets };
        let types = self.types.values();
        let unavailable: Vec<&Unavailable> =
            self.unavailable.iter().filter(|mark| mark.holds_at(self.at)).collect();
        types
            .map(|facts| {
                let market = self.market(facts, zones, &unavailable);
                self.model(facts, (reference, &class, is_default), &market)
            })
            .collect()
    }

    fn market<'a>(
        &'a self,
        facts: &Ec2InstanceType,
        zones: &'a [Subnet],
        unavailable: &'a [&'a Unavailable],
    ) -> Market<'a> {
        Market {
            zones,
            offered_in: self.offered_in(&facts.name),
            prices: &self.prices,
            unavailable,
            is_seen: self.observed.shows(facts.name.as_str()),
            not_listed: self.not_listed.get(&facts.name),
            has_interruptible_reservations: self.settings.version.since(10, 0),
        }
    }

    fn model(
        &self,
        facts: &Ec2InstanceType,
        (reference, class, class_is_missing): (&NodeClassRef, &Ec2NodeClass, bool),
        market: &Market<'_>,
    ) -> Modelled {
        let offerings = offerings::offerings(facts, class, market);
        let mut requirements = requirements::requirements(facts, class, self.settings.version);
        requirements.extend(self.market_requirements(facts, class, market));
        let mut capacity = capacity::capacity(facts, class, &self.settings);
        let mut overhead = overhead::overhead(facts, class, &self.settings);
        let nearest = self.observed.nearest(&facts.name, reference, self.at);
        let corrected_by = nearest
            .filter(|machine| correct((&mut capacity, &mut overhead), machine, &[MEMORY]))
            .and_then(|machine| machine.node_claim.as_ref().map(|claim| claim.0.clone()));
        let known_images = if class_is_missing { None } else { Some(&class.amis[..]) };
        let memory = self.memory(facts, reference, known_images);
        if let Some(memory) = memory {
            capacity.set(ResourceName::from(MEMORY), memory);
        }
        let instance_type = InstanceType {
            name: facts.name.clone(),
            requirements,
            offerings: offerings.iter().map(|listed| listed.offering.clone()).collect(),
            capacity,
            overhead,
            volume_attachment_limits: Vec::new(),
        };
        let memory = memory.map_or(MemorySource::Formula, |_| MemorySource::Discovered);
        Modelled { instance_type, offerings, corrected_by, memory }
    }

    /// The types for a NodeClass without what depends on the moment; worked out once.
    fn timeless(&self, reference: &NodeClassRef, class: Option<&NodeClass>) -> Types {
        let key = (reference.clone(), class.is_some());
        // A panic elsewhere leaves the map whole: entries are only added.
        let mut known = self.timeless.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(types) = known.get(&key) {
            return types.clone();
        }
        let ever = Self { at: None, ..self.clone() };
        let types = ever.modelled(reference, class).into_iter();
        let types: Types = types.map(|it| Arc::new(it.instance_type)).collect();
        known.insert(key, types.clone());
        types
    }

    fn offered_in(&self, name: &InstanceTypeName) -> Option<&[Str]> {
        let offered = self.offered_in.as_ref()?;
        Some(offered.get(name).map_or(&[], Vec::as_slice))
    }

    /// Zones, capacity types and reservations.
    fn market_requirements(
        &self,
        facts: &Ec2InstanceType,
        class: &Ec2NodeClass,
        market: &Market<'_>,
    ) -> Vec<crate::model::nodepool::NodeRequirement> {
        let zones = market
            .zones
            .iter()
            .filter(|subnet| market.offered_in.is_none_or(|zones| zones.contains(&subnet.zone)));
        let zones: Vec<&Subnet> = zones.collect();
        let mut capacity_types = offerings::capacity_types(facts);
        let reservations: Vec<_> = offerings::reservations(&facts.name, class).collect();
        if !reservations.is_empty() {
            capacity_types.push("reserved".into());
        }
        let mut requirements = vec![
            in_values(labels::ZONE, distinct(zones.iter().map(|subnet| subnet.zone.clone()))),
            in_values(ZONE_ID, distinct(zones.iter().filter_map(|subnet| subnet.zone_id.clone()))),
            in_values(labels::REGION, [self.prices.region.clone()]),
            in_values(labels::CAPACITY_TYPE, capacity_types),
            in_values(RESERVATION_ID, distinct(reservations.iter().map(|it| it.id.clone()))),
            in_values(RESERVATION_TYPE, distinct(reservations.iter().map(|it| it.kind.clone()))),
        ];
        if market.has_interruptible_reservations {
            let values = reservations.iter().map(|it| Str::from(it.is_interruptible.to_string()));
            requirements.push(in_values(RESERVATION_INTERRUPTIBLE, distinct(values)));
        }
        requirements
    }

    /// Memory that the provider had discovered at the moment; `None` while the formula ruled.
    fn memory(
        &self,
        facts: &Ec2InstanceType,
        class: &NodeClassRef,
        images: Option<&[Str]>,
    ) -> Option<Quantity> {
        let formula = capacity::memory(facts, &self.settings);
        let machines = self.observed.machines.get(&facts.name)?;
        let of_class = || machines.iter().filter(|machine| machine.node_class == *class);
        // The provider looks at machines whose image is one that the NodeClass would use now.
        let is_current = |machine: &&Machine| match (images, &machine.image) {
            (Some(images), Some(image)) => images.is_empty() || images.contains(image),
            _ => true,
        };
        let is_past = |moment: Option<Timestamp>| match (moment, self.at) {
            (Some(moment), Some(at)) => moment <= at,
            (Some(_), None) => true,
            (None, _) => false,
        };
        // A launch at most this long before or after the moment shows the very list: it is rebuilt every 5 minutes.
        let is_near = |machine: &&Machine| {
            let apart = self.at.zip(machine.launched).map(|(at, launched)| launched.since(at).0);
            apart.is_some_and(|apart| (0..=300_000_000_000).contains(&apart))
        };
        let told = |machine: &Machine| Some(machine.predicted.as_ref()?.0.amount(MEMORY));
        let near = of_class().filter(is_near).filter(|it| it.predicted.is_some());
        if let Some(memory) = near.min_by_key(|it| it.launched).and_then(told) {
            return Some(memory).filter(|memory| *memory != formula);
        }
        let registered = of_class().filter(is_current).filter(|it| is_past(it.registered));
        let discovered = registered
            .filter_map(|machine| machine.capacity.as_ref()?.get(MEMORY))
            .filter(|memory| !memory.is_zero())
            .min();
        discovered
            .or_else(|| {
                let nearest = self.observed.nearest(&facts.name, class, self.at)?;
                told(nearest)
            })
            .filter(|memory| *memory != formula)
    }
}

fn distinct(values: impl Iterator<Item = Str>) -> Vec<Str> {
    let mut values: Vec<Str> = values.collect();
    values.sort();
    values.dedup();
    values
}

impl CloudProvider for Arc<AwsProvider> {
    fn name(&self) -> &'static str {
        "aws"
    }

    fn supports(&self, class: &NodeClassRef) -> bool {
        let same = |part: &Option<Str>, name: &str| part.as_deref().is_none_or(|part| part == name);
        same(&class.group, DOMAIN) && same(&class.kind, "EC2NodeClass")
    }

    fn instance_types(&self, pool: &NodePool, class: Option<&NodeClass>) -> Vec<Arc<InstanceType>> {
        let reference = &pool.template.node_class;
        let timeless = self.timeless(reference, class);
        let marks: Vec<&Unavailable> = self
            .unavailable
            .iter()
            .filter(|it| it.since.is_some() && it.holds_at(self.at))
            .collect();
        let changes = |listed: &InstanceType| {
            let name = listed.name.as_str();
            self.observed.machines.contains_key(name)
                || marks
                    .iter()
                    .any(|mark| mark.instance_type.as_deref().is_none_or(|it| it == name))
        };
        let unavailable: Vec<&Unavailable> =
            self.unavailable.iter().filter(|mark| mark.holds_at(self.at)).collect();
        let is_missing = class.is_none();
        let class = self.node_class(reference, class);
        let zones = if class.subnets.is_empty() { &self.zones } else { &class.subnets };
        let then = timeless.iter().map(|listed| match self.types.get(&listed.name) {
            Some(facts) if changes(listed) => {
                let market = self.market(facts, zones, &unavailable);
                Arc::new(self.model(facts, (reference, &class, is_missing), &market).instance_type)
            }
            _ => listed.clone(),
        });
        then.collect()
    }

    fn well_known_labels(&self) -> Vec<Str> {
        well_known_labels(self.settings.version)
    }

    fn restricted_domains(&self) -> Vec<Str> {
        vec![DOMAIN.into()]
    }

    fn reservation_id_label(&self) -> Option<&str> {
        Some(RESERVATION_ID)
    }

    fn launches(&self, claim: &NewNodeClaim, types: &[Arc<InstanceType>]) -> Vec<Launch> {
        fleet::request(&claim.requirements, &claim.requests, types, self.prices.knows_spot())
            .candidates
    }

    fn at(&self, moment: Timestamp) -> Option<Box<dyn CloudProvider>> {
        let mut then = AwsProvider::clone(self);
        then.at = Some(moment);
        Some(Box::new(Arc::new(then)))
    }

    fn gaps(&self) -> Vec<Gap> {
        self.gaps.clone()
    }
}
