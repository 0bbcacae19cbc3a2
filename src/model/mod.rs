//! The words of the domain: Kubernetes' and Karpenter's objects as far as a replay uses them, and what a snapshot is.
//! No behaviour beyond their own meaning. Names are upstream's.

pub mod affinity;
pub mod catalogue;
pub mod cluster_state;
pub mod dra;
pub mod event;
pub mod gap;
pub mod history;
pub mod instance_type;
pub mod labels;
pub mod meta;
pub mod names;
pub mod node;
pub mod nodeclaim;
pub mod nodepool;
pub mod pod;
pub mod quantity;
pub mod requests;
pub mod resources;
pub mod selector;
pub mod shared;
pub mod snapshot;
pub mod spread;
pub mod storage;
pub mod taint;
pub mod time;
pub mod workload;
