//! One list, page by page.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::task::JoinHandle;

use super::client::{Answer, Connection, status_message};
use super::error::LiveError;
use super::kinds::Resource;

/// Objects asked for at once: kubectl's own number.
const PAGE: usize = 500;
/// How often a list is begun anew because it grew too old on the way.
const RESTARTS: usize = 3;

/// Turns a page of a list, as it was sent, into what is kept of it.
pub type Take<T> = Arc<dyn Fn(&Resource, Vec<u8>) -> T + Send + Sync>;

/// A list that was read to its end.
pub struct Listed<T> {
    /// What was listed.
    pub resource: Resource,
    /// The one namespace that it is from, where the others were not allowed.
    pub only_in: Option<String>,
    /// What was kept of its pages, in the server's order.
    pub pages: Vec<T>,
    /// The version of the list: a watch goes on from here.
    pub resource_version: String,
}

/// Which objects of a resource.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) resource: &'a Resource,
    pub(super) namespace: Option<&'a str>,
    pub(super) field_selector: &'a str,
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
struct Page {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    items: Option<Vec<IgnoredAny>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    #[serde(rename = "continue")]
    next: String,
    resource_version: String,
}

/// Reads a list. A list that expired half-way is begun anew: the server's offer to go on from another moment would
/// give a mixture.
pub(super) async fn list<T: Send + 'static>(
    connection: &Connection,
    part: Part<'_>,
    take: &Take<T>,
) -> Result<Outcome<T>, LiveError> {
    for _ in 0..RESTARTS {
        if let Some(outcome) = list_once(connection, part, take).await? {
            return Ok(outcome);
        }
    }
    Err(LiveError::Broken {
        server: connection.server.clone(),
        what: part.resource.qualified(),
        detail: format!("the list expired {RESTARTS} times before its end (410 Gone)"),
    })
}

/// None: it expired on the way.
async fn list_once<T: Send + 'static>(
    connection: &Connection,
    part: Part<'_>,
    take: &Take<T>,
) -> Result<Option<Outcome<T>>, LiveError> {
    let what = part.resource.qualified();
    let mut pages = Vec::new();
    // A page is decoded while the next one is on its way; never more than one waits for it.
    let mut decoding: Option<JoinHandle<T>> = None;
    let mut next = String::new();
    loop {
        let mut path = format!("{}?limit={PAGE}", part.resource.path(part.namespace));
        for (name, value) in [("fieldSelector", part.field_selector), ("continue", next.as_str())] {
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
        let page: Page = serde_json::from_slice(&body).map_err(|error| LiveError::Broken {
            server: connection.server.clone(),
            what: what.clone(),
            detail: format!("the answer is not a list: {error}"),
        })?;
        let count = page.items.map_or(0, |items| items.len());
        connection.progress.objects.fetch_add(count as u64, Ordering::Relaxed);
        pages.extend(finished(decoding.take()).await);
        let (take, resource) = (Arc::clone(take), part.resource.clone());
        decoding = Some(tokio::task::spawn_blocking(move || take(&resource, body)));
        next = page.metadata.next;
        if next.is_empty() {
            pages.extend(finished(decoding.take()).await);
            return Ok(Some(Outcome::Listed(Listed {
                resource: part.resource.clone(),
                only_in: part.namespace.map(str::to_owned),
                pages,
                resource_version: page.metadata.resource_version,
            })));
        }
    }
}

/// What a decoder made of a page. One that panicked is a bug of ours: the panic goes on.
async fn finished<T>(decoding: Option<JoinHandle<T>>) -> Option<T> {
    let page = decoding?.await;
    Some(page.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())))
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
