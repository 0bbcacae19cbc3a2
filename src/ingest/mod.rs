//! From bytes to a `Snapshot`: what cannot be read becomes a `Gap`, never a crash and never silence.

mod collect;
mod container;
mod defaults;
mod document;
mod dra;
mod events;
mod intern;
mod karpenter;
mod kind;
mod meta;
mod node;
mod object;
mod pod;
mod selectors;
mod storage;
mod volumes;
mod wire;
mod workload;

pub use collect::Collector;

use crate::model::snapshot::Snapshot;

/// Reads JSON documents that follow one another: `kind: List`, typed lists, single objects.
pub fn snapshot_from_json(json: &[u8]) -> Snapshot {
    let mut collector = Collector::default();
    collector.json(json, "input");
    collector.finish()
}
