//! What `check` and `simulate` print: a page for the terminal, JSON, YAML, and what CI systems read.

use std::fmt::Write;

use serde::Serialize;

use super::grid::{Fit, Grid, Room, cell};
use super::text::{safe, wrap};
use super::{Role, Style, github, junit, markdown, sarif, yaml};
use crate::report::{CheckReport, Outlook, Severity, Simulation};

/// A form of `check`'s output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckFormat {
    /// A page for a terminal.
    #[default]
    Table,
    /// The contract, as JSON.
    Json,
    /// The contract, as YAML.
    Yaml,
    /// Markdown.
    Markdown,
    /// GitHub annotations.
    Github,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit's XML.
    Junit,
}

impl CheckFormat {
    /// Every form with its name for `-o`, in the order in which help lists them.
    pub const ALL: [(&'static str, Self); 7] = [
        ("table", Self::Table),
        ("json", Self::Json),
        ("yaml", Self::Yaml),
        ("markdown", Self::Markdown),
        ("github", Self::Github),
        ("sarif", Self::Sarif),
        ("junit", Self::Junit),
    ];

    /// The form of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }
}

/// A rule as readers of SARIF see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleText {
    /// Its code.
    pub code: String,
    /// Its severity.
    pub severity: Severity,
    /// What it finds.
    pub finds: String,
    /// Why that matters.
    pub why: String,
}

/// The report of `check` in a format. Ends with a newline, or is empty.
pub fn render_check(
    report: &CheckReport,
    format: CheckFormat,
    rules: &[RuleText],
    style: &Style,
) -> String {
    match format {
        CheckFormat::Table => page(report, style),
        CheckFormat::Json => json(report),
        CheckFormat::Yaml => yaml::of_json(&json(report)),
        CheckFormat::Markdown => markdown::check::render(report),
        CheckFormat::Github => github::render(report),
        CheckFormat::Sarif => sarif::render(report, rules),
        CheckFormat::Junit => junit::render(report),
    }
}

/// The report of `simulate` in a format: a page, JSON or YAML.
pub fn render_simulation(simulation: &Simulation, format: CheckFormat, style: &Style) -> String {
    match format {
        CheckFormat::Json => json(simulation),
        CheckFormat::Yaml => yaml::of_json(&json(simulation)),
        CheckFormat::Table
        | CheckFormat::Markdown
        | CheckFormat::Github
        | CheckFormat::Sarif
        | CheckFormat::Junit => simulation_page(simulation, style),
    }
}

fn json(report: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(report)
        .expect("a report holds nothing that JSON cannot say: its keys are text");
    text + "\n"
}

fn page(report: &CheckReport, style: &Style) -> String {
    let mut text = String::new();
    for part in &report.unreadable {
        let place = format!("{}:{}:{}", safe(&part.file), part.line, part.column);
        let head = style.paint(Role::Bad, "error");
        let _ = writeln!(text, "{place}: {head}: {}", safe(&part.message));
        for line in part.snippet.lines() {
            let _ = writeln!(text, "  {}", safe(line));
        }
        text.push('\n');
    }
    for finding in &report.findings {
        let role = match finding.severity {
            Severity::Error => Role::Bad,
            Severity::Warning => Role::Hint,
            Severity::Info => Role::Dim,
        };
        let head = style.paint(role, &format!("{}[{}]", finding.severity.as_str(), finding.code));
        let object = style.paint(Role::Name, &safe(&finding.object));
        let place = format!("{}:{}:{}", safe(&finding.file), finding.line, finding.column);
        let _ = writeln!(text, "{place}: {head} {object}");
        paragraph(&mut text, "  ", &finding.message, style);
        paragraph(&mut text, "  fix: ", &finding.advice, style);
        text.push('\n');
    }
    let _ = writeln!(text, "{}", summary(report));
    text
}

/// Text under a first line's margin, wrapped.
fn paragraph(text: &mut String, margin: &str, content: &str, style: &Style) {
    let rest = " ".repeat(margin.len());
    for (index, line) in wrap(&safe(content), style.width - margin.len()).iter().enumerate() {
        let _ = writeln!(text, "{}{line}", if index == 0 { margin } else { &rest });
    }
}

pub(super) fn summary(report: &CheckReport) -> String {
    let summary = &report.summary;
    let mut parts = Vec::new();
    for (count, one) in
        [(summary.errors, "error"), (summary.warnings, "warning"), (summary.infos, "info")]
    {
        if count > 0 {
            parts.push(counted(count, one));
        }
    }
    let found = if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") };
    let mut text = format!("{found} in {}", counted(summary.objects, "object"));
    for (count, what) in [
        (summary.ignored, "ignored with a reason"),
        (summary.known, "known from the baseline"),
        (report.unreadable.len(), "could not be read"),
    ] {
        if count > 0 {
            let _ = write!(text, "; {count} {what}");
        }
    }
    if summary.gone > 0 {
        let _ = write!(text, "; {} of the baseline are gone: write it anew", summary.gone);
    }
    text
}

/// A number of things: `1 pod`, `2 pods`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

fn simulation_page(simulation: &Simulation, style: &Style) -> String {
    let mut text = String::new();
    for workload in &simulation.workloads {
        let object = style.paint(Role::Name, &safe(&workload.object));
        let pods = counted(usize::try_from(workload.replicas).unwrap_or(0), "pod");
        let _ = writeln!(text, "{object} in {}: {pods}", safe(&workload.namespace));
    }
    let same = simulation.respecting == simulation.ignoring;
    let title = if same {
        "WITH AND WITHOUT PREFERENCES"
    } else {
        "PREFERENCES RESPECTED (Karpenter's default)"
    };
    outlook(&mut text, title, &simulation.respecting, style);
    if !same {
        outlook(
            &mut text,
            "PREFERENCES IGNORED (PREFERENCE_POLICY=Ignore)",
            &simulation.ignoring,
            style,
        );
    }
    text.push('\n');
    for assumption in &simulation.assumptions {
        paragraph(&mut text, "assumed: ", assumption, style);
    }
    for gap in &simulation.gaps {
        paragraph(&mut text, "gap: ", &format!("{}: {}", gap.subject, gap.detail), style);
    }
    text
}

fn outlook(text: &mut String, title: &str, outlook: &Outlook, style: &Style) {
    let price = outlook.price_per_hour.filter(|_| !outlook.nodes.is_empty());
    let price = price.map(|price| format!(", ${price:.4} an hour")).unwrap_or_default();
    let _ = writeln!(text, "\n{}", style.paint(Role::Title, title));
    let _ = writeln!(text, "  {}{price}", counted(outlook.nodes.len(), "new node"));
    let mut grid = Grid::default()
        .numbers("NODE")
        .column("NODEPOOL", Fit::Name)
        .column("TYPE", Fit::Name)
        .column("ZONE", Fit::Name)
        .column("CAPACITY", Fit::Keep)
        .numbers("PRICE")
        .numbers("PLANNED")
        .numbers("BOUND");
    for (index, node) in outlook.nodes.iter().enumerate() {
        let or_dash = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let more = match node.type_options {
            0 | 1 => String::new(),
            options => format!(" +{}", options - 1),
        };
        let cells = [
            (index + 1).to_string(),
            node.node_pool.clone(),
            format!("{}{more}", node.instance_type),
            or_dash(&node.zone),
            or_dash(&node.capacity_type),
            node.price_per_hour.map_or_else(|| "-".to_owned(), |price| format!("{price:.4}")),
            node.planned.len().to_string(),
            node.bound.len().to_string(),
        ];
        grid.row(cells.into_iter().map(|text| cell(text, Role::Text)).collect());
    }
    if !outlook.nodes.is_empty() {
        for line in grid.lines(style, Room::Columns(style.width.saturating_sub(2))) {
            let _ = writeln!(text, "  {line}");
        }
    }
    let later = outlook.nodes.len() - outlook.nodes_at_first.min(outlook.nodes.len());
    for (count, sentence) in [
        (outlook.on_existing_nodes, "go to nodes that are there already"),
        (
            later,
            "of the nodes are launched later, for pods that kube-scheduler found no room for on the first ones",
        ),
        (outlook.empty_nodes, "of the nodes stay empty: kube-scheduler puts the pods elsewhere"),
    ] {
        if count > 0 {
            paragraph(text, "  ", &format!("{count} {sentence}"), style);
        }
    }
    for (field, pods) in &outlook.given_up {
        paragraph(text, "  ", &format!("given up for {}: {field}", counted(*pods, "pod")), style);
    }
    for (pods, what) in [
        (&outlook.unplaced, "Karpenter launches nothing for it"),
        (&outlook.left, "planned for, but kube-scheduler leaves it pending"),
    ] {
        for waiting in pods.iter().take(10) {
            let line = format!("pod/{}: {what}: {}", waiting.pod, waiting.reason);
            paragraph(text, "  ", &line, style);
        }
        if pods.len() > 10 {
            let _ = writeln!(text, "  and {} more", pods.len() - 10);
        }
    }
    if !outlook.is_certain && !outlook.nodes.is_empty() {
        paragraph(text, "  ", "chance plays a part: this is one of several outcomes", style);
    }
}
