//! `DefaultPreemption`: which less important pods would have to go so that the pod fits somewhere.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::kube_scheduler::attempt::Attempt;
use crate::kube_scheduler::decision::{Candidate, Chance, Code, Preemption, Refusal};
use crate::kube_scheduler::fit_error;
use crate::kube_scheduler::node_info::NodeInfo;
use crate::kube_scheduler::pod_info::PodInfo;
use crate::kube_scheduler::post_filter::Found;
use crate::kube_scheduler::rejection::Rejection;
use crate::kube_scheduler::schedule_one::failure;
use crate::kube_scheduler::selectors::selects;
use crate::model::names::NodeName;
use crate::model::pod::Pod;
use crate::model::selector::LabelSelector;
use crate::model::time::Timestamp;
use crate::model::workload::PodDisruptionBudget;

use super::DEFAULT_PREEMPTION;

/// A pod that preemption is asked for.
pub(crate) struct Asked<'a> {
    /// Its filters.
    pub(crate) attempt: &'a Attempt<'a>,
    /// What stands against each node that was looked at, by number.
    pub(crate) refusals: &'a [Option<&'a Refusal>],
}

/// A node that could be freed.
struct Freed {
    candidate: Candidate,
    /// The victims, the most important first.
    victims: Vec<Arc<PodInfo>>,
}

/// Looks for a node that could be freed. As upstream's `Evaluator.Preempt`.
pub(crate) fn preempt(asked: &Asked<'_>) -> Found {
    if let Some(why) = not_eligible(asked) {
        let message = format!("preemption: not eligible due to {why}");
        return Found { preemption: Preemption { message, ..Default::default() }, chances: vec![] };
    }
    let cluster = asked.attempt.cycle.cluster;
    let potential: Vec<&NodeInfo> = cluster
        .nodes
        .iter()
        .filter(|node| asked.refusals[node.index].is_some_and(|it| it.code.preemption_may_help()))
        .collect();
    let mut chances = Vec::new();
    let enough = enough(asked, potential.len());
    if enough < potential.len() {
        chances.push(Chance::PreemptionSampling { tried: enough, potential: potential.len() });
    }
    let (mut freed, mut refused): (Vec<Freed>, Vec<(NodeName, Refusal)>) = (vec![], vec![]);
    for node in &potential {
        match dry_run(asked, node) {
            Ok(found) => freed.push(found),
            Err(refusal) => refused.push((node.name.clone(), refusal)),
        }
        if freed.len() >= enough && freed.iter().any(|it| it.candidate.violations == 0) {
            break;
        }
    }
    refused.sort_by(|a, b| a.0.cmp(&b.0));
    let equals = best(freed);
    if equals.len() > 1 {
        let nodes = equals.iter().map(|candidate| candidate.node.clone()).collect();
        chances.push(Chance::PreemptionAtRandom(nodes));
    }
    let nominated = equals.first().cloned();
    let message = match &nominated {
        Some(candidate) if asked.attempt.cycle.version().since(37) => format!(
            "preemption: found a potential placement for pod on node {}, preempting {} victims",
            candidate.node,
            candidate.victims.len()
        ),
        Some(_) => String::new(),
        None => format!("preemption: {}", nothing_found(asked, potential.len(), &refused)),
    };
    let preemption = Preemption { message, nominated, equals, refused };
    Found { preemption, chances }
}

/// Why the pod may not preempt.
fn not_eligible(asked: &Asked<'_>) -> Option<&'static str> {
    let cycle = asked.attempt.cycle;
    if cycle.spec().never_preempts {
        return Some("preemptionPolicy=Never.");
    }
    let nominated = cycle.pod().status.nominated_node_name.as_ref()?;
    let index = cycle.cluster.index_of(nominated)?;
    // A node that was not looked at counts as refused by what kept the search from it.
    let unresolvable = asked.refusals[index]
        .is_none_or(|refusal| refusal.code == Code::UnschedulableAndUnresolvable);
    if unresolvable {
        return None;
    }
    let mut pods = cycle.cluster.nodes[index].pods.iter();
    let going = pods.any(|other| {
        other.pod.priority() < cycle.pod().priority() && is_terminating_by_preemption(&other.pod)
    });
    going.then_some("a terminating pod on the nominated node.")
}

fn is_terminating_by_preemption(pod: &Pod) -> bool {
    let target = pod.status.conditions.iter().find(|it| &*it.kind == "DisruptionTarget");
    pod.meta.is_terminating()
        && target.is_some_and(|it| &*it.status == "True" && &*it.reason == "PreemptionByScheduler")
}

/// How many candidates are enough.
fn enough(asked: &Asked<'_>, potential: usize) -> usize {
    let arguments = asked.attempt.cycle.arguments;
    let count = |number: i64| usize::try_from(number).unwrap_or(0);
    let share = potential.saturating_mul(count(arguments.min_candidate_nodes_percentage)) / 100;
    share.max(count(arguments.min_candidate_nodes_absolute)).min(potential)
}

/// Tries a node: which pods would have to go. `Err`: what stands against the node all the same.
fn dry_run(asked: &Asked<'_>, node: &NodeInfo) -> Result<Freed, Refusal> {
    let attempt = asked.attempt;
    let priority = attempt.cycle.pod().priority();
    let mut less_important: Vec<Arc<PodInfo>> =
        node.pods.iter().filter(|other| other.pod.priority() < priority).cloned().collect();
    if less_important.is_empty() {
        return Err(Refusal {
            plugin: DEFAULT_PREEMPTION,
            code: Code::UnschedulableAndUnresolvable,
            reasons: vec![Rejection::NoVictims],
        });
    }
    if let Some(refusal) = attempt.decide(node, &less_important) {
        return Err(refusal);
    }
    less_important.sort_by_key(|other| importance(&other.pod));
    let (protected, free) = split_by_budgets(asked, &less_important);
    let mut removed = less_important;
    let mut spare = |pods: Vec<Arc<PodInfo>>| {
        let mut victims = Vec::new();
        for pod in pods {
            let place = removed.iter().position(|gone| Arc::ptr_eq(gone, &pod));
            let Some(place) = place else { continue };
            let gone = removed.remove(place);
            if attempt.decide(node, &removed).is_some() {
                removed.insert(place, gone);
                victims.push(pod);
            }
        }
        victims
    };
    let mut victims = spare(protected);
    let violations = victims.len();
    victims.extend(spare(free));
    victims.sort_by_key(|victim| importance(&victim.pod));
    if victims.is_empty() {
        let text = format!("expected at least one victim pod on node \"{}\"", node.name);
        return Err(Refusal {
            plugin: DEFAULT_PREEMPTION,
            code: Code::Error,
            reasons: vec![Rejection::Failure(text.into())],
        });
    }
    // Up to 1.34 a victim that is already terminating is deleted once more.
    let deletes_all = !attempt.cycle.version().since(35);
    let mut deleted: Vec<_> = victims
        .iter()
        .filter(|victim| deletes_all || !victim.pod.meta.is_terminating())
        .map(|victim| victim.pod.key())
        .collect();
    deleted.sort();
    let candidate = Candidate {
        node: node.name.clone(),
        victims: victims.iter().map(|victim| victim.pod.key()).collect(),
        deleted,
        violations,
    };
    Ok(Freed { candidate, victims })
}

/// The most important first: by priority, then the longest running. As upstream's `MoreImportantPod`.
fn importance(pod: &Pod) -> (Reverse<i32>, Timestamp) {
    (Reverse(pod.priority()), pod.status.start_time.unwrap_or(LATEST))
}

/// A pod that has not started counts as started now, which is later than any other.
const LATEST: Timestamp = Timestamp(jiff::Timestamp::MAX);

/// Sorts out the pods that a disruption budget protects. As upstream's `filterPodsWithPDBViolation`.
fn split_by_budgets(
    asked: &Asked<'_>,
    pods: &[Arc<PodInfo>],
) -> (Vec<Arc<PodInfo>>, Vec<Arc<PodInfo>>) {
    let budgets = &asked.attempt.cycle.cluster.objects.budgets;
    let mut allowed: std::collections::BTreeMap<*const PodDisruptionBudget, i32> =
        std::collections::BTreeMap::new();
    let mut is_protected = |pod: &Pod| {
        let of_namespace = budgets.get(&pod.meta.namespace).into_iter().flatten();
        let covering = of_namespace.filter(|budget| covers(budget, pod));
        for budget in covering {
            let left = allowed.entry(Arc::as_ptr(budget)).or_insert(budget.disruptions_allowed);
            *left = left.saturating_sub(1);
            if *left < 0 {
                return true;
            }
        }
        false
    };
    pods.iter().cloned().partition(|pod| is_protected(&pod.pod))
}

fn covers(budget: &PodDisruptionBudget, pod: &Pod) -> bool {
    let selector = budget.selector.as_ref();
    !pod.meta.labels.is_empty()
        && !selector.is_some_and(LabelSelector::is_empty)
        && selects(selector, &pod.meta.labels)
        && !budget.disrupted_pods.iter().any(|(name, _)| *name == pod.meta.name)
}

/// The candidates that no rule sets apart, in the order of their names. As upstream's `pickOneNodeForPreemption`.
fn best(freed: Vec<Freed>) -> Vec<Candidate> {
    type Rank = (usize, i32, i64, usize, Reverse<Timestamp>);
    let rank = |freed: &Freed| -> Rank {
        let highest = freed.victims.first().map_or(0, |victim| victim.pod.priority());
        let sum = freed.victims.iter().map(|it| i64::from(it.pod.priority()) + (1 << 31)).sum();
        let highest_victims = freed.victims.iter().filter(|it| it.pod.priority() == highest);
        let started = highest_victims.map(|it| it.pod.status.start_time.unwrap_or(LATEST));
        let earliest = started.min().unwrap_or(LATEST);
        (freed.candidate.violations, highest, sum, freed.victims.len(), Reverse(earliest))
    };
    let Some(lowest) = freed.iter().map(rank).min() else { return Vec::new() };
    let equals = freed.into_iter().filter(|it| rank(it) == lowest);
    let mut equals: Vec<Candidate> = equals.map(|freed| freed.candidate).collect();
    equals.sort_by(|a, b| a.node.cmp(&b.node));
    equals
}

/// What is said when no node can be freed.
fn nothing_found(asked: &Asked<'_>, potential: usize, refused: &[(NodeName, Refusal)]) -> String {
    let (cluster, version) = (asked.attempt.cycle.cluster, asked.attempt.cycle.version());
    // A filter that fails ends it: each failure is told once.
    let failures = refused.iter().filter(|(_, refusal)| refusal.code == Code::Error);
    let failures: BTreeSet<String> =
        failures.map(|(_, refusal)| failure(refusal, version)).collect();
    let failures: Vec<String> = failures.into_iter().collect();
    match &failures[..] {
        [] => {}
        [failure] => return failure.clone(),
        several => return format!("[{}]", several.join(", ")),
    }
    let nodes = cluster.nodes.len();
    if nodes == 0 {
        return "no nodes available".to_owned();
    }
    let of_refused = refused.iter().flat_map(|(_, refusal)| &refusal.reasons);
    let of_refused = of_refused.map(|reason| reason.message(version));
    let not_helpful = Rejection::PreemptionNotHelpful.message(version);
    let others = std::iter::repeat_n(not_helpful, nodes - potential);
    fit_error::message(nodes, of_refused.chain(others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::{Configuration, Decision, Scheduler, Version};
    use crate::model::names::PodKey;
    use crate::testing::{TestPod, cluster, meta, node, pod, selector};

    fn small(name: &str) -> crate::testing::TestNode {
        node(name).allocatable("cpu=2,memory=8Gi,pods=10")
    }

    fn one(name: &str, priority: i32) -> TestPod {
        pod(name).priority(priority).requests("cpu=1")
    }

    fn decide(pods: Vec<TestPod>, budgets: Vec<PodDisruptionBudget>, minor: u32) -> Decision {
        let mut state = cluster([small("a"), small("b")], pods);
        state.pod_disruption_budgets = budgets.into_iter().map(Arc::new).collect();
        let version = Version::of_minor(minor).expect("a release that is replayed");
        let mut scheduler = Scheduler::new(&state, &Configuration::default(), version);
        scheduler.schedule(&PodKey::new("default", "p")).expect("the pod is there")
    }

    fn nominated(decision: &Decision) -> Option<(String, Vec<String>)> {
        let candidate = decision.preemption.as_ref()?.nominated.as_ref()?;
        let victims = candidate.deleted.iter().map(ToString::to_string).collect();
        Some((candidate.node.to_string(), victims))
    }

    fn asked() -> TestPod {
        pod("p").priority(10).requests("cpu=2")
    }

    #[test]
    fn the_node_whose_highest_victim_is_lowest_is_taken() {
        let pods = vec![asked(), one("a1", 5).on("a"), one("b1", 1).on("b"), one("b2", 1).on("b")];
        let decision = decide(pods, vec![], 37);
        let victims = vec!["default/b1".to_owned(), "default/b2".to_owned()];
        assert_eq!(nominated(&decision), Some(("b".to_owned(), victims)));
        assert_eq!(
            decision.message.as_deref(),
            Some(
                "0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node b, preempting 2 victims"
            )
        );
    }

    #[test]
    fn a_budget_protects_where_there_is_another_choice() {
        let budget = PodDisruptionBudget {
            meta: meta("web", "default"),
            selector: Some(selector("app=web")),
            ..PodDisruptionBudget::default()
        };
        let pods = vec![
            asked().requests("cpu=1"),
            pod("a1").priority(1).requests("cpu=2").labels("app=web").on("a"),
            pod("b1").priority(1).requests("cpu=2").on("b"),
        ];
        let decision = decide(pods, vec![budget], 37);
        assert_eq!(nominated(&decision), Some(("b".to_owned(), vec!["default/b1".to_owned()])));
    }

    #[test]
    fn nodes_that_no_rule_sets_apart_are_all_told() {
        let pods = vec![
            asked(),
            pod("a1").priority(1).requests("cpu=2").on("a"),
            pod("b1").priority(1).requests("cpu=2").on("b"),
        ];
        let preemption = decide(pods, vec![], 37).preemption.expect("preemption was asked");
        let nodes: Vec<&str> = preemption.equals.iter().map(|it| it.node.as_str()).collect();
        assert_eq!(nodes, ["a", "b"]);
    }

    #[test]
    fn what_stands_against_preemption_is_told_in_the_words_of_the_release() {
        let full = "0/2 nodes are available: 2 Insufficient cpu.";
        let none =
            "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.";
        let never = "preemption: not eligible due to preemptionPolicy=Never.";
        let others = || vec![one("a1", 10).on("a"), one("b1", 20).on("b")];
        for (pod, minor, tail) in [
            (asked(), 37, none.to_owned()),
            (asked(), 35, format!("no new claims to deallocate, {none}")),
            (asked(), 33, none.to_owned()),
            (asked().spec(|spec| spec.never_preempts = true), 37, never.to_owned()),
        ] {
            let pods = others().into_iter().chain([pod]).collect();
            let message = decide(pods, vec![], minor).message;
            assert_eq!(message, Some(format!("{full} {tail}")), "1.{minor}");
        }
    }

    #[test]
    fn the_most_important_victims_are_spared() {
        let pods = vec![
            pod("p").priority(10).requests("cpu=1"),
            one("a1", 3).on("a"),
            one("a2", 1).on("a"),
            one("b1", 30).on("b"),
            one("b2", 30).on("b"),
        ];
        let decision = decide(pods, vec![], 37);
        assert_eq!(nominated(&decision), Some(("a".to_owned(), vec!["default/a2".to_owned()])));
    }
}
