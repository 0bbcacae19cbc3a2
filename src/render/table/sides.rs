//! The side-by-side table; one below the other where the terminal is narrow.

use super::super::comparison::{Cell, HEADINGS, Row, rows};
use super::super::grid::{Fit, Grid, Text, cell};
use super::super::style::Role;
use super::page::Page;
use crate::report::Explanation;

/// Columns below which three columns cannot be read.
const NARROW: usize = 64;

/// Writes what was intended, picked and is, beside each other; rows that differ are marked.
pub(super) fn write(page: &mut Page<'_>, explanation: &Explanation) {
    let rows = rows(explanation, page.wide || page.style.width >= 120);
    if rows.is_empty() {
        return;
    }
    page.blank();
    if page.style.width < NARROW && !page.wide {
        write_stacked(page, &rows);
    } else {
        let mut grid = Grid::default().column("", Fit::Keep).column("", Fit::Keep);
        for heading in HEADINGS {
            grid = grid.column(heading, Fit::Name);
        }
        for row in &rows {
            let mut cells = vec![mark(page, row), cell(row.label, Role::Dim)];
            cells.extend((0..3).map(|column| value(page, row, column)));
            grid.row(cells);
        }
        page.grid(0, &grid);
    }
    write_alternatives(page, explanation);
}

fn write_stacked(page: &mut Page<'_>, rows: &[Row]) {
    for (column, heading) in HEADINGS.iter().enumerate() {
        page.line(&page.style.paint(Role::Title, heading));
        let mut grid =
            Grid::default().column("", Fit::Keep).column("", Fit::Keep).column("", Fit::Name);
        for row in rows.iter().filter(|row| row.cells[column].text.is_some()) {
            grid.row(vec![mark(page, row), cell(row.label, Role::Dim), value(page, row, column)]);
        }
        page.grid(0, &grid);
    }
}

fn mark(page: &Page<'_>, row: &Row) -> Text {
    let mark = if row.differs { page.style.glyph("≠", "!") } else { "" };
    cell(mark, Role::Hint)
}

/// A value: what refuses is bad, what differs from the intended is highlighted, the rest is text.
fn value(page: &Page<'_>, row: &Row, column: usize) -> Text {
    let Cell { text, refuses, is_absence } = &row.cells[column];
    match text {
        None => cell(page.style.glyph("–", "-"), Role::Dim),
        Some(text) if *is_absence => cell(text, Role::Dim),
        Some(text) if *refuses => cell(text, Role::Bad),
        Some(text) if row.label == "known from" => cell(text, Role::Dim),
        Some(text) if row.differs && *text != *row.cells[0].text.as_ref().unwrap_or(text) => {
            cell(text, Role::Hint)
        }
        Some(text) => cell(text, Role::Text),
    }
}

/// Other places that were as likely.
fn write_alternatives(page: &mut Page<'_>, explanation: &Explanation) {
    let places = [
        ("intended", &explanation.intended),
        ("scheduler's pick", &explanation.scheduler_pick),
        ("actual", &explanation.actual),
    ];
    for (label, place) in places {
        let Some(place) = place else { continue };
        for other in place.alternatives.iter().filter(|other| other.node != place.node) {
            let node = other.node.as_ref().map(|name| format!("node/{name}"));
            let claim = other.node_claim.as_ref().map(|name| format!("nodeclaim/{name}"));
            let name = node.or(claim).unwrap_or_default();
            let chance = other.probability.map(|p| format!(", {:.0} %", p * 100.0));
            let reason = &other.reason;
            let text =
                format!("{label} might as well be {name}: {reason}{}", chance.unwrap_or_default());
            page.paragraph(3, "", Role::Dim, &text);
        }
    }
}
