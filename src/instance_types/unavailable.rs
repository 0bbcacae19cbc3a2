//! `Unavailable`: offerings that could not be had at a moment, and how that is known.

use crate::model::names::Str;
use crate::model::time::{Span, Timestamp};

/// Offerings that cannot be had. An absent part stands for every value.
#[derive(Clone, Debug, PartialEq)]
pub struct Unavailable {
    /// The instance type.
    pub instance_type: Option<Str>,
    /// The zone.
    pub zone: Option<Str>,
    /// The capacity type.
    pub capacity_type: Option<Str>,
    /// Since when; `None` for always.
    pub since: Option<Timestamp>,
    /// For how long.
    pub lasts: Option<Span>,
    /// How it is known.
    pub evidence: Evidence,
}

/// How it is known that an offering could not be had.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// The user said so.
    Flag,
    /// Karpenter's log says so.
    Log {
        /// What the line says.
        message: Str,
    },
    /// An Event says so.
    Event {
        /// The object that it is about, as kubectl names it.
        object: String,
        /// What it says.
        message: Str,
    },
    /// A NodeClaim's list of instance types lacks the type, though dearer ones are in it.
    NotListed {
        /// The NodeClaim.
        node_claim: Str,
    },
}

/// Why a text does not name offerings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} does not name an offering: write type/zone/capacity-type, with * for any")]
pub struct ParseUnavailableError(String);

/// Reads `type/zone/capacity-type`; `*` or a missing part stands for every value.
impl std::str::FromStr for Unavailable {
    type Err = ParseUnavailableError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = text.split('/').map(str::trim).collect();
        let part = |index: usize| {
            let text = parts.get(index).copied().filter(|text| *text != "*");
            text.map(Str::from)
        };
        let known = part(2).is_none_or(|kind| ["spot", "on-demand", "reserved"].contains(&&*kind));
        let all = (0..3).all(|index| part(index).is_none());
        if parts.len() > 3 || parts.contains(&"") || !known || all {
            return Err(ParseUnavailableError(text.chars().take(80).collect()));
        }
        Ok(Self {
            instance_type: part(0),
            zone: part(1),
            capacity_type: part(2),
            since: None,
            lasts: None,
            evidence: Evidence::Flag,
        })
    }
}

impl Unavailable {
    /// Whether it was so at a moment; without a moment, what does not last forever is over.
    pub fn holds_at(&self, at: Option<Timestamp>) -> bool {
        match (self.since, at) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(since), Some(at)) => {
                since <= at && self.lasts.is_none_or(|lasts| at < since.plus(lasts))
            }
        }
    }

    /// Whether an offering is among these.
    pub fn covers(&self, instance_type: &str, zone: &str, capacity_type: &str) -> bool {
        let same = |part: &Option<Str>, value: &str| part.as_deref().is_none_or(|p| p == value);
        same(&self.instance_type, instance_type)
            && same(&self.zone, zone)
            && same(&self.capacity_type, capacity_type)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_names_offerings() {
        let covers = |flag: &str, offering: (&str, &str, &str)| {
            flag.parse::<Unavailable>().map(|it| it.covers(offering.0, offering.1, offering.2))
        };
        let offering = ("m5.large", "us-east-1a", "spot");
        for (flag, expected) in [
            ("m5.large", Some(true)),
            ("m5.large/us-east-1a", Some(true)),
            ("m5.large/us-east-1b", Some(false)),
            ("m5.large/us-east-1a/on-demand", Some(false)),
            ("*/us-east-1a/spot", Some(true)),
            ("*/*/spot", Some(true)),
            ("*/*/*", None),
            ("m5.large//spot", None),
            ("m5.large/us-east-1a/dear", None),
            ("a/b/spot/d", None),
            ("", None),
        ] {
            assert_eq!(covers(flag, offering).ok(), expected, "{flag}");
        }
    }

    #[test]
    fn capacity_comes_back() {
        let at = Timestamp::from_seconds;
        let mark = Unavailable {
            since: Some(at(100)),
            lasts: Some(Span::seconds(180)),
            ..("m5.large".parse().expect("a type"))
        };
        for (moment, expected) in [
            (Some(at(99)), false),
            (Some(at(100)), true),
            (Some(at(279)), true),
            (Some(at(280)), false),
            (None, false),
        ] {
            assert_eq!(mark.holds_at(moment), expected, "{moment:?}");
        }
    }
}
