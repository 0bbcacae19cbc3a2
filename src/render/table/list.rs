//! Several pods: a line each, and how many have each class.

use super::super::grid::{Fit, Grid, cell};
use super::super::style::Role;
use super::super::words;
use super::page::Page;
use crate::report::{ExplanationList, Placement};

/// Writes a line a pod.
pub(super) fn write(page: &mut Page<'_>, list: &ExplanationList) {
    let mut grid = Grid::default()
        .column("NAMESPACE", Fit::End)
        .column("POD", Fit::Name)
        .column("CLASS", Fit::Keep)
        .column("INTENDED", Fit::Name)
        .column("ACTUAL", Fit::Name)
        .column("WHY", Fit::End);
    let place = |place: &Option<Placement>| {
        let name = place.as_ref().and_then(|place| place.node.clone().or(place.node_claim.clone()));
        cell(name.unwrap_or_else(|| page.style.glyph("–", "-").to_owned()), Role::Text)
    };
    let first = list.items.first().map(|item| &item.pod.namespace);
    let is_one_namespace = list.items.iter().all(|item| Some(&item.pod.namespace) == first);
    for item in &list.items {
        let class = item.verdict.class;
        let why = item.causes.first().map(|cause| cause.code.clone()).unwrap_or_default();
        let why = if page.wide { item.verdict.summary.clone() } else { why };
        grid.row(vec![
            cell(if is_one_namespace { "" } else { &item.pod.namespace }, Role::Dim),
            cell(&item.pod.name, Role::Name),
            cell(class.as_str(), words::class_role(class)),
            place(&item.intended),
            place(&item.actual),
            cell(why, Role::Text),
        ]);
    }
    grid.drop_empty_columns();
    page.grid(0, &grid);
    let tally: Vec<String> = list
        .tally
        .iter()
        .map(|row| {
            page.style.paint(
                words::class_role(row.class),
                &format!("{} {}", row.pods, row.class.as_str()),
            )
        })
        .collect();
    page.blank();
    page.flow(0, &tally, ", ");
}
