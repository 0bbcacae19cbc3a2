//! A running cluster: lists from the API server. The only code that waits.
//!
//! What is asked of the server, and why: lists in pages of 500 with no resourceVersion, which is what kubectl asks, is
//! consistent, and is served from memory since Kubernetes 1.31; four requests at a time; JSON, since 1.34 sent object by
//! object; nothing that changes anything, no Secret, no ConfigMap.

mod client;
mod config;
mod discovery;
mod error;
mod gather;
mod kinds;
mod kubeconfig;
mod kuberc;
mod list;
mod logs;
mod names;
mod plugin;
mod proxy;
mod session;
mod watch;

use std::sync::{Arc, Mutex, PoisonError};

use crate::ingest::{Collector, Interner};
use crate::model::snapshot::Snapshot;
use crate::model::time::Timestamp;

pub use client::{Connection, Progress};
pub use config::{Options, RequestTimeout, contexts};
pub use error::LiveError;
pub use gather::{Gathered, Want, gather, watched};
pub use kinds::{CONFIG_MAPS, KINDS, Kind, NODE_CLASS_GROUPS, Need, Resource};
pub use kuberc::Kuberc;
pub use list::{Listed, Take};
pub use logs::karpenter_log;
pub use names::names;
pub use proxy::ProxyEnvironment;
pub use watch::{From as WatchFrom, News, watch};

/// Decodes pages as they come.
pub fn decode() -> Take<Collector> {
    // As many as there are pages being decoded at once. What they keep is equal, so nothing shows.
    let interners = Mutex::new(Vec::<Interner>::new());
    Arc::new(move |resource, body| {
        let idle = || interners.lock().unwrap_or_else(PoisonError::into_inner);
        let mut interner = idle().pop().unwrap_or_default();
        let mut collector = Collector::default();
        collector.page(&body, &resource.qualified(), &mut interner);
        idle().push(interner);
        collector
    })
}

/// All that was read, as one snapshot.
pub fn snapshot(gathered: Gathered<Collector>, server: &str, now: Timestamp) -> Snapshot {
    let mut all = Collector::default();
    for page in gathered.lists.into_iter().flat_map(|list| list.pages) {
        all.absorb(page);
    }
    for gap in gathered.gaps {
        all.gap(gap);
    }
    let mut snapshot = all.finish();
    snapshot.taken_at = Some(now);
    snapshot.objects.at = Some(now);
    snapshot.settings.kubernetes_version = gathered.kubernetes_version;
    snapshot.is_live = true;
    snapshot.inputs = vec![format!("cluster {server}")];
    snapshot
}

/// Runs one piece of waiting work to its end, on this thread.
pub fn wait<T>(work: impl Future<Output = Result<T, LiveError>>) -> Result<T, LiveError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| LiveError::Configuration(format!("cannot start: {error}")))?;
    let result = runtime.block_on(work);
    // A name look-up or a credential plugin that hangs must not hold up the end.
    runtime.shutdown_background();
    result
}
