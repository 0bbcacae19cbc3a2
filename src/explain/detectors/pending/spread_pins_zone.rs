//! A hard topology spread leaves one domain only, and so decides where the new node must be.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::Case;
use super::prefers_no_karpenter_node::told;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::what_if::{self, PlannedPlace};
use crate::explain::words;
use crate::karpenter::NewNodeClaim;
use crate::model::labels::{Labels, ZONE};
use crate::model::names::Str;
use crate::model::pod::Pod;
use crate::model::spread::{TopologySpreadConstraint, WhenUnsatisfiable};

/// The code.
pub const CODE: &str = "spread-pins-domain";

type Counts = BTreeMap<Str, i64>;

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(pod), Some(plan)) = (case.pod(), case.plan()) else { return Vec::new() };
    let Some(PlannedPlace::New(claim)) = what_if::placement(plan, &case.landing.pod.key) else {
        return Vec::new();
    };
    let hard = pod
        .spec
        .topology_spread_constraints
        .iter()
        .filter(|constraint| constraint.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule);
    hard.filter_map(|constraint| {
        let chosen = values(claim, &constraint.topology_key);
        (chosen.len() == 1).then(|| cause(case, pod, constraint, claim, &chosen[0])).flatten()
    })
    .collect()
}

fn values(claim: &NewNodeClaim, key: &str) -> Vec<Str> {
    let found = claim.requirements.iter().find(|requirement| &*requirement.key == key);
    found.map(|requirement| requirement.values.clone()).unwrap_or_default()
}

/// Pods in each domain that the constraint counts; without the label keys that it takes from the pod, all that its
/// selector selects.
fn counts(
    case: &Case<'_, '_, '_>,
    pod: &Pod,
    constraint: &TopologySpreadConstraint,
    by_keys: bool,
) -> Counts {
    let key = &*constraint.topology_key;
    let domain_of = |name: &str| {
        case.state
            .nodes
            .iter()
            .find(|node| &*node.meta.name == name)
            .and_then(|node| node.meta.labels.get(key).cloned())
    };
    let mut counts: Counts = case
        .state
        .nodes
        .iter()
        .filter_map(|node| Some((node.meta.labels.get(key)?.clone(), 0)))
        .collect();
    let mut domains: BTreeMap<String, Option<Str>> = BTreeMap::new();
    let Some(selector) = &constraint.label_selector else { return counts };
    for other in case
        .state
        .pods
        .iter()
        .filter(|other| other.meta.namespace == pod.meta.namespace && !other.is_terminal())
    {
        let Some(node) = &other.node_name else { continue };
        let of_keys = !by_keys
            || constraint
                .match_label_keys
                .iter()
                .all(|key| other.meta.labels.get(key) == pod.meta.labels.get(key));
        if !(of_keys && selects(selector, constraint, by_keys, &other.meta.labels))
            || other.meta.is_terminating()
        {
            continue;
        }
        let domain = domains.entry(node.to_string()).or_insert_with(|| domain_of(node.as_str()));
        if let Some(domain) = domain {
            *counts.entry(domain.clone()).or_default() += 1;
        }
    }
    counts
}

/// Whether a selector takes labels; the API server may have merged the label keys into it.
fn selects(
    selector: &crate::model::selector::LabelSelector,
    constraint: &TopologySpreadConstraint,
    by_keys: bool,
    labels: &Labels,
) -> bool {
    if by_keys {
        return selector.matches(labels);
    }
    let mut plain = selector.clone();
    plain
        .match_expressions
        .retain(|expression| !constraint.match_label_keys.contains(&expression.key));
    plain.matches(labels)
}

fn listed(counts: &Counts) -> String {
    counts.iter().map(|(domain, count)| format!("{domain} {count}")).collect::<Vec<_>>().join(", ")
}

/// Domains that keep the skew within its bound when the pod joins them.
fn allowed(counts: &Counts, constraint: &TopologySpreadConstraint) -> BTreeSet<Str> {
    let least = counts.values().min().copied().unwrap_or(0);
    let within = |count: i64| count + 1 - least <= i64::from(constraint.max_skew);
    counts.iter().filter(|(_, count)| within(**count)).map(|(domain, _)| domain.clone()).collect()
}

fn cause(
    case: &Case<'_, '_, '_>,
    pod: &Arc<Pod>,
    constraint: &TopologySpreadConstraint,
    claim: &NewNodeClaim,
    chosen: &Str,
) -> Option<Cause> {
    let mut by_keys = counts(case, pod, constraint, true);
    // Domains without a node yet count as well: none of these pods is there.
    by_keys.entry(chosen.clone()).or_insert(0);
    let fitting = allowed(&by_keys, constraint);
    if fitting.len() == by_keys.len() && constraint.match_label_keys.is_empty() {
        return None;
    }
    let key = &constraint.topology_key;
    let skew = constraint.max_skew;
    let least = by_keys.values().min().copied().unwrap_or(0);
    let most = by_keys.values().max().copied().unwrap_or(0);
    let mut summary = format!(
        "Topology spread: a hard spread over {key}, maxSkew {skew}. Counting {}, only {} keeps the skew within {skew} (elsewhere it would be {} - {least} = {}), so the new node is pinned to {chosen}.",
        listed(&by_keys),
        words::list(&fitting.iter().map(ToString::to_string).collect::<Vec<_>>(), 4),
        most + 1,
        most + 1 - least,
    );
    let name = case.pod_name();
    let field = "spec.topologySpreadConstraints";
    let mut cause = Cause::new(CODE, Class::Constraint, String::new()).because(
        Evidence::object(&name, field, format!("DoNotSchedule over {key}, maxSkew {skew}"))
            .value(key.to_string()),
    );
    let mut without_keys = None;
    if !constraint.match_label_keys.is_empty() {
        let keys = constraint.match_label_keys.join(", ");
        let own: Vec<String> = constraint
            .match_label_keys
            .iter()
            .filter_map(|key| Some(format!("{key}={}", pod.meta.labels.value(key)?)))
            .collect();
        summary = format!(
            "{summary} With matchLabelKeys: [{keys}] only pods with {} count.",
            own.join(",")
        );
        cause = cause.because(
            Evidence::object(
                &name,
                format!("{field}[].matchLabelKeys"),
                format!("matchLabelKeys: [{keys}]: only pods with {} count", own.join(",")),
            )
            .value(keys),
        );
        let all = counts(case, pod, constraint, false);
        let others: Vec<String> =
            allowed(&all, constraint).iter().map(ToString::to_string).collect();
        if !others.contains(&chosen.to_string()) {
            cause = cause.because(Evidence::inferred(format!(
                "counting all pods of the label, old and new ({}), would exclude {chosen} and send the node to {}, where kube-scheduler would then refuse the pod: that was the bug in older releases of Karpenter",
                listed(&all),
                words::list(&others, 4)
            )));
        }
        without_keys = Some(all);
    }
    cause = cause.because(Evidence::replay(format!("pods that count: {}", listed(&by_keys))));
    cause = cause.because_of(full_nodes(case));
    cause = cause.because(Evidence::replay(format!(
        "Karpenter plans {} with {key} In [{chosen}]",
        told(claim)
    )));
    let mut free = (**pod).clone();
    let mut spec = (*pod.spec).clone();
    spec.topology_spread_constraints.change(|all| all.retain(|other| other != constraint));
    free.spec = Arc::new(spec);
    let state = what_if::with_pod(case.state, free);
    let then = what_if::plan(case.landing.world, &state, case.landing.world.setup.karpenter);
    if let Some(PlannedPlace::New(free)) =
        then.as_ref().and_then(|plan| what_if::placement(plan, &case.landing.pod.key))
    {
        let open = values(free, key);
        let flips = open != [chosen.clone()];
        if &**key == ZONE
            && let Some(cheapest) = cheapest_zone(free)
            && cheapest != *chosen
        {
            cause = cause.because(Evidence::replay(format!(
                "price is not what chose {chosen}: the cheapest zone is {cheapest}"
            )));
        }
        let outcome = if open.is_empty() {
            format!("Karpenter leaves {key} open")
        } else {
            format!("Karpenter plans {key} In [{}]", open.join(", "))
        };
        cause = cause.unless(Counterfactual::new("without the spread", outcome, flips));
    }
    let _ = without_keys;
    cause.summary = summary;
    Some(cause.advise(Advice::new(
        "This is what the rule asks for. With ScheduleAnyway the node could be anywhere, and kube-scheduler would only score the spread.",
    )))
}

/// The zone of the cheapest offering of a claim's instance types.
fn cheapest_zone(claim: &NewNodeClaim) -> Option<Str> {
    let zones = values(claim, ZONE);
    let mut best: Option<(f64, Str)> = None;
    for offering in claim
        .instance_types
        .iter()
        .flat_map(|kind| &kind.offerings)
        .filter(|offering| offering.available)
    {
        let zone = offering.requirements.iter().find(|requirement| &*requirement.key == ZONE);
        let Some(zone) = zone.and_then(|zone| zone.values.first()) else { continue };
        let open = zones.is_empty() || zones.contains(zone);
        if open && best.as_ref().is_none_or(|(price, _)| offering.price < *price) {
            best = Some((offering.price, zone.clone()));
        }
    }
    best.map(|(_, zone)| zone)
}

/// Nodes that lack room, so that a new one is needed.
fn full_nodes(case: &Case<'_, '_, '_>) -> Option<Evidence> {
    let decision = case.decision()?;
    let full: Vec<String> = decision
        .nodes
        .iter()
        .filter(|verdict| !case.has_room(&verdict.node))
        .map(|verdict| words::amount("cpu", case.free(&verdict.node, "cpu")))
        .collect();
    if full.is_empty() || full.len() < decision.nodes.len() {
        return None;
    }
    let amounts: BTreeSet<String> = full.iter().cloned().collect();
    let amounts: Vec<String> = amounts.into_iter().collect();
    Some(Evidence::replay(format!(
        "all {} lack room ({} cpu free each), so a new node is needed",
        words::count(full.len(), "node"),
        words::list(&amounts, 3)
    )))
}
