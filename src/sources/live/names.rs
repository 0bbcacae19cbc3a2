//! Names of objects and nothing more of them: for completion.

use serde::Deserialize;

use super::client::Connection;
use super::error::LiveError;

/// Of each object only its metadata is sent.
const METADATA: &str =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// The names in a list, at most 500 of them.
pub async fn names(connection: &Connection, path: &str) -> Result<Vec<String>, LiveError> {
    #[derive(Default, Deserialize)]
    struct List {
        #[serde(default)]
        items: Vec<Item>,
    }
    #[derive(Deserialize)]
    struct Item {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        name: String,
    }
    let answer = connection.get(&format!("{path}?limit=500"), METADATA, "names").await?;
    let list = serde_json::from_slice::<List>(&answer.body).unwrap_or_default();
    Ok(list.items.into_iter().map(|item| item.metadata.name).collect())
}
