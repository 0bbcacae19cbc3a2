//! Why, and what to do: causes with their evidence, the batch, what was given up, advice.

use super::super::grid::{Fit, Grid, cell};
use super::super::style::Role;
use super::super::words;
use super::page::{Page, clock};
use crate::report::{Evidence, Explanation};

/// Writes the causes, strongest first.
pub(super) fn write(page: &mut Page<'_>, explanation: &Explanation) {
    if explanation.causes.is_empty() {
        return;
    }
    page.heading("Why", "");
    for index in 0..explanation.causes.len() {
        write_cause(page, explanation, index);
    }
    if let Some(cause) = explanation.causes.first() {
        let command = format!("kubectl landed why {}", cause.code);
        page.verbatim(5, "more: ", Role::Dim, &command);
    }
}

fn write_cause(page: &mut Page<'_>, explanation: &Explanation, index: usize) {
    let cause = &explanation.causes[index];
    let variants = cause.variants.filter(|variants| variants.of > 1);
    let holds = variants.map(|v| format!(", in {} of {} states", v.holds, v.of));
    let text =
        format!("{} ({}{})", cause.summary, cause.confidence.as_str(), holds.unwrap_or_default());
    page.paragraph(2, &format!("{}. ", index + 1), Role::Text, &page.brief(&text));
    let mut grid =
        Grid::default().column("", Fit::Keep).column("", Fit::Keep).column("", Fit::Wrap);
    let (evidence, has_old) = words::new_evidence(&explanation.causes, index);
    for evidence in evidence {
        grid.row(vec![
            cell(evidence.kind.as_str(), Role::Dim),
            cell(evidence.time.map(clock).unwrap_or_default(), Role::Dim),
            cell(page.brief(&evidence_text(evidence, &explanation.pod.name)), Role::Text),
        ]);
    }
    if has_old {
        grid.row(vec![
            cell("", Role::Dim),
            cell("", Role::Dim),
            cell("and what is shown above", Role::Dim),
        ]);
    }
    for other in &cause.counterfactuals {
        let outcome = if other.flips { Role::Hint } else { Role::Text };
        grid.row(vec![
            cell("what if", Role::Dim),
            cell("", Role::Text),
            cell(page.brief(&format!("{}: {}", other.change, other.outcome)), outcome),
        ]);
    }
    grid.drop_empty_columns();
    let wide = std::mem::replace(&mut page.wide, false);
    page.grid(5, &grid);
    page.wide = wide;
}

/// A fact with where it stands, as far as the sentence does not say so already.
fn evidence_text(evidence: &Evidence, pod: &str) -> String {
    let is_the_pod = |object: &&String| object.strip_prefix("pod/") == Some(pod);
    let said = |text: &&String| !evidence.summary.contains(text.as_str());
    let is_time = |text: &&String| evidence.time.is_some_and(|time| time.to_string() == **text);
    let place: Vec<&str> = [
        evidence.object.as_ref().filter(said).filter(|object| !is_the_pod(object)),
        evidence.field.as_ref(),
    ]
    .into_iter()
    .flatten()
    .map(String::as_str)
    .collect();
    let value = evidence.value.as_ref().filter(said).filter(|text| !is_time(text));
    let parts: Vec<String> = [place.join(" "), value.cloned().unwrap_or_default()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    if parts.is_empty() {
        return evidence.summary.clone();
    }
    format!("{} [{}]", evidence.summary, parts.join(": "))
}

/// Writes the pass that planned for the pod: planned against bound, node by node.
pub(super) fn write_batch(page: &mut Page<'_>, explanation: &Explanation) {
    let Some(batch) = explanation.batch.as_ref().filter(|batch| batch.pods > 1) else { return };
    let mut remark = words::count(batch.pods, "pod");
    if let Some(pods) = batch.pods_of_owner.filter(|&pods| pods != batch.pods) {
        remark += &format!(", {pods} of this owner");
    }
    if let Some(time) = batch.time {
        remark += &format!(", planned {}", clock(time));
    }
    page.heading("The batch", &remark);
    let most =
        batch.nodes.iter().map(|node| node.planned.unwrap_or(0).max(node.bound)).max().unwrap_or(1);
    let mut grid = Grid::default()
        .column("NODE", Fit::Name)
        .column("TYPE", Fit::Keep)
        .column("ZONE", Fit::Keep)
        .numbers("PLANNED")
        .column("", Fit::Keep)
        .numbers("BOUND")
        .column("", Fit::Keep);
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    for node in &batch.nodes {
        let name = node.node.as_ref().or(node.node_claim.as_ref());
        let role = if node.planned == Some(node.bound) { Role::Good } else { Role::Hint };
        grid.row(vec![
            cell(name.cloned().unwrap_or_default(), Role::Name),
            cell(node.instance_type.clone().unwrap_or_default(), Role::Text),
            cell(node.zone.clone().unwrap_or_default(), Role::Text),
            cell(words::planned(node), Role::Text),
            cell(page.bar(number(node.planned.unwrap_or(0)), number(most), 6), Role::Dim),
            cell(node.bound.to_string(), role),
            cell(page.bar(number(node.bound), number(most), 6), role),
        ]);
    }
    grid.drop_empty_columns();
    page.grid(2, &grid);
    if let Some(count) = batch.new_nodes_ignoring_preferences {
        let new = words::new_nodes(batch);
        if count != new {
            let text = format!(
                "With soft rules ignored Karpenter plans {} instead of {new}.",
                words::count(count, "new node")
            );
            page.paragraph(2, "", Role::Hint, &text);
        }
    }
}

/// Writes the soft rules that Karpenter gave up, in order.
pub(super) fn write_relaxations(page: &mut Page<'_>, explanation: &Explanation) {
    if explanation.relaxations.is_empty() {
        return;
    }
    page.heading("Given up by Karpenter", "soft rules, in this order");
    for relaxation in &explanation.relaxations {
        let weight = relaxation.weight.map(|weight| format!(", weight {weight}"));
        let source = if relaxation.recorded { "Karpenter's log" } else { "replay" };
        let text = format!("{}{} ({source})", relaxation.summary, weight.unwrap_or_default());
        page.paragraph(2, &format!("{}. ", relaxation.step), Role::Text, &text);
        if let Some(field) = &relaxation.field {
            page.paragraph(5, "", Role::Dim, field);
        }
    }
}

/// Writes what to do, each thing once.
pub(super) fn write_advice(page: &mut Page<'_>, explanation: &Explanation) {
    let mut seen: Vec<&str> = Vec::new();
    for advice in explanation.causes.iter().flat_map(|cause| &cause.advice) {
        if seen.contains(&advice.summary.as_str()) {
            continue;
        }
        if seen.is_empty() {
            page.heading("What to do", "");
        }
        seen.push(&advice.summary);
        page.paragraph(2, page.style.glyph("• ", "- "), Role::Text, &advice.summary);
        if let Some(command) = &advice.command {
            page.verbatim(4, "$ ", Role::Name, command);
        }
        if let Some(manifest) = &advice.manifest {
            page.verbatim(6, "", Role::Name, manifest);
        }
    }
}
