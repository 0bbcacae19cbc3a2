//! `Prices`: what an hour of a machine costs, as far as files and dated public lists tell. Estimates, never a bill.

use std::collections::BTreeMap;

use crate::instance_types::built_in::{self, PriceList};
use crate::model::catalogue::Catalogue;
use crate::model::names::{InstanceTypeName, Str};
use crate::model::time::Timestamp;

/// The region whose list Karpenter starts with where it has none of the region.
const HOME: &str = "us-east-1";

/// Prices of one region.
#[derive(Clone, Debug)]
pub struct Prices {
    /// The region.
    pub region: Str,
    from_files: BTreeMap<InstanceTypeName, f64>,
    spot: Option<BTreeMap<(InstanceTypeName, Str), f64>>,
    list: Option<&'static PriceList>,
    home: Option<&'static PriceList>,
    /// How much dearer the region is than `us-east-1`, in the middle.
    ratio: f64,
}

/// Where a price comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PriceOrigin {
    /// A file that the user gave.
    File,
    /// The built-in list of the region.
    Region,
    /// The built-in list of `us-east-1`, for a region without one.
    OtherRegion,
    /// The `us-east-1` price of a type that is newer than the region's list, by how much dearer the region is.
    Scaled,
    /// On-demand in the place of an unknown spot price.
    OnDemandForSpot,
    /// The price by vCPU of its family, for a type that no list has.
    Family,
}

impl Prices {
    /// The prices that are known for a region at a moment.
    pub fn of(region: &str, catalogue: &Catalogue, at: Option<Timestamp>) -> Self {
        let lists = &built_in::aws().prices;
        let home = lists.get(HOME);
        let list = lists.get(region);
        let ratio = list.zip(home).map_or(1.0, |(list, home)| median_ratio(list, home));
        let spot = (!catalogue.spot.is_empty()).then(|| spot_at(catalogue, at));
        Self {
            region: region.into(),
            from_files: catalogue.on_demand.clone(),
            spot,
            list,
            home,
            ratio,
        }
    }

    /// The on-demand price of a type; `None`: it is not sold there.
    pub fn on_demand(&self, name: &InstanceTypeName) -> Option<(f64, PriceOrigin)> {
        if let Some(price) = self.from_files.get(name) {
            return Some((*price, PriceOrigin::File));
        }
        let at_home = self.home.and_then(|home| home.prices.get(name));
        let Some(list) = self.list else {
            return at_home.map(|price| (*price, PriceOrigin::OtherRegion));
        };
        if let Some(price) = list.prices.get(name) {
            return Some((*price, PriceOrigin::Region));
        }
        let known = built_in::aws().get(name.as_str());
        let is_newer = known.is_some_and(|known| *known.first_documented > *list.date);
        at_home.filter(|_| is_newer).map(|price| (price * self.ratio, PriceOrigin::Scaled))
    }

    /// The price of a type that no list has, by what its family costs a vCPU.
    pub fn by_family(&self, name: &InstanceTypeName, vcpus: i64) -> Option<(f64, PriceOrigin)> {
        let family = name.as_str().split('.').next()?;
        let siblings = built_in::aws().types.iter().map(|known| &known.facts);
        let mut siblings =
            siblings.filter(|facts| facts.name.as_str().split('.').next() == Some(family));
        siblings.find_map(|facts| {
            let (price, _) = self.on_demand(&facts.name)?;
            Some((price * as_float(vcpus) / as_float(facts.vcpus), PriceOrigin::Family))
        })
    }

    /// The spot price of a type in a zone; `None`: it has none there.
    pub fn spot(&self, name: &InstanceTypeName, zone: &Str) -> Option<(f64, PriceOrigin)> {
        let Some(spot) = &self.spot else {
            let (price, _) = self.on_demand(name)?;
            return Some((price, PriceOrigin::OnDemandForSpot));
        };
        let price = spot.get(&(name.clone(), zone.clone()))?;
        Some((*price, PriceOrigin::File))
    }

    /// Whether spot prices are known.
    pub fn knows_spot(&self) -> bool {
        self.spot.is_some()
    }

    /// The built-in list that prices come from, where no file has them.
    pub fn list(&self) -> Option<&'static PriceList> {
        self.list.or(self.home)
    }

    /// Whether the built-in list is that of another region.
    pub fn is_of_other_region(&self) -> bool {
        self.list.is_none()
    }

    /// How many prices files gave.
    pub fn in_files(&self) -> usize {
        self.from_files.len()
    }
}

/// The last price of each type and zone at or before a moment; where all are later, the first.
fn spot_at(catalogue: &Catalogue, at: Option<Timestamp>) -> BTreeMap<(InstanceTypeName, Str), f64> {
    let mut best: BTreeMap<(InstanceTypeName, Str), (bool, Option<Timestamp>, f64)> =
        BTreeMap::new();
    for spot in &catalogue.spot {
        let is_later = at.zip(spot.since).is_some_and(|(at, since)| since > at);
        let key = (spot.instance_type.clone(), spot.zone.clone());
        let candidate = (is_later, spot.since, spot.price);
        best.entry(key)
            .and_modify(|kept| {
                let better = match (kept.0, is_later) {
                    (true, false) => true,
                    (false, true) => false,
                    (false, false) => spot.since > kept.1,
                    (true, true) => spot.since < kept.1,
                };
                if better {
                    *kept = candidate;
                }
            })
            .or_insert(candidate);
    }
    best.into_iter().map(|(key, (_, _, price))| (key, price)).collect()
}

/// The middle of the ratios of two lists over the types that both have.
fn median_ratio(list: &PriceList, home: &PriceList) -> f64 {
    let ratio = |(name, price): (&InstanceTypeName, &f64)| Some(price / home.prices.get(name)?);
    let mut ratios: Vec<f64> = list.prices.iter().filter_map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)
}

#[expect(clippy::cast_precision_loss, reason = "vCPUs are few")]
fn as_float(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::catalogue::SpotPrice;

    #[test]
    fn a_price_comes_from_the_region_or_says_so() {
        let catalogue = Catalogue::default();
        let price = |region: &str, name: &str| {
            let prices = Prices::of(region, &catalogue, None);
            let found = prices.on_demand(&name.into());
            found.map(|(price, origin)| (format!("{price:.4}"), origin))
        };
        let some = |price: &str, origin| Some((price.to_owned(), origin));
        assert_eq!(price("us-east-1", "m5.large"), some("0.0960", PriceOrigin::Region));
        assert_eq!(price("eu-west-1", "m5.large"), some("0.1070", PriceOrigin::Region));
        assert_eq!(price("sa-east-1", "m5.large"), some("0.0960", PriceOrigin::OtherRegion));
        assert_eq!(price("eu-west-1", "nosuch.large"), None);
        // Newer than the list of 2025-04: by how much dearer the region is in the middle.
        let newer = built_in::aws().types.iter().find(|known| {
            *known.first_documented > *"2026-01-01"
                && Prices::of("us-east-1", &catalogue, None).on_demand(&known.facts.name).is_some()
        });
        let name = newer.expect("a new type").facts.name.as_str();
        assert_eq!(price("eu-west-1", name).map(|(_, origin)| origin), Some(PriceOrigin::Scaled));
    }

    #[test]
    fn of_a_spot_history_the_last_before_the_moment_counts() {
        let at = Timestamp::from_seconds;
        let entry = |zone: &str, seconds, price| SpotPrice {
            instance_type: "m5.large".into(),
            zone: zone.into(),
            price,
            since: Some(at(seconds)),
        };
        let catalogue = Catalogue {
            spot: vec![
                entry("a", 300, 0.03),
                entry("a", 100, 0.01),
                entry("a", 200, 0.02),
                entry("b", 500, 0.05),
                entry("b", 400, 0.04),
            ],
            ..Catalogue::default()
        };
        let spot = |moment, zone: &str| {
            let prices = Prices::of("us-east-1", &catalogue, moment);
            prices.spot(&"m5.large".into(), &zone.into()).map(|(price, _)| price)
        };
        assert_eq!(spot(Some(at(250)), "a"), Some(0.02));
        assert_eq!(spot(Some(at(250)), "b"), Some(0.04));
        assert_eq!(spot(None, "a"), Some(0.03));
        assert_eq!(spot(None, "c"), None);
    }
}
