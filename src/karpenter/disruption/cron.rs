//! Schedules of budgets: the five fields of cron, in UTC, or one of its macros.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::model::time::{Span, Timestamp};

/// When something begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether both the day of the month and that of the week must fit, and not only one of them.
    both_days: bool,
}

/// What a field may hold.
struct Field {
    least: u32,
    most: u32,
    names: &'static [&'static str],
}

const MINUTE: Field = Field { least: 0, most: 59, names: &[] };
const HOUR: Field = Field { least: 0, most: 23, names: &[] };
const DAY: Field = Field { least: 1, most: 31, names: &[] };
const MONTH: Field = Field {
    least: 1,
    most: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const WEEKDAY: Field =
    Field { least: 0, most: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] };

impl Schedule {
    /// Reads a schedule; `None` where it is not one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = match text.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        let parts: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = parts[..] else { return None };
        let is_any = |text: &str| text.split(',').any(|part| part.starts_with(['*', '?']));
        Some(Self {
            minutes: MINUTE.parse(minutes)?,
            hours: HOUR.parse(hours)?,
            days: DAY.parse(days)?,
            months: MONTH.parse(months)?,
            weekdays: WEEKDAY.parse(weekdays)?,
            both_days: is_any(days) || is_any(weekdays),
        })
    }

    /// The last moment in `(after, until]` at which it begins.
    pub(super) fn last_hit(&self, after: Timestamp, until: Timestamp) -> Option<Timestamp> {
        const MINUTE: i64 = 60;
        let mut second = until.0.as_second().div_euclid(MINUTE) * MINUTE;
        loop {
            let moment = Timestamp::from_seconds(second);
            if moment <= after {
                return None;
            }
            let zoned = moment.0.to_zoned(TimeZone::UTC);
            let fits = |field: u64, value: i8| field >> value & 1 == 1;
            if !self.fits_day(zoned.date()) {
                // To the last minute of the day before.
                second -= i64::from(zoned.hour()) * 3600 + i64::from(zoned.minute()) * 60 + MINUTE;
            } else if !fits(self.hours, zoned.hour()) {
                second -= i64::from(zoned.minute()) * 60 + MINUTE;
            } else if fits(self.minutes, zoned.minute()) {
                return Some(moment);
            } else {
                second -= MINUTE;
            }
            // Before all that a calendar can show, time stands still.
            if Timestamp::from_seconds(second) >= moment {
                return None;
            }
        }
    }

    /// When a window that is open at a moment closes, if no other begins meanwhile; `None` where none is open.
    pub(super) fn open_until(&self, at: Timestamp, length: Span) -> Option<Timestamp> {
        let hit = self.last_hit(at.plus(Span(-length.0)), at)?;
        Some(hit.plus(length))
    }

    fn fits_day(&self, date: Date) -> bool {
        let fits = |field: u64, value: i8| field >> value & 1 == 1;
        let day = fits(self.days, date.day());
        let weekday = fits(self.weekdays, date.weekday().to_sunday_zero_offset());
        fits(self.months, date.month())
            && if self.both_days { day && weekday } else { day || weekday }
    }
}

impl Field {
    fn parse(&self, text: &str) -> Option<u64> {
        text.split(',').try_fold(0, |bits, part| Some(bits | self.part(part)?))
    }

    /// One of `*`, `*/n`, `a`, `a-b`, `a-b/n`, `a/n`.
    fn part(&self, text: &str) -> Option<u64> {
        let (range, step) = match text.split_once('/') {
            Some((range, step)) => {
                (range, Some(step.parse::<u32>().ok().filter(|step| *step > 0)?))
            }
            None => (text, None),
        };
        let (first, last) = match range.split_once('-') {
            _ if matches!(range, "*" | "?") => (self.least, self.most),
            Some((first, last)) => (self.value(first)?, self.value(last)?),
            None => {
                let value = self.value(range)?;
                (value, if step.is_some() { self.most } else { value })
            }
        };
        if first > last {
            return None;
        }
        let step = usize::try_from(step.unwrap_or(1)).ok()?;
        Some((first..=last).step_by(step).fold(0, |bits, value| bits | 1 << value))
    }

    fn value(&self, text: &str) -> Option<u32> {
        let lower = text.to_ascii_lowercase();
        let named = self.names.iter().zip(self.least..).find(|(name, _)| **name == lower);
        let value = named.map(|(_, value)| value).or_else(|| text.parse().ok())?;
        (self.least..=self.most).contains(&value).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().expect("a moment")
    }

    #[test]
    fn the_last_hit_is_the_newest_minute_that_fits() {
        let now = time("2026-12-01T09:30:30Z"); // A Tuesday.
        let long_ago = time("2025-01-01T00:00:00Z");
        for (text, expected) in [
            ("0 9 * * mon-fri", Some("2026-12-01T09:00:00Z")),
            ("0 9 * * 0", Some("2026-11-29T09:00:00Z")),
            ("*/15 * * * *", Some("2026-12-01T09:30:00Z")),
            ("0 0 1 * *", Some("2026-12-01T00:00:00Z")),
            ("@weekly", Some("2026-11-29T00:00:00Z")),
            ("@yearly", Some("2026-01-01T00:00:00Z")),
            ("59 23 31 12 *", Some("2025-12-31T23:59:00Z")),
            // Without a star, either of the days will do.
            ("0 0 15 * 1", Some("2026-11-30T00:00:00Z")),
            ("0 0 30 2 *", None),
        ] {
            let schedule = Schedule::parse(text).expect(text);
            assert_eq!(schedule.last_hit(long_ago, now), expected.map(time), "{text}");
        }
    }

    #[test]
    fn what_is_no_schedule_is_none() {
        for text in
            ["", "* * * *", "60 * * * *", "* * * * 7", "5-1 * * * *", "*/0 * * * *", "a * * * *"]
        {
            assert_eq!(Schedule::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_window_is_open_for_its_length() {
        let schedule = Schedule::parse("0 9 * * *").expect("a schedule");
        let hour = Span::seconds(3600);
        let open = |at: &str| schedule.open_until(time(at), hour);
        assert_eq!(open("2026-12-01T09:00:00Z"), Some(time("2026-12-01T10:00:00Z")));
        assert_eq!(open("2026-12-01T09:59:59Z"), Some(time("2026-12-01T10:00:00Z")));
        assert_eq!(open("2026-12-01T10:00:00Z"), None);
    }
}
