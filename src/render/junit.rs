//! JUnit: one suite a file, one case a finding; what could not be read is an error.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::text::safe;
use crate::report::{CheckReport, Finding, Severity, UnreadablePart};

/// What was found in one file.
#[derive(Default)]
struct Suite<'a> {
    findings: Vec<&'a Finding>,
    unreadable: Vec<&'a UnreadablePart>,
}

/// The report as JUnit's XML. Findings of severity info do not fail; a run without findings has one case that passes.
pub(super) fn render(report: &CheckReport) -> String {
    let mut suites: BTreeMap<&str, Suite<'_>> = BTreeMap::new();
    for finding in &report.findings {
        suites.entry(&finding.file).or_default().findings.push(finding);
    }
    for part in &report.unreadable {
        suites.entry(&part.file).or_default().unreadable.push(part);
    }
    let fails = |finding: &&&Finding| finding.severity != Severity::Info;
    let failures = report.findings.iter().collect::<Vec<_>>().iter().filter(fails).count();
    let tests = (report.findings.len() + report.unreadable.len()).max(1);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuites name=\"landed\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{}\">",
        report.unreadable.len()
    );
    if suites.is_empty() {
        xml.push_str("  <testsuite name=\"landed\" tests=\"1\" failures=\"0\" errors=\"0\">\n");
        xml.push_str("    <testcase classname=\"landed\" name=\"no findings\"/>\n  </testsuite>\n");
    }
    for (file, suite) in suites {
        let tests = suite.findings.len() + suite.unreadable.len();
        let failures = suite.findings.iter().filter(fails).count();
        let errors = suite.unreadable.len();
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">",
            attribute(file)
        );
        suite.unreadable.iter().for_each(|part| error(&mut xml, part));
        suite.findings.iter().for_each(|finding| case(&mut xml, finding));
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn error(xml: &mut String, part: &UnreadablePart) {
    let place = format!("{}:{}:{}", part.file, part.line, part.column);
    let _ = writeln!(
        xml,
        "    <testcase classname=\"{}\" name=\"can be read\">\n      <error message=\"{}\">{}</error>\n    </testcase>",
        attribute(&part.file),
        attribute(&part.message),
        escaped(&place)
    );
}

fn case(xml: &mut String, finding: &Finding) {
    let _ = write!(
        xml,
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\"",
        attribute(&finding.object),
        attribute(&finding.code),
        attribute(&finding.file),
        finding.line
    );
    let text = format!(
        "{}:{}:{} {}\n{}\n{}",
        finding.file, finding.line, finding.column, finding.field, finding.message, finding.advice
    );
    let element = if finding.severity == Severity::Info { "system-out" } else { "failure" };
    let attributes = match finding.severity {
        Severity::Info => String::new(),
        other => {
            format!(" type=\"{}\" message=\"{}\"", other.as_str(), attribute(&finding.message))
        }
    };
    let _ = writeln!(
        xml,
        ">\n      <{element}{attributes}>{}</{element}>\n    </testcase>",
        escaped(&text)
    );
}

fn attribute(text: &str) -> String {
    escaped(&safe(text))
}

/// Text that XML takes as text; characters that XML does not know are written out.
fn escaped(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(safe).collect();
    lines
        .join("\n")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}
