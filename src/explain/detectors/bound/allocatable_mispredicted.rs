//! Karpenter expected a node to offer less than it then did: a pod that would have fitted got a node of its own.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::model::node::Node;
use crate::model::nodeclaim::NodeClaim;
use crate::model::quantity::Quantity;
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::resources::{CPU, MEMORY, Resources};

/// The code.
pub const CODE: &str = "allocatable-mispredicted";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let landing = case.landing;
    let place = landing.intended().or(landing.actual.as_ref());
    let Some(own) =
        place.and_then(|place| landing.world.chronicle.claims.get(place.claim.as_ref()?))
    else {
        return Vec::new();
    };
    let Some(own_created) = own.created else { return Vec::new() };
    let siblings = landing.world.chronicle.claims.values().filter(|claim| {
        claim.name != own.name
            && claim.node_pool == own.node_pool
            && claim
                .created
                .is_some_and(|created| created.at.since(own_created.at).0.abs() <= 2_000_000_000)
    });
    siblings
        .filter_map(|claim| {
            let (object, node) = (claim.object.as_ref()?, claim.node.as_ref()?);
            let node = landing.world.snapshot.objects.node(node)?;
            misfit(case, object, node).map(|misfit| cause(case, object, node, &misfit))
        })
        .take(1)
        .collect()
}

/// The numbers of a misprediction.
struct Misfit {
    resource: &'static str,
    predicted: Quantity,
    registered: Quantity,
    /// What the pods on that node and this one ask for together, with the DaemonSets'.
    together: Quantity,
    /// Pods of the batch on that node.
    pods: usize,
}

/// Whether the pod would have fitted by what the node registered, but not by what was predicted.
fn misfit(case: &Case<'_, '_, '_>, claim: &NodeClaim, node: &Node) -> Option<Misfit> {
    let mut together = claim.requests.clone();
    let own = case.requests();
    together.add(&own);
    let fits = |have: &Resources, name: &str| {
        have.get(name).is_none_or(|have| together.amount(name) <= have)
    };
    let all_fit = [CPU, MEMORY].iter().all(|name| fits(&node.allocatable, name));
    let short = [MEMORY, CPU].into_iter().find(|name| !fits(&claim.allocatable, name))?;
    all_fit.then(|| Misfit {
        resource: short,
        predicted: claim.allocatable.amount(short),
        registered: node.allocatable.amount(short),
        together: together.amount(short),
        pods: case
            .landing
            .world
            .snapshot
            .objects
            .pods
            .iter()
            .filter(|pod| pod.node_name.as_ref() == Some(&node.name()) && !pod.is_daemon())
            .count(),
    })
}

fn cause(case: &Case<'_, '_, '_>, claim: &NodeClaim, node: &Node, misfit: &Misfit) -> Cause {
    let Misfit { resource, predicted, registered, together, pods } = misfit;
    let amount = |quantity: Quantity| words::amount(resource, quantity);
    let own = case.requests().amount(resource);
    let sum = if *pods > 0 && same_size(case, node) {
        format!("{} x {} = {}", pods + 1, amount(own), amount(*together))
    } else {
        amount(*together)
    };
    let (over, spare) = (together.minus(*predicted), registered.minus(*together));
    let named = words::node(&node.name());
    let count = ordinal(pods + 1);
    let summary = format!(
        "Instance-type allocatable misprediction (too pessimistic): Karpenter predicted {} of {resource} for {named}, {sum} were asked: the {count} pod does not fit by {}, hence a second NodeClaim. The node registered {}: all would have fitted with {} to spare.",
        amount(*predicted),
        amount(over),
        amount(*registered),
        amount(spare)
    );
    let mut all = Resources::new();
    all.add(&claim.requests);
    all.add(&case.requests());
    let mut cause = Cause::new(
        CODE,
        if case.class == Class::Unknown { Class::AsIntended } else { case.class },
        summary,
    )
    .confidence(Confidence::Consistent)
    .because(
        Evidence::object(
            format!("nodeclaim/{}", claim.meta.name),
            "status.allocatable",
            format!(
                "predicted allocatable {} (NodeClaim status, instance types)",
                amount(*predicted)
            ),
        )
        .value(amount(*predicted)),
    )
    .because(
        Evidence::object(
            &named,
            "status.allocatable",
            format!("registered allocatable of {named} is {}", amount(*registered)),
        )
        .value(amount(*registered)),
    )
    .because(Evidence::inferred(format!(
        "asked together: {sum}; over the prediction by {}, below what registered by {}",
        amount(over),
        amount(spare)
    )));
    let other = if *resource == MEMORY { CPU } else { MEMORY };
    cause = cause.because(Evidence::inferred(format!(
        "{other} too: {} of {}",
        words::amount(other, all.amount(other)),
        words::amount(other, node.allocatable.amount(other))
    )));
    let decision = case.decision();
    let accepts = decision.is_some_and(|decision| decision.feasible.contains(&node.name()));
    if accepts {
        cause = cause.because(Evidence::replay(format!(
            "live nodes are judged by their registered figures, so kube-scheduler would accept the pod on {named}; Karpenter can see that too when it simulates removing the other node, yet nothing was consolidated so far"
        )));
    } else {
        cause = cause.because(Evidence::inferred(format!(
            "live nodes are judged by their registered figures: Karpenter sees the room on {named} once the node is initialized"
        )));
    }
    cause = cause
        .advise(Advice::new(
            "Tell Karpenter how much the machine really offers: the provider's setting for the virtual machine's memory overhead (VM_MEMORY_OVERHEAD_PERCENT on AWS); too small a value, and pods do not fit their new node.",
        ));
    let per_pod = fitting(case, claim, resource, pods + 1);
    if let Some(per_pod) = per_pod {
        cause = cause.advise(Advice::new(format!(
            "Or ask for slightly less: {} each would have fitted the prediction.",
            amount(per_pod)
        )));
    }
    cause
}

/// Whether the pods on a node are as large as this one.
fn same_size(case: &Case<'_, '_, '_>, node: &Node) -> bool {
    let own = case.requests();
    let pods = &case.landing.world.snapshot.objects.pods;
    pods.iter()
        .filter(|pod| pod.node_name.as_ref() == Some(&node.name()) && !pod.is_daemon())
        .all(|pod| spec_requests(&pod.spec, RequestRules::default()) == own)
}

/// The largest whole Mi, or thousandth, that so many pods could have asked for.
fn fitting(
    case: &Case<'_, '_, '_>,
    claim: &NodeClaim,
    resource: &str,
    pods: usize,
) -> Option<Quantity> {
    const MI: i64 = 1024 * 1024;
    let own = case.requests().amount(resource);
    let number = i64::try_from(pods).ok().filter(|number| *number > 1)?;
    let claimed = claim.requests.amount(resource);
    let others = i64::try_from(pods - 1).ok()?;
    let daemons = if resource == MEMORY {
        claimed.value() - own.value() * others
    } else {
        claimed.milli_value() - own.milli_value() * others
    };
    if daemons < 0 {
        return None;
    }
    Some(if resource == MEMORY {
        Quantity::bytes((claim.allocatable.amount(resource).value() - daemons) / number / MI * MI)
    } else {
        Quantity::millis((claim.allocatable.amount(resource).milli_value() - daemons) / number)
    })
}

fn ordinal(number: usize) -> String {
    match number {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        4 => "fourth".to_owned(),
        5 => "fifth".to_owned(),
        other => format!("{other}th"),
    }
}
