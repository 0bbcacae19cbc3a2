//! Why, what to do, and what Karpenter planned and gave up.

use maud::{Markup, html};

use super::super::words;
use super::{Part, name, safe, sentence, tone, verbatim};
use crate::report::{BatchNode, Cause, Evidence, WantedEdit};

/// The causes, strongest first.
pub(super) fn causes(part: &Part<'_>) -> Markup {
    let causes = &part.explanation.causes;
    let Some(first) = causes.first() else { return html! {} };
    let content = html! {
        ol.causes { @for index in 0..causes.len() { li { (one_cause(causes, index)) } } }
        p.more { "Each of these codes has a page: " code { "kubectl landed why " (safe(&first.code)) } }
    };
    part.section("why", "Why", "", &content)
}

fn one_cause(causes: &[Cause], index: usize) -> Markup {
    let cause = &causes[index];
    let (evidence, has_old) = words::new_evidence(causes, index);
    let confidence = cause.confidence;
    html! {
        p.summary { (sentence(&cause.summary)) }
        p.chips {
            span class={ "chip " (tone(words::confidence_role(confidence))) } title=(words::confidence_meaning(confidence)) {
                (confidence.as_str())
            }
            @if let Some(variants) = cause.variants.filter(|variants| variants.of > 1) {
                span.chip { "in " (variants.holds) " of " (variants.of) " rebuilt states" }
            }
            code.code { (safe(&cause.code)) }
        }
        ul.evidence {
            @for evidence in evidence { li { (one_fact(evidence)) } }
            @if has_old { li { span.kind {} div { p.source { "and what is shown above" } } } }
            @for other in &cause.counterfactuals {
                li {
                    span.kind.whatif { "what if" }
                    div { p { (sentence(&other.change)) ": " b { (sentence(&other.outcome)) } "." } }
                }
            }
        }
    }
}

fn one_fact(evidence: &Evidence) -> Markup {
    html! {
        span.kind { (evidence.kind.as_str()) }
        div {
            p {
                (sentence(&evidence.summary))
                @if let Some(time) = evidence.time.filter(|&time| !evidence.summary.contains(&super::timeline::clock(time))) {
                    " " time datetime=(time) { (super::timeline::clock(time)) }
                }
            }
            @let place = [evidence.object.as_deref(), evidence.field.as_deref()];
            @let place: Vec<&str> = place.into_iter().flatten().collect();
            @if !place.is_empty() || evidence.value.is_some() {
                p.source {
                    (safe(&place.join(" ")))
                    @if let Some(value) = &evidence.value {
                        @if !place.is_empty() { ": " } q { (safe(value)) }
                    }
                }
            }
        }
    }
}

/// What to do, each thing once.
pub(super) fn advice(part: &Part<'_>) -> Markup {
    let mut all = Vec::new();
    for advice in part.explanation.causes.iter().flat_map(|cause| &cause.advice) {
        if all.iter().all(|other: &&crate::report::Advice| other.summary != advice.summary) {
            all.push(advice);
        }
    }
    if all.is_empty() {
        return html! {};
    }
    let content = html! {
        ul.advice { @for advice in all { li {
            p { (sentence(&advice.summary)) }
            @if let Some(command) = &advice.command { (verbatim(command)) }
            @if let Some(manifest) = &advice.manifest { (verbatim(manifest)) }
        } } }
    };
    part.section("advice", "What to do", "", &content)
}

/// The answer to `--want`.
pub(super) fn wanted(part: &Part<'_>) -> Markup {
    let Some(wanted) = &part.explanation.wanted else { return html! {} };
    let content = html! {
        p.callout { (sentence(&wanted.summary)) }
        (edits(&wanted.edits))
        @for patch in &wanted.patch {
            p { (name(&patch.object)) }
            (verbatim(&patch.diff))
            @if let Some(command) = &patch.command { (verbatim(command)) }
            @if let Some(instead) = &patch.instead { p { (sentence(instead)) } }
        }
        @if let Some(nearest) = &wanted.nearest {
            (edits(&nearest.edits))
            p { "Still in the way: " (sentence(&nearest.obstacle)) }
        }
    };
    part.section("wanted", "Wanted", &wanted.target, &content)
}

fn edits(edits: &[WantedEdit]) -> Markup {
    html! {
        @if !edits.is_empty() {
            ul.advice { @for edit in edits { li {
                p { (sentence(&edit.summary)) " " code { (safe(&edit.object)) } }
                p.source { "costs: " (sentence(&edit.trade_off)) }
            } } }
        }
    }
}

/// What the pass planned, and what came of it.
pub(super) fn batch(part: &Part<'_>) -> Markup {
    let Some(batch) = part.explanation.batch.as_ref().filter(|batch| batch.pods > 1) else {
        return html! {};
    };
    let most = batch
        .nodes
        .iter()
        .map(|node| node.planned.unwrap_or(0).max(node.bound))
        .max()
        .unwrap_or(1)
        .max(1);
    let new = words::new_nodes(batch);
    let about = format!(
        "Karpenter planned {} together. Pods of this owner that it planned on each node, and that came.",
        words::count(batch.pods, "pod")
    );
    let content = html! {
        ul.batch { @for node in &batch.nodes { li { (batch_node(node, most)) } } }
        @if let Some(count) = batch.new_nodes_ignoring_preferences.filter(|&count| count != new) {
            p.callout {
                "With soft rules ignored, Karpenter plans " b { (words::count(count, "new node")) } " instead of " (new) "."
            }
        }
    };
    part.section("batch", "The batch", &about, &content)
}

fn batch_node(node: &BatchNode, most: u64) -> Markup {
    let percent = |count: u64| format!("width:{}%", count.saturating_mul(100) / most);
    let facts: Vec<&str> = [&node.instance_type, &node.zone, &node.node_pool]
        .into_iter()
        .filter_map(|fact| fact.as_deref())
        .collect();
    html! {
        div.who {
            (name(node.node.as_deref().or(node.node_claim.as_deref()).unwrap_or_default()))
            small { (safe(&facts.join(" · "))) @if node.new { " · new" } }
        }
        div.bars {
            div.line { span.tag { "planned" } span.track { span.bar.intended style=(percent(node.planned.unwrap_or(0))) {} } b { (words::planned(node)) } }
            div.line { span.tag { "came" } span.track { span.bar.actual style=(percent(node.bound)) {} } b { (node.bound) } }
        }
    }
}

/// What was given up, as steps.
pub(super) fn relaxations(part: &Part<'_>) -> Markup {
    let steps = &part.explanation.relaxations;
    if steps.is_empty() {
        return html! {};
    }
    let content = html! {
        ol.steps {
            @for step in steps {
                li {
                    p { (sentence(&step.summary))
                        @if let Some(weight) = step.weight { " " span.chip { "weight " (weight) } }
                        " " span.chip { @if step.recorded { "Karpenter’s log" } @else { "replay" } }
                    }
                    @if let Some(field) = &step.field { p.source { (safe(field)) } }
                    @if let Some(value) = &step.value { p.source { (safe(value)) } }
                }
            }
            li.end { p { "Then the pod had a place." } }
        }
    };
    let about = "Karpenter tries with every rule first. When no place is found it gives up one soft rule, and tries again.";
    part.section("relaxations", "What Karpenter gave up", about, &content)
}
