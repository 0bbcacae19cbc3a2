//! Several dumps of one cluster, taken at different times: the newest says what exists.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::model::cluster_state::ClusterState;
use crate::model::gap::{Gap, GapKind};
use crate::model::meta::Meta;
use crate::model::names::{NamespaceName, Uid};

use super::collect::Collector;

impl Collector {
    /// Takes what another file gave. Where both list the same objects at different times, what only the older one has
    /// was deleted in between, and is left out.
    pub fn merge(&mut self, mut other: Self) {
        let mut gone = Vec::new();
        if self.is_listing && other.is_listing {
            leave_out_the_gone(&mut self.snapshot.objects, &mut other.snapshot.objects, &mut gone);
        }
        for gap in gone {
            self.gap(gap);
        }
        self.absorb(other);
    }
}

fn leave_out_the_gone(ours: &mut ClusterState, theirs: &mut ClusterState, gaps: &mut Vec<Gap>) {
    macro_rules! compare {
        ($($list:ident: $what:literal),+ $(,)?) => {
            $(
                let count = compare(&mut ours.$list, &mut theirs.$list, |object| &object.meta);
                if count > 0 {
                    let detail = format!("{count} of an older dump are not in the newest any more and are left out");
                    gaps.push(Gap::new(GapKind::Conflict, $what, detail));
                }
            )+
        };
    }
    compare!(
        pods: "pod", nodes: "node", node_claims: "nodeclaim", node_pools: "nodepool",
        workloads: "workload", persistent_volume_claims: "persistentvolumeclaim",
        persistent_volumes: "persistentvolume", volume_attachments: "volumeattachment",
        csi_nodes: "csinode", resource_claims: "resourceclaim", resource_slices: "resourceslice",
    );
}

/// Takes from the older of two listings what the newer one must have and has not; returns how many that were. They are
/// of one cluster only when at least one object is in both.
fn compare<T>(
    ours: &mut Vec<Arc<T>>,
    theirs: &mut Vec<Arc<T>>,
    meta: impl Fn(&T) -> &Meta + Copy,
) -> usize {
    if ours.is_empty() || theirs.is_empty() {
        return 0;
    }
    let uids = |list: &[Arc<T>]| -> FxHashSet<Uid> {
        list.iter().map(|object| meta(object).uid.clone()).collect()
    };
    let in_theirs = uids(theirs);
    let is_known = |object: &Arc<T>| {
        let uid = &meta(object).uid;
        !uid.as_str().is_empty() && in_theirs.contains(uid)
    };
    if !ours.iter().any(is_known) {
        return 0;
    }
    let in_ours = uids(ours);
    let newest =
        |list: &[Arc<T>]| list.iter().filter_map(|object| meta(object).resource_version).max();
    let (older, newer, in_newer) = if newest(ours) < newest(theirs) {
        (ours, &*theirs, in_theirs)
    } else {
        (theirs, &*ours, in_ours)
    };
    let listed: BTreeSet<&NamespaceName> =
        newer.iter().map(|object| &meta(object).namespace).collect();
    // A much shorter list is more likely one of selected objects.
    if newer.len().saturating_mul(4) < older.len() {
        return 0;
    }
    let before = older.len();
    older.retain(|object| {
        let meta = meta(object);
        in_newer.contains(&meta.uid) || !listed.contains(&meta.namespace)
    });
    before - older.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(pods: &[(&str, u32)]) -> Collector {
        let items: Vec<String> = pods
            .iter()
            .map(|(name, version)| {
                format!(r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}","namespace":"x","uid":"{name}","resourceVersion":"{version}"}}}}"#)
            })
            .collect();
        let mut collector = Collector::default();
        let list = format!(r#"{{"apiVersion":"v1","kind":"List","items":[{}]}}"#, items.join(","));
        collector.json(list.as_bytes(), "dump.json");
        collector
    }

    #[test]
    fn what_only_an_older_dump_has_is_gone() {
        let before = || dump(&[("deleted", 1), ("kept", 2), ("changed", 3)]);
        let after = || dump(&[("kept", 2), ("changed", 7), ("new", 8)]);
        for [first, second] in [[before(), after()], [after(), before()]] {
            let mut all = Collector::default();
            all.merge(first);
            all.merge(second);
            let snapshot = all.finish();
            let names: Vec<_> = snapshot.objects.pods.iter().map(|pod| &*pod.meta.name).collect();
            assert_eq!(names, ["changed", "kept", "new"]);
            assert_eq!(snapshot.objects.pods[0].meta.resource_version, Some(7));
        }
    }

    #[test]
    fn a_dump_with_one_object_tells_what_is_gone_too() {
        let mut all = dump(&[("deleted", 1), ("kept", 2)]);
        all.merge(dump(&[("kept", 3)]));
        assert_eq!(all.finish().objects.pods.len(), 1);
    }

    #[test]
    fn dumps_of_different_objects_are_put_together() {
        let mut all = dump(&[("a", 1), ("b", 2)]);
        all.merge(dump(&[("c", 3), ("d", 4)]));
        assert_eq!(all.finish().objects.pods.len(), 4);
    }
}
