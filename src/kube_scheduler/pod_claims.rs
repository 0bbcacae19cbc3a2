//! The claims that a pod's volumes refer to.

use std::sync::Arc;

use crate::model::names::{ObjectKey, Str};
use crate::model::pod::{Pod, VolumeSource};
use crate::model::storage::PersistentVolumeClaim;

use super::objects::Objects;
use super::rejection::Rejection;

/// A claim that a pod's volume refers to.
pub(crate) struct ClaimOfPod<'a> {
    /// The claim's name.
    pub(crate) name: Str,
    /// The claim; absent when there is none of this name.
    pub(crate) claim: Option<&'a Arc<PersistentVolumeClaim>>,
    /// Whether the volume is a generic ephemeral one: its claim belongs to the pod.
    pub(crate) is_ephemeral: bool,
}

/// The claims that a pod's volumes refer to, in the order of the volumes.
pub(crate) fn claims_of<'a>(
    pod: &'a Pod,
    objects: &'a Objects,
) -> impl Iterator<Item = ClaimOfPod<'a>> {
    pod.spec.volumes.iter().filter_map(|volume| {
        let (name, is_ephemeral) = match &volume.source {
            VolumeSource::PersistentVolumeClaim(name) => (name.clone(), false),
            VolumeSource::Ephemeral { .. } => {
                (Str::from(format!("{}-{}", pod.meta.name, volume.name)), true)
            }
            _ => return None,
        };
        let key = ObjectKey::new(pod.meta.namespace.clone(), name);
        let claim = objects.claims.get(&key);
        Some(ClaimOfPod { name: key.name, claim, is_ephemeral })
    })
}

/// What is wrong when the claim of an ephemeral volume belongs to something else. As upstream's `VolumeIsForPod`.
pub(crate) fn not_owned(pod: &Pod, claim: &PersistentVolumeClaim) -> Option<Rejection> {
    let owned = claim.meta.namespace == pod.meta.namespace
        && claim.meta.controller().is_some_and(|owner| owner.uid == pod.meta.uid);
    (!owned).then(|| Rejection::ClaimNotOwned { claim: claim.meta.name.clone(), pod: pod.key() })
}
