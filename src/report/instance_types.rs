//! Instance types as the replay sees them for each NodePool: which may be launched, and why the others may not.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Amount, ApiVersion, Gap, Metadata};
use crate::instance_types::listing::{self, LeftOut as Reason, Listing};
use crate::instance_types::{Provided, UsedSource};
use crate::model::quantity::Quantity;
use crate::model::time::Timestamp;

/// What the replay knows of instance types, one list a NodePool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceTypeList {
    /// `landed.dev/v1alpha1`.
    pub api_version: ApiVersion,
    /// `InstanceTypeList`.
    pub kind: String,
    /// What answered.
    pub metadata: Metadata,
    /// The provider whose model answered: `aws`, `azure`, `kwok`, `other`.
    pub provider: String,
    /// The moment; the last that the input knows where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<Timestamp>,
    /// NodePools in the order of their names.
    pub node_pools: Vec<PoolTypes>,
    /// Where facts came from, best first.
    pub sources: Vec<Source>,
    /// Offerings that could not be had at the moment.
    pub unavailable: Vec<Unavailable>,
    /// What had to be assumed, or is not known.
    pub gaps: Vec<Gap>,
}

/// The instance types of one NodePool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PoolTypes {
    /// The NodePool.
    pub node_pool: String,
    /// Types that it may launch, cheapest first, equal ones by name.
    pub items: Vec<InstanceType>,
    /// Types that it may not launch, by name.
    pub left_out: Vec<LeftOut>,
}

/// A type that a NodePool may launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceType {
    /// Its name.
    pub name: String,
    /// What pods can use of it, by resource; resources that it has none of are left out.
    pub allocatable: BTreeMap<String, Amount>,
    /// What the machine has, by resource.
    pub capacity: BTreeMap<String, Amount>,
    /// The cheapest price an hour of an offering that may be launched; an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_estimate: Option<f64>,
    /// Zones in which it may be launched, in order.
    pub zones: Vec<String>,
    /// How it may be bought, in order.
    pub capacity_types: Vec<String>,
    /// What else is to say of it: a NodeClaim whose numbers replaced the formulas', memory seen on a machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A type that a NodePool may not launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// The first thing that stands against it.
    pub reason: LeftOutReason,
    /// The requirement that it does not meet: key, operator, values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    /// The same as text.
    pub detail: String,
}

/// What stands against a type. Further values may be added.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOutReason {
    /// The NodePool's requirements.
    Requirement,
    /// No offering of it is left.
    NoOffering,
}

/// Where facts came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// `node-claims`, `nodes`, `node-classes`, `file`, `built-in`, `name-rule`. Further values may be added.
    pub kind: String,
    /// What it gave.
    pub gave: String,
    /// The file, or the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The day of its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// Offerings that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unavailable {
    /// `type/zone/capacity-type`, with `*` for any.
    pub offering: String,
    /// How that is known.
    pub evidence: String,
}

impl InstanceTypeList {
    /// The report of listings.
    pub fn of(provided: &Provided, listings: &[Listing], moment: Option<Timestamp>) -> Self {
        let node_pools = listings.iter().map(pool_types).collect();
        Self {
            api_version: ApiVersion::default(),
            kind: "InstanceTypeList".to_owned(),
            metadata: Metadata {
                tool_version: env!("CARGO_PKG_VERSION").to_owned(),
                ..Metadata::default()
            },
            provider: provided.kind.name().to_owned(),
            moment,
            node_pools,
            sources: provided.sources.iter().map(Source::from).collect(),
            unavailable: provided
                .unavailable
                .iter()
                .map(|mark| Unavailable {
                    offering: mark.to_string(),
                    evidence: mark.evidence.to_string(),
                })
                .collect(),
            gaps: provided.gaps.iter().map(Gap::from).collect(),
        }
    }
}

fn pool_types(listing: &Listing) -> PoolTypes {
    PoolTypes {
        node_pool: listing.node_pool.to_string(),
        items: listing.kept.iter().map(instance_type).collect(),
        left_out: listing
            .left_out
            .iter()
            .map(|(name, reason)| LeftOut {
                name: name.to_string(),
                reason: match reason {
                    Reason::Requirement { .. } => LeftOutReason::Requirement,
                    Reason::NoOffering { .. } => LeftOutReason::NoOffering,
                },
                requirement: match reason {
                    Reason::Requirement { asked, .. } => Some(listing::text_of(asked)),
                    Reason::NoOffering { .. } => None,
                },
                detail: reason.to_string(),
            })
            .collect(),
    }
}

fn instance_type(kept: &listing::Kept) -> InstanceType {
    let amounts = |resources: &crate::model::resources::Resources| {
        let some = resources.iter().filter(|(_, amount)| !amount.is_zero());
        some.map(|(name, quantity)| (name.to_string(), amount(*quantity))).collect()
    };
    let zones: BTreeSet<&str> = kept.places.iter().map(|place| &*place.zone).collect();
    let kinds: BTreeSet<&str> = kept.places.iter().map(|place| &*place.capacity_type).collect();
    InstanceType {
        name: kept.name.to_string(),
        allocatable: amounts(&kept.allocatable),
        capacity: amounts(&kept.capacity),
        price_estimate: kept.price,
        zones: zones.into_iter().map(str::to_owned).collect(),
        capacity_types: kinds.into_iter().map(str::to_owned).collect(),
        notes: kept.notes.clone(),
    }
}

fn amount(quantity: Quantity) -> Amount {
    Amount { quantity: quantity.to_string(), value: quantity.value() }
}

impl From<&UsedSource> for Source {
    fn from(used: &UsedSource) -> Self {
        let kind = serde_json::to_value(used.kind).ok();
        Self {
            kind: kind.and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default(),
            gave: used.gave.clone(),
            name: used.name.clone(),
            date: used.date.clone(),
        }
    }
}
