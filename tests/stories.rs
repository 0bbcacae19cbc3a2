//! Whole clusters, each a surprise that somebody met: recordings of a real control plane, and public reports.
//!
//! `stories/` holds what a dump shows afterwards (objects, events, Karpenter's log) and `truth.json`: what then happened, as
//! the recorder computed it from watches and logs that no dump has. `cases/` holds snapshots written from public reports,
//! `expect.md` with the right answer, and `facts.txt` with what must appear: the pod, the class, a cause's code, then a fact a
//! line, as parts that must all be there.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod program;

use std::fs;
use std::path::Path;

use program::{classes, folders, recorded, recordings, run};
use serde_json::Value;

/// Every pod of a recording, explained in one run.
fn explained(folder: &Path, with_log: bool) -> Vec<Value> {
    let answer = asked(folder, with_log, &["-A", "-l", "!nothing"]);
    answer["items"].as_array().expect("a list").clone()
}

/// What is answered about a recording.
fn asked(folder: &Path, with_log: bool, question: &[&str]) -> Value {
    let question = [&["explain", "-o", "json"], question].concat();
    let answer = run(&recorded(&question, folder, with_log)).expect("an answer");
    serde_json::from_str(&answer).expect("JSON")
}

/// The answer for a pod, as a recording names it.
fn answer_for<'a>(pod: &Value, answers: &'a [Value]) -> &'a Value {
    let is_it =
        |answer: &&Value| ["name", "namespace"].iter().all(|key| answer["pod"][key] == pod[key]);
    answers.iter().find(is_it).expect("an answer for each pod")
}

fn same_place(answer: &Value, truth: &Value) -> bool {
    if truth.is_null() || answer.is_null() {
        return truth.is_null() == answer.is_null();
    }
    let same = |key: &str| truth[key].is_string() && truth[key] == answer[key];
    same("nodeClaim") || same("node")
}

/// How the answers for a recording stand against what happened: right, wrong, honestly unknown; and what differs.
fn judged(folder: &Path, with_log: bool) -> (usize, Vec<String>, usize) {
    let truth: Value =
        serde_json::from_slice(&fs::read(folder.join("truth.json")).expect("truth.json"))
            .expect("JSON");
    let answers = explained(folder, with_log);
    let (mut right, mut wrong, mut unknown) = (0, Vec::new(), 0);
    for pod in truth.as_array().expect("a list") {
        let answer = answer_for(pod, &answers);
        let first = !with_log
            && !pod["firstIntended"].is_null()
            && same_place(&answer["intended"], &pod["firstIntended"]);
        let intended = same_place(&answer["intended"], &pod["intended"]) || first;
        let actual = answer["actual"]["node"] == pod["actualNode"]
            || (answer["actual"].is_null() && pod["actualNode"].is_null());
        let class = answer["verdict"]["class"].as_str().expect("a class");
        let agrees = classes(pod["verdict"].as_str().expect("a verdict")).contains(&class);
        let honest = agrees || class == "unknown";
        if intended && actual && agrees {
            right += 1;
        } else if actual && honest && (intended || answer["intended"].is_null()) {
            unknown += 1;
        } else {
            wrong.push(format!(
                "{} {}: {class}, meant {}; want {}, meant {}",
                folder.file_name().unwrap_or_default().display(),
                pod["name"],
                answer["intended"]["nodeClaim"],
                pod["verdict"],
                pod["intended"]["nodeClaim"]
            ));
        }
    }
    (right, wrong, unknown)
}

#[test]
fn with_karpenters_log_every_pod_of_every_recording_is_told_right() {
    for folder in recordings() {
        let (_, wrong, unknown) = judged(&folder, true);
        assert!(wrong.is_empty() && unknown == 0, "{unknown} unknown; wrong: {wrong:#?}");
    }
}

#[test]
fn without_the_log_what_is_not_known_is_said() {
    let (mut right, mut wrong, mut all) = (0, Vec::new(), 0);
    for folder in recordings() {
        let (told, lies, unknown) = judged(&folder, false);
        all += told + lies.len() + unknown;
        right += told;
        wrong.extend(lies);
    }
    assert!(wrong.len() * 100 <= all * 3, "{} of {all} are wrong: {wrong:#?}", wrong.len());
    assert!(right * 100 >= all * 85, "only {right} of {all} are right");
}

/// What is told first is what the verdict rests on.
fn first_cause_speaks_for_the_verdict(answer: &Value) {
    let class = &answer["verdict"]["class"];
    if let Some(first) = answer["causes"].as_array().expect("causes").first() {
        assert!(
            class == "as-intended" || first["class"] == *class,
            "{}: {first}",
            answer["pod"]["name"]
        );
    }
}

/// Nothing is printed as Rust would show it to a programmer.
fn no_debug_text(answer: &Value) {
    let text = answer.to_string();
    for sign in ["Some(", "None,", "None)", "Str(", "Quantity(", "InFlight(", " { key: ", "::"] {
        assert!(!text.contains(sign), "{sign} in the answer for {}", answer["pod"]["name"]);
    }
}

#[test]
fn no_cause_is_without_evidence_and_none_is_proven_without_a_replay_that_flips() {
    for folder in recordings() {
        for answer in explained(&folder, false) {
            for cause in answer["causes"].as_array().expect("causes") {
                let evidence = cause["evidence"].as_array().expect("evidence");
                assert!(!evidence.is_empty(), "{}: {cause}", answer["pod"]["name"]);
                let flips = cause["counterfactuals"]
                    .as_array()
                    .is_some_and(|all| all.iter().any(|one| one["flips"] == true));
                assert!(
                    cause["confidence"] != "proven" || flips,
                    "{}: {cause}",
                    answer["pod"]["name"]
                );
            }
            if answer["verdict"]["class"] == "unknown" {
                let helps =
                    |gap: &Value| gap["hint"].as_str().is_some_and(|hint| hint.contains("-f "));
                let gaps = answer["gaps"].as_array().expect("gaps");
                assert!(gaps.iter().any(helps), "{}", answer["pod"]["name"]);
            }
            first_cause_speaks_for_the_verdict(&answer);
            no_debug_text(&answer);
        }
    }
}

/// What the scheduler's own log at `-v=10` says of the attempt that bound each pod: every plugin's weighted score for every
/// feasible node.
#[test]
fn scores_are_those_of_the_schedulers_log() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for folder in recordings() {
        let Ok(file) = fs::File::open(folder.join("scores.json.gz")) else { continue };
        let logged: Vec<Value> =
            serde_json::from_reader(flate2::read::GzDecoder::new(file)).expect("JSON");
        let answers = explained(&folder, false);
        for pod in &logged {
            let answer = answer_for(pod, &answers);
            let differing = differing_scores(&pod["scores"], answer);
            compared += 1;
            if !differing.is_empty() {
                let name = folder.file_name().unwrap_or_default().display().to_string();
                wrong.push(format!("{name} {}: {}", pod["name"], differing.join("; ")));
            }
        }
    }
    assert!(compared > 0 && wrong.is_empty(), "{} of {compared}: {wrong:#?}", wrong.len());
}

fn differing_scores(logged: &Value, answer: &Value) -> Vec<String> {
    let nodes = answer["nodes"].as_array().expect("nodes");
    let scored = logged.as_object().expect("nodes");
    let extra = nodes.iter().filter(|node| {
        node["total"].is_i64() && !scored.contains_key(node["name"].as_str().unwrap_or_default())
    });
    let mut differing: Vec<String> =
        extra.map(|node| format!("{} was not feasible", node["name"])).collect();
    for (name, plugins) in scored {
        let Some(node) = nodes.iter().find(|node| node["name"] == name.as_str()) else {
            differing.push(format!("{name} is not there"));
            continue;
        };
        for (plugin, score) in plugins.as_object().expect("plugins") {
            let by_plugin = node["scores"].as_array().cloned().unwrap_or_default();
            let own = match plugin.as_str() {
                "total" => node["total"].as_i64(),
                plugin => by_plugin
                    .iter()
                    .find(|score| score["plugin"] == plugin)
                    .and_then(|score| score["weighted"].as_i64()),
            };
            // A plugin that has nothing to say is not logged, or logged as nought.
            if own.unwrap_or(0) != score.as_i64().unwrap_or(0) {
                differing.push(format!("{name} {plugin}: {own:?}, logged {score}"));
            }
        }
    }
    differing
}

/// A pod of a recording, where it is wanted, what is found, the edits, and what the patch or the obstacle says.
type Wish =
    (&'static str, &'static str, &'static str, &'static str, &'static [&'static str], &'static str);

const WISHES: &[Wish] = &[
    // Its own choice of zone, for a pod whose spread Karpenter kept and kube-scheduler only scored.
    (
        "01-soft-zone-spread",
        "web-77b9f5fb64-9td9t",
        "zone=test-zone-b",
        "change",
        &["node-selector"],
        "/spec/template/spec/nodeSelector",
    ),
    (
        "01-soft-zone-spread",
        "web-77b9f5fb64-9td9t",
        "zone=mars",
        "nothing",
        &[],
        "Karpenter would launch",
    ),
    ("01-soft-zone-spread", "web-77b9f5fb64-ghdnb", "zone=test-zone-a", "there", &[], "already"),
    // A pod that nothing but its own rule keeps off.
    (
        "08b-limit-hides-other-reasons",
        "other-zone-75b58d4864-7pqs4",
        "nodepool=general",
        "change",
        &["drop-hard-rule"],
        "/spec/template/spec/nodeSelector/topology.kubernetes.io~1zone",
    ),
    // A pod whose room was taken, and whose NodePool may launch no more.
    (
        "08-limits-and-no-match",
        "fits-5f9b778b9-hwz28",
        "nodepool=limited",
        "change",
        &["nodepool-limit"],
        "/spec/limits/cpu",
    ),
];

#[test]
fn what_is_wanted_is_given_by_the_smallest_change_that_both_replays_bear_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories");
    for (story, pod, target, result, codes, part) in WISHES {
        let answer = asked(&root.join(story), false, &[pod, "--want", target]);
        let wanted = &answer["wanted"];
        let edits = wanted["edits"].as_array().expect("edits");
        let found: Vec<&str> = edits.iter().filter_map(|edit| edit["code"].as_str()).collect();
        assert_eq!(wanted["result"], *result, "{story} {pod} {target}: {wanted:#}");
        assert_eq!(found, *codes, "{story} {pod} {target}: {wanted:#}");
        let told = wanted.to_string().replace("\\\"", "\"");
        assert!(told.contains(part), "{story} {pod} {target}: {part} in {wanted:#}");
        let patches = wanted["patch"].as_array().expect("patches");
        for patch in patches {
            assert!(
                patch["diff"].as_str().is_some_and(|diff| diff.contains('+') || diff.contains('-'))
            );
        }
    }
}

/// What the recorder says of why a pod waits is what is told first, also where Karpenter's own message names a limit instead.
#[test]
fn the_first_cause_of_a_pod_that_waits_is_the_recorders() {
    for name in ["08-limits-and-no-match", "08b-limit-hides-other-reasons"] {
        let folder = program::recording(name);
        let truth = fs::read(folder.join("truth.json")).expect("truth.json");
        let truth: Vec<Value> = serde_json::from_slice(&truth).expect("JSON");
        for with_log in [true, false] {
            let answers = explained(&folder, with_log);
            for pod in &truth {
                let expected: &[&str] = match pod["verdict"].as_str().expect("a verdict") {
                    "pending-no-instance-type-fits" | "pending-no-nodepool-matches" => {
                        &["no-nodepool-fits"]
                    }
                    // Where a node was launched for it, others took the room: the limit keeps a second one away.
                    "pending-nodepool-limit" => &["nodepool-limit", "room-taken-by-others"],
                    _ => continue,
                };
                let first = answer_for(pod, &answers)["causes"][0]["code"].clone();
                let is_it = expected.iter().any(|code| first == *code);
                assert!(is_it, "{name} {}: {first}", pod["name"]);
            }
        }
    }
}

/// A pod of `07-hard-zone-spread`, where each pod got its own node, and its node.
const PLACED: (&str, &str) =
    ("db-6bc78f8498-dj9zh", "kwok-general-pqdw4-frillrain-1-3qwzwekojl-1923048672");

/// What is answered about that pod, had its node come up otherwise, so that it waits.
fn asked_with_another_node(name: &str, change: fn(&mut Value), question: &[&str]) -> Value {
    let folder = program::recording("07-hard-zone-spread");
    let (pod, node) = PLACED;
    let read = |name: &str| -> Value {
        let file = fs::File::open(folder.join(name)).expect("the file");
        serde_json::from_reader(flate2::read::GzDecoder::new(file)).expect("JSON")
    };
    let (mut after, mut events) = (read("after.json.gz"), read("events.json.gz"));
    for object in after["items"].as_array_mut().expect("a list") {
        if object["kind"] == "Node" && object["metadata"]["name"] == node {
            change(object);
        }
        if object["kind"] == "Pod" && object["metadata"]["name"] == pod {
            object["spec"].as_object_mut().expect("a spec").remove("nodeName");
            let waits = serde_json::json!({"type": "PodScheduled", "status": "False", "reason": "Unschedulable"});
            object["status"] = serde_json::json!({"phase": "Pending", "conditions": [waits]});
        }
    }
    let bound = |event: &Value| event["reason"] == "Scheduled" && event.to_string().contains(pod);
    events["items"].as_array_mut().expect("a list").retain(|event| !bound(event));
    let changed = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&changed);
    fs::create_dir_all(&changed).expect("a folder");
    let question = [&["explain", pod, "-o", "json"], question].concat();
    let mut arguments = recorded(&question, &folder, true);
    for (name, value) in [("after.json.gz", after), ("events.json.gz", events)] {
        let path = changed.join(name.trim_end_matches(".gz"));
        fs::write(&path, value.to_string()).expect("a file");
        let given = arguments.iter_mut().find(|it| it.ends_with(name)).expect("the argument");
        *given = path.display().to_string();
    }
    serde_json::from_str(&run(&arguments).expect("an answer")).expect("JSON")
}

#[test]
fn a_node_that_is_smaller_than_predicted_is_why_its_pod_waits() {
    let smaller = |node: &mut Value| {
        assert_eq!(node["status"]["allocatable"]["cpu"], "3900m");
        node["status"]["allocatable"]["cpu"] = "2900m".into();
    };
    let answer = asked_with_another_node("smaller", smaller, &[]);
    assert_eq!(answer["verdict"]["class"], "constraint");
    let causes = answer["causes"].as_array().expect("causes");
    let cause = causes
        .iter()
        .find(|cause| cause["code"] == "allocatable-below-prediction")
        .expect("the cause");
    assert_eq!(cause["confidence"], "proven");
    let values: Vec<&Value> = cause["evidence"]
        .as_array()
        .expect("evidence")
        .iter()
        .filter(|one| one["field"] == "status.allocatable.cpu")
        .map(|one| &one["value"])
        .collect();
    assert_eq!(values, ["3900m", "2900m"]);
    // As recorded, the pod is there and there is no such cause.
    let folder = program::recording("07-hard-zone-spread");
    let as_recorded = asked(&folder, true, &[PLACED.0]).to_string();
    assert!(!as_recorded.contains("allocatable-below-prediction"));
}

/// An agent's taint that the NodePool does not declare: Karpenter takes it for one that stays, and launches another node.
#[test]
fn a_taint_of_an_agent_is_to_be_declared_as_a_startup_taint() {
    let tainted = |node: &mut Value| {
        let taint = serde_json::json!({"key": "node.example.com/agent-not-ready", "value": "true", "effect": "NoSchedule"});
        node["spec"]["taints"] = serde_json::json!([taint]);
    };
    let answer = asked_with_another_node("tainted", tainted, &["--want", PLACED.1]);
    let wanted = &answer["wanted"];
    assert_eq!(wanted["result"], "change", "{wanted:#}");
    assert_eq!(wanted["edits"][0]["code"], "startup-taint", "{wanted:#}");
    assert_eq!(wanted["edits"].as_array().map(Vec::len), Some(1));
    let command = wanted["patch"][0]["command"].as_str().expect("a command");
    assert!(command.starts_with("kubectl patch nodepool general --type=json"), "{command}");
    assert!(command.contains("/spec/template/spec/startupTaints"), "{command}");
    let told = wanted.to_string();
    assert!(told.contains(&format!("Karpenter plans node/{} for the pod", PLACED.1)), "{told}");
}

#[test]
fn older_dumps_beside_the_newest_tell_of_what_is_gone() {
    let folder = program::recording("04-mid-launch-race");
    let question = ["explain", "-A", "late-8c7cb7c74-gxzwl", "-o", "json"];
    let newest = recorded(&question, &folder, false);
    let dump = |name: &str| ["-f".to_owned(), folder.join(name).display().to_string()];
    // Read before the newest and after it: the order of files says nothing.
    let [first, last] = [dump("t1.json.gz"), dump("t3.json.gz")];
    let mut given = question.map(str::to_owned).to_vec();
    given.extend(first);
    given.extend(newest[question.len()..].iter().cloned());
    given.extend(last);
    let answer: Value = serde_json::from_str(&run(&given).expect("an answer")).expect("JSON");
    // `base` ran in t1 and is gone since, and nothing of it is left to be in the way.
    assert_eq!(answer["causes"][0]["code"], "room-freed", "{answer:#}");
    assert_eq!(answer["causes"][0]["confidence"], "proven");
    // The node that was launched in vain stands in t3 alone.
    assert_eq!(answer["intended"]["nodeClaim"], "general-mrmbl");
    let node = answer["intended"]["node"].as_str().expect("a node");
    assert!(node.starts_with("kwok-general-mrmbl-"), "{node}");
    assert_eq!(answer["schedulerPick"]["node"], answer["actual"]["node"]);
}

#[test]
fn each_public_report_is_answered_with_its_facts() {
    let mut missing = Vec::new();
    for folder in folders("cases") {
        let facts = fs::read_to_string(folder.join("facts.txt")).expect("facts.txt");
        let field = |name: &str| {
            facts
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .expect("a field")
                .trim()
                .to_owned()
        };
        let (namespace, pod) = field("pod:")
            .split_once('/')
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .expect("ns/pod");
        let snapshot = ["snapshot.json.gz", "snapshot.yaml.gz"].map(|name| folder.join(name));
        let snapshot =
            snapshot.iter().find(|path| path.exists()).expect("a snapshot").display().to_string();
        let mut arguments = vec![
            "explain".to_owned(),
            pod,
            "-n".into(),
            namespace,
            "-f".into(),
            snapshot,
            "-o".into(),
            "json".into(),
        ];
        let types = folder.join("instance-types.json");
        if types.exists() {
            arguments.extend(["--instance-types".to_owned(), types.display().to_string()]);
        }
        let name = folder.file_name().unwrap_or_default().display().to_string();
        let text = run(&arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        first_cause_speaks_for_the_verdict(&answer);
        no_debug_text(&answer);
        if answer["verdict"]["class"] != field("class:").as_str() {
            missing.push(format!("{name}: class {}", answer["verdict"]["class"]));
        }
        let causes = answer["causes"].as_array().expect("causes");
        if !causes.iter().any(|cause| cause["code"] == field("cause:").as_str()) {
            missing.push(format!("{name}: no cause {}", field("cause:")));
        }
        let told = text.replace("\\\"", "\"");
        for fact in facts.lines().skip(3) {
            let parts = fact.replace("\\+", "\u{0}");
            for part in parts.split(" + ").map(|part| part.replace('\u{0}', "+")) {
                if !told.contains(part.trim()) {
                    missing.push(format!("{name}: {part:?} of {fact:?}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
