//! How a machine is picked on AWS: what Karpenter asks EC2's fleet for, and what EC2 may then give.
//!
//! The answer is a set. On-demand, EC2 takes the cheapest pool that has capacity, by its own price; for spot it weighs
//! price against the depth of the pool, which nobody outside knows.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::instance_types::requirement::{admits, meets, only_value};
use crate::karpenter::Launch;
use crate::model::instance_type::{InstanceType, Offering};
use crate::model::labels;
use crate::model::names::InstanceTypeName;
use crate::model::nodeclaim::NodeClaim;
use crate::model::nodepool::NodeRequirement;
use crate::model::resources::Resources;

/// How many types one request names at most.
const MOST_TYPES: usize = 60;

/// What is asked of EC2's fleet.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// `on-demand`, `spot` or `reserved`; `None` when nothing can be asked for.
    pub capacity_type: Option<&'static str>,
    /// How EC2 chooses.
    pub strategy: Strategy,
    /// What it may choose, cheapest first; equal prices by type and zone.
    pub candidates: Vec<Launch>,
    /// Types that were in the NodeClaim but are not asked for.
    pub dropped: Vec<(InstanceTypeName, Dropped)>,
}

/// How EC2 chooses among the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// The cheapest pool that has capacity, by EC2's own price; between zones of one price EC2 chooses.
    LowestPrice,
    /// Price weighed against the depth of the pool, which only EC2 knows.
    PriceCapacityOptimized,
    /// The reservation itself.
    Reservation,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LowestPrice => "lowest-price: the cheapest pool that has capacity, by EC2's own price",
            Self::PriceCapacityOptimized => {
                "price-capacity-optimized: price weighed against the depth of the pool, which only EC2 knows"
            }
            Self::Reservation => "the capacity reservation",
        })
    }
}

/// Why a type of the NodeClaim is not asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dropped {
    /// It cannot be had, or not as the NodeClaim wants it.
    NoOffering,
    /// It is too small for the requests.
    TooSmall,
    /// It is bare metal or has an accelerator, and plainer types are there.
    Exotic,
    /// Its spot offerings are dearer than the cheapest on-demand one.
    DearSpot,
    /// The 60 cheapest types are cheaper.
    BeyondTheSixty,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoOffering => "it could not be had as the NodeClaim wants it",
            Self::TooSmall => "it is too small for the NodeClaim's requests",
            Self::Exotic => "it is bare metal or has an accelerator, and plainer types were left",
            Self::DearSpot => "its spot offerings are dearer than the cheapest on-demand one",
            Self::BeyondTheSixty => "a request names the 60 cheapest types only",
        })
    }
}

/// What Karpenter asks EC2 for: a NodeClaim's requirements and requests, and its types. As
/// `instance.DefaultProvider.Create`.
pub fn request(
    requirements: &[NodeRequirement],
    requests: &Resources,
    types: &[Arc<InstanceType>],
    spot_prices_are_known: bool,
) -> Request {
    let mut dropped = Vec::new();
    let has_min_values = requirements.iter().any(|it| it.min_values.is_some());
    let mut asked: Vec<Asked<'_>> = Vec::new();
    for instance_type in types {
        let offerings: Vec<&Offering> = instance_type
            .offerings
            .iter()
            .filter(|offering| can_be_had(offering) && is_compatible(offering, requirements))
            .collect();
        if offerings.is_empty() || !type_is_compatible(instance_type, requirements) {
            dropped.push((instance_type.name.clone(), Dropped::NoOffering));
        } else if !has_room(instance_type, requests) {
            dropped.push((instance_type.name.clone(), Dropped::TooSmall));
        } else {
            asked.push(Asked { instance_type, offerings });
        }
    }
    if !has_min_values {
        drop_exotic(&mut asked, &mut dropped);
        if spot_prices_are_known {
            drop_dear_spot(&mut asked, &mut dropped);
        }
    }
    asked.sort_by(|a, b| a.price().total_cmp(&b.price()).then_with(|| a.name().cmp(b.name())));
    // Types of the price at the cut may be in or out: the set holds them all.
    if let Some(last) = asked.get(MOST_TYPES - 1).map(Asked::price) {
        let kept = asked.iter().take_while(|it| it.price() <= last).count();
        let beyond = asked.drain(kept..).map(|it| (it.name().clone(), Dropped::BeyondTheSixty));
        dropped.extend(beyond);
    }
    let capacity_type = ["reserved", "spot", "on-demand"]
        .into_iter()
        .find(|kind| asked.iter().any(|it| it.offerings.iter().any(|it| is_of(it, kind))));
    let mut candidates: Vec<Launch> = asked
        .iter()
        .flat_map(|it| it.offerings.iter().map(|offering| (it.name(), *offering)))
        .filter(|(_, offering)| capacity_type.is_some_and(|kind| is_of(offering, kind)))
        .map(|(name, offering)| launch(name, offering))
        .collect();
    candidates.sort_by(|a, b| {
        a.price
            .total_cmp(&b.price)
            .then_with(|| a.instance_type.cmp(&b.instance_type))
            .then_with(|| a.zone.cmp(&b.zone))
    });
    let strategy = match capacity_type {
        Some("reserved") => Strategy::Reservation,
        Some("spot") => Strategy::PriceCapacityOptimized,
        _ => Strategy::LowestPrice,
    };
    Request { capacity_type, strategy, candidates, dropped }
}

/// What was asked for a NodeClaim that is there: its own requirements, requests and list of types.
pub fn request_of(
    claim: &NodeClaim,
    types: &[Arc<InstanceType>],
    spot_prices_are_known: bool,
) -> Request {
    let is_type = |it: &&NodeRequirement| &*it.key == labels::INSTANCE_TYPE;
    let listed = claim.requirements.iter().find(is_type);
    let types =
        types.iter().filter(|it| listed.is_none_or(|asked| admits(asked, it.name.as_str())));
    let types: Vec<Arc<InstanceType>> = types.cloned().collect();
    request(&claim.requirements, &claim.requests, &types, spot_prices_are_known)
}

/// The machine that a NodeClaim got, as its labels say; `None` until it is launched.
pub fn launched(claim: &NodeClaim) -> Option<Launch> {
    let label = |key: &str| claim.meta.labels.get(key).cloned();
    claim.provider_id.as_ref()?;
    Some(Launch {
        instance_type: InstanceTypeName(label(labels::INSTANCE_TYPE)?),
        zone: label(labels::ZONE),
        capacity_type: label(labels::CAPACITY_TYPE),
        price: 0.0,
    })
}

/// A type with the offerings that the NodeClaim may have.
struct Asked<'a> {
    instance_type: &'a InstanceType,
    offerings: Vec<&'a Offering>,
}

impl Asked<'_> {
    fn name(&self) -> &InstanceTypeName {
        &self.instance_type.name
    }

    fn price(&self) -> f64 {
        self.offerings.iter().map(|it| it.price).min_by(f64::total_cmp).unwrap_or(f64::MAX)
    }
}

fn can_be_had(offering: &Offering) -> bool {
    offering.available && (!is_of(offering, "reserved") || offering.reservation_capacity > 0)
}

fn is_compatible(offering: &Offering, requirements: &[NodeRequirement]) -> bool {
    requirements.iter().all(|asked| meets(&offering.requirements, asked))
}

fn type_is_compatible(instance_type: &InstanceType, requirements: &[NodeRequirement]) -> bool {
    requirements.iter().all(|asked| meets(&instance_type.requirements, asked))
}

fn is_of(offering: &Offering, kind: &str) -> bool {
    only_value(&offering.requirements, labels::CAPACITY_TYPE).is_some_and(|value| &**value == kind)
}

fn has_room(instance_type: &InstanceType, requests: &Resources) -> bool {
    let overhead = &instance_type.overhead;
    requests.iter().all(|(name, amount)| {
        let name = name.as_str();
        let kept = overhead.kube_reserved.amount(name);
        let kept = kept.plus(overhead.system_reserved.amount(name));
        let kept = kept.plus(overhead.eviction_threshold.amount(name));
        *amount <= instance_type.capacity.amount(name).minus(kept)
    })
}

/// Bare metal and accelerators go, unless nothing else is left.
fn drop_exotic(asked: &mut Vec<Asked<'_>>, dropped: &mut Vec<(InstanceTypeName, Dropped)>) {
    if asked.iter().all(|it| is_exotic(it.instance_type)) {
        return;
    }
    asked.retain(|it| {
        let exotic = is_exotic(it.instance_type);
        if exotic {
            dropped.push((it.name().clone(), Dropped::Exotic));
        }
        !exotic
    });
}

fn is_exotic(instance_type: &InstanceType) -> bool {
    const ACCELERATORS: [&str; 4] =
        ["nvidia.com/gpu", "amd.com/gpu", "habana.ai/gaudi", "aws.amazon.com/neuron"];
    let name = instance_type.name.as_str();
    let size = name.split('.').nth(1).unwrap_or_default();
    size.contains("metal")
        || ACCELERATORS.iter().any(|name| !instance_type.capacity.amount(name).is_zero())
}

/// Where both ways are open, spot that is dearer than the cheapest on-demand goes.
fn drop_dear_spot(asked: &mut Vec<Asked<'_>>, dropped: &mut Vec<(InstanceTypeName, Dropped)>) {
    let offerings = || asked.iter().flat_map(|it| it.offerings.iter());
    let on_demand = offerings().filter(|it| is_of(it, "on-demand")).map(|it| it.price);
    let Some(cheapest) = on_demand.min_by(f64::total_cmp) else { return };
    if !offerings().any(|it| is_of(it, "spot")) {
        return;
    }
    asked.retain_mut(|it| {
        it.offerings.retain(|offering| !is_of(offering, "spot") || offering.price <= cheapest);
        if it.offerings.is_empty() {
            dropped.push((it.name().clone(), Dropped::DearSpot));
        }
        !it.offerings.is_empty()
    });
}

fn launch(name: &InstanceTypeName, offering: &Offering) -> Launch {
    Launch {
        instance_type: name.clone(),
        zone: only_value(&offering.requirements, labels::ZONE).cloned(),
        capacity_type: only_value(&offering.requirements, labels::CAPACITY_TYPE).cloned(),
        price: offering.price,
    }
}

#[cfg(test)]
mod tests {
    use super::super::standing::Standing;
    use super::*;
    use crate::instance_types::requirement::in_values;
    use crate::model::instance_type::Overhead;
    use crate::model::quantity::Quantity;

    /// `name capacity-type:price …`, all in zone a; a GPU where the name begins with g.
    fn model(text: &str) -> Arc<InstanceType> {
        let mut words = text.split_whitespace();
        let name = words.next().expect("a name");
        let offerings = words.map(|word| {
            let (kind, price) = word.split_once(':').expect("kind:price");
            Offering {
                requirements: vec![
                    in_values(labels::CAPACITY_TYPE, [kind]),
                    in_values(labels::ZONE, ["a"]),
                ],
                price: price.parse().expect("a price"),
                available: true,
                reservation_capacity: 1,
                capacity_override: Resources::new(),
                overhead_override: None,
            }
        });
        let offerings: Vec<Offering> = offerings.collect();
        let mut capacity: Resources = [("cpu".into(), Quantity::units(4))].into_iter().collect();
        if name.starts_with('g') {
            capacity.set("nvidia.com/gpu".into(), Quantity::units(1));
        }
        Arc::new(InstanceType {
            name: name.into(),
            requirements: vec![in_values(labels::INSTANCE_TYPE, [name])],
            offerings,
            capacity,
            overhead: Overhead::default(),
            volume_attachment_limits: Vec::new(),
        })
    }

    fn ask(types: &[&str], requirements: &[NodeRequirement]) -> Request {
        let types: Vec<_> = types.iter().map(|text| model(text)).collect();
        request(requirements, &Resources::new(), &types, true)
    }

    fn candidates(request: &Request) -> String {
        let names = request.candidates.iter().map(|it| {
            format!("{}/{}", it.instance_type, it.capacity_type.as_deref().unwrap_or_default())
        });
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_request_names_what_ec2_may_choose() {
        for (case, types, expected, strategy) in [
            (
                "cheapest first",
                vec!["b on-demand:2", "a on-demand:2", "c on-demand:1"],
                "c/on-demand a/on-demand b/on-demand",
                Strategy::LowestPrice,
            ),
            (
                "spot before on-demand",
                vec!["a on-demand:2 spot:1", "b on-demand:1"],
                "a/spot",
                Strategy::PriceCapacityOptimized,
            ),
            (
                "spot dearer than on-demand goes",
                vec!["a on-demand:4 spot:3", "b on-demand:2 spot:1"],
                "b/spot",
                Strategy::PriceCapacityOptimized,
            ),
            (
                "reserved before all",
                vec!["a on-demand:2 spot:1", "b reserved:0.1"],
                "b/reserved",
                Strategy::Reservation,
            ),
            (
                "metal and GPUs go",
                vec!["m.metal on-demand:1", "g.large on-demand:1", "c.large on-demand:9"],
                "c.large/on-demand",
                Strategy::LowestPrice,
            ),
            (
                "unless nothing else is left",
                vec!["m.metal on-demand:1", "g.large on-demand:2"],
                "m.metal/on-demand g.large/on-demand",
                Strategy::LowestPrice,
            ),
        ] {
            let request = ask(&types, &[]);
            assert_eq!(candidates(&request), expected, "{case}");
            assert_eq!(request.strategy, strategy, "{case}");
        }
    }

    #[test]
    fn ties_at_the_cut_are_all_candidates() {
        let types: Vec<String> = (0..70)
            .map(|index| format!("t{index:02} on-demand:{}", if index < 50 { 1 } else { 2 }))
            .collect();
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        assert_eq!(ask(&types, &[]).candidates.len(), 70);
        let types: Vec<String> =
            (0..70).map(|index| format!("t{index:02} on-demand:{index}")).collect();
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        let request = ask(&types, &[]);
        assert_eq!(request.candidates.len(), 60);
        assert_eq!(request.dropped.len(), 10);
    }

    #[test]
    fn a_launch_stands_among_the_candidates() {
        let request =
            ask(&["a on-demand:1", "b on-demand:1", "c on-demand:2", "m.metal on-demand:1"], &[]);
        let launched = |name: &str| Launch {
            instance_type: name.into(),
            zone: Some("a".into()),
            capacity_type: Some("on-demand".into()),
            price: 0.0,
        };
        let standing = |name: &str| request.standing(&launched(name));
        assert_eq!(standing("a"), Standing::Cheapest { ties: 2 });
        assert_eq!(standing("c"), Standing::Dearer { cheaper: 2, percent: 100.0 });
        assert_eq!(standing("m.metal"), Standing::NotAsked { because: Some(Dropped::Exotic) });
        assert_eq!(standing("x"), Standing::NotAsked { because: None });
        assert!(request.words(&launched("c")).contains("2 of 3 are cheaper"));
    }
}
