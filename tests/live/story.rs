//! One story on a whole cluster with Karpenter: the mid-launch race, made to happen, recorded, and explained.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::cluster::{Cluster, Folder, stderr, stdout};

/// A file of the scenario.
pub fn scenario(name: &str) -> String {
    #[expect(clippy::disallowed_methods, reason = "tests read the environment")]
    let script = std::env::var_os("LANDED_MINICLUSTER").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/minicluster/minicluster"),
        Into::into,
    );
    let folder = script.parent().expect("a folder").join("scenarios/04-mid-launch-race");
    folder.join(name).display().to_string()
}

/// A pod waits for a node that takes 30 s to register; meanwhile room is freed on a node that is there.
#[test]
#[ignore = "needs a whole cluster with Karpenter: ../shared/minicluster"]
fn a_mid_launch_race_is_recorded_and_explained_with_karpenter() {
    let cluster = Cluster::full();
    let folder = Folder::new("story");
    let flight = folder.path("flight");
    let apply = |name: &str| {
        let applied = cluster.kubectl(&["apply", "-f", &scenario(name)]);
        assert!(applied.status.success(), "{name}: {}", stderr(&applied));
    };
    let count = |what: &[&str]| {
        stdout(&cluster.kubectl(&[&["get", "-o", "name"], what].concat())).lines().count()
    };
    let bound = |label: &str| {
        let get = ["get", "pods", "-l", label, "-o", "jsonpath={.items[*].spec.nodeName}"];
        stdout(&cluster.kubectl(&get))
    };
    let minutes = |minutes| Duration::from_mins(minutes);

    apply("pools.yaml");
    apply("base.yaml");
    cluster.wait_long("the first pod's node", minutes(2), || !bound("app=base").is_empty());
    let first_node = bound("app=base");
    cluster.wait_long("its initialization", minutes(2), || {
        let get = [
            "get",
            "nodeclaims",
            "-o",
            "jsonpath={.items[*].status.conditions[?(@.type=='Initialized')].status}",
        ];
        stdout(&cluster.kubectl(&get)) == "True"
    });
    let mut recorder = cluster.record(&flight);
    apply("slow.yaml");
    std::thread::sleep(Duration::from_secs(3));
    apply("late.yaml");
    cluster.wait_long("a second NodeClaim", minutes(1), || count(&["nodeclaims"]) == 2);
    std::thread::sleep(Duration::from_secs(2));
    // The race: room is freed while the new node is on its way.
    let scaled = cluster.kubectl(&["scale", "deployment/base", "--replicas=0"]);
    assert!(scaled.status.success(), "{}", stderr(&scaled));
    cluster.wait_long("the late pod's node", minutes(1), || !bound("app=late").is_empty());
    assert_eq!(bound("app=late"), first_node, "the race did not happen");
    let pod = stdout(&cluster.kubectl(&["get", "pods", "-l", "app=late", "-o", "name"]))
        .trim()
        .to_owned();
    cluster.wait_for("the binding in the recording", || {
        cluster.landed(&[&pod, "-f", &flight, "-o", "json"]).status.success()
    });

    let live = cluster.kubectl(&["landed", &pod, "-o", "json"]);
    check("live", &stdout(&live), &first_node, &stderr(&live));
    let kill = Command::new("kill")
        .args(["-INT", &recorder.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(kill.success());
    assert_eq!(recorder.wait().expect("a child").code(), Some(0));
    let from_flight = cluster.landed(&[&pod, "-f", &flight, "-o", "json"]);
    check("recorded", &stdout(&from_flight), &first_node, &stderr(&from_flight));
    // Kubernetes' memory of it is gone; the recorder's is not.
    cluster.kubectl(&["delete", "events", "--all"]);
    cluster.kubectl(&["delete", "deployment", "late"]);
    let after = cluster.landed(&[&pod, "-f", &flight, "-o", "json"]);
    check("afterwards", &stdout(&after), &first_node, &stderr(&after));
}

/// The answer: meant for the new NodeClaim, on the old node, a race.
fn check(case: &str, json: &str, node: &str, err: &str) {
    let answer: Value =
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{case}: {error}: {err}"));
    let kind = if case == "live" { "live" } else { "recording" };
    assert_eq!(answer["metadata"]["input"]["kind"], kind, "{case}: {json}");
    assert_eq!(answer["verdict"]["class"], "race", "{case}: {json}");
    assert_eq!(answer["actual"]["node"], node, "{case}: {json}");
    assert_ne!(answer["intended"]["nodeClaim"], Value::Null, "{case}: {json}");
}
