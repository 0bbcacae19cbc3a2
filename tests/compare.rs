//! `compare` over the recordings: two replicas of one owner that landed differently.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod program;

use std::fs;

use program::{recorded, recording, run};
use serde_json::Value;

/// Two pods of a recording with these verdicts, as truth.json tells.
fn pair(name: &str, verdicts: [&str; 2]) -> [String; 2] {
    let truth = fs::read(recording(name).join("truth.json")).expect("truth.json");
    let truth: Vec<Value> = serde_json::from_slice(&truth).expect("JSON");
    verdicts.map(|verdict| {
        let pod = truth.iter().find(|pod| pod["verdict"] == verdict).expect("such a pod");
        pod["name"].as_str().expect("a name").to_owned()
    })
}

fn compared(name: &str, pods: &[String; 2]) -> Value {
    let arguments = ["compare", &pods[0], &pods[1], "-o", "json"];
    let text = run(&recorded(&arguments, &recording(name), true)).expect("an answer");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn replicas_that_landed_differently_differ_in_their_intent_and_not_in_their_demands() {
    let name = "03-preferred-anti-affinity";
    let comparison = compared(name, &pair(name, ["matched", "soft-spread-overprovision"]));
    assert_eq!(comparison["sameDemands"], true);
    let rows = comparison["rows"].as_array().expect("rows");
    let row = |label: &str| rows.iter().find(|row| row["label"] == label);
    // Karpenter meant each for a node of its own; both are on the one that was ready first.
    assert!(row("intended").is_some());
    assert_eq!(row("actual"), None);
    assert_eq!(row("class").expect("a row")["values"][0], "as-intended");
    assert_eq!(row("class").expect("a row")["values"][1], "preference");
    for row in rows {
        assert_ne!(row["values"][0], row["values"][1], "only what differs: {row}");
    }
}

#[test]
fn pods_of_two_owners_differ_in_what_they_ask_for() {
    // 2300m and 300m: tests/plan/05-binpack-mismatch/workload.yaml.
    let name = "05-binpack-mismatch";
    let pods = ["big-55954d88bc-hj5k6", "small-745b7fd845-mr4kq"].map(str::to_owned);
    let comparison = compared(name, &pods);
    assert_eq!(comparison["sameDemands"], false);
    let rows = comparison["rows"].as_array().expect("rows");
    let asked = rows.iter().find(|row| row["label"] == "spec.containers[].resources.requests");
    let values = &asked.expect("a row")["values"];
    assert!(values[0].as_str().expect("text").contains("cpu 2300m"), "{values}");
    assert!(values[1].as_str().expect("text").contains("cpu 300m"), "{values}");
}

#[test]
fn a_pod_is_not_compared_with_itself_or_with_one_that_is_not_there() {
    let name = "03-preferred-anti-affinity";
    let [pod, _] = pair(name, ["matched", "matched"]);
    for (other, error) in [
        (pod.as_str(), format!("error: default/{pod} is compared with itself")),
        ("api-0", "error: pod/api-0 is not in namespace default of this input".to_owned()),
    ] {
        let told = run(&recorded(&["compare", &pod, other], &recording(name), true));
        let told = told.expect_err("an error");
        assert_eq!(told.lines().next(), Some(error.as_str()), "{told}");
        assert_eq!(told.lines().count(), 2, "{told}");
    }
}
