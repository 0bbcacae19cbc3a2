//! The ResourceClaims that a pod refers to.

use std::sync::Arc;

use serde_json::Value;

use crate::model::dra::ResourceClaim;
use crate::model::names::{ObjectKey, Str};
use crate::model::pod::Pod;

use super::framework::Cycle;

/// As many pods can use one claim.
const RESERVED_FOR_LIMIT: usize = 256;

/// The pod's claims, in the order of its references. `Err`: what is wrong with one of them.
pub(crate) fn claims_of<'a>(cycle: &Cycle<'a>) -> Result<Vec<&'a Arc<ResourceClaim>>, Str> {
    let pod = cycle.pod();
    let mut claims = Vec::new();
    for reference in &pod.spec.resource_claims {
        let (name, is_owned) = match (&reference.claim_name, &reference.template_name) {
            (Some(name), _) => (name.clone(), false),
            (None, Some(_)) => {
                let made = pod.status.resource_claim_names.iter();
                match made.clone().find(|(of, _)| *of == reference.name) {
                    Some((_, Some(name))) => (name.clone(), true),
                    // The template needed no claim after all.
                    Some((_, None)) => continue,
                    None => {
                        let text = format!("pod \"{}\": ResourceClaim not created yet", pod.key());
                        return Err(text.into());
                    }
                }
            }
            (None, None) => {
                let text = format!(
                    "pod \"{}\", spec.resourceClaim \"{}\": unsupported claim source",
                    pod.key(),
                    reference.name
                );
                return Err(text.into());
            }
        };
        let key = ObjectKey::new(pod.meta.namespace.clone(), name);
        let Some(claim) = cycle.cluster.objects.resource_claims.get(&key) else {
            return Err(format!("could not find ResourceClaim \"{key}\"").into());
        };
        if claim.meta.is_terminating() {
            return Err(format!("resourceclaim \"{}\" is being deleted", key.name).into());
        }
        if is_owned && !is_for(pod, claim) {
            let text = format!(
                "ResourceClaim {key} was not created for pod {} (pod is not owner)",
                pod.key()
            );
            return Err(text.into());
        }
        claims.push(claim);
    }
    Ok(claims)
}

fn is_for(pod: &Pod, claim: &ResourceClaim) -> bool {
    claim.meta.controller().is_some_and(|owner| owner.uid == pod.meta.uid)
}

/// What keeps the pod from using a claim on any node.
pub(crate) fn problem(cycle: &Cycle<'_>, claim: &ResourceClaim) -> Option<Str> {
    if claim.allocation.is_some() {
        let uid = &cycle.pod().meta.uid;
        let reserved = claim.reserved_for.iter().any(|(_, _, consumer)| consumer == uid);
        let full = claim.reserved_for.len() >= RESERVED_FOR_LIMIT && !reserved;
        return full.then(|| "resourceclaim in use".into());
    }
    requests(claim).iter().find_map(|request| {
        let name = text(request, "name");
        if let Some(alternatives) = request.get("firstAvailable").and_then(Value::as_array) {
            return alternatives.iter().find_map(|alternative| {
                let name = format!("{name}/{}", text(alternative, "name"));
                missing_class(cycle, &name, text(alternative, "deviceClassName"))
            });
        }
        let exact = request.get("exactly").unwrap_or(request);
        if exact.get("deviceClassName").is_none() {
            let claim = &claim.meta.name;
            return Some(
                format!("resource claim {claim}, request {name}: unknown request type").into(),
            );
        }
        missing_class(cycle, name, text(exact, "deviceClassName"))
    })
}

fn missing_class(cycle: &Cycle<'_>, request: &str, class: &str) -> Option<Str> {
    let known = cycle.cluster.objects.device_classes.contains_key(class);
    (!known).then(|| format!("request {request}: device class {class} does not exist").into())
}

/// `spec.devices.requests` of a claim.
pub(crate) fn requests(claim: &ResourceClaim) -> &[Value] {
    claim.devices.get("requests").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text in an object; empty when it is not there.
pub(crate) fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object.get(field).and_then(Value::as_str).unwrap_or("")
}
