//! Documents that are made from the code match it. `UPDATE=1 cargo test --test documents` writes them anew.

#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

use landed::check::RULES;
use landed::render::{Format, Style, render};
use landed::report::{Report, SCHEMAS};

fn compare(path: &str, expected: &str) {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, expected).expect("the document can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "{path} is not what the code says: run UPDATE=1 cargo test --test documents"
    );
}

#[test]
fn checks() {
    let mut text = String::from(
        "# Checks\n\nWhat `kubectl landed check` looks for. Made from the rules themselves; do not edit.\n\n\
         How to ignore a finding, and how to run it in CI: [ci.md](ci.md).\n\n\
         | Code | Severity | Finds |\n|---|---|---|\n",
    );
    for rule in RULES {
        let severity = rule.severity.as_str();
        text.push_str(&format!("| [{0}](#{0}) | {severity} | {1} |\n", rule.code, rule.finds));
    }
    for rule in RULES {
        text.push_str(&format!(
            "\n## {}\n\nFinds {}. Severity: {}.\n\n{}\n\nNot so:\n\n```yaml\n{}```\n\nBut so:\n\n```yaml\n{}```\n",
            rule.code,
            rule.finds,
            rule.severity.as_str(),
            rule.why,
            rule.bad,
            rule.good
        ));
    }
    compare("docs/checks.md", &text);
}

#[test]
fn schemas() {
    for schema in &SCHEMAS {
        compare(&format!("docs/schema/{}.json", schema.kind), &schema.text());
    }
}

#[test]
fn reports_keep_to_the_schemas() {
    let folder = format!("{}/tests/reports", env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    for file in std::fs::read_dir(folder).expect("the reports are there") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a report");
        let report: Report = serde_json::from_str(&text).expect("a report can be read");
        let printed = render(&report, Format::Json, &Style::plain());
        for document in [text, printed] {
            let document: serde_json::Value = serde_json::from_str(&document).expect("it is JSON");
            let kind = document["kind"].as_str().expect("a document has a kind");
            let schema = SCHEMAS.iter().find(|schema| schema.kind == kind).expect("a known kind");
            let validator =
                jsonschema::validator_for((schema.schema)().as_value()).expect("a schema");
            let errors: Vec<String> = validator
                .iter_errors(&document)
                .map(|e| format!("{}: {e}", e.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
            checked += 1;
        }
    }
    assert!(checked >= 16, "{checked} documents");
}
