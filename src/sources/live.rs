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
mod list;
mod proxy;

pub use client::{Connection, Progress};
pub use config::{Options, RequestTimeout, contexts};
pub use error::LiveError;
pub use gather::{Gathered, Take, Want, gather};
pub use kinds::{KINDS, Kind, NODE_CLASS_GROUPS, Need, Resource};
pub use list::Listed;
pub use proxy::ProxyEnvironment;

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
