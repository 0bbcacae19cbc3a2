//! `Standing`: how a launched machine stands among what EC2 could choose.

use serde::Serialize;

use crate::karpenter::Launch;
use crate::model::names::InstanceTypeName;

use super::fleet::{Dropped, Request};

/// How a launched machine stands among the candidates.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It is one of the cheapest.
    Cheapest {
        /// How many are as cheap.
        ties: usize,
    },
    /// It is a candidate, but others are cheaper.
    Dearer {
        /// How many candidates are cheaper.
        cheaper: usize,
        /// How much dearer it is than the cheapest, in parts of a hundred.
        percent: f64,
    },
    /// It is no candidate.
    NotAsked {
        /// Why, where that is known.
        because: Option<Dropped>,
    },
}

impl Request {
    /// How a launched machine stands, in a sentence without a full stop. Prices are estimates.
    pub fn words(&self, launched: &Launch) -> String {
        let name = &launched.instance_type;
        let of = self.candidates.len();
        match self.standing(launched) {
            Standing::Cheapest { ties: 1 } => {
                format!(
                    "{name} is the cheapest of {of} candidates by the prices known; EC2 chose by {}",
                    self.strategy
                )
            }
            Standing::Cheapest { ties } => format!(
                "{name} is one of {ties} candidates of the same lowest price, among {of}; EC2 chose by {}",
                self.strategy
            ),
            Standing::Dearer { cheaper, percent } => format!(
                "{name} is a candidate, but {cheaper} of {of} are cheaper by the prices known (the cheapest by {percent:.0} %): \
                 EC2 chose by {}, so either cheaper pools had no capacity or its own price differed",
                self.strategy
            ),
            Standing::NotAsked { because: Some(because) } => {
                format!("{name} is not among the {of} candidates of the replay: {because}")
            }
            Standing::NotAsked { because: None } => {
                format!(
                    "{name} is not among the {of} candidates of the replay, nor in the NodeClaim's list"
                )
            }
        }
    }

    /// How a launched machine stands; a zone or capacity type that is not known matches any.
    pub fn standing(&self, launched: &Launch) -> Standing {
        let same = |it: &&Launch| {
            it.instance_type == launched.instance_type
                && (launched.zone.is_none() || it.zone == launched.zone)
                && (launched.capacity_type.is_none() || it.capacity_type == launched.capacity_type)
        };
        let Some(found) = self.candidates.iter().find(same) else {
            let of_type = |it: &&(InstanceTypeName, Dropped)| it.0 == launched.instance_type;
            return Standing::NotAsked {
                because: self.dropped.iter().find(of_type).map(|it| it.1),
            };
        };
        let cheapest = self.candidates.first().map_or(0.0, |it| it.price);
        let cheaper = self.candidates.iter().filter(|it| it.price < found.price).count();
        if cheaper == 0 {
            let ties = self.candidates.iter().filter(|it| it.price <= cheapest).count();
            return Standing::Cheapest { ties };
        }
        let percent = (found.price / cheapest - 1.0) * 100.0;
        Standing::Dearer { cheaper, percent }
    }
}
