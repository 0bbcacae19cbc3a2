//! The picture of the time line: a lane for the pod, for the node it is on, for the node that was intended.
//!
//! Shared by the terminal's drawing and the page's SVG. Gaps in time are drawn by their order of magnitude, so that both
//! a race of milliseconds and a clean-up hours later can be seen.

use crate::model::time::Timestamp;
use crate::report::{Explanation, Moment, Placement, TimelineEntry};

/// The picture.
pub(crate) struct Picture<'a> {
    /// Moments that have marks, in order; positions are indexes into it.
    pub ticks: Vec<Tick>,
    /// The lanes from top to bottom.
    pub lanes: Vec<Lane<'a>>,
}

/// A moment on the axis.
pub(crate) struct Tick {
    /// The moment, to the second.
    pub time: Timestamp,
    /// How long after the first moment.
    pub offset: String,
    /// Where it stands, from 0 to 1.
    pub at: f64,
}

/// The life of one object.
pub(crate) struct Lane<'a> {
    /// What it is in the answer.
    pub kind: LaneKind,
    /// Its name.
    pub name: String,
    /// What it did, in order of time.
    pub stretches: Vec<Stretch>,
    /// What happened to it.
    pub marks: Vec<Mark<'a>>,
}

/// What a lane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneKind {
    /// The pod.
    Pod,
    /// The node where the pod is.
    Actual,
    /// The node where Karpenter meant it to be.
    Intended,
    /// The node where it is and was meant to be.
    ActualAsIntended,
    /// The node that kube-scheduler would pick.
    Pick,
    /// What else decided.
    Others,
}

impl LaneKind {
    /// Its name beside the lane.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Pod => "pod",
            Self::Actual => "actual node",
            Self::Intended => "intended node",
            Self::ActualAsIntended => "node, as intended",
            Self::Pick => "scheduler's pick",
            Self::Others => "others",
        }
    }
}

/// A stretch of a life, from one tick to another. Without an end it goes on.
pub(crate) struct Stretch {
    /// The first tick; none when it began before the picture.
    pub from: Option<usize>,
    /// The last tick.
    pub to: Option<usize>,
    /// What it was meanwhile.
    pub state: State,
}

/// What an object was for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// A pod that waits, a node that starts.
    Waiting,
    /// A pod that is bound, a node that is ready.
    Up,
}

/// Something that happened.
pub(crate) struct Mark<'a> {
    /// At which tick.
    pub tick: usize,
    /// What.
    pub entry: &'a TimelineEntry,
}

impl<'a> Picture<'a> {
    /// The picture of an answer with at most so many ticks; none when fewer than two moments are known.
    pub(crate) fn of(explanation: &'a Explanation, most_ticks: usize) -> Option<Self> {
        let mut lanes = lanes(explanation);
        let start = explanation
            .pod
            .created
            .or_else(|| lanes.first()?.entries.iter().map(|entry| entry.time).min());
        let mut times: Vec<(u8, i64)> = Vec::new();
        for entry in lanes.iter().flat_map(|lane| &lane.entries) {
            if start.is_none_or(|start| seconds(entry.time) >= seconds(start)) {
                times.push((rank(entry), seconds(entry.time)));
            }
        }
        times.sort_unstable();
        let mut chosen: Vec<i64> = Vec::new();
        for (_, time) in times {
            if chosen.len() < most_ticks && !chosen.contains(&time) {
                chosen.push(time);
            }
        }
        chosen.sort_unstable();
        if chosen.len() < 2 {
            return None;
        }
        lanes.retain(|lane| !lane.entries.is_empty() || lane.was_there);
        let ticks = ticks(&chosen);
        let lanes = lanes.into_iter().map(|lane| lane.drawn(&chosen)).collect();
        Some(Self { ticks, lanes })
    }
}

/// A lane before it has a place on the axis.
struct Draft<'a> {
    kind: LaneKind,
    name: String,
    entries: Vec<&'a TimelineEntry>,
    /// Whether the object was up before all that is known of it.
    was_there: bool,
}

fn lanes(explanation: &Explanation) -> Vec<Draft<'_>> {
    let pod = format!("pod/{}", explanation.pod.name);
    let (intended, actual) = (explanation.intended.as_ref(), explanation.actual.as_ref());
    let pick = explanation.scheduler_pick.as_ref();
    let same = intended.zip(actual).is_some_and(|(a, b)| a.is_same_place(b));
    let mut places: Vec<(LaneKind, Option<&Placement>)> = vec![
        (if same { LaneKind::ActualAsIntended } else { LaneKind::Actual }, actual),
        (LaneKind::Intended, intended.filter(|_| !same)),
    ];
    let is_elsewhere =
        |pick: &&Placement| [intended, actual].iter().flatten().all(|p| !p.is_same_place(pick));
    places.push((LaneKind::Pick, pick.filter(is_elsewhere)));
    let mut drafts = vec![Draft {
        kind: LaneKind::Pod,
        name: explanation.pod.name.clone(),
        entries: entries_of(explanation, std::slice::from_ref(&pod)),
        was_there: false,
    }];
    let mut drawn = vec![pod];
    for (kind, place) in places {
        let Some(place) = place else { continue };
        let mut objects = Vec::new();
        objects.extend(place.node.as_ref().map(|name| format!("node/{name}")));
        objects.extend(place.node_claim.as_ref().map(|name| format!("nodeclaim/{name}")));
        let name = place.node.as_ref().or(place.node_claim.as_ref()).cloned().unwrap_or_default();
        let existed =
            super::comparison::node_of(explanation, place).is_some_and(|node| node.existed);
        let entries = entries_of(explanation, &objects);
        let was_there = existed && place.launched_for_batch != Some(true);
        drafts.push(Draft { kind, name, entries, was_there });
        drawn.extend(objects);
    }
    let mut others = Vec::new();
    for entry in explanation.timeline.iter().filter(|entry| entry.deciding) {
        if drawn.contains(&entry.object) {
            continue;
        }
        // What another object did counts on the lane of the node where it did it.
        let lane = drafts.iter_mut().find(|lane| {
            lane.kind != LaneKind::Pod
                && !lane.name.is_empty()
                && entry.summary.contains(&lane.name)
        });
        match lane {
            Some(lane) => lane.entries.push(entry),
            None => others.push(entry),
        }
    }
    if !others.is_empty() {
        drafts.push(Draft {
            kind: LaneKind::Others,
            name: String::new(),
            entries: others,
            was_there: false,
        });
    }
    drafts
}

fn entries_of<'a>(explanation: &'a Explanation, objects: &[String]) -> Vec<&'a TimelineEntry> {
    explanation
        .timeline
        .iter()
        .filter(|entry| entry.moment != Moment::Observed && objects.contains(&entry.object))
        .collect()
}

/// Which entries get a tick, a mark and words first.
pub(crate) const fn rank(entry: &TimelineEntry) -> u8 {
    match entry.moment {
        _ if entry.deciding => 0,
        Moment::Created | Moment::Bound | Moment::Ready => 1,
        Moment::Deleted | Moment::Preempted | Moment::Evicted | Moment::LaunchFailed => 2,
        Moment::RoomFreed | Moment::RoomTaken | Moment::Nominated | Moment::Planned => 3,
        Moment::Launched | Moment::Registered | Moment::Initialized | Moment::Decided => 4,
        Moment::FailedScheduling | Moment::Started | Moment::Disrupted => 5,
        Moment::Observed | Moment::Other => 6,
    }
}

fn seconds(time: Timestamp) -> i64 {
    time.0.as_second()
}

fn ticks(chosen: &[i64]) -> Vec<Tick> {
    let weight = |pair: &[i64]| {
        // A gap of seconds and one of hours must both be seen: by order of magnitude.
        #[expect(clippy::cast_precision_loss, reason = "for drawing only")]
        let gap = (pair[1] - pair[0]) as f64;
        0.6 + gap.ln_1p()
    };
    let total: f64 = chosen.windows(2).map(weight).sum();
    let first = chosen[0];
    let mut at = 0.0;
    let mut ticks = vec![tick(first, first, 0.0)];
    for pair in chosen.windows(2) {
        at += weight(pair) / total;
        ticks.push(tick(first, pair[1], at));
    }
    ticks
}

fn tick(first: i64, second: i64, at: f64) -> Tick {
    let (start, time) = (Timestamp::from_seconds(first), Timestamp::from_seconds(second));
    Tick { time, offset: format!("+{}", time.since(start)), at }
}

impl<'a> Draft<'a> {
    fn drawn(self, chosen: &[i64]) -> Lane<'a> {
        let place = |entry: &TimelineEntry| chosen.binary_search(&seconds(entry.time)).ok();
        let marks = self
            .entries
            .iter()
            .filter_map(|entry| Some(Mark { tick: place(entry)?, entry }))
            .collect();
        let stretches = self.stretches(chosen);
        Lane { kind: self.kind, name: self.name, stretches, marks }
    }

    fn stretches(&self, chosen: &[i64]) -> Vec<Stretch> {
        let start = chosen[0];
        let is_own = |entry: &&&TimelineEntry| {
            (self.kind == LaneKind::Pod) == entry.object.starts_with("pod/")
        };
        let first = |moments: &[Moment]| {
            self.entries
                .iter()
                .filter(is_own)
                .find(|entry| moments.contains(&entry.moment))
                .map(|entry| seconds(entry.time))
        };
        // The nearest tick at or before a moment; `None` before the picture begins.
        let index = |time: i64| match chosen.partition_point(|&tick| tick <= time) {
            0 => None,
            after => Some(after - 1),
        };
        let end = first(&[Moment::Deleted, Moment::Preempted, Moment::Evicted]);
        let (born, up) = match self.kind {
            LaneKind::Others => return Vec::new(),
            LaneKind::Pod => (first(&[Moment::Created]).or(Some(start)), first(&[Moment::Bound])),
            LaneKind::Actual | LaneKind::Intended | LaneKind::ActualAsIntended | LaneKind::Pick => {
                (
                    first(&[Moment::Created, Moment::Launched]),
                    first(&[Moment::Ready, Moment::Initialized, Moment::Registered]),
                )
            }
        };
        let to = end.and_then(index);
        let mut stretches = Vec::new();
        match (born, up) {
            (Some(born), Some(up)) => {
                if born < up && up > start {
                    stretches.push(Stretch {
                        from: index(born),
                        to: index(up),
                        state: State::Waiting,
                    });
                }
                stretches.push(Stretch { from: index(up), to, state: State::Up });
            }
            (None, Some(up)) => {
                let from = if self.was_there && up > start { None } else { index(up) };
                stretches.push(Stretch { from, to, state: State::Up });
            }
            (Some(born), None) => {
                let state = if self.was_there { State::Up } else { State::Waiting };
                stretches.push(Stretch { from: index(born), to, state });
            }
            (None, None) if self.was_there => {
                stretches.push(Stretch { from: None, to, state: State::Up });
            }
            (None, None) => {}
        }
        stretches
    }
}
