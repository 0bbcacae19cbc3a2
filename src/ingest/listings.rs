//! Several dumps of one cluster, taken at different times: the newest says what exists, the older ones what went.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::cluster_state::ClusterState;
use crate::model::gap::{Gap, GapKind};
use crate::model::history::{Change, Object};
use crate::model::meta::Meta;
use crate::model::names::{NamespaceName, Uid};
use crate::model::snapshot::{Departed, Snapshot};

use super::collect::Collector;

/// Does the same for each list of which a dump has all or nothing.
macro_rules! each_dated_list {
    ($do:ident) => {
        $do!(
            0 pods "pod", 1 nodes "node", 2 node_claims "nodeclaim", 3 node_pools "nodepool",
            4 workloads "workload", 5 persistent_volume_claims "persistentvolumeclaim",
            6 persistent_volumes "persistentvolume", 7 volume_attachments "volumeattachment",
            8 csi_nodes "csinode", 9 resource_claims "resourceclaim",
            10 resource_slices "resourceslice"
        )
    };
}

/// How new each list is: the highest resourceVersion in the dump that it came from. One counter serves a cluster, so a
/// list from which the newest object was deleted is as new as what was listed beside it.
pub(super) type Age = [Option<u64>; 11];

impl Collector {
    /// Takes what another file gave. Where both list the same objects at different times, what only the older one has
    /// was deleted in between.
    pub fn merge(&mut self, mut other: Self) {
        other.date();
        if self.is_listing
            && other.is_listing
            && is_same_cluster(&self.snapshot.objects, &other.snapshot.objects)
        {
            self.part(&mut other);
        }
        self.absorb(other);
    }

    /// Notes how new the lists are that have not been dated yet.
    fn date(&mut self) {
        let lists = &self.snapshot.objects;
        let mut newest = None;
        macro_rules! newest {
            ($($at:literal $list:ident $what:literal),+) => {
                $(newest = newest.max(lists.$list.iter().filter_map(|it| it.meta.resource_version).max());)+
            };
        }
        each_dated_list!(newest);
        macro_rules! date {
            ($($at:literal $list:ident $what:literal),+) => {
                $(if !lists.$list.is_empty() {
                    self.age[$at] = self.age[$at].or(newest);
                })+
            };
        }
        each_dated_list!(date);
    }

    /// Moves what only the older of two dumps has to the departed.
    fn part(&mut self, other: &mut Self) {
        let mut gaps = Vec::new();
        let mut departed = Departed::default();
        macro_rules! part {
            ($($at:literal $list:ident $what:literal),+) => {
                $(
                    let ages = [self.age[$at], other.age[$at]];
                    let (ours, theirs) =
                        (&mut self.snapshot.objects.$list, &mut other.snapshot.objects.$list);
                    let gone = only_in_the_older(ours, theirs, ages, |it| &it.meta);
                    if !gone.is_empty() {
                        let count = gone.len();
                        let detail = format!("only in an older dump, so deleted before the newest: {count}");
                        gaps.push(Gap::new(GapKind::Conflict, $what, detail));
                    }
                    keep!($list gone);
                )+
            };
        }
        macro_rules! keep {
            (pods $gone:ident) => {
                departed.pods.extend($gone)
            };
            (nodes $gone:ident) => {
                departed.nodes.extend($gone)
            };
            (node_claims $gone:ident) => {
                departed.node_claims.extend($gone)
            };
            ($list:ident $gone:ident) => {
                drop($gone)
            };
        }
        each_dated_list!(part);
        self.snapshot.departed.extend(departed);
        for gap in gaps {
            self.gap(gap);
        }
    }
}

/// Whether at least one object is in both.
fn is_same_cluster(ours: &ClusterState, theirs: &ClusterState) -> bool {
    macro_rules! any {
        ($($at:literal $list:ident $what:literal),+) => {
            false $(|| share_an_object(&ours.$list, &theirs.$list, |it| &it.meta))+
        };
    }
    each_dated_list!(any) || share_an_object(&ours.namespaces, &theirs.namespaces, |it| &it.meta)
}

fn share_an_object<T>(ours: &[Arc<T>], theirs: &[Arc<T>], meta: impl Fn(&T) -> &Meta) -> bool {
    if ours.is_empty() || theirs.is_empty() {
        return false;
    }
    let known: FxHashSet<&str> = theirs.iter().map(|it| meta(it).uid.as_str()).collect();
    ours.iter().map(|it| meta(it).uid.as_str()).any(|uid| !uid.is_empty() && known.contains(uid))
}

/// Takes from the older of two lists of one cluster what the newer one must have and has not.
fn only_in_the_older<T>(
    ours: &mut Vec<Arc<T>>,
    theirs: &mut Vec<Arc<T>>,
    ages: [Option<u64>; 2],
    meta: impl Fn(&T) -> &Meta + Copy,
) -> Vec<Arc<T>> {
    if ours.is_empty() || theirs.is_empty() {
        return Vec::new();
    }
    let by_uid = |list: &[Arc<T>]| -> FxHashMap<Uid, Option<u64>> {
        list.iter().map(|it| (meta(it).uid.clone(), meta(it).resource_version)).collect()
    };
    let (in_ours, in_theirs) = (by_uid(ours), by_uid(theirs));
    // An object that is in both and has changed tells which is the older.
    let (mut ours_newer, mut theirs_newer, mut share) = (0_usize, 0_usize, false);
    for (uid, version) in in_ours.iter().filter(|(uid, _)| !uid.as_str().is_empty()) {
        let Some(other) = in_theirs.get(uid) else { continue };
        share = true;
        ours_newer += usize::from(version > other);
        theirs_newer += usize::from(version < other);
    }
    let is_ours_older = match ours_newer.cmp(&theirs_newer) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal if ages[0] == ages[1] => return Vec::new(),
        std::cmp::Ordering::Equal => ages[0] < ages[1],
    };
    let (older, newer, in_newer) =
        if is_ours_older { (ours, &*theirs, in_theirs) } else { (theirs, &*ours, in_ours) };
    // Without any object in both they may be lists of selected objects, unless all of one came after all of the other.
    let created =
        |list: &[Arc<T>]| list.iter().filter_map(|it| meta(it).created).collect::<Vec<_>>();
    if !share && created(newer).iter().min() <= created(older).iter().max() {
        return Vec::new();
    }
    // A much shorter list is more likely one of selected objects.
    if newer.len().saturating_mul(4) < older.len() {
        return Vec::new();
    }
    let listed: BTreeSet<&NamespaceName> = newer.iter().map(|it| &meta(it).namespace).collect();
    let is_gone = |it: &Arc<T>| {
        let meta = meta(it);
        !in_newer.contains_key(&meta.uid) && listed.contains(&meta.namespace)
    };
    let (gone, kept) = std::mem::take(older).into_iter().partition(|it| is_gone(it));
    *older = kept;
    gone
}

/// All input is read: of what is gone, the last state that a dump or a watch shows, by namespace and name.
pub(super) fn settle_the_departed(snapshot: &mut Snapshot) {
    let Snapshot { departed, history, objects, .. } = snapshot;
    for Change { object, .. } in history.iter() {
        match object {
            // A watch tells the end of what the lists know of.
            Object::Pod(pod) if !objects.pods.is_empty() => departed.pods.push(Arc::clone(pod)),
            Object::Node(node) if !objects.nodes.is_empty() => {
                departed.nodes.push(Arc::clone(node));
            }
            Object::NodeClaim(claim) => departed.node_claims.push(Arc::clone(claim)),
            _ => {}
        }
    }
    last_of_each(&mut departed.pods, &objects.pods, |pod| &pod.meta);
    last_of_each(&mut departed.nodes, &objects.nodes, |node| &node.meta);
    last_of_each(&mut departed.node_claims, &objects.node_claims, |claim| &claim.meta);
}

fn last_of_each<T>(
    departed: &mut Vec<Arc<T>>,
    there: &[Arc<T>],
    meta: impl Fn(&T) -> &Meta + Copy,
) {
    if departed.is_empty() {
        return;
    }
    let there: FxHashSet<&str> = there.iter().map(|it| meta(it).uid.as_str()).collect();
    departed.retain(|it| !there.contains(meta(it).uid.as_str()));
    departed.sort_by(|a, b| {
        let (a, b) = (meta(a), meta(b));
        (&a.namespace, &a.name, a.uid.as_str(), b.resource_version).cmp(&(
            &b.namespace,
            &b.name,
            b.uid.as_str(),
            a.resource_version,
        ))
    });
    departed.dedup_by(|later, kept| meta(later).uid == meta(kept).uid);
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
            let gone: Vec<_> = snapshot.departed.pods.iter().map(|pod| &*pod.meta.name).collect();
            assert_eq!(gone, ["deleted"]);
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
