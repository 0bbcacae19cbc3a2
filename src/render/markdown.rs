//! Markdown: for an incident channel or an issue. What is long is folded, as GitHub folds it.

mod audit;
pub(super) mod check;

use super::comparison::{HEADINGS, rows};
use super::points::{points, refusal_summary, role_words};
use super::style::Style;
use super::{table, text, words};
use crate::model::time::Timestamp;
use crate::report::{Cause, Explanation, ExplanationList, Report, WantedEdit};

/// The report as Markdown.
pub(crate) fn render(report: &Report) -> String {
    match report {
        Report::Explanation(explanation) => one(explanation),
        Report::ExplanationList(list) => several(list),
        Report::Audit(audit) => audit::render(audit),
        Report::InstanceTypeList(_) | Report::NodeReport(_) | Report::Comparison(_) => {
            fenced("text", &table::render(report, false, &Style::plain()))
        }
    }
}

fn several(list: &ExplanationList) -> String {
    let tally: Vec<String> =
        list.tally.iter().map(|row| format!("{} {}", row.pods, row.class.as_str())).collect();
    let pods = words::count(list.items.len() as u64, "pod");
    let mut page = format!("**{pods}**: {}\n\n", tally.join(", "));
    page += "| Pod | Answer | Intended | Actual | In short |\n|---|---|---|---|---|\n";
    for item in &list.items {
        let place = |place: &Option<crate::report::Placement>| {
            let known =
                place.as_ref().and_then(|place| place.node.clone().or(place.node_claim.clone()));
            known.map_or_else(|| "–".to_owned(), |name| in_cell(&code(&name)))
        };
        page += &format!(
            "| {} | {} | {} | {} | {} |\n",
            in_cell(&code(&item.pod.name)),
            words::class(item.verdict.class),
            place(&item.intended),
            place(&item.actual),
            in_cell(&sentence(&item.verdict.summary)),
        );
    }
    for item in &list.items {
        let summary = format!("{}/{}", item.pod.namespace, item.pod.name);
        page += &format!("\n{}", folded(&escaped(&summary), &one(item)));
    }
    page
}

fn one(explanation: &Explanation) -> String {
    let mut page = headline(explanation);
    let drawing = table::drawing(explanation, &Style { width: 78, ..Style::plain() });
    if !drawing.is_empty() {
        page += &format!("\n```text\n{}\n```\n", drawing.trim_matches('\n'));
    }
    page += &sides(explanation);
    if !explanation.causes.is_empty() {
        page += "\n### Why\n\n";
        for (index, cause) in explanation.causes.iter().enumerate() {
            page += &one_cause(index + 1, cause);
        }
        let more = format!("kubectl landed why {}", explanation.causes[0].code);
        page += &format!("\nEach of these codes has a page: {}\n", code(&more));
    }
    page += &wanted(explanation);
    page += &relaxations(explanation);
    page += &advice(explanation);
    let batch = batch(explanation);
    if !batch.is_empty() {
        page += &format!("\n{}", folded("The batch", &batch));
    }
    let nodes = nodes(explanation);
    if !nodes.is_empty() {
        page += &format!("\n{}", folded("Points and refusals", &nodes));
    }
    if !explanation.timeline.is_empty() {
        page += &format!("\n{}", folded("Time line", &timeline(explanation)));
    }
    let ledger = ledger(explanation);
    if !ledger.is_empty() {
        page += &format!("\n{}", folded("Assumed, and not known", &ledger));
    }
    page + &format!("\n_{}_\n", escaped(&words::provenance(&explanation.metadata)))
}

fn headline(explanation: &Explanation) -> String {
    let (verdict, pod) = (&explanation.verdict, &explanation.pod);
    let mut facts = vec![format!("**{}**", words::class(verdict.class))];
    facts.extend(verdict.confidence.map(|confidence| confidence.as_str().to_owned()));
    if let Some(variants) = verdict.variants.filter(|variants| variants.of > 1) {
        facts.push(format!("holds in {} of {} states", variants.holds, variants.of));
    }
    facts.push(format!("namespace {}", code(&pod.namespace)));
    facts.extend(pod.owner.as_deref().map(code));
    format!(
        "## {}\n\n{}\n\n{}\n",
        sentence(&verdict.summary),
        facts.join(" · "),
        words::class_meaning(verdict.class)
    )
}

fn sides(explanation: &Explanation) -> String {
    let mut table = format!("\n| | {} |\n|---|---|---|---|\n", HEADINGS.join(" | "));
    for row in rows(explanation, true) {
        let label =
            if row.differs { format!("**{}** ≠", row.label) } else { row.label.to_owned() };
        let cells: Vec<String> = row
            .cells
            .iter()
            .map(|cell| match &cell.text {
                None => "–".to_owned(),
                Some(text) if row.label.starts_with("node") && !cell.is_absence => {
                    in_cell(&code(text))
                }
                Some(text) => in_cell(&escaped(text)),
            })
            .collect();
        table += &format!("| {label} | {} |\n", cells.join(" | "));
    }
    table
}

fn one_cause(number: usize, cause: &Cause) -> String {
    let mut text = format!(
        "{number}. {} _({}, {})_\n",
        sentence(&cause.summary),
        cause.confidence.as_str(),
        code(&cause.code)
    );
    for evidence in &cause.evidence {
        let time = evidence.time.map(|time| format!(" {}", clock(time)));
        let place: Vec<&str> =
            [evidence.object.as_deref(), evidence.field.as_deref()].into_iter().flatten().collect();
        let place = if place.is_empty() {
            String::new()
        } else {
            format!(" – {}", code(&place.join(" ")))
        };
        let value = evidence.value.as_ref().map(|value| format!(": {}", escaped(value)));
        text += &format!(
            "   - {}{}: {}{place}{}\n",
            evidence.kind.as_str(),
            time.unwrap_or_default(),
            sentence(&evidence.summary),
            value.unwrap_or_default()
        );
    }
    for other in &cause.counterfactuals {
        text += &format!(
            "   - what if: {}: **{}**\n",
            sentence(&other.change),
            sentence(&other.outcome)
        );
    }
    text
}

/// The answer to `--want`.
fn wanted(explanation: &Explanation) -> String {
    let Some(wanted) = &explanation.wanted else { return String::new() };
    let edits = |edits: &[WantedEdit]| -> String {
        let each = edits.iter().enumerate().map(|(index, edit)| {
            format!(
                "{}. {} ({})\n   - costs: {}\n",
                index + 1,
                sentence(&edit.summary),
                code(&edit.object),
                sentence(&edit.trade_off)
            )
        });
        each.collect()
    };
    let mut text = format!(
        "\n### Wanted: {}\n\n{}\n\n{}",
        escaped(&wanted.target),
        sentence(&wanted.summary),
        edits(&wanted.edits)
    );
    for patch in &wanted.patch {
        text += &fenced("diff", &patch.diff);
        if let Some(command) = &patch.command {
            text += &fenced("sh", command);
        }
        if let Some(instead) = &patch.instead {
            text += &format!("\n{}\n", sentence(instead));
        }
    }
    if let Some(nearest) = &wanted.nearest {
        text += &format!(
            "{}\nStill in the way: {}\n",
            edits(&nearest.edits),
            sentence(&nearest.obstacle)
        );
    }
    text
}

fn relaxations(explanation: &Explanation) -> String {
    if explanation.relaxations.is_empty() {
        return String::new();
    }
    let mut text = "\n### Given up by Karpenter, in this order\n\n".to_owned();
    for step in &explanation.relaxations {
        let weight = step.weight.map(|weight| format!(", weight {weight}"));
        let field = step.field.as_ref().map(|field| format!(" – {}", code(field)));
        text += &format!(
            "{}. {}{}{}\n",
            step.step,
            sentence(&step.summary),
            weight.unwrap_or_default(),
            field.unwrap_or_default()
        );
    }
    text
}

fn advice(explanation: &Explanation) -> String {
    let mut seen: Vec<&str> = Vec::new();
    let mut text = String::new();
    for advice in explanation.causes.iter().flat_map(|cause| &cause.advice) {
        if seen.contains(&advice.summary.as_str()) {
            continue;
        }
        seen.push(&advice.summary);
        text += &format!("- {}\n", sentence(&advice.summary));
        for (language, block) in [("sh", &advice.command), ("yaml", &advice.manifest)] {
            if let Some(block) = block {
                text += &fenced(language, block);
            }
        }
    }
    if text.is_empty() { text } else { format!("\n### What to do\n\n{text}") }
}

fn batch(explanation: &Explanation) -> String {
    let Some(batch) = explanation.batch.as_ref().filter(|batch| batch.pods > 1) else {
        return String::new();
    };
    let mut table =
        "| Node | Type | Zone | Planned | Bound |\n|---|---|---|---:|---:|\n".to_owned();
    for node in &batch.nodes {
        let name = node.node.as_deref().or(node.node_claim.as_deref()).unwrap_or_default();
        table += &format!(
            "| {} | {} | {} | {} | {} |\n",
            in_cell(&code(name)),
            in_cell(&escaped(node.instance_type.as_deref().unwrap_or_default())),
            in_cell(&escaped(node.zone.as_deref().unwrap_or_default())),
            words::planned(node),
            node.bound
        );
    }
    let new = words::new_nodes(batch);
    if let Some(count) = batch.new_nodes_ignoring_preferences.filter(|&count| count != new) {
        let nodes = words::count(count, "new node");
        table +=
            &format!("\nWith soft rules ignored Karpenter plans **{nodes}** instead of {new}.\n");
    }
    table
}

fn nodes(explanation: &Explanation) -> String {
    let mut text = String::new();
    if let Some(points) = points(explanation) {
        let headings: Vec<String> = points
            .nodes
            .iter()
            .map(|node| format!("{} {}", role_words(node), in_cell(&code(&node.name))))
            .collect();
        text += &format!(
            "| Plugin | {} |\n|---|{}\n",
            headings.join(" | "),
            "---:|".repeat(headings.len())
        );
        for row in &points.rows {
            let mark = if row.decides { "**" } else { "" };
            let cells: Vec<String> = row
                .scores
                .iter()
                .map(|score| format!("{mark}{}{mark}", score.map_or(0, |score| score.weighted)))
                .collect();
            text += &format!(
                "| {mark}{}{mark} | {} |\n",
                in_cell(&escaped(row.plugin)),
                cells.join(" | ")
            );
        }
        let totals: Vec<String> =
            points.nodes.iter().map(|node| node.total.unwrap_or_default().to_string()).collect();
        text += &format!("| total | {} |\n\n", totals.join(" | "));
    }
    for (plugin, reason, count) in refusal_summary(explanation) {
        let nodes = words::count(count, "node");
        text += &format!("- {nodes} refused by {}: {}\n", code(plugin), escaped(reason));
    }
    for pool in explanation.node_pools.iter().filter(|pool| !pool.karpenter.accepts) {
        let reason = pool.karpenter.reason.as_ref().or(pool.karpenter.stage.as_ref());
        let name = code(&format!("nodepool/{}", pool.name));
        text += &format!("- {name} refused by Karpenter: {}\n", escaped(reason.map_or("", |r| r)));
    }
    text
}

fn timeline(explanation: &Explanation) -> String {
    let mut table = "| UTC | | Object | What |\n|---|---|---|---|\n".to_owned();
    for entry in &explanation.timeline {
        let mark = if entry.deciding { "**" } else { "" };
        table += &format!(
            "| {} | {mark}{}{mark} | {} | {} |\n",
            clock(entry.time),
            words::moment(entry.moment),
            in_cell(&code(&entry.object)),
            in_cell(&sentence(&entry.summary))
        );
    }
    table
}

fn ledger(explanation: &Explanation) -> String {
    let mut text = String::new();
    for assumption in words::grouped_assumptions(&explanation.assumptions) {
        let value = assumption.value.as_ref().map(|value| format!(" = {}", code(value)));
        text += &format!(
            "- Assumed: {}{}: {}\n",
            escaped(&assumption.subject),
            value.unwrap_or_default(),
            escaped(&assumption.reason)
        );
    }
    for gap in words::grouped_gaps(&explanation.gaps) {
        let hint = gap.hint.as_ref().map(|hint| format!("; would help: {}", code(hint)));
        text += &format!(
            "- Not known: {}: {}{}\n",
            escaped(&gap.subject),
            escaped(&gap.detail),
            hint.unwrap_or_default()
        );
    }
    text
}

fn folded(summary: &str, content: &str) -> String {
    format!("<details><summary>{summary}</summary>\n\n{content}\n</details>\n")
}

fn fenced(language: &str, block: &str) -> String {
    let lines: Vec<String> = block.lines().map(|line| format!("  {}", text::safe(line))).collect();
    // A fence must be longer than any run of backticks within.
    let longest = lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    format!("  {fence}{language}\n{}\n  {fence}\n", lines.join("\n"))
}

/// A name as code; one with backticks, which no name has, as text.
fn code(name: &str) -> String {
    let name = text::safe(name);
    if name.contains('`') || name.is_empty() { escaped(&name) } else { format!("`{name}`") }
}

/// A sentence in which the objects stand out.
fn sentence(text: &str) -> String {
    const KINDS: [&str; 5] = ["pod/", "node/", "nodeclaim/", "nodepool/", "replicaset/"];
    let words = text::safe(text);
    let words: Vec<String> = words
        .split(' ')
        .map(|word| {
            let end = word.trim_end_matches(['.', ',', ':', ';', ')']).len();
            let is_object = KINDS.iter().any(|kind| word.starts_with(kind));
            if is_object { code(&word[..end]) + &word[end..] } else { escaped(word) }
        })
        .collect();
    words.join(" ")
}

/// Text in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text::safe(text).chars() {
        match c {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '\\' | '`' | '*' | '[' | ']' | '#' | '|' | '~' | '!' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Markdown that stands in a table's cell: a bar would end the cell, also in code.
fn in_cell(markdown: &str) -> String {
    markdown.replace("\\|", "|").replace('|', "\\|")
}

fn clock(time: Timestamp) -> String {
    let text = time.to_string();
    text.split_once('T').map_or_else(String::new, |(_, clock)| clock.chars().take(8).collect())
}
