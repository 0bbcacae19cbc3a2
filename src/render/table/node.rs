//! The page of `node` and `nodeclaim`: for which pods it was launched, where they went and why, and what becomes of it.

use super::super::grid::{Fit, Grid, cell};
use super::super::style::Role;
use super::super::words;
use super::page::{self, Page};
use crate::report::{NodeReport, PodOfNode, PodPart, RemovalState};

/// Pods of a plain page; `-o wide` has them all.
const PODS: usize = 15;
/// Causes that a plain page tells in words.
const CAUSES: usize = 3;

/// Writes the page.
pub(super) fn write(page: &mut Page<'_>, report: &NodeReport) {
    page.paragraph(0, "", Role::Title, &report.summary);
    write_facts(page, report);
    if let Some(removal) = &report.removal {
        let role = match removal.state {
            RemovalState::Removed | RemovalState::Unknown => Role::Text,
            RemovalState::Underway | RemovalState::Due => Role::Hint,
            RemovalState::Held => Role::Bad,
        };
        page.paragraph(0, "", role, &removal.summary);
    }
    let planned =
        |pod: &&PodOfNode| matches!(pod.part, PodPart::LaunchedFor | PodPart::PlannedLater);
    let meant: Vec<&PodOfNode> = report.pods.iter().filter(planned).collect();
    let others: Vec<&PodOfNode> = report.pods.iter().filter(|pod| !planned(pod)).collect();
    write_pods(page, "Meant for it", "the pods that Karpenter planned here", &meant);
    write_causes(page, &meant);
    write_pods(page, "Others that came", "pods that were not meant for it", &others);
    write_running(page, report);
    write_removal(page, report);
    write_timeline(page, report);
    page.gaps(&report.gaps);
    if report.price_per_hour_estimate.is_some() {
        page.blank();
        page.paragraph(0, "", Role::Dim, &words::prices_from(&report.price_sources));
    }
    page.blank();
    page.paragraph(0, "", Role::Dim, &words::provenance(&report.metadata));
}

fn write_facts(page: &mut Page<'_>, report: &NodeReport) {
    let claim = report.node_claim.as_ref().map(|name| format!("nodeclaim/{name}"));
    let price = report.price_per_hour_estimate;
    let facts: Vec<String> = [
        claim,
        report.node_pool.as_ref().map(|pool| format!("nodepool/{pool}")),
        report.instance_type.clone(),
        report.zone.clone(),
        report.capacity_type.clone(),
        price.map(|price| format!("about ${price:.4} an hour")),
    ]
    .into_iter()
    .flatten()
    .map(|fact| super::super::text::safe(&fact))
    .collect();
    page.flow(0, &facts, page.style.glyph(" · ", " - "));
}

fn write_pods(page: &mut Page<'_>, heading: &str, remark: &str, pods: &[&PodOfNode]) {
    if pods.is_empty() {
        return;
    }
    page.heading(heading, remark);
    let mut grid = Grid::default()
        .column("POD", Fit::Name)
        .column("PLANNED", Fit::Keep)
        .column("WENT TO", Fit::Name)
        .column("CLASS", Fit::Keep)
        .column("WHY", Fit::End);
    let shown = if page.wide { pods.len() } else { pods.len().min(PODS) };
    let is_one_namespace = pods.iter().all(|pod| pod.namespace == pods[0].namespace);
    for pod in &pods[..shown] {
        let name = if is_one_namespace && !page.wide {
            pod.name.clone()
        } else {
            format!("{}/{}", pod.namespace, pod.name)
        };
        let planned = match pod.part {
            PodPart::LaunchedFor if pod.recorded => "launch (event)",
            PodPart::LaunchedFor => "launch (replay)",
            PodPart::PlannedLater if pod.recorded => "later (event)",
            PodPart::PlannedLater => "later (replay)",
            PodPart::MeantElsewhere => "elsewhere",
            PodPart::Unplanned => "",
        };
        let went = match (&pod.node, pod.here) {
            (_, true) => "here".to_owned(),
            (Some(node), false) => node.clone(),
            (None, false) => "nowhere".to_owned(),
        };
        grid.row(vec![
            cell(name, Role::Name),
            cell(planned, Role::Text),
            cell(went, if pod.here { Role::Good } else { Role::Text }),
            cell(words::class(pod.class), words::class_role(pod.class)),
            cell(pod.cause.clone().unwrap_or_default(), Role::Text),
        ]);
    }
    grid.drop_empty_columns();
    page.grid(1, &grid);
    if shown < pods.len() {
        let more = format!("{} more with -o wide", pods.len() - shown);
        page.paragraph(1, "", Role::Dim, &more);
    }
}

/// The causes in words, each once.
fn write_causes(page: &mut Page<'_>, pods: &[&PodOfNode]) {
    let mut seen: Vec<&str> = Vec::new();
    for pod in pods {
        let (Some(code), Some(why)) = (&pod.cause, &pod.why) else { continue };
        if seen.contains(&code.as_str()) || (!page.wide && seen.len() >= CAUSES) {
            continue;
        }
        seen.push(code);
        page.blank();
        let text = page.brief(&format!("{}: {why}", pod.name));
        page.paragraph(1, "", Role::Text, &text);
        let advice = pod.advice.iter().find(|advice| advice.summary != "Nothing to do.");
        if let Some(advice) = advice {
            page.paragraph(3, page.style.glyph("→ ", "> "), Role::Text, &advice.summary);
        }
    }
}

fn write_running(page: &mut Page<'_>, report: &NodeReport) {
    if report.running.is_empty() {
        return;
    }
    let free = report.free.as_ref().map(|free| {
        let cpu = free.cpu.clone().unwrap_or_default();
        let memory = free.memory.clone().unwrap_or_default();
        format!("{cpu} cpu and {memory} memory are free")
    });
    page.heading("Runs there now", &free.unwrap_or_default());
    let mut grid = Grid::default()
        .column("POD", Fit::Name)
        .column("OWNER", Fit::Name)
        .numbers("CPU")
        .numbers("MEMORY");
    let shown = if page.wide { report.running.len() } else { report.running.len().min(PODS) };
    for pod in &report.running[..shown] {
        grid.row(vec![
            cell(format!("{}/{}", pod.namespace, pod.name), Role::Name),
            cell(pod.owner.clone().unwrap_or_default(), Role::Dim),
            cell(pod.requests.cpu.clone().unwrap_or_default(), Role::Text),
            cell(pod.requests.memory.clone().unwrap_or_default(), Role::Text),
        ]);
    }
    page.grid(1, &grid);
    if shown < report.running.len() {
        let more = format!("{} more with -o wide", report.running.len() - shown);
        page.paragraph(1, "", Role::Dim, &more);
    }
}

fn write_removal(page: &mut Page<'_>, report: &NodeReport) {
    let Some(removal) = &report.removal else { return };
    if removal.held_by.is_empty() && removal.moves.is_empty() {
        return;
    }
    page.heading("What holds it", "in the order in which Karpenter asks");
    let mut grid = Grid::default()
        .column("REMOVAL AS", Fit::Keep)
        .column("HELD BY", Fit::Wrap)
        .column("UNTIL", Fit::Keep);
    for hold in &removal.held_by {
        grid.row(vec![
            cell(hold.reason.clone().unwrap_or_else(|| "any".to_owned()), Role::Text),
            cell(hold.summary.clone(), Role::Text),
            cell(hold.until.map(|until| until.to_string()).unwrap_or_default(), Role::Dim),
        ]);
    }
    grid.drop_empty_columns();
    page.grid(1, &grid);
    for step in removal.moves.iter().take(if page.wide { usize::MAX } else { PODS }) {
        page.paragraph(1, "", Role::Dim, &format!("{} would go to {}", step.pod, step.to));
    }
}

fn write_timeline(page: &mut Page<'_>, report: &NodeReport) {
    let Some(first) = report.timeline.first() else { return };
    page.heading("Time line", &format!("{} UTC", page::day(first.time)));
    let mut grid = Grid::default()
        .column("", Fit::Keep)
        .numbers("")
        .column("", Fit::Wrap)
        .column("", Fit::Keep);
    for entry in &report.timeline {
        grid.row(vec![
            cell(page::clock(entry.time), Role::Dim),
            cell(format!("+{}", entry.time.since(first.time)), Role::Dim),
            cell(entry.summary.clone(), Role::Text),
            cell(if page.wide { entry.source.as_str() } else { "" }, Role::Dim),
        ]);
    }
    grid.drop_empty_columns();
    page.grid(1, &grid);
}
