//! `audit` over the recordings: the same verdicts as `explain` gives, and the nodes that truth says were launched in vain.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use program::{recorded, recordings, run};
use serde_json::Value;

fn audited(folder: &std::path::Path, with_log: bool) -> Value {
    let arguments = recorded(&["audit", "-A", "-o", "json"], folder, with_log);
    serde_json::from_str(&run(&arguments).expect("an answer")).expect("JSON")
}

/// The class of every pod that is in a group.
fn classes(audit: &Value) -> BTreeMap<String, String> {
    let mut classes = BTreeMap::new();
    for group in audit["groups"].as_array().expect("groups") {
        let members = group["members"].as_array().expect("members");
        assert_eq!(members.len() as u64, group["count"].as_u64().expect("a count"));
        for member in members {
            let class = group["class"].as_str().expect("a class").to_owned();
            let before = classes.insert(member.as_str().expect("a pod").to_owned(), class);
            assert_eq!(before, None, "{member} is in one group only");
        }
    }
    classes
}

#[test]
fn each_pod_has_the_verdict_that_explain_gives() {
    for folder in recordings() {
        // The large one takes its time, and once is enough.
        let is_large = folder.ends_with("16-large");
        for with_log in [true, false].into_iter().skip(usize::from(is_large)) {
            let audit = audited(&folder, with_log);
            let mut classes = classes(&audit);
            let selector = &["explain", "-A", "-l", "!nothing", "-o", "json"];
            let answers = run(&recorded(selector, &folder, with_log)).expect("an answer");
            let answers: Value = serde_json::from_str(&answers).expect("JSON");
            let mut apart = 0;
            for answer in answers["items"].as_array().expect("a list") {
                let pod = &answer["pod"];
                let name = format!(
                    "{}/{}",
                    pod["namespace"].as_str().expect("a namespace"),
                    pod["name"].as_str().expect("a name")
                );
                let class = answer["verdict"]["class"].as_str().expect("a class");
                if class == "not-karpenter" {
                    apart += 1;
                    assert_eq!(classes.get(&name), None, "{} {name}", folder.display());
                } else {
                    let found = classes.remove(&name);
                    assert_eq!(found.as_deref(), Some(class), "{} {name}", folder.display());
                }
            }
            // What is left is gone: only events tell of it.
            for gone in classes.keys() {
                let known = answers["items"].as_array().expect("a list").iter();
                assert!(known.clone().all(|it| format!(
                    "{}/{}",
                    it["pod"]["namespace"].as_str().unwrap_or_default(),
                    it["pod"]["name"].as_str().unwrap_or_default()
                ) != *gone));
            }
            assert!(audit["notKarpenter"].as_u64().expect("a number") >= apart);
        }
    }
}

#[test]
fn every_pod_of_truth_is_there_with_its_verdict() {
    for folder in recordings() {
        let truth = fs::read(folder.join("truth.json")).expect("truth.json");
        let truth: Value = serde_json::from_slice(&truth).expect("JSON");
        let classes = classes(&audited(&folder, true));
        for pod in truth.as_array().expect("a list") {
            let name = format!(
                "{}/{}",
                pod["namespace"].as_str().expect("a namespace"),
                pod["name"].as_str().expect("a name")
            );
            let verdict = pod["verdict"].as_str().expect("a verdict");
            let found = classes.get(&name).map_or("not-karpenter", String::as_str);
            assert!(
                program::classes(verdict).contains(&found),
                "{} {name}: {found}, not {verdict}",
                folder.display()
            );
        }
    }
}

/// NodeClaims that the recorder saw get none of the pods that were meant for them at first, and no other.
fn in_vain(name: &str, with_log: bool) -> BTreeSet<String> {
    let folder = program::recording(name);
    let audit = audited(&folder, with_log);
    let nodes = audit["launches"]["inVain"].as_array().expect("a list").clone();
    nodes.iter().map(|node| node["nodeClaim"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_node_that_stayed_empty_is_named_also_when_it_is_gone() {
    for with_log in [true, false] {
        // Its pod took room that was freed on an older node; it was consolidated away half a minute later.
        assert_eq!(in_vain("04-mid-launch-race", with_log).len(), 1);
        // Five nodes, one pod each; the first took all five.
        assert_eq!(in_vain("03-preferred-anti-affinity", with_log).len(), 4);
        // Three nodes, one a zone; the first took all nine.
        assert_eq!(in_vain("01-soft-zone-spread", with_log).len(), 2);
        // Each pod on its own node.
        assert_eq!(in_vain("07-hard-zone-spread", with_log).len(), 0);
    }
}

/// A pod that was deleted before it was bound: both say so, and neither that it waits.
#[test]
fn a_pod_that_was_gone_before_it_was_bound_is_in_no_group() {
    let folder = program::recording("08-limits-and-no-match");
    let gone = "too-big-69474b7cf8-xt4wc";
    let file = fs::File::open(folder.join("after.json.gz")).expect("the file");
    let mut after: Value =
        serde_json::from_reader(flate2::read::GzDecoder::new(file)).expect("JSON");
    let items = after["items"].as_array_mut().expect("a list");
    items.retain(|item| item["metadata"]["name"] != gone);
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("gone-unbound.json");
    fs::write(&path, after.to_string()).expect("a file");
    let path = path.display().to_string();
    let asked = |arguments: &[&str]| -> Value {
        let mut arguments = recorded(arguments, &folder, true);
        let first = arguments.iter_mut().find(|it| it.ends_with("after.json.gz"));
        first.expect("the objects").clone_from(&path);
        serde_json::from_str(&run(&arguments).expect("an answer")).expect("JSON")
    };
    let answer = asked(&["explain", gone, "-o", "json"]);
    assert_eq!(answer["pod"]["gone"], true);
    let summary = answer["verdict"]["summary"].as_str().expect("a sentence");
    assert!(summary.contains("is gone, and nothing says that it was ever bound"), "{summary}");
    assert!(!summary.contains("pending"), "{summary}");
    let audit = asked(&["audit", "-A", "-o", "json"]);
    assert_eq!(audit["gone"], 1);
    assert_eq!(classes(&audit).get(&format!("default/{gone}")), None);
}

#[test]
fn bad_input_is_one_line() {
    let folder = program::recording("04-mid-launch-race");
    let error = run(&recorded(&["audit", "-n", "nowhere"], &folder, false)).expect_err("an error");
    let mut lines = error.lines();
    assert_eq!(lines.next(), Some("error: no pod is in namespace nowhere of this input"));
    assert!(lines.all(|line| line.starts_with("hint: ")), "{error}");
}
