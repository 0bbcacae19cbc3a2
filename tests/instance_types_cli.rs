//! `instance-types`, run as users run it.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

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

/// An m6i.large was launched where an m5a.large was asked for too and is cheaper by the list of prices; had that one been
/// launched, there would be nothing to say.
#[test]
fn a_launched_offering_that_is_not_the_cheapest_is_a_cause() {
    let cluster = std::fs::read_to_string(CLUSTER).expect("the cluster");
    let mut changed: serde_json::Value = serde_json::from_str(&cluster).expect("JSON");
    for object in changed["items"].as_array_mut().expect("a list") {
        if object["kind"] == "NodeClaim" && object["metadata"]["name"] == "general-q7m4z" {
            let label = "node.kubernetes.io/instance-type";
            assert_eq!(object["metadata"]["labels"][label], "m6i.large");
            object["metadata"]["labels"][label] = "m5a.large".into();
        }
    }
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("cheapest.json");
    std::fs::write(&path, changed.to_string()).expect("a file");
    let cause = |path: &str| {
        let (code, out, err) =
            landed(&["explain", "-n", "shop", "cart-0", "-f", path, "-o", "json"]);
        assert_eq!((code, err.as_str()), (0, ""));
        let answer: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let mut causes = answer["causes"].as_array().expect("causes").iter();
        causes.find(|cause| cause["code"] == "other-offering-launched").cloned()
    };
    let found = cause(CLUSTER).expect("the cause");
    // What capacity EC2 had is in no dump: it is never more than possible.
    assert_eq!(found["confidence"], "possible");
    assert_eq!(found["evidence"][0]["value"], "m6i.large");
    let told = found.to_string();
    assert!(told.contains("m5a.large in us-east-1a, on-demand at $0.0860/h"), "{told}");
    assert_eq!(cause(path.to_str().expect("text")), None);
}
