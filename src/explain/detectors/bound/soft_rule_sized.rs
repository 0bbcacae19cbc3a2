//! Karpenter counted a soft rule as required and launched nodes for it; kube-scheduler only scores it.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::reconstruct::groups::{soft_spread_keys, unused_domains};

/// The code.
pub const CODE: &str = "soft-rule-sized-nodes";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    if case.class != Class::Preference {
        return Vec::new();
    }
    let landing = case.landing;
    let keys = soft_spread_keys(landing.pod);
    let Some((key, unused)) = unused_domains(landing.world, &landing.group, &keys) else {
        return Vec::new();
    };
    let owner = landing.pod.owner.as_ref().map(ToString::to_string).unwrap_or_default();
    let anti = landing.pod.unbound().is_some_and(|pod| {
        pod.spec
            .affinity
            .pod_anti
            .iter()
            .flat_map(|anti| &anti.preferred)
            .any(|term| term.term.topology_key == key)
    });
    let (rule, field) = if anti {
        (
            "preferred pod anti-affinity",
            "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution",
        )
    } else {
        ("ScheduleAnyway spread", "spec.topologySpreadConstraints")
    };
    let unused: Vec<String> = unused.iter().map(ToString::to_string).collect();
    let summary = format!(
        "Karpenter counted the soft rule ({rule} over {key}) as required and launched nodes for it; kube-scheduler only scores it, and left {} without any pod of {owner}.",
        words::list(&unused, 4)
    );
    let mut cause = Cause::new(CODE, Class::Preference, summary)
        .confidence(Confidence::Consistent)
        .because(
            Evidence::object(case.pod_name(), field, format!("the pod has a {rule} over {key}"))
                .value(key.to_string()),
        )
        .because(Evidence::object(
            "pods",
            "spec.nodeName",
            format!(
                "planned for {}, bound to {}",
                targets(landing.group.first_targets.iter()),
                targets(landing.group.came.keys())
            ),
        ));
    if let Some(counterfactual) = ignoring(case) {
        cause = cause.unless(counterfactual);
    }
    vec![
        cause
            .because_of(super::ready_first::empty_node(case))
            .advise(Advice::new(format!(
                "If the spread matters, make it a rule that kube-scheduler keeps too: whenUnsatisfiable: DoNotSchedule with minDomains, and nodeTaintsPolicy: Honor so that nodes which are not ready do not count; pods then wait for their node. A required anti-affinity over {key} does the same for one pod a node."
            )))
            .advise(Advice::new(
                "If it does not matter, drop the rule, or set PREFERENCE_POLICY=Ignore in Karpenter: it then plans without preferences and launches fewer nodes; kube-scheduler still scores them.",
            ))
            .advise(Advice::new(
                "If it may stay as it is, leave room for extra nodes in the NodePool's limits: consolidation removes the empty ones after consolidateAfter.",
            )),
    ]
}

fn targets<'t>(targets: impl Iterator<Item = &'t String>) -> String {
    let targets: Vec<String> = targets.cloned().collect();
    words::list(&targets, 6)
}

/// How many nodes the pass plans when preferences are ignored.
fn ignoring(case: &Case<'_, '_, '_>) -> Option<Counterfactual> {
    let world = case.landing.world;
    let pass = case.landing.intent.plans.iter().find_map(|planned| planned.pass)?;
    let replay = world.replay(pass)?;
    let now = replay.plan.outcomes.first()?.new_node_claims.len();
    let then = world.new_nodes_ignoring_preferences(pass)?;
    Some(Counterfactual::new(
        "with preferences ignored",
        format!("Karpenter plans {} instead of {now}", words::count(then, "node")),
        then < now,
    ))
}
