//! A startup taint keeps the pod off a node that Karpenter counts on, and nothing removes it.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::{what_if, words};
use crate::model::meta::condition;
use crate::model::node::Node;
use crate::model::nodeclaim::NodeClaim;
use crate::model::taint::Taint;

/// The code.
pub const CODE: &str = "startup-taint-stays";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(pod), true) = (case.pod(), case.waits()) else { return Vec::new() };
    let mut causes = Vec::new();
    for node in &case.state.nodes {
        let story = case.landing.world.chronicle.claim_of(&node.name());
        let Some(claim) = story.and_then(|story| story.object.as_ref()) else { continue };
        if claim.is("Initialized") {
            continue;
        }
        let is_startup = |taint: &Taint| {
            claim
                .startup_taints
                .iter()
                .any(|startup| startup.key == taint.key && startup.effect == taint.effect)
        };
        let stays = node.taints.iter().find(|taint| is_startup(taint) && !pod.tolerates(taint));
        if let Some(taint) = stays
            && is_meant(case, node)
        {
            causes.push(cause(case, node, claim, taint));
        }
    }
    causes
}

/// Whether Karpenter means the pod for the node: a nomination says so, or its plan does.
fn is_meant(case: &Case<'_, '_, '_>, node: &Node) -> bool {
    let name = node.name();
    let nominated = case.landing.intended().is_some_and(|place| place.node.as_ref() == Some(&name));
    let planned = case.plan().and_then(|plan| what_if::placement(plan, &case.landing.pod.key));
    nominated
        || matches!(planned, Some(what_if::PlannedPlace::Existing(existing)) if existing == *node.meta.name)
}

fn cause(case: &Case<'_, '_, '_>, node: &Node, claim: &NodeClaim, taint: &Taint) -> Cause {
    let name = words::node(&node.name());
    let summary = format!(
        "{name} carries the startup taint {taint}, which the pod does not tolerate: kube-scheduler refuses the node. Karpenter expects startup taints to go away: while the node is not initialized it ignores them, so every simulation puts the pod on this node and launches nothing else. It will not resolve itself."
    );
    let initialized = condition(&claim.conditions, "Initialized");
    let ready = condition(&node.conditions, "Ready").filter(|ready| &*ready.status == "True");
    let mut cause = Cause::new(CODE, Class::Constraint, summary)
        .because(
            Evidence::object(
                &name,
                "spec.taints",
                format!("{taint} stands on {name}, and {} does not tolerate it", case.pod_name()),
            )
            .value(taint.to_string()),
        )
        .because(
            Evidence::object(
                format!("nodeclaim/{}", claim.meta.name),
                "spec.startupTaints",
                format!("{taint} is a startup taint of {}", pool_of(claim)),
            )
            .value(taint.to_string()),
        );
    if let Some(condition) = initialized {
        cause = cause.because(
            Evidence::object(
                format!("nodeclaim/{}", claim.meta.name),
                "status.conditions[Initialized]",
                format!("the node is not initialized: {}", condition.message),
            )
            .value(condition.reason.to_string())
            .at(condition.changed),
        );
    }
    if let Some(since) = ready.and_then(|ready| ready.changed) {
        let summary =
            format!("the node has been Ready since {} but is not initialized", words::clock(since));
        cause = cause
            .because(Evidence::object(&name, "status.conditions[Ready]", summary).at(Some(since)));
    }
    if let Some(nomination) = case.landing.pod.nominations.last() {
        let times = if nomination.count > 1 {
            format!(", {} times", nomination.count)
        } else {
            String::new()
        };
        let summary = format!(
            "Karpenter nominated this node for the pod{times}: it counts on the taint going away"
        );
        cause = cause.because(Evidence::nomination(case.pod_name(), nomination, summary));
    }
    cause = cause.because(remover(case, taint));
    let mut without = node.clone();
    without.taints.retain(|other| other != taint);
    if let Some(pod) = case.pod() {
        let state = what_if::with_node(case.state, without);
        let decision = what_if::decide(case.landing.world, &state, pod);
        let flips = what_if::accepts(&decision, &node.name());
        let outcome = if flips {
            "kube-scheduler accepts the node"
        } else {
            "kube-scheduler still refuses the node"
        };
        cause =
            cause.unless(Counterfactual::new(format!("without the taint {taint}"), outcome, flips));
    }
    cause
        .advise(
            Advice::new("Remove the taint; whatever was to be ready by then is not, so look at that first.")
                .command(format!("kubectl taint node {} {}:{}-", node.meta.name, taint.key, taint.effect.as_str())),
        )
        .advise(Advice::new("Restore what removes the taint: the DaemonSet or controller that was to do it."))
        .advise(Advice::new(format!(
            "Or drop {} from spec.template.spec.startupTaints of {}: nodes then take pods before it is done.",
            taint.key,
            pool_of(claim)
        )))
        .advise(Advice::new(
            "An uninitialized node is not consolidated either: it stays, and is paid for, until somebody acts.",
        ))
}

fn pool_of(claim: &NodeClaim) -> String {
    claim.node_pool().map_or_else(|| "its NodePool".to_owned(), |pool| format!("nodepool/{pool}"))
}

/// A workload whose name shares a word with the taint may be what removes it.
fn remover(case: &Case<'_, '_, '_>, taint: &Taint) -> Evidence {
    const COMMON: [&str; 9] =
        ["not", "ready", "node", "wait", "for", "init", "startup", "agent", "kubernetes"];
    let key = taint.key.to_lowercase();
    let words: Vec<&str> = key
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() > 2 && !COMMON.contains(word))
        .collect();
    let plausible: Vec<String> = case
        .state
        .workloads
        .iter()
        .filter(|workload| {
            words.iter().any(|word| workload.meta.name.to_lowercase().contains(word))
        })
        .map(|workload| format!("{}/{}", workload.kind.as_str().to_lowercase(), workload.meta.name))
        .collect();
    if plausible.is_empty() {
        Evidence::inferred(
            "no DaemonSet or other workload in the input is a plausible remover of the taint: none has a name like it",
        )
    } else {
        Evidence::inferred(format!(
            "by its name, {} may be what should remove the taint: see why it does not",
            words::list(&plausible, 3)
        ))
    }
}
