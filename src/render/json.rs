//! JSON: the contract itself, indented by two spaces.

use crate::report::Report;

/// The report as JSON.
pub(crate) fn render(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report)
        .expect("a report holds nothing that JSON cannot say: its keys are text");
    text.push('\n');
    text
}
