//! Limits that are smaller than the smallest node.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::model::quantity::Quantity;

pub(super) const RULE: Rule = Rule {
    code: "limit-below-one-node",
    severity: Severity::Error,
    finds: "a NodePool whose limits are below the smallest node that it could launch",
    why: "Karpenter launches no node that would exceed the limits of its NodePool. Limits below the capacity of \
          the smallest instance type switch the pool off, and with a single pool the limit is then given as the \
          reason for every pending pod.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  limits: {cpu: 1}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  limits: {cpu: 64}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(view) = context.pool(manifest) else { return Vec::new() };
    let mut problems = Vec::new();
    for (name, limit) in view.pool.limits.iter().flat_map(|limits| limits.iter()) {
        let smallest = if name.as_str() == "nodes" {
            Some(Quantity::units(1))
        } else {
            view.types().map(|one| one.capacity.amount(name.as_str())).min()
        };
        let is_below = smallest.map_or(limit.is_zero(), |smallest| *limit < smallest);
        if is_below {
            let least = smallest.map(|smallest| format!(" of {smallest}")).unwrap_or_default();
            let message = format!(
                "the limit of {limit} {name} is below the smallest node{least}: the pool launches nothing"
            );
            problems.push(Problem::new(
                FieldPath::of("spec.limits").key(name.as_str()),
                message,
                "raise the limit",
            ));
        }
    }
    problems
}
