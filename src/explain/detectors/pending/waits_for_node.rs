//! A node for the pod is on its way, or Karpenter waits for one.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::model::meta::condition;

/// The code when a node is on its way.
pub const CODE: &str = "waits-for-node";
/// The code when a claim that is not launched holds all provisioning back.
pub const FROZEN: &str = "provisioning-frozen";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    if !case.waits() {
        return Vec::new();
    }
    let mut causes = Vec::new();
    causes.extend(frozen(case));
    causes.extend(on_its_way(case));
    causes
}

fn frozen(case: &Case<'_, '_, '_>) -> Option<Cause> {
    let waits_for = &case.plan()?.waits_for;
    let first = waits_for.first()?;
    let names: Vec<String> = waits_for.iter().map(|name| format!("nodeclaim/{name}")).collect();
    let summary = format!(
        "Karpenter is not scheduling at all: {} has no providerID yet, it is created but not launched. One unlaunched NodeClaim freezes all provisioning and disruption.",
        words::list(&names, 3)
    );
    let mut cause =
        Cause::new(FROZEN, Class::Constraint, summary).confidence(Confidence::Proven).because(
            Evidence::object(
                format!("nodeclaim/{first}"),
                "status.providerID",
                "the NodeClaim has no providerID",
            )
            .value(""),
        );
    if let Some(launched) =
        case.state.node_claim(first).and_then(|claim| condition(&claim.conditions, "Launched"))
    {
        cause = cause.because(
            Evidence::object(
                format!("nodeclaim/{first}"),
                "status.conditions[Launched]",
                format!(
                    "Launched is {}: {} {}",
                    launched.status, launched.reason, launched.message
                ),
            )
            .at(launched.changed),
        );
    }
    Some(cause.advise(Advice::new("See why the launch hangs: the provider's errors in Karpenter's log, the NodeClass, quotas. It is given up after 5 minutes.")))
}

fn on_its_way(case: &Case<'_, '_, '_>) -> Option<Cause> {
    let place = case.landing.intended()?;
    let claim = case.state.node_claim(place.claim.as_ref()?)?;
    let (step, text) = ["Launched", "Registered", "Initialized"].into_iter().find_map(|step| {
        let condition = condition(&claim.conditions, step);
        let done = condition.is_some_and(|condition| &*condition.status == "True");
        (!done).then(|| {
            (step, condition.map(|c| format!("{}: {}", c.reason, c.message)).unwrap_or_default())
        })
    })?;
    // A startup taint that stays is a cause of its own.
    if text.starts_with("StartupTaintsExist") {
        return None;
    }
    let what = match step {
        "Launched" => "the cloud has not given its machine yet",
        "Registered" => "its machine has not joined the cluster yet",
        _ => "its node is not initialized yet",
    };
    let summary = format!(
        "Karpenter launched nodeclaim/{} for the pod; {what}. A launched node was meant for it: the pod waits for that.",
        claim.meta.name
    );
    Some(
        Cause::new(CODE, Class::Constraint, summary)
            .confidence(Confidence::Consistent)
            .because(Evidence::object(
                format!("nodeclaim/{}", claim.meta.name),
                format!("status.conditions[{step}]"),
                format!("{step} is not True: {text}"),
            ))
            .advise(Advice::new("Wait; if it does not register within 15 minutes, Karpenter deletes the NodeClaim and tries anew: then look at the node's boot, its network and its identity.")),
    )
}
