//! `Anonymiser`: new names for everything that somebody chose, the same name for the same thing, in the same order.
//!
//! Order is kept because it decides: Karpenter goes through nodes and pods by name and UID where nothing else tells
//! them apart. Types of instances, zones, and what Kubernetes and Karpenter named stay: the replay needs them, and they
//! are nobody's own.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// Old names and new ones.
#[derive(Clone, Debug, Default)]
pub struct Anonymiser {
    names: BTreeMap<String, String>,
}

/// What a string under some key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// A name that somebody chose, or an identity.
    Name,
    /// An image: its tag stays.
    Image,
    /// A sentence that may hold names.
    Sentence,
    /// Who wrote a field: known programs keep their names.
    Manager,
    /// A word of an API, a time, an amount.
    Plain,
}

/// Words that the replay looks for.
const KEPT: &[&str] = &["", "karpenter", "kube-system", "true", "false"];

/// Programs whose names are nobody's own.
const MANAGERS: &[&str] = &[
    "karpenter",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubectl",
    "kubectl-client-side-apply",
    "kubectl-create",
    "kubectl-edit",
    "kubectl-patch",
    "kubelet",
    "kwok",
];

/// Domains of keys that nobody of their own has.
const DOMAINS: &[&str] = &[
    "k8s.io",
    "kubernetes.io",
    "karpenter.sh",
    "karpenter.k8s.aws",
    "karpenter.azure.com",
    "karpenter.kwok.sh",
    "karpenter.k8s.gcp",
    "amazonaws.com",
    "azure.com",
    "cloud.google.com",
    "k8s.aws",
    "nvidia.com",
    "amd.com",
];

/// Keys in those domains whose values are names all the same.
const NAMING_KEYS: &[&str] =
    &["kubernetes.io/hostname", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim"];

impl Anonymiser {
    /// Learns all names of some objects.
    pub fn of(objects: &[Value]) -> Self {
        let mut found = BTreeSet::new();
        for object in objects {
            walk(object, "", &mut |meaning, text| {
                match meaning {
                    Meaning::Name => found.insert(text.to_owned()),
                    Meaning::Image => found.insert(repository(text).0.to_owned()),
                    Meaning::Manager if !MANAGERS.contains(&text) => found.insert(text.to_owned()),
                    Meaning::Manager | Meaning::Sentence | Meaning::Plain => false,
                };
            });
        }
        let width = found.len().to_string().len();
        let number = |(index, old): (usize, String)| {
            let new = if is_uid(&old) {
                format!("00000000-0000-0000-0000-{index:012}")
            } else {
                format!("n{index:0width$}")
            };
            (old, new)
        };
        let found = found.into_iter().filter(|name| !is_kept(name));
        Self { names: found.enumerate().map(number).collect() }
    }

    /// The new name of something; the old one where it has none.
    pub fn name<'a>(&'a self, old: &'a str) -> &'a str {
        self.names.get(old).map_or(old, String::as_str)
    }

    /// An object under its new names.
    pub fn object(&self, object: &Value) -> Value {
        self.value(object, "")
    }

    fn value(&self, value: &Value, key: &str) -> Value {
        match value {
            Value::String(text) => self.text(meaning(key), text).into(),
            Value::Array(list) => list.iter().map(|element| self.value(element, key)).collect(),
            Value::Object(object) => self.map(object, key),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn map(&self, object: &Map<String, Value>, key: &str) -> Value {
        let is_labels = holds_labels(key, object);
        // `managedFields` names labels too.
        let is_field_labels = key == "f:labels";
        let expression = expression_key(object);
        let renamed =
            object.iter().filter(|(key, _)| *key != "generateName").map(|(key, value)| {
                if is_labels {
                    let value = value.as_str().unwrap_or_default();
                    return (self.label_key(key), self.label_value(key, value).into());
                }
                if let Some(label) = key.strip_prefix("f:").filter(|_| is_field_labels) {
                    return (format!("f:{}", self.label_key(label)), value.clone());
                }
                let value = match (expression, key.as_str(), value) {
                    (Some(label), "key", _) => self.label_key(label).into(),
                    (Some(label), "value", Value::String(text)) => {
                        self.label_value(label, text).into()
                    }
                    (Some(label), "values", Value::Array(values)) => {
                        let texts = values.iter().filter_map(Value::as_str);
                        texts.map(|text| Value::from(self.label_value(label, text))).collect()
                    }
                    (_, "topologyKey", Value::String(label)) => self.label_key(label).into(),
                    (
                        _,
                        "matchLabelKeys" | "mismatchLabelKeys" | "topologyKeys",
                        Value::Array(labels),
                    ) => {
                        let labels = labels.iter().filter_map(Value::as_str);
                        labels.map(|label| Value::from(self.label_key(label))).collect()
                    }
                    _ => self.value(value, key),
                };
                (key.clone(), value)
            });
        Value::Object(renamed.collect())
    }

    fn text(&self, meaning: Meaning, text: &str) -> String {
        match meaning {
            Meaning::Plain => text.to_owned(),
            Meaning::Name => self.name(text).to_owned(),
            Meaning::Manager => {
                let known = MANAGERS.contains(&text);
                if known { text.to_owned() } else { self.name(text).to_owned() }
            }
            Meaning::Image => {
                let (repository, rest) = repository(text);
                format!("{}{rest}", self.name(repository))
            }
            Meaning::Sentence => self.sentence(text),
        }
    }

    fn label_key(&self, key: &str) -> String {
        if is_common(key) { key.to_owned() } else { self.name(key).to_owned() }
    }

    fn label_value(&self, key: &str, value: &str) -> String {
        if value_is_plain(key, value) { value.to_owned() } else { self.name(value).to_owned() }
    }

    /// A sentence with the names in it replaced. What is neither a name that is known nor a plain word is dropped.
    fn sentence(&self, text: &str) -> String {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-._/".contains(letter);
        let mut said = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let end = if is_part(first) {
                rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            let (token, after) = rest.split_at(end);
            said.push_str(&if is_part(first) { self.token(token) } else { token.to_owned() });
            rest = after;
        }
        said
    }

    fn token(&self, token: &str) -> String {
        let core = token.trim_end_matches('.');
        let stop = &token[core.len()..];
        if let Some(new) = self.names.get(core) {
            return format!("{new}{stop}");
        }
        if is_common(core) {
            return token.to_owned();
        }
        // `namespace/name`, `nodeclaim/name`.
        if let Some((first, second)) = core.split_once('/') {
            return format!("{}/{}{stop}", self.token(first), self.token(second));
        }
        let is_mark = !core.contains(|letter: char| letter.is_ascii_alphanumeric());
        let is_word =
            core.chars().all(|letter| letter.is_ascii_alphabetic()) || core == "anti-affinity";
        let is_amount = core.starts_with(|letter: char| letter.is_ascii_digit()) && core.len() <= 8;
        if is_mark || is_word || is_amount { token.to_owned() } else { format!("x{stop}") }
    }
}

/// Calls `tell` with every string of an object and what it is.
fn walk(value: &Value, key: &str, tell: &mut dyn FnMut(Meaning, &str)) {
    match value {
        Value::String(text) => tell(meaning(key), text),
        Value::Array(list) => list.iter().for_each(|element| walk(element, key, tell)),
        Value::Object(object) => {
            let is_labels = holds_labels(key, object);
            let is_field_labels = key == "f:labels";
            let expression = expression_key(object);
            for (key, value) in object {
                if let Some(label) = key.strip_prefix("f:").filter(|_| is_field_labels) {
                    tell_key(label, tell);
                    continue;
                }
                if is_labels {
                    tell_label(key, value.as_str().unwrap_or_default(), tell);
                    continue;
                }
                match (expression, key.as_str(), value) {
                    (Some(label), "key", _) => tell_key(label, tell),
                    (Some(label), "value", Value::String(text)) => tell_label(label, text, tell),
                    (Some(label), "values", Value::Array(values)) => {
                        values
                            .iter()
                            .filter_map(Value::as_str)
                            .for_each(|text| tell_label(label, text, tell));
                    }
                    (_, "topologyKey", Value::String(label)) => tell_key(label, tell),
                    (
                        _,
                        "matchLabelKeys" | "mismatchLabelKeys" | "topologyKeys",
                        Value::Array(labels),
                    ) => {
                        labels
                            .iter()
                            .filter_map(Value::as_str)
                            .for_each(|label| tell_key(label, tell));
                    }
                    _ => walk(value, key, tell),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn tell_key(key: &str, tell: &mut dyn FnMut(Meaning, &str)) {
    if !is_common(key) {
        tell(Meaning::Name, key);
    }
}

fn tell_label(key: &str, value: &str, tell: &mut dyn FnMut(Meaning, &str)) {
    tell_key(key, tell);
    if !value_is_plain(key, value) {
        tell(Meaning::Name, value);
    }
}

fn meaning(key: &str) -> Meaning {
    match key {
        "name"
        | "namespace"
        | "uid"
        | "nodeName"
        | "nominatedNodeName"
        | "claimName"
        | "volumeName"
        | "storageClassName"
        | "priorityClassName"
        | "providerID"
        | "persistentVolumeName"
        | "volumeHandle"
        | "volumeID"
        | "pdName"
        | "diskName"
        | "diskURI"
        | "nodeID"
        | "resourceClaimName"
        | "resourceClaimTemplateName"
        | "device"
        | "pool"
        | "imageID"
        | "id"
        | "iqn"
        | "monitors"
        | "targetPortal"
        | "hostIP"
        | "namespaces"
        | "volumeAttributesClassName"
        | "runtimeClassName" => Meaning::Name,
        "image" | "names" | "reference" => Meaning::Image,
        "message" | "note" => Meaning::Sentence,
        "manager" => Meaning::Manager,
        _ => Meaning::Plain,
    }
}

/// Whether an object's keys are labels and not fields.
fn holds_labels(key: &str, object: &Map<String, Value>) -> bool {
    let is_plain = object.values().all(Value::is_string);
    match key {
        "labels" | "matchLabels" | "nodeSelector" => is_plain,
        // Of a Service; elsewhere it has parts.
        "selector" => is_plain && !object.contains_key("matchLabels"),
        _ => false,
    }
}

/// The label of a requirement, an expression, a taint or a toleration.
fn expression_key(object: &Map<String, Value>) -> Option<&str> {
    let key = object.get("key")?.as_str()?;
    ["operator", "values", "effect", "value"]
        .iter()
        .any(|field| object.contains_key(*field))
        .then_some(key)
}

/// Whether a key is one of Kubernetes, Karpenter or a cloud.
fn is_common(key: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else {
        return key.is_empty() || key == "metadata.name";
    };
    DOMAINS.iter().any(|common| {
        domain.strip_suffix(common).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// Whether a label's value says nothing about whose it is.
fn value_is_plain(key: &str, value: &str) -> bool {
    let is_number = value.parse::<i64>().is_ok();
    let is_named = NAMING_KEYS.contains(&key)
        || key.ends_with("nodeclass")
        || key.starts_with("app.kubernetes.io/")
        || key == "metadata.name"
        || !is_common(key);
    is_number || is_kept(value) || !is_named
}

fn is_kept(name: &str) -> bool {
    KEPT.contains(&name) || name.starts_with("system-") || is_common(name)
}

fn is_uid(name: &str) -> bool {
    name.len() == 36 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// An image's repository, and its tag or digest.
fn repository(image: &str) -> (&str, &str) {
    if let Some(at) = image.find('@') {
        return image.split_at(at);
    }
    let after_slash = image.rfind('/').map_or(0, |slash| slash + 1);
    match image[after_slash..].find(':') {
        Some(colon) => image.split_at(after_slash + colon),
        None => (image, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn objects() -> Vec<Value> {
        vec![
            json!({"kind": "Node", "metadata": {"name": "ip-10-0-1-7.acme.internal", "uid": "8d4fdb5f-a9fc-4013-91fb-2b4a3d499da6",
                "labels": {"kubernetes.io/hostname": "ip-10-0-1-7.acme.internal", "topology.kubernetes.io/zone": "eu-west-1a",
                    "acme.com/team": "payments", "karpenter.sh/nodepool": "acme-general"}},
                "spec": {"taints": [{"key": "acme.com/gpu", "value": "yes-please", "effect": "NoSchedule"}]},
                "status": {"images": [{"names": ["registry.acme.com/shop@sha256:ab", "registry.acme.com/shop:1"]}]}}),
            json!({"kind": "Pod", "metadata": {"name": "shop-1", "namespace": "acme", "generateName": "shop-",
                "managedFields": [{"manager": "acme-operator", "fieldsV1": {"f:metadata": {"f:labels": {"f:acme.com/team": {}}}}}]},
                "spec": {"nodeName": "ip-10-0-1-7.acme.internal", "nodeSelector": {"acme.com/team": "payments"},
                    "containers": [{"name": "main", "image": "registry.acme.com/shop:1"}],
                    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eu-west-1a"]},
                            {"key": "acme.com/team", "operator": "In", "values": ["payments"]}]}]}}}}}),
            json!({"kind": "Event", "metadata": {"name": "shop-1.17", "namespace": "acme"},
                "message": "Successfully assigned acme/shop-1 to ip-10-0-1-7.acme.internal; see arn:aws:iam::123456789012:role/acme-x9"}),
        ]
    }

    #[test]
    fn nothing_that_somebody_chose_is_left_and_references_still_meet() {
        let objects = objects();
        let anonymiser = Anonymiser::of(&objects);
        let renamed = objects.iter().map(|object| anonymiser.object(object)).collect::<Vec<_>>();
        let text = Value::from(renamed.clone()).to_string();
        for word in ["acme", "shop", "payments", "gpu", "yes-please", "8d4fdb5f", "123456789012"] {
            assert!(!text.contains(word), "{word} is in {text}");
        }
        let (node, pod) = (&renamed[0], &renamed[1]);
        assert_eq!(node["metadata"]["name"], pod["spec"]["nodeName"]);
        assert_eq!(node["metadata"]["labels"]["topology.kubernetes.io/zone"], "eu-west-1a");
        let team = pod["spec"]["nodeSelector"]
            .as_object()
            .and_then(|selector| selector.iter().next())
            .expect("a selector");
        assert_eq!(&node["metadata"]["labels"][team.0], team.1);
        let image =
            pod.pointer("/spec/containers/0/image").and_then(Value::as_str).expect("an image");
        assert!(image.ends_with(":1") && node["status"]["images"][0]["names"][1] == image);
        let said = renamed[2]["message"].as_str().expect("a message");
        let assigned = format!(
            "Successfully assigned {}/{} to {}",
            anonymiser.name("acme"),
            anonymiser.name("shop-1"),
            anonymiser.name("ip-10-0-1-7.acme.internal")
        );
        assert!(said.starts_with(&assigned), "{said}");
    }

    #[test]
    fn the_order_of_names_is_kept() {
        let objects = ["c", "a", "b10", "b9"].map(|name| json!({"metadata": {"name": name}}));
        let anonymiser = Anonymiser::of(&objects);
        let mut names = ["a", "b10", "b9", "c"].map(|name| anonymiser.name(name).to_owned());
        assert!(names.is_sorted());
        names.sort();
        assert_eq!(names.len(), 4);
    }
}
