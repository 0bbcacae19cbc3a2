//! A pod's volumes, as far as they tie it to a place or count against a limit.

use serde::Deserialize;

use crate::model::pod::{PodVolume, VolumeSource};
use crate::model::quantity::Quantity;

use super::intern::Interner;
use super::wire::{Amounts, List, Text};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawVolume<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    persistent_volume_claim: Option<RawClaimRef<'a>>,
    #[serde(borrow)]
    ephemeral: Option<RawEphemeral<'a>>,
    #[serde(borrow)]
    gce_persistent_disk: Option<RawDisk<'a>>,
    #[serde(borrow)]
    aws_elastic_block_store: Option<RawDisk<'a>>,
    #[serde(borrow)]
    azure_disk: Option<RawDisk<'a>>,
    #[serde(borrow)]
    cinder: Option<RawDisk<'a>>,
    #[serde(borrow)]
    portworx_volume: Option<RawDisk<'a>>,
    #[serde(borrow)]
    iscsi: Option<RawDisk<'a>>,
    #[serde(borrow)]
    rbd: Option<RawDisk<'a>>,
    #[serde(borrow)]
    csi: Option<RawDisk<'a>>,
    #[serde(borrow)]
    image: Option<RawDisk<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawClaimRef<'a> {
    #[serde(borrow)]
    claim_name: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawEphemeral<'a> {
    #[serde(borrow)]
    volume_claim_template: RawClaimTemplate<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawClaimTemplate<'a> {
    #[serde(borrow)]
    spec: RawClaimTemplateSpec<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawClaimTemplateSpec<'a> {
    #[serde(borrow)]
    storage_class_name: Option<Text<'a>>,
    #[serde(borrow)]
    resources: RawClaimResources<'a>,
}

/// `spec.resources` of a claim.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawClaimResources<'a> {
    #[serde(borrow)]
    requests: Amounts<'a>,
}

impl RawClaimResources<'_> {
    pub fn storage(&self) -> Option<Quantity> {
        let storage = self.requests.0.iter().find(|(name, _)| name.as_str() == "storage");
        storage.map(|(_, amount)| amount.rounded_to_milli())
    }
}

/// The fields of all the disks that volumes name directly; each kind uses some of them.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawDisk<'a> {
    #[serde(borrow)]
    pd_name: Text<'a>,
    #[serde(borrow, rename = "volumeID")]
    volume_id: Text<'a>,
    #[serde(borrow, rename = "diskURI")]
    disk_uri: Text<'a>,
    #[serde(borrow)]
    iqn: Text<'a>,
    #[serde(borrow)]
    monitors: List<Text<'a>>,
    #[serde(borrow)]
    pool: Text<'a>,
    #[serde(borrow)]
    image: Text<'a>,
    #[serde(borrow)]
    driver: Text<'a>,
    #[serde(borrow)]
    reference: Text<'a>,
    read_only: Option<bool>,
}

impl RawVolume<'_> {
    /// The volume; none when its source matters to neither component.
    pub fn read(&self, interner: &mut Interner) -> Option<PodVolume> {
        let source = self.source(interner)?;
        if let VolumeSource::Ephemeral { storage: Some(amount), .. } = &source {
            interner.amount(*amount);
        }
        Some(PodVolume { source, name: interner.text(self.name.as_str()) })
    }

    fn source(&self, interner: &mut Interner) -> Option<VolumeSource> {
        let mut text = |text: &Text<'_>| interner.text(text.as_str());
        let source = if let Some(claim) = &self.persistent_volume_claim {
            VolumeSource::PersistentVolumeClaim(text(&claim.claim_name))
        } else if let Some(ephemeral) = &self.ephemeral {
            let spec = &ephemeral.volume_claim_template.spec;
            let storage = spec.resources.storage();
            VolumeSource::Ephemeral {
                storage_class_name: spec.storage_class_name.as_ref().map(text),
                storage,
            }
        } else if let Some(disk) = &self.gce_persistent_disk {
            VolumeSource::GcePersistentDisk {
                name: text(&disk.pd_name),
                read_only: disk.is_read_only(),
            }
        } else if let Some(disk) = &self.aws_elastic_block_store {
            VolumeSource::AwsElasticBlockStore {
                id: text(&disk.volume_id),
                read_only: disk.is_read_only(),
            }
        } else if let Some(disk) = &self.azure_disk {
            VolumeSource::AzureDisk { uri: text(&disk.disk_uri) }
        } else if let Some(disk) = &self.cinder {
            VolumeSource::Cinder { id: text(&disk.volume_id) }
        } else if let Some(disk) = &self.portworx_volume {
            VolumeSource::Portworx { id: text(&disk.volume_id) }
        } else if let Some(disk) = &self.iscsi {
            VolumeSource::Iscsi { iqn: text(&disk.iqn), read_only: disk.is_read_only() }
        } else if let Some(disk) = &self.rbd {
            VolumeSource::Rbd {
                monitors: disk.monitors.0.iter().map(&mut text).collect(),
                // The API server's default.
                pool: if disk.pool.is_empty() { "rbd".into() } else { text(&disk.pool) },
                image: text(&disk.image),
                read_only: disk.is_read_only(),
            }
        } else if let Some(disk) = &self.csi {
            VolumeSource::Csi { driver: text(&disk.driver) }
        } else {
            let image = self.image.as_ref()?;
            VolumeSource::Image { reference: text(&image.reference) }
        };
        Some(source)
    }
}

impl RawDisk<'_> {
    fn is_read_only(&self) -> bool {
        self.read_only.unwrap_or(false)
    }
}
