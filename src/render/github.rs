//! GitHub annotations: one workflow command a finding, the worst first.

use std::fmt::Write;

use super::text::safe;
use crate::report::{CheckReport, Severity};

/// The report as workflow commands. GitHub shows ten errors and ten warnings a step, so the worst come first.
pub(super) fn render(report: &CheckReport) -> String {
    let mut text = String::new();
    for part in &report.unreadable {
        let place = place(&part.file, part.line, part.column);
        let _ = writeln!(text, "::error {place},title=cannot be read::{}", data(&part.message));
    }
    let mut findings: Vec<_> = report.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    for finding in findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let place = place(&finding.file, finding.line, finding.column);
        let message = format!("{}: {}\n{}", finding.object, finding.message, finding.advice);
        let title = property(&finding.code);
        let _ = writeln!(text, "::{command} {place},title={title}::{}", data(&message));
    }
    text
}

fn place(file: &str, line: u32, column: u32) -> String {
    format!("file={},line={line},col={column}", property(file))
}

/// Text after the `::`.
fn data(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(safe).collect();
    lines.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property: commas and colons end one.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
