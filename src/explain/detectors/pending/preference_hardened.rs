//! A preferred node affinity became a requirement of the planned NodeClaim, and is not given up.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::what_if::{self, PlannedPlace};
use crate::karpenter::{NewNodeClaim, PreferencePolicy, Settings};
use crate::model::affinity::PreferredSchedulingTerm;
use crate::model::names::Str;
use crate::model::selector::Operator;
use crate::reconstruct::stories::IncidentKind;

/// The code.
pub const CODE: &str = "preferred-term-hardened";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let settings = case.landing.world.setup.karpenter;
    let (Some(pod), true) = (case.pod(), settings.preference_policy == PreferencePolicy::Respect)
    else {
        return Vec::new();
    };
    let preferred = pod.spec.affinity.node.iter().flat_map(|affinity| &affinity.preferred);
    let mut terms: Vec<&PreferredSchedulingTerm> = preferred.collect();
    terms.sort_by_key(|term| std::cmp::Reverse(term.weight));
    let (Some(heaviest), Some(plan)) = (terms.first(), case.plan()) else { return Vec::new() };
    let Some(PlannedPlace::New(claim)) = what_if::placement(plan, &case.landing.pod.key) else {
        return Vec::new();
    };
    let Some((key, values)) = hardened(heaviest, claim) else { return Vec::new() };
    let ignoring = Settings { preference_policy: PreferencePolicy::Ignore, ..settings.clone() };
    let relaxed = what_if::plan(case.landing.world, case.state, &ignoring);
    let wider =
        relaxed.as_ref().and_then(|plan| match what_if::placement(plan, &case.landing.pod.key)? {
            PlannedPlace::New(claim) => Some((values_of(claim, &key), first_type(claim))),
            PlannedPlace::Existing(_) => None,
        });
    let Some((without, cheapest)) = wider.filter(|(without, _)| *without != values) else {
        return Vec::new();
    };
    vec![cause(case, &terms, &key, &values, (&without, cheapest.as_deref()))]
}

/// The key and the values that the heaviest term left of a claim.
fn hardened(term: &PreferredSchedulingTerm, claim: &NewNodeClaim) -> Option<(Str, Vec<Str>)> {
    let asked = term
        .preference
        .match_expressions
        .iter()
        .find(|expression| expression.operator == Operator::In)?;
    let values = values_of(claim, &asked.key);
    let within = !values.is_empty() && values.iter().all(|value| asked.values.contains(value));
    within.then(|| (asked.key.clone(), values))
}

fn values_of(claim: &NewNodeClaim, key: &str) -> Vec<Str> {
    let found = claim.requirements.iter().find(|requirement| &*requirement.key == key);
    let mut values = found.map(|requirement| requirement.values.clone()).unwrap_or_default();
    values.sort();
    values
}

fn first_type(claim: &NewNodeClaim) -> Option<String> {
    claim.instance_types.first().map(|kind| kind.name.to_string())
}

fn told(term: &PreferredSchedulingTerm) -> String {
    term.preference.match_expressions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn cause(
    case: &Case<'_, '_, '_>,
    terms: &[&PreferredSchedulingTerm],
    key: &str,
    values: &[Str],
    (without, cheapest): (&[Str], Option<&str>),
) -> Cause {
    let heaviest = terms[0];
    let mut summary = format!(
        "Preference relaxation: of the preferred node affinity terms Karpenter takes the heaviest (weight {}, {}) as required. The simulation succeeds with it, so it is not relaxed",
        heaviest.weight,
        told(heaviest)
    );
    for term in &terms[1..] {
        summary.push_str(&format!(
            ", and the term of weight {} ({}) is never tried",
            term.weight,
            told(term)
        ));
    }
    summary.push_str(". kube-scheduler would take either: for it these are scores.");
    let name = case.pod_name();
    let mut cause = Cause::new(CODE, case.class, summary).because_of(terms.iter().map(|term| {
        Evidence::object(
            &name,
            "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
            format!("a preferred term of weight {}: {}", term.weight, told(term)),
        )
        .value(told(term))
    }));
    let replayed = format!(
        "Karpenter plans one NodeClaim for the pod with {key} In [{}] only",
        values.join(", ")
    );
    cause = cause.because(Evidence::replay(replayed));
    if case.landing.pod.incident(IncidentKind::LaunchFailed).is_some() {
        cause = cause.because(Evidence::inferred(
            "relaxation only reacts to a failed simulation, not to a failed launch: it resumes only when the provider marks these offerings unavailable",
        ));
    }
    let first = cheapest.map(|kind| format!(", {kind} first by price")).unwrap_or_default();
    cause = cause.unless(Counterfactual::new(
        "with PREFERENCE_POLICY=Ignore",
        format!("Karpenter plans {key} In [{}]{first}", without.join(", ")),
        true,
    ));
    let mut all: Vec<&str> = terms
        .iter()
        .flat_map(|term| &term.preference.match_expressions)
        .filter(|expression| &*expression.key == key)
        .flat_map(|expression| expression.values.iter().map(|value| &**value))
        .collect();
    all.sort_unstable();
    all.dedup();
    cause
        .advise(Advice::new(
            "Put the choice into the NodePools: one for each alternative, with weights; Karpenter then falls back when one cannot launch.",
        ))
        .advise(
            Advice::new("Make it one term with both values: then all of them stay possible, and price decides.").manifest(
                format!(
                    "preferredDuringSchedulingIgnoredDuringExecution:\n- weight: {}\n  preference:\n    matchExpressions:\n    - key: {key}\n      operator: In\n      values: [{}]\n",
                    heaviest.weight,
                    all.join(", ")
                ),
            ),
        )
        .advise(Advice::new(
            "Or set PREFERENCE_POLICY=Ignore in Karpenter: no preference of any pod shapes a node then, kube-scheduler still scores them.",
        ))
}
