//! HTML: one page that needs nothing else. For someone who has never seen the tool, on a screen, a phone or paper.
//!
//! Every text goes through maud, which escapes it, and through [`text::safe`]. The page may load nothing: its own policy
//! forbids it.

mod causes;
mod nodes;
mod sides;
mod timeline;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::style::Role;
use super::{text, words};
use crate::report::{Explanation, ExplanationList, Report};

/// How the page looks: light and dark, on a phone, in print.
const STYLE: &str = include_str!("html/page.css");
/// Sorting and filtering of tables; the page reads the same without it.
const SCRIPT: &str = include_str!("html/page.js");

/// The report as a page.
pub(crate) fn render(report: &Report) -> String {
    let (title, body) = match report {
        Report::Explanation(explanation) => {
            let pod = &explanation.pod;
            (
                format!(
                    "{}/{}: {}",
                    pod.namespace,
                    pod.name,
                    words::class(explanation.verdict.class)
                ),
                one(explanation),
            )
        }
        Report::ExplanationList(list) => {
            (format!("{} explained", words::count(list.items.len() as u64, "pod")), several(list))
        }
        Report::InstanceTypeList(_) => ("Instance types".to_owned(), as_text(report)),
        Report::NodeReport(_) => ("A node and its pods".to_owned(), as_text(report)),
        Report::Comparison(_) => ("Two pods side by side".to_owned(), as_text(report)),
        Report::Audit(_) => ("How the pods landed".to_owned(), as_text(report)),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
                title { (safe(&title)) " – landed" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "To the answer" }
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// The wide page, as it stands in a terminal.
fn as_text(report: &Report) -> Markup {
    let table = super::table::render(report, true, &super::Style::plain());
    html! { main id="main" { pre { (table) } } }
}

fn one(explanation: &Explanation) -> Markup {
    html! {
        header.top { div.wrap { span.brand { "landed" } span.question { "why did this pod land there?" } } }
        main #main.wrap { (answer(explanation, "", 1)) }
        footer.wrap { p { (safe(&words::provenance(&explanation.metadata))) } }
    }
}

fn several(list: &ExplanationList) -> Markup {
    html! {
        header.top { div.wrap { span.brand { "landed" } span.question { "why did these pods land there?" } } }
        main #main.wrap {
            h1 { (words::count(list.items.len() as u64, "pod")) }
            p.chips {
                @for row in &list.tally {
                    span class={ "chip " (tone(words::class_role(row.class))) } {
                        (row.pods) " " (words::class(row.class))
                    }
                }
            }
            section aria-label="The pods" {
                (nodes::table_tools("pods", "Filter the pods", list.items.len()))
                div.scroll tabindex="0" role="region" aria-label="Table of pods" {
                    table #pods.data.sortable {
                        thead { tr {
                            @for heading in ["Pod", "Answer", "Intended", "Actual", "In short"] {
                                th scope="col" { button type="button" { (heading) } }
                            }
                        } }
                        tbody {
                            @for (index, item) in list.items.iter().enumerate() {
                                tr {
                                    td { a href={ "#pod-" (index) } { (name(&item.pod.name)) } }
                                    td { (class_chip(item)) }
                                    td { (sides::place_name(item.intended.as_ref())) }
                                    td { (sides::place_name(item.actual.as_ref())) }
                                    td { (sentence(&item.verdict.summary)) }
                                }
                            }
                        }
                    }
                }
            }
            @for (index, item) in list.items.iter().enumerate() {
                details.item id={ "pod-" (index) } {
                    summary { (name(&item.pod.name)) " " (class_chip(item)) }
                    (answer(item, &format!("p{index}-"), 2))
                }
            }
        }
        footer.wrap {
            @if let Some(first) = list.items.first() { p { (safe(&words::provenance(&first.metadata))) } }
        }
    }
}

/// One pod's answer: the sentence, the picture, and everything behind it. Headings start at a level.
fn answer(explanation: &Explanation, prefix: &str, level: u8) -> Markup {
    let part = Part { explanation, prefix, level };
    html! {
        article {
            (hero(&part))
            (timeline::picture(&part))
            (sides::table(&part))
            (causes::causes(&part))
            (causes::wanted(&part))
            (causes::advice(&part))
            (causes::batch(&part))
            (causes::relaxations(&part))
            (nodes::points(&part))
            (nodes::every_node(&part))
            (nodes::pools(&part))
            (timeline::list(&part))
            (ledger(&part))
        }
    }
}

/// An answer's place in the page: what its ids begin with, and the level of its heading.
struct Part<'a> {
    explanation: &'a Explanation,
    prefix: &'a str,
    level: u8,
}

impl Part<'_> {
    fn id(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// A section with its heading and, beside it, what it shows.
    fn section(&self, id: &str, heading: &str, about: &str, content: &Markup) -> Markup {
        let heading_id = self.id(&format!("{id}-heading"));
        html! {
            section.card id=(self.id(id)) aria-labelledby=(heading_id) {
                @if self.level == 1 { h2 id=(heading_id) { (heading) } } @else { h3 id=(heading_id) { (heading) } }
                @if !about.is_empty() { p.about { (about) } }
                (content)
            }
        }
    }
}

fn hero(part: &Part<'_>) -> Markup {
    let (verdict, pod) = (&part.explanation.verdict, &part.explanation.pod);
    html! {
        div class={ "hero " (tone(words::class_role(verdict.class))) } {
            p.chips {
                (class_chip(part.explanation))
                @if let Some(confidence) = verdict.confidence {
                    span.chip title=(words::confidence_meaning(confidence)) { (confidence.as_str()) }
                }
                @if let Some(variants) = verdict.variants.filter(|variants| variants.of > 1) {
                    span.chip { "holds in " (variants.holds) " of " (variants.of) " rebuilt states" }
                }
            }
            @if part.level == 1 { h1 { (sentence(&verdict.summary)) } } @else { h2 { (sentence(&verdict.summary)) } }
            p.meaning { (words::class_meaning(verdict.class)) }
            dl.facts {
                div { dt { "Pod" } dd { (name(&pod.name)) } }
                div { dt { "Namespace" } dd { (name(&pod.namespace)) } }
                @if let Some(owner) = &pod.owner { div { dt { "Owner" } dd { (name(owner)) } } }
                @if let Some(requests) = &pod.requests {
                    div { dt { "Asks for" } dd {
                        @if let Some(cpu) = &requests.cpu { (safe(cpu)) " cpu " }
                        @if let Some(memory) = &requests.memory { (safe(memory)) " memory " }
                        @for (resource, amount) in &requests.other { (safe(&amount.quantity)) " " (safe(resource)) " " }
                    } }
                }
            }
        }
        @if part.level == 1 {
            details.guide open {
                summary { "How to read this page" }
                p {
                    b { "Karpenter " } "plans: it looks at all waiting pods together, simulates where they could go, and \
                    launches nodes for them. Its plan reserves nothing. "
                    b { "kube-scheduler " } "decides: it takes one pod at a time, drops the nodes that a filter refuses, \
                    gives the others points, and binds the pod to the best node that is ready at that moment. "
                    "This page sets the plan, a replay of the decision, and what happened beside each other."
                }
                ul.legend {
                    li { span.swatch.intended {} "intended: where Karpenter meant the pod to go" }
                    li { span.swatch.pick {} "scheduler’s pick: where kube-scheduler would put it, replayed" }
                    li { span.swatch.actual {} "actual: where it is" }
                }
            }
        }
    }
}

fn ledger(part: &Part<'_>) -> Markup {
    let assumptions = words::grouped_assumptions(&part.explanation.assumptions);
    let gaps = words::grouped_gaps(&part.explanation.gaps);
    if assumptions.is_empty() && gaps.is_empty() {
        return html! {};
    }
    let content = html! {
        @if !assumptions.is_empty() {
            ul.ledger { @for assumption in &assumptions { li {
                b { "Assumed: " } (safe(&assumption.subject))
                @if let Some(value) = &assumption.value { " = " code { (safe(value)) } }
                ". " (sentence(&assumption.reason)) "."
                @if let Some(hint) = &assumption.hint { " Said by " code { (safe(hint)) } "." }
            } } }
        }
        @if !gaps.is_empty() {
            ul.ledger { @for gap in &gaps { li {
                b { "Not known: " } (name(&gap.subject)) ". " (sentence(&gap.detail)) "."
                @if let Some(hint) = &gap.hint { " Would help: " code { (safe(hint)) } }
            } } }
        }
    };
    part.section("ledger", "What this rests on", "", &content)
}

fn class_chip(explanation: &Explanation) -> Markup {
    let class = explanation.verdict.class;
    html! {
        span class={ "chip class " (tone(words::class_role(class))) } title=(words::class_meaning(class)) {
            (words::class(class))
        }
    }
}

const fn tone(role: Role) -> &'static str {
    match role {
        Role::Good => "good",
        Role::Bad => "bad",
        Role::Hint => "hint",
        Role::Text | Role::Name | Role::Dim | Role::Title => "plain",
    }
}

/// Text from the cluster.
fn safe(text: &str) -> String {
    text::safe(text)
}

/// A name, which may break anywhere but stays readable.
fn name(text: &str) -> Markup {
    html! { code.name { (safe(text)) } }
}

/// A sentence in which the objects stand out.
fn sentence(text: &str) -> Markup {
    const KINDS: [&str; 5] = ["pod/", "node/", "nodeclaim/", "nodepool/", "replicaset/"];
    let text = safe(text);
    html! {
        @for (index, word) in text.split(' ').enumerate() {
            @if index > 0 { " " }
            @let end = word.trim_end_matches(['.', ',', ':', ';', ')']).len();
            @if KINDS.iter().any(|kind| word.starts_with(kind)) {
                code.name { (word[..end]) } (word[end..])
            } @else { (word) }
        }
    }
}

/// Lines that stand as they are: a command, a manifest.
fn verbatim(text: &str) -> Markup {
    let lines: Vec<String> = text.lines().map(safe).collect();
    html! { pre tabindex="0" { code { (lines.join("\n")) } } }
}
