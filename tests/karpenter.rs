//! The replay of a provisioning pass, asked through its public calls over small clusters.

#![expect(clippy::disallowed_methods, reason = "tests read the recordings")]

#[path = "karpenter/disruption.rs"]
mod disruption;
#[path = "karpenter/recorded_disruption.rs"]
mod recorded_disruption;

use landed::ingest::snapshot_from_json;
use landed::karpenter::providers::Kwok;
use landed::karpenter::{
    Batch, Candidate, CandidateVerdict, Change, Limits, NarrowingStep, Plan, Refusal, Relaxation,
    Rule, Settings, Tracing, provision, what_if,
};
use landed::model::cluster_state::ClusterState;
use landed::model::names::PodKey;
use serde_json::{Value, json};

const ZONE: &str = "topology.kubernetes.io/zone";

fn pool(name: &str) -> Value {
    json!({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name, "uid": name},
           "spec": {"template": {"spec": {
               "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
               "requirements": [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}}},
           "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
}

/// A pending pod with parts of its spec.
fn pod(name: &str, spec: &Value) -> Value {
    let mut spec = spec.clone();
    spec["containers"] = json!([{"name": "c", "resources": {"requests": {"cpu": "1"}}}]);
    json!({"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": name, "namespace": "default", "uid": name, "labels": {"app": name}},
           "spec": spec,
           "status": {"phase": "Pending", "conditions":
               [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}})
}

fn node(name: &str, zone: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Node",
           "metadata": {"name": name, "uid": name, "labels": {ZONE: zone, "kubernetes.io/hostname": name}},
           "status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"},
                      "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
}

fn cluster(items: &[Value]) -> ClusterState {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    snapshot_from_json(list.to_string().as_bytes()).objects
}

fn key(name: &str) -> PodKey {
    PodKey::new("default", name)
}

fn plan(state: &ClusterState, batch: &Batch) -> Plan {
    provision(state, batch, &Kwok::built_in(), &Settings::default()).expect("a plan")
}

fn prefers_zone(zone: &str) -> Value {
    json!({"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "preference": {"matchExpressions":
            [{"key": ZONE, "operator": "In", "values": [zone]}]}}]}}})
}

fn spread_over_zones() -> Value {
    json!({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "a"}}}]})
}

#[test]
fn the_first_node_with_room_takes_the_pod() {
    let state = cluster(&[pool("p"), node("n2", "z"), node("n1", "z"), pod("a", &json!({}))]);
    let plan = plan(&state, &Batch::default());
    assert!(plan.is_certain());
    assert_eq!(plan.outcomes[0].placement(&key("a")), Some(Candidate::ExistingNode("n1".into())));
}

#[test]
fn a_preference_that_cannot_hold_is_given_up_and_the_trace_says_where_it_stood_in_the_way() {
    let state = cluster(&[pool("p"), node("n1", "z"), pod("a", &prefers_zone("nowhere"))]);
    let batch = Batch { tracing: Tracing::All, ..Batch::default() };
    let plan = plan(&state, &batch);
    let outcome = &plan.outcomes[0];
    assert!(matches!(outcome.relaxations[..], [(_, Relaxation::PreferredNodeAffinityTerm(_))]));
    let attempts = &outcome.trace[&key("a")];
    assert_eq!(attempts.len(), 2);
    let CandidateVerdict::Refuses(refusal) = &attempts[0].candidates[0].1 else {
        panic!("the node does not have the zone");
    };
    assert!(matches!(**refusal, Refusal::Requirements(_)), "{refusal}");
    assert_eq!(attempts[1].relaxed.len(), 1);
    assert!(matches!(attempts[1].candidates[..], [(_, CandidateVerdict::Takes(_))]));
}

#[test]
fn without_the_preference_nothing_is_given_up() {
    let state = cluster(&[pool("p"), node("n1", "z"), pod("a", &prefers_zone("nowhere"))]);
    let (kwok, settings, batch) = (Kwok::built_in(), Settings::default(), Batch::default());
    for change in [
        Change::WithoutRule(key("a"), Rule::PreferredNodeAffinityTerm(0)),
        Change::PreferencesIgnored,
    ] {
        let plan = what_if(&state, &batch, &kwok, &settings, &change).expect("a plan");
        let outcome = &plan.outcomes[0];
        assert_eq!(
            outcome.placement(&key("a")),
            Some(Candidate::ExistingNode("n1".into())),
            "{change:?}"
        );
    }
    let gone = Change::WithoutNode("n1".into());
    let plan = what_if(&state, &batch, &kwok, &settings, &gone).expect("a plan");
    assert_eq!(plan.outcomes[0].new_node_claims.len(), 1);
}

#[test]
fn every_zone_that_ties_is_an_outcome_until_the_limit() {
    let state = cluster(&[pool("p"), pod("a", &spread_over_zones())]);
    let all = plan(&state, &Batch::default());
    assert_eq!((all.outcomes.len(), all.capped), (4, false));
    let first = plan(&state, &Batch { limits: Limits::FIRST, ..Batch::default() });
    assert_eq!((first.outcomes.len(), first.capped), (1, true));
}

#[test]
fn the_trace_of_a_new_claim_tells_the_zone_that_the_spread_chose() {
    let state = cluster(&[pool("p"), pod("a", &spread_over_zones())]);
    let limits = Limits::FIRST;
    let batch = Batch { tracing: Tracing::All, limits, ..Batch::default() };
    let plan = plan(&state, &batch);
    let attempt = &plan.outcomes[0].trace[&key("a")][0];
    let Some((Candidate::New(_), CandidateVerdict::Takes(steps))) = attempt.candidates.last()
    else {
        panic!("a new claim takes the pod");
    };
    let topology = steps.iter().find(|step| step.step == NarrowingStep::Topology);
    assert_eq!(&*topology.expect("a topology step").requirements[0].values[0], "test-zone-a");
    assert_eq!(steps.last().and_then(|step| step.remaining_types), Some(66));
}

#[test]
fn alone_a_pod_does_not_meet_the_others() {
    let apart = json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": ZONE, "labelSelector": {"matchExpressions":
            [{"key": "app", "operator": "Exists"}]}}]}}});
    let state = cluster(&[pool("p"), pod("a", &apart), pod("b", &apart)]);
    let together = plan(&state, &Batch::default());
    assert_eq!(together.outcomes[0].pod_errors.len(), 1);
    let (kwok, settings) = (Kwok::built_in(), Settings::default());
    for name in ["a", "b"] {
        let change = Change::Alone(key(name));
        let plan = what_if(&state, &Batch::default(), &kwok, &settings, &change).expect("a plan");
        assert!(plan.outcomes[0].pod_errors.is_empty(), "{name}");
    }
}
