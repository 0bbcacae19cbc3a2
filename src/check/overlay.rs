//! Lays the manifests over a cluster: what they hold takes the place of what is there.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::cluster_state::{ClusterState, each_list};
use crate::model::meta::{Condition, Meta, condition};

/// Puts every object of `over` into `cluster`, in the place of the one of the same name; of two in `over`, the first.
pub(crate) fn lay_over(cluster: &mut ClusterState, over: ClusterState) {
    macro_rules! lay {
        ($($list:ident: $_what:literal, $kind:expr;)+) => {
            $(merge(&mut cluster.$list, over.$list, |object| &object.meta, $kind);)+
        };
    }
    each_list!(lay);
}

/// The objects of manifests as they are once their controllers have looked at them: a NodePool is ready.
pub(crate) fn accepted(mut objects: ClusterState) -> ClusterState {
    for pool in &mut objects.node_pools {
        if condition(&pool.conditions, "Ready").is_none() {
            let ready = Condition {
                kind: "Ready".into(),
                status: "True".into(),
                reason: "Ready".into(),
                message: "".into(),
                changed: None,
                observed_generation: None,
            };
            Arc::make_mut(pool).conditions.push(ready);
        }
    }
    bind_named_volumes(&mut objects);
    for volume in &mut objects.persistent_volumes {
        if volume.phase.is_none() && volume.claim.is_none() {
            Arc::make_mut(volume).phase = Some("Available".into());
        }
    }
    objects
}

/// Claims that name their volume are bound to it. As the controller of volumes does.
fn bind_named_volumes(objects: &mut ClusterState) {
    let volumes = objects.persistent_volumes.iter().enumerate();
    let place: BTreeMap<_, _> =
        volumes.map(|(place, volume)| (volume.meta.name.clone(), place)).collect();
    for claim in &mut objects.persistent_volume_claims {
        let Some(place) = claim.volume_name.as_ref().and_then(|name| place.get(name)) else {
            continue;
        };
        let volume = &mut objects.persistent_volumes[*place];
        if volume.claim.is_some() {
            continue;
        }
        let volume = Arc::make_mut(volume);
        volume.claim = Some((claim.meta.key(), Some(claim.meta.uid.clone())));
        volume.phase = Some("Bound".into());
        let claim = Arc::make_mut(claim);
        claim.phase = Some("Bound".into());
        let done = ("pv.kubernetes.io/bind-completed".into(), "yes".into());
        claim.meta.annotations = claim.meta.annotations.with([done]);
    }
}

/// Merges two lists in the order of kind, namespace and name.
fn merge<T, K: Ord>(
    list: &mut Vec<Arc<T>>,
    over: Vec<Arc<T>>,
    meta: impl Fn(&T) -> &Meta,
    kind: impl Fn(&T) -> K,
) {
    if over.is_empty() {
        return;
    }
    let key = |object: &Arc<T>| {
        let meta = meta(object);
        (kind(object), meta.namespace.clone(), meta.name.clone())
    };
    // The sort is stable, so of two equal ones the manifest comes first and stays.
    let under = std::mem::replace(list, over);
    list.extend(under);
    list.sort_by_cached_key(key);
    list.dedup_by(|later, earlier| key(later) == key(earlier));
}
