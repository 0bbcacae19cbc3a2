//! `metadata` and `status.conditions`, as every object carries them.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::model::labels::Labels;
use crate::model::meta::{Condition, ManagedField, Meta, Owner};
use crate::model::names::{NamespaceName, Str, Uid};
use crate::model::time::Timestamp;

use super::intern::Interner;
use super::wire::{List, Text, Texts};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawMeta<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow)]
    pub namespace: Text<'a>,
    #[serde(borrow)]
    pub uid: Text<'a>,
    #[serde(borrow)]
    resource_version: Text<'a>,
    generation: Option<i64>,
    #[serde(borrow)]
    creation_timestamp: Text<'a>,
    #[serde(borrow)]
    deletion_timestamp: Text<'a>,
    deletion_grace_period_seconds: Option<i64>,
    #[serde(borrow)]
    labels: Texts<'a>,
    #[serde(borrow)]
    annotations: Texts<'a>,
    #[serde(borrow)]
    owner_references: List<RawOwner<'a>>,
    #[serde(borrow)]
    managed_fields: List<RawManagedField<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawOwner<'a> {
    #[serde(borrow)]
    api_version: Text<'a>,
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    uid: Text<'a>,
    controller: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawManagedField<'a> {
    #[serde(borrow)]
    manager: Text<'a>,
    #[serde(borrow)]
    operation: Text<'a>,
    #[serde(borrow)]
    subresource: Text<'a>,
    #[serde(borrow)]
    time: Text<'a>,
    #[serde(rename = "fieldsV1")]
    fields: FieldPaths,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawCondition<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    status: Text<'a>,
    #[serde(borrow)]
    reason: Text<'a>,
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(borrow)]
    last_transition_time: Text<'a>,
    observed_generation: Option<i64>,
}

/// `metadata` of a template, which says what is put on the objects made from it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawTemplateMeta<'a> {
    #[serde(borrow)]
    labels: Texts<'a>,
    #[serde(borrow)]
    annotations: Texts<'a>,
}

impl RawTemplateMeta<'_> {
    /// Labels, and the annotations that are kept.
    pub fn read(&self, interner: &mut Interner) -> (Labels, Labels) {
        (interner.labels(&self.labels), kept_annotations(&self.annotations, interner))
    }
}

/// Whether an annotation is kept: all others are dropped where they are read, since they may hold anything.
pub(crate) fn is_kept_annotation(key: &str) -> bool {
    const KEYS: [&str; 14] = [
        "cluster-autoscaler.kubernetes.io/safe-to-evict",
        "controller.kubernetes.io/pod-deletion-cost",
        "kubernetes.io/config.mirror",
        "kubernetes.io/config.source",
        "kwok.x-k8s.io/node",
        "pv.kubernetes.io/bind-completed",
        "pv.kubernetes.io/bound-by-controller",
        "pv.kubernetes.io/provisioned-by",
        "storage.alpha.kubernetes.io/migrated-plugins",
        "storageclass.beta.kubernetes.io/is-default-class",
        "storageclass.kubernetes.io/is-default-class",
        "volume.beta.kubernetes.io/storage-class",
        "volume.kubernetes.io/selected-node",
        "volume.kubernetes.io/storage-provisioner",
    ];
    const DOMAINS: [&str; 5] = [
        "karpenter.sh",
        "karpenter.k8s.aws",
        "karpenter.azure.com",
        "karpenter.kwok.sh",
        "landed.dev",
    ];
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    KEYS.contains(&key)
        || DOMAINS.iter().any(|kept| {
            domain.strip_suffix(kept).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
}

impl RawMeta<'_> {
    /// The metadata, with what is shared kept once.
    pub fn read(&self, interner: &mut Interner) -> Meta {
        let owners =
            self.owner_references.0.iter().map(|owner| owner.read(interner)).collect::<Vec<_>>();
        let managed = &self.managed_fields.0;
        let managed = managed.iter().map(|field| field.read(interner)).collect();
        Meta {
            name: Str::from(self.name.as_str()),
            namespace: NamespaceName(interner.text(self.namespace.as_str())),
            uid: Uid::from(self.uid.as_str()),
            resource_version: self.resource_version.as_str().parse().ok(),
            generation: self.generation,
            created: time(&self.creation_timestamp),
            deletion: time(&self.deletion_timestamp),
            deletion_grace_seconds: self.deletion_grace_period_seconds,
            labels: interner.labels(&self.labels),
            annotations: kept_annotations(&self.annotations, interner),
            owners: interner.owners(owners),
            managed: interner.managed(managed),
        }
    }

    /// When the object was made.
    pub fn created(&self) -> Option<Timestamp> {
        time(&self.creation_timestamp)
    }
}

fn kept_annotations(annotations: &Texts<'_>, interner: &mut Interner) -> Labels {
    interner.labels_where(annotations, is_kept_annotation)
}

impl RawOwner<'_> {
    fn read(&self, interner: &mut Interner) -> Owner {
        Owner {
            api_version: interner.text(self.api_version.as_str()),
            kind: interner.text(self.kind.as_str()),
            name: interner.text(self.name.as_str()),
            // The owners of siblings are kept once as a whole.
            uid: Uid::from(self.uid.as_str()),
            controller: self.controller.unwrap_or(false),
        }
    }
}

impl RawManagedField<'_> {
    fn read(&self, interner: &mut Interner) -> ManagedField {
        ManagedField {
            manager: interner.text(self.manager.as_str()),
            operation: interner.text(self.operation.as_str()),
            subresource: interner.text(self.subresource.as_str()),
            time: time(&self.time),
            fields: interner.paths(&self.fields.0),
        }
    }
}

/// Reads conditions in the order of the object.
pub(crate) fn conditions(raw: &List<RawCondition<'_>>, interner: &mut Interner) -> Vec<Condition> {
    raw.0
        .iter()
        .map(|condition| Condition {
            kind: interner.text(condition.kind.as_str()),
            status: interner.text(condition.status.as_str()),
            reason: interner.text(condition.reason.as_str()),
            message: interner.text(condition.message.as_str()),
            changed: time(&condition.last_transition_time),
            observed_generation: condition.observed_generation,
        })
        .collect()
}

/// A moment as RFC 3339; none when empty or malformed.
pub(crate) fn time(text: &Text<'_>) -> Option<Timestamp> {
    if text.is_empty() {
        return None;
    }
    text.as_str().parse().ok()
}

/// Paths of `fieldsV1` that are kept, without their `f:`; the deepest ones first found stand for all below them.
const PATHS: [&str; 18] = [
    "metadata.annotations",
    "metadata.deletionGracePeriodSeconds",
    "metadata.labels",
    "spec.claimRef",
    "spec.nodeName",
    "spec.providerID",
    "spec.replicas",
    "spec.schedulingGates",
    "spec.taints",
    "spec.unschedulable",
    "spec.volumeName",
    "status.allocatable",
    "status.capacity",
    "status.conditions",
    "status.nodeName",
    "status.nominatedNodeName",
    "status.phase",
    "status.providerID",
];

/// Which of [`PATHS`] a `fieldsV1` holds; below conditions also their types, below labels their keys.
#[derive(Debug, Default)]
struct FieldPaths(Vec<Cow<'static, str>>);

impl<'de> Deserialize<'de> for FieldPaths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut found = Vec::new();
        deserializer.deserialize_any(Level { at: At::Top, found: &mut found })?;
        Ok(Self(found))
    }
}

/// A place in `fieldsV1`.
#[derive(Clone, Copy)]
enum At {
    /// Its outermost level.
    Top,
    /// In `metadata`, `spec` or `status`.
    Section(&'static str),
    /// In a field whose parts matter by name.
    Field(&'static str),
}

/// One level of `fieldsV1`.
struct Level<'a> {
    at: At,
    found: &'a mut Vec<Cow<'static, str>>,
}

impl Level<'_> {
    /// Notes a key, and tells what is looked at below it.
    fn step(&mut self, key: &str) -> Option<At> {
        let (kind, name) = key.split_once(':')?;
        match (self.at, kind) {
            (At::Top, "f") => {
                let sections = ["metadata", "spec", "status"];
                sections.into_iter().find(|section| *section == name).map(At::Section)
            }
            (At::Section(section), "f") => {
                let path = PATHS.into_iter().find(|path| {
                    path.strip_prefix(section).and_then(|rest| rest.strip_prefix('.')) == Some(name)
                })?;
                self.found.push(Cow::Borrowed(path));
                ["status.conditions", "metadata.labels"].contains(&path).then_some(At::Field(path))
            }
            (At::Field(path), "f") => {
                self.found.push(Cow::Owned(format!("{path}.{name}")));
                None
            }
            (At::Field(path), "k") => {
                let name = condition_type(name)?;
                self.found.push(Cow::Owned(format!("{path}.{name}")));
                None
            }
            _ => None,
        }
    }
}

impl<'de> serde::de::DeserializeSeed<'de> for Level<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a tree of fields")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut access: A) -> Result<(), A::Error> {
        while let Some(key) = access.next_key::<Text<'de>>()? {
            match self.step(key.as_str()) {
                Some(at) => access.next_value_seed(Level { at, found: &mut *self.found })?,
                None => {
                    access.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A `fieldsV1` with only what is read of it: for dumps.
pub(crate) fn kept_managed_fields(fields: &Value) -> Value {
    let mut kept = Map::new();
    for (section, below) in entries(fields) {
        let mut fields = Map::new();
        for (field, below) in entries(below) {
            let path =
                format!("{}.{}", section.trim_start_matches("f:"), field.trim_start_matches("f:"));
            if PATHS.contains(&path.as_str()) {
                let names_matter =
                    ["status.conditions", "metadata.labels"].contains(&path.as_str());
                let names = entries(below).filter(|_| names_matter);
                let names = names.map(|(name, _)| (name.clone(), Value::Object(Map::new())));
                fields.insert(field.clone(), Value::Object(names.collect()));
            }
        }
        if !fields.is_empty() {
            kept.insert(section.clone(), Value::Object(fields));
        }
    }
    Value::Object(kept)
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The type in a list key such as `{"type":"Ready"}`.
fn condition_type(key: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Key {
        r#type: String,
    }
    serde_json::from_str::<Key>(key).ok().map(|key| key.r#type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managed_fields_keep_who_wrote_what_matters() {
        let raw: RawMeta<'_> = serde_json::from_str(
            r#"{"name":"a","managedFields":[{"manager":"kube-scheduler","operation":"Update","subresource":"status",
            "time":"2026-12-01T05:27:54Z","fieldsV1":{"f:status":{"f:conditions":{".":{},
            "k:{\"type\":\"PodScheduled\"}":{"f:status":{}}},"f:nominatedNodeName":{}},"f:spec":{"f:containers":{}}}}]}"#,
        )
        .expect("metadata");
        let meta = raw.read(&mut Interner::default());
        let field = &meta.managed[0];
        assert_eq!(&*field.manager, "kube-scheduler");
        assert_eq!(
            field.fields.iter().map(|path| &**path).collect::<Vec<_>>(),
            ["status.conditions", "status.conditions.PodScheduled", "status.nominatedNodeName"]
        );
    }

    #[test]
    fn what_a_dump_keeps_of_managed_fields_reads_the_same() {
        let fields = r#"{"f:status":{"f:conditions":{".":{},"k:{\"type\":\"PodScheduled\"}":{"f:status":{}}},
            "f:nominatedNodeName":{}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{}}},
            "f:metadata":{"f:labels":{"f:app":{}}}}"#;
        let paths = |json: &str| serde_json::from_str::<FieldPaths>(json).expect("fields").0;
        let kept = kept_managed_fields(&serde_json::from_str(fields).expect("fields"));
        let mut before = paths(fields);
        let mut after = paths(&kept.to_string());
        before.sort();
        after.sort();
        assert_eq!(before, after);
        assert!(!kept.to_string().contains("containers"));
    }

    #[test]
    fn only_annotations_on_the_list_are_kept() {
        for (key, kept) in [
            ("karpenter.sh/do-not-disrupt", true),
            ("compatibility.karpenter.sh/v1beta1-kubelet-conversion", true),
            ("pv.kubernetes.io/bind-completed", true),
            ("kubectl.kubernetes.io/last-applied-configuration", false),
            ("notkarpenter.sh/x", false),
            ("password", false),
        ] {
            assert_eq!(is_kept_annotation(key), kept, "{key}");
        }
    }
}
