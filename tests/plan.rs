//! What `simulate` predicts for the manifests of recorded scenarios is what the real cluster launched.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use landed::check::{
    Configuration, Examination, Examined, File, Forecast, RULES, SchedulerSetup, Surroundings,
    Wanted, examine, forecast,
};
use landed::karpenter::PreferencePolicy;
use landed::karpenter::providers::Kwok;

/// A scenario and the nodes that Karpenter launched in it for the pods as they came.
struct Scenario {
    folder: &'static str,
    files: &'static [&'static str],
    /// Pods of each workload, where the scenario scales it.
    replicas: Option<i64>,
    /// Launched in the first pass: how many of which NodePool, type and capacity type.
    first: &'static [(usize, &'static str)],
}

const BOTH: &[&str] = &["pools.yaml", "workload.yaml"];

const SCENARIOS: [Scenario; 12] = [
    Scenario {
        folder: "01-soft-zone-spread",
        files: BOTH,
        replicas: None,
        first: &[
            (1, "zone-a c-8x-amd64-linux on-demand"),
            (1, "zone-b c-8x-amd64-linux on-demand"),
            (1, "zone-c c-8x-amd64-linux on-demand"),
        ],
    },
    Scenario {
        folder: "01b-soft-zone-spread-one-pool",
        files: BOTH,
        replicas: None,
        first: &[(4, "general c-2x-amd64-linux on-demand")],
    },
    Scenario {
        folder: "01c-soft-zone-spread-relaxed",
        files: BOTH,
        replicas: None,
        first: &[
            (1, "zone-a c-8x-amd64-linux on-demand"),
            (1, "zone-b c-4x-amd64-linux on-demand"),
        ],
    },
    Scenario {
        folder: "03-preferred-anti-affinity",
        files: BOTH,
        replicas: None,
        first: &[(1, "quick c-8x-amd64-linux on-demand"), (4, "slow c-4x-amd64-linux on-demand")],
    },
    Scenario {
        folder: "03b-preferred-anti-affinity-one-pool",
        files: BOTH,
        replicas: None,
        first: &[(5, "general c-4x-amd64-linux on-demand")],
    },
    Scenario {
        folder: "04-mid-launch-race",
        files: &["pools.yaml", "base.yaml", "late.yaml"],
        replicas: None,
        first: &[(2, "general c-4x-amd64-linux on-demand")],
    },
    Scenario {
        folder: "05-binpack-mismatch",
        files: BOTH,
        replicas: None,
        first: &[(6, "general c-4x-amd64-linux on-demand")],
    },
    Scenario {
        folder: "07-hard-zone-spread",
        files: BOTH,
        replicas: Some(3),
        first: &[(3, "general c-4x-amd64-linux on-demand")],
    },
    Scenario {
        folder: "08-limits-and-no-match",
        files: BOTH,
        replicas: None,
        first: &[(2, "limited c-4x-amd64-linux on-demand")],
    },
    Scenario {
        folder: "08b-limit-hides-other-reasons",
        files: BOTH,
        replicas: None,
        first: &[(2, "general c-4x-amd64-linux on-demand")],
    },
    Scenario {
        folder: "12-volume-topology",
        files: &["pools.yaml", "storage.yaml", "workload.yaml"],
        replicas: None,
        first: &[
            (2, "general c-4x-amd64-linux on-demand"),
            (1, "two-zones c-4x-amd64-linux on-demand"),
        ],
    },
    Scenario {
        folder: "16-large",
        files: &["pools.yaml", "wave1.yaml"],
        replicas: None,
        first: &[(15, "general c-8x-amd64-linux spot"), (2, "overflow c-8x-amd64-linux on-demand")],
    },
];

fn path(name: &str) -> String {
    format!("{}/tests/plan/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn kwok() -> Kwok {
    let packed = std::fs::read(path("instance-types.json.gz")).expect("instance types");
    let mut json = Vec::new();
    flate2::read::GzDecoder::new(&*packed).read_to_end(&mut json).expect("instance types");
    Kwok::new(&landed::ingest::instance_types(&json).expect("instance types"))
}

fn examined(scenario: &Scenario, more: Option<File>) -> Examined {
    let files = scenario.files.iter().map(|name| {
        let name = format!("{}/{name}", scenario.folder);
        File { text: std::fs::read_to_string(path(&name)).expect("a manifest"), name }
    });
    examine(Examination {
        files: files.chain(more).collect(),
        namespace: "default".into(),
        surroundings: Surroundings { provider: Some(Arc::new(kwok())), ..Surroundings::default() },
        configuration: Configuration {
            rules: RULES.iter().map(|rule| (rule.code.to_owned(), None)).collect(),
            ..Configuration::default()
        },
        baseline: None,
    })
}

fn predicted(scenario: &Scenario, policy: PreferencePolicy) -> Forecast {
    predicted_with(scenario, None, policy)
}

fn predicted_with(scenario: &Scenario, more: Option<File>, policy: PreferencePolicy) -> Forecast {
    let examined = examined(scenario, more);
    assert_eq!(examined.unreadable, []);
    let templates = examined.context.templates.iter().filter(|template| template.is_to_place());
    let wanted: Vec<Wanted<'_>> = templates
        .map(|template| Wanted {
            template,
            replicas: scenario.replicas.unwrap_or(template.replicas),
        })
        .collect();
    forecast(&examined.context, &wanted, policy, &SchedulerSetup::default()).expect("a forecast")
}

fn scenario(folder: &str) -> &'static Scenario {
    SCENARIOS.iter().find(|scenario| scenario.folder == folder).expect(folder)
}

#[test]
fn the_nodes_of_the_first_pass_are_those_that_were_launched() {
    let mut wrong = Vec::new();
    for scenario in &SCENARIOS {
        let forecast = predicted(scenario, PreferencePolicy::Respect);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for node in forecast.nodes.iter().filter(|node| node.pass == 0) {
            let capacity_type = node.capacity_type.as_deref().unwrap_or("?");
            *counts
                .entry(format!("{} {} {capacity_type}", node.node_pool, node.instance_type))
                .or_default() += 1;
        }
        let expected: BTreeMap<String, usize> =
            scenario.first.iter().map(|(count, what)| ((*what).to_owned(), *count)).collect();
        if counts != expected {
            wrong.push(format!("{}: {counts:?} instead of {expected:?}", scenario.folder));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The pods of `05-binpack-mismatch` in the order in which the recording's watch saw them.
const ORDER: &str = "small mid small mid small mid big mid big mid mid small small small small big wide big small big \
                     small small wide wide";

#[test]
fn a_node_more_is_launched_for_what_kube_scheduler_packs_differently() {
    let size = |name: &str| match name {
        "small" => ("300m", "512Mi"),
        "mid" => ("1100m", "1Gi"),
        "big" => ("2300m", "2Gi"),
        _ => ("200m", "3Gi"),
    };
    let pods = ORDER.split_whitespace().enumerate().map(|(index, name)| {
        let (cpu, memory) = size(name);
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}-{index:02}}}\nspec:\n  containers:\n  - {{name: main, image: x, resources: {{requests: {{cpu: {cpu}, memory: {memory}}}}}}}\n")
    });
    let pods = File { name: "pods.yaml".into(), text: pods.collect::<Vec<_>>().join("---\n") };
    let scenario = Scenario { files: &["pools.yaml"], ..*scenario("05-binpack-mismatch") };
    let forecast = predicted_with(&scenario, Some(pods), PreferencePolicy::Respect);
    // As recorded: six nodes at first, and more for large pods that fit none of them. How many more is chance: it
    // depends on which of several equal nodes each small pod goes to.
    assert_eq!(forecast.first_pass(), 6);
    assert!(
        forecast.nodes.len() > 6 && forecast.late.keys().all(|pod| pod.name.starts_with("big-"))
    );
    assert_eq!((forecast.left.len(), forecast.unplaced.len()), (0, 0));
}

#[test]
fn without_preferences_fewer_nodes_are_launched() {
    for (folder, nodes) in [("01-soft-zone-spread", 1), ("03b-preferred-anti-affinity-one-pool", 1)]
    {
        let forecast = predicted(scenario(folder), PreferencePolicy::Ignore);
        assert_eq!(forecast.nodes.len(), nodes, "{folder}");
    }
}

#[test]
fn pods_that_no_nodepool_can_serve_are_named_with_karpenters_reason() {
    let forecast = predicted(scenario("08-limits-and-no-match"), PreferencePolicy::Respect);
    // As in the recording: two of `fits` for the limit, and one each that nothing matches.
    assert_eq!((forecast.bound.len(), forecast.unplaced.len()), (2, 6));
    let of = |name: &str| {
        let mut found = forecast.unplaced.iter().filter(|(pod, _)| pod.name.starts_with(name));
        found.next().map(|(_, reason)| reason.clone()).unwrap_or_default()
    };
    assert!(of("fits").contains("exceed limits"), "{}", of("fits"));
    assert!(of("too-big").contains("resources"), "{}", of("too-big"));
}

#[test]
fn a_volume_in_a_zone_that_the_class_does_not_tell_leaves_the_pod_pending() {
    let forecast = predicted(scenario("12-volume-topology"), PreferencePolicy::Respect);
    let left: Vec<&str> = forecast.left.keys().map(|pod| &*pod.name).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].starts_with("unbound-"), "{left:?}");
}
