//! Disruption, asked through its public calls over small clusters: the rules of the specification, one by one.

use landed::ingest::snapshot_from_json;
use landed::karpenter::disruption::{
    Action, Blocked, Decision, Depth, Destination, Disruptions, Memory, NodeDisruption, Reason,
};
use landed::karpenter::providers::Kwok;
use landed::karpenter::{Settings, Version};
use landed::model::cluster_state::ClusterState;
use landed::model::names::NodeClaimName;
use serde_json::{Value, json};

const NOW: &str = "2026-12-01T09:30:00Z";
const TYPE: &str = "node.kubernetes.io/instance-type";

fn merge(mut object: Value, more: Value) -> Value {
    fn into(there: &mut Value, more: Value) {
        match (there, more) {
            (Value::Object(there), Value::Object(more)) => {
                for (key, value) in more {
                    into(there.entry(key).or_insert(Value::Null), value);
                }
            }
            (there, more) => *there = more,
        }
    }
    into(&mut object, more);
    object
}

fn pool(disruption: &Value) -> Value {
    json!({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "p", "uid": "p"},
           "spec": {"disruption": disruption, "template": {"spec": {
               "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
               "requirements": [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}}},
           "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
}

fn consolidated() -> Value {
    pool(&json!({"consolidateAfter": "30s", "budgets": [{"nodes": "100%"}]}))
}

/// A node of the pool with its claim: 16 cpu, on demand, initialized half an hour ago.
fn machine(name: &str, node: Value, claim: Value) -> [Value; 2] {
    let size = json!({"cpu": "16", "memory": "64Gi", "pods": "110"});
    let labels = json!({
        "kubernetes.io/hostname": name, "karpenter.sh/nodepool": "p", TYPE: "m-16x-amd64-linux",
        "topology.kubernetes.io/zone": "test-zone-a", "karpenter.sh/capacity-type": "on-demand",
        "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
        "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"});
    let of_node = json!({"apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "uid": name, "labels": labels},
        "spec": {"providerID": format!("kwok://{name}")},
        "status": {"capacity": size, "allocatable": size,
                   "conditions": [{"type": "Ready", "status": "True"}]}});
    let condition = |kind: &str| {
        json!({"type": kind, "status": "True", "reason": kind,
               "lastTransitionTime": "2026-12-01T09:00:00Z"})
    };
    let of_claim = json!({"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
        "metadata": {"name": format!("{name}-claim"), "uid": format!("{name}-claim"), "labels": labels,
                     "creationTimestamp": "2026-12-01T08:59:00Z"},
        "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                 "expireAfter": "720h"},
        "status": {"providerID": format!("kwok://{name}"), "nodeName": name, "capacity": size,
                   "allocatable": size,
                   "conditions": [condition("Launched"), condition("Registered"), condition("Initialized")]}});
    [merge(of_node, node), merge(of_claim, claim)]
}

fn plain(name: &str) -> [Value; 2] {
    machine(name, json!({}), json!({}))
}

fn pod(name: &str, node: &str, cpu: &str, more: Value) -> Value {
    let pod = json!({"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": name, "namespace": "default", "uid": name, "labels": {"app": name}},
           "spec": {"nodeName": node, "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]},
           "status": {"phase": "Running", "startTime": "2026-12-01T09:10:00Z"}});
    merge(pod, more)
}

fn annotated(key: &str, value: &str) -> Value {
    json!({"metadata": {"annotations": {key: value}}})
}

fn budget(name: &str, app: &str, allowed: i32) -> Value {
    json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
           "metadata": {"name": name, "namespace": "default", "uid": name},
           "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}},
           "status": {"disruptionsAllowed": allowed}})
}

fn cluster(items: impl IntoIterator<Item = Value>) -> ClusterState {
    let items: Vec<Value> = items.into_iter().collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    let mut state = snapshot_from_json(list.to_string().as_bytes()).objects;
    state.at = Some(NOW.parse().expect("a moment"));
    state
}

fn ask_with(state: &ClusterState, settings: &Settings, memory: Memory) -> NodeDisruption {
    let kwok = Kwok::built_in();
    let prepared = Disruptions::new(state, &kwok, settings, memory).expect("all is modelled");
    prepared.assess("n", Depth::Simulated).expect("all is modelled").expect("a node")
}

fn ask(state: &ClusterState) -> NodeDisruption {
    ask_with(state, &Settings::default(), Memory::default())
}

fn of(version: &str) -> Settings {
    Settings::of_version(version.parse::<Version>().expect("a version"))
}

fn decision(found: &NodeDisruption, reason: Reason) -> &Decision {
    let decisions = &found.method(reason).expect("a method").decisions;
    assert_eq!(decisions.len(), 1, "{decisions:?}");
    &decisions[0]
}

#[test]
fn what_bars_a_node_is_told_in_upstreams_words() {
    let moved = |found: Value| pod("a", "n", "1", found);
    let uninitialized = json!({"metadata": {"labels": {"karpenter.sh/initialized": "false"}}});
    let unregistered = json!({"metadata": {"labels":
        {"karpenter.sh/initialized": "false", "karpenter.sh/registered": "false"}}});
    let terminating = json!({"metadata": {"deletionTimestamp": NOW}});
    let do_not_disrupt = "karpenter.sh/do-not-disrupt";
    for (case, machine, more, expected) in [
        ("nothing", plain("n"), vec![], None),
        (
            "not initialized",
            machine("n", uninitialized.clone(), json!({})),
            vec![],
            Some("Node isn't initialized"),
        ),
        (
            "not registered",
            machine("n", unregistered, json!({})),
            vec![],
            Some("Node isn't initialized nor registered"),
        ),
        (
            "terminating",
            machine("n", json!({}), terminating),
            vec![],
            Some("Node is deleting or marked for deletion"),
        ),
        (
            "annotated",
            machine("n", annotated(do_not_disrupt, "true"), json!({})),
            vec![],
            Some("Disruption is blocked through the \"karpenter.sh/do-not-disrupt\" annotation"),
        ),
        (
            "annotated otherwise",
            machine("n", annotated(do_not_disrupt, "1h"), json!({})),
            vec![],
            None,
        ),
        (
            "a pod that stays",
            plain("n"),
            vec![moved(annotated(do_not_disrupt, "true"))],
            Some("Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/a)"),
        ),
        (
            "a DaemonSet's pod that stays",
            plain("n"),
            vec![moved(json!({"metadata": {
                "annotations": {do_not_disrupt: "true"},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "d"}]}}))],
            Some("Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/a)"),
        ),
        (
            "a budget that allows none",
            plain("n"),
            vec![moved(json!({})), budget("b", "a", 0)],
            Some("Pdb prevents pod evictions (PodDisruptionBudget=[default/b])"),
        ),
        ("a budget that allows one", plain("n"), vec![moved(json!({})), budget("b", "a", 1)], None),
        (
            "two budgets",
            plain("n"),
            vec![moved(json!({})), budget("b", "a", 1), budget("c", "a", 1)],
            Some(
                "Eviction does not support multiple PDBs (PodDisruptionBudget=[default/b default/c])",
            ),
        ),
    ] {
        let state = cluster([consolidated()].into_iter().chain(machine).chain(more));
        let found = ask(&state);
        let first = found.barred.first().map(ToString::to_string);
        assert_eq!(first.as_deref(), expected, "{case}");
    }
}

#[test]
fn a_nominated_node_waits_and_says_until_when() {
    let until = "2026-12-01T09:30:12Z".parse().expect("a moment");
    let memory = Memory { nominated: [("n".into(), until)].into(), ..Memory::default() };
    let uninitialized = json!({"metadata": {"labels": {"karpenter.sh/initialized": "false"}}});
    let state = cluster([consolidated()].into_iter().chain(plain("n")));
    let found = ask_with(&state, &Settings::default(), memory.clone());
    assert_eq!(found.barred, [Blocked::Nominated { until }]);
    let empty = found.method(Reason::Empty).expect("a method");
    assert_eq!(empty.earliest, "2026-12-01T09:30:27Z".parse().ok(), "it lapses, then 15 s");
    // Which of the two is told changed with 1.15.
    let state = cluster([consolidated()].into_iter().chain(machine("n", uninitialized, json!({}))));
    let newest = ask_with(&state, &of("1.15"), memory.clone());
    assert_eq!(newest.told()[0].1, "Node isn't initialized");
    let before = ask_with(&state, &of("1.14"), memory);
    assert_eq!(before.told()[0].1, "Node is nominated for a pending pod");
}

#[test]
fn an_empty_node_goes_once_consolidate_after_has_passed() {
    let at = |last: &str| machine("n", json!({}), json!({"status": {"lastPodEventTime": last}}));
    for (case, machine, earliest) in [
        ("long ago", plain("n"), "2026-12-01T09:30:15Z"),
        ("a pod just left", at("2026-12-01T09:29:50Z"), "2026-12-01T09:30:35Z"),
    ] {
        let found = ask(&cluster([consolidated()].into_iter().chain(machine)));
        assert!(found.is_empty, "{case}");
        assert_eq!(
            found.earliest(),
            Some((earliest.parse().expect("a moment"), Some(Reason::Empty))),
            "{case}"
        );
        assert!(matches!(decision(&found, Reason::Empty).action, Action::Delete), "{case}");
        let underutilized = found.method(Reason::Underutilized).expect("a method");
        assert!(underutilized.blocked.contains(&Blocked::Empty), "{case}");
    }
    let never = pool(&json!({"consolidateAfter": "Never"}));
    let found = ask(&cluster([never].into_iter().chain(plain("n"))));
    assert_eq!(found.told()[0].1, "NodePool \"p\" has consolidation disabled");
    assert_eq!(found.earliest().map(|(_, reason)| reason), Some(None), "it only expires");
}

#[test]
fn pods_of_low_priority_alone_leave_a_node_empty_since_1_14() {
    let low = json!({"spec": {"priority": -100_000_000}});
    let state = cluster([consolidated(), pod("a", "n", "1", low)].into_iter().chain(plain("n")));
    assert!(ask(&state).is_empty);
    assert!(!ask_with(&state, &of("1.13"), Memory::default()).is_empty);
}

#[test]
fn a_budget_without_room_blocks_and_a_window_says_when_it_closes() {
    let none = pool(&json!({"consolidateAfter": "30s", "budgets": [{"nodes": "0"}]}));
    let found = ask(&cluster([none].into_iter().chain(plain("n"))));
    let empty = found.method(Reason::Empty).expect("a method");
    assert_eq!(
        empty.blocked[0].to_string(),
        "No allowed disruptions for disruption reason Empty due to blocking budget"
    );
    assert_eq!(empty.earliest, None);
    let morning = pool(&json!({"consolidateAfter": "30s",
        "budgets": [{"nodes": "0", "reasons": ["Empty"], "schedule": "0 9 * * *", "duration": "1h"}]}));
    let found = ask(&cluster([morning].into_iter().chain(plain("n"))));
    let earliest = |reason| found.method(reason).and_then(|method| method.earliest);
    assert_eq!(earliest(Reason::Empty), "2026-12-01T10:00:15Z".parse().ok());
}

#[test]
fn a_node_whose_pods_fit_elsewhere_is_deleted() {
    let items = [consolidated(), pod("a", "n", "1", json!({})), pod("b", "other", "1", json!({}))];
    let state = cluster(items.into_iter().chain(plain("n")).chain(plain("other")));
    let found = ask(&state);
    let decision = decision(&found, Reason::Underutilized);
    assert!(matches!(decision.action, Action::Delete), "{decision:?}");
    let [moved] = &decision.moves[..] else { panic!("one pod moves: {:?}", decision.moves) };
    assert_eq!(
        moved.to,
        Destination::Existing { name: "other".into(), node: Some("other".into()) }
    );
    assert_eq!(decision.savings, found.price);
    assert!(found.price.is_some_and(|price| price > 0.0));
}

#[test]
fn a_node_that_is_too_large_is_replaced_by_cheaper_types_only() {
    let state =
        cluster([consolidated(), pod("a", "n", "1", json!({}))].into_iter().chain(plain("n")));
    let found = ask(&state);
    let decision = decision(&found, Reason::Underutilized);
    let Action::Replace(replacements) = &decision.action else { panic!("{decision:?}") };
    let [only] = &replacements[..] else { panic!("one replaces it") };
    assert!(only.price < found.price && only.worst_price < found.price);
    assert!(only.only_spot, "on demand it could cost more");
    assert!(!only.claim.instance_types.is_empty());
    assert_eq!(decision.moves[0].to, Destination::New(0));
}

#[test]
fn what_consolidation_cannot_do_is_told_in_upstreams_words() {
    let spot = || {
        machine(
            "n",
            json!({"metadata": {"labels": {"karpenter.sh/capacity-type": "spot"}}}),
            json!({}),
        )
    };
    let when_empty = pool(&json!({"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30s"}));
    let pinned = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": "n"}}});
    let full = json!({"spec": {"nodeSelector": {TYPE: "m-16x-amd64-linux", "karpenter.sh/capacity-type": "on-demand"}}});
    let apart = |name: &str| {
        let rule = json!({"metadata": {"labels": {"set": "x"}}, "spec": {"affinity": {"podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "kubernetes.io/hostname",
                "labelSelector": {"matchLabels": {"set": "x"}}}]}}}});
        pod(name, "n", "1", rule)
    };
    for (case, pool, machine, pods, expected) in [
        (
            "only when empty",
            when_empty,
            plain("n"),
            vec![pod("a", "n", "1", json!({}))],
            "NodePool \"p\" has consolidation policy WhenEmpty, but node is not empty",
        ),
        (
            "spot by spot",
            consolidated(),
            spot(),
            vec![pod("a", "n", "1", json!({}))],
            "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
        ),
        (
            "nothing cheaper",
            consolidated(),
            plain("n"),
            vec![pod("a", "n", "10", full)],
            "Can't replace with a cheaper node",
        ),
        (
            "two that must be apart",
            consolidated(),
            plain("n"),
            vec![apart("a"), apart("b")],
            "Can't remove without creating 2 candidates",
        ),
    ] {
        let state = cluster([pool].into_iter().chain(machine).chain(pods));
        let found = ask(&state);
        let told: Vec<String> = found.told().into_iter().map(|(_, text)| text).collect();
        assert!(told.iter().any(|text| text == expected), "{case}: {told:?}");
    }
    let state = cluster([consolidated(), pod("a", "n", "1", pinned)].into_iter().chain(plain("n")));
    let told = ask(&state).told();
    let text = told.iter().map(|(_, text)| text.as_str()).find(|text| text.starts_with("Not all"));
    assert!(
        text.is_some_and(|text| text.starts_with("Not all pods would schedule, default/a => ")),
        "{told:?}"
    );
}

#[test]
fn a_node_that_is_not_initialized_is_no_place_for_the_pods() {
    let young = json!({"metadata": {"labels": {"karpenter.sh/initialized": "false"}}});
    let items = [consolidated(), pod("a", "n", "1", json!({}))];
    let state =
        cluster(items.into_iter().chain(plain("n")).chain(machine("other", young, json!({}))));
    let told = ask(&state).told();
    let expected = "Not all pods would schedule, default/a => would schedule against uninitialized nodeclaim/other-claim, node/other ";
    assert!(told.iter().any(|(_, text)| text == expected), "{told:?}");
}

#[test]
fn since_1_14_a_node_under_consolidate_after_takes_no_pods_that_run_elsewhere() {
    let just_now = json!({"status": {"lastPodEventTime": "2026-12-01T09:29:50Z"}});
    let items = [consolidated(), pod("a", "n", "15", json!({}))];
    let state =
        cluster(items.into_iter().chain(plain("n")).chain(machine("other", json!({}), just_now)));
    let of_version = |version: &str| ask_with(&state, &of(version), Memory::default());
    assert!(!matches!(decision(&of_version("1.15"), Reason::Underutilized).action, Action::Delete));
    assert!(matches!(decision(&of_version("1.13"), Reason::Underutilized).action, Action::Delete));
}

#[test]
fn drift_follows_the_condition_or_the_hashes() {
    let hashes = |hash: &str, version: &str| json!({"metadata": {"annotations": {"karpenter.sh/nodepool-hash": hash, "karpenter.sh/nodepool-hash-version": version}}});
    let told = json!({"status": {"conditions": [{"type": "Drifted", "status": "True",
        "reason": "AMIDrift", "lastTransitionTime": "2026-12-01T09:20:00Z"}]}});
    for (case, claim, expected) in [
        ("the same", hashes("1", "v3"), None),
        ("another hash", hashes("2", "v3"), Some("NodePoolDrifted")),
        ("another way to hash", hashes("2", "v2"), None),
        ("as told", told, Some("AMIDrift")),
    ] {
        let pool = merge(consolidated(), hashes("1", "v3"));
        let state = cluster([pool, pod("a", "n", "1", json!({}))].into_iter().chain(machine(
            "n",
            json!({}),
            claim,
        )));
        let found = ask(&state);
        let reason = found.drift.as_ref().map(|drift| &*drift.reason);
        assert_eq!(reason, expected, "{case}");
        if expected.is_some() {
            let decision = decision(&found, Reason::Drifted);
            assert!(matches!(decision.action, Action::Replace(_)), "{case}: {decision:?}");
        }
    }
}

#[test]
fn drift_does_not_heed_pods_that_stay_where_a_grace_period_ends_them() {
    let kept = pod("a", "n", "1", annotated("karpenter.sh/do-not-disrupt", "true"));
    let drifted = |spec: Value| {
        machine(
            "n",
            json!({}),
            json!({"spec": spec, "status": {"conditions": [
            {"type": "Drifted", "status": "True", "reason": "NodePoolDrifted"}]}}),
        )
    };
    for (spec, goes) in [(json!({"terminationGracePeriod": "1h"}), true), (json!({}), false)] {
        let state = cluster([consolidated(), kept.clone()].into_iter().chain(drifted(spec)));
        let found = ask(&state);
        let earliest = found.method(Reason::Drifted).and_then(|method| method.earliest);
        assert_eq!(earliest.is_some(), goes, "{found:?}");
    }
}

#[test]
fn a_claim_that_is_not_launched_holds_everything_up() {
    let [_, unlaunched] = machine("m", json!({}), json!({"status": {"providerID": ""}}));
    let state = cluster([consolidated(), unlaunched].into_iter().chain(plain("n")));
    assert_eq!(ask(&state).waits_for, [NodeClaimName::from("m-claim")]);
}
