//! The page of `audit`: how many pods went where, the causes with one example each, and the nodes launched in vain.

use super::super::grid::{Fit, Grid, cell};
use super::super::style::Role;
use super::super::words;
use super::page::Page;
use crate::model::time::Timestamp;
use crate::report::{Audit, AuditGroup, NodeInVain};

/// Nodes of a plain page; `-o wide` has them all.
const NODES: usize = 10;
/// Causes that a plain page tells in words.
const CAUSES: usize = 6;

/// Writes the page.
pub(super) fn write(page: &mut Page<'_>, audit: &Audit) {
    page.paragraph(0, "", Role::Title, &words::audit_headline(audit));
    let tally: Vec<String> = audit
        .tally
        .iter()
        .map(|row| {
            let text = format!("{} {}", row.pods, words::class(row.class));
            page.style.paint(words::class_role(row.class), &text)
        })
        .collect();
    page.flow(0, &tally, page.style.glyph(" · ", " - "));
    for (pods, what) in [
        (audit.not_karpenter, "Karpenter had no part in them"),
        (audit.gone, "gone before they were ever bound"),
    ] {
        if pods > 0 {
            let text = format!("{} beside these: {what}.", words::count(pods, "pod"));
            page.paragraph(0, "", Role::Dim, &text);
        }
    }
    write_groups(page, audit);
    write_in_vain(page, audit);
    page.gaps(&audit.gaps);
    page.blank();
    page.paragraph(0, "", Role::Dim, &words::provenance(&audit.metadata));
}

fn write_groups(page: &mut Page<'_>, audit: &Audit) {
    if audit.groups.is_empty() {
        return;
    }
    page.heading("Causes", "surprises first; each with one of its pods");
    let mut grid = Grid::default()
        .numbers("PODS")
        .column("CLASS", Fit::Keep)
        .column("CAUSE", Fit::Keep)
        .column("EXAMPLE", Fit::Name);
    if page.wide || page.style.width >= 120 {
        grid = grid.column("OWNERS", Fit::End);
    }
    for group in &audit.groups {
        let cause = group.cause.as_deref().unwrap_or(page.style.glyph("–", "-"));
        let mut row = vec![
            cell(group.count.to_string(), Role::Title),
            cell(words::class(group.class), words::class_role(group.class)),
            cell(cause, Role::Text),
            cell(group.example.clone(), Role::Name),
        ];
        if page.wide || page.style.width >= 120 {
            row.push(cell(owners(group), Role::Dim));
        }
        grid.row(row);
    }
    page.grid(1, &grid);
    let told: Vec<&AuditGroup> =
        audit.groups.iter().filter(|group| group.cause.is_some()).collect();
    let shown = if page.wide { told.len() } else { told.len().min(CAUSES) };
    for group in &told[..shown] {
        write_group(page, group);
    }
    if shown < told.len() {
        let more = format!(
            "{} more in words with -o wide",
            words::count((told.len() - shown) as u64, "cause")
        );
        page.blank();
        page.paragraph(1, "", Role::Dim, &more);
    }
}

fn write_group(page: &mut Page<'_>, group: &AuditGroup) {
    page.blank();
    let code = group.cause.as_deref().unwrap_or_default();
    let pods = words::count(group.count, "pod");
    let head = format!("{code} ({}, {pods}): ", words::class(group.class));
    let meaning = group.meaning.as_deref().unwrap_or_default();
    page.paragraph(1, "", Role::Text, &(head + meaning));
    if let Some(why) = &group.why {
        let text = page.brief(&format!("{}: {why}", group.example));
        page.paragraph(3, "e.g. ", Role::Dim, &text);
    }
    if group.looked_into < group.count && group.looked_into > 0 {
        let text = format!(
            "{} of {} were looked into; the others are equal pods with the same verdict",
            group.looked_into, group.count
        );
        page.paragraph(3, "", Role::Dim, &text);
    }
    let advice = group.advice.iter().filter(|advice| advice.summary != "Nothing to do.");
    let most = if page.wide { usize::MAX } else { 1 };
    let arrow = page.style.glyph("→ ", "> ");
    for advice in advice.take(most) {
        page.paragraph(3, arrow, Role::Text, &advice.summary);
        if let Some(command) = &advice.command {
            page.verbatim(5, "$ ", Role::Hint, command);
        }
    }
}

/// The owners with the most pods, and how many more there are.
fn owners(group: &AuditGroup) -> String {
    const SHOWN: usize = 2;
    let some = group.owners.iter().take(SHOWN);
    let mut texts: Vec<String> =
        some.map(|owner| format!("{} ({})", owner.owner, owner.count)).collect();
    if group.owners.len() > SHOWN {
        texts.push(format!("{} more", group.owners.len() - SHOWN));
    }
    texts.join(", ")
}

fn write_in_vain(page: &mut Page<'_>, audit: &Audit) {
    let launches = &audit.launches;
    if launches.in_vain.is_empty() {
        return;
    }
    page.heading("Launched in vain", "got none of the pods that they were launched for");
    let shown = if page.wide { launches.in_vain.len() } else { launches.in_vain.len().min(NODES) };
    let mut grid = Grid::default()
        .column("NODECLAIM", Fit::Name)
        .column("TYPE", Fit::Name)
        .numbers("FOR")
        .column("WENT TO", Fit::Name)
        .column("USED", Fit::Keep)
        .column("THERE", Fit::Keep)
        .numbers("$/H (EST.)");
    let taken = audit.metadata.input.as_ref().and_then(|input| input.taken_at);
    for node in &launches.in_vain[..shown] {
        let price = node.price_per_hour_estimate.map(|price| format!("{price:.4}"));
        grid.row(vec![
            cell(node.node_claim.clone(), Role::Name),
            cell(node.instance_type.clone().unwrap_or_default(), Role::Text),
            cell(words::count(node.planned.len() as u64, "pod"), Role::Text),
            cell(went(node), Role::Text),
            cell(words::node_use(node.other_pods), Role::Text),
            cell(there(node, taken), Role::Text),
            cell(price.unwrap_or_default(), Role::Text),
        ]);
    }
    grid.drop_empty_columns();
    page.grid(1, &grid);
    if shown < launches.in_vain.len() {
        let more = format!("{} more with -o wide", launches.in_vain.len() - shown);
        page.paragraph(1, "", Role::Dim, &more);
    }
    for line in words::waste(audit) {
        page.paragraph(1, "", Role::Dim, &line);
    }
}

/// Where the pods went: the node, or how many.
fn went(node: &NodeInVain) -> String {
    let mut nodes = node.went.keys();
    match (nodes.next(), nodes.next()) {
        (Some(only), None) => only.clone(),
        (Some(_), Some(_)) => format!("{} nodes", node.went.len()),
        (None, _) => String::new(),
    }
}

/// How long a node was there, and whether it still is.
fn there(node: &NodeInVain, taken: Option<Timestamp>) -> String {
    let until = node.ended.or(taken);
    let lasted = match (node.created, until) {
        (Some(created), Some(until)) => until.since(created).to_string(),
        _ => String::new(),
    };
    if node.ended.is_some() { format!("gone after {lasted}") } else { format!("since {lasted}") }
}
