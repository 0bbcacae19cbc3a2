//! From bytes to a `Snapshot`: what cannot be read becomes a `Gap`, never a crash and never silence.

mod audit;
mod aws;
mod azure;
mod catalogue;
mod collect;
mod container;
mod defaults;
mod document;
mod dra;
mod dump;
mod events;
mod instance_types;
mod intern;
mod json;
mod karpenter;
mod karpenter_log;
mod kind;
mod listings;
mod meta;
mod missing;
mod node;
mod object;
mod pod;
mod recording;
mod records;
pub mod scalar;
mod scheduler_log;
mod selectors;
mod settings;
mod split;
mod storage;
pub mod stream;
pub mod text;
mod volumes;
mod wire;
mod workload;
pub mod yaml;

pub use catalogue::{CatalogueInput, catalogue};
pub use collect::Collector;
pub use instance_types::{InstanceTypesError, instance_types};
#[cfg(feature = "live")]
pub(crate) use intern::Interner;
pub(crate) use meta::{is_kept_annotation, kept_managed_fields};
pub use missing::missing;
pub(crate) use recording::check_of;
pub use settings::{KarpenterSettings, SettingsError, karpenter_settings, scheduler_configuration};
pub(crate) use settings::{VARIABLES as KARPENTER_VARIABLES, as_variable};
pub use split::Ends;

use crate::model::snapshot::Snapshot;

/// Reads JSON documents that follow one another: `kind: List`, typed lists, single objects.
pub fn snapshot_from_json(json: &[u8]) -> Snapshot {
    let mut collector = Collector::default();
    collector.json(json, "input");
    collector.finish()
}
