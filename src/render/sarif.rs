//! SARIF 2.1.0: one run, with the rules that were asked and a result a finding.

use serde_json::{Value, json};

use super::check::RuleText;
use crate::report::{CheckReport, Finding, Severity, UnreadablePart};

/// GitHub takes at most so many results a run.
const MOST_RESULTS: usize = 25_000;
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The page of the rules, where each code is a heading.
const PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/checks.md");

/// The report as SARIF.
pub(super) fn render(report: &CheckReport, rules: &[RuleText]) -> String {
    let order = |code: &str| rules.iter().position(|rule| rule.code == code);
    let mut findings: Vec<(&Finding, Option<&str>)> =
        report.findings.iter().map(|finding| (finding, None)).collect();
    findings
        .extend(report.ignored.iter().map(|ignored| (&ignored.finding, Some(&*ignored.reason))));
    let left_out = findings.len().saturating_sub(MOST_RESULTS);
    if left_out > 0 {
        findings.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.severity));
        findings.truncate(MOST_RESULTS);
    }
    let results: Vec<Value> = findings
        .iter()
        .map(|(finding, reason)| result(finding, *reason, order(&finding.code)))
        .collect();
    let mut notes: Vec<Value> = report.unreadable.iter().map(notification).collect();
    if left_out > 0 {
        let text = format!(
            "{left_out} results of lesser severity are left out: a run holds at most {MOST_RESULTS}"
        );
        notes.push(json!({ "level": "warning", "message": { "text": text } }));
    }
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "landed",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.iter().map(rule_object).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {
                "SRCROOT": { "description": { "text": "The folder in which landed was run." } }
            },
            "invocations": [{
                "executionSuccessful": report.unreadable.is_empty(),
                "toolExecutionNotifications": notes,
            }],
            "results": results,
        }],
    });
    let text = serde_json::to_string_pretty(&document)
        .expect("a document of text and numbers can be written as JSON");
    text + "\n"
}

fn rule_object(rule: &RuleText) -> Value {
    json!({
        "id": rule.code,
        "shortDescription": { "text": rule.finds },
        "fullDescription": { "text": rule.why },
        "help": { "text": rule.why, "markdown": rule.why },
        "helpUri": format!("{PAGE}#{}", rule.code),
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

fn result(finding: &Finding, reason: Option<&str>, index: Option<usize>) -> Value {
    let mut result = json!({
        "ruleId": finding.code,
        "level": level(finding.severity),
        "message": { "text": format!("{}: {}. Advice: {}.", finding.object, finding.message, finding.advice) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": artifact(&finding.file),
                "region": { "startLine": finding.line, "startColumn": finding.column },
            },
            "logicalLocations": [{
                "fullyQualifiedName": format!("{}/{}#{}", finding.namespace, finding.object, finding.field),
                "kind": "member",
            }],
        }],
        "partialFingerprints": { "landed/v1": finding.fingerprint },
    });
    if let Some(index) = index {
        result["ruleIndex"] = json!(index);
    }
    if let Some(reason) = reason {
        result["suppressions"] = json!([{ "kind": "inSource", "justification": reason }]);
    }
    result
}

fn notification(part: &UnreadablePart) -> Value {
    json!({
        "level": "error",
        "message": { "text": format!("cannot be read: {}", part.message) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": artifact(&part.file),
                "region": { "startLine": part.line, "startColumn": part.column },
            },
        }],
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// A file as a relative URI reference. One outside of the folder keeps its absolute path.
fn artifact(file: &str) -> Value {
    let plain = file.trim_start_matches("./").replace('\\', "/");
    let uri = encoded(&plain);
    if plain.starts_with('/') {
        json!({ "uri": format!("file://{uri}") })
    } else {
        json!({ "uri": uri, "uriBaseId": "SRCROOT" })
    }
}

fn encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
