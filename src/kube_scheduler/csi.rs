//! Volumes of drivers that were once built in, and the CSI drivers that took them over. As upstream's
//! `csi-translation-lib`.

use std::collections::BTreeSet;

use crate::model::labels::{Labels, REGION, REGION_BETA, ZONE, ZONE_BETA};
use crate::model::names::Str;
use crate::model::pod::VolumeSource;
use crate::model::selector::{Expression, NodeSelectorTerm, Operator};
use crate::model::storage::{CsiNode, PersistentVolume, PersistentVolumeSource};

/// A driver that was once built in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InTree {
    /// Its own name.
    pub(crate) plugin: &'static str,
    /// The CSI driver that took it over.
    pub(crate) driver: &'static str,
    /// The node label for the zone that the CSI driver uses. `None`: the volume's own is kept.
    zone_key: Option<&'static str>,
}

impl InTree {
    /// Whether this is Portworx, the last to be taken over.
    pub(crate) fn is_portworx(&self) -> bool {
        *self == PORTWORX
    }
}

static AWS_EBS: InTree = InTree {
    plugin: "kubernetes.io/aws-ebs",
    driver: "ebs.csi.aws.com",
    zone_key: Some("topology.ebs.csi.aws.com/zone"),
};
static GCE_PD: InTree = InTree {
    plugin: "kubernetes.io/gce-pd",
    driver: "pd.csi.storage.gke.io",
    zone_key: Some("topology.gke.io/zone"),
};
static AZURE_DISK: InTree =
    InTree { plugin: "kubernetes.io/azure-disk", driver: "disk.csi.azure.com", zone_key: None };
static CINDER: InTree = InTree {
    plugin: "kubernetes.io/cinder",
    driver: "cinder.csi.openstack.org",
    zone_key: Some("topology.cinder.csi.openstack.org/zone"),
};
static PORTWORX: InTree =
    InTree { plugin: "kubernetes.io/portworx-volume", driver: "pxd.portworx.com", zone_key: None };

/// The drivers that were taken over.
static ALL: [&InTree; 5] = [&AWS_EBS, &GCE_PD, &AZURE_DISK, &CINDER, &PORTWORX];

/// The driver with a built-in name.
pub(crate) fn by_plugin(name: &str) -> Option<&'static InTree> {
    ALL.iter().copied().find(|in_tree| in_tree.plugin == name)
}

/// The handle of a volume, or why it has none.
pub(crate) type Handle = Result<Str, String>;

/// The driver of a pod's volume, and the volume's handle; none when it was never built in.
pub(crate) fn of_inline(source: &VolumeSource) -> Option<(&'static InTree, Handle)> {
    match source {
        VolumeSource::AwsElasticBlockStore { id, .. } => Some((&AWS_EBS, ebs_handle(id))),
        VolumeSource::GcePersistentDisk { name, .. } => {
            Some((&GCE_PD, gce_handle(name, &Labels::default())))
        }
        VolumeSource::AzureDisk { uri } => Some((&AZURE_DISK, Ok(uri.clone()))),
        VolumeSource::Cinder { id } => Some((&CINDER, Ok(id.clone()))),
        VolumeSource::Portworx { id } => Some((&PORTWORX, Ok(id.clone()))),
        VolumeSource::PersistentVolumeClaim(_)
        | VolumeSource::Ephemeral { .. }
        | VolumeSource::Iscsi { .. }
        | VolumeSource::Rbd { .. }
        | VolumeSource::Csi { .. }
        | VolumeSource::Image { .. } => None,
    }
}

/// The driver of a PersistentVolume, and the volume's handle; none when it was never built in.
pub(crate) fn of_volume(volume: &PersistentVolume) -> Option<(&'static InTree, Handle)> {
    match &volume.source {
        PersistentVolumeSource::AwsElasticBlockStore(id) => Some((&AWS_EBS, ebs_handle(id))),
        PersistentVolumeSource::GcePersistentDisk(name) => {
            Some((&GCE_PD, gce_handle(name, &volume.meta.labels)))
        }
        PersistentVolumeSource::AzureDisk(_, uri) => Some((&AZURE_DISK, Ok(uri.clone()))),
        PersistentVolumeSource::Cinder(id) => Some((&CINDER, Ok(id.clone()))),
        PersistentVolumeSource::Portworx(id) => Some((&PORTWORX, Ok(id.clone()))),
        PersistentVolumeSource::Csi { .. }
        | PersistentVolumeSource::HostPath
        | PersistentVolumeSource::Local
        | PersistentVolumeSource::Other => None,
    }
}

/// Whether a node says that the CSI driver stands in for the built-in one.
pub(crate) fn is_migrated(node: Option<&CsiNode>, in_tree: &InTree) -> bool {
    const ANNOTATION: &str = "storage.alpha.kubernetes.io/migrated-plugins";
    let listed = node.and_then(|node| node.meta.annotations.value(ANNOTATION));
    listed.is_some_and(|listed| listed.split(',').any(|plugin| plugin == in_tree.plugin))
}

/// The volume's own name in `aws://zone/vol-id`.
fn ebs_handle(id: &str) -> Handle {
    let Some(url) = id.strip_prefix("aws://") else { return Ok(id.into()) };
    let path = url.split_once('/').map_or("", |(_, path)| path).trim_matches('/');
    if path.starts_with("vol-") && !path.contains('/') {
        Ok(path.into())
    } else {
        Err(format!(
            "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({id})"
        ))
    }
}

/// The full name of a disk: of its zone, or of the region when it has several zones.
fn gce_handle(name: &str, labels: &Labels) -> Handle {
    let zones = labels.value(ZONE).or_else(|| labels.value(ZONE_BETA)).unwrap_or("");
    let place = if zones.contains("__") {
        format!("regions/{}", region_of(zones)?)
    } else {
        format!("zones/{}", if zones.is_empty() { "UNSPECIFIED" } else { zones })
    };
    Ok(format!("projects/UNSPECIFIED/{place}/disks/{name}").into())
}

/// The region of zones such as `us-central1-a__us-central1-b`.
fn region_of(zones: &str) -> Result<String, String> {
    let fails = |why: String| Err(format!("failed to get region from zones: {why}"));
    let mut regions = BTreeSet::new();
    for zone in zones.split("__").map(str::trim) {
        let parts: Vec<&str> = zone.split('-').collect();
        let [locale, region, _] = parts[..] else {
            return fails(format!(
                "zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
            ));
        };
        regions.insert(format!("{locale}-{region}"));
    }
    match regions.len() {
        1 => Ok(regions.into_iter().collect()),
        _ => fails(format!("multiple or no regions gotten from zones, got: {regions:?}")),
    }
}

/// The node affinity of a built-in volume as its CSI driver has it.
pub(crate) fn translated_affinity(
    volume: &PersistentVolume,
    in_tree: &InTree,
) -> Option<Vec<NodeSelectorTerm>> {
    let Some(zone_key) = in_tree.zone_key else { return volume.node_affinity.clone() };
    let mut terms = volume.node_affinity.clone().unwrap_or_default();
    let has = |terms: &[NodeSelectorTerm], key: &str| {
        terms.iter().any(|term| term.match_expressions.iter().any(|it| &*it.key == key))
    };
    let labels = &volume.meta.labels;
    if has(&terms, ZONE) {
        rename(&mut terms, ZONE, zone_key);
    } else if has(&terms, ZONE_BETA) {
        rename(&mut terms, ZONE_BETA, zone_key);
    } else if let Some(zones) = labels.value(ZONE).or_else(|| labels.value(ZONE_BETA)) {
        let zones = Expression {
            key: zone_key.into(),
            operator: Operator::In,
            values: zones.split("__").map(Str::from).collect(),
        };
        if terms.is_empty() {
            terms.push(NodeSelectorTerm::default());
        }
        for term in &mut terms {
            term.match_expressions.push(zones.clone());
        }
    }
    rename(&mut terms, REGION_BETA, REGION);
    if terms.is_empty() && volume.node_affinity.is_none() { None } else { Some(terms) }
}

fn rename(terms: &mut [NodeSelectorTerm], from: &str, to: &str) {
    for expression in terms.iter_mut().flat_map(|term| &mut term.match_expressions) {
        if &*expression.key == from {
            expression.key = to.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_those_of_the_csi_drivers() {
        assert_eq!(ebs_handle("aws://us-east-1a/vol-1"), Ok("vol-1".into()));
        assert_eq!(ebs_handle("vol-1"), Ok("vol-1".into()));
        assert!(ebs_handle("aws://us-east-1a/disk").is_err());
        for (zones, expected) in [
            ("", Some("projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d")),
            ("eu-west1-b", Some("projects/UNSPECIFIED/zones/eu-west1-b/disks/d")),
            ("eu-west1-b__eu-west1-c", Some("projects/UNSPECIFIED/regions/eu-west1/disks/d")),
            ("a__b", None),
        ] {
            let labels: Labels = [(ZONE, zones)].into_iter().collect();
            assert_eq!(gce_handle("d", &labels).ok().as_deref(), expected, "{zones}");
        }
    }

    #[test]
    fn zones_of_a_volume_move_to_the_drivers_key() {
        let volume = |affinity: Option<Vec<NodeSelectorTerm>>, labels: Labels| PersistentVolume {
            node_affinity: affinity,
            meta: crate::model::meta::Meta { labels, ..Default::default() },
            ..Default::default()
        };
        let term = |key: &str, values: &[&str]| {
            vec![NodeSelectorTerm {
                match_expressions: vec![Expression {
                    key: key.into(),
                    operator: Operator::In,
                    values: values.iter().map(|value| Str::from(*value)).collect(),
                }],
                match_fields: None,
            }]
        };
        let labelled: Labels = [(ZONE, "a__b")].into_iter().collect();
        let key = "topology.ebs.csi.aws.com/zone";
        for (case, volume, expected) in [
            (
                "affinity",
                volume(Some(term(ZONE, &["a"])), Labels::default()),
                Some(term(key, &["a"])),
            ),
            ("label", volume(None, labelled), Some(term(key, &["a", "b"]))),
            ("neither", volume(None, Labels::default()), None),
        ] {
            assert_eq!(translated_affinity(&volume, &AWS_EBS), expected, "{case}");
        }
    }
}
