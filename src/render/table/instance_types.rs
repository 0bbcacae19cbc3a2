//! The page of `instance-types`: what each NodePool may launch, why it may not launch the rest, and how that is known.

use std::collections::BTreeMap;

use super::super::grid::{Fit, Grid, cell};
use super::super::style::Role;
use super::page::Page;
use crate::report::{Amount, InstanceType, InstanceTypeList, LeftOut, PoolTypes};

/// Rows of a plain page; `-o wide` has them all.
const ROWS: usize = 20;
/// Reasons of a plain page.
const REASONS: usize = 10;

/// Writes the page.
pub(super) fn write(page: &mut Page<'_>, list: &InstanceTypeList) {
    for (index, pool) in list.node_pools.iter().enumerate() {
        if index > 0 {
            page.blank();
        }
        write_pool(page, pool);
    }
    if list.node_pools.is_empty() {
        page.paragraph(0, "", Role::Title, "The input has no NodePool.");
    }
    write_unavailable(page, list);
    write_sources(page, list);
    write_gaps(page, list);
}

fn write_pool(page: &mut Page<'_>, pool: &PoolTypes) {
    let (kept, left_out) = (pool.items.len(), pool.left_out.len());
    let answer = format!(
        "nodepool/{} may launch {kept} instance type{}, {left_out} are left out.",
        pool.node_pool,
        if kept == 1 { "" } else { "s" }
    );
    page.paragraph(0, "", Role::Title, &answer);
    if kept > 0 {
        page.blank();
        write_items(page, &pool.items);
    }
    if left_out > 0 {
        write_left_out(page, &pool.left_out);
    }
}

fn write_items(page: &mut Page<'_>, items: &[InstanceType]) {
    let shown = if page.wide { items.len() } else { items.len().min(ROWS) };
    let mut grid = Grid::default()
        .column("TYPE", Fit::Keep)
        .numbers("CPU")
        .numbers("MEMORY")
        .numbers("PODS")
        .numbers("PRICE/H (ESTIMATE)")
        .column("CAPACITY", Fit::Keep)
        .column("ZONES", Fit::End);
    if page.wide {
        grid = grid.column("OTHER", Fit::End).column("NOTES", Fit::End);
    }
    for item in &items[..shown] {
        let amount = |name: &str| item.allocatable.get(name).map(|it| it.quantity.clone());
        let plain = |text: String| cell(text, Role::Text);
        let price = item.price_estimate.map(|price| format!("{price:.4}"));
        let mut row = vec![
            cell(item.name.clone(), Role::Name),
            plain(amount("cpu").unwrap_or_default()),
            plain(item.allocatable.get("memory").map(mebibytes).unwrap_or_default()),
            plain(amount("pods").unwrap_or_default()),
            plain(price.unwrap_or_default()),
            plain(item.capacity_types.join(",")),
            plain(short(&item.zones)),
        ];
        if page.wide {
            row.push(plain(others(item)));
            row.push(plain(item.notes.join("; ")));
        }
        grid.row(row);
    }
    grid.drop_empty_columns();
    page.grid(1, &grid);
    if shown < items.len() {
        let more = format!("{} more, dearer or as dear: -o wide lists them", items.len() - shown);
        page.paragraph(1, "", Role::Dim, &more);
    }
}

/// Zones that differ in their last letter alone share what comes before: `us-east-1a,b,c`.
fn short(zones: &[String]) -> String {
    let split = |zone: &String| zone.char_indices().last().map(|(at, _)| at);
    let Some((first, rest)) = zones.split_first() else { return String::new() };
    let common = split(first).map_or("", |at| &first[..at]);
    let shared = rest.iter().all(|it| split(it).is_some_and(|at| it[..at] == *common));
    if !shared || common.is_empty() {
        return zones.join(",");
    }
    let letters: Vec<&str> = rest.iter().map(|zone| &zone[common.len()..]).collect();
    [&[first.as_str()], letters.as_slice()].concat().join(",")
}

/// Memory as people compare it: whole MiB.
fn mebibytes(amount: &Amount) -> String {
    format!("{}Mi", amount.value >> 20)
}

/// What pods can use besides the usual.
fn others(item: &InstanceType) -> String {
    let usual = ["cpu", "memory", "pods"];
    let others = item.allocatable.iter().filter(|(name, _)| !usual.contains(&name.as_str()));
    let others: Vec<String> =
        others.map(|(name, amount)| format!("{name}={}", amount.quantity)).collect();
    others.join(" ")
}

fn write_left_out(page: &mut Page<'_>, left_out: &[LeftOut]) {
    if page.wide {
        page.heading("Left out", "");
        let mut grid = Grid::default().column("TYPE", Fit::Name).column("REASON", Fit::End);
        for left in left_out {
            grid.row(vec![
                cell(left.name.clone(), Role::Name),
                cell(left.detail.clone(), Role::Text),
            ]);
        }
        page.grid(1, &grid);
        return;
    }
    let mut by_reason: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for left in left_out {
        let reason = match &left.requirement {
            Some(requirement) => format!("the NodePool asks for {requirement}"),
            None => left.detail.clone(),
        };
        by_reason.entry(reason).or_default().push(&left.name);
    }
    let mut reasons: Vec<(String, Vec<&str>)> = by_reason.into_iter().collect();
    reasons.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
    page.heading("Left out", "by the first thing that stands against each");
    let mut grid = Grid::default().numbers("").column("", Fit::Wrap).column("", Fit::End);
    for (reason, names) in reasons.iter().take(REASONS) {
        let some = names.iter().take(3).copied().collect::<Vec<_>>().join(", ");
        let more = if names.len() > 3 { ", …" } else { "" };
        grid.row(vec![
            cell(names.len().to_string(), Role::Text),
            cell(reason.clone(), Role::Text),
            cell(format!("{some}{more}"), Role::Dim),
        ]);
    }
    page.grid(1, &grid);
    if reasons.len() > REASONS {
        let rest: usize = reasons[REASONS..].iter().map(|(_, names)| names.len()).sum();
        let more = format!("{rest} more for other reasons: -o wide lists them");
        page.paragraph(1, "", Role::Dim, &more);
    }
}

fn write_unavailable(page: &mut Page<'_>, list: &InstanceTypeList) {
    if list.unavailable.is_empty() {
        return;
    }
    page.heading("Could not be had", "type/zone/capacity type");
    for mark in &list.unavailable {
        let bullet = page.style.glyph("• ", "- ");
        let text = format!("{}: {}", mark.offering, mark.evidence);
        page.paragraph(1, bullet, Role::Text, &text);
    }
}

fn write_sources(page: &mut Page<'_>, list: &InstanceTypeList) {
    page.heading("From", "best first");
    for source in &list.sources {
        let kind = match source.kind.as_str() {
            "node-claims" => "NodeClaims",
            "nodes" => "nodes",
            "node-classes" => "NodeClasses",
            "file" => "file",
            "built-in" => "built-in table",
            "name-rule" => "rules by name",
            other => other,
        };
        let name = source.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        let date = source.date.as_ref().map(|date| format!(" ({date})")).unwrap_or_default();
        let bullet = page.style.glyph("• ", "- ");
        page.paragraph(1, bullet, Role::Text, &format!("{kind}{name}{date}: {}", source.gave));
    }
    let note = if ["aws", "azure"].contains(&list.provider.as_str()) {
        "Prices are public list prices of the region and day named: estimates for comparing, not a bill."
    } else {
        "Prices are what the provider's list or its nodes say: estimates for comparing, not a bill."
    };
    page.paragraph(1, "", Role::Dim, note);
}

fn write_gaps(page: &mut Page<'_>, list: &InstanceTypeList) {
    if list.gaps.is_empty() {
        return;
    }
    page.heading("Assumed or not known", "");
    for gap in &list.gaps {
        let bullet = page.style.glyph("• ", "- ");
        page.paragraph(1, bullet, Role::Text, &format!("{}: {}", gap.subject, gap.detail));
        if let Some(hint) = &gap.hint {
            page.paragraph(3, "hint: ", Role::Dim, hint);
        }
    }
}
