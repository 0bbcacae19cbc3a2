//! `gather`: all that an answer needs, four lists at a time. What may not be read becomes a gap.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::client::{Connection, Progress, status_message};
use super::discovery::Served;
use super::error::LiveError;
use super::kinds::{CONFIG_MAPS, Resource};
use super::list::{Listed, Outcome, Part, Take, list};
use crate::model::gap::{Gap, GapKind};

/// Events that say nothing about where a pod lands, and of which a cluster is full.
const NOISE: &[&str] = &[
    "Pulled",
    "Pulling",
    "Created",
    "Started",
    "BackOff",
    "Unhealthy",
    "SuccessfulCreate",
    "Completed",
];

/// What is to be read.
#[derive(Clone, Debug, Default)]
pub struct Want {
    /// Kinds that only a dump keeps, too, and all Events.
    pub everything: bool,
    /// The namespace to fall back to where a kind may not be read in all.
    pub namespace: Option<String>,
}

/// What was read.
pub struct Gathered<T> {
    /// The lists, in the order of [`super::kinds::KINDS`].
    pub lists: Vec<Listed<T>>,
    /// What could not be read, and what would help.
    pub gaps: Vec<Gap>,
    /// The server's version, without a leading `v`.
    pub kubernetes_version: Option<String>,
}

/// Waits for some reading. `show` is called a few times a second; Ctrl-C ends it with [`LiveError::Interrupted`].
pub async fn watched<T>(
    connection: &Connection,
    work: impl Future<Output = Result<T, LiveError>>,
    show: &mut dyn FnMut(&Progress),
) -> Result<T, LiveError> {
    // One listener for all the time: a signal that comes between two of them would be lost.
    let interrupted = interrupted();
    tokio::pin!(work, interrupted);
    let mut tick = interval(Duration::from_millis(100));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = &mut interrupted => return Err(LiveError::Interrupted),
            result = &mut work => return result,
            _ = tick.tick() => show(&connection.progress),
        }
    }
}

/// Ends when the user presses Ctrl-C. Where no handler can be installed the default one ends the process.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Reads all.
pub async fn gather<T: Send + 'static>(
    connection: &Connection,
    want: &Want,
    take: &Take<T>,
) -> Result<Gathered<T>, LiveError> {
    let (served, version) = tokio::join!(Served::ask(connection), version(connection));
    let (served, mut gaps) = served?;
    let kubernetes_version = version?;
    let (resources, absent) = served.plan(want.everything);
    gaps.extend(absent);
    connection.progress.lists_total.store(resources.len(), Ordering::Relaxed);

    let mut tasks = JoinSet::new();
    for (index, resource) in resources.into_iter().enumerate() {
        let (connection, want, take) = (connection.clone(), want.clone(), Arc::clone(take));
        tasks.spawn(async move {
            let result = read(&connection, &resource, &want, &take).await;
            connection.progress.lists.fetch_add(1, Ordering::Relaxed);
            (index, resource, result)
        });
    }
    let mut results = Vec::new();
    while let Some(joined) = tasks.join_next().await {
        // A task that panicked is a bug of ours: the panic goes on.
        let (index, resource, result) =
            joined.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        results.push((index, resource, result?));
    }
    results.sort_by_key(|(index, ..)| *index);

    let mut lists = Vec::new();
    let mut refusals = Vec::new();
    for (_, resource, read) in results {
        match read {
            Read::Whole(list) => lists.push(list),
            Read::OneNamespace(list, words) => {
                gaps.push(narrowed(&resource, list.only_in.as_deref().unwrap_or_default(), &words));
                lists.push(list);
            }
            Read::Forbidden(words) => {
                gaps.push(forbidden(&resource, &words));
                refusals.push(words);
            }
            Read::Absent => gaps.push(Gap::new(
                GapKind::Absent,
                resource.qualified(),
                format!("the cluster does not serve {}", resource.api_version()),
            )),
            Read::Failed(error) => {
                gaps.push(Gap::new(GapKind::Unreadable, resource.qualified(), error.to_string()));
            }
        }
    }
    if !lists.is_empty() {
        lists.push(config_maps(connection, take, &mut gaps).await?);
    }
    match refusals.into_iter().next() {
        Some(detail) if lists.is_empty() => Err(LiveError::Forbidden {
            server: connection.server.clone(),
            what: "anything that an answer needs".to_owned(),
            detail,
        }),
        _ => Ok(Gathered { lists, gaps, kubernetes_version }),
    }
}

/// The settings of both components, as far as the cluster holds them in ConfigMaps of the usual names.
async fn config_maps<T>(
    connection: &Connection,
    take: &Take<T>,
    gaps: &mut Vec<Gap>,
) -> Result<Listed<T>, LiveError> {
    let resource = Resource::config_maps();
    let mut pages = Vec::new();
    for (namespace, name) in CONFIG_MAPS {
        let path = format!("{}/{name}", resource.path(Some(namespace)));
        let subject = format!("configmap/{name} in namespace {namespace}");
        let answer = connection.get(&path, "application/json", &subject).await?;
        match answer.status {
            200 => {
                let before = br#"{"apiVersion":"v1","kind":"ConfigMapList","items":["#.as_slice();
                pages.push(take(&resource, [before, &answer.body, b"]}"].concat()));
            }
            403 => gaps.push(
                Gap::new(
                    GapKind::Forbidden,
                    subject,
                    format!("not allowed to read it, so defaults are assumed: {}", status_message(&answer.body)),
                )
                .hint(format!(
                    "add to the role:\n- apiGroups: [\"\"]\n  resources: [\"configmaps\"]\n  resourceNames: [\"{name}\"]\n  verbs: [\"get\"]"
                )),
            ),
            // Most clusters have none.
            _ => {}
        }
    }
    Ok(Listed { resource, only_in: None, pages, resource_version: String::new() })
}

enum Read<T> {
    Whole(Listed<T>),
    OneNamespace(Listed<T>, String),
    Forbidden(String),
    Absent,
    Failed(LiveError),
}

async fn read<T: Send + 'static>(
    connection: &Connection,
    resource: &Resource,
    want: &Want,
    take: &Take<T>,
) -> Result<Read<T>, LiveError> {
    let selector = selector_of(resource, want.everything);
    let everywhere = Part { resource, namespace: None, field_selector: &selector };
    let outcome = match list(connection, everywhere, take).await {
        // A conversion webhook that is down breaks one kind, not the cluster.
        Err(error @ LiveError::Refused { .. })
            if !["pods", "nodes"].contains(&resource.plural.as_str()) =>
        {
            return Ok(Read::Failed(error));
        }
        outcome => outcome?,
    };
    let words = match outcome {
        Outcome::Listed(list) => return Ok(Read::Whole(list)),
        Outcome::Absent => return Ok(Read::Absent),
        Outcome::Forbidden(words) => words,
    };
    let Some(namespace) = want.namespace.as_deref().filter(|_| resource.is_namespaced) else {
        return Ok(Read::Forbidden(words));
    };
    let part = Part { namespace: Some(namespace), ..everywhere };
    match list(connection, part, take).await? {
        Outcome::Listed(list) => Ok(Read::OneNamespace(list, words)),
        Outcome::Forbidden(_) | Outcome::Absent => Ok(Read::Forbidden(words)),
    }
}

/// The field selector of a list: of Events only what may say something about a placement.
pub(super) fn selector_of(resource: &Resource, everything: bool) -> String {
    if resource.plural != "events" || everything {
        return String::new();
    }
    NOISE.iter().map(|reason| format!("reason!={reason}")).collect::<Vec<_>>().join(",")
}

fn forbidden(resource: &Resource, words: &str) -> Gap {
    Gap::new(GapKind::Forbidden, resource.qualified(), format!("not allowed to list them: {words}"))
        .hint(format!("add to the role:\n{}", resource.rule()))
}

fn narrowed(resource: &Resource, namespace: &str, words: &str) -> Gap {
    Gap::new(
        GapKind::Forbidden,
        resource.qualified(),
        format!("only those of namespace {namespace} could be read, so what other namespaces hold is not counted: {words}"),
    )
    .hint(format!("add to the role:\n{}", resource.rule()))
}

/// The server's version; none where it does not say.
async fn version(connection: &Connection) -> Result<Option<String>, LiveError> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        git_version: String,
    }
    let answer = connection.get("/version", "application/json", "the server's version").await?;
    let version = serde_json::from_slice::<Version>(&answer.body).ok();
    Ok(version.map(|version| version.git_version.trim_start_matches('v').to_owned()))
}
