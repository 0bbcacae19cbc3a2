//! Watching a cluster: every change of what an answer needs, across drops of the connection.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::client::Connection;
use super::error::LiveError;
use super::gather::selector_of;
use super::kinds::Resource;
use super::list::{Listed, Outcome, Part, Take, list, percent_encode};

/// How long the server is asked to keep one watch: shorter than what load balancers cut.
const WATCH_SECONDS: u64 = 240;
/// What a watch lasts that was worth opening.
const LASTING: Duration = Duration::from_secs(1);
/// The longest pause between two attempts to reach a server that is away.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What a watch tells.
pub enum News<T> {
    /// A change, and the object as it was sent.
    Change {
        /// What changed.
        resource: Resource,
        /// `ADDED`, `MODIFIED` or `DELETED`.
        kind: String,
        /// The object.
        object: String,
    },
    /// The watch had expired: changes were missed, and this is the list as it is now.
    Again(Listed<T>),
    /// The server is away; the watch goes on when it is back.
    Away(Resource, LiveError),
    /// The server is back.
    Back(Resource),
    /// The watch cannot go on.
    Ended(Resource, LiveError),
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Versioned {
    metadata: Version,
    code: u16,
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Version {
    resource_version: String,
}

/// What a list was of, and the version from which a watch goes on.
pub struct From {
    /// What was listed.
    pub resource: Resource,
    /// The one namespace, where the others were not allowed.
    pub only_in: Option<String>,
    /// The version of the list.
    pub resource_version: String,
}

/// Watches each of the lists. The tasks end when the set is dropped.
pub fn watch<T: Send + 'static>(
    connection: &Connection,
    lists: Vec<From>,
    take: &Take<T>,
    news: &Sender<News<T>>,
) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for from in lists {
        let watcher = Watcher {
            connection: connection.clone(),
            take: Arc::clone(take),
            news: news.clone(),
            from,
            is_away: false,
        };
        tasks.spawn(watcher.run());
    }
    tasks
}

struct Watcher<T> {
    connection: Connection,
    take: Take<T>,
    news: Sender<News<T>>,
    from: From,
    is_away: bool,
}

/// How one watch ended.
enum End {
    /// The server closed it, as it does every few minutes.
    Closed,
    /// The version is too old: a new list is needed.
    Expired,
}

impl<T: Send + 'static> Watcher<T> {
    async fn run(mut self) {
        // Watches that ended at once, one after the other.
        let mut in_vain = 0_u32;
        loop {
            let started = Instant::now();
            let error = match self.watch_once().await {
                Ok(End::Closed) => None,
                Ok(End::Expired) => self.list_again().await.err(),
                Err(error) => Some(error),
            };
            if started.elapsed() >= LASTING {
                in_vain = 0;
            }
            let pause = Duration::from_millis(250 << in_vain.min(6)).min(LONGEST_PAUSE);
            in_vain += 1;
            if let Some(error) = error {
                let is_final = matches!(error, LiveError::Forbidden { .. })
                    || in_vain > 20 && matches!(error, LiveError::Unauthorized { .. });
                if is_final {
                    self.tell(News::Ended(self.from.resource.clone(), error)).await;
                    return;
                }
                if !std::mem::replace(&mut self.is_away, true) {
                    self.tell(News::Away(self.from.resource.clone(), error)).await;
                }
            } else if in_vain == 1 {
                // As it should be: the server closes a watch every few minutes.
                continue;
            }
            sleep(pause).await;
        }
    }

    /// Nobody listens any more when the recorder ends: then this task ends too, with its set.
    async fn tell(&self, news: News<T>) {
        let _ = self.news.send(news).await;
    }

    async fn watch_once(&mut self) -> Result<End, LiveError> {
        let From { resource, only_in, resource_version } = &self.from;
        let what = format!("changes of {}", resource.qualified());
        let selector = percent_encode(&selector_of(resource, false));
        let path = format!(
            "{}?watch=1&allowWatchBookmarks=true&timeoutSeconds={WATCH_SECONDS}&resourceVersion={}&fieldSelector={selector}",
            resource.path(only_in.as_deref()),
            percent_encode(resource_version),
        );
        let silence = Duration::from_secs(WATCH_SECONDS + 30);
        let Some(mut lines) = self.connection.lines(&path, &what, silence).await? else {
            return Ok(End::Expired);
        };
        if std::mem::take(&mut self.is_away) {
            self.tell(News::Back(self.from.resource.clone())).await;
        }
        while let Some(line) = lines.next().await? {
            let broken = |error: &dyn std::fmt::Display| LiveError::Broken {
                server: self.connection.server.clone(),
                what: what.clone(),
                detail: error.to_string(),
            };
            let line: Line<'_> = serde_json::from_slice(&line).map_err(|error| broken(&error))?;
            let head: Versioned =
                serde_json::from_str(line.object.get()).map_err(|error| broken(&error))?;
            match line.kind.as_str() {
                "ERROR" if head.code == 410 => return Ok(End::Expired),
                "ERROR" => return Err(broken(&head.message)),
                "BOOKMARK" => {}
                _ => {
                    let object = line.object.get().to_owned();
                    self.tell(News::Change {
                        resource: self.from.resource.clone(),
                        kind: line.kind,
                        object,
                    })
                    .await;
                }
            }
            if !head.metadata.resource_version.is_empty() {
                self.from.resource_version = head.metadata.resource_version;
            }
        }
        Ok(End::Closed)
    }

    async fn list_again(&mut self) -> Result<(), LiveError> {
        let From { resource, only_in, .. } = &self.from;
        let selector = selector_of(resource, false);
        let part = Part { resource, namespace: only_in.as_deref(), field_selector: &selector };
        let refused = |detail: String| LiveError::Forbidden {
            server: self.connection.server.clone(),
            what: resource.qualified(),
            detail,
        };
        match list(&self.connection, part, &self.take).await? {
            Outcome::Listed(list) => {
                self.from.resource_version.clone_from(&list.resource_version);
                self.tell(News::Again(list)).await;
                Ok(())
            }
            Outcome::Forbidden(words) => Err(refused(words)),
            Outcome::Absent => Err(refused("the cluster serves it no longer".to_owned())),
        }
    }
}
