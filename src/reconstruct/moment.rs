//! `Moment`: when something happened, by whose clock, and how exactly that is known.

use std::cmp::Ordering;

use crate::model::time::{Span, Timestamp};

/// Whose clock a time was read from. Two clocks may differ by a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clock {
    /// The API server's: creation and deletion stamps, conditions that it writes, managed fields, audit entries.
    ApiServer,
    /// kube-scheduler's: its events.
    Scheduler,
    /// Karpenter's: its events, its log, conditions of NodeClaims.
    Karpenter,
    /// A kubelet's: start times, container states, conditions of nodes.
    Kubelet,
    /// Another controller's.
    Controller,
}

impl Clock {
    /// The clock in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ApiServer => "api-server",
            Self::Scheduler => "kube-scheduler",
            Self::Karpenter => "karpenter",
            Self::Kubelet => "kubelet",
            Self::Controller => "controller",
        }
    }

    /// The clock of the component that reports an event.
    pub fn of_reporter(reporter: &str) -> Self {
        match reporter {
            "karpenter" => Self::Karpenter,
            "kubelet" | "kwok" => Self::Kubelet,
            name if name.contains("scheduler") => Self::Scheduler,
            _ => Self::Controller,
        }
    }
}

/// When something happened: not before `at`, and before `at` + `resolution`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    /// The time as written.
    pub at: Timestamp,
    /// Whose clock.
    pub clock: Clock,
    /// See [`Self::resolution`], in nanoseconds: a chronicle keeps many moments, and this is a third of a [`Span`]'s room.
    resolution: u64,
}

/// How far two clocks may be apart.
pub const SKEW: Span = Span::seconds(1);

impl Moment {
    /// A time that was cut to whole seconds, as `metav1.Time` is.
    pub const fn whole_second(at: Timestamp, clock: Clock) -> Self {
        Self { at, clock, resolution: 1_000_000_000 }
    }

    /// A time with fractions.
    pub const fn precise(at: Timestamp, clock: Clock) -> Self {
        Self { at, clock, resolution: 1_000 }
    }

    /// A time within a span that begins with it.
    pub fn within(at: Timestamp, clock: Clock, resolution: Span) -> Self {
        let nanos = resolution.0.clamp(0, i128::from(u64::MAX));
        Self { at, clock, resolution: u64::try_from(nanos).unwrap_or(u64::MAX) }
    }

    /// How finely it was written: a second, or a microsecond.
    pub fn resolution(self) -> Span {
        Span(i128::from(self.resolution))
    }

    /// A time whose text tells how fine it is.
    pub fn read(at: Timestamp, clock: Clock) -> Self {
        if at.is_whole_second() { Self::whole_second(at, clock) } else { Self::precise(at, clock) }
    }

    /// The same, known as finely, but later.
    #[must_use]
    pub fn plus(self, span: Span) -> Self {
        Self { at: self.at.plus(span), ..self }
    }

    /// The latest moment that it may have been.
    pub fn latest(self) -> Timestamp {
        self.at.plus(self.resolution())
    }

    /// The order of two moments; `None` where the clocks and their resolution leave it open.
    pub fn order(self, other: Self) -> Option<Ordering> {
        let skew = if self.clock == other.clock { Span(0) } else { SKEW };
        if self.latest().plus(skew) <= other.at {
            Some(Ordering::Less)
        } else if other.latest().plus(skew) <= self.at {
            Some(Ordering::Greater)
        } else {
            None
        }
    }

    /// Whether it was certainly before another.
    pub fn is_before(self, other: Self) -> bool {
        self.order(other) == Some(Ordering::Less)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    #[test]
    fn two_clocks_a_second_apart_are_not_ordered_by_accident() {
        let second = Moment::whole_second(at("2026-12-01T05:13:12Z"), Clock::ApiServer);
        let same = Moment::precise(at("2026-12-01T05:13:12.5Z"), Clock::ApiServer);
        let other = Moment::precise(at("2026-12-01T05:13:13.5Z"), Clock::Scheduler);
        let later = Moment::precise(at("2026-12-01T05:13:14.5Z"), Clock::Scheduler);
        assert_eq!(second.order(same), None);
        assert_eq!(second.order(other), None);
        assert_eq!(second.order(later), Some(Ordering::Less));
        assert!(second.is_before(later) && !later.is_before(second));
    }
}
