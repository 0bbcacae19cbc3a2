//! `NodeVolumeLimits`: how many volumes of a driver a node can attach.

use std::collections::{BTreeMap, BTreeSet};

use crate::kube_scheduler::csi;
use crate::kube_scheduler::decision::Code;
use crate::kube_scheduler::framework::{Cycle, Plugin, PreFiltered, Trial, Verdict};
use crate::kube_scheduler::objects::class_of_claim;
use crate::kube_scheduler::pod_claims::{claims_of, not_owned};
use crate::kube_scheduler::rejection::Rejection;
use crate::model::gap::{Gap, GapKind};
use crate::model::names::Str;
use crate::model::pod::{Pod, VolumeSource};
use crate::model::storage::{CsiNode, PersistentVolumeClaim, PersistentVolumeSource};

pub(crate) const PLUGIN: Plugin = Plugin {
    filter: Some(filter),
    pre_filter_since: Some(0),
    gaps: Some(gaps),
    ..Plugin::named("NodeVolumeLimits")
};

/// A volume by driver and handle: two pods may use the same.
type Volume = (Str, Str);

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let counts = |source: &VolumeSource| {
        matches!(source, VolumeSource::PersistentVolumeClaim(_) | VolumeSource::Ephemeral { .. })
            || csi::of_inline(source).is_some()
    };
    if !cycle.spec().volumes.iter().any(|volume| counts(&volume.source)) {
        return PreFiltered::Skips;
    }
    PreFiltered::per_node(|node| check(cycle, node))
}

fn check(cycle: &Cycle<'_>, node: &Trial<'_>) -> Verdict {
    let objects = &cycle.cluster.objects;
    let csi_node = objects.csi_nodes.get(node.name.as_str()).map(|it| &**it);
    let mut new = match volumes_of(cycle, cycle.pod(), csi_node, true) {
        Ok(volumes) => volumes,
        Err(verdict) => return verdict,
    };
    if new.is_empty() {
        return Verdict::Fits;
    }
    if let Some(driver) = missing_driver(cycle, &new, csi_node) {
        return Verdict::unschedulable(Rejection::DriverNotInstalled(driver));
    }
    let limits = limits(cycle, node, csi_node);
    if limits.is_empty() {
        return Verdict::Fits;
    }
    let mut attached = BTreeSet::new();
    if node.pods_with_volumes > 0 {
        for pod in &node.pods {
            match volumes_of(cycle, &pod.pod, csi_node, false) {
                Ok(volumes) => attached.extend(volumes),
                Err(verdict) => return verdict,
            }
        }
    }
    new.retain(|volume| !attached.contains(volume));
    let mut counts: BTreeMap<Str, i64> = BTreeMap::new();
    if cycle.version().since(32) {
        // As upstream: a volume that is known only from its attachment is counted as new all the same.
        for (driver, _) in attachments(cycle, node).difference(&attached) {
            *counts.entry(driver.clone()).or_default() += 1;
        }
    }
    for (driver, _) in attached {
        *counts.entry(driver).or_default() += 1;
    }
    let mut added: BTreeMap<Str, i64> = BTreeMap::new();
    for (driver, _) in new {
        *added.entry(driver).or_default() += 1;
    }
    for (driver, new) in added {
        let attached = counts.get(&driver).copied().unwrap_or(0);
        if let Some(limit) = limits.get(&driver).filter(|limit| attached + new > **limit) {
            let limit = *limit;
            return Verdict::unschedulable(Rejection::VolumeLimit { driver, attached, new, limit });
        }
    }
    Verdict::Fits
}

/// How many volumes of each driver the node can attach, where it says so.
fn limits(cycle: &Cycle<'_>, node: &Trial<'_>, csi_node: Option<&CsiNode>) -> BTreeMap<Str, i64> {
    const PREFIX: &str = "attachable-volumes-csi-";
    let mut limits = BTreeMap::new();
    if !cycle.version().since(32) {
        for (name, limit) in &node.allocatable.scalars {
            if let Some(driver) = name.as_str().strip_prefix(PREFIX) {
                limits.insert(Str::from(driver), *limit);
            }
        }
    }
    for driver in csi_node.iter().flat_map(|node| &node.drivers) {
        if let Some(count) = driver.count {
            limits.insert(driver.name.clone(), i64::from(count));
        }
    }
    limits
}

/// A driver of new volumes that must be on the node and is not.
fn missing_driver(
    cycle: &Cycle<'_>,
    new: &BTreeSet<Volume>,
    csi_node: Option<&CsiNode>,
) -> Option<Str> {
    if !cycle.version().since(37) {
        return None;
    }
    let required = |driver: &Str| {
        let object = cycle.cluster.objects.csi_drivers.get(driver);
        object.is_some_and(|it| it.prevent_pod_scheduling_if_missing == Some(true))
    };
    let installed = |driver: &Str| {
        csi_node.is_some_and(|node| node.drivers.iter().any(|it| it.name == *driver))
    };
    let mut drivers = new.iter().map(|(driver, _)| driver);
    drivers.find(|driver| required(driver) && !installed(driver)).cloned()
}

/// The volumes that VolumeAttachments tie to the node.
fn attachments(cycle: &Cycle<'_>, node: &Trial<'_>) -> BTreeSet<Volume> {
    let objects = &cycle.cluster.objects;
    let attachments = objects.attachments.get(&node.name).into_iter().flatten();
    attachments
        .filter_map(|attachment| {
            let volume = objects.volumes.get(attachment.persistent_volume.as_ref()?)?;
            match &volume.source {
                PersistentVolumeSource::Csi { handle, .. } => {
                    Some((attachment.attacher.clone()?, handle.clone()))
                }
                _ => None,
            }
        })
        .collect()
}

/// The volumes of a pod that count, as a node would see them. `Err`: what is wrong with the pod's claims.
fn volumes_of(
    cycle: &Cycle<'_>,
    pod: &Pod,
    csi_node: Option<&CsiNode>,
    is_new: bool,
) -> Result<BTreeSet<Volume>, Verdict> {
    let mut volumes = BTreeSet::new();
    for volume in &pod.spec.volumes {
        if let Some((in_tree, handle)) = csi::of_inline(&volume.source) {
            if !counts_as_csi(cycle, csi_node, in_tree) {
                continue;
            }
            match handle {
                Ok(handle) => drop(volumes.insert((Str::from(in_tree.driver), handle))),
                Err(why) => {
                    let text =
                        format!("converting volume({}) from inline to csi: {why}", volume.name);
                    let reasons = vec![Rejection::Failure(text.into())];
                    return Err(Verdict::Rejects(Code::Error, reasons));
                }
            }
        }
    }
    for of_pod in claims_of(pod, &cycle.cluster.objects) {
        let Some(claim) = of_pod.claim else {
            if is_new {
                return Err(Verdict::unresolvable(Rejection::ClaimLookup {
                    namespace: pod.meta.namespace.0.clone(),
                    claim: of_pod.name,
                }));
            }
            continue;
        };
        if of_pod.is_ephemeral
            && let Some(reason) = not_owned(pod, claim)
        {
            return Err(Verdict::Rejects(Code::Error, vec![reason]));
        }
        volumes.extend(volume_of_claim(cycle, claim, csi_node));
    }
    Ok(volumes)
}

/// Whether a volume of a built-in driver counts as one of the CSI driver that took it over.
fn counts_as_csi(cycle: &Cycle<'_>, csi_node: Option<&CsiNode>, in_tree: &csi::InTree) -> bool {
    // Until 1.35 the others had moved for good, and Portworx only where the node says so.
    let moved = cycle.version().since(36) || !in_tree.is_portworx();
    csi_node.is_some() && (moved || csi::is_migrated(csi_node, in_tree))
}

/// The volume behind a claim, or the one that will be made for it.
fn volume_of_claim(
    cycle: &Cycle<'_>,
    claim: &PersistentVolumeClaim,
    csi_node: Option<&CsiNode>,
) -> Option<Volume> {
    let objects = &cycle.cluster.objects;
    let bound = claim.volume_name.as_ref().and_then(|name| objects.volumes.get(name));
    if let Some(volume) = bound {
        if let PersistentVolumeSource::Csi { driver, handle } = &volume.source {
            return Some((driver.clone(), handle.clone()));
        }
        let (in_tree, handle) = csi::of_volume(volume)?;
        let counts = counts_as_csi(cycle, csi_node, in_tree);
        return handle.ok().filter(|_| counts).map(|handle| (Str::from(in_tree.driver), handle));
    }
    let class = objects.storage_classes.get(&class_of_claim(claim))?;
    let provisioner = class.provisioner.clone().unwrap_or_else(|| Str::from(""));
    // No handle of a driver has a line break.
    let handle = Str::from(format!("\n{}/{}", claim.meta.namespace, claim.meta.name));
    match csi::by_plugin(&provisioner) {
        Some(in_tree) => {
            counts_as_csi(cycle, csi_node, in_tree).then(|| (Str::from(in_tree.driver), handle))
        }
        None => Some((provisioner, handle)),
    }
}

fn gaps(cycle: &Cycle<'_>) -> Vec<Gap> {
    let in_tree = cycle.spec().volumes.iter().any(|it| csi::of_inline(&it.source).is_some())
        || claims_of(cycle.pod(), &cycle.cluster.objects).any(|of_pod| {
            let volume = of_pod.claim.and_then(|claim| claim.volume_name.as_ref());
            let volume = volume.and_then(|name| cycle.cluster.objects.volumes.get(name));
            volume.is_some_and(|volume| csi::of_volume(volume).is_some())
        });
    if in_tree && !cycle.version().since(31) {
        vec![Gap::new(
            GapKind::NotModelled,
            format!("pod/{}", cycle.pod().meta.name),
            "EBSLimits, GCEPDLimits and AzureDiskLimits of 1.30 are not replayed: they may refuse nodes that hold many volumes of drivers without CSI",
        )]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, Said, question, unschedulable};
    use crate::model::cluster_state::ClusterState;
    use crate::model::pod::PodVolume;
    use crate::model::storage::{CsiNodeDriver, PersistentVolume};
    use crate::testing::{TestPod, cluster, meta, node, pod};

    fn uses(name: &str, claim: &str) -> TestPod {
        let source = VolumeSource::PersistentVolumeClaim(claim.into());
        pod(name).spec(|spec| spec.volumes = vec![PodVolume { name: "v".into(), source }])
    }

    /// A node that can attach `limit` volumes and holds one, of the claim `a`.
    fn state(limit: Option<i32>) -> ClusterState {
        let mut state = cluster([node("n")], [uses("q", "a").on("n")]);
        let claims = ["a", "b"];
        state.persistent_volume_claims = claims
            .map(|name| {
                Arc::new(PersistentVolumeClaim {
                    meta: meta(name, "default"),
                    volume_name: Some(name.into()),
                    ..PersistentVolumeClaim::default()
                })
            })
            .into();
        state.persistent_volumes = claims
            .map(|name| {
                Arc::new(PersistentVolume {
                    meta: meta(name, ""),
                    source: PersistentVolumeSource::Csi { driver: "d".into(), handle: name.into() },
                    ..PersistentVolume::default()
                })
            })
            .into();
        let driver = CsiNodeDriver {
            name: "d".into(),
            node_id: "n".into(),
            topology_keys: Vec::new(),
            count: limit,
        };
        state.csi_nodes = vec![Arc::new(CsiNode { meta: meta("n", ""), drivers: vec![driver] })];
        state
    }

    #[test]
    fn a_limit_is_reached_by_what_is_attached_and_what_is_new() {
        let full = || unschedulable("node(s) exceed max volume count");
        let cases: [(Option<i32>, &str, Said); 5] = [
            (Some(1), "b", full()),
            (Some(2), "b", FITS),
            (Some(1), "a", FITS),
            (Some(0), "b", full()),
            (None, "b", FITS),
        ];
        for (limit, claim, expected) in cases {
            let verdicts = question(state(limit), uses("p", claim)).filter(&PLUGIN);
            assert_eq!(verdicts, [expected], "{limit:?} {claim}");
        }
    }
}
