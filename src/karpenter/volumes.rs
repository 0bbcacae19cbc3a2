//! What a pod's volumes demand: where their data is, and how many a node may attach.

use std::collections::BTreeMap;

use crate::model::cluster_state::ClusterState;
use crate::model::names::{NamespaceName, Str};
use crate::model::pod::{Pod, VolumeSource};
use crate::model::storage::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeSource, StorageClass,
};

/// Storage objects by name.
pub(super) struct Storage<'a> {
    claims: BTreeMap<(&'a str, &'a str), &'a PersistentVolumeClaim>,
    volumes: BTreeMap<&'a str, &'a PersistentVolume>,
    classes: BTreeMap<&'a str, &'a StorageClass>,
}

impl<'a> Storage<'a> {
    pub(super) fn of(state: &'a ClusterState) -> Self {
        let claims = state.persistent_volume_claims.iter();
        Self {
            claims: claims
                .map(|claim| ((&*claim.meta.namespace.0, &*claim.meta.name), &**claim))
                .collect(),
            volumes: state.persistent_volumes.iter().map(|v| (&*v.meta.name, &**v)).collect(),
            classes: state.storage_classes.iter().map(|c| (&*c.meta.name, &**c)).collect(),
        }
    }

    pub(super) fn claim(
        &self,
        namespace: &NamespaceName,
        name: &str,
    ) -> Option<&'a PersistentVolumeClaim> {
        self.claims.get(&(&*namespace.0, name)).copied()
    }

    pub(super) fn volume(&self, name: &str) -> Option<&'a PersistentVolume> {
        self.volumes.get(name).copied()
    }

    pub(super) fn class(&self, name: &str) -> Option<&'a StorageClass> {
        self.classes.get(name).copied()
    }
}

/// The names of the claims that a pod's volumes refer to, in the order of the volumes.
pub(super) fn claim_names(pod: &Pod) -> impl Iterator<Item = Str> {
    pod.spec.volumes.iter().filter_map(|volume| match &volume.source {
        VolumeSource::PersistentVolumeClaim(name) => Some(name.clone()),
        VolumeSource::Ephemeral { .. } => Some(format!("{}-{}", pod.meta.name, volume.name).into()),
        _ => None,
    })
}

/// The name of the volume that a claim is bound to.
pub(super) fn bound_volume(claim: &PersistentVolumeClaim) -> Option<&Str> {
    claim.volume_name.as_ref().filter(|name| !name.is_empty())
}

/// A claim's storage class, where it names one.
pub(super) fn class_name(claim: &PersistentVolumeClaim) -> Option<&Str> {
    claim.storage_class_name.as_ref().filter(|name| !name.is_empty())
}

/// A volume that could not be looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VolumeLookup(pub(super) String);

pub(super) fn missing_claim(namespace: &NamespaceName, name: &str) -> VolumeLookup {
    VolumeLookup(format!(
        "discovering persistent volume claim, persistentvolumeclaim {namespace}/{name} not found"
    ))
}

pub(super) fn missing_volume(name: &str) -> VolumeLookup {
    VolumeLookup(format!("getting persistent volume {name:?}, not found"))
}

pub(super) fn missing_class(name: &str) -> VolumeLookup {
    VolumeLookup(format!("getting storage class {name:?}, not found"))
}

/// The claims that a pod attaches, by driver. As `scheduling.GetVolumes`.
pub(super) fn attachments(
    pod: &Pod,
    storage: &Storage<'_>,
) -> Result<Vec<(Str, Str)>, VolumeLookup> {
    let mut attached = Vec::new();
    for name in claim_names(pod) {
        let Some(claim) = storage.claim(&pod.meta.namespace, &name) else { continue };
        if let Some(driver) = driver(claim, storage)? {
            let id: Str = format!("{}/{name}", pod.meta.namespace).into();
            attached.push((driver, id));
        }
    }
    attached.sort_unstable();
    attached.dedup();
    Ok(attached)
}

/// The CSI driver behind a claim, where it is known.
pub(super) fn driver(
    claim: &PersistentVolumeClaim,
    storage: &Storage<'_>,
) -> Result<Option<Str>, VolumeLookup> {
    if let Some(name) = bound_volume(claim) {
        let volume = storage.volume(name).ok_or_else(|| missing_volume(name))?;
        return Ok(match &volume.source {
            PersistentVolumeSource::Csi { driver, .. } => Some(driver.clone()),
            PersistentVolumeSource::AwsElasticBlockStore(_) => Some("ebs.csi.aws.com".into()),
            _ => None,
        });
    }
    let class = class_name(claim).and_then(|name| storage.class(name));
    let provisioner = class.and_then(|class| class.provisioner.as_ref());
    Ok(provisioner.filter(|name| !name.is_empty()).map(csi_name))
}

/// The CSI driver that stands in for an in-tree provisioner.
fn csi_name(provisioner: &Str) -> Str {
    let name = match &**provisioner {
        "kubernetes.io/aws-ebs" => "ebs.csi.aws.com",
        "kubernetes.io/gce-pd" => "pd.csi.storage.gke.io",
        "kubernetes.io/cinder" => "cinder.csi.openstack.org",
        "kubernetes.io/azure-disk" => "disk.csi.azure.com",
        "kubernetes.io/azure-file" => "file.csi.azure.com",
        "kubernetes.io/vsphere-volume" => "csi.vsphere.vmware.com",
        "kubernetes.io/portworx-volume" => "pxd.portworx.com",
        _ => return provisioner.clone(),
    };
    name.into()
}
