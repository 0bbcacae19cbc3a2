//! kube-scheduler looks only for so many feasible nodes: a better one may never have been scored.

use super::super::Case;
use crate::explain::cause::{Advice, Cause};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::kube_scheduler::Chance;

/// The code.
pub const CODE: &str = "sampled-out";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(decision), Some(actual)) = (case.decision(), case.landing.pod.node.as_ref()) else {
        return Vec::new();
    };
    if decision.best.contains(actual) || !decision.feasible.contains(actual) {
        return Vec::new();
    }
    let sampling = decision.chances.iter().find_map(|chance| match chance {
        Chance::Sampling { enough, feasible, searched } => Some((*enough, *feasible, *searched)),
        _ => None,
    });
    let Some((enough, feasible, searched)) = sampling else { return Vec::new() };
    let percentage = case.landing.world.setup.scheduler.percentage_of_nodes_to_score;
    let best: Vec<String> = decision.best.iter().map(words::node).collect();
    let summary = format!(
        "Scheduler sampling can explain it: of {feasible} feasible nodes kube-scheduler scores only {enough} (numFeasibleNodesToFind) and then stops filtering, so up to {} feasible nodes were never scored. {} has the highest score of all; whether it was among those scored cannot be known from a dump.",
        feasible.saturating_sub(enough),
        words::list(&best, 3)
    );
    let adaptive = (50 - i64::try_from(searched).unwrap_or(0) / 125).max(5);
    let left = if percentage == 0 {
        format!(
            "percentageOfNodesToScore is left at its default: for {searched} nodes the adaptive percentage is 50 - {searched}/125 = {adaptive} %, and never fewer than 100 nodes: {enough}"
        )
    } else {
        format!("percentageOfNodesToScore is {percentage}: {enough} of {searched} nodes")
    };
    let totals: Vec<i64> = decision
        .nodes
        .iter()
        .filter(|verdict| !decision.best.contains(&verdict.node))
        .filter_map(|verdict| verdict.total)
        .collect();
    let mut cause = Cause::new(CODE, case.class, summary)
        .confidence(Confidence::Possible)
        .because(Evidence::replay(format!("{feasible} of {} nodes are feasible", decision.nodes.len())))
        .because(Evidence::object("kube-scheduler", "percentageOfNodesToScore", left).value(percentage.to_string()))
        .because(Evidence::inferred(
            "the search starts where the last one stopped and goes round by zone; that starting point is not in any dump",
        ))
        .because(Evidence::replay(format!("with every node scored, {} is best", words::list(&best, 3))));
    for verdict in
        decision.nodes.iter().filter(|verdict| decision.best.contains(&verdict.node)).take(1)
    {
        if let Some(total) = verdict.total {
            cause = cause.because(Evidence::replay(format!(
                "totals: {total} for {}, {} for {}",
                words::node(&verdict.node),
                decision
                    .nodes
                    .iter()
                    .find(|other| other.node == *actual)
                    .and_then(|other| other.total)
                    .unwrap_or(0),
                words::node(actual)
            )));
        }
    }
    if totals.len() > 1 && totals.iter().all(|total| *total == totals[0]) {
        cause = cause.because(Evidence::replay(
            "among the other nodes the totals are equal, so which of them wins is random",
        ));
    }
    vec![
        cause
            .because(Evidence::inferred("if percentageOfNodesToScore is 100 in the scheduler's configuration, this explanation is wrong"))
            .advise(Advice::new(
                "If the best node must win, set percentageOfNodesToScore: 100 (scheduling takes longer in large clusters), or make the preference required.",
            )),
    ]
}
