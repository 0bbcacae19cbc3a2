//! Where a pod's volumes let it go. As `scheduling.VolumeTopology`.

use crate::model::labels;
use crate::model::pod::Pod;
use crate::model::selector::{Expression, NodeSelectorTerm, Operator};
use crate::model::storage::{BindingMode, PersistentVolume, PersistentVolumeSource};

use super::requirements::{Demand, RequirementSets, Requirements};
use super::settings::Settings;
use super::volumes::{
    Storage, VolumeLookup, bound_volume, claim_names, class_name, missing_claim, missing_class,
    missing_volume,
};

/// The alternatives that a pod's volumes leave, in the order in which they are tried; none: anywhere.
pub(super) fn alternatives(
    pod: &Pod,
    storage: &Storage<'_>,
    settings: &Settings,
    sets: &mut RequirementSets,
) -> Result<Vec<Demand>, VolumeLookup> {
    let mut combined: Vec<Requirements> = Vec::new();
    for name in claim_names(pod) {
        let terms = claim_terms(pod, &name, storage, settings)?;
        if terms.is_empty() {
            continue;
        }
        let terms: Vec<Requirements> = terms
            .iter()
            .map(|term| {
                let mut requirements = Requirements::default();
                requirements.add_expressions(term, &mut sets.vocabulary);
                requirements
            })
            .collect();
        combined = if combined.is_empty() { terms } else { product(&combined, &terms, sets) };
    }
    Ok(combined.into_iter().map(|requirements| sets.demand(requirements)).collect())
}

/// Every pair that goes together; where none does, every pair.
fn product(
    left: &[Requirements],
    right: &[Requirements],
    sets: &RequirementSets,
) -> Vec<Requirements> {
    let merged = |only_compatible: bool| {
        let mut pairs = Vec::new();
        for a in left {
            for b in right {
                if !only_compatible || a.intersects(b, &sets.vocabulary) {
                    let mut both = a.clone();
                    both.add_all(b, &sets.vocabulary);
                    pairs.push(both);
                }
            }
        }
        pairs
    };
    let compatible = merged(true);
    if compatible.is_empty() { merged(false) } else { compatible }
}

/// The alternatives of one claim.
fn claim_terms(
    pod: &Pod,
    name: &str,
    storage: &Storage<'_>,
    settings: &Settings,
) -> Result<Vec<Vec<Expression>>, VolumeLookup> {
    let namespace = &pod.meta.namespace;
    let claim = storage.claim(namespace, name).ok_or_else(|| missing_claim(namespace, name))?;
    let mut terms = if let Some(volume) = bound_volume(claim) {
        let volume = storage.volume(volume).ok_or_else(|| missing_volume(volume))?;
        volume_terms(volume)
    } else if let Some(class) = class_name(claim) {
        let class = storage.class(class).ok_or_else(|| missing_class(class))?;
        let topologies = class.allowed_topologies.iter().filter(|term| !term.is_empty());
        topologies
            .map(|term| {
                let expression = |(key, values): &(_, Vec<_>)| Expression {
                    key: std::sync::Arc::clone(key),
                    operator: Operator::In,
                    values: values.clone(),
                };
                term.iter().map(expression).collect()
            })
            .collect()
    } else {
        Vec::new()
    };
    if !settings.version.since(12, 1) {
        terms.truncate(1);
    }
    Ok(terms)
}

fn volume_terms(volume: &PersistentVolume) -> Vec<Vec<Expression>> {
    let is_local =
        matches!(volume.source, PersistentVolumeSource::Local | PersistentVolumeSource::HostPath);
    let terms = volume.node_affinity.iter().flatten();
    terms
        .filter(|term| !term.match_expressions.is_empty())
        .map(|term| {
            let kept = term.match_expressions.iter();
            kept.filter(|expression| !(is_local && &*expression.key == labels::HOSTNAME))
                .cloned()
                .collect()
        })
        .collect()
}

/// The pod with its volumes' demands in its own required node affinity, as before 1.9.
pub(super) fn injected(
    pod: &Pod,
    storage: &Storage<'_>,
    settings: &Settings,
) -> Result<Option<Vec<NodeSelectorTerm>>, VolumeLookup> {
    let mut expressions = Vec::new();
    for name in claim_names(pod) {
        let terms = claim_terms(pod, &name, storage, settings)?;
        expressions.extend(terms.into_iter().next().unwrap_or_default());
    }
    if expressions.is_empty() {
        return Ok(None);
    }
    let required = pod.spec.affinity.node.as_ref().and_then(|node| node.required.clone());
    let mut terms = required.unwrap_or_default();
    if terms.is_empty() {
        terms.push(NodeSelectorTerm::default());
    }
    for term in &mut terms {
        term.match_expressions.extend(expressions.iter().cloned());
    }
    Ok(Some(terms))
}

/// Why a pod's claims keep it out of the batch; the first reason. As `ValidatePersistentVolumeClaims`.
pub(super) fn validate(
    pod: &Pod,
    storage: &Storage<'_>,
    settings: &Settings,
) -> Result<(), String> {
    let version = settings.version;
    for name in claim_names(pod) {
        let namespace = &pod.meta.namespace;
        let claim =
            storage.claim(namespace, &name).ok_or_else(|| missing_claim(namespace, &name).0)?;
        if version.since(9, 0) && claim.meta.is_terminating() {
            return Err("persistentvolumeclaim is being deleted".into());
        }
        if version.since(9, 0) && claim.phase.as_deref() == Some("Lost") {
            return Err("persistentvolumeclaim bound to non-existent persistentvolume".into());
        }
        if let Some(volume) = bound_volume(claim) {
            let Some(volume) = storage.volume(volume) else {
                return Err(format!("failed to validate pvc, {}", missing_volume(volume).0));
            };
            if version.since(10, 0) && volume.meta.is_terminating() {
                return Err("failed to validate pvc, persistentvolume is being deleted".into());
            }
            let is_bound = claim.meta.annotations.contains("pv.kubernetes.io/bind-completed");
            if version.since(9, 0) && !is_bound {
                return Err(
                    "pvc is considered unbound because it does not contain annotation".into()
                );
            }
            continue;
        }
        let Some(class) = class_name(claim) else {
            return Err("unbound pvc must define a storage class".into());
        };
        let Some(class) = storage.class(class) else {
            return Err(format!(
                "failed to validate pvc, failed to get storage class, {}",
                missing_class(class).0
            ));
        };
        if version.since(9, 0) && class.binding_mode == Some(BindingMode::Immediate) {
            return Err(
                "failed to validate pvc, pvc with immediate volume binding mode must be bound"
                    .into(),
            );
        }
    }
    Ok(())
}
