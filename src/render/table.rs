//! The page for a terminal: first the answer and its picture, then why, then the detail.

mod audit;
mod causes;
mod compare;
mod drawing;
mod instance_types;
mod list;
mod node;
mod nodes;
mod page;
mod sides;
mod wanted;

use super::grid::{Fit, Grid, cell};
use super::style::{Role, Style};
use super::{text, words};
use crate::model::time::Timestamp;
use crate::report::{Explanation, Moment, Report, TimelineEntry};
use page::Page;

/// The report as a page. `wide` has every node and cuts no name.
pub(crate) fn render(report: &Report, wide: bool, style: &Style) -> String {
    let mut page = Page::new(style, wide);
    match report {
        Report::Explanation(explanation) => write_explanation(&mut page, explanation),
        Report::ExplanationList(list) => list::write(&mut page, list),
        Report::Audit(audit) => audit::write(&mut page, audit),
        Report::NodeReport(report) => node::write(&mut page, report),
        Report::Comparison(comparison) => compare::write(&mut page, comparison),
        Report::InstanceTypeList(list) => instance_types::write(&mut page, list),
    }
    page.finish()
}

/// The picture of the time line alone; nothing when too little is known for one.
pub(crate) fn drawing(explanation: &Explanation, style: &Style) -> String {
    let mut page = Page::new(style, false);
    drawing::write(&mut page, explanation);
    page.finish()
}

fn write_explanation(page: &mut Page<'_>, explanation: &Explanation) {
    write_headline(page, explanation);
    drawing::write(page, explanation);
    sides::write(page, explanation);
    causes::write(page, explanation);
    wanted::write(page, explanation);
    causes::write_batch(page, explanation);
    causes::write_relaxations(page, explanation);
    write_timeline(page, explanation);
    nodes::write(page, explanation);
    causes::write_advice(page, explanation);
    write_ledger(page, explanation);
}

/// The answer in one sentence, and beneath it what the answer is about.
fn write_headline(page: &mut Page<'_>, explanation: &Explanation) {
    let (verdict, pod) = (&explanation.verdict, &explanation.pod);
    page.paragraph(0, "", Role::Title, &verdict.summary);
    let style = page.style;
    let mut facts =
        vec![style.paint(words::class_role(verdict.class), words::class(verdict.class))];
    if let Some(confidence) = verdict.confidence {
        facts.push(style.paint(words::confidence_role(confidence), confidence.as_str()));
    }
    if let Some(variants) = verdict.variants.filter(|variants| variants.of > 1) {
        facts.push(format!("holds in {} of {} states", variants.holds, variants.of));
    }
    facts.push(format!("namespace {}", text::safe(&pod.namespace)));
    facts.extend(pod.owner.as_deref().map(text::safe));
    if let Some(requests) = &pod.requests {
        let amounts: Vec<String> = [
            requests.cpu.as_ref().map(|cpu| format!("{cpu} cpu")),
            requests.memory.as_ref().map(|memory| format!("{memory} memory")),
        ]
        .into_iter()
        .flatten()
        .chain(requests.other.iter().map(|(name, amount)| format!("{} {name}", amount.quantity)))
        .collect();
        if !amounts.is_empty() {
            facts.push(format!("asks {}", text::safe(&amounts.join(", "))));
        }
    }
    page.flow(0, &facts, style.glyph(" · ", " - "));
}

/// What happened, line by line. The objects of the answer are named for what they are in it, unless the page is wide.
fn write_timeline(page: &mut Page<'_>, explanation: &Explanation) {
    let all = &explanation.timeline;
    let Some(first) = all.first() else { return };
    let start = explanation.pod.created.unwrap_or(first.time);
    page.heading("Time line", &format!("{} UTC", page::day(start)));
    let mut grid = Grid::default()
        .column("", Fit::Keep)
        .numbers("")
        .column("", Fit::Keep)
        .column("", Fit::Name)
        .column("", Fit::Wrap)
        .column("", Fit::Keep);
    let mut hidden = 0;
    for entry in all {
        if !page.wide && is_detail(entry, start) {
            hidden += 1;
            continue;
        }
        let role = if entry.deciding { Role::Hint } else { Role::Text };
        let mark = if entry.deciding { page.style.glyph("◆", "*") } else { " " };
        let span = entry.time.since(start);
        let offset = if span.0 < 0 { span.to_string() } else { format!("+{span}") };
        let source = if page.wide { entry.source.as_str() } else { "" };
        let object = words::object_in_answer(explanation, &entry.object);
        let object = object.filter(|_| !page.wide).unwrap_or(&entry.object);
        grid.row(vec![
            cell(page::clock(entry.time), Role::Dim),
            cell(offset, Role::Dim),
            cell(mark, role),
            cell(object, Role::Name),
            cell(brief_event(page, &entry.summary), role),
            cell(source, Role::Dim),
        ]);
    }
    grid.drop_empty_columns();
    page.grid(2, &grid);
    if hidden > 0 {
        let text = format!("{} more with -o wide", words::count(hidden, "moment"));
        page.paragraph(2, "", Role::Dim, &text);
    }
}

/// Whether a moment tells only how an older node came to be.
fn is_detail(entry: &TimelineEntry, start: Timestamp) -> bool {
    let is_step = matches!(
        entry.moment,
        Moment::Created | Moment::Launched | Moment::Registered | Moment::Initialized
    );
    is_step && !entry.deciding && entry.time < start
}

/// What happened; without what preemption could not do, which is long and seldom the point.
fn brief_event(page: &Page<'_>, summary: &str) -> String {
    let summary = match summary.split_once(" preemption: ") {
        Some((before, _)) if !page.wide => before,
        _ => summary,
    };
    page.brief(summary)
}

/// What was assumed, what is not known, and what the answer was made from.
fn write_ledger(page: &mut Page<'_>, explanation: &Explanation) {
    let style = page.style;
    if !explanation.assumptions.is_empty() {
        page.heading("Assumed", "");
        for assumption in words::grouped_assumptions(&explanation.assumptions) {
            let value = assumption.value.as_ref().map(|value| format!(" = {value}"));
            let hint = assumption.hint.as_ref().map(|hint| format!(" ({hint} says otherwise)"));
            let text = format!(
                "{}{}: {}{}",
                assumption.subject,
                value.unwrap_or_default(),
                assumption.reason,
                hint.unwrap_or_default()
            );
            page.paragraph(2, style.glyph("• ", "- "), Role::Text, &text);
        }
    }
    if !explanation.gaps.is_empty() {
        page.heading("Not known", "");
        for gap in words::grouped_gaps(&explanation.gaps) {
            let text = format!("{}: {}", gap.subject, gap.detail);
            page.paragraph(2, style.glyph("• ", "- "), Role::Text, &text);
            if let Some(hint) = &gap.hint {
                page.paragraph(4, "hint: ", Role::Dim, hint);
            }
        }
    }
    page.blank();
    page.paragraph(0, "", Role::Dim, &words::provenance(&explanation.metadata));
}
