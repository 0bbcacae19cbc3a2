//! Each rule of `check` finds something in its bad example and nothing in its good one.

use std::sync::Arc;

use landed::karpenter::{CloudProvider, Launch, NewNodeClaim};
use landed::model::instance_type::InstanceType;
use landed::model::names::Str;
use landed::model::nodepool::{NodeClass, NodeClassRef, NodePool, NodeRequirement};
use landed::model::selector::Operator;

use landed::check::{Baseline, Examination, Examined, File, RULES, Rule, Surroundings, examine};
use landed::render::{CheckFormat, RuleText, Style, render_check};
use landed::report::CheckReport;

/// A provider that sells the same few types to every pool.
struct Shop(Vec<Arc<InstanceType>>);

impl CloudProvider for Shop {
    fn name(&self) -> &'static str {
        "shop"
    }

    fn supports(&self, _: &NodeClassRef) -> bool {
        true
    }

    fn instance_types(&self, _: &NodePool, _: Option<&NodeClass>) -> Vec<Arc<InstanceType>> {
        self.0.clone()
    }

    fn well_known_labels(&self) -> Vec<Str> {
        Vec::new()
    }

    fn launches(&self, _: &NewNodeClaim, _: &[Arc<InstanceType>]) -> Vec<Launch> {
        Vec::new()
    }
}

/// Types in the kwok provider's form: three sizes in three zones for amd64, one for arm64.
fn shop() -> Shop {
    let offering = |zone: &str, price: f64| {
        let is = |key: &str, value: &str| serde_json::json!({"key": key, "operator": "In", "values": [value]});
        serde_json::json!({"Price": price, "Available": true, "Requirements": [
            is("topology.kubernetes.io/zone", zone),
            is("karpenter.sh/capacity-type", "on-demand"),
        ]})
    };
    let one = |name: &str, arch: &str, cpu: u32, price: f64| {
        let zones = ["us-east-1a", "us-east-1b", "us-east-1c"];
        serde_json::json!({
            "name": name, "architecture": arch, "operatingSystems": ["linux"],
            "resources": {"cpu": cpu.to_string(), "memory": format!("{}Gi", cpu * 4), "pods": "110"},
            "offerings": zones.map(|zone| offering(zone, price)),
        })
    };
    let types = serde_json::json!([
        one("m5.large", "amd64", 2, 0.1),
        one("m5.xlarge", "amd64", 4, 0.2),
        one("m5.2xlarge", "amd64", 8, 0.4),
        one("m6g.large", "arm64", 2, 0.08),
    ]);
    let read =
        landed::ingest::instance_types(types.to_string().as_bytes()).expect("instance types");
    Shop(read.iter().map(|one| Arc::new(labelled(one))).collect())
}

/// A type with the labels that a provider knows of it: its name, architecture and zones.
fn labelled(one: &InstanceType) -> InstanceType {
    let is = |key: &str, values: &[&str]| NodeRequirement {
        key: key.into(),
        operator: Operator::In,
        values: values.iter().map(|value| Str::from(*value)).collect(),
        min_values: None,
    };
    let mut one = one.clone();
    let arch = if one.name.as_str().starts_with("m6g") { "arm64" } else { "amd64" };
    one.requirements = vec![
        is("node.kubernetes.io/instance-type", &[one.name.as_str()]),
        is("kubernetes.io/arch", &[arch]),
        is("kubernetes.io/os", &["linux"]),
        is("topology.kubernetes.io/zone", &["us-east-1a", "us-east-1b", "us-east-1c"]),
        is("karpenter.sh/capacity-type", &["on-demand"]),
    ];
    one
}

fn examined(text: &str) -> Examined {
    let file = File { name: "example.yaml".into(), text: text.into() };
    examine(Examination {
        files: vec![file],
        namespace: "default".into(),
        surroundings: Surroundings { provider: Some(Arc::new(shop())), ..Surroundings::default() },
        ..Examination::default()
    })
}

fn codes(rule: &Rule, text: &str) -> Vec<&'static str> {
    let examined = examined(text);
    assert_eq!(examined.unreadable, [], "{}: an example cannot be read", rule.code);
    examined.findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn each_rule_tells_its_examples_apart() {
    for rule in RULES {
        assert!(codes(rule, rule.bad).contains(&rule.code), "{} misses its bad example", rule.code);
        assert!(
            !codes(rule, rule.good).contains(&rule.code),
            "{} finds something in its good example",
            rule.code
        );
    }
}

#[test]
fn a_good_example_is_good_in_every_way() {
    let bad: Vec<_> = RULES
        .iter()
        .map(|rule| (rule.code, codes(rule, rule.good)))
        .filter(|(_, others)| !others.is_empty())
        .collect();
    assert_eq!(bad, []);
}

#[test]
fn codes_are_unique_and_kebab_case() {
    for (index, rule) in RULES.iter().enumerate() {
        assert!(
            rule.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
            "{}",
            rule.code
        );
        assert!(RULES[..index].iter().all(|earlier| earlier.code != rule.code), "{}", rule.code);
    }
}

fn report(text: &str) -> CheckReport {
    CheckReport::of(&examined(text))
}

fn rendered(report: &CheckReport, format: CheckFormat) -> String {
    let rules = RULES.iter().map(|rule| RuleText {
        code: rule.code.into(),
        severity: rule.severity.into(),
        finds: rule.finds.into(),
        why: rule.why.into(),
    });
    render_check(report, format, &rules.collect::<Vec<_>>(), &Style::plain())
}

/// Every bad example in one file, and a document that is broken.
fn everything() -> String {
    let mut text: Vec<&str> = RULES.iter().map(|rule| rule.bad).collect();
    text.push("kind: [\n");
    text.join("---\n")
}

#[test]
fn sarif_is_valid_against_the_published_schema() {
    // One pattern of the published schema has a bracket too many, which a strict validator refuses.
    let text = include_str!("check/sarif-schema-2.1.0.json").replace("{2}]?$", "{2}$");
    let schema: serde_json::Value = serde_json::from_str(&text).expect("the schema");
    let validator = jsonschema::validator_for(&schema).expect("a validator");
    for text in [everything(), String::new()] {
        let sarif = rendered(&report(&text), CheckFormat::Sarif);
        let document = serde_json::from_str(&sarif).expect("JSON");
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(errors, Vec::<String>::new());
    }
}

/// Each rule leads to its heading on the page of the rules.
#[test]
fn sarif_leads_to_each_rules_page() {
    let sarif = rendered(&report(""), CheckFormat::Sarif);
    let document: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    let rules = document["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules").clone();
    assert_eq!(rules.len(), RULES.len());
    let page = include_str!("../docs/checks.md");
    for rule in rules {
        let uri = rule["helpUri"].as_str().expect("a URI");
        let (before, heading) = uri.split_once('#').expect("a heading");
        assert_eq!(before, "https://github.com/landed-dev/landed/blob/main/docs/checks.md");
        assert!(page.lines().any(|line| line.trim_start_matches('#').trim() == heading), "{uri}");
    }
}

#[test]
fn broken_yaml_gives_its_line_and_the_rest_is_still_checked() {
    let report = report(
        "kind: Pod\nmetadata: {name: a}\n---\nkind: Pod\nspec:\n  containers: [\n  - b\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: c}\nspec:\n  schedulerName: mine\n  containers:\n  - {name: main, image: c, resources: {requests: {cpu: 1, memory: 1Gi}}}\n",
    );
    let [part] = &*report.unreadable else { panic!("{:?}", report.unreadable) };
    assert!((6..=8).contains(&part.line), "{part:?}");
    assert!(part.snippet.contains('^'));
    let found: Vec<_> =
        report.findings.iter().map(|one| (&*one.code, one.line, one.column)).collect();
    assert_eq!(found, [("custom-scheduler", 13, 3)]);
}

#[test]
fn an_object_of_a_wrong_shape_gives_its_place() {
    let report = report(
        "# first\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: many}\n",
    );
    let [part] = &*report.unreadable else { panic!("{:?}", report.unreadable) };
    assert_eq!((&*part.file, part.line), ("example.yaml", 2));
}

#[test]
fn github_annotations_are_escaped_and_the_worst_comes_first() {
    let text = rendered(&report(&everything()), CheckFormat::Github);
    let words: Vec<&str> = text.lines().filter_map(|line| line[2..].split(' ').next()).collect();
    let first = |word| words.iter().position(|other| *other == word).expect(word);
    assert!(first("error") < first("warning") && first("warning") < first("notice"));
    assert!(text.lines().all(|line| line.starts_with("::") && line.contains(",line=")));
    assert!(text.contains("%0A"), "a message of two lines is one command");
}

#[test]
fn junit_holds_a_case_a_finding() {
    let report = report(&everything());
    let xml = rendered(&report, CheckFormat::Junit);
    assert_eq!(xml.matches("<testcase ").count(), report.findings.len() + report.unreadable.len());
    assert_eq!(xml.matches("<failure ").count(), report.summary.errors + report.summary.warnings);
    assert!(!xml.contains('\''), "text is escaped");
}

#[test]
fn an_ignore_covers_its_field_and_what_is_in_it() {
    let with = |above: &str, behind: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  {above}\n  nodeSelector: {behind}\n    kubernetes.io/hostname: x\n  containers:\n  - {{name: main, image: c, resources: {{requests: {{cpu: 1, memory: 1Gi}}}}}}\n"
        )
    };
    for (case, text, found) in [
        ("none", with("", ""), vec!["hostname-pinned"]),
        ("above", with("# landed:ignore=hostname-pinned a licence", ""), vec![]),
        ("behind", with("", "# landed:ignore=hostname-pinned a licence"), vec![]),
        (
            "several",
            with("# landed:ignore=hostname-pinned,custom-scheduler a licence", ""),
            vec!["unused-ignore"],
        ),
        (
            "another rule",
            with("# landed:ignore=custom-scheduler no", ""),
            vec!["unused-ignore", "hostname-pinned"],
        ),
        (
            "unknown rule",
            with("# landed:ignore=hostname no", ""),
            vec!["unused-ignore", "hostname-pinned"],
        ),
        (
            "no reason",
            with("# landed:ignore=hostname-pinned", ""),
            vec!["ignore-without-reason", "hostname-pinned"],
        ),
    ] {
        let report = report(&text);
        let codes: Vec<_> = report.findings.iter().map(|one| &*one.code).collect();
        assert_eq!(codes, found, "{case}");
    }
    let whole = format!("# landed:ignore=hostname-pinned all of it\n{}", with("", ""));
    assert_eq!(report(&whole).ignored.len(), 1, "the whole object");
}

#[test]
fn a_fingerprint_stays_while_lines_move() {
    let text = everything();
    let moved = format!("# a line more\n\n{text}");
    let prints = |text: &str| {
        let mut all: Vec<String> =
            report(text).findings.into_iter().map(|one| one.fingerprint).collect();
        all.sort();
        all
    };
    let all = prints(&text);
    assert_eq!(all, prints(&moved));
    let mut distinct = all.clone();
    distinct.dedup();
    assert_eq!(all, distinct, "each finding has its own");
}

#[test]
fn a_baseline_hides_what_was_there_and_tells_what_is_gone() {
    let rule = &RULES[0];
    let before = examined(rule.bad);
    let saved = Baseline::of(&before.findings).to_text();
    let after = examine(Examination {
        files: vec![File { name: "moved.yaml".into(), text: format!("\n\n{}", rule.bad) }],
        namespace: "default".into(),
        baseline: Some(Baseline::parse(&saved).expect("a baseline")),
        ..Examination::default()
    });
    assert!(after.findings.is_empty(), "{:?}", after.findings);
    assert_eq!((after.known.len(), after.gone), (before.findings.len(), 0));
    let mended = examine(Examination {
        files: vec![File { name: "a.yaml".into(), text: rule.good.into() }],
        namespace: "default".into(),
        baseline: Some(Baseline::parse(&saved).expect("a baseline")),
        ..Examination::default()
    });
    assert_eq!(mended.gone, before.findings.len());
}
