//! `VolumeBinding`: bound volumes must be reachable from the node, unbound claims must find or get one there.

use std::sync::Arc;

use crate::kube_scheduler::csi;
use crate::kube_scheduler::decision::Code;
use crate::kube_scheduler::framework::{Cycle, Normalize, Plugin, PreFiltered, Scoring, Verdict};
use crate::kube_scheduler::node_info::NodeInfo;
use crate::kube_scheduler::objects::class_of_claim;
use crate::kube_scheduler::pod_claims::{claims_of, not_owned};
use crate::kube_scheduler::pv_matching::{find_matching_volume, is_reachable};
use crate::kube_scheduler::rejection::Rejection;
use crate::model::names::Str;
use crate::model::storage::{
    BindingMode, CsiStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass,
};

use super::volume_binding_score;

pub(crate) const PLUGIN: Plugin = Plugin {
    filter: Some(filter),
    pre_filter_since: Some(0),
    score: Some(score),
    ..Plugin::named("VolumeBinding")
};

type Claim = Arc<PersistentVolumeClaim>;

/// A pod's claims by what has to happen with them.
#[derive(Default)]
struct Claims<'a> {
    bound: Vec<&'a Claim>,
    /// Unbound; the class waits for the pod.
    delayed: Vec<&'a Claim>,
}

/// What a node would do about the pod's claims.
#[derive(Default)]
pub(crate) struct NodeVolumes<'a> {
    /// Claims that would be bound to volumes that exist.
    pub(crate) matched: Vec<(&'a PersistentVolumeClaim, &'a PersistentVolume)>,
    /// Claims for which volumes would be made, with the storage capacity that they would come from, where one is kept.
    pub(crate) provisioned: Vec<(&'a PersistentVolumeClaim, Option<&'a CsiStorageCapacity>)>,
}

/// Why an attempt cannot go on.
struct Failure(String);

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    match claims(cycle) {
        Ok(None) => PreFiltered::Skips,
        Ok(Some(claims)) => PreFiltered::per_node(move |node| check(cycle, &claims, node.info)),
        Err((code, reason)) => PreFiltered::Refuses(code, vec![reason]),
    }
}

/// Sorts the pod's claims. `None`: it has none.
fn claims<'a>(cycle: &'a Cycle<'_>) -> Result<Option<Claims<'a>>, (Code, Rejection)> {
    let objects = &cycle.cluster.objects;
    let unresolvable = |reason| Err((Code::UnschedulableAndUnresolvable, reason));
    let mut found = Vec::new();
    for of_pod in claims_of(cycle.pod(), objects) {
        let name = of_pod.name;
        let Some(claim) = of_pod.claim else {
            return unresolvable(if of_pod.is_ephemeral {
                Rejection::EphemeralClaimNotCreated(name)
            } else {
                Rejection::ClaimNotFound(name)
            });
        };
        if claim.phase.as_deref() == Some("Lost") {
            let volume = claim.volume_name.clone().unwrap_or_else(|| Str::from(""));
            return unresolvable(Rejection::ClaimLost { claim: name, volume });
        }
        if claim.meta.is_terminating() {
            return unresolvable(Rejection::ClaimBeingDeleted(name));
        }
        if of_pod.is_ephemeral
            && let Some(reason) = not_owned(cycle.pod(), claim)
        {
            return unresolvable(reason);
        }
        found.push(claim);
    }
    if found.is_empty() {
        return Ok(None);
    }
    let mut claims = Claims::default();
    let mut immediate = false;
    for claim in found {
        if is_bound(claim) {
            claims.bound.push(claim);
        } else if waits_for_pod(cycle, claim)? {
            claims.delayed.push(claim);
        } else {
            immediate = true;
        }
    }
    if immediate { unresolvable(Rejection::UnboundImmediateClaims) } else { Ok(Some(claims)) }
}

fn is_bound(claim: &PersistentVolumeClaim) -> bool {
    claim.volume_name.as_ref().is_some_and(|name| !name.is_empty())
        && claim.meta.annotations.contains("pv.kubernetes.io/bind-completed")
}

fn waits_for_pod(
    cycle: &Cycle<'_>,
    claim: &PersistentVolumeClaim,
) -> Result<bool, (Code, Rejection)> {
    if claim.volume_name.as_ref().is_some_and(|name| !name.is_empty()) {
        return Ok(false);
    }
    let name = class_of_claim(claim);
    let Some(class) = cycle.cluster.objects.storage_classes.get(&name) else { return Ok(false) };
    let Some(mode) = class.binding_mode else {
        let text = format!("VolumeBindingMode not set for StorageClass \"{name}\"");
        return Err((Code::Error, Rejection::Failure(text.into())));
    };
    Ok(mode == BindingMode::WaitForFirstConsumer)
}

fn check(cycle: &Cycle<'_>, claims: &Claims<'_>, node: &NodeInfo) -> Verdict {
    let mut reasons = Vec::new();
    let mut gone = false;
    for claim in &claims.bound {
        match reaches(cycle, claim, node) {
            Ok(None) => gone = true,
            Ok(Some(false)) => reasons.push(Rejection::VolumeNodeAffinity),
            Ok(Some(true)) => continue,
            Err(Failure(text)) => {
                return Verdict::Rejects(Code::Error, vec![Rejection::Failure(text.into())]);
            }
        }
        break;
    }
    match volumes_on(cycle, claims, node) {
        Ok(Ok(_)) => {}
        Ok(Err(reason)) => reasons.push(reason),
        Err(Failure(text)) => {
            return Verdict::Rejects(Code::Error, vec![Rejection::Failure(text.into())]);
        }
    }
    if gone {
        reasons.push(Rejection::BoundVolumeGone);
    }
    if reasons.is_empty() {
        Verdict::Fits
    } else {
        Verdict::Rejects(Code::UnschedulableAndUnresolvable, reasons)
    }
}

/// Whether a node reaches the volume of a bound claim. `None`: the volume is gone.
fn reaches(
    cycle: &Cycle<'_>,
    claim: &PersistentVolumeClaim,
    node: &NodeInfo,
) -> Result<Option<bool>, Failure> {
    let objects = &cycle.cluster.objects;
    let name = claim.volume_name.as_ref();
    let Some(volume) = name.and_then(|name| objects.volumes.get(name)) else { return Ok(None) };
    let labels = &node.node.meta.labels;
    let csi_node = objects.csi_nodes.get(node.name.as_str()).map(|it| &**it);
    let migrated =
        csi::of_volume(volume).filter(|(in_tree, _)| csi::is_migrated(csi_node, in_tree));
    let Some((in_tree, handle)) = migrated else {
        return Ok(Some(is_reachable(volume.node_affinity.as_deref(), labels)));
    };
    handle.map_err(|why| Failure(format!("could not translate pv: {why}")))?;
    Ok(Some(is_reachable(csi::translated_affinity(volume, in_tree).as_deref(), labels)))
}

/// What a node would do about the claims that wait for the pod, or why it cannot.
fn volumes_on<'a>(
    cycle: &'a Cycle<'_>,
    claims: &Claims<'a>,
    node: &NodeInfo,
) -> Result<Result<NodeVolumes<'a>, Rejection>, Failure> {
    let mut volumes = NodeVolumes::default();
    let mut to_match = Vec::new();
    let mut to_provision: Vec<&Claim> = Vec::new();
    for claim in &claims.delayed {
        match claim.meta.annotations.value("volume.kubernetes.io/selected-node") {
            Some(selected) if selected != node.name.as_str() => {
                return Ok(Err(Rejection::NoVolumeToBind));
            }
            Some(_) => to_provision.push(claim),
            None => to_match.push(*claim),
        }
    }
    to_match.sort_by_key(|claim| claim.storage.unwrap_or_default());
    let mut chosen: Vec<&PersistentVolume> = Vec::new();
    for claim in to_match {
        let names_attributes =
            claim.volume_attributes_class_name.as_ref().is_some_and(|name| !name.is_empty());
        if names_attributes && !cycle.version().since(34) {
            let text = "unsupported volumeAttributesClassName is set on the claim";
            return Err(Failure(text.to_owned()));
        }
        let candidates = cycle.cluster.objects.volumes_of_class.get(&class_of_claim(claim));
        let matching = candidates.and_then(|candidates| {
            let labels = &node.node.meta.labels;
            find_matching_volume(claim, candidates, &chosen, labels, cycle.version())
        });
        match matching {
            Some(volume) => {
                chosen.push(volume);
                volumes.matched.push((&**claim, volume));
            }
            None => to_provision.push(claim),
        }
    }
    for claim in to_provision {
        match provision(cycle, claim, node)? {
            Ok(capacity) => volumes.provisioned.push((&**claim, capacity)),
            Err(reason) => return Ok(Err(reason)),
        }
    }
    Ok(Ok(volumes))
}

/// Whether a volume can be made for a claim so that the node reaches it, and what storage capacity it would come from.
fn provision<'a>(
    cycle: &'a Cycle<'_>,
    claim: &PersistentVolumeClaim,
    node: &NodeInfo,
) -> Result<Result<Option<&'a CsiStorageCapacity>, Rejection>, Failure> {
    let objects = &cycle.cluster.objects;
    let name = class_of_claim(claim);
    if name.is_empty() {
        let (namespace, name) = (&claim.meta.namespace, &claim.meta.name);
        return Err(Failure(format!("no class for claim \"{namespace}/{name}\"")));
    }
    let Some(class) = objects.storage_classes.get(&name) else {
        return Err(Failure(format!("failed to find storage class \"{name}\"")));
    };
    let provisioner = class.provisioner.as_deref().unwrap_or("");
    if matches!(provisioner, "" | "kubernetes.io/no-provisioner") || !is_allowed(class, node) {
        return Ok(Err(Rejection::NoVolumeToBind));
    }
    let driver = objects.csi_drivers.get(provisioner);
    let is_limited = driver.is_some_and(|driver| driver.storage_capacity == Some(true));
    let Some(size) = claim.storage.filter(|_| is_limited) else { return Ok(Ok(None)) };
    let capacities = objects.storage_capacities.get(&name).into_iter().flatten();
    let suits = |capacity: &CsiStorageCapacity| {
        let limit = capacity.maximum_volume_size.or(capacity.capacity);
        let here = super::super::selectors::selects(
            capacity.node_topology.as_ref(),
            &node.node.meta.labels,
        );
        limit.is_some_and(|limit| limit.value() >= size.value()) && here
    };
    let found = capacities.map(|capacity| &**capacity).find(|capacity| suits(capacity));
    Ok(found.map(Some).ok_or(Rejection::NotEnoughStorage))
}

/// Whether the class makes volumes that the node reaches.
fn is_allowed(class: &StorageClass, node: &NodeInfo) -> bool {
    let labels = &node.node.meta.labels;
    let holds = |(key, values): &(Str, Vec<Str>)| {
        labels.get(key).is_some_and(|value| values.contains(value))
    };
    let topologies = &class.allowed_topologies;
    topologies.is_empty()
        || topologies.iter().any(|term| !term.is_empty() && term.iter().all(holds))
}

/// Scores by how full a storage class gets; from 1.37 on, before it has nothing to say.
fn score(cycle: &Cycle<'_>, nodes: &[&NodeInfo]) -> Scoring {
    if !cycle.version().since(37) {
        return Scoring::Skips;
    }
    let Ok(Some(claims)) = claims(cycle) else {
        return Scoring::Scores(vec![0; nodes.len()], Normalize::Not);
    };
    if claims.delayed.is_empty() {
        return Scoring::Scores(vec![0; nodes.len()], Normalize::Not);
    }
    let mut scores = Vec::with_capacity(nodes.len());
    for node in nodes {
        let volumes = match volumes_on(cycle, &claims, node) {
            Ok(Ok(volumes)) => volumes,
            Ok(Err(_)) | Err(_) => NodeVolumes::default(),
        };
        let shape = cycle.arguments.volume_binding_shape.as_ref();
        match volume_binding_score::score(&volumes, shape) {
            Some(score) => scores.push(score),
            None => {
                return Scoring::Fails(format!(
                    "kube-scheduler {} crashes when it scores node {}: a CSIStorageCapacity without capacity, or a claim whose class is an annotation",
                    cycle.version(),
                    node.name
                ));
            }
        }
    }
    Scoring::Scores(scores, Normalize::Not)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, Said, question, unresolvable};
    use crate::model::pod::{PodVolume, VolumeSource};
    use crate::model::quantity::Quantity;
    use crate::model::selector::{Expression, NodeSelectorTerm, Operator};
    use crate::model::storage::PersistentVolumeSource;
    use crate::testing::{cluster, meta, node, pairs, pod};

    /// A volume of 5Gi of the class, reachable from zone a.
    fn volume() -> PersistentVolume {
        let in_zone =
            Expression { key: "zone".into(), operator: Operator::In, values: vec!["a".into()] };
        PersistentVolume {
            meta: meta("v", ""),
            capacity: Quantity::bytes(5 << 30),
            access_modes: vec!["ReadWriteOnce".into()],
            storage_class_name: Some("s".into()),
            node_affinity: Some(vec![NodeSelectorTerm {
                match_expressions: vec![in_zone],
                match_fields: None,
            }]),
            source: PersistentVolumeSource::Local,
            phase: Some("Available".into()),
            ..PersistentVolume::default()
        }
    }

    fn claim(gibi: i64) -> PersistentVolumeClaim {
        PersistentVolumeClaim {
            meta: meta("c", "default"),
            storage_class_name: Some("s".into()),
            storage: Some(Quantity::bytes(gibi << 30)),
            access_modes: vec!["ReadWriteOnce".into()],
            ..PersistentVolumeClaim::default()
        }
    }

    fn bound(to: &str) -> PersistentVolumeClaim {
        let mut claim = claim(1);
        claim.volume_name = Some(to.into());
        claim.meta.annotations = pairs("pv.kubernetes.io/bind-completed=yes");
        claim
    }

    /// Nodes a and b in the zones of their names.
    fn verdicts(claim: PersistentVolumeClaim, provisioner: &str, mode: BindingMode) -> Vec<Said> {
        let mut state = cluster([node("a").labels("zone=a"), node("b").labels("zone=b")], []);
        state.persistent_volumes = vec![Arc::new(volume())];
        state.persistent_volume_claims = vec![Arc::new(claim)];
        state.storage_classes = vec![Arc::new(StorageClass {
            meta: meta("s", ""),
            provisioner: Some(provisioner.into()),
            binding_mode: Some(mode),
            allowed_topologies: Vec::new(),
        })];
        let source = VolumeSource::PersistentVolumeClaim("c".into());
        let asked = pod("p").spec(|spec| {
            spec.volumes = vec![PodVolume { name: "v".into(), source }];
        });
        question(state, asked).filter(&PLUGIN)
    }

    #[test]
    fn a_claim_decides_by_what_it_is_bound_to_or_could_be() {
        const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";
        let waits = BindingMode::WaitForFirstConsumer;
        let unreachable = unresolvable("node(s) didn't match PersistentVolume's node affinity");
        let nothing = || unresolvable("node(s) didn't find available persistent volumes to bind");
        let gone = || {
            unresolvable(
                "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
            )
        };
        let immediate = unresolvable("pod has unbound immediate PersistentVolumeClaims");
        let mut promised = claim(1);
        promised.meta.annotations = pairs("volume.kubernetes.io/selected-node=b");
        for (case, claim, provisioner, mode, expected) in [
            ("bound", bound("v"), NO_PROVISIONER, waits, vec![FITS, unreachable]),
            ("bound to nothing", bound("x"), NO_PROVISIONER, waits, vec![gone(), gone()]),
            ("a volume suits", claim(1), NO_PROVISIONER, waits, vec![FITS, nothing()]),
            ("too large for it", claim(6), NO_PROVISIONER, waits, vec![nothing(), nothing()]),
            ("one can be made", claim(6), "csi.example.com", waits, vec![FITS, FITS]),
            ("promised to a node", promised, "csi.example.com", waits, vec![nothing(), FITS]),
            ("binds at once", claim(1), NO_PROVISIONER, BindingMode::Immediate, vec![immediate]),
        ] {
            assert_eq!(verdicts(claim, provisioner, mode), expected, "{case}");
        }
    }
}
