//! JSON: the contract itself, indented by two spaces.

use std::fmt::Write;

use super::text;
use crate::report::Report;

/// The report as JSON.
pub(crate) fn render(report: &Report) -> String {
    let plain = serde_json::to_string_pretty(report)
        .expect("a report holds nothing that JSON cannot say: its keys are text");
    let mut json = escaped(&plain);
    json.push('\n');
    json
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    escaped(&serde_json::Value::from(text).to_string())
}

/// JSON in which what a terminal would obey is escaped, which leaves its meaning as it is: such characters stand only in
/// strings, apart from the line breaks of the layout.
pub(crate) fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        if c != '\n' && text::is_obeyed(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}
