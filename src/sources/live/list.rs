//! One list, page by page.

use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::client::{Answer, Connection, status_message};
use super::error::LiveError;
use super::kinds::Resource;

/// Objects asked for at once: kubectl's own number.
const PAGE: usize = 500;
/// How often a list is begun anew because it grew too old on the way.
const RESTARTS: usize = 3;

/// A list that was read to its end.
pub struct Listed<T> {
    /// What was listed.
    pub resource: Resource,
    /// The one namespace that it is from, where the others were not allowed.
    pub only_in: Option<String>,
    /// Its items, in the server's order.
    pub items: Vec<T>,
    /// The version of the list: a watch goes on from here.
    pub resource_version: String,
}

/// How a list ended without an error.
pub(super) enum Outcome<T> {
    Listed(Listed<T>),
    /// 403, with the server's words.
    Forbidden(String),
    /// 404 or 405.
    Absent,
}

#[derive(Deserialize)]
struct Page<'a> {
    metadata: Option<Metadata>,
    #[serde(borrow, default)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default, rename = "continue")]
    next: String,
    #[serde(default)]
    resource_version: String,
}

/// Reads a list. `take` gets each item as it was sent. A list that expired half-way is begun anew: the server's offer
/// to go on from another moment would give a mixture.
pub(super) async fn list<T>(
    connection: &Connection,
    resource: &Resource,
    namespace: Option<&str>,
    selector: &str,
    take: &(dyn Fn(&Resource, &str) -> Option<T> + Send + Sync),
) -> Result<Outcome<T>, LiveError> {
    for _ in 0..RESTARTS {
        if let Some(outcome) = list_once(connection, resource, namespace, selector, take).await? {
            return Ok(outcome);
        }
    }
    Err(LiveError::Broken {
        server: connection.server.clone(),
        what: resource.qualified(),
        detail: format!("the list expired {RESTARTS} times before its end (410 Gone)"),
    })
}

/// None: it expired on the way.
async fn list_once<T>(
    connection: &Connection,
    resource: &Resource,
    namespace: Option<&str>,
    selector: &str,
    take: &(dyn Fn(&Resource, &str) -> Option<T> + Send + Sync),
) -> Result<Option<Outcome<T>>, LiveError> {
    let what = resource.qualified();
    let mut items = Vec::new();
    let mut next = String::new();
    loop {
        let mut path = format!("{}?limit={PAGE}", resource.path(namespace));
        for (name, value) in [("fieldSelector", selector), ("continue", next.as_str())] {
            if !value.is_empty() {
                path = format!("{path}&{name}={}", percent_encode(value));
            }
        }
        let Answer { status, body } = connection.get(&path, "application/json", &what).await?;
        match status {
            200 => {}
            403 => return Ok(Some(Outcome::Forbidden(status_message(&body)))),
            410 => return Ok(None),
            _ => return Ok(Some(Outcome::Absent)),
        }
        let page: Page<'_> = serde_json::from_slice(&body).map_err(|error| LiveError::Broken {
            server: connection.server.clone(),
            what: what.clone(),
            detail: format!("the answer is not a list: {error}"),
        })?;
        let raw = page.items.unwrap_or_default();
        connection.progress.objects.fetch_add(raw.len() as u64, Ordering::Relaxed);
        items.extend(raw.iter().filter_map(|item| take(resource, item.get())));
        let Some(metadata) = page.metadata else { break };
        if metadata.next.is_empty() {
            return Ok(Some(Outcome::Listed(Listed {
                resource: resource.clone(),
                only_in: namespace.map(str::to_owned),
                items,
                resource_version: metadata.resource_version,
            })));
        }
        next = metadata.next;
    }
    Ok(Some(Outcome::Listed(Listed {
        resource: resource.clone(),
        only_in: namespace.map(str::to_owned),
        items,
        resource_version: String::new(),
    })))
}

/// Makes text fit into a query.
pub(super) fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.extend(['%', hex(byte >> 4), hex(byte & 15)]);
        }
    }
    encoded
}

fn hex(digit: u8) -> char {
    char::from(b"0123456789ABCDEF"[usize::from(digit)])
}
