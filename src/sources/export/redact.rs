//! `Redactor`: leaves out of an object what a replay does not need and others should not see.

use serde_json::{Map, Value};

use super::allow::{Fields, fields};
use crate::ingest::{KARPENTER_VARIABLES, as_variable, is_kept_annotation, kept_managed_fields};

/// How much of the objects is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redaction {
    /// Only the fields that are on the list: no environment values, no arguments, no unknown annotations.
    #[default]
    Redacted,
    /// All of every object that is read.
    Whole,
}

/// ConfigMaps that are kept: the scheduler's configuration and Karpenter's settings.
const SETTINGS_MAPS: &[&str] = &["kube-scheduler-config", "karpenter-global-settings"];

/// Who may be quoted: their messages are made of names, numbers and reasons alone.
const QUOTED: &[&str] = &[
    "attachdetach-controller",
    "cluster-autoscaler",
    "daemonset-controller",
    "deployment-controller",
    "karpenter",
    "node-controller",
    "persistentvolume-controller",
    "replicaset-controller",
    "statefulset-controller",
    "taint-eviction-controller",
];

/// Reasons of the kubelet's events that tell why a pod ended. Its other messages quote commands and what probes printed.
const KUBELET: &[&str] =
    &["Evicted", "EvictionThresholdMet", "Killing", "NodeAffinity", "Preempting"];

/// Reasons of events that carry nothing but a placement, whoever sends them.
const PLACEMENTS: &[&str] = &["FailedScheduling", "Nominated", "Preempted", "Scheduled"];

/// Turns objects as they were read into what a dump keeps of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Redactor {
    /// How much is kept.
    pub redaction: Redaction,
}

impl Redactor {
    /// What is kept of a page of a list, as the server sent it: JSON objects with commas between them.
    pub fn page(self, api_version: &str, kind: &str, body: &[u8]) -> Vec<u8> {
        let mut kept = Vec::with_capacity(body.len() / 2);
        for object in self.objects(api_version, kind, body) {
            if !kept.is_empty() {
                kept.extend_from_slice(b",\n");
            }
            kept.extend_from_slice(object.to_string().as_bytes());
        }
        kept
    }

    /// What is kept of the objects of a page of a list, as the server sent it.
    pub fn objects(self, api_version: &str, kind: &str, body: &[u8]) -> Vec<Value> {
        #[derive(serde::Deserialize)]
        struct Page<'a> {
            #[serde(borrow, default)]
            items: Option<Vec<&'a serde_json::value::RawValue>>,
        }
        // That it is a list was seen when it was received.
        let Ok(Page { items: Some(items) }) = serde_json::from_slice(body) else {
            return Vec::new();
        };
        items.into_iter().filter_map(|item| self.item(api_version, kind, item.get())).collect()
    }

    /// What is kept of one object of a kind, as the server sent it: lists leave out version and kind.
    pub fn item(self, api_version: &str, kind: &str, json: &str) -> Option<Value> {
        let Ok(Value::Object(mut object)) = serde_json::from_str(json) else { return None };
        object.insert("apiVersion".to_owned(), api_version.into());
        object.insert("kind".to_owned(), kind.into());
        self.object(Value::Object(object))
    }

    /// What is kept of an object; none for kinds that a dump never holds, Secrets above all.
    pub fn object(self, object: Value) -> Option<Value> {
        let Value::Object(mut object) = object else { return None };
        let api_version = text(&object, "apiVersion").to_owned();
        let kind = text(&object, "kind").to_owned();
        if kind == "ConfigMap" && !holds_settings(&object) {
            return None;
        }
        let allowed = fields(&api_version, &kind)?;
        if self.redaction == Redaction::Whole {
            return Some(Value::Object(object));
        }
        let metadata = object.remove("metadata").map(metadata).unwrap_or_default();
        let is_karpenter = mentions_karpenter(&object);
        if kind == "Event" && !is_quotable(&object) {
            object.remove("message");
            object.remove("note");
        }
        let Value::Object(mut kept) = keep(Value::Object(object), &allowed, is_karpenter) else {
            return None;
        };
        kept.insert("apiVersion".to_owned(), api_version.into());
        kept.insert("kind".to_owned(), kind.into());
        kept.insert("metadata".to_owned(), metadata);
        Some(Value::Object(kept))
    }
}

/// Whether a ConfigMap is one of the two that hold settings, by its name.
fn holds_settings(object: &Map<String, Value>) -> bool {
    let name = object.get("metadata").and_then(|metadata| metadata.get("name")?.as_str());
    name.is_some_and(|name| SETTINGS_MAPS.contains(&name))
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The parts of a value that are on the list.
fn keep(value: Value, fields: &Fields, is_karpenter: bool) -> Value {
    if fields.parts.is_empty() {
        return value;
    }
    match value {
        Value::Array(elements) => Value::Array(
            elements.into_iter().map(|element| keep(element, fields, is_karpenter)).collect(),
        ),
        Value::Object(object) => {
            let kept = object.into_iter().filter_map(|(key, value)| {
                let fields = fields.parts.get(&key)?;
                let value = match key.as_str() {
                    "annotations" => annotations(value),
                    "env" if is_karpenter => settings(value),
                    "args" if is_karpenter => flags(value),
                    "args" => return None,
                    _ => keep(value, fields, is_karpenter),
                };
                Some((key, value))
            });
            Value::Object(kept.collect())
        }
        // A scalar where parts were expected is not what the list had in mind.
        _ => Value::Null,
    }
}

fn metadata(metadata: Value) -> Value {
    const KEPT: &[&str] = &[
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generateName",
        "generation",
        "labels",
        "name",
        "namespace",
        "ownerReferences",
        "resourceVersion",
        "uid",
    ];
    let Value::Object(metadata) = metadata else { return Value::Null };
    let kept = metadata.into_iter().filter_map(|(key, value)| match key.as_str() {
        "annotations" => Some((key, annotations(value))),
        "managedFields" => Some((key, managed(value))),
        name => KEPT.contains(&name).then_some((key, value)),
    });
    Value::Object(kept.collect())
}

fn annotations(annotations: Value) -> Value {
    let Value::Object(mut annotations) = annotations else { return Value::Null };
    annotations.retain(|key, _| is_kept_annotation(key));
    Value::Object(annotations)
}

/// Who wrote, when, and which of the fields that matter.
fn managed(managed: Value) -> Value {
    let Value::Array(managed) = managed else { return Value::Null };
    let entries = managed.into_iter().filter_map(|entry| {
        let Value::Object(mut entry) = entry else { return None };
        entry.retain(|key, _| {
            ["manager", "operation", "subresource", "time", "fieldsType", "fieldsV1"]
                .contains(&key.as_str())
        });
        if let Some(fields) = entry.get_mut("fieldsV1") {
            *fields = kept_managed_fields(fields);
        }
        Some(Value::Object(entry))
    });
    Value::Array(entries.collect())
}

/// Environment variables of Karpenter itself: the names, and the values of its settings.
fn settings(env: Value) -> Value {
    let Value::Array(variables) = env else { return Value::Null };
    let kept = variables.into_iter().filter_map(|variable| {
        let Value::Object(mut variable) = variable else { return None };
        let is_setting = KARPENTER_VARIABLES.contains(&text(&variable, "name"))
            && text(&variable, "name") != "CLUSTER_NAME";
        variable.retain(|key, _| key == "name" || (key == "value" && is_setting));
        Some(Value::Object(variable))
    });
    Value::Array(kept.collect())
}

/// Arguments of Karpenter itself: those that are settings.
fn flags(args: Value) -> Value {
    let Value::Array(mut args) = args else { return Value::Null };
    args.retain(|flag| {
        flag.as_str().and_then(as_variable).is_some_and(|(name, _)| name != "CLUSTER_NAME")
    });
    Value::Array(args)
}

/// Whether a pod or a workload runs Karpenter's controller.
fn mentions_karpenter(object: &Map<String, Value>) -> bool {
    let of_pod = object.get("spec");
    let of_template = of_pod.and_then(|spec| spec.pointer("/template/spec"));
    let containers = [of_pod, of_template]
        .into_iter()
        .flatten()
        .filter_map(|spec| spec.get("containers")?.as_array());
    containers
        .flatten()
        .filter_map(|container| container.get("image")?.as_str())
        .any(|image| image.contains("karpenter"))
}

/// Whether the text of an event can be kept.
fn is_quotable(event: &Map<String, Value>) -> bool {
    let sources = ["source", "deprecatedSource"]
        .iter()
        .filter_map(|key| event.get(*key)?.get("component")?.as_str());
    let reporters =
        ["reportingComponent", "reportingController"].iter().map(|key| text(event, key));
    let reason = text(event, "reason");
    let by_kubelet = KUBELET.contains(&reason) || reason.starts_with("OutOf");
    PLACEMENTS.contains(&reason)
        || sources.chain(reporters).any(|who| {
            QUOTED.contains(&who) || who.ends_with("-scheduler") || (who == "kubelet" && by_kubelet)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn redacted(object: Value) -> Value {
        Redactor::default().object(object).expect("a kind that is kept")
    }

    #[test]
    fn nothing_that_may_be_secret_survives() {
        let secret = "hunter2";
        let container = json!({"name": "main", "image": "shop:1", "args": [secret], "command": [secret],
            "env": [{"name": "PASSWORD", "value": secret}, {"name": "PREFERENCE_POLICY", "value": secret}],
            "lifecycle": {"postStart": {"exec": {"command": [secret]}}},
            "livenessProbe": {"httpGet": {"httpHeaders": [{"name": "a", "value": secret}]}}});
        let template = json!({"metadata": {"annotations": {"note": secret}}, "spec": {"containers": [container]}});
        for object in [
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "annotations": {"note": secret}},
                "spec": {"containers": [container], "volumes": [{"name": "v", "flexVolume": {"options": {"p": secret}}}]}}),
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"template": template}}),
            json!({"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "a"},
                "spec": {"userData": secret, "tags": {"a": secret}}}),
            json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a"}, "reason": "Synced",
                "source": {"component": "vault"}, "message": secret}),
            json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "a"},
                "parameters": {"password": secret}}),
            json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a"},
                "spec": {"csi": {"driver": "d", "volumeAttributes": {"password": secret}}}}),
        ] {
            let kind = object["kind"].clone();
            assert!(!redacted(object).to_string().contains(secret), "{kind}");
        }
    }

    #[test]
    fn secrets_and_unknown_kinds_are_not_kept_even_whole() {
        let whole = Redactor { redaction: Redaction::Whole };
        assert_eq!(whole.object(json!({"apiVersion": "v1", "kind": "Secret"})), None);
        assert_eq!(whole.object(json!({"apiVersion": "v1", "kind": "ConfigMap"})), None);
        assert!(whole.object(json!({"apiVersion": "v1", "kind": "Pod"})).is_some());
    }

    #[test]
    fn settings_of_karpenter_and_messages_of_schedulers_are_kept() {
        let karpenter = redacted(
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "karpenter"},
            "spec": {"template": {"spec": {"containers": [{"image": "public.ecr.aws/karpenter/controller:1.8.1",
            "env": [{"name": "PREFERENCE_POLICY", "value": "Ignore"}, {"name": "CLUSTER_NAME", "value": "prod"}]}]}}}}),
        );
        let env =
            karpenter.pointer("/spec/template/spec/containers/0/env").expect("the environment");
        assert_eq!(
            *env,
            json!([{"name": "PREFERENCE_POLICY", "value": "Ignore"}, {"name": "CLUSTER_NAME"}])
        );
        let event =
            redacted(json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a"},
            "reason": "Scheduled", "message": "Successfully assigned a/b to c"}));
        assert_eq!(event["message"], "Successfully assigned a/b to c");
    }
}
