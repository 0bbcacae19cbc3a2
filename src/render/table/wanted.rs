//! The change that puts the pod where it is wanted: what to do, its cost, the patch.

use super::super::style::Role;
use super::page::Page;
use crate::report::{Explanation, WantedEdit};

/// Writes the answer to `--want`.
pub(super) fn write(page: &mut Page<'_>, explanation: &Explanation) {
    let Some(wanted) = &explanation.wanted else { return };
    page.heading("Wanted", &wanted.target);
    page.paragraph(2, "", Role::Text, &wanted.summary);
    write_edits(page, &wanted.edits);
    for patch in &wanted.patch {
        page.blank();
        page.paragraph(2, "", Role::Name, &patch.object);
        for line in patch.diff.lines() {
            let role = match line.as_bytes().first() {
                Some(b'+') => Role::Good,
                Some(b'-') => Role::Bad,
                _ => Role::Dim,
            };
            page.verbatim(4, "", role, line);
        }
        if let Some(command) = &patch.command {
            page.verbatim(2, "$ ", Role::Name, command);
        }
        if let Some(instead) = &patch.instead {
            page.paragraph(2, "", Role::Hint, instead);
        }
    }
    if let Some(nearest) = &wanted.nearest {
        if nearest.edits.is_empty() {
            page.paragraph(2, "", Role::Text, "No change comes nearer than none:");
        } else {
            page.paragraph(2, "", Role::Text, "This comes nearest:");
            write_edits(page, &nearest.edits);
        }
        page.paragraph(2, "still in the way: ", Role::Bad, &nearest.obstacle);
    }
}

fn write_edits(page: &mut Page<'_>, edits: &[WantedEdit]) {
    for (index, edit) in edits.iter().enumerate() {
        let text = format!("{} ({})", edit.summary, edit.object);
        page.paragraph(2, &format!("{}. ", index + 1), Role::Text, &page.brief(&text));
        page.paragraph(5, "costs: ", Role::Hint, &edit.trade_off);
    }
}
