//! One attempt to schedule one pod: filter, score, normalize, weigh; the best may be several.

use crate::model::gap::{Gap, GapKind};
use crate::model::names::{NodeName, Str};

use super::attempt::{Attempt, Outcome};
use super::decision::{Chance, Code, Decision, NodeVerdict, PluginScore, Refusal};
use super::fit_error;
use super::framework::{Cycle, Scoring};
use super::lineup::{Lineup, plugin};
use super::node_info::NodeInfo;
use super::plugins::DEFAULT_PREEMPTION;
use super::post_filter::{Unschedulable, post_filter};
use super::rejection::Rejection;
use super::sampling;
use super::version::Version;

/// What an attempt is made with, beside the cycle.
pub(crate) struct Setting<'a> {
    /// The profile's plugins.
    pub(crate) lineup: &'a Lineup,
    /// The profile's scheduler.
    pub(crate) scheduler_name: &'a Str,
    /// How many percent of the nodes are enough; zero lets the scheduler choose.
    pub(crate) percentage: i32,
    /// Where the pod is bound in the state that was asked.
    pub(crate) bound: Option<NodeName>,
}

/// Schedules the pod of a cycle.
pub(crate) fn schedule_one(cycle: &Cycle<'_>, setting: &Setting<'_>) -> Decision {
    let lineup = setting.lineup;
    let attempt = Attempt::new(cycle, lineup);
    let mut decision = Decision {
        pod: cycle.pod().key(),
        bound: setting.bound.clone(),
        version: cycle.version().clone(),
        scheduler_name: setting.scheduler_name.clone(),
        pre_enqueue: pre_enqueue(cycle, lineup),
        pre_filter: attempt.pre_filter.clone(),
        pre_score_skipped: Vec::new(),
        nodes: Vec::new(),
        feasible: Vec::new(),
        best: Vec::new(),
        pick: None,
        message: None,
        preemption: None,
        chances: Vec::new(),
        error: None,
        gaps: gaps(cycle, lineup),
    };
    if let Outcome::Failed(text) = &attempt.outcome {
        decision.error = Some(text.clone());
    }
    let mut verdicts = look_at_nodes(&attempt);
    let feasible: Vec<usize> = cycle
        .cluster
        .nodes
        .iter()
        .map(|node| node.index)
        .filter(|index| verdicts[*index].looked_at && verdicts[*index].verdict.first.is_none())
        .collect();
    let failed = verdicts.iter().filter_map(|it| it.verdict.first.as_ref());
    if let Some(refusal) = failed.clone().find(|refusal| refusal.code == Code::Error) {
        decision.error = Some(failure(refusal, cycle.version()));
    }
    if decision.error.is_none() {
        if feasible.is_empty() {
            give_up(&attempt, &verdicts, lineup, &mut decision);
        } else {
            decision.chances.extend(sampling::chance(
                cycle,
                &attempt.outcome,
                setting,
                feasible.len(),
            ));
            choose(cycle, lineup, &feasible, &mut verdicts, &mut decision);
        }
    }
    let mut in_order: Vec<Option<NodeVerdict>> =
        verdicts.into_iter().map(|it| Some(it.verdict)).collect();
    decision.nodes =
        cycle.cluster.by_name.iter().filter_map(|index| in_order[*index].take()).collect();
    decision
}

/// The nodes that take the pod of a cycle; none where a filter fails.
pub(crate) fn feasible(cycle: &Cycle<'_>, lineup: &Lineup) -> Vec<NodeName> {
    let attempt = Attempt::new(cycle, lineup);
    let mut feasible = Vec::new();
    for node in cycle.cluster.nodes.iter().filter(|node| is_looked_at(&attempt, node)) {
        match attempt.decide(node, &[]) {
            None => feasible.push(node.name.clone()),
            Some(refusal) if refusal.code == Code::Error => return Vec::new(),
            Some(_) => {}
        }
    }
    feasible
}

/// Whether the cycle looks at a node.
fn is_looked_at(attempt: &Attempt<'_>, node: &NodeInfo) -> bool {
    match &attempt.outcome {
        Outcome::AllNodes => true,
        Outcome::Narrowed(names, _) => names.contains(&node.name),
        Outcome::Refused(_) | Outcome::Failed(_) => false,
    }
}

/// What was said of one node, and whether it was looked at in the cycle.
pub(crate) struct Looked {
    /// What was said.
    pub(crate) verdict: NodeVerdict,
    /// Whether the cycle looked at it.
    pub(crate) looked_at: bool,
}

fn pre_enqueue(cycle: &Cycle<'_>, lineup: &Lineup) -> Vec<Refusal> {
    let places = lineup.pre_enqueue.iter().map(|at| plugin(*at));
    let refusals = places.filter_map(|plugin| {
        let reason = plugin.pre_enqueue.and_then(|ask| ask(cycle))?;
        Some(Refusal {
            plugin: plugin.name,
            code: Code::UnschedulableAndUnresolvable,
            reasons: vec![reason],
        })
    });
    refusals.collect()
}

fn gaps(cycle: &Cycle<'_>, lineup: &Lineup) -> Vec<Gap> {
    let mut gaps = lineup.gaps.clone();
    let mut places: Vec<usize> = lineup.filter.clone();
    places.extend(lineup.score.iter().map(|(at, _)| *at).filter(|at| !lineup.filter.contains(at)));
    gaps.extend(places.iter().filter_map(|at| plugin(*at).gaps).flat_map(|ask| ask(cycle)));
    if cycle.spec().has_scheduling_group {
        gaps.push(Gap::new(
            GapKind::NotModelled,
            format!("pod/{}", cycle.pod().meta.name),
            "it has a scheduling group: where the gate GenericWorkload is on, it is scheduled together with its group",
        ));
    }
    gaps
}

/// Looks at every node, in the order in which the scheduler does.
fn look_at_nodes(attempt: &Attempt<'_>) -> Vec<Looked> {
    let nodes = &attempt.cycle.cluster.nodes;
    let look = |node: &NodeInfo| {
        let looked_at = is_looked_at(attempt, node);
        let refusals = attempt.refusals(node);
        let first = if !looked_at {
            None
        } else if attempt.is_plain(node) {
            // The filters say in turn what they say one by one.
            refusals.first().cloned()
        } else {
            attempt.decide(node, &[])
        };
        let outside_search = !looked_at && matches!(attempt.outcome, Outcome::Narrowed(..));
        let verdict = NodeVerdict {
            node: node.name.clone(),
            refusals,
            first,
            outside_search,
            scores: Vec::new(),
            total: None,
        };
        Looked { verdict, looked_at }
    };
    nodes.iter().map(look).collect()
}

/// What ends an attempt in which a filter fails.
pub(crate) fn failure(refusal: &Refusal, version: &Version) -> String {
    let reasons: Vec<String> =
        refusal.reasons.iter().map(|reason| reason.message(version)).collect();
    let reasons = reasons.join(", ");
    if refusal.plugin == DEFAULT_PREEMPTION {
        return reasons;
    }
    format!("running \"{}\" filter plugin: {reasons}", refusal.plugin)
}

/// The refusal that a node counts with when it was not looked at.
pub(crate) fn refusal_of_others(attempt: &Attempt<'_>) -> Option<Refusal> {
    match &attempt.outcome {
        Outcome::AllNodes | Outcome::Failed(_) => None,
        Outcome::Refused(refusal) => Some(refusal.clone()),
        Outcome::Narrowed(_, plugins) => Some(Refusal {
            plugin: plugins.first().copied().unwrap_or(""),
            code: Code::UnschedulableAndUnresolvable,
            reasons: vec![Rejection::NotSelectedBy(plugins.clone())],
        }),
    }
}

/// No node is feasible: says why, and asks what preemption would do.
fn give_up(attempt: &Attempt<'_>, verdicts: &[Looked], lineup: &Lineup, decision: &mut Decision) {
    let version = attempt.cycle.version();
    let words = |refusal: &Refusal| -> Vec<String> {
        refusal.reasons.iter().map(|reason| reason.message(version)).collect()
    };
    let head = match &attempt.outcome {
        Outcome::Refused(refusal) => fit_error::pod_message(verdicts.len(), &words(refusal)),
        Outcome::AllNodes | Outcome::Narrowed(..) | Outcome::Failed(_) => {
            // Before 1.32, nodes outside a narrowed search are left out in silence.
            let others = refusal_of_others(attempt).filter(|_| version.since(32));
            let reasons = verdicts.iter().flat_map(|it| {
                let refusal =
                    if it.looked_at { it.verdict.first.as_ref() } else { others.as_ref() };
                refusal.map(words).unwrap_or_default()
            });
            fit_error::message(verdicts.len(), reasons)
        }
    };
    let refusals: Vec<Option<&Refusal>> =
        verdicts.iter().map(|it| it.verdict.first.as_ref()).collect();
    let found = post_filter(&Unschedulable { attempt, lineup, refusals: &refusals });
    decision.chances.extend(found.chances);
    let preemption = found.preemption;
    decision.message = Some(if preemption.message.is_empty() {
        head
    } else {
        format!("{head} {}", preemption.message)
    });
    decision.preemption = Some(preemption);
}

/// Scores the feasible nodes and picks one.
fn choose(
    cycle: &Cycle<'_>,
    lineup: &Lineup,
    feasible: &[usize],
    verdicts: &mut [Looked],
    decision: &mut Decision,
) {
    let nodes: Vec<&NodeInfo> = feasible.iter().map(|index| &cycle.cluster.nodes[*index]).collect();
    decision.feasible = nodes.iter().map(|node| node.name.clone()).collect();
    let scores = match score(cycle, lineup, &nodes) {
        Ok(scores) => scores,
        Err(text) => {
            decision.error = Some(text);
            return;
        }
    };
    decision.pre_score_skipped = scores.skipped;
    for (at, index) in feasible.iter().enumerate() {
        let verdict = &mut verdicts[*index].verdict;
        verdict.total = Some(scores.totals[at]);
        verdict.scores = scores.plugins.iter().map(|plugin| plugin.of(at)).collect();
    }
    let highest = scores.totals.iter().copied().max().unwrap_or(0);
    let tied = |at: &usize| scores.totals[*at] == highest;
    decision.best = (0..nodes.len()).filter(tied).map(|at| nodes[at].name.clone()).collect();
    decision.best.sort();
    let pick = nodes[pick(&scores.totals)].name.clone();
    let is_tie = decision.best.len() > 1;
    if cycle.version().since(35) {
        if is_tie {
            let nodes = decision.best.clone();
            decision.chances.push(Chance::TieByArrival { nodes, likely: pick.clone() });
        }
        decision.pick = Some(pick);
    } else if is_tie {
        decision.chances.push(Chance::TieAtRandom(decision.best.clone()));
    } else {
        decision.pick = decision.best.first().cloned();
    }
    let nominated = cycle.pod().status.nominated_node_name.as_ref();
    if let Some(nominated) = nominated.filter(|node| decision.feasible.contains(node)) {
        decision.chances.push(Chance::NominatedFirst(nominated.clone()));
    }
}

/// One plugin's values for the feasible nodes.
pub(crate) struct PluginScores {
    name: &'static str,
    weight: i64,
    raw: Vec<i64>,
    normalized: Vec<i64>,
}

impl PluginScores {
    fn of(&self, at: usize) -> PluginScore {
        PluginScore {
            plugin: self.name,
            raw: self.raw[at],
            normalized: self.normalized[at],
            weight: self.weight,
            weighted: self.normalized[at].wrapping_mul(self.weight),
        }
    }
}

/// The values of all scorers.
pub(crate) struct Scores {
    plugins: Vec<PluginScores>,
    /// The scorers that have nothing to say.
    skipped: Vec<&'static str>,
    /// The sum of the weighted values, for each node.
    pub(crate) totals: Vec<i64>,
}

/// Asks every scorer about the feasible nodes. `Err`: one of them fails.
pub(crate) fn score(
    cycle: &Cycle<'_>,
    lineup: &Lineup,
    nodes: &[&NodeInfo],
) -> Result<Scores, String> {
    let mut scores =
        Scores { plugins: Vec::new(), skipped: Vec::new(), totals: vec![0; nodes.len()] };
    for (at, weight) in &lineup.score {
        let Some(ask) = plugin(*at).score else { continue };
        let name = plugin(*at).name;
        let cycle = Cycle { pre_scores: lineup.pre_score.contains(at), ..*cycle };
        match ask(&cycle, nodes) {
            Scoring::Skips => scores.skipped.push(name),
            Scoring::Fails(text) => return Err(format!("running Score plugin \"{name}\": {text}")),
            Scoring::Scores(raw, normalize) => {
                let normalized = normalize.apply(&raw);
                for (total, value) in scores.totals.iter_mut().zip(&normalized) {
                    *total = total.wrapping_add(value.wrapping_mul(*weight));
                }
                scores.plugins.push(PluginScores { name, weight: *weight, raw, normalized });
            }
        }
    }
    Ok(scores)
}

/// The place that upstream's heap of totals has on top: among equals, the first in pre-order of the heap as a tree.
pub(crate) fn pick(totals: &[i64]) -> usize {
    fn winner(totals: &[i64], at: usize) -> usize {
        let (left, right) = (2 * at + 1, 2 * at + 2);
        if left >= totals.len() {
            return at;
        }
        let mut child = winner(totals, left);
        if right < totals.len() {
            let other = winner(totals, right);
            if totals[other] > totals[child] {
                child = other;
            }
        }
        if totals[child] > totals[at] { child } else { at }
    }
    winner(totals, 0)
}

#[cfg(test)]
mod tests {
    use super::pick;

    #[test]
    fn ties_are_broken_by_the_shape_of_the_heap() {
        for (totals, expected) in [
            (vec![5], 0),
            (vec![1, 1], 0),
            (vec![0, 0, 1, 1], 3),
            (vec![0, 1, 1], 1),
            (vec![0, 0, 1, 0, 1, 0, 0, 1], 7),
        ] {
            assert_eq!(pick(&totals), expected, "{totals:?}");
        }
    }
}
