//! One JSON document: an object, a list of any kind, an array of objects, or a step of a watch.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::model::gap::{Gap, GapKind};
use crate::model::history::{Change, ChangeKind, Object as Tracked};

use super::collect::Collector;
use super::intern::Interner;
use super::kind::Kind;
use super::object::{Head, Object, read};
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
    change: Text<'a>,
    #[serde(borrow)]
    object: Option<&'a RawValue>,
}

impl Collector {
    /// Reads JSON documents that follow one another. `origin` names the file for what cannot be read.
    pub fn json(&mut self, json: &[u8], origin: &str) {
        let mut interner = Interner::default();
        let mut documents = serde_json::Deserializer::from_slice(json).into_iter::<&RawValue>();
        while let Some(document) = documents.next() {
            match document {
                Ok(document) => self.document(document.get().as_bytes(), origin, &mut interner),
                Err(error) => return self.damaged(origin, &error),
            }
        }
    }

    /// Reads a text of any format.
    pub fn text(&mut self, text: &[u8], origin: &str) {
        if matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')) {
            return self.json(text, origin);
        }
        let text = String::from_utf8_lossy(text);
        let mut interner = Interner::default();
        for document in super::yaml::documents(&text) {
            match document {
                Ok(json) => self.document(&json, origin, &mut interner),
                Err(error) => {
                    let detail = format!("not readable as YAML: {error}");
                    self.gap(Gap::new(GapKind::Damaged, origin, detail));
                }
            }
        }
    }

    /// Reads one JSON document. `origin` names the file for what cannot be read.
    pub(crate) fn document(&mut self, json: &[u8], origin: &str, interner: &mut Interner) {
        if json.trim_ascii_start().first() == Some(&b'[') {
            match serde_json::from_slice::<List<&RawValue>>(json) {
                Ok(list) => {
                    for item in list.0 {
                        self.item(item.get().as_bytes(), None, origin, interner);
                    }
                }
                Err(error) => self.damaged(origin, &error),
            }
            return;
        }
        let document = match serde_json::from_slice::<Document<'_>>(json) {
            Ok(document) => document,
            Err(error) => return self.damaged(origin, &error),
        };
        if let (Some(object), false) = (document.object, document.change.is_empty()) {
            return self.change(
                document.change.as_str(),
                object.get().as_bytes(),
                origin,
                interner,
            );
        }
        let Some(items) = document.items else {
            return self.item(json, None, origin, interner);
        };
        let listed = document.kind.as_str().strip_suffix("List").unwrap_or_default();
        let version = document.api_version.as_str();
        for item in items.0 {
            self.item(item.get().as_bytes(), Some((version, listed)), origin, interner);
        }
    }

    /// Reads one object. `listed` is the version and kind of the list that it stands in: such items carry none.
    pub(crate) fn item(
        &mut self,
        json: &[u8],
        listed: Option<(&str, &str)>,
        origin: &str,
        interner: &mut Interner,
    ) {
        match self.object(json, listed, interner) {
            Ok(Some(object)) => self.push(object),
            Ok(None) => self.dump_info(json),
            Err((subject, error)) => self.gap(Gap::new(
                GapKind::Unreadable,
                subject,
                format!("cannot be read and is left out ({origin}): {error}"),
            )),
        }
    }

    fn object(
        &mut self,
        json: &[u8],
        listed: Option<(&str, &str)>,
        interner: &mut Interner,
    ) -> Result<Option<Object>, (String, serde_json::Error)> {
        let mut head: Head<'_> =
            serde_json::from_slice(json).map_err(|error| (subject(json, "object"), error))?;
        if let (true, Some((version, kind))) = (head.kind.is_empty(), listed) {
            head.kind = Text(kind.into());
            head.api_version = Text(version.into());
        }
        let Some(kind) = Kind::of(head.api_version.as_str(), head.kind.as_str()) else {
            return Ok(None);
        };
        read(kind, &head, json, interner).map_err(|error| (subject(json, kind.resource()), error))
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
        let object = match object {
            Object::Pod(object) => Tracked::Pod(object),
            Object::Node(object) => Tracked::Node(object),
            Object::NodeClaim(object) => Tracked::NodeClaim(object),
            Object::NodePool(object) => Tracked::NodePool(object),
            Object::Workload(object) => Tracked::Workload(object),
            Object::PersistentVolumeClaim(object) => Tracked::PersistentVolumeClaim(object),
            Object::PersistentVolume(object) => Tracked::PersistentVolume(object),
            Object::VolumeAttachment(object) => Tracked::VolumeAttachment(object),
            Object::CsiNode(object) => Tracked::CsiNode(object),
            _ => return,
        };
        self.snapshot.history.push(Change { seen: None, kind, object });
    }

    fn damaged(&mut self, origin: &str, error: &serde_json::Error) {
        self.gap(Gap::new(GapKind::Damaged, origin, format!("not readable as JSON: {error}")));
    }
}

/// How an unreadable object is called: by its name where at least that can be read.
fn subject(json: &[u8], resource: &str) -> String {
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
    match serde_json::from_slice::<Named>(json) {
        Ok(Named { metadata }) if !metadata.name.is_empty() && metadata.namespace.is_empty() => {
            format!("{resource}/{}", metadata.name)
        }
        Ok(Named { metadata }) if !metadata.name.is_empty() => {
            format!("{resource}/{} in namespace {}", metadata.name, metadata.namespace)
        }
        _ => format!("{resource} without a name"),
    }
}
