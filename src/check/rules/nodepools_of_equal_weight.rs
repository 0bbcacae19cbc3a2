//! NodePools of equal weight that could launch nodes for the same pods.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::pools::PoolView;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    code: "nodepools-of-equal-weight",
    severity: Severity::Warning,
    finds: "a NodePool that could take the same pods as another one of the same weight",
    why: "Karpenter tries NodePools by falling weight, and those of equal weight by falling name: which one \
          launches the node is then decided by how they are called, not by price. Karpenter does not compare \
          prices across NodePools.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: zone-a}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
      - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: zone-a}
spec:
  weight: 10
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
      - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(own) = context.pool(manifest) else { return Vec::new() };
    let weight = |view: &PoolView| view.pool.weight.unwrap_or(0);
    let rivals: Vec<&str> = context
        .pools()
        .iter()
        .filter(|other| other.pool.meta.name != own.pool.meta.name)
        .filter(|other| weight(other) == weight(own))
        .filter(|other| other.pool.template.taints == own.pool.template.taints)
        .filter(|other| other.overlaps(own))
        .map(|other| &*other.pool.meta.name)
        .collect();
    if rivals.is_empty() {
        return Vec::new();
    }
    let first = rivals.iter().copied().chain([&*own.pool.meta.name]).max().unwrap_or_default();
    let message = format!(
        "nodepool/{} could take the same pods and has the same weight {}: the name decides, so nodepool/{first} is always tried first",
        rivals.join(", nodepool/"),
        weight(own)
    );
    vec![Problem::new(FieldPath::of("spec.weight"), message, "give them different weights")]
}
