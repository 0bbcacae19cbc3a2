//! Each form of output over hand-made reports, whole, so that a reviewer sees what a user sees.

use std::path::Path;

use insta::{Settings, assert_snapshot};
use landed::render::{Color, Format, Style, render};
use landed::report::Report;

fn report(name: &str) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/reports/{name}.json"));
    #[expect(clippy::disallowed_methods, reason = "a test reads its data")]
    let text = std::fs::read_to_string(path).expect("the report is there");
    serde_json::from_str(&text).expect("the report is one")
}

fn check(snapshot: &str, name: &str, format: Format, style: &Style) {
    let mut settings = Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(snapshot, render(&report(name), format, style)));
}

fn wide(width: usize) -> Style {
    Style { width, ..Style::plain() }
}

#[test]
fn a_page_of_80_columns_answers_first() {
    for name in ["race", "preference", "constraint", "swap", "unknown", "as-intended", "list"] {
        check(&format!("{name}-table-80"), name, Format::Table, &wide(80));
    }
}

#[test]
fn a_page_of_many_pods_or_of_a_node_answers_first() {
    for name in ["audit", "node", "comparison"] {
        check(&format!("{name}-table-80"), name, Format::Table, &wide(80));
    }
    check("audit-markdown", "audit", Format::Markdown, &Style::plain());
    check("audit-name", "audit", Format::Name, &Style::plain());
}

#[test]
fn a_page_of_160_columns_uses_them() {
    for name in ["race", "preference", "swap"] {
        check(&format!("{name}-table-160"), name, Format::Table, &wide(160));
    }
}

#[test]
fn wide_shows_every_node_and_cuts_no_name() {
    for name in ["constraint", "swap", "list"] {
        check(&format!("{name}-wide"), name, Format::Wide, &wide(160));
    }
    check("swap-nodes-80", "swap", Format::Table, &Style { nodes: true, ..Style::plain() });
}

/// In a terminal a wide page goes on in the next line: nothing more is cut, and no line is broken by the edge.
#[test]
fn wide_in_a_terminal_fits_it_and_cuts_no_more_than_in_a_pipe() {
    for name in ["constraint", "swap", "race", "list", "audit", "node", "comparison"] {
        for width in [120, 160] {
            let style = Style { is_terminal: true, ..wide(width) };
            let page = render(&report(name), Format::Wide, &style);
            let longest = page.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(width), "{name} at {width}: {longest:?}");
            let cuts =
                |style: &Style| render(&report(name), Format::Wide, style).matches('…').count();
            assert!(cuts(&style) <= cuts(&wide(width)), "{name} at {width}");
        }
    }
}

#[test]
fn a_narrow_page_puts_the_sides_below_each_other() {
    check("race-table-48", "race", Format::Table, &wide(48));
}

#[test]
fn ascii_and_colour_say_the_same() {
    check("race-table-ascii", "race", Format::Table, &Style { ascii: true, ..Style::plain() });
    check(
        "swap-table-colour",
        "swap",
        Format::Table,
        &Style { color: Color::Ansi, ..Style::plain() },
    );
}

#[test]
fn nothing_from_a_cluster_reaches_a_terminal_raw() {
    let is_raw = |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
    for (_, format) in Format::ALL {
        for width in [20, 48, 80, 160] {
            let text = render(&report("hostile"), format, &wide(width));
            assert_eq!(text.chars().find(|&c| is_raw(c)), None, "{format:?} {width}");
        }
    }
    check("hostile-table-80", "hostile", Format::Table, &wide(80));
}

#[test]
fn a_page_keeps_to_its_width() {
    for name in [
        "race",
        "preference",
        "constraint",
        "swap",
        "unknown",
        "as-intended",
        "list",
        "audit",
        "node",
        "comparison",
    ] {
        for width in [80, 100, 160] {
            let text = render(&report(name), Format::Table, &wide(width));
            for line in text.lines() {
                let columns: usize = line.chars().count();
                let is_command =
                    line.contains("$ ") || line.trim_start().starts_with("labelSelector");
                assert!(columns <= width || is_command, "{name} {width}: {columns}: {line}");
            }
        }
    }
}

#[test]
fn json_and_yaml_hold_the_same_document() {
    for name in ["race", "hostile", "list", "unknown", "audit", "node", "comparison"] {
        let report = report(name);
        let json = render(&report, Format::Json, &Style::plain());
        let yaml = render(&report, Format::Yaml, &Style::plain());
        let from_json: Report = serde_json::from_str(&json).expect("JSON can be read");
        let from_yaml: serde_json::Value = serde_saphyr::from_str(&yaml).expect("YAML can be read");
        assert_eq!(from_json, report, "{name}");
        let from_json: serde_json::Value = serde_json::from_str(&json).expect("JSON can be read");
        assert_eq!(from_yaml, from_json, "{name}");
    }
    check("swap-yaml", "swap", Format::Yaml, &Style::plain());
}

#[test]
fn markdown_folds_what_is_long() {
    for name in ["race", "preference", "constraint", "as-intended", "list", "hostile"] {
        check(&format!("{name}-markdown"), name, Format::Markdown, &Style::plain());
    }
}

#[test]
fn names_are_what_kubectl_takes() {
    check("list-name", "list", Format::Name, &Style::plain());
}
