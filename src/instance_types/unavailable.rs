//! `Unavailable`: offerings that could not be had at a moment, and how that is known.

use std::fmt;

use serde_json::Value;

use crate::model::event::{Event, LogRecord};
use crate::model::names::Str;
use crate::model::snapshot::Snapshot;
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
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("as the user says"),
            Self::Log { message } => write!(f, "Karpenter's log: {message}"),
            Self::Event { object, message } => write!(f, "event of {object}: {message}"),
        }
    }
}

/// Written `m5.large/us-east-1a/*`.
impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |part: &Option<Str>| part.clone().unwrap_or_else(|| "*".into());
        let parts = [&self.instance_type, &self.zone, &self.capacity_type].map(part);
        f.write_str(&parts.join("/"))
    }
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

/// How long the provider takes an offering for unavailable after an error, where its log does not say.
const LASTS: Span = Span::seconds(180);

/// All that is known of unavailable offerings: the user's word, Karpenter's log, Events.
pub fn of(snapshot: &Snapshot, flags: &[Unavailable]) -> Vec<Unavailable> {
    let logged = snapshot.karpenter_log.iter().flat_map(from_log);
    let told = snapshot.events.iter().flat_map(from_event);
    let set = snapshot.settings.unavailable.iter().filter_map(|text| text.parse().ok());
    flags.iter().cloned().chain(set).chain(logged).chain(told).collect()
}

/// What a line of the log tells: an offering that is taken out, or a launch that failed.
fn from_log(record: &LogRecord) -> Vec<Unavailable> {
    let field = |name: &str| record.fields.get(name).and_then(Value::as_str);
    let evidence = |message: &str| Evidence::Log { message: message.into() };
    if &*record.message == "removing offering from offerings" {
        let part = |name: &str| field(name).filter(|text| !text.is_empty()).map(Str::from);
        let reason = field("reason").unwrap_or("unavailable");
        return vec![Unavailable {
            instance_type: part("instance-type"),
            zone: part("zone"),
            capacity_type: part("capacity-type"),
            since: record.time,
            lasts: Some(field("ttl").and_then(duration).unwrap_or(LASTS)),
            evidence: evidence(reason),
        }];
    }
    let Some(error) = field("error") else { return Vec::new() };
    from_error(error, record.time, &evidence(error))
}

fn from_event(event: &Event) -> Vec<Unavailable> {
    if &*event.reason != "InsufficientCapacityError" {
        return Vec::new();
    }
    let kind = event.regarding.kind.to_ascii_lowercase();
    let evidence = Evidence::Event {
        object: format!("{kind}/{}", event.regarding.name),
        message: event.message.clone(),
    };
    from_error(&event.message, event.last.or(event.first), &evidence)
}

/// The offerings that EC2's words name: "sufficient m5.large capacity in the Availability Zone you requested
/// (us-east-1a)". The words do not tell the capacity type.
fn from_error(error: &str, time: Option<Timestamp>, evidence: &Evidence) -> Vec<Unavailable> {
    const BEFORE_TYPE: &str = "do not have sufficient ";
    const BEFORE_ZONE: &str = " capacity in the Availability Zone you requested (";
    let mut found: Vec<Unavailable> = Vec::new();
    for part in error.split(BEFORE_TYPE).skip(1) {
        let Some((instance_type, rest)) = part.split_once(BEFORE_ZONE) else { continue };
        let Some((zone, _)) = rest.split_once(')') else { continue };
        let mark = Unavailable {
            instance_type: Some(instance_type.into()),
            zone: Some(zone.into()),
            capacity_type: None,
            since: time,
            lasts: Some(LASTS),
            evidence: evidence.clone(),
        };
        if !found.iter().any(|it| it.instance_type == mark.instance_type && it.zone == mark.zone) {
            found.push(mark);
        }
    }
    found
}

/// A duration as Go writes it, such as `3m0s`.
fn duration(text: &str) -> Option<Span> {
    let mut seconds = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        let after = &rest[end..];
        let letters = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        seconds += number
            * match &after[..letters] {
                "h" => 3600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 0.001,
                _ => return None,
            };
        rest = &after[letters..];
    }
    #[expect(clippy::cast_possible_truncation, reason = "a duration of a few minutes")]
    (!text.is_empty()).then(|| Span::seconds(seconds.round() as i64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn the_log_names_what_cannot_be_had() {
        let record = |message: &str, fields: Value| LogRecord {
            time: Some(Timestamp::from_seconds(100)),
            level: "DEBUG".into(),
            message: message.into(),
            fields: fields
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| (Str::from(name.as_str()), value.clone()))
                .collect(),
        };
        let removed = record(
            "removing offering from offerings",
            json!({"reason": "InsufficientInstanceCapacity", "instance-type": "m5.large",
                   "zone": "us-east-1a", "capacity-type": "spot", "ttl": "3m0s"}),
        );
        let [mark] = &from_log(&removed)[..] else { panic!("one mark") };
        assert!(mark.covers("m5.large", "us-east-1a", "spot"));
        assert!(!mark.covers("m5.large", "us-east-1a", "on-demand"));
        assert_eq!(mark.lasts, Some(Span::seconds(180)));
        let failed = record(
            "failed launching nodeclaim",
            json!({"error": "creating instance, insufficient capacity, with fleet error(s), \
                InsufficientInstanceCapacity: We currently do not have sufficient m5.large capacity in the \
                Availability Zone you requested (us-east-1a). Our system will be working on it.; \
                InsufficientInstanceCapacity: We currently do not have sufficient m5.large capacity in the \
                Availability Zone you requested (us-east-1b). Again."}),
        );
        let marks = from_log(&failed);
        let zones: Vec<_> = marks.iter().filter_map(|mark| mark.zone.as_deref()).collect();
        assert_eq!(zones, ["us-east-1a", "us-east-1b"]);
        assert!(from_log(&record("created nodeclaim", json!({}))).is_empty());
    }

    #[test]
    fn a_duration_reads_as_go_writes_it() {
        for (text, expected) in
            [("3m0s", Some(180)), ("1h", Some(3600)), ("90s", Some(90)), ("", None), ("3x", None)]
        {
            assert_eq!(duration(text), expected.map(Span::seconds), "{text}");
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
