//! Karpenter gave up soft rules to find a place for the pod.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::reconstruct::relaxed::{Relaxed, relaxed};

/// The code.
pub const CODE: &str = "relaxed-preference";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    if case.landing.binding.is_none() {
        return Vec::new();
    }
    let pass = case.landing.intent.last().and_then(|planned| planned.pass);
    let steps = relaxed(case.landing.world, case.landing.pod, pass);
    cause(&steps, case.class).into_iter().collect()
}

/// The cause that some steps are; none without steps.
pub fn cause(steps: &[Relaxed], class: Class) -> Option<Cause> {
    if steps.is_empty() {
        return None;
    }
    let logged = steps.iter().any(|step| step.logged.is_some());
    let told: Vec<String> = steps.iter().map(told).collect();
    let summary = format!(
        "Karpenter gave up {} to find a place for the pod: {}.",
        words::count(steps.len(), "soft rule"),
        words::list(&told, 4)
    );
    let evidence = steps.iter().map(|step| match &step.logged {
        Some(text) => {
            Evidence::log(format!("Karpenter's log: {text}")).value(text.clone()).at(step.at)
        }
        None => {
            Evidence::replay(format!("the replay of its pass relaxes the pod: {}", told_rule(step)))
                .at(step.at)
        }
    });
    Some(
        Cause::new(CODE, class, summary)
            .confidence(if logged { Confidence::Proven } else { Confidence::Consistent })
            .because_of(evidence)
            .advise(Advice::new(
                "A rule that must hold has to be required; a preferred one is given up, the heaviest first, as soon as no place satisfies it.",
            )),
    )
}

fn told(step: &Relaxed) -> String {
    match &step.logged {
        // `removing: FIELD = RULE`, as the log has it.
        Some(text) => {
            let what = text.split('=').next().unwrap_or(text).trim();
            what.trim_start_matches("removing: ").to_owned()
        }
        None => told_rule(step),
    }
}

fn told_rule(step: &Relaxed) -> String {
    step.rule.as_ref().map(ToString::to_string).unwrap_or_default()
}
