//! How long a provisioning pass takes: `cargo bench --bench karpenter --no-default-features`.
//!
//! The first two clusters are those of Karpenter's own benchmark: nothing but pending pods of mixed kinds, without and
//! with preferences. The third is a large cluster in which a few pods wait.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench reads the clock and prints"
)]

use std::time::Instant;

use landed::ingest::snapshot_from_json;
use landed::karpenter::providers::Kwok;
use landed::karpenter::{Batch, Settings, provision};
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
    let size = json!({"cpu": "16", "memory": "64Gi", "pods": "110"});
    json!({"apiVersion": "v1", "kind": "Node",
           "metadata": {"name": name, "uid": name, "labels":
               {HOST: name, ZONE: format!("test-zone-{}", ["a", "b", "c"][index % 3])}},
           "status": {"capacity": size, "allocatable": size}})
}

fn bound(index: usize, nodes: usize) -> Value {
    let name = format!("b-{index:06}");
    json!({"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": name, "namespace": format!("team-{}", index % 20), "uid": name,
                        "labels": {"app": format!("app-{}", index % 1000)}},
           "spec": {"nodeName": format!("n-{:05}", index % nodes), "containers":
               [{"name": "c", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}]},
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

fn measure(what: &str, state: &ClusterState) {
    let (kwok, settings) = (Kwok::built_in(), Settings::default());
    for _ in 0..5 {
        let start = Instant::now();
        let plan = provision(state, &Batch::default(), &kwok, &settings).expect("a plan");
        let took = start.elapsed();
        let claims = plan.outcomes.first().map_or(0, |outcome| outcome.new_node_claims.len());
        let outcomes = plan.outcomes.len();
        println!("{what}: {took:?}, {claims} claims, {outcomes} outcomes followed");
    }
}

fn main() {
    measure("2,000 pods", &batch(2000, false));
    measure("2,000 pods with preferences", &batch(2000, true));
    measure("50 pods, 5,000 nodes, 150,000 pods bound", &large(5000, 150_000, 50));
}
