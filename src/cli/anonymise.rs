//! `dump --anonymise`: new names for everything, and the proof that they change no verdict.

use serde_json::Value;

use super::input::InputArgs;
use super::world::with_world;
use super::{Failure, Io};
use crate::explain::explain;
use crate::ingest::snapshot_from_json;
use crate::model::names::PodKey;
use crate::reconstruct::landing;
use crate::render::counted;
use crate::report::Explanation;
use crate::sources::export::Anonymiser;

/// How many pods are explained twice, before and after: those that say most come first.
const PROVED: usize = 50;

/// What has to be the same under the new names.
#[derive(Debug, PartialEq, Eq)]
struct Verdict {
    class: String,
    intended: Option<String>,
    actual: Option<String>,
}

/// The objects under their new names. An error where a verdict is another one than before: then nothing is written.
pub(super) fn anonymise(objects: &[Value], io: &mut Io<'_>) -> Result<Vec<Value>, Failure> {
    let anonymiser = Anonymiser::of(objects);
    let renamed = objects.iter().map(|object| anonymiser.object(object)).collect::<Vec<_>>();
    let pods = pods_to_prove(objects);
    let before = verdicts(objects, &pods)?;
    let new_key = |key: &PodKey| PodKey {
        namespace: anonymiser.name(key.namespace.as_str()).into(),
        name: anonymiser.name(&key.name).into(),
    };
    let after = verdicts(&renamed, &pods.iter().map(new_key).collect::<Vec<_>>())?;
    for ((pod, before), after) in pods.iter().zip(before).zip(after) {
        let rename = |name: Option<String>| name.map(|name| anonymiser.name(&name).to_owned());
        let expected = before.map(|before| Verdict {
            intended: rename(before.intended),
            actual: rename(before.actual),
            class: before.class,
        });
        if expected != after {
            let pod = format!("pod/{} in namespace {}", pod.name, pod.namespace);
            return Err(Failure::new(format!(
                "{pod} has another verdict under its new name, so nothing is written: {expected:?} became {after:?}"
            ))
            .hint("dump without --anonymise, and report this"));
        }
    }
    let proved = counted(pods.len(), "pod");
    let words = if pods.len() == 1 {
        "has the same verdict under its new name"
    } else {
        "have the same verdict under their new names"
    };
    io.tell(&format!("proved: {proved} {words}"))?;
    for pod in pods.iter().take(5) {
        let new = new_key(pod);
        let (old, new) = ((&pod.namespace, &pod.name), (new.namespace, new.name));
        io.tell(&format!("{}/{} is now {}/{}", old.0, old.1, new.0, new.1))?;
    }
    Ok(renamed)
}

/// Pods that Karpenter nominated a node for, then all others, in the order of the dump.
fn pods_to_prove(objects: &[Value]) -> Vec<PodKey> {
    let key = |value: &Value| {
        let text = |key: &str| value.get(key)?.as_str();
        Some(PodKey { namespace: text("namespace")?.into(), name: text("name")?.into() })
    };
    let of_kind = |kind: &'static str| objects.iter().filter(move |object| object["kind"] == kind);
    let present = of_kind("Pod")
        .filter_map(|pod| key(&pod["metadata"]))
        .collect::<std::collections::BTreeSet<_>>();
    let nominated = of_kind("Event").filter(|event| event["reason"] == "Nominated");
    let nominated = nominated.filter_map(|event| {
        let regarding =
            ["involvedObject", "regarding"].into_iter().find_map(|field| event.get(field));
        key(regarding?)
    });
    let mut pods = Vec::new();
    for pod in nominated.filter(|pod| present.contains(pod)).chain(present.iter().cloned()) {
        if pods.len() < PROVED && !pods.contains(&pod) {
            pods.push(pod);
        }
    }
    pods
}

/// The verdict on each pod.
fn verdicts(objects: &[Value], pods: &[PodKey]) -> Result<Vec<Option<Verdict>>, Failure> {
    let list = serde_json::json!({ "apiVersion": "v1", "kind": "List", "items": objects });
    let snapshot = snapshot_from_json(list.to_string().as_bytes());
    let mut input = InputArgs::default().settle(snapshot, "default".to_owned())?;
    Ok(with_world(&mut input, |world| {
        let verdict = |pod: &PodKey| {
            let explanation = explain(landing(world, pod)?);
            let report = serde_json::to_value(Explanation::from(&explanation)).ok()?;
            let text =
                |pointer: &str| report.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
            Some(Verdict {
                class: text("/verdict/class").unwrap_or_default(),
                intended: text("/intended/nodeClaim").or_else(|| text("/intended/node")),
                actual: text("/actual/node"),
            })
        };
        pods.iter().map(verdict).collect()
    }))
}
