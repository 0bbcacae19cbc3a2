//! Documents that are made from the code match it. `UPDATE=1 cargo test --test documents` writes them anew.

#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

#[path = "documents/commands.rs"]
mod commands;
#[path = "documents/fields.rs"]
mod fields;
#[path = "documents/links.rs"]
mod links;

use std::collections::BTreeSet;

use landed::check::RULES;
use landed::explain::codes::CODES;
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

/// The headings of a page of a cause, in this order, and no others.
const HEADINGS: [&str; 6] = [
    "What happened",
    "How it is proven",
    "See it yourself",
    "What to change",
    "Found beforehand",
    "In a recording",
];

#[test]
fn causes() {
    let mut text = String::from(
        "# Causes\n\nWhat `explain` can say of a landing. Made from the pages themselves; do not edit. `kubectl landed why CODE` \
         prints a page.\n\n| Code | Meaning |\n|---|---|\n",
    );
    for cause in CODES {
        text.push_str(&format!("| [{0}](causes/{0}.md) | {1} |\n", cause.code, cause.meaning()));
    }
    compare("docs/causes.md", &text);
}

#[test]
fn each_cause_has_a_page_and_each_page_a_cause() {
    for cause in CODES {
        let title = format!("# {}\n\n{}\n\n## ", cause.code, cause.meaning());
        assert!(
            cause.page.starts_with(&title),
            "{}: a title, then its meaning in one line",
            cause.code
        );
        let headings: Vec<&str> =
            cause.page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(headings, HEADINGS, "{}", cause.code);
        for part in cause.page.split("\n## ").skip(1) {
            assert!(part.lines().skip(1).any(|line| !line.is_empty()), "{}: {part}", cause.code);
        }
    }
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/causes"));
    let pages: BTreeSet<String> = folder
        .expect("the pages are there")
        .map(|file| file.expect("a file").file_name().into_string().expect("a name"))
        .collect();
    let codes = CODES.iter().map(|cause| format!("{}.md", cause.code)).collect();
    assert_eq!(pages, codes);
}

#[test]
fn the_command_line() {
    compare("docs/cli.md", &commands::page());
}

#[test]
fn the_fields_of_the_contract() {
    const MARK: &str = "<!-- Made from the schemas; do not edit below. -->\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.md");
    let text = std::fs::read_to_string(path).expect("the page is there");
    let (written, _) = text.split_once(MARK).expect("the mark is there");
    compare("docs/report.md", &format!("{written}{MARK}{}", fields::tables()));
}

#[test]
fn links_lead_somewhere() {
    let broken = links::broken(std::path::Path::new(env!("CARGO_MANIFEST_DIR")));
    assert!(broken.is_empty(), "{}", broken.join("\n"));
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
