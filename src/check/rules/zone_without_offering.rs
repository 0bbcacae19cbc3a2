//! A zone in which nothing is sold.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::rule::{Look, Rule};
use crate::model::labels;
use crate::model::selector::Operator;
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    code: "zone-without-offering",
    severity: Severity::Warning,
    finds: "a zone in a NodePool, or in the demands of a pod, in which no instance type is offered",
    why: "Karpenter launches only what the cloud offers in a zone. A zone without offerings, often a typing slip \
          or a zone of another region, is silently left out of a NodePool; a pod that demands it is never placed.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a, us-east-1z]}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a, us-east-1b]}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let mut uses = context.label_uses(manifest);
    uses.retain(|used| {
        &*used.expression.key == labels::ZONE && used.expression.operator == Operator::In
    });
    if uses.is_empty() || context.pools().iter().all(|view| view.zones.is_empty()) {
        return Vec::new();
    }
    let mut zones: BTreeSet<&str> = context.node_zones().iter().map(|zone| &**zone).collect();
    match context.pool(manifest) {
        Some(view) => zones.extend(view.zones.iter().map(|zone| &**zone)),
        None => {
            zones.extend(context.pools().iter().flat_map(|view| &view.zones).map(|zone| &**zone));
        }
    }
    uses.into_iter()
        .filter_map(|used| {
            let strange: Vec<&str> = used
                .expression
                .values
                .iter()
                .map(|value| &**value)
                .filter(|value| !zones.contains(value))
                .collect();
            let message = format!("nothing is offered in {}", strange.join(", "));
            let listed = zones.iter().copied().collect::<Vec<_>>().join(", ");
            (!strange.is_empty()).then(|| {
                Problem::new(used.path, message, format!("zones with offerings: {listed}"))
            })
        })
        .collect()
}
