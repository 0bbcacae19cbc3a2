//! The page of `compare`: two pods side by side, only what differs.

use super::super::grid::{Fit, Grid, cell};
use super::super::style::Role;
use super::super::words;
use super::page::Page;
use crate::report::{Comparison, ComparisonRow, Section};

/// The sections with their headings, in order.
const SECTIONS: [(Section, &str); 6] = [
    (Section::Places, "Places"),
    (Section::Causes, "Why"),
    (Section::Scores, "How their nodes stood, for each pod at its moment"),
    (Section::Relaxations, "Soft rules that Karpenter gave up"),
    (Section::Times, "Times"),
    (Section::Demands, "What they ask for"),
];

/// Writes the page.
pub(super) fn write(page: &mut Page<'_>, comparison: &Comparison) {
    page.paragraph(0, "", Role::Title, &comparison.summary);
    let names = comparison.pods.each_ref().map(|pod| pod.name.as_str());
    for (section, heading) in SECTIONS {
        let rows: Vec<&ComparisonRow> =
            comparison.rows.iter().filter(|row| row.section == section).collect();
        if rows.is_empty() {
            continue;
        }
        page.heading(heading, "");
        // One width for both sides, so that the eye finds them; names are cut, sentences wrap.
        let fit = match section {
            Section::Causes | Section::Scores | Section::Relaxations | Section::Demands => {
                Fit::Wrap
            }
            Section::Places | Section::Times => Fit::Name,
        };
        let short = |name: &str| {
            let columns = page.style.width.saturating_sub(24) / 2;
            if page.wide {
                name.to_owned()
            } else {
                super::super::text::cut_name(
                    &super::super::text::safe(name),
                    columns,
                    page.style.ascii,
                )
            }
        };
        let mut grid = Grid::default()
            .column("", Fit::Name)
            .column(&short(names[0]), fit)
            .column(&short(names[1]), fit);
        for row in rows {
            let value = |value: &Option<String>| match value {
                Some(text) => cell(text.clone(), Role::Text),
                None => cell(page.style.glyph("–", "-"), Role::Dim),
            };
            let [a, b] = &row.values;
            grid.row(vec![cell(label_of(page, row), Role::Dim), value(a), value(b)]);
        }
        page.grid(1, &grid);
    }
    if comparison.rows.is_empty() {
        page.blank();
        page.paragraph(0, "", Role::Text, "Nothing differs, as far as the input tells.");
    }
    page.gaps(&comparison.gaps);
    page.blank();
    page.paragraph(0, "", Role::Dim, &words::provenance(&comparison.metadata));
}

/// A row's label; a plugin's points stand under their node, whose name needs no repeating.
fn label_of(page: &Page<'_>, row: &ComparisonRow) -> String {
    match row.label.split_once(' ') {
        Some((_, plugin)) if row.section == Section::Scores && !page.wide => format!("  {plugin}"),
        _ => row.label.clone(),
    }
}
