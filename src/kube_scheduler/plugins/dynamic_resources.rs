//! `DynamicResources`: devices that a pod claims.

use std::sync::Arc;

use crate::kube_scheduler::allocator::{Allocator, Extended, Found};
use crate::kube_scheduler::amounts::{Amounts, is_extended};
use crate::kube_scheduler::attempt::Outcome;
use crate::kube_scheduler::decision::Code;
use crate::kube_scheduler::dra_claims::{claims_of, problem};
use crate::kube_scheduler::framework::{Cycle, Normalize, Plugin, PreFiltered, Scoring, Verdict};
use crate::kube_scheduler::node_info::NodeInfo;
use crate::kube_scheduler::post_filter::Unschedulable;
use crate::kube_scheduler::rejection::Rejection;
use crate::kube_scheduler::requests::Summing;
use crate::kube_scheduler::selectors::node_terms;
use crate::model::dra::ResourceClaim;
use crate::model::gap::{Gap, GapKind};
use crate::model::names::Str;
use crate::model::node::Node;

use super::DYNAMIC_RESOURCES;

pub(crate) const PLUGIN: Plugin = Plugin {
    pre_enqueue: Some(pre_enqueue),
    filter: Some(filter),
    pre_filter_since: Some(0),
    score: Some(score),
    gaps: Some(gaps),
    ..Plugin::named(DYNAMIC_RESOURCES)
};

const NOT_AVAILABLE: &str = "resourceclaim not available on the node";
/// A prioritized request can have this many alternatives.
const MAX_ALTERNATIVES: i64 = 8;

fn pre_enqueue(cycle: &Cycle<'_>) -> Option<Rejection> {
    claims_of(cycle).err().map(Rejection::DynamicResources)
}

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let refuses = |text: Str| PreFiltered::refuses(Rejection::DynamicResources(text));
    let claims = match claims_of(cycle) {
        Ok(claims) => claims,
        Err(text) => return refuses(text),
    };
    let stands_for_extended = !extended(cycle).is_empty();
    if claims.is_empty() && !stands_for_extended {
        return PreFiltered::Skips;
    }
    if let Some(text) = claims.iter().find_map(|claim| problem(cycle, claim)) {
        return refuses(text);
    }
    let search = searcher(cycle, &claims);
    PreFiltered::per_node(move |node| {
        let unresolvable =
            |text: &str| Verdict::unresolvable(Rejection::DynamicResources(text.into()));
        if stands_for_extended && lacks_extended(cycle, node.info) {
            return unresolvable("cannot fit resource");
        }
        match search(node.info) {
            Found::Nothing => return unresolvable("cannot allocate all claims"),
            Found::Fails(text) => {
                return Verdict::Rejects(Code::Error, vec![Rejection::Failure(text.into())]);
            }
            // What is not modelled is among the gaps; the node gets the benefit of the doubt.
            Found::Solution(_) | Found::NotModelled => {}
        }
        if claims.iter().all(|claim| is_usable(claim, &node.node)) {
            Verdict::Fits
        } else {
            unresolvable(NOT_AVAILABLE)
        }
    })
}

/// Whether the devices of a claim, where it has some, can be used on a node.
fn is_usable(claim: &ResourceClaim, node: &Node) -> bool {
    let selector = claim.allocation.as_ref().and_then(|it| it.node_selector.as_deref());
    selector.is_none_or(|terms| node_terms(terms).iter().any(|term| term.matches(node)))
}

/// What looks for devices on a node, for the claims that have none and for extended resources that stand for devices.
fn searcher<'a>(
    cycle: &'a Cycle<'_>,
    claims: &[&'a Arc<ResourceClaim>],
) -> impl Fn(&NodeInfo) -> Found + 'a {
    let without: Vec<&ResourceClaim> =
        claims.iter().map(|claim| &***claim).filter(|it| it.allocation.is_none()).collect();
    let extended = extended(cycle);
    let needs_search = !without.is_empty() || !extended.is_empty();
    let allocator = needs_search.then(|| {
        let mut allocator = Allocator::new(cycle, &without);
        allocator.add(cycle, &extended);
        allocator
    });
    move |node: &NodeInfo| {
        let found = allocator.as_ref().map(|allocator| allocator.allocate(node));
        found.unwrap_or_else(|| Found::Solution(Vec::new()))
    }
}

/// The extended resources that the pod asks for and that devices can stand for.
fn extended<'a>(cycle: &Cycle<'a>) -> Vec<Extended<'a>> {
    if !cycle.version().since(36) || cycle.cluster.objects.device_classes.is_empty() {
        return Vec::new();
    }
    let request = Amounts::of(&Summing::incoming(cycle.version()).sum(cycle.spec(), None));
    let asked = request.scalars.into_iter().filter(|(_, count)| *count > 0);
    asked
        .filter_map(|(name, count)| {
            let class = class_for(cycle, name.as_str())?;
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            Some(Extended { resource: name.0, class, count })
        })
        .collect()
}

/// Whether a node has neither the resource nor devices for some extended resource of the pod.
fn lacks_extended(cycle: &Cycle<'_>, node: &NodeInfo) -> bool {
    let request = Amounts::of(&Summing::incoming(cycle.version()).sum(cycle.spec(), None));
    let mut asked = request.scalars.iter().filter(|(_, count)| *count != 0);
    asked.any(|(name, _)| {
        let name = name.as_str();
        is_extended(name)
            && class_for(cycle, name).is_none()
            && !node.allocatable.lists_scalar(name)
    })
}

/// The class whose devices stand for an extended resource.
fn class_for<'a>(cycle: &Cycle<'a>, resource: &str) -> Option<&'a Str> {
    const PREFIX: &str = "deviceclass.resource.kubernetes.io/";
    let mut classes = cycle.cluster.objects.device_classes.iter();
    let found = match resource.strip_prefix(PREFIX) {
        Some(name) => classes.find(|(class, _)| &***class == name),
        None => {
            classes.find(|(_, class)| class.extended_resource_name.as_deref() == Some(resource))
        }
    };
    found.map(|(name, _)| name)
}

/// Whether devices can stand for an extended resource where a node does not have it in the old way.
pub(crate) fn backs(cycle: &Cycle<'_>, resource: &str) -> bool {
    cycle.version().since(36) && class_for(cycle, resource).is_some()
}

/// The earlier in its list the alternative that a node offers, the better.
fn score(cycle: &Cycle<'_>, nodes: &[&NodeInfo]) -> Scoring {
    if !cycle.version().since(35) {
        return Scoring::Skips;
    }
    let claims = claims_of(cycle).unwrap_or_default();
    if claims.iter().all(|claim| claim.allocation.is_some()) {
        return Scoring::Scores(vec![0; nodes.len()], Normalize::HigherIsBetter);
    }
    let search = searcher(cycle, &claims);
    let scores = nodes.iter().map(|node| match search(node) {
        Found::Solution(chosen) => {
            let value = |at: &usize| MAX_ALTERNATIVES - i64::try_from(*at).unwrap_or(i64::MAX);
            chosen.iter().map(value).sum()
        }
        Found::Nothing | Found::Fails(_) | Found::NotModelled => 0,
    });
    Scoring::Scores(scores.collect(), Normalize::HigherIsBetter)
}

fn gaps(cycle: &Cycle<'_>) -> Vec<Gap> {
    let Ok(claims) = claims_of(cycle) else { return Vec::new() };
    let search = searcher(cycle, &claims);
    let unclear = cycle.cluster.nodes.iter().any(|node| search(node) == Found::NotModelled);
    let gap = || {
        Gap::new(
            GapKind::NotModelled,
            format!("pod/{}", cycle.pod().meta.name),
            "whether devices are left for its claims is not fully replayed: selectors beyond simple comparisons, shared counters and shared capacity are taken as if they fit",
        )
    };
    if unclear { vec![gap()] } else { Vec::new() }
}

/// Gives back an idle claim whose devices the pod cannot reach. What it says, if anything.
pub(crate) fn post_filter(pod: &Unschedulable<'_>) -> Option<String> {
    let cycle = pod.attempt.cycle;
    let is_old = !cycle.version().since(37);
    let claims = claims_of(cycle).unwrap_or_default();
    // As upstream: when the plugin itself refused the pod, it has forgotten the claims.
    let is_refused = matches!(&pod.attempt.outcome, Outcome::Refused(refusal) if refusal.plugin == DYNAMIC_RESOURCES);
    if claims.is_empty() || is_refused {
        return is_old.then(|| "no new claims to deallocate".to_owned());
    }
    let uid = &cycle.pod().meta.uid;
    let is_idle = |claim: &ResourceClaim| match &claim.reserved_for[..] {
        [] => true,
        [(_, _, only)] => only == uid,
        _ => false,
    };
    let gave_up_on = cycle.cluster.nodes.iter().filter(|node| {
        let reasons = pod.refusals[node.index].map_or(&[][..], |refusal| &refusal.reasons);
        reasons
            .iter()
            .any(|it| matches!(it, Rejection::DynamicResources(text) if &**text == NOT_AVAILABLE))
    });
    let mut gave_up_on = gave_up_on.map(|node| &node.node);
    let gives_back =
        gave_up_on.any(|node| claims.iter().any(|claim| is_idle(claim) && !is_usable(claim, node)));
    if gives_back {
        Some("deallocation of ResourceClaim completed".to_owned())
    } else {
        is_old.then(|| "still not schedulable".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, Said, question, unresolvable};
    use crate::model::dra::{Allocation, DeviceClass, ResourceSlice};
    use crate::model::pod::PodResourceClaim;
    use crate::testing::{TestPod, cluster, meta, node, pod};

    /// A claim of so many devices; where `on` is given, it has one on that node already.
    fn claim(name: &str, count: i64, on: Option<&str>) -> ResourceClaim {
        let request = serde_json::json!({
            "name": "r", "exactly": {"deviceClassName": "gpu", "count": count},
        });
        ResourceClaim {
            meta: meta(name, "default"),
            devices: serde_json::json!({"requests": [request]}),
            allocation: on.map(|node| Allocation {
                node_selector: None,
                results: vec![("r".into(), "d".into(), node.into(), "d0".into())],
            }),
            reserved_for: Vec::new(),
        }
    }

    fn wants(name: &str) -> TestPod {
        let claim = PodResourceClaim {
            name: "c".into(),
            claim_name: Some(name.into()),
            template_name: None,
        };
        pod("p").spec(|spec| spec.resource_claims = vec![claim])
    }

    /// Node a has one device, node b two.
    fn verdicts(claims: Vec<ResourceClaim>, asked: TestPod) -> Vec<Said> {
        let mut state = cluster([node("a"), node("b")], []);
        state.resource_slices = [("a", 1), ("b", 2)]
            .map(|(name, count)| {
                let devices: Vec<_> = (0..count)
                    .map(|number| serde_json::json!({"name": format!("d{number}")}))
                    .collect();
                let pool =
                    serde_json::json!({"name": name, "generation": 1, "resourceSliceCount": 1});
                Arc::new(ResourceSlice {
                    meta: meta(name, ""),
                    driver: Some("d".into()),
                    node_name: Some(name.into()),
                    spec: serde_json::json!({"pool": pool, "devices": devices}),
                    ..ResourceSlice::default()
                })
            })
            .into();
        let selector = serde_json::json!({"cel": {"expression": "device.driver == 'd'"}});
        state.device_classes = vec![Arc::new(DeviceClass {
            meta: meta("gpu", ""),
            extended_resource_name: None,
            spec: serde_json::json!({"selectors": [selector]}),
        })];
        state.resource_claims = claims.into_iter().map(Arc::new).collect();
        state.resource_claims.sort_by_key(|claim| claim.meta.key());
        question(state, asked).filter(&PLUGIN)
    }

    #[test]
    fn a_node_needs_free_devices_for_every_claim() {
        let none = || unresolvable("cannot allocate all claims");
        for (case, claims, asked, expected) in [
            ("nothing is claimed", vec![], pod("p"), vec![]),
            ("one device", vec![claim("c", 1, None)], wants("c"), vec![FITS, FITS]),
            ("two devices", vec![claim("c", 2, None)], wants("c"), vec![none(), FITS]),
            (
                "one is in use",
                vec![claim("c", 1, None), claim("x", 1, Some("a"))],
                wants("c"),
                vec![none(), FITS],
            ),
            (
                "no such claim",
                vec![],
                wants("c"),
                vec![unresolvable("could not find ResourceClaim \"default/c\"")],
            ),
        ] {
            assert_eq!(verdicts(claims, asked), expected, "{case}");
        }
    }
}
