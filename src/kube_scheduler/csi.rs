//! Volumes of drivers that were once built in, and the CSI drivers that took them over. As upstream's
//! `csi-translation-lib`.

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
            Some((&GCE_PD, Ok(gce_handle(name, &Labels::default()))))
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
            Some((&GCE_PD, Ok(gce_handle(name, &volume.meta.labels))))
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

fn gce_handle(name: &str, labels: &Labels) -> Str {
    let label = |stable, beta| labels.value(stable).or_else(|| labels.value(beta));
    let zones = label(ZONE, ZONE_BETA).unwrap_or("");
    if zones.contains("__") {
        let region = label(REGION, REGION_BETA).unwrap_or("UNSPECIFIED");
        return format!("projects/UNSPECIFIED/regions/{region}/disks/{name}").into();
    }
    let zone = if zones.is_empty() { "UNSPECIFIED" } else { zones };
    format!("projects/UNSPECIFIED/zones/{zone}/disks/{name}").into()
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
        let zone: Labels = [(ZONE, "z1")].into_iter().collect();
        let zones: Labels = [(ZONE, "z1__z2"), (REGION, "r")].into_iter().collect();
        assert_eq!(ebs_handle("aws://us-east-1a/vol-1"), Ok("vol-1".into()));
        assert_eq!(ebs_handle("vol-1"), Ok("vol-1".into()));
        assert!(ebs_handle("aws://us-east-1a/disk").is_err());
        assert_eq!(&*gce_handle("d", &zone), "projects/UNSPECIFIED/zones/z1/disks/d");
        assert_eq!(&*gce_handle("d", &zones), "projects/UNSPECIFIED/regions/r/disks/d");
        assert_eq!(
            &*gce_handle("d", &Labels::default()),
            "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"
        );
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
