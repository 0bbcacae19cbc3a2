//! The NodeClaim that was made for the pod could not be launched.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::reconstruct::stories::{ClaimStory, Incident, IncidentKind};

/// The code.
pub const CODE: &str = "launch-failed";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let pod = case.landing.pod;
    let failures: Vec<&Incident> = pod
        .incidents
        .iter()
        .filter(|incident| incident.kind == IncidentKind::LaunchFailed)
        .collect();
    let failed: Vec<&ClaimStory> = pod
        .nominations
        .iter()
        .filter_map(|nomination| {
            case.landing.world.chronicle.claims.get(nomination.claim.as_ref()?)
        })
        .filter(|claim| claim.failed.is_some())
        .collect();
    if failures.is_empty() && failed.is_empty() {
        return Vec::new();
    }
    let number = failures.len().max(failed.len());
    let gone = failed.iter().filter(|claim| claim.object.is_none()).count();
    let mut summary = format!(
        "{} that Karpenter made for the pod could not be launched: {}.",
        words::count(number, "NodeClaim"),
        reason(
            failures
                .first()
                .map(|failure| &*failure.message.text)
                .or(failed
                    .first()
                    .and_then(|claim| claim.failed.as_ref())
                    .map(|message| &*message.text))
                .unwrap_or_default()
        )
    );
    if gone > 0 {
        summary.push_str(" Karpenter deletes a NodeClaim that finds no capacity at once, so they are gone, and plans anew.");
    }
    let name = case.pod_name();
    let of_pod = failures.iter().map(|failure| {
        Evidence::event(&name, &failure.message, "Karpenter says that the launch failed")
    });
    let of_claims = failed.iter().filter_map(|claim| {
        let message = claim.failed.as_ref()?;
        Some(Evidence::event(
            format!("nodeclaim/{}", claim.name),
            message,
            "the NodeClaim could not be launched",
        ))
    });
    vec![
        Cause::new(CODE, if case.waits() { Class::LaunchFailed } else { case.class }, summary)
            .confidence(Confidence::Proven)
            .because_of(of_claims)
            .because_of(of_pod)
            .advise(Advice::new(
                "Let the NodePool offer more: other instance types, families, zones or capacity types. A replay does not see what the cloud has.",
            )),
    ]
}

/// The cloud's reason, without Karpenter's preface.
fn reason(text: &str) -> &str {
    let text = text.split_once("failed to launch: ").map_or(text, |(_, reason)| reason);
    text.split_once(" event: ").map_or(text, |(_, reason)| reason).trim_end_matches('.')
}
