//! `node` and `nodeclaim` over the recordings: what truth.json says of each NodeClaim and the pods that were meant for it.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use program::{recorded, recording, recordings, run};
use serde_json::Value;

fn asked(kind: &str, name: &str, folder: &Path, with_log: bool) -> Value {
    let text = run(&recorded(&[kind, name, "-o", "json"], folder, with_log));
    let text = text.unwrap_or_else(|error| panic!("{} {name}: {error}", folder.display()));
    serde_json::from_str(&text).expect("JSON")
}

fn truth(folder: &Path) -> Vec<Value> {
    let truth = fs::read(folder.join("truth.json")).expect("truth.json");
    serde_json::from_slice(&truth).expect("JSON")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The pods that a report names for one part.
fn pods(report: &Value, part: &str) -> BTreeSet<String> {
    let all = report["pods"].as_array().expect("pods").iter();
    all.filter(|pod| pod["part"] == part).map(|pod| text(&pod["name"])).collect()
}

/// The pods that truth.json says were first meant for each claim.
fn first_meant(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut meant: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for pod in truth(folder) {
        let (first, last) = (&pod["firstIntended"], &pod["intended"]);
        let first = if first.is_null() { last } else { first };
        if let Some(claim) = first["nodeClaim"].as_str() {
            meant.entry(claim.to_owned()).or_default().insert(text(&pod["name"]));
        }
    }
    meant
}

#[test]
fn with_the_log_a_claim_knows_the_pods_that_it_was_launched_for() {
    // In the large recording chance decided which of many equal pods went into which claim.
    for folder in recordings().into_iter().filter(|folder| !folder.ends_with("16-large")) {
        for (claim, expected) in first_meant(&folder) {
            let report = asked("nodeclaim", &claim, &folder, true);
            let named: BTreeSet<String> =
                &pods(&report, "launched-for") | &pods(&report, "planned-later");
            assert!(
                expected.is_subset(&named),
                "{} {claim}: {named:?} lacks some of {expected:?}",
                folder.display()
            );
        }
    }
}

#[test]
fn what_events_name_is_told_as_recorded_and_is_what_happened() {
    let folder = recording("16-large");
    let mut recorded = 0;
    let truth = truth(&folder);
    for claim in first_meant(&folder).into_keys().take(3) {
        let report = asked("nodeclaim", &claim, &folder, false);
        for pod in
            report["pods"].as_array().expect("pods").iter().filter(|pod| pod["recorded"] == true)
        {
            let known = truth.iter().find(|known| known["name"] == pod["name"]);
            let Some(known) = known else { continue };
            let meant = ["firstIntended", "intended"].map(|plan| text(&known[plan]["nodeClaim"]));
            assert!(meant.contains(&claim), "{claim}: {pod}");
            recorded += 1;
        }
    }
    assert!(recorded > 0, "some nominations were kept");
}

#[test]
fn a_claim_that_is_gone_is_found_by_its_name_and_by_its_nodes() {
    let folder = recording("04-mid-launch-race");
    for with_log in [true, false] {
        let report = asked("nodeclaim", "general-mrmbl", &folder, with_log);
        assert_eq!(report["isThere"], false);
        let launched = pods(&report, "launched-for");
        assert_eq!(launched.len(), 1, "{launched:?}");
        let pod = &report["pods"][0];
        assert_eq!(pod["class"], "race");
        assert_eq!(pod["cause"], "room-freed");
        assert_eq!(pod["here"], false);
        assert!(text(&report["summary"]).contains("It stayed empty."), "{}", report["summary"]);
    }
    let by_claim = asked("nodeclaim", "general-mrmbl", &folder, true);
    let by_node = asked("node", &text(&by_claim["node"]), &folder, true);
    assert_eq!(by_node["pods"], by_claim["pods"]);
}

#[test]
fn a_node_that_took_the_pods_of_others_says_so() {
    // The first of five nodes took all five pods; one of them was meant for it.
    let folder = recording("03-preferred-anti-affinity");
    let actual = text(&truth(&folder)[0]["actualNode"]);
    let report = asked("node", &format!("node/{actual}"), &folder, true);
    assert_eq!(pods(&report, "launched-for").len(), 1);
    assert_eq!(pods(&report, "meant-elsewhere").len(), 4);
    assert_eq!(report["running"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_name_that_is_not_there_lists_the_nearest() {
    let folder = recording("04-mid-launch-race");
    for (kind, name, error, hint) in [
        (
            "nodeclaim",
            "general-mrmb",
            "error: nodeclaim/general-mrmb is neither in this input nor in its events",
            "hint: the nearest names are general-mrmbl, general-tzlbf",
        ),
        ("node", "pod/web-1", "error: pod/web-1 is no node", "hint: kubectl landed explain web-1"),
    ] {
        let told = run(&recorded(&[kind, name], &folder, true)).expect_err("an error");
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines, [error, hint]);
    }
}

#[test]
fn what_becomes_of_a_node_is_told() {
    let folder = recording("04-mid-launch-race");
    // Karpenter's own event says why it took the empty node away.
    let gone = asked("nodeclaim", "general-mrmbl", &folder, true);
    assert_eq!(gone["removal"]["state"], "removed");
    assert!(text(&gone["removal"]["summary"]).contains("Empty"), "{}", gone["removal"]);
    // The node that is left holds a pod that fits nowhere else: nothing takes it away by itself.
    let left = asked("nodeclaim", "general-tzlbf", &folder, true);
    assert_ne!(left["removal"]["state"], "removed");
    assert!(!text(&left["removal"]["summary"]).is_empty());
    let holds = left["removal"]["heldBy"].as_array().expect("holds");
    assert!(holds.iter().any(|hold| hold["code"] == "not-empty"), "{holds:?}");
}
