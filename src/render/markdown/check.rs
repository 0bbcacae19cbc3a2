//! `check` as Markdown: for a comment, or the summary of a CI run.

use super::{code, escaped, in_cell, sentence};
use crate::render::check::summary;
use crate::report::CheckReport;

/// GitHub takes at most 1 MiB a summary; so many rows stay far below it.
const MOST_ROWS: usize = 500;

pub(crate) fn render(report: &CheckReport) -> String {
    let mut page = format!("### landed check\n\n**{}**\n", escaped(&summary(report)));
    for part in &report.unreadable {
        let place = format!("{}:{}:{}", part.file, part.line, part.column);
        page += &format!("\n- {} cannot be read: {}", code(&place), sentence(&part.message));
    }
    if !report.unreadable.is_empty() {
        page += "\n";
    }
    if !report.findings.is_empty() {
        page +=
            "\n| Severity | Finding | Object | Place | What | Do |\n|---|---|---|---|---|---|\n";
    }
    for finding in report.findings.iter().take(MOST_ROWS) {
        page += &format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            finding.severity.as_str(),
            in_cell(&code(&finding.code)),
            in_cell(&code(&finding.object)),
            in_cell(&code(&format!("{}:{}", finding.file, finding.line))),
            in_cell(&sentence(&finding.message)),
            in_cell(&sentence(&finding.advice)),
        );
    }
    if report.findings.len() > MOST_ROWS {
        page += &format!("\nand {} more\n", report.findings.len() - MOST_ROWS);
    }
    page
}
