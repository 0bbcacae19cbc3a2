//! The time line.

use super::super::{Moment, TimelineEntry};
use crate::reconstruct::Landing;
use crate::reconstruct::timeline::{Happening, Timeline};

pub(super) fn timeline(landing: &Landing<'_, '_>) -> Vec<TimelineEntry> {
    entries(Timeline::of(landing))
}

/// A time line in the contract's types.
pub(in crate::report) fn entries(timeline: Timeline) -> Vec<TimelineEntry> {
    let entries = timeline.entries.into_iter();
    entries
        .map(|entry| TimelineEntry {
            time: entry.moment.at,
            resolution: Some(resolution(entry.moment.resolution().0)),
            object: entry.object,
            moment: moment(entry.what),
            summary: entry.summary,
            actor: Some(entry.moment.clock.as_str().to_owned()),
            source: entry.source,
            deciding: entry.deciding,
        })
        .collect()
}

fn resolution(nanos: i128) -> String {
    match nanos {
        ..=1_000 => "1us".to_owned(),
        1_001..=1_000_000 => "1ms".to_owned(),
        _ => "1s".to_owned(),
    }
}

const fn moment(what: Happening) -> Moment {
    match what {
        Happening::Created => Moment::Created,
        Happening::FailedScheduling => Moment::FailedScheduling,
        Happening::Planned => Moment::Planned,
        Happening::Nominated => Moment::Nominated,
        Happening::Launched => Moment::Launched,
        Happening::LaunchFailed => Moment::LaunchFailed,
        Happening::Registered => Moment::Registered,
        Happening::Ready => Moment::Ready,
        Happening::Initialized => Moment::Initialized,
        Happening::RoomFreed => Moment::RoomFreed,
        Happening::Bound => Moment::Bound,
        Happening::Preempted => Moment::Preempted,
        Happening::Evicted => Moment::Evicted,
        Happening::Disrupted => Moment::Disrupted,
        Happening::Deleted => Moment::Deleted,
        Happening::Observed => Moment::Observed,
    }
}
