//! Every command against a whole cluster with Karpenter: what it says of a cluster is what it says of its dump, and the
//! plan before is what Karpenter does.

use std::time::Duration;

use serde_json::Value;

use super::cluster::{Cluster, Folder, stderr, stdout};
use super::story::scenario;

/// What a command printed, as JSON.
fn json(cluster: &Cluster, arguments: &[&str]) -> Value {
    let output = cluster.kubectl(&[&["landed"], arguments, &["-o", "json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", stdout(&output)))
}

fn names(cluster: &Cluster, what: &[&str]) -> Vec<String> {
    let get = cluster.kubectl(&[&["get", "-o", "name"], what].concat());
    stdout(&get).lines().filter_map(|line| Some(line.split_once('/')?.1.to_owned())).collect()
}

#[test]
#[ignore = "needs a whole cluster with Karpenter: ../shared/minicluster"]
fn every_command_answers_about_a_cluster_with_karpenter() {
    let cluster = Cluster::full();
    let folder = Folder::new("commands");
    let apply = |name: &str| {
        let applied = cluster.kubectl(&["apply", "-f", &scenario(name)]);
        assert!(applied.status.success(), "{name}: {}", stderr(&applied));
    };
    apply("pools.yaml");
    cluster.wait_for("a NodePool that is ready", || {
        let ready = "jsonpath={.items[*].status.conditions[?(@.type=='Ready')].status}";
        stdout(&cluster.kubectl(&["get", "nodepools", "-o", ready])) == "True"
    });

    // Before: what Karpenter will launch. Then what it launched.
    let manifest = scenario("base.yaml");
    let checked = cluster.landed(&["check", "-f", &manifest, "--against", "live"]);
    assert!(matches!(checked.status.code(), Some(0 | 1)), "{}", stderr(&checked));
    let plan = json(&cluster, &["simulate", "-f", &manifest, "--against", "live"]);
    let planned = &plan["respecting"]["nodes"].as_array().expect("nodes")[..];
    apply("base.yaml");
    let running = || {
        let phases = "jsonpath={.items[*].spec.nodeName}";
        !stdout(&cluster.kubectl(&["get", "pods", "-l", "app=base", "-o", phases])).is_empty()
    };
    cluster.wait_long("the pod's node", Duration::from_mins(2), running);
    let claims = names(&cluster, &["nodeclaims"]);
    assert_eq!(planned.len(), claims.len(), "{plan}");
    let label = "jsonpath={.items[*].metadata.labels.node\\.kubernetes\\.io/instance-type}";
    let launched = stdout(&cluster.kubectl(&["get", "nodes", "-o", label]));
    assert_eq!(planned[0]["instanceType"], launched, "{plan}");

    // After: each command, of the cluster and of its dump.
    let pod = names(&cluster, &["pods", "-l", "app=base"]).remove(0);
    let node = names(&cluster, &["nodes"]).remove(0);
    let scaled = cluster.kubectl(&["scale", "deployment/base", "--replicas=2"]);
    assert!(scaled.status.success(), "{}", stderr(&scaled));
    cluster.wait_long("a second pod's node", Duration::from_mins(2), || {
        let bound = "jsonpath={.items[*].spec.nodeName}";
        let nodes = stdout(&cluster.kubectl(&["get", "pods", "-l", "app=base", "-o", bound]));
        nodes.split(' ').count() == 2
    });
    let pods = names(&cluster, &["pods", "-l", "app=base"]);
    let dump = folder.path("d.tar.zst");
    let dumped = cluster.landed(&["dump", "--include-logs", "-o", &dump]);
    assert_eq!(dumped.status.code(), Some(0), "{}", stderr(&dumped));
    for arguments in [
        &["explain", &pod][..],
        &["explain", &pod, "--want", "zone=test-zone-b"],
        &["explain", "deploy/base"],
        &["audit", "-A"],
        &["node", &node],
        &["nodeclaim", &claims[0]],
        &["compare", &pods[0], &pods[1]],
        &["instance-types"],
    ] {
        let live = json(&cluster, arguments);
        // A list has it in each of its items.
        let metadata = if live["items"].is_array() { &live["items"][0] } else { &live };
        if live["kind"] != "InstanceTypeList" {
            assert_eq!(metadata["metadata"]["input"]["kind"], "live", "{arguments:?}: {live}");
        }
        let offline = json(&cluster, &[arguments, &["-f", &dump]].concat());
        for field in ["verdict", "actual", "intended", "pods", "node", "rows", "tally", "nodePools"]
        {
            assert_eq!(live[field], offline[field], "{arguments:?}: {field}");
        }
    }
    let answer = json(&cluster, &["explain", &pod]);
    assert_eq!(answer["actual"]["node"], node.as_str(), "{answer}");
    assert_eq!(answer["intended"]["nodeClaim"], claims[0].as_str(), "{answer}");

    // Every form of a dump gives the same verdict.
    for (name, options) in
        [("d.json", &[][..]), ("d.tar", &["--no-redact"]), ("d", &["--include-logs"]), ("-", &[])]
    {
        let target = folder.path(name);
        let to = if name == "-" { name } else { &target };
        let dumped = cluster.landed(&[&["dump", "-o", to], options].concat());
        assert_eq!(dumped.status.code(), Some(0), "{name}: {}", stderr(&dumped));
        if name == "-" {
            std::fs::write(&target, &dumped.stdout).expect("written");
        }
        let again = json(&cluster, &["explain", &pod, "-f", &target]);
        for field in ["verdict", "actual", "intended", "causes"] {
            assert_eq!(answer[field], again[field], "{name}: {field}");
        }
    }
    let anonymous = folder.path("anonymous.tar.zst");
    let dumped = cluster.landed(&["dump", "--anonymise", "-o", &anonymous]);
    assert_eq!(dumped.status.code(), Some(0), "{}", stderr(&dumped));
    assert!(stderr(&dumped).contains("the same verdict"), "{}", stderr(&dumped));
    let audit = json(&cluster, &["audit", "-A", "-f", &anonymous]);
    assert_eq!(audit["tally"], json(&cluster, &["audit", "-A"])["tally"]);
    assert!(!audit.to_string().contains(&pod), "{audit}");
}
