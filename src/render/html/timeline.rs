//! The time line: an SVG of the lives of the pod and its nodes, and the same as a list.

use maud::{Markup, html};

use super::super::picture::{Lane, LaneKind, Mark, Picture, State, rank};
use super::super::{text, words};
use super::{Part, safe, sentence};
use crate::model::time::Timestamp;
use crate::report::Moment;

/// The drawing's measures, in its own units.
const WIDTH: f64 = 980.0;
const LEFT: f64 = 200.0;
const RIGHT: f64 = 110.0;
const TOP: f64 = 52.0;
const LANE: f64 = 74.0;
/// Ticks closer than this would hide each other's labels.
const APART: f64 = 56.0;

/// The picture.
pub(super) fn picture(part: &Part<'_>) -> Markup {
    let Some(picture) = Picture::of(part.explanation, 11) else { return html! {} };
    let columns = columns(&picture);
    #[expect(clippy::cast_precision_loss, reason = "a handful of lanes")]
    let height = TOP + LANE * picture.lanes.len() as f64 + 6.0;
    let (title_id, about_id) = (part.id("picture-title"), part.id("picture-about"));
    let content = html! {
        div.scroll.picture tabindex="0" role="region" aria-label="Picture of the time line" {
            svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-labelledby={ (title_id) " " (about_id) } {
                title id=(title_id) { "Time line of the pod and its nodes" }
                desc id=(about_id) { (told(&picture)) }
                @for (tick, x) in picture.ticks.iter().zip(&columns) {
                    line.grid x1=(x) x2=(x) y1=(TOP - 8.0) y2=(height - 6.0) {}
                    text.offset x=(x) y="20" { (tick.offset) }
                    text.clock x=(x) y="36" { (clock(tick.time)) }
                }
                @for (index, lane) in picture.lanes.iter().enumerate() {
                    (draw_lane(lane, &columns, lane_y(index)))
                }
                (binding(&picture, &columns))
            }
        }
        p.about.swipe { "The picture goes on to the right." }
        ul.legend {
            li { span.swatch.waiting {} "waiting, or starting" }
            li { span.swatch.up {} "bound, or ready" }
            li { span.diamond aria-hidden="true" { "◆" } "what decided" }
            li { "Long gaps are drawn shorter than they were." }
        }
    };
    let about = "Times since the pod was created, and the time of day in UTC.";
    part.section("picture", "What happened", about, &content)
}

#[expect(clippy::cast_precision_loss, reason = "a handful of lanes")]
fn lane_y(index: usize) -> f64 {
    TOP + LANE * index as f64 + 16.0
}

/// The place of each tick: in proportion, but far enough apart to be read.
fn columns(picture: &Picture<'_>) -> Vec<f64> {
    let end = WIDTH - RIGHT;
    let mut columns: Vec<f64> = Vec::new();
    let mut left = picture.ticks.len();
    for tick in &picture.ticks {
        left -= 1;
        let wanted = LEFT + 12.0 + tick.at * (end - LEFT - 12.0);
        let least = columns.last().map_or(LEFT + 12.0, |x| x + APART);
        #[expect(clippy::cast_precision_loss, reason = "a handful of ticks")]
        let most = end - left as f64 * APART;
        columns.push(wanted.min(most).max(least).round());
    }
    columns
}

/// The picture in words, for those who hear the page.
fn told(picture: &Picture<'_>) -> String {
    let mut told = Vec::new();
    for lane in &picture.lanes {
        let marks: Vec<String> = lane
            .marks
            .iter()
            .map(|mark| {
                format!("{} {}", words::moment(mark.entry.moment), picture.ticks[mark.tick].offset)
            })
            .collect();
        told.push(format!("{} {}: {}.", lane.kind.label(), safe(&lane.name), marks.join(", ")));
    }
    told.join(" ")
}

const fn class(kind: LaneKind) -> &'static str {
    match kind {
        LaneKind::Pod => "pod",
        LaneKind::Actual => "actual",
        LaneKind::Intended => "intended",
        LaneKind::ActualAsIntended => "good",
        LaneKind::Pick => "pick",
        LaneKind::Others => "other",
    }
}

fn draw_lane(lane: &Lane<'_>, columns: &[f64], y: f64) -> Markup {
    html! {
        g class={ "lane " (class(lane.kind)) } {
            text.label x="0" y=(y + 1.0) { (lane.kind.label()) }
            text.object x="0" y=(y + 18.0) { (text::cut_name(&safe(&lane.name), 27, false)) title { (safe(&lane.name)) } }
            @for stretch in &lane.stretches {
                @let from = stretch.from.map_or(LEFT, |tick| columns[tick]);
                @let to = stretch.to.map_or(WIDTH, |tick| columns[tick]);
                @let state = match stretch.state { State::Waiting => "waiting", State::Up => "up" };
                rect class=(state) x=(from) y=(y - 6.0) width=((to - from).max(0.0)) height="12" rx="4" {}
            }
            (draw_marks(lane, columns, y))
        }
    }
}

fn draw_marks(lane: &Lane<'_>, columns: &[f64], y: f64) -> Markup {
    let mut order: Vec<usize> = (0..lane.marks.len()).collect();
    order.sort_by_key(|&index| rank(lane.marks[index].entry));
    let mut labels: Vec<Label> = Vec::new();
    for &index in &order {
        let mark = &lane.marks[index];
        let words = match lane.kind {
            LaneKind::Others => text::cut_middle(&safe(&mark.entry.object), 28, false),
            _ => words::moment(mark.entry.moment).to_owned(),
        };
        place_label(&mut labels, words, columns[mark.tick], mark.entry.deciding);
    }
    html! {
        @for mark in on_top(lane, &order) {
            @let x = columns[mark.tick];
            @let ends = matches!(mark.entry.moment, Moment::Deleted | Moment::Preempted | Moment::Evicted | Moment::LaunchFailed);
            @if mark.entry.deciding {
                path.deciding d=(format!("M{} {y} l9 -9 9 9 -9 9z", x - 9.0)) { title { (safe(&mark.entry.summary)) } }
            } @else if ends {
                path.ends d=(format!("M{} {} l12 12 m0 -12 l-12 12", x - 6.0, y - 6.0)) { title { (safe(&mark.entry.summary)) } }
            } @else {
                circle cx=(x) cy=(y) r="6" { title { (safe(&mark.entry.summary)) } }
            }
        }
        @for label in &labels {
            text.mark.deciding[label.deciding] x=(label.x) y=(y + 24.0 + 15.0 * f64::from(label.row)) text-anchor=(label.anchor) {
                (label.words)
            }
        }
    }
}

/// The weightiest mark of each tick.
fn on_top<'a, 'b>(lane: &'b Lane<'a>, order: &[usize]) -> Vec<&'b Mark<'a>> {
    let mut drawn: Vec<&Mark<'a>> = Vec::new();
    for mark in order.iter().map(|&index| &lane.marks[index]) {
        if drawn.iter().all(|other| other.tick != mark.tick) {
            drawn.push(mark);
        }
    }
    drawn
}

/// Words under a mark.
struct Label {
    words: String,
    x: f64,
    anchor: &'static str,
    row: u8,
    from: f64,
    to: f64,
    deciding: bool,
}

/// Puts words under a mark, in the first of two rows that has room there; else the mark's title has to do.
fn place_label(labels: &mut Vec<Label>, words: String, x: f64, deciding: bool) {
    if labels.iter().any(|other| other.words == words && (other.x - x).abs() < 1.0) {
        return;
    }
    #[expect(clippy::cast_precision_loss, reason = "a few letters")]
    let half = text::width(&words) as f64 * 3.5 + 3.0;
    let (anchor, from, to) = if x + half > WIDTH {
        ("end", x - half * 2.0, x)
    } else if x - half < LEFT - 8.0 {
        ("start", x, x + half * 2.0)
    } else {
        ("middle", x - half, x + half)
    };
    let is_free = |row: u8| {
        labels.iter().filter(|other| other.row == row).all(|o| o.to <= from || to <= o.from)
    };
    if let Some(row) = (0..2).find(|&row| is_free(row)) {
        labels.push(Label { words, x, anchor, row, from, to, deciding });
    }
}

/// A line from the pod to the node that it was bound to.
fn binding(picture: &Picture<'_>, columns: &[f64]) -> Markup {
    let pod = picture.lanes.iter().position(|lane| lane.kind == LaneKind::Pod);
    let node = picture
        .lanes
        .iter()
        .position(|lane| matches!(lane.kind, LaneKind::Actual | LaneKind::ActualAsIntended));
    let bound = pod.and_then(|index| {
        picture.lanes[index].marks.iter().find(|mark| mark.entry.moment == Moment::Bound)
    });
    html! {
        @if let (Some(pod), Some(node), Some(mark)) = (pod, node, bound) {
            @let x = columns[mark.tick];
            line.binding x1=(x) x2=(x) y1=(lane_y(pod) + 30.0) y2=(lane_y(node) - 12.0) {}
            path.binding d=(format!("M{} {} l5 8 5 -8", x - 5.0, lane_y(node) - 18.0)) {}
        }
    }
}

/// What happened, as a list.
pub(super) fn list(part: &Part<'_>) -> Markup {
    let entries = &part.explanation.timeline;
    if entries.is_empty() {
        return html! {};
    }
    let content = html! {
        ol.timeline {
            @for entry in entries {
                li.deciding[entry.deciding] {
                    time datetime=(entry.time) { (clock(entry.time)) }
                    div {
                        p { b { (words::moment(entry.moment)) } " " (sentence(&entry.object)) }
                        p { (sentence(&entry.summary)) }
                        p.source { (safe(&entry.source))
                            @if let Some(resolution) = &entry.resolution { " · to " (safe(resolution)) } }
                    }
                }
            }
        }
    };
    part.section(
        "timeline",
        "Time line",
        "Every moment that is known, and how it is known.",
        &content,
    )
}

/// The time of day, to the second.
pub(super) fn clock(time: Timestamp) -> String {
    let text = time.to_string();
    text.split_once('T').map_or_else(String::new, |(_, clock)| clock.chars().take(8).collect())
}
