//! A small EKS cluster, as kubectl shows it: the provider's model needs nothing besides.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

use std::collections::BTreeSet;
use std::sync::Arc;

use landed::ingest::snapshot_from_json;
use landed::instance_types::{Options, Provided, ProviderKind, provider_for};
use landed::karpenter::{Batch, Settings, provision};
use landed::model::cluster_state::ClusterState;
use landed::model::instance_type::InstanceType;
use landed::model::labels;
use landed::model::meta::Condition;
use landed::model::nodepool::NodeRequirement;
use landed::model::pod::{Phase, Pod};
use landed::model::quantity::Quantity;
use landed::model::snapshot::Snapshot;
use landed::model::time::Timestamp;
use serde_json::json;

/// The cluster without the kinds named.
fn cluster(without: &[&str]) -> Snapshot {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/instance_types/eks/cluster.json");
    let text = std::fs::read(path).expect("the cluster");
    let mut list: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let items = list["items"].as_array_mut().expect("a list");
    items.retain(|item| !without.iter().any(|kind| item["kind"] == **kind));
    snapshot_from_json(list.to_string().as_bytes())
}

fn at(moment: &str) -> Options {
    let at: Timestamp = moment.parse().expect("a moment");
    Options { at: Some(at), ..Options::default() }
}

fn types(snapshot: &Snapshot, provided: &Provided) -> Vec<Arc<InstanceType>> {
    let pool = &snapshot.objects.node_pools[0];
    let class = snapshot.objects.node_classes.first();
    provided.provider.instance_types(pool, class.map(|class| &**class))
}

fn amount(types: &[Arc<InstanceType>], name: &str, resource: &str) -> String {
    let found = types.iter().find(|it| it.name.as_str() == name).expect("a type");
    let overhead = &found.overhead;
    let kept = [&overhead.kube_reserved, &overhead.system_reserved, &overhead.eviction_threshold];
    let kept = kept.iter().map(|kept| kept.amount(resource));
    let free = kept.fold(found.capacity.amount(resource), Quantity::minus);
    format!("{} {free}", found.capacity.amount(resource))
}

#[test]
fn real_labels_are_enough() {
    let snapshot = cluster(&[]);
    let provided = provider_for(&snapshot, &Options::default());
    assert_eq!(provided.kind, ProviderKind::Aws);
    let told: Vec<String> = provided.sources.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "status of NodeClaims: RESERVED_ENIS 0",
            "status of NodeClaims: 2 instance types agree with the formulas",
            "nodes: memory of c6i.xlarge, m6i.large as seen on machines",
            "NodeClasses: settings of 1 EC2NodeClass",
            "built-in table of AWS (2026-07-11): facts of 1363 instance types",
            "built-in table of prices in us-east-1 (2026-07-20): on-demand prices an hour in USD, an estimate",
        ]
    );
    let assumed: Vec<&str> = provided.gaps.iter().map(|gap| gap.subject.as_str()).collect();
    assert_eq!(
        assumed,
        ["settings of Karpenter", "usage classes", "spot prices", "zones of instance types"]
    );
}

#[test]
fn before_the_first_machine_the_formula_rules_and_then_the_truth() {
    let snapshot = cluster(&[]);
    for (moment, expected) in [
        // What the launch of 10:00:04 shows.
        ("2026-07-20T10:00:01Z", "7577Mi 6584Mi"),
        // The machine was registered at 10:00:31: of its 8192Mi it shows 7786Mi.
        ("2026-07-20T10:20:01Z", "7786Mi 6793Mi"),
    ] {
        let provided = provider_for(&snapshot, &at(moment));
        let types = types(&snapshot, &provided);
        assert_eq!(amount(&types, "c6i.xlarge", "memory"), expected, "{moment}");
        assert_eq!(amount(&types, "m6i.large", "memory"), "7577Mi 6903Mi", "{moment}");
        assert_eq!(amount(&types, "m6i.large", "ephemeral-storage"), "80Gi 71Gi", "{moment}");
    }
}

#[test]
fn a_missing_node_class_shows_in_its_node_claims() {
    let snapshot = cluster(&["EC2NodeClass"]);
    let provided = provider_for(&snapshot, &at("2026-07-20T10:20:01Z"));
    let class = provided.gaps.iter().find(|gap| gap.subject == "ec2nodeclass/default");
    assert_eq!(
        class.map(|gap| gap.detail.as_str()),
        Some("it is not in the input: 2 of its NodeClaims' 2 agree with family AL2023")
    );
    // Also of a type that no NodeClaim has: the disk is the NodeClass's, not the default.
    let types = types(&snapshot, &provided);
    assert_eq!(amount(&types, "r7i.2xlarge", "ephemeral-storage"), "80Gi 71Gi");
    let zones: Vec<_> = types[0].offerings.iter().flat_map(|it| &it.requirements).collect();
    assert!(zones.iter().any(|it| it.values.iter().any(|zone| &**zone == "us-east-1a")));
}

#[test]
fn a_type_that_no_list_has_could_not_be_had() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/instance_types/eks/cluster.json");
    let text = std::fs::read_to_string(path).expect("the cluster");
    // As if the region had no m7i.large: both NodeClaims that should list it do not.
    let without = text.replace("\"m7i.large\",", "").replace("\"m7i.xlarge\",", "");
    assert_ne!(text, without);
    let snapshot = snapshot_from_json(without.as_bytes());
    let provided = provider_for(&snapshot, &Options::default());
    let types = types(&snapshot, &provided);
    // What on-demand NodeClaims lack may still be had as spot.
    let can_be_had = |name: &str| {
        let found = types.iter().find(|it| it.name.as_str() == name).expect("a type");
        let is_spot = |it: &NodeRequirement| it.values.iter().any(|value| &**value == "spot");
        let (spot, on_demand): (Vec<_>, Vec<_>) =
            found.offerings.iter().partition(|it| it.requirements.iter().any(is_spot));
        assert!(spot.iter().all(|offering| offering.available), "{name}");
        on_demand.iter().any(|offering| offering.available)
    };
    assert!(!can_be_had("m7i.large"));
    assert!(!can_be_had("m7i.xlarge"));
    assert!(can_be_had("m7i.2xlarge"));
    assert!(can_be_had("m7i-flex.large"));
    let told = provided.sources.iter().any(|source| {
        source.gave == "that m7i.large, m7i.xlarge could not be had: their lists lack it"
    });
    assert!(told, "{:?}", provided.sources);
}

/// The cluster with other numbers in its NodeClaims' status.
fn cluster_with(numbers: &[(&str, &str, &str)]) -> Snapshot {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/instance_types/eks/cluster.json");
    let text = std::fs::read(path).expect("the cluster");
    let mut list: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    for item in list["items"].as_array_mut().expect("a list") {
        for (claim, field, amount) in numbers {
            if item["kind"] == "NodeClaim" && item["metadata"]["name"] == *claim {
                let (list, resource) = field.split_once('.').expect("list.resource");
                item["status"][list][resource] = (*amount).into();
            }
        }
    }
    snapshot_from_json(list.to_string().as_bytes())
}

#[test]
fn node_claims_tell_how_karpenter_was_set_up() {
    let (first, second) = ("general-k2v8x", "general-q7m4z");
    let reserved = cluster_with(&[
        (first, "capacity.pods", "44"),
        (first, "allocatable.pods", "44"),
        (second, "capacity.pods", "20"),
        (second, "allocatable.pods", "20"),
    ]);
    let provided = provider_for(&reserved, &Options::default());
    assert!(provided.sources.iter().any(|it| it.gave == "RESERVED_ENIS 1"));
    assert_eq!(amount(&types(&reserved, &provided), "r7i.2xlarge", "pods"), "44 44");

    // 6 % of 8192Mi, rounded up, is 492Mi.
    let overhead = cluster_with(&[
        (first, "capacity.memory", "7700Mi"),
        (first, "allocatable.memory", "6707Mi"),
        (second, "capacity.memory", "7700Mi"),
        (second, "allocatable.memory", "7026Mi"),
    ]);
    let provided = provider_for(&overhead, &Options::default());
    let told = "VM_MEMORY_OVERHEAD_PERCENT 0.06 and RESERVED_ENIS 0";
    assert!(provided.sources.iter().any(|it| it.gave == told), "{:?}", provided.sources);
    assert!(amount(&types(&overhead, &provided), "r7i.2xlarge", "memory").starts_with("61603Mi"));
}

#[test]
fn a_node_claim_that_differs_from_the_formulas_is_right() {
    // As if the kubelet kept 500m and the disk were another: the NodeClass was changed since.
    let changed = cluster_with(&[
        ("general-q7m4z", "allocatable.cpu", "1500m"),
        ("general-q7m4z", "capacity.ephemeral-storage", "100Gi"),
        ("general-q7m4z", "allocatable.ephemeral-storage", "89Gi"),
    ]);
    let provided = provider_for(&changed, &at("2026-07-20T10:20:01Z"));
    let types = types(&changed, &provided);
    assert_eq!(amount(&types, "m6i.large", "cpu"), "2 1500m");
    assert_eq!(amount(&types, "m6i.large", "ephemeral-storage"), "100Gi 89Gi");
    assert_eq!(amount(&types, "m6i.large", "memory"), "7577Mi 6903Mi");
    let told = "their own numbers of m6i.large, where the formulas differ";
    assert!(provided.sources.iter().any(|it| it.gave == told), "{:?}", provided.sources);
}

#[test]
fn what_the_user_says_cannot_be_had_is_not_offered() {
    let snapshot = cluster(&[]);
    let flag = "m5.large/us-east-1a".parse().expect("an offering");
    let options = Options { unavailable: vec![flag], ..Options::default() };
    let provided = provider_for(&snapshot, &options);
    let types = types(&snapshot, &provided);
    let found = types.iter().find(|it| it.name.as_str() == "m5.large").expect("a type");
    let gone: Vec<_> = found.offerings.iter().filter(|offering| !offering.available).collect();
    // On demand and as spot.
    assert_eq!(gone.len(), 2);
}

/// The cluster as it was before its second NodeClaim: two pods wait.
fn before_the_second_launch(snapshot: &Snapshot) -> ClusterState {
    let mut state = snapshot.objects.clone();
    state.at = "2026-07-20T10:20:01Z".parse().ok();
    state.node_claims.retain(|claim| &*claim.meta.name != "general-q7m4z");
    state.nodes.retain(|node| node.meta.labels.value(labels::INSTANCE_TYPE) != Some("m6i.large"));
    let gone: Vec<Arc<Pod>> = state.pods.clone();
    state.pods = gone
        .into_iter()
        .filter(|pod| {
            let node = pod.node_name.as_ref();
            let is_daemon = pod.meta.controller().is_some_and(|owner| &*owner.kind == "DaemonSet");
            !is_daemon || node.is_some_and(|node| state.node(node).is_some())
        })
        .map(|pod| {
            let mut pod = Pod::clone(&pod);
            if pod.node_name.as_ref().is_some_and(|node| state.node(node).is_none()) {
                pod.node_name = None;
                pod.status.phase = Phase::Pending;
                pod.status.conditions = [Condition {
                    kind: "PodScheduled".into(),
                    status: "False".into(),
                    reason: "Unschedulable".into(),
                    message: "".into(),
                    changed: None,
                    observed_generation: None,
                }]
                .into();
            }
            Arc::new(pod)
        })
        .collect();
    state
}

/// The NodeClaim's list was worked out apart from the program (`eks/make.py`), from the same documented formulas.
#[test]
fn the_replay_gives_the_list_of_the_node_claim() {
    let snapshot = cluster(&[]);
    let provided = provider_for(&snapshot, &Options::default());
    let state = before_the_second_launch(&snapshot);
    let settings = Settings::default();
    let plan =
        provision(&state, &Batch::default(), &*provided.provider, &settings).expect("a plan");
    let [outcome] = &plan.outcomes[..] else { panic!("one outcome: {}", plan.outcomes.len()) };
    let [claim] = &outcome.new_node_claims[..] else { panic!("one claim: {outcome:?}") };
    let pods: Vec<String> = claim.pods.iter().map(ToString::to_string).collect();
    assert_eq!(pods, ["shop/cart-0", "shop/cart-1"]);
    let made = &snapshot.objects.node_claims.iter();
    let made = made.clone().find(|it| &*it.meta.name == "general-q7m4z").expect("the NodeClaim");
    assert_eq!(claim.requests.to_string(), made.requests.to_string());
    let is_type = |it: &&NodeRequirement| &*it.key == labels::INSTANCE_TYPE;
    let listed = made.requirements.iter().find(is_type).expect("a list");
    let listed: BTreeSet<&str> = listed.values.iter().map(|name| &**name).collect();
    let planned: BTreeSet<&str> = claim.instance_types.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(planned, listed);
    // On demand, the cheapest pool that has capacity, in each of the three zones; m6i.large is one of many.
    let launches = provided.provider.launches(claim, &claim.instance_types);
    let first: Vec<&str> =
        launches.iter().take(3).map(|launch| launch.instance_type.as_str()).collect();
    assert_eq!(first, ["m5a.large", "m5a.large", "m5a.large"]);
    assert!(launches.iter().any(|launch| launch.instance_type.as_str() == "m6i.large"));
}

/// A cluster of one NodePool and one NodeClaim of a provider.
fn one_claim(group: &str, kind: &str, claim: &serde_json::Value) -> Snapshot {
    let reference = json!({"group": group, "kind": kind, "name": "default"});
    let mut claim = claim.clone();
    claim["apiVersion"] = "karpenter.sh/v1".into();
    claim["kind"] = "NodeClaim".into();
    claim["spec"] = json!({"nodeClassRef": reference, "requirements": []});
    let pool = json!({
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "general"},
        "spec": {"template": {"spec": {"nodeClassRef": reference, "requirements": []}}}
    });
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [pool, claim]});
    snapshot_from_json(list.to_string().as_bytes())
}

#[test]
fn azure_is_known_by_its_own_formulas() {
    let claim = json!({
        "metadata": {"name": "general-1", "labels": {
            "karpenter.sh/nodepool": "general", "node.kubernetes.io/instance-type": "Standard_D4s_v5",
            "topology.kubernetes.io/zone": "westeurope-1", "karpenter.sh/capacity-type": "on-demand"}},
        "status": {"providerID": "azure:///x",
                   "capacity": {"cpu": "4", "memory": "15891378995", "pods": "110", "ephemeral-storage": "128G"},
                   "allocatable": {"cpu": "3860m", "memory": "12313611059", "pods": "110",
                                   "ephemeral-storage": "128G"}}
    });
    let snapshot = one_claim("karpenter.azure.com", "AKSNodeClass", &claim);
    let options = Options { region: Some("westeurope".into()), ..Options::default() };
    let provided = provider_for(&snapshot, &options);
    assert_eq!(provided.kind, ProviderKind::Azure);
    let types = types(&snapshot, &provided);
    // 110 pods a node, as the NodeClaim shows; also of sizes that no NodeClaim has.
    assert_eq!(amount(&types, "Standard_D2s_v5", "pods"), "110 110");
    let found = types.iter().find(|it| it.name.as_str() == "Standard_D2s_v5").expect("a size");
    let series = found.requirements.iter().find(|it| &*it.key == "karpenter.azure.com/sku-series");
    assert_eq!(series.map(|it| &*it.values[0]), Some("Ds_v5"));
    // One zone seen, and the region as a whole, each on demand and as spot.
    assert_eq!(found.offerings.len(), 4);
    assert!(!types.iter().any(|it| it.name.as_str().starts_with("Standard_DC")));
}

#[test]
fn another_provider_is_known_by_its_node_claims_alone() {
    let claim = json!({
        "metadata": {"name": "general-1", "labels": {
            "karpenter.sh/nodepool": "general", "node.kubernetes.io/instance-type": "n2-standard-4",
            "topology.kubernetes.io/zone": "europe-west1-b", "karpenter.sh/capacity-type": "spot",
            "kubernetes.io/arch": "amd64", "karpenter.k8s.gcp/instance-family": "n2"}},
        "status": {"providerID": "gce:///x", "capacity": {"cpu": "4", "memory": "15Gi", "pods": "110"},
                   "allocatable": {"cpu": "3800m", "memory": "12Gi", "pods": "110"}}
    });
    let snapshot = one_claim("karpenter.k8s.gcp", "GCENodeClass", &claim);
    let provided = provider_for(&snapshot, &Options::default());
    assert_eq!(provided.kind, ProviderKind::Other);
    let types = types(&snapshot, &provided);
    assert_eq!(amount(&types, "n2-standard-4", "cpu"), "4 3800m");
    assert!(provided.gaps.iter().any(|gap| gap.detail.contains("the true list is longer")));
    let family = "karpenter.k8s.gcp/instance-family";
    assert!(provided.provider.well_known_labels().iter().any(|key| &**key == family));
}
