//! `VolumeZone`: a volume with zone or region labels goes to nodes of its zone or region.

use crate::kube_scheduler::framework::{Cycle, Plugin, PreFiltered, Trial, Verdict};
use crate::kube_scheduler::objects::class_of_claim;
use crate::kube_scheduler::rejection::Rejection;
use crate::model::labels::{REGION, REGION_BETA, ZONE, ZONE_BETA};
use crate::model::names::{ObjectKey, Str};
use crate::model::pod::VolumeSource;
use crate::model::storage::{BindingMode, PersistentVolume, PersistentVolumeClaim};

pub(crate) const PLUGIN: Plugin =
    Plugin { filter: Some(filter), pre_filter_since: Some(0), ..Plugin::named("VolumeZone") };

/// The labels that place a volume, each with the form that is current.
const LABELS: [(&str, &str); 4] =
    [(ZONE_BETA, ZONE), (REGION_BETA, REGION), (ZONE, ZONE), (REGION, REGION)];

/// A label that a node must have, in the old form and the current one, and the values that will do.
type Demand = (&'static str, &'static str, Vec<Str>);

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let mut demands: Vec<Demand> = Vec::new();
    for volume in &cycle.spec().volumes {
        let VolumeSource::PersistentVolumeClaim(name) = &volume.source else { continue };
        match volume_of(cycle, name) {
            Ok(Some(volume)) => demands.extend(demands_of(volume)),
            Ok(None) => {}
            Err(reason) => return PreFiltered::refuses(reason),
        }
    }
    if demands.is_empty() {
        return PreFiltered::Skips;
    }
    PreFiltered::per_node(move |node| {
        Verdict::unresolvable_if((!meets(node, &demands)).then_some(Rejection::VolumeZone))
    })
}

/// The volume that a claim is bound to; none when it binds only later.
fn volume_of<'a>(
    cycle: &'a Cycle<'_>,
    name: &Str,
) -> Result<Option<&'a PersistentVolume>, Rejection> {
    if name.is_empty() {
        return Err(Rejection::ClaimWithoutName);
    }
    let objects = &cycle.cluster.objects;
    let key = ObjectKey::new(cycle.pod().meta.namespace.clone(), name.clone());
    let claim = objects.claims.get(&key).ok_or_else(|| Rejection::ClaimNotFound(name.clone()))?;
    match claim.volume_name.as_ref().filter(|name| !name.is_empty()) {
        Some(volume) => {
            let found = objects.volumes.get(volume).map(|volume| Some(&**volume));
            found.ok_or_else(|| Rejection::VolumeNotFound(volume.clone()))
        }
        None => unbound(cycle, claim),
    }
}

fn unbound<'a>(
    cycle: &Cycle<'_>,
    claim: &PersistentVolumeClaim,
) -> Result<Option<&'a PersistentVolume>, Rejection> {
    let name = class_of_claim(claim);
    if name.is_empty() {
        return Err(Rejection::ClaimWithoutVolumeAndClass);
    }
    let Some(class) = cycle.cluster.objects.storage_classes.get(&name) else {
        return Err(Rejection::StorageClassNotFound(name));
    };
    match class.binding_mode {
        None => Err(Rejection::BindingModeNotSet(name)),
        Some(BindingMode::WaitForFirstConsumer) => Ok(None),
        Some(BindingMode::Immediate) => Err(Rejection::VolumeWithoutName),
    }
}

fn demands_of(volume: &PersistentVolume) -> impl Iterator<Item = Demand> {
    LABELS.iter().filter_map(|(key, current)| {
        let values = volume.meta.labels.value(key)?;
        let parts: Vec<Str> = values.split("__").map(|part| Str::from(part.trim())).collect();
        // As upstream's LabelZonesToSet: one empty part makes the label unreadable, and it is passed over.
        (!parts.iter().any(|part| part.is_empty())).then_some((*key, *current, parts))
    })
}

fn meets(node: &Trial<'_>, demands: &[Demand]) -> bool {
    let labels = &node.node.meta.labels;
    if !LABELS.iter().any(|(key, _)| labels.contains(key)) {
        return true;
    }
    demands.iter().all(|(key, current, values)| {
        let value = labels.get(key).or_else(|| labels.get(current));
        value.is_some_and(|value| values.contains(value))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, question, unresolvable};
    use crate::model::pod::PodVolume;
    use crate::testing::{cluster, meta, node, pairs, pod};

    #[test]
    fn a_node_with_any_place_must_have_the_volumes_zone() {
        let nodes = [
            node("a").labels(&format!("{ZONE}=a")),
            node("b").labels(&format!("{ZONE}=b")),
            node("c").labels(&format!("{REGION}=r")),
            node("d"),
        ];
        let refused = || unresolvable("node(s) had no available volume zone");
        for (labels, expected) in [
            (format!("{ZONE}=a"), vec![FITS, refused(), refused(), FITS]),
            (format!("{ZONE}=a__b"), vec![FITS, FITS, refused(), FITS]),
            (format!("{ZONE_BETA}=a"), vec![FITS, refused(), refused(), FITS]),
            (format!("{ZONE}=a__"), vec![]),
        ] {
            let mut state = cluster(nodes.clone(), []);
            state.persistent_volumes = vec![Arc::new(PersistentVolume {
                meta: crate::model::meta::Meta { labels: pairs(&labels), ..meta("v", "") },
                ..PersistentVolume::default()
            })];
            state.persistent_volume_claims = vec![Arc::new(PersistentVolumeClaim {
                meta: meta("c", "default"),
                volume_name: Some("v".into()),
                ..PersistentVolumeClaim::default()
            })];
            let source = VolumeSource::PersistentVolumeClaim("c".into());
            let asked =
                pod("p").spec(|spec| spec.volumes = vec![PodVolume { name: "v".into(), source }]);
            assert_eq!(question(state, asked).filter(&PLUGIN), expected, "{labels}");
        }
    }
}
