//! A small EKS cluster, as kubectl shows it: the provider's model needs nothing besides.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

use std::sync::Arc;

use landed::ingest::snapshot_from_json;
use landed::instance_types::{Options, Provided, ProviderKind, provider_for};
use landed::model::instance_type::InstanceType;
use landed::model::snapshot::Snapshot;
use landed::model::time::Timestamp;

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
    let free = kept.fold(found.capacity.amount(resource), |free, kept| free.minus(kept));
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
    let can_be_had = |name: &str| {
        let found = types.iter().find(|it| it.name.as_str() == name).expect("a type");
        found.offerings.iter().any(|offering| offering.available)
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
