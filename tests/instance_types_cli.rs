//! `instance-types`, run as users run it.

#[path = "program/run.rs"]
mod program;

use program::Shell;

/// Exit code, stdout and stderr of a run.
fn landed(arguments: &[&str]) -> (u8, String, String) {
    let shell = Shell { width: Some(100), now: 1_790_000_000, ..Shell::default() };
    let run = shell.run(arguments);
    (run.code, run.out, run.err)
}

const CLUSTER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/instance_types/eks/cluster.json");

#[test]
fn a_page_says_what_may_be_launched_and_why_not_the_rest() {
    let (code, out, err) = landed(&["instance-types", "-f", CLUSTER]);
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!("instance-types", out);
}

#[test]
fn json_has_every_type() {
    let (code, out, _) = landed(&["instance-types", "-f", CLUSTER, "-o", "json"]);
    let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(code, 0);
    assert_eq!(report["kind"], "InstanceTypeList");
    let pool = &report["nodePools"][0];
    let lengths = ["items", "leftOut"].map(|key| pool[key].as_array().map_or(0, Vec::len));
    assert_eq!(lengths, [274, 1089]);
    let first = &pool["items"][0];
    assert_eq!(first["name"], "c7a.medium");
    assert_eq!(first["allocatable"]["cpu"]["quantity"], "940m");
}

#[test]
fn an_offering_that_could_not_be_had_is_gone() {
    let flags = ["-f", CLUSTER, "--unavailable", "c7a.medium", "-o", "name"];
    let (code, out, _) = landed(&[&["instance-types"], &flags[..]].concat());
    assert_eq!(code, 0);
    assert!(!out.lines().any(|line| line == "c7a.medium"));
    assert!(out.lines().any(|line| line == "c8a.medium"));
}

#[test]
fn a_pool_that_is_not_there_is_named() {
    let (code, out, err) = landed(&["instance-types", "-f", CLUSTER, "--nodepool", "gpu"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert_eq!(err, "error: nodepool/gpu is not in the input\nhint: it has general\n");
}

#[test]
fn a_replay_of_a_cluster_with_real_labels_needs_no_flags() {
    let pods = ["--unbind", "shop/cart-0,shop/cart-1"];
    let (code, out, err) = landed(&[&["replay", "karpenter", "-f", CLUSTER], &pods[..]].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    // Both fit on the node that was launched for them.
    assert!(out.contains("ip-10-0-"), "{out}");
}
