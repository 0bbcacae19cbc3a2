//! Names: where each pod is, as kubectl would name it.

use super::text;
use crate::report::Report;

/// One `node/NAME` a line; a pod that is nowhere has no line.
pub(crate) fn render(report: &Report) -> String {
    let actual = report.explanations().iter().filter_map(|item| item.actual.as_ref()?.object());
    actual.map(|name| text::safe(&name) + "\n").collect()
}
