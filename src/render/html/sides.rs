//! The three places beside each other.

use maud::{Markup, html};

use super::super::comparison::{HEADINGS, Row, rows};
use super::{Part, name, safe};
use crate::report::Placement;

/// What each column means, for someone new to it.
const ABOUT: [&str; 3] = ["Karpenter’s plan", "kube-scheduler, replayed", "what happened"];
/// Each column's class.
const CLASSES: [&str; 3] = ["intended", "pick", "actual"];

/// The table; on a phone each row becomes a block.
pub(super) fn table(part: &Part<'_>) -> Markup {
    let rows = rows(part.explanation, true);
    let content = html! {
        div.scroll tabindex="0" role="region" aria-label="Intended, picked and actual place" {
            table.sides {
                thead { tr {
                    td {}
                    @for column in 0..3 {
                        th scope="col" class=(CLASSES[column]) { (title(HEADINGS[column])) small { (ABOUT[column]) } }
                    }
                } }
                tbody {
                    @for row in &rows { (table_row(row)) }
                }
            }
        }
        (alternatives(part))
    };
    let differ = rows.iter().any(|row| row.differs);
    let about = if differ { "Rows marked ≠ differ." } else { "" };
    part.section("sides", "Side by side", about, &content)
}

fn table_row(row: &Row) -> Markup {
    let holds_name = ["node", "nodeclaim"].contains(&row.label);
    let is_same = row.cells.iter().all(|cell| cell.text.is_some() && cell == &row.cells[0]);
    html! {
        tr.differs[row.differs].same[is_same] {
            th scope="row" {
                @if row.differs { span.ne title="differs" { "≠" } }
                (row.label)
            }
            @for (column, cell) in row.cells.iter().enumerate() {
                td class=(CLASSES[column]) .refuses[cell.refuses] data-label=(title(HEADINGS[column])) {
                    @match &cell.text {
                        Some(text) if holds_name && !cell.is_absence => (name(text)),
                        Some(text) => (safe(text)),
                        None => span.none aria-label="not known" { "–" },
                    }
                }
            }
        }
    }
}

fn title(heading: &str) -> String {
    let mut letters = heading.to_lowercase();
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    letters
}

fn alternatives(part: &Part<'_>) -> Markup {
    let explanation = part.explanation;
    let places = [
        ("Intended", &explanation.intended),
        ("Scheduler’s pick", &explanation.scheduler_pick),
        ("Actual", &explanation.actual),
    ];
    html! {
        @for (label, place) in places {
            @if let Some(place) = place {
                @for other in place.alternatives.iter().filter(|other| other.node != place.node) {
                    p.about {
                        b { (label) } " might as well be "
                        (name(other.node.as_deref().or(other.node_claim.as_deref()).unwrap_or_default()))
                        ": " (safe(&other.reason))
                        @if let Some(chance) = other.probability { (format!(", {:.0} %", chance * 100.0)) }
                        "."
                    }
                }
            }
        }
    }
}

/// A place's name, for a table of pods.
pub(super) fn place_name(place: Option<&Placement>) -> Markup {
    let known = place.and_then(|place| place.node.as_ref().or(place.node_claim.as_ref()));
    html! {
        @match known { Some(text) => (name(text)), None => span.none { "–" } }
    }
}
