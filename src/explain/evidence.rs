//! `Evidence`: what shows a cause; `Confidence`: how sure it is.

use crate::model::time::Timestamp;
use crate::reconstruct::stories::{Message, Nomination};

/// How sure a cause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// It may be so; something else may be, too.
    Possible,
    /// A record says so, or all that is known fits.
    Consistent,
    /// A replay comes out otherwise when the cause is taken away.
    Proven,
}

/// Where a fact comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvidenceKind {
    /// A field of an object in the input.
    Object,
    /// An event.
    Event,
    /// A line of a log.
    Log,
    /// A replay.
    Replay,
    /// It follows from other facts.
    Inferred,
}

/// A fact that speaks for a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Where it comes from.
    pub kind: EvidenceKind,
    /// The fact in one sentence.
    pub summary: String,
    /// The object that shows it, such as `node/a`.
    pub object: Option<String>,
    /// The field of that object, such as `spec.taints`.
    pub field: Option<String>,
    /// The field's value, or the message.
    pub value: Option<String>,
    /// When that was so.
    pub time: Option<Timestamp>,
}

impl Evidence {
    fn new(kind: EvidenceKind, summary: impl Into<String>) -> Self {
        Self { kind, summary: summary.into(), object: None, field: None, value: None, time: None }
    }

    /// A field of an object.
    pub fn object(
        object: impl Into<String>,
        field: impl Into<String>,
        summary: impl Into<String>,
    ) -> Self {
        Self {
            object: Some(object.into()),
            field: Some(field.into()),
            ..Self::new(EvidenceKind::Object, summary)
        }
    }

    /// A replay's answer.
    pub fn replay(summary: impl Into<String>) -> Self {
        Self::new(EvidenceKind::Replay, summary)
    }

    /// What follows from other facts.
    pub fn inferred(summary: impl Into<String>) -> Self {
        Self::new(EvidenceKind::Inferred, summary)
    }

    /// What an event says of an object.
    pub fn event(object: impl Into<String>, message: &Message, summary: impl Into<String>) -> Self {
        Self {
            object: Some(object.into()),
            value: Some(message.text.to_string()),
            time: Some(message.moment.at),
            ..Self::new(EvidenceKind::Event, summary)
        }
    }

    /// A nomination of a pod.
    pub fn nomination(
        object: impl Into<String>,
        nomination: &Nomination,
        summary: impl Into<String>,
    ) -> Self {
        Self {
            object: Some(object.into()),
            value: Some(nomination.message.to_string()),
            time: Some(nomination.moment.at),
            ..Self::new(EvidenceKind::Event, summary)
        }
    }

    /// A log line.
    pub fn log(summary: impl Into<String>) -> Self {
        Self::new(EvidenceKind::Log, summary)
    }

    /// The same with the value that the field has.
    #[must_use]
    pub fn value(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// The same with its time.
    #[must_use]
    pub fn at(mut self, time: Option<Timestamp>) -> Self {
        self.time = time.or(self.time);
        self
    }
}
