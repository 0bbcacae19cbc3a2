//! How long a provisioning pass takes: `cargo bench --bench karpenter --no-default-features`.
//!
//! The first two clusters are those of Karpenter's own benchmark: nothing but pending pods of mixed kinds, without and
//! with preferences. The third is a large cluster in which a few pods wait.
//!
//! Beside Karpenter itself, on the same files and in the same run (`SHARED` is where the referee's sources are):
//!
//! ```sh
//! (cd $SHARED/oracle/karpenter && go build -o ~/bin/karpenter-oracle .)
//! python3 $SHARED/bench/pending-batch.py --pods 2000 > /tmp/plain.json
//! python3 $SHARED/bench/pending-batch.py --pods 2000 --preferences > /tmp/preferences.json
//! LANDED_ORACLE=~/bin/karpenter-oracle LANDED_BATCHES=/tmp/plain.json:/tmp/preferences.json \
//!     cargo bench --bench karpenter --no-default-features
//! ```
//!
//! Each file is then a line with the pods a second of both, as each counts its own pass, and how many times faster ours
//! is. Ours follows every outcome that chance allows, the referee draws one.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench reads the clock, the environment and files, and prints"
)]

use std::env;
use std::process::Command;
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;
use landed::ingest::snapshot_from_json;
use landed::karpenter::providers::Kwok;
use landed::karpenter::{Batch, Plan, Settings, provision};
use landed::model::cluster_state::ClusterState;
use serde_json::{Value, json};

const ZONE: &str = "topology.kubernetes.io/zone";
const HOST: &str = "kubernetes.io/hostname";

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let place = usize::try_from(self.0 >> 33).unwrap_or_default() % list.len();
        list[place]
    }
}

fn pool() -> Value {
    json!({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "general", "uid": "np"},
           "spec": {"template": {"spec": {
               "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
               "requirements": [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}}},
           "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
}

fn rules(index: usize, preferences: bool, labels: &mut Value, numbers: &mut Numbers) -> Value {
    let kinds = ["a", "b", "c", "d", "e", "f", "g"];
    let own = json!({"matchLabels": {"kind": labels["kind"]}});
    let term = |key: &str, selector: &Value| json!({"topologyKey": key, "labelSelector": selector});
    let spread = |key: &str, when: &str| {
        json!({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": key,
            "whenUnsatisfiable": when, "labelSelector": own}]})
    };
    if preferences {
        let other = json!({"matchLabels": {"kind": numbers.pick(&kinds)}});
        let mut spec = spread(HOST, "ScheduleAnyway");
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        spec["affinity"] = json!({
            "nodeAffinity": {preferred: [{"weight": 1, "preference": {"matchExpressions":
                [{"key": ZONE, "operator": "In", "values": ["nowhere"]}]}}]},
            "podAffinity": {preferred: [{"weight": 1, "podAffinityTerm": term(ZONE, &other)}]},
            "podAntiAffinity": {preferred: [{"weight": 1, "podAffinityTerm": term(HOST, &own)}]}});
        return spec;
    }
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    match index % 7 {
        1 => spread(ZONE, "DoNotSchedule"),
        2 => spread(HOST, "DoNotSchedule"),
        kind @ (3 | 4) => {
            labels["affine"] = json!(numbers.pick(&kinds));
            let selector = json!({"matchLabels": {"affine": labels["affine"]}});
            let key = if kind == 3 { ZONE } else { HOST };
            json!({"affinity": {"podAffinity": {required: [term(key, &selector)]}}})
        }
        5 => {
            labels["app"] = json!("apart");
            let selector = json!({"matchLabels": {"app": "apart"}});
            json!({"affinity": {"podAntiAffinity": {required: [term(HOST, &selector)]}}})
        }
        _ => json!({}),
    }
}

fn pending(index: usize, preferences: bool, numbers: &mut Numbers) -> Value {
    let mut labels = json!({"kind": numbers.pick(&["a", "b", "c", "d", "e", "f", "g"])});
    let mut spec = rules(index, preferences, &mut labels, numbers);
    let cpu = format!("{}m", numbers.pick(&[100, 250, 500, 1000, 1500]));
    let memory = format!("{}Mi", numbers.pick(&[100, 256, 512, 1024, 2048, 4096]));
    spec["containers"] =
        json!([{"name": "c", "resources": {"requests": {"cpu": cpu, "memory": memory}}}]);
    json!({"apiVersion": "v1", "kind": "Pod", "spec": spec,
           "metadata": {"name": format!("p-{index:05}"), "namespace": "default",
                        "uid": format!("p-{index:05}"), "labels": labels},
           "status": {"phase": "Pending", "conditions":
               [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}})
}

fn node(index: usize) -> Value {
    let name = format!("n-{index:05}");
    let capacity_type = ["spot", "on-demand"][index % 2];
    let size = json!({"cpu": "16", "memory": "64Gi", "pods": "110", "ephemeral-storage": "100Gi"});
    json!({"apiVersion": "v1", "kind": "Node",
           "metadata": {"name": name, "uid": name, "labels":
               {HOST: name, ZONE: format!("test-zone-{}", ["a", "b", "c"][index % 3]),
                "topology.kubernetes.io/region": "test", "node.kubernetes.io/instance-type": "m-16x-amd64-linux",
                "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "karpenter.sh/nodepool": "general",
                "karpenter.sh/capacity-type": capacity_type,
                "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true",
                "karpenter.kwok.sh/instance-family": "m", "karpenter.kwok.sh/instance-cpu": "16"}},
           "spec": {"providerID": format!("kwok://{name}")},
           "status": {"capacity": size, "allocatable": size}})
}

/// A pod that runs; what it asks for is nearly its own, as no two real ones are quite alike.
fn bound(index: usize, nodes: usize) -> Value {
    let name = format!("b-{index:06}");
    let cpu = format!("{}m", 400 + index * 7 % 120);
    let memory = format!("{}Mi", 900 + index * 13 % 700);
    json!({"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": name, "namespace": format!("team-{}", index % 20), "uid": name,
                        "labels": {"app": format!("app-{}", index % 1000)}},
           "spec": {"nodeName": format!("n-{:05}", index % nodes), "containers":
               [{"name": "c", "resources": {"requests": {"cpu": cpu, "memory": memory}}}]},
           "status": {"phase": "Running"}})
}

fn cluster(items: &[Value]) -> ClusterState {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    snapshot_from_json(list.to_string().as_bytes()).objects
}

fn batch(pods: usize, preferences: bool) -> ClusterState {
    let mut numbers = Numbers(1);
    let waiting = (0..pods).map(|index| pending(index, preferences, &mut numbers));
    cluster(&std::iter::once(pool()).chain(waiting).collect::<Vec<_>>())
}

fn large(nodes: usize, pods: usize, waiting: usize) -> ClusterState {
    let mut numbers = Numbers(1);
    let mut items = vec![pool()];
    items.extend((0..nodes).map(node));
    items.extend((0..pods).map(|index| bound(index, nodes)));
    items.extend((0..waiting).map(|index| pending(index, false, &mut numbers)));
    cluster(&items)
}

fn pass(state: &ClusterState) -> Plan {
    let (kwok, settings) = (Kwok::built_in(), Settings::default());
    provision(state, &Batch::default(), &kwok, &settings).expect("a plan")
}

/// Nothing but pending pods; `true`: with preferences, which are given up one by one.
#[divan::bench(args = [false, true], sample_count = 5, sample_size = 1)]
fn two_thousand_pods(bencher: Bencher, preferences: bool) {
    let state = batch(2000, preferences);
    bencher.counter(ItemsCount::new(2000_usize)).bench(|| pass(&state));
}

/// 50 pending pods in a cluster of 5,000 nodes and 150,000 pods, which is loaded before.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn fifty_pods_in_a_large_cluster(bencher: Bencher) {
    let state = large(5000, 150_000, 50);
    bencher.counter(ItemsCount::new(50_usize)).bench(|| pass(&state));
}

fn main() {
    divan::main();
    let files = env::var("LANDED_BATCHES").unwrap_or_default();
    files.split(':').filter(|file| !file.is_empty()).for_each(beside_karpenter);
}

/// Prints what a file takes us, and what it takes Karpenter.
fn beside_karpenter(file: &str) {
    let bytes = std::fs::read(file).expect("a batch");
    let state = snapshot_from_json(&bytes).objects;
    let waiting = u32::try_from(state.pods.len()).expect("fewer pods");
    let ours = (0..5)
        .map(|_| {
            let start = Instant::now();
            pass(&state);
            start.elapsed().as_secs_f64()
        })
        .fold(f64::MAX, f64::min);
    let ours = f64::from(waiting) / ours;
    print!("{file}: {ours:.0} pods/s");
    if let Some(theirs) = env::var_os("LANDED_ORACLE").map(|oracle| karpenter(&oracle, file)) {
        let theirs = f64::from(waiting) / theirs;
        print!(", Karpenter {theirs:.0} pods/s, {:.0} times", ours / theirs);
    }
    println!();
}

/// How long Karpenter's own pass took, in seconds.
fn karpenter(oracle: &std::ffi::OsStr, file: &str) -> f64 {
    let answered =
        Command::new(oracle).args(["-snapshot", file]).output().expect("the referee runs");
    let told = String::from_utf8_lossy(&answered.stderr).into_owned();
    let seconds = told.lines().find_map(|line| {
        line.strip_prefix("scheduled in ")?.strip_suffix(" s")?.parse::<f64>().ok()
    });
    seconds.unwrap_or_else(|| panic!("the referee said: {told}"))
}
