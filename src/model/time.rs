//! Moments and spans of time. The core knows no clock: every moment was read from the input or handed in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A moment in time, to the nanosecond, in UTC. Written as RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub jiff::Timestamp);

impl Timestamp {
    /// The second that it lies in: what a sentence needs of it.
    #[must_use]
    pub fn to_second(self) -> Self {
        Self::from_seconds(self.0.as_second())
    }

    /// Seconds since 1970; outside what a calendar can show, the nearest moment that it can.
    pub fn from_seconds(seconds: i64) -> Self {
        let bounded =
            seconds.clamp(jiff::Timestamp::MIN.as_second(), jiff::Timestamp::MAX.as_second());
        Self(jiff::Timestamp::from_second(bounded).unwrap_or(jiff::Timestamp::UNIX_EPOCH))
    }

    /// Nanoseconds from `earlier` to this moment; negative when this moment is the earlier one.
    pub fn since(self, earlier: Self) -> Span {
        Span(self.0.as_nanosecond() - earlier.0.as_nanosecond())
    }

    /// This moment moved by a span; stays within what a calendar can show.
    #[must_use]
    pub fn plus(self, span: Span) -> Self {
        let nanos = self.0.as_nanosecond().saturating_add(span.0);
        let bounded =
            nanos.clamp(jiff::Timestamp::MIN.as_nanosecond(), jiff::Timestamp::MAX.as_nanosecond());
        Self(jiff::Timestamp::from_nanosecond(bounded).unwrap_or(self.0))
    }

    /// Whether the text that gave this moment could have had fractions of a second but shows none.
    pub fn is_whole_second(self) -> bool {
        self.0.subsec_nanosecond() == 0
    }
}

impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A length of time in nanoseconds; may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub i128);

impl Span {
    /// A whole number of seconds.
    pub const fn seconds(seconds: i64) -> Self {
        Self(seconds as i128 * 1_000_000_000)
    }

    /// The span in seconds, with its fraction.
    #[expect(clippy::cast_precision_loss, reason = "for display only")]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

/// Written as people say it: `350ms`, `27s`, `4m10s`, `3h05m`, `2d4h`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let millis = self.0.unsigned_abs() / 1_000_000;
        let seconds = millis / 1000;
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
        match seconds {
            0 if millis > 0 => write!(f, "{sign}{millis}ms"),
            0..60 => write!(f, "{sign}{seconds}s"),
            60..3600 => write!(f, "{sign}{minutes}m{:02}s", seconds % 60),
            3600..86_400 => write!(f, "{sign}{hours}h{minutes:02}m"),
            _ => write!(f, "{sign}{days}d{hours}h"),
        }
    }
}
