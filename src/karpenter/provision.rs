//! The entry: a batch in, a plan out.

use crate::model::cluster_state::ClusterState;

use super::batch::Batch;
use super::cloud_provider::CloudProvider;
use super::plan::Plan;
use super::settings::Settings;

/// Why a question cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Something in the input that the replay does not model; an answer would be wrong.
    #[error("the replay does not model {0}")]
    NotModelled(String),
}

/// What Karpenter would do with a batch of pods. As `Provisioner.Schedule`.
pub fn provision(
    _state: &ClusterState,
    _batch: &Batch,
    _provider: &dyn CloudProvider,
    _settings: &Settings,
) -> Result<Plan, Refused> {
    Err(Refused::NotModelled("provisioning".into()))
}
