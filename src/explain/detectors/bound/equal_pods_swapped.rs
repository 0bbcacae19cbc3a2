//! Equal pods changed places: every node got as many of them as planned.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;

/// The code.
pub const CODE: &str = "equal-pods-swapped";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    if case.class != Class::Swap {
        return Vec::new();
    }
    let group = &case.landing.group;
    let owner = case.landing.pod.owner.as_ref().map(ToString::to_string).unwrap_or_default();
    let counts: Vec<String> =
        group.came.iter().map(|(node, count)| format!("{count} on {node}")).collect();
    let (planned, which) = if group.first.as_ref() == Some(&group.came) {
        (group.first.as_ref(), "first")
    } else {
        (group.latest.as_ref(), "latest")
    };
    let planned: Vec<String> =
        planned.into_iter().flatten().map(|(node, count)| format!("{count} on {node}")).collect();
    let summary = format!(
        "Every node has as many pods of {owner} as Karpenter planned; which of these equal pods sits where differs. Harmless: kube-scheduler takes them in its own order, and does not know which pod was meant for which node."
    );
    vec![
        Cause::new(CODE, Class::Swap, summary)
            .confidence(Confidence::Consistent)
            .because(Evidence::replay(format!("the {which} plan: {}", words::list(&planned, 8))))
            .because(Evidence::object(
                "pods",
                "spec.nodeName",
                format!("bound: {}", words::list(&counts, 8)),
            ))
            .advise(Advice::new("Nothing to do.")),
    ]
}
