//! `Manifest`: one object of a file.

use super::position::{FieldPath, Position};
use super::tree::Tree;

/// Kinds that live in no namespace.
const CLUSTER_WIDE: [&str; 14] = [
    "NodePool",
    "NodeClaim",
    "NodeOverlay",
    "Node",
    "StorageClass",
    "PersistentVolume",
    "PriorityClass",
    "Namespace",
    "CSIDriver",
    "CSINode",
    "VolumeAttachment",
    "DeviceClass",
    "ResourceSlice",
    "CustomResourceDefinition",
];

/// One object of a file, with the place of each field.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Its place among all objects of a run.
    pub index: usize,
    /// The file, as it was named.
    pub file: String,
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// The namespace: what the object says, or else the one asked for; empty for kinds that live in none.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// All of its fields.
    pub tree: Tree,
}

impl Manifest {
    /// The objects of a document: itself, or the items of a `kind: List`. A document that is none gives its place.
    pub fn all_of(file: &str, document: Tree, namespace: &str) -> Result<Vec<Self>, Position> {
        let kind = document.get("kind").and_then(Tree::text).unwrap_or_default().to_owned();
        if let Some(item_kind) = kind.strip_suffix("List")
            && document.get("items").is_some()
        {
            let mut all = Vec::new();
            for item in document.get("items").map(Tree::items).unwrap_or_default() {
                all.extend(Self::one(file, item.clone(), namespace, item_kind)?);
            }
            return Ok(all);
        }
        Self::one(file, document, namespace, "").map(|one| one.into_iter().collect())
    }

    fn one(
        file: &str,
        tree: Tree,
        namespace: &str,
        item_kind: &str,
    ) -> Result<Option<Self>, Position> {
        let text = |path: &str| tree.at(&FieldPath::of(path)).and_then(Tree::text);
        let kind = text("kind").unwrap_or(item_kind).to_owned();
        if kind.is_empty() {
            return Err(tree.position);
        }
        let api_version = text("apiVersion").unwrap_or_default().to_owned();
        let is_node_class = api_version.contains("karpenter") && kind.ends_with("NodeClass");
        let namespace = if is_node_class || CLUSTER_WIDE.contains(&&*kind) {
            String::new()
        } else {
            text("metadata.namespace").unwrap_or(namespace).to_owned()
        };
        let generated = || text("metadata.generateName").map(|prefix| format!("{prefix}0"));
        let name = text("metadata.name").map(str::to_owned).or_else(generated).unwrap_or_default();
        Ok(Some(Self { index: 0, file: file.to_owned(), api_version, kind, namespace, name, tree }))
    }

    /// The object as kubectl names it: `deployment/web`.
    pub fn title(&self) -> String {
        format!("{}/{}", self.kind.to_lowercase(), self.name)
    }

    /// Where a field stands.
    pub fn position_of(&self, path: &FieldPath) -> Position {
        self.tree.position_of(path)
    }

    /// The value of a field.
    pub fn field(&self, dotted: &str) -> Option<&Tree> {
        self.tree.at(&FieldPath::of(dotted))
    }

    /// The object as JSON, as the API server would store it: with its name and its namespace.
    pub fn to_json(&self) -> serde_json::Value {
        let mut value = self.tree.to_json();
        let Some(object) = value.as_object_mut() else { return value };
        object.entry("kind").or_insert_with(|| self.kind.clone().into());
        let meta = object.entry("metadata").or_insert_with(|| serde_json::json!({}));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert("name".into(), self.name.clone().into());
            if !self.namespace.is_empty() {
                meta.insert("namespace".into(), self.namespace.clone().into());
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::yaml;

    #[test]
    fn a_list_gives_its_items_with_their_own_places() {
        let text = "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  metadata: {name: a}\n- kind: NodePool\n  metadata: {name: b}\n";
        let document = yaml::read(text).documents.remove(0);
        let all = Manifest::all_of("f", document, "shop").expect("manifests");
        let seen: Vec<_> = all
            .iter()
            .map(|one| (one.title(), one.namespace.as_str(), one.tree.position.line))
            .collect();
        assert_eq!(seen, [("pod/a".into(), "shop", 4), ("nodepool/b".into(), "", 6)]);
        assert_eq!(all[0].to_json()["metadata"]["namespace"], "shop");
    }

    #[test]
    fn what_is_no_object_gives_its_place() {
        let document = yaml::read("# c\nreplicas: 3\n").documents.remove(0);
        let refused = Manifest::all_of("values.yaml", document, "default");
        assert_eq!(refused.map_err(|position| position.line), Err(2));
    }
}
