//! Where and how a type can be had on AWS, at what price, and why not.

use std::fmt;

use serde::Serialize;

use crate::instance_types::requirement::in_values;
use crate::instance_types::unavailable::Unavailable;
use crate::model::catalogue::Ec2InstanceType;
use crate::model::instance_type::Offering;
use crate::model::labels;
use crate::model::names::{InstanceTypeName, Str};
use crate::model::nodepool::NodeRequirement;
use crate::model::resources::Resources;

use super::ami_family::AmiFamily;
use super::node_class::{Ec2NodeClass, Reservation, Subnet};
use super::not_listed::NotListed;
use super::prices::{PriceOrigin, Prices};
use super::requirements::{
    RESERVATION_ID, RESERVATION_INTERRUPTIBLE, RESERVATION_TYPE, ZONE_ID, category_and_generation,
};

/// A reservation costs next to nothing more than it costs already.
const RESERVED_PRICE_PARTS: f64 = 10_000_000.0;

/// What decides over the offerings of a type.
pub struct Market<'a> {
    /// The zones of the NodeClass.
    pub zones: &'a [Subnet],
    /// The zones in which EC2 offers the type; `None` when that is not known.
    pub offered_in: Option<&'a [Str]>,
    /// Prices.
    pub prices: &'a Prices,
    /// Offerings that cannot be had at the moment.
    pub unavailable: &'a [&'a Unavailable],
    /// Whether the snapshot shows that the type is sold.
    pub is_seen: bool,
    /// Offerings that the lists of NodeClaims lack though dearer ones are in them.
    pub not_listed: Option<&'a NotListed>,
    /// Whether the label `topology.k8s.aws/zone-id` and reservations exist in the release.
    pub has_interruptible_reservations: bool,
}

/// An offering, where its price comes from, and why it cannot be had.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The offering.
    pub offering: Offering,
    /// Where its price comes from.
    pub origin: Option<PriceOrigin>,
    /// Why it cannot be had.
    pub obstacle: Option<Obstacle>,
}

/// Why an offering cannot be had.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Obstacle {
    /// EC2 does not offer the type in the zone.
    NotInZone,
    /// No price list of the region has it.
    NoPrice,
    /// No spot price of the zone is known, though spot prices are.
    NoSpotPrice,
    /// First-generation Graviton does not boot Amazon Linux 2023.
    NoImage,
    /// It was unavailable at the moment.
    Unavailable,
    /// NodeClaims list dearer types, but not this one.
    NotListed,
    /// The reservation is full.
    ReservationFull,
    /// The reservation is about to end.
    ReservationExpiring,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotInZone => "EC2 does not offer it in the zone",
            Self::NoPrice => "no price list of the region has it",
            Self::NoSpotPrice => "it has no spot price in the zone",
            Self::NoImage => "a1 does not boot Amazon Linux 2023",
            Self::NotListed => "NodeClaims list dearer types, but not this one",
            Self::Unavailable => "it was unavailable at the moment",
            Self::ReservationFull => "the reservation is full",
            Self::ReservationExpiring => "the reservation is about to end",
        })
    }
}

/// How a type is sold, as far as known: high-performance types are not sold as spot.
pub fn capacity_types(facts: &Ec2InstanceType) -> Vec<Str> {
    if let Some(known) = &facts.capacity_types {
        return known.clone();
    }
    let category = category_and_generation(facts.name.as_str()).map(|(category, _)| category);
    let kinds: &[&str] =
        if category == Some("hpc") { &["on-demand"] } else { &["on-demand", "spot"] };
    kinds.iter().map(|kind| Str::from(*kind)).collect()
}

/// Reservations of a type.
pub fn reservations<'a>(
    name: &'a InstanceTypeName,
    class: &'a Ec2NodeClass,
) -> impl Iterator<Item = &'a Reservation> {
    class.reservations.iter().filter(|it| *it.instance_type == *name.as_str())
}

/// Every offering of a type. As `offering.createOfferings`.
pub fn offerings(
    facts: &Ec2InstanceType,
    class: &Ec2NodeClass,
    market: &Market<'_>,
) -> Vec<Listed> {
    let mut listed = Vec::new();
    for subnet in market.zones {
        for capacity_type in capacity_types(facts) {
            listed.push(offering(facts, class, market, (subnet, &capacity_type)));
        }
    }
    for reservation in reservations(&facts.name, class) {
        listed.push(reserved(facts, class, market, reservation));
    }
    listed
}

fn offering(
    facts: &Ec2InstanceType,
    class: &Ec2NodeClass,
    market: &Market<'_>,
    (subnet, capacity_type): (&Subnet, &Str),
) -> Listed {
    let is_spot = &**capacity_type == "spot";
    let on_demand = || {
        let guess = || market.prices.by_family(&facts.name, facts.vcpus).filter(|_| market.is_seen);
        market.prices.on_demand(&facts.name).or_else(guess)
    };
    let price = if !is_spot {
        on_demand()
    } else if market.prices.knows_spot() {
        market.prices.spot(&facts.name, &subnet.zone)
    } else {
        on_demand().map(|(price, _)| (price, PriceOrigin::OnDemandForSpot))
    };
    let not_offered = market.offered_in.is_some_and(|zones| !zones.contains(&subnet.zone));
    let hidden = market
        .unavailable
        .iter()
        .any(|mark| mark.covers(facts.name.as_str(), &subnet.zone, capacity_type));
    let obstacle = if lacks_image(facts, class) {
        Some(Obstacle::NoImage)
    } else if not_offered {
        Some(Obstacle::NotInZone)
    } else if price.is_none() {
        Some(if is_spot && market.prices.knows_spot() {
            Obstacle::NoSpotPrice
        } else {
            Obstacle::NoPrice
        })
    } else if hidden {
        Some(Obstacle::Unavailable)
    } else if market.not_listed.is_some_and(|it| it.covers(&subnet.zone, capacity_type)) {
        Some(Obstacle::NotListed)
    } else {
        None
    };
    let mut requirements = place(subnet, capacity_type);
    requirements.extend(no_reservation(market));
    Listed {
        offering: Offering {
            requirements,
            price: price.map_or(0.0, |(price, _)| price),
            available: obstacle.is_none(),
            reservation_capacity: 0,
            capacity_override: Resources::new(),
            overhead_override: None,
        },
        origin: price.map(|(_, origin)| origin),
        obstacle,
    }
}

fn reserved(
    facts: &Ec2InstanceType,
    class: &Ec2NodeClass,
    market: &Market<'_>,
    reservation: &Reservation,
) -> Listed {
    let subnet = market.zones.iter().find(|subnet| subnet.zone == reservation.zone);
    let price = market.prices.on_demand(&facts.name);
    let obstacle = if lacks_image(facts, class) {
        Some(Obstacle::NoImage)
    } else if subnet.is_none() {
        Some(Obstacle::NotInZone)
    } else if reservation.available == 0 {
        Some(Obstacle::ReservationFull)
    } else if reservation.is_expiring {
        Some(Obstacle::ReservationExpiring)
    } else {
        None
    };
    let zone = Subnet { zone: reservation.zone.clone(), zone_id: None };
    let mut requirements = place(subnet.unwrap_or(&zone), "reserved");
    requirements.push(in_values(RESERVATION_ID, [reservation.id.clone()]));
    requirements.push(in_values(RESERVATION_TYPE, [reservation.kind.clone()]));
    if market.has_interruptible_reservations {
        let interruptible = reservation.is_interruptible.to_string();
        requirements.push(in_values(RESERVATION_INTERRUPTIBLE, [interruptible]));
    }
    Listed {
        offering: Offering {
            requirements,
            price: price.map_or(0.0, |(price, _)| price / RESERVED_PRICE_PARTS),
            available: obstacle.is_none(),
            reservation_capacity: reservation.available,
            capacity_override: Resources::new(),
            overhead_override: None,
        },
        origin: price.map(|(_, origin)| origin),
        obstacle,
    }
}

fn lacks_image(facts: &Ec2InstanceType, class: &Ec2NodeClass) -> bool {
    class.family == AmiFamily::Al2023 && facts.name.as_str().starts_with("a1.")
}

fn place(subnet: &Subnet, capacity_type: &str) -> Vec<NodeRequirement> {
    let mut requirements = vec![
        in_values(labels::CAPACITY_TYPE, [capacity_type]),
        in_values(labels::ZONE, [subnet.zone.clone()]),
    ];
    requirements.extend(subnet.zone_id.clone().map(|id| in_values(ZONE_ID, [id])));
    requirements
}

fn no_reservation(market: &Market<'_>) -> impl Iterator<Item = NodeRequirement> {
    let interruptible = market.has_interruptible_reservations.then_some(RESERVATION_INTERRUPTIBLE);
    let keys = [RESERVATION_ID, RESERVATION_TYPE].into_iter().chain(interruptible);
    keys.map(|key| in_values(key, Option::<Str>::None))
}
