//! One JSON document: an object, a list of any kind, an array of objects, a step of a watch, a line of a log.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::model::gap::{Gap, GapKind};
use crate::model::history::{Change, ChangeKind};
use crate::model::labels::Labels;
use crate::model::workload::WorkloadKind;

use super::catalogue;
use super::collect::Collector;
use super::intern::Interner;
use super::json;
use super::kind::{Kind, group};
use super::object::{Head, Object, read};
use super::settings;
use super::wire::{List, Text};

/// A document's outer fields.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Document<'a> {
    #[serde(borrow)]
    api_version: Text<'a>,
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    items: Option<List<&'a RawValue>>,
    #[serde(borrow, rename = "type")]
    change: Option<&'a RawValue>,
    #[serde(borrow)]
    object: Option<&'a RawValue>,
}

impl Collector {
    /// Reads one JSON document. `origin` names the file for what cannot be read.
    pub(crate) fn document(
        &mut self,
        json: &[u8],
        origin: &str,
        interner: &mut Interner,
    ) -> serde_json::Result<()> {
        if json.trim_ascii_start().first() == Some(&b'[') {
            self.array(&serde_json::from_slice::<List<&RawValue>>(json)?, origin, interner);
            return Ok(());
        }
        let document: Document<'_> = serde_json::from_slice(json)?;
        let change = document.change.map_or("", |change| change.get().trim_matches('"'));
        match (document.object, document.items) {
            (Some(object), _) if !change.is_empty() && document.kind.is_empty() => {
                self.change(change, object.get().as_bytes(), origin, interner);
            }
            (_, Some(items)) if group(document.api_version.as_str()) != "audit.k8s.io" => {
                self.is_listing = true;
                let listed = document.kind.as_str().strip_suffix("List").unwrap_or_default();
                let version = document.api_version.as_str();
                for item in items.0 {
                    self.item(item.get().as_bytes(), Some((version, listed)), origin, interner);
                }
            }
            _ if document.kind.is_empty() || document.api_version.is_empty() => {
                self.untyped(serde_json::from_slice(json)?, origin);
            }
            _ => {
                self.item(json, None, origin, interner);
            }
        }
        Ok(())
    }

    /// Reads a page of a list, as an API server sends it. `interner` keeps what it shares with other pages.
    #[cfg(feature = "live")]
    pub(crate) fn page(&mut self, json: &[u8], origin: &str, interner: &mut Interner) {
        if let Err(error) = self.document(json, origin, interner) {
            self.damaged(origin, &format!("not readable as JSON: {error}"));
        }
    }

    /// A bundle's bare array of objects, an export of log entries, or a file of instance types.
    fn array(&mut self, list: &List<&RawValue>, origin: &str, interner: &mut Interner) {
        for item in &list.0 {
            self.element(item.get().as_bytes(), origin, interner);
        }
    }

    /// An element of a bare array: an object, an entry of a log, an instance type.
    pub(crate) fn element(&mut self, json: &[u8], origin: &str, interner: &mut Interner) {
        if json::has_kind(json) {
            self.item(json, None, origin, interner);
            return;
        }
        let Ok(value) = serde_json::from_slice::<Value>(json) else { return };
        if value.get("offerings").is_some_and(Value::is_array) {
            self.instance_type(&value, origin);
        } else {
            self.found |= self.loose(value);
        }
    }

    fn instance_type(&mut self, value: &Value, origin: &str) {
        let list = Value::from(vec![value.clone()]).to_string();
        match super::instance_types(list.as_bytes()) {
            Ok(types) => {
                let known = self.snapshot.settings.instance_types.get_or_insert_with(Vec::new);
                known.extend(types);
            }
            Err(error) => {
                self.gap(Gap::new(GapKind::Unreadable, origin, error.to_string()));
            }
        }
    }

    /// A document without a kind: versions, settings of a recording, a line of a log.
    fn untyped(&mut self, value: Value, origin: &str) {
        if let Some(facts) = catalogue::facts(&value, origin) {
            self.snapshot.settings.catalogue.extend(facts);
            return;
        }
        if settings::take_versions(&value, &mut self.snapshot.settings) {
            return;
        }
        if value.get("karpenterVersion").is_some() && value.get("environment").is_some() {
            if let Ok(found) = settings::karpenter_settings(&value.to_string()) {
                settings::take_controller(found, &mut self.snapshot.settings);
            }
            return;
        }
        if let Value::Object(object) = value {
            self.found |= self.record(object, 0);
        }
    }

    /// Reads one object; whether it is one that is kept. `listed` is the version and kind of the list that it stands in:
    /// such items carry none.
    pub(crate) fn item(
        &mut self,
        json: &[u8],
        listed: Option<(&str, &str)>,
        origin: &str,
        interner: &mut Interner,
    ) -> bool {
        match self.object(json, listed, interner) {
            Ok(Some(object)) => {
                self.found = true;
                self.push(object);
                return true;
            }
            Ok(None) => {}
            Err((subject, error)) => self.gap(Gap::new(
                GapKind::Unreadable,
                subject,
                format!("cannot be read and is left out ({origin}): {error}"),
            )),
        }
        false
    }

    pub(super) fn object(
        &mut self,
        json: &[u8],
        listed: Option<(&str, &str)>,
        interner: &mut Interner,
    ) -> Result<Option<Object>, (String, serde_json::Error)> {
        let text = match std::str::from_utf8(json) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(json),
        };
        let listed = listed.filter(|(_, kind)| !kind.is_empty());
        let mut head = match json::head(&text, listed.is_some()) {
            Some((version, kind)) => {
                Head { api_version: Text(version.into()), kind: Text(kind.into()) }
            }
            None => {
                serde_json::from_slice(json).map_err(|error| (subject(json, "object"), error))?
            }
        };
        if let (true, Some((version, kind))) = (head.kind.is_empty(), listed) {
            head.kind = Text(kind.into());
            head.api_version = Text(version.into());
        }
        let Some(kind) = Kind::of(head.api_version.as_str(), head.kind.as_str()) else {
            self.other_kind(&head, json);
            return Ok(None);
        };
        if matches!(text, Cow::Owned(_)) {
            let subject = subject(text.as_bytes(), kind.resource());
            self.gap(Gap::new(GapKind::Damaged, subject, NO_UTF_8));
        }
        let object = read(kind, &head, &text, interner)
            .map_err(|error| (subject(json, kind.resource()), error))?;
        match &object {
            Some(Object::Pod(pod)) => self.controller(&pod.meta.name, &pod.meta.labels, json),
            Some(Object::Workload(workload)) if workload.kind == WorkloadKind::Deployment => {
                self.controller(&workload.meta.name, &workload.meta.labels, json);
            }
            None if kind == Kind::ConfigMap => {
                if let Some((namespace, name)) = name_of(json)
                    && settings::is_settings_config_map(&namespace, &name)
                {
                    settings::take_config_map(json, &mut self.snapshot.settings);
                }
            }
            _ => {}
        }
        Ok(object)
    }

    fn controller(&mut self, name: &str, labels: &Labels, json: &[u8]) {
        if settings::is_controller(name, labels.value("app.kubernetes.io/name"))
            && let Some(found) = settings::controller(json)
        {
            settings::take_controller(found, &mut self.snapshot.settings);
        }
    }

    /// Kinds that are no objects of the cluster, and objects of Karpenter that are too old to be replayed.
    fn other_kind(&mut self, head: &Head<'_>, json: &[u8]) {
        match (group(head.api_version.as_str()), head.kind.as_str()) {
            ("kubescheduler.config.k8s.io", "KubeSchedulerConfiguration") => {
                if let Ok(value) = serde_json::from_slice(json) {
                    self.snapshot.settings.scheduler_configuration.get_or_insert(value);
                }
            }
            ("audit.k8s.io", _) => {
                if let Ok(Value::Object(object)) = serde_json::from_slice(json) {
                    self.found |= self.record(object, 0);
                }
            }
            ("landed.dev", "Dump") => self.dump_info(json),
            ("karpenter.sh", kind @ ("Provisioner" | "Machine")) => {
                let (_, name) = name_of(json).unwrap_or_default();
                let detail = format!(
                    "a {kind} of {} is not read: only NodePools and NodeClaims are",
                    head.api_version.as_str()
                );
                let subject = format!("{}/{name}", kind.to_ascii_lowercase());
                self.gap(Gap::new(GapKind::NotModelled, subject, detail));
            }
            _ => {}
        }
    }

    /// Reads one step of a watch.
    fn change(&mut self, change: &str, json: &[u8], origin: &str, interner: &mut Interner) {
        let kind = match change {
            "ADDED" => ChangeKind::Added,
            "MODIFIED" => ChangeKind::Modified,
            "DELETED" => ChangeKind::Deleted,
            _ => return,
        };
        let object = match self.object(json, None, interner) {
            Ok(Some(object)) => object,
            Ok(None) => return,
            Err((subject, error)) => {
                let detail = format!("a change cannot be read and is left out ({origin}): {error}");
                return self.gap(Gap::new(GapKind::Unreadable, subject, detail));
            }
        };
        let Some(object) = object.tracked() else { return };
        self.found = true;
        self.snapshot.history.push(Change { seen: None, kind, object });
    }
}

/// What is said of bytes that are no text.
pub(super) const NO_UTF_8: &str = "holds bytes that are no UTF-8: U+FFFD stands for them";

/// How an unreadable object is called: by its name where at least that can be read.
fn subject(json: &[u8], resource: &str) -> String {
    match name_of(json) {
        Some((namespace, name)) if namespace.is_empty() => format!("{resource}/{name}"),
        Some((namespace, name)) => format!("{resource}/{name} in namespace {namespace}"),
        None => format!("{resource} without a name"),
    }
}

/// Namespace and name, when nothing else of an object is wanted.
fn name_of(json: &[u8]) -> Option<(String, String)> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Named {
        metadata: Name,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Name {
        namespace: String,
        name: String,
    }
    let Named { metadata } = serde_json::from_slice(json).ok()?;
    (!metadata.name.is_empty()).then_some((metadata.namespace, metadata.name))
}
