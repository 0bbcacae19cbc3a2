//! The soft rules that Karpenter gave up.

use super::super::Relaxation;
use crate::reconstruct::Landing;
use crate::reconstruct::relaxed::{Relaxed, relaxed};

pub(super) fn relaxations(landing: &Landing<'_, '_>) -> Vec<Relaxation> {
    let pass = landing.intent.last().and_then(|planned| planned.pass);
    let mut steps = relaxed(landing.world, landing.pod, pass);
    if steps.is_empty()
        && let Some(pending) = &landing.pending
        && let Some(outcome) = pending.plan().and_then(|plan| plan.outcomes.first())
    {
        let own = outcome.relaxations.iter().filter(|(key, _)| *key == landing.pod.key);
        steps = own
            .map(|(_, rule)| Relaxed { rule: Some(rule.clone()), logged: None, at: None })
            .collect();
    }
    steps.iter().zip(1..).map(|(step, number)| relaxation(number, step)).collect()
}

fn relaxation(step: u32, relaxed: &Relaxed) -> Relaxation {
    use crate::karpenter::Relaxation as Rule;
    let (rule, weight) = match &relaxed.rule {
        Some(Rule::RequiredNodeAffinityTerm(_)) => ("required-node-affinity-term", None),
        Some(Rule::PreferredPodAffinityTerm(term)) => ("preferred-pod-affinity", Some(term.weight)),
        Some(Rule::PreferredPodAntiAffinityTerm(term)) => {
            ("preferred-pod-anti-affinity", Some(term.weight))
        }
        Some(Rule::PreferredNodeAffinityTerm(term)) => {
            ("preferred-node-affinity", Some(term.weight))
        }
        Some(Rule::ScheduleAnywaySpread(_)) => ("schedule-anyway-spread", None),
        Some(Rule::PreferNoScheduleTaints) => ("prefer-no-schedule-taint", None),
        None => (rule_of_log(relaxed.logged.as_deref().unwrap_or_default()), None),
    };
    let logged = relaxed.logged.as_deref();
    let field = logged
        .and_then(|text| text.strip_prefix("removing: "))
        .map(|text| text.split('=').next().unwrap_or(text).to_owned())
        .or_else(|| relaxed.rule.as_ref().map(|rule| rule.field().to_owned()));
    Relaxation {
        step,
        rule: rule.to_owned(),
        summary: logged
            .map(ToOwned::to_owned)
            .or_else(|| relaxed.rule.as_ref().map(ToString::to_string))
            .unwrap_or_default(),
        value: logged.and_then(|text| text.split_once('=')).map(|(_, value)| value.to_owned()),
        field,
        weight,
        recorded: logged.is_some(),
    }
}

fn rule_of_log(text: &str) -> &'static str {
    if text.contains("topologySpreadConstraints") {
        "schedule-anyway-spread"
    } else if text.contains("podAntiAffinity") {
        "preferred-pod-anti-affinity"
    } else if text.contains("podAffinity") {
        "preferred-pod-affinity"
    } else if text.contains("requiredDuringScheduling") {
        "required-node-affinity-term"
    } else if text.contains("nodeAffinity") {
        "preferred-node-affinity"
    } else {
        "prefer-no-schedule-taint"
    }
}
