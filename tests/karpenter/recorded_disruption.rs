//! What a real Karpenter said of nodes that it did not take away, and which ones it took: the recordings, asked again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use landed::cli::input::{Input, InputArgs};
use landed::instance_types::{Options, provider_for};
use landed::karpenter::disruption::{Depth, Disruptions, Memory, Reason};
use landed::karpenter::{Batch, provision};
use landed::model::cluster_state::ClusterState;
use landed::model::history::{ChangeKind, Object};
use landed::model::snapshot::Snapshot;
use landed::model::time::{Span, Timestamp};
use landed::sources::{Files, load};
use serde_json::Value;

/// What an event says of a node, and when.
struct Told {
    name: String,
    reason: String,
    message: String,
    second: Timestamp,
    resource_version: u64,
}

#[test]
fn every_recorded_reason_is_found_again_in_its_own_words() {
    let Some(folders) = recordings() else { return };
    let (mut asked, mut missed) = (0, Vec::new());
    for folder in folders {
        let input = read(&folder);
        for told in events(&folder) {
            asked += 1;
            if !is_found(&input, &told) {
                let name = folder.file_name().unwrap_or_default().display().to_string();
                missed.push(format!("{name}: {} {}: {}", told.reason, told.name, told.message));
            }
        }
    }
    assert!(asked > 80, "only {asked} events were found");
    assert!(missed.is_empty(), "{} of {asked}:\n{}", missed.len(), missed.join("\n"));
}

/// Whether one of the states that the writer of an event may have seen gives its text.
fn is_found(input: &Input, told: &Told) -> bool {
    /// An event is written behind what it is about; by so many changes at most.
    const LATE: usize = 120;
    let snapshot = &input.snapshot;
    let changes = order(snapshot);
    let end = changes.iter().take_while(|(version, _)| *version < told.resource_version).count();
    let provider =
        provider_for(snapshot, &Options { version: input.karpenter.version, ..Options::default() });
    // The event's second, in which the look at the node may have been at any moment.
    for fraction in [999, 500, 0] {
        let at = told.second.plus(Span(fraction * 1_000_000));
        for first in (end.saturating_sub(LATE)..=end).rev() {
            let mut memory = Memory::from_events(&snapshot.events, at, &input.karpenter);
            if told.message == "Node is nominated for a pending pod" {
                // A pod that is nominated anew within two minutes is not told of: only the pass itself shows it.
                let then = self::state(snapshot, &changes[..first], at);
                let batch = Batch::default();
                let plan = provision(&then, &batch, &*provider.provider, &input.karpenter);
                for outcome in &plan.expect("a model of everything").outcomes {
                    memory.nominate(outcome, at, &input.karpenter);
                }
            }
            let state = if told.message.contains("nominated") {
                self::state(snapshot, &changes[..end], at)
            } else {
                self::state(snapshot, &changes[..first], at)
            };
            let prepared = Disruptions::new(&state, &*provider.provider, &input.karpenter, memory)
                .expect("a model of everything");
            let depth =
                if told.message.starts_with("NodePool") { Depth::Checks } else { Depth::Simulated };
            let Ok(Some(found)) = prepared.assess(&told.name, depth) else { continue };
            let is_it = if told.reason == "DisruptionTerminating" {
                let empty = found.method(Reason::Empty);
                told.message.ends_with(": Empty")
                    && found.barred.is_empty()
                    && empty.is_some_and(|empty| empty.blocked.is_empty())
            } else {
                let lines = found.told();
                lines
                    .iter()
                    .any(|(to, text)| format!("{to:?}") == told.reason && *text == told.message)
            };
            if is_it {
                return true;
            }
        }
    }
    false
}

fn recordings() -> Option<Vec<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared =
        std::env::var_os("LANDED_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let folders = fs::read_dir(shared.join("dumps")).ok()?;
    let folders = folders.filter_map(|entry| Some(entry.ok()?.path()));
    let mut folders: Vec<PathBuf> =
        folders.filter(|folder| folder.join("events.json").exists()).collect();
    folders.sort();
    Some(folders)
}

fn read(folder: &Path) -> Input {
    let files = Files { paths: vec![folder.to_owned()], recursive: false };
    let snapshot = load(&files, &mut std::io::empty()).expect("a recording");
    InputArgs::default().settle(snapshot, "default".to_owned()).expect("settings")
}

fn events(folder: &Path) -> Vec<Told> {
    let text = fs::read_to_string(folder.join("events.json")).expect("events");
    let list: Value = serde_json::from_str(&text).expect("a list");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let events = list["items"].as_array().into_iter().flatten();
    events
        .filter(|event| {
            let reasons = ["DisruptionBlocked", "Unconsolidatable", "DisruptionTerminating"];
            reasons.contains(&event["reason"].as_str().unwrap_or_default())
        })
        .map(|event| Told {
            name: text(&event["involvedObject"]["name"]),
            reason: text(&event["reason"]),
            message: text(&event["message"]),
            second: text(&event["lastTimestamp"]).parse().expect("a moment"),
            resource_version: text(&event["metadata"]["resourceVersion"])
                .parse()
                .expect("a number"),
        })
        .collect()
}

/// All changes in the order in which they were written: one counter serves the whole cluster.
fn order(snapshot: &Snapshot) -> Vec<(u64, (ChangeKind, &Object))> {
    let mut changes: Vec<_> = snapshot
        .history
        .iter()
        .map(|change| {
            let version = change.object.meta().resource_version.unwrap_or(0);
            (version, (change.kind, &change.object))
        })
        .collect();
    changes.sort_by_key(|(version, _)| *version);
    changes
}

/// The cluster behind some changes.
fn state(
    snapshot: &Snapshot,
    changes: &[(u64, (ChangeKind, &Object))],
    at: Timestamp,
) -> ClusterState {
    let mut state = ClusterState { at: Some(at), ..snapshot.objects.clone() };
    let (mut pods, mut nodes, mut claims) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (_, (kind, object)) in changes {
        let is_gone = *kind == ChangeKind::Deleted;
        match object {
            Object::Pod(pod) if is_gone => drop(pods.remove(&pod.key())),
            Object::Pod(pod) => drop(pods.insert(pod.key(), pod.clone())),
            Object::Node(node) if is_gone => drop(nodes.remove(&node.meta.name)),
            Object::Node(node) => drop(nodes.insert(node.meta.name.clone(), node.clone())),
            Object::NodeClaim(claim) if is_gone => drop(claims.remove(&claim.meta.name)),
            Object::NodeClaim(claim) => drop(claims.insert(claim.meta.name.clone(), claim.clone())),
            _ => {}
        }
    }
    state.pods = pods.into_values().collect();
    state.nodes = nodes.into_values().collect();
    state.node_claims = claims.into_values().collect();
    state
}
