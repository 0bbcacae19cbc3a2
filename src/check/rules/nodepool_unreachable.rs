//! A NodePool that can launch nothing.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    code: "nodepool-unreachable",
    severity: Severity::Error,
    finds: "a NodePool whose requirements contradict each other or leave no instance type",
    why: "Karpenter leaves out a NodePool whose requirements no instance type and no offering meet: it publishes \
          `NoCompatibleInstanceTypes` once and no pod can use the pool.",
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
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.huge]}
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
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m5.xlarge]}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(view) = context.pool(manifest) else { return Vec::new() };
    let path = FieldPath::of("spec.template.spec.requirements");
    if let Some(key) = view.contradiction() {
        let message = format!(
            "the requirements on {key} contradict each other: no node can ever be launched"
        );
        return vec![Problem::new(
            path,
            message,
            "leave values that all requirements on the key admit",
        )];
    }
    if view.all_types.is_empty() || view.types().next().is_some() {
        return Vec::new();
    }
    let message = format!(
        "none of the {} instance types has an offering that meets these requirements: the pool can launch nothing",
        view.all_types.len()
    );
    vec![Problem::new(path, message, "compare the values with what the cloud sells in your zones")]
}
