//! `Known`: which objects a recording holds, and whether a new state of one is news.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Step;

/// Kind, namespace and name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key([String; 3]);

impl Key {
    /// The key of an object.
    pub fn of(object: &Value) -> Self {
        let text = |pointer: &str| {
            object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        Self([text("/kind"), text("/metadata/namespace"), text("/metadata/name")])
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0[2]
    }

    /// An object that has nothing but this key.
    pub(super) fn object(&self, api_version: &str) -> Value {
        let [kind, namespace, name] = &self.0;
        let mut metadata = json!({ "name": name });
        if !namespace.is_empty() {
            metadata["namespace"] = namespace.as_str().into();
        }
        json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata })
    }
}

#[derive(Debug)]
struct State {
    api_version: String,
    digest: u64,
}

/// All objects that a recording holds and that are still there.
#[derive(Debug, Default)]
pub(super) struct Known {
    objects: BTreeMap<Key, State>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    object: Option<&'a RawValue>,
}

impl Known {
    /// Learns from a segment; what is torn is passed over.
    pub(super) fn learn(&mut self, segment: &[u8]) {
        for line in segment.split(|byte| *byte == b'\n') {
            let Ok(Line { kind: Some(kind), object: Some(object) }) = serde_json::from_slice(line)
            else {
                continue;
            };
            let Ok(object) = serde_json::from_str::<Value>(object.get()) else { continue };
            let step = if kind == "DELETED" { Step::Deleted } else { Step::Listed };
            self.is_news(step, &object);
        }
    }

    /// Whether a state differs from the one known in anything that matters; from then on it is known.
    pub(super) fn is_news(&mut self, step: Step, object: &Value) -> bool {
        let key = Key::of(object);
        let is_event = key.0[0] == "Event";
        if step == Step::Deleted {
            // Events expire: that one is gone says nothing.
            return !is_event && self.objects.remove(&key).is_some();
        }
        let digest = digest(object);
        let api_version = object["apiVersion"].as_str().unwrap_or_default().to_owned();
        let before = self.objects.insert(key, State { api_version, digest });
        before.is_none_or(|before| before.digest != digest)
    }

    /// The objects of a kind, in all namespaces or in one, and their versions.
    pub(super) fn of_kind(
        &self,
        kind: &str,
        namespace: Option<&str>,
    ) -> impl Iterator<Item = (&Key, &str)> {
        let wanted = move |key: &&Key| namespace.is_none_or(|namespace| key.0[1] == namespace);
        let first = Key([kind.to_owned(), String::new(), String::new()]);
        self.objects
            .range(first..)
            .take_while(move |(key, _)| key.0[0] == kind)
            .filter(move |(key, _)| wanted(key))
            .map(|(key, state)| (key, state.api_version.as_str()))
    }
}

/// A digest of all that matters: not of versions, of who wrote, or of heartbeats.
fn digest(object: &Value) -> u64 {
    let mut hasher = FxHasher::default();
    add(object, &mut hasher);
    hasher.finish()
}

fn add(value: &Value, hasher: &mut FxHasher) {
    const PASSED_OVER: &[&str] =
        &["lastHeartbeatTime", "lastProbeTime", "managedFields", "resourceVersion"];
    match value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(value) => value.hash(hasher),
        Value::Number(number) => number.to_string().hash(hasher),
        Value::String(text) => text.hash(hasher),
        Value::Array(list) => {
            list.len().hash(hasher);
            for element in list {
                add(element, hasher);
            }
        }
        Value::Object(object) => {
            for (key, value) in
                object.iter().filter(|(key, _)| !PASSED_OVER.contains(&key.as_str()))
            {
                key.hash(hasher);
                add(value, hasher);
            }
        }
    }
}
