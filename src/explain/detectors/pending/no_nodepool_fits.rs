//! No NodePool can ever launch a node for the pod.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::karpenter::{Mismatch, PodError, Refusal, TypeRefusal};
use crate::model::names::NodePoolName;

/// The code.
pub const CODE: &str = "no-nodepool-fits";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let Some(outcome) = case.plan().and_then(|plan| plan.outcomes.first()) else {
        return Vec::new();
    };
    match outcome.pod_errors.get(&case.landing.pod.key) {
        Some(PodError::NewNodeClaims(refusals)) => by_pool(case, refusals),
        Some(
            error @ (PodError::NoNodePools
            | PodError::NoInstanceTypes
            | PodError::Volumes(_)
            | PodError::MinValuesAfterTruncation { .. }),
        ) => {
            vec![other(case, error)]
        }
        Some(error @ PodError::Invalid(reasons))
            if !reasons.iter().any(|reason| reason.contains("label ")) =>
        {
            vec![other(case, error)]
        }
        _ => Vec::new(),
    }
}

fn by_pool(case: &Case<'_, '_, '_>, refusals: &[(NodePoolName, Refusal)]) -> Vec<Cause> {
    // A limit is checked first, and may hide that the pool could not serve the pod anyway.
    let limited: Vec<&NodePoolName> = refusals
        .iter()
        .filter(|(_, refusal)| {
            matches!(refusal, Refusal::TypeLimits { .. } | Refusal::NodeLimit(_))
        })
        .map(|(pool, _)| pool)
        .collect();
    if !limited.is_empty()
        && let Some(plan) = super::nodepool_limit::without_limits(case, &limited)
        && let Some(PodError::NewNodeClaims(hidden)) =
            plan.outcomes.first().and_then(|outcome| outcome.pod_errors.get(&case.landing.pod.key))
    {
        return hard(case, hidden, ", with or without its limits");
    }
    hard(case, refusals, "")
}

fn hard(case: &Case<'_, '_, '_>, refusals: &[(NodePoolName, Refusal)], remark: &str) -> Vec<Cause> {
    let hard: Vec<&(NodePoolName, Refusal)> = refusals
        .iter()
        .filter(|(_, refusal)| {
            !matches!(refusal, Refusal::TypeLimits { .. } | Refusal::NodeLimit(_))
        })
        .collect();
    if hard.is_empty() {
        return Vec::new();
    }
    let nearest = hard.iter().min_by_key(|(_, refusal)| weight(refusal));
    let all = if hard.len() == refusals.len() {
        format!("No NodePool can launch a node for the pod{remark}")
    } else {
        "Other NodePools cannot serve the pod".to_owned()
    };
    let summary = match nearest {
        Some((pool, refusal)) if hard.len() > 1 => {
            format!("{all}. The nearest is nodepool/{pool}: {}.", told(refusal))
        }
        Some((pool, refusal)) => format!("{all}: nodepool/{pool} does not: {}.", told(refusal)),
        None => return Vec::new(),
    };
    let mut cause =
        Cause::new(CODE, Class::Constraint, summary).confidence(if hard.len() == refusals.len() {
            Confidence::Proven
        } else {
            Confidence::Consistent
        });
    for (pool, refusal) in &hard {
        cause = cause.because(
            Evidence::replay(format!("nodepool/{pool} refuses the pod: {}", told(refusal)))
                .value(refusal.to_string()),
        );
    }
    for message in case.landing.pod.karpenter_refusals.iter().rev().take(1) {
        cause = cause.because(Evidence::event(case.pod_name(), message, "Karpenter says so"));
    }
    let advice = nearest.map(|(pool, refusal)| advice(pool, refusal));
    vec![cause.advise_all(advice)]
}

/// How far a refusal is from being none: few mismatches are nearer than many, and a taint is nearest.
fn weight(refusal: &Refusal) -> usize {
    match refusal {
        Refusal::Taints(taints) => taints.len(),
        Refusal::Requirements(mismatches) | Refusal::VolumeTopology(mismatches) => {
            1 + mismatches.len()
        }
        Refusal::TopologyRequirements { mismatches, .. } => 2 + mismatches.len(),
        Refusal::Topology(_) => 2,
        Refusal::HostPort { .. } | Refusal::TypeVolumeLimit | Refusal::NodeVolumeLimit { .. } => 3,
        Refusal::InstanceTypes(_) | Refusal::Resources(_) => 4,
        Refusal::Reserved(_) | Refusal::Dra(_) => 5,
        Refusal::NodeLimit(_) | Refusal::TypeLimits { .. } => 6,
    }
}

/// A refusal in plain words.
pub(in crate::explain::detectors) fn told(refusal: &Refusal) -> String {
    let mismatch = |mismatches: &[Mismatch]| {
        let each = mismatches.iter().map(|mismatch| match mismatch {
            Mismatch::Undefined { key } => format!("it offers no label {key}"),
            Mismatch::Disjoint { wanted, there, .. } => {
                format!("the pod wants {wanted}, it offers {there}")
            }
        });
        each.collect::<Vec<_>>().join("; ")
    };
    match refusal {
        Refusal::Taints(taints) => {
            let taints: Vec<String> = taints.iter().map(ToString::to_string).collect();
            format!("the pod does not tolerate its taint {}", taints.join(", "))
        }
        Refusal::Requirements(mismatches) => mismatch(mismatches),
        Refusal::VolumeTopology(mismatches) => {
            format!("the pod's volumes need another place: {}", mismatch(mismatches))
        }
        Refusal::TopologyRequirements { mismatches, .. } => {
            format!("a spread or affinity needs another place: {}", mismatch(mismatches))
        }
        Refusal::InstanceTypes(types) => types_told(types),
        other => other.to_string(),
    }
}

/// Why no instance type remains, without what every claim of the pool asks of its node.
fn types_told(types: &TypeRefusal) -> String {
    const OF_EVERY_CLAIM: [&str; 3] =
        ["karpenter.sh/nodepool ", "karpenter.sh/registered ", "karpenter.sh/initialized "];
    let asked: Vec<&str> = types
        .requirements
        .split(", ")
        .filter(|one| !OF_EVERY_CLAIM.iter().any(|key| one.starts_with(key)))
        .filter(|one| !one.split(' ').next().is_some_and(|key| key.ends_with("nodeclass")))
        .collect();
    let of = if asked.is_empty() {
        String::new()
    } else {
        format!(" of those with {}", asked.join(", "))
    };
    let with = if types.least == types.most { "" } else { " at least" };
    format!(
        "{}: {}{with} asked, the DaemonSets' included,{of}",
        types.headline(),
        words::resources(&types.least)
    )
    .trim_end_matches(',')
    .to_owned()
}

/// Why a pod has no place, in plain words.
pub(in crate::explain) fn told_error(error: &PodError) -> String {
    match error {
        PodError::NewNodeClaims(refusals) => {
            let each = refusals
                .iter()
                .map(|(pool, refusal)| format!("nodepool/{pool}: {}", told(refusal)));
            each.collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

fn advice(pool: &NodePoolName, refusal: &Refusal) -> Advice {
    match refusal {
        Refusal::Taints(_) => {
            Advice::new(format!("Give the pod the toleration, if it may run on nodepool/{pool}."))
        }
        Refusal::Requirements(_) | Refusal::VolumeTopology(_) => Advice::new(format!(
            "Let nodepool/{pool} offer what the pod asks for (spec.template.spec.requirements), or ask for less in the pod's node selector or affinity."
        )),
        Refusal::InstanceTypes(_) | Refusal::Resources(_) => Advice::new(format!(
            "Let nodepool/{pool} use larger instance types, or ask for less: requests plus the DaemonSets' must fit one machine."
        )),
        _ => {
            Advice::new(format!("See what nodepool/{pool} may launch, and what the pod asks for."))
        }
    }
}

fn other(case: &Case<'_, '_, '_>, error: &PodError) -> Cause {
    Cause::new(CODE, Class::Constraint, format!("Karpenter cannot plan for the pod: {error}."))
        .confidence(Confidence::Proven)
        .because(
            Evidence::replay(format!("Karpenter refuses the pod: {error}"))
                .value(error.to_string()),
        )
        .because_of(
            case.landing
                .pod
                .karpenter_refusals
                .last()
                .map(|message| Evidence::event(case.pod_name(), message, "Karpenter says so")),
        )
}
