//! `VolumeRestrictions`: disks and claims that only one pod may use.

use std::sync::Arc;

use crate::kube_scheduler::framework::{Cycle, Plugin, PreFiltered, Trial, Verdict};
use crate::kube_scheduler::pod_info::PodInfo;
use crate::kube_scheduler::rejection::Rejection;
use crate::model::names::{ObjectKey, Str};
use crate::model::pod::{PodVolume, VolumeSource};

pub(crate) const PLUGIN: Plugin = Plugin {
    filter: Some(filter),
    pre_filter_since: Some(0),
    ..Plugin::named("VolumeRestrictions")
};

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let pod = cycle.pod();
    let mut exclusive: Vec<&Str> = Vec::new();
    let mut in_use = 0_i64;
    for volume in &pod.spec.volumes {
        let VolumeSource::PersistentVolumeClaim(name) = &volume.source else { continue };
        let key = ObjectKey::new(pod.meta.namespace.clone(), name.clone());
        let Some(claim) = cycle.cluster.objects.claims.get(&key) else {
            return PreFiltered::refuses(Rejection::ClaimNotFound(name.clone()));
        };
        let for_one_pod = claim.access_modes.iter().any(|mode| &**mode == "ReadWriteOncePod");
        if for_one_pod && !exclusive.contains(&name) {
            exclusive.push(name);
            let users = cycle.cluster.claims_in_use.get(&key).copied().unwrap_or(0);
            in_use += i64::from(users > 0);
        }
    }
    let disks: Vec<&PodVolume> =
        pod.spec.volumes.iter().filter(|volume| is_exclusive_disk(&volume.source)).collect();
    if disks.is_empty() && in_use == 0 {
        return PreFiltered::Skips;
    }
    PreFiltered::per_node(move |node| {
        if let Some(user) = user_of(&disks, node) {
            return Verdict::unschedulable(Rejection::DiskConflict { pod: user.pod.key() });
        }
        // As upstream: pods thought away are told by the claim's name alone, whatever their namespace.
        let change: i64 = node.changes().map(|(pod, times)| times * uses(pod, &exclusive)).sum();
        if in_use + change > 0 {
            Verdict::unschedulable(Rejection::ReadWriteOncePodInUse)
        } else {
            Verdict::Fits
        }
    })
}

/// How many volumes of a pod have a claim of one of these names.
fn uses(pod: &PodInfo, names: &[&Str]) -> i64 {
    let volumes = pod.pod.spec.volumes.iter();
    let count = volumes
        .filter(|volume| {
            matches!(&volume.source, VolumeSource::PersistentVolumeClaim(name) if names.contains(&name))
        })
        .count();
    i64::try_from(count).unwrap_or(i64::MAX)
}

const fn is_exclusive_disk(source: &VolumeSource) -> bool {
    matches!(
        source,
        VolumeSource::GcePersistentDisk { .. }
            | VolumeSource::AwsElasticBlockStore { .. }
            | VolumeSource::Iscsi { .. }
            | VolumeSource::Rbd { .. }
    )
}

/// A pod on the node that uses one of the disks.
fn user_of<'n>(disks: &[&PodVolume], node: &'n Trial<'_>) -> Option<&'n Arc<PodInfo>> {
    if disks.is_empty() || node.pods_with_volumes == 0 {
        return None;
    }
    node.pods.iter().find(|pod| {
        let mut volumes = pod.pod.spec.volumes.iter();
        volumes.any(|used| disks.iter().any(|disk| conflict(&disk.source, &used.source)))
    })
}

/// Whether two pods cannot both use their volumes on one node. As upstream's `isVolumeConflict`.
fn conflict(wanted: &VolumeSource, used: &VolumeSource) -> bool {
    use VolumeSource::{AwsElasticBlockStore, GcePersistentDisk, Iscsi, Rbd};
    match (wanted, used) {
        (
            GcePersistentDisk { name: a, read_only: a_only },
            GcePersistentDisk { name: b, read_only: b_only },
        ) => a == b && !(*a_only && *b_only),
        (AwsElasticBlockStore { id: a, .. }, AwsElasticBlockStore { id: b, .. }) => a == b,
        (Iscsi { iqn: a, read_only: a_only }, Iscsi { iqn: b, read_only: b_only }) => {
            a == b && !(*a_only && *b_only)
        }
        (
            Rbd { monitors: a, pool: a_pool, image: a_image, read_only: a_only },
            Rbd { monitors: b, pool: b_pool, image: b_image, read_only: b_only },
        ) => {
            let monitor_in_common = a.iter().any(|monitor| b.contains(monitor));
            monitor_in_common && a_pool == b_pool && a_image == b_image && !(*a_only && *b_only)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, question, unresolvable, unschedulable};
    use crate::model::storage::PersistentVolumeClaim;
    use crate::testing::{TestPod, cluster, meta, node, pod};

    fn with(name: &str, source: VolumeSource) -> TestPod {
        pod(name).spec(|spec| spec.volumes = vec![PodVolume { name: "v".into(), source }])
    }

    #[test]
    fn a_disk_is_shared_only_for_reading_and_some_never() {
        use VolumeSource::{AwsElasticBlockStore, GcePersistentDisk};
        let gce = |read_only| GcePersistentDisk { name: "d".into(), read_only };
        let aws = |read_only| AwsElasticBlockStore { id: "v".into(), read_only };
        let taken = || unschedulable("node(s) had no available disk");
        for (used, wanted, expected) in [
            (gce(true), gce(true), FITS),
            (gce(true), gce(false), taken()),
            (aws(true), aws(true), taken()),
            (aws(true), gce(true), FITS),
        ] {
            let state = cluster([node("n")], [with("q", used.clone()).on("n")]);
            let verdicts = question(state, with("p", wanted.clone())).filter(&PLUGIN);
            assert_eq!(verdicts, [expected], "{used:?} {wanted:?}");
        }
    }

    #[test]
    fn a_claim_for_one_pod_alone_refuses_every_node_while_in_use() {
        let claim = VolumeSource::PersistentVolumeClaim("c".into());
        let mut state = cluster([node("a"), node("b")], [with("q", claim.clone()).on("a")]);
        let asked = with("p", claim);
        let missing = question(state.clone(), asked.clone()).filter(&PLUGIN);
        assert_eq!(missing, [unresolvable("persistentvolumeclaim \"c\" not found")]);
        state.persistent_volume_claims = vec![Arc::new(PersistentVolumeClaim {
            meta: meta("c", "default"),
            access_modes: vec!["ReadWriteOncePod".into()],
            ..PersistentVolumeClaim::default()
        })];
        let refused = || {
            unschedulable(
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
            )
        };
        assert_eq!(question(state, asked).filter(&PLUGIN), [refused(), refused()]);
    }
}
