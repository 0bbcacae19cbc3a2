//! Both nodes would have taken the pod; kube-scheduler scored the other one as high or higher.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::kube_scheduler::{Decision, NodeVerdict};
use crate::model::names::NodeName;

/// The code when the other node scored higher.
pub const CODE: &str = "scored-lower";
/// The code when both scored the same.
pub const TIE: &str = "tie";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(decision), Some(actual)) = (case.decision(), case.landing.pod.node.as_ref()) else {
        return Vec::new();
    };
    if matches!(case.class, Class::AsIntended) || case.waits() {
        return Vec::new();
    }
    let mut causes = Vec::new();
    let intended = case
        .landing
        .intended()
        .and_then(|place| place.node.as_ref())
        .filter(|node| *node != actual);
    if let Some(intended) = intended
        && let (Some(theirs), Some(ours)) = (verdict(decision, actual), verdict(decision, intended))
        && let (Some(theirs_total), Some(ours_total)) = (theirs.total, ours.total)
    {
        if theirs_total > ours_total {
            causes.push(lower(case, theirs, ours));
        } else if theirs_total == ours_total {
            causes.push(tie(case, decision, actual));
        }
    } else if intended.is_none() && decision.best.len() > 1 && decision.best.contains(actual) {
        causes.push(tie(case, decision, actual));
    }
    causes
}

fn verdict<'d>(decision: &'d Decision, node: &NodeName) -> Option<&'d NodeVerdict> {
    decision.nodes.iter().find(|verdict| verdict.node == *node)
}

fn lower(case: &Case<'_, '_, '_>, theirs: &NodeVerdict, ours: &NodeVerdict) -> Cause {
    let mut by_plugin: Vec<(i64, &str, i64, i64)> = theirs
        .scores
        .iter()
        .map(|score| {
            let other = ours.score(score.plugin).map_or(0, |score| score.weighted);
            (score.weighted - other, score.plugin, score.weighted, other)
        })
        .filter(|(difference, ..)| *difference != 0)
        .collect();
    by_plugin.sort_by(|a, b| b.0.abs().cmp(&a.0.abs()).then(a.1.cmp(b.1)));
    let (high, low) = (theirs.total.unwrap_or(0), ours.total.unwrap_or(0));
    let plugin = by_plugin
        .iter()
        .find(|(difference, ..)| *difference > 0)
        .map_or("", |(_, plugin, ..)| *plugin);
    let summary = format!(
        "kube-scheduler would have taken either node and scored {} higher: {high} against {low} for {}, most of it through {plugin}. It knows nothing of Karpenter's plan.",
        words::node(&theirs.node),
        words::node(&ours.node)
    );
    let evidence = by_plugin.iter().map(|(difference, plugin, theirs_score, ours_score)| {
        Evidence::replay(format!(
            "{plugin}: {theirs_score} for {} against {ours_score} for {} ({difference:+})",
            words::node(&theirs.node),
            words::node(&ours.node)
        ))
    });
    let tally =
        case.landing.binding.as_ref().map(|binding| (binding.tally.best, binding.tally.orders));
    let mut cause = Cause::new(CODE, case.class, summary)
        .confidence(Confidence::Consistent)
        .because(Evidence::replay(format!("totals: {high} and {low}")))
        .because_of(evidence);
    cause.variants = tally;
    cause.advise(Advice::new(
        "Where a pod goes among nodes that fit is for kube-scheduler to choose: by default it spreads load (LeastAllocated). A profile with MostAllocated packs as Karpenter does; busy nodes are then felt more.",
    ))
}

fn tie(case: &Case<'_, '_, '_>, decision: &Decision, actual: &NodeName) -> Cause {
    let names: Vec<String> = decision.best.iter().map(words::node).collect();
    let total = verdict(decision, actual).and_then(|verdict| verdict.total).unwrap_or(0);
    let summary = format!(
        "{} score the same ({total}): which of them kube-scheduler takes is a matter of chance or of the order in which it looks.",
        words::list(&names, 5)
    );
    let mut cause = Cause::new(TIE, case.class, summary)
        .confidence(Confidence::Consistent)
        .because(Evidence::replay(format!(
            "{} nodes have the highest total, {total}",
            decision.best.len()
        )));
    cause.variants =
        case.landing.binding.as_ref().map(|binding| (binding.tally.best, binding.tally.orders));
    cause.advise(Advice::new(
        "Where it matters, say so in the pod: a preferred node affinity tips the balance.",
    ))
}
