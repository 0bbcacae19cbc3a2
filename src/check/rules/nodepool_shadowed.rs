//! A NodePool behind another one that takes everything first.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::model::resources::Resources;

pub(super) const RULE: Rule = Rule {
    code: "nodepool-shadowed",
    severity: Severity::Info,
    finds: "a NodePool that is only tried after one that can launch for every pod it could take",
    why: "Karpenter goes to the next NodePool only when the one before it cannot launch for the pod. Behind a pool \
          without limits that admits at least the same nodes, a pool is used only by pods that ask for it by name, \
          or when the cloud has nothing left for the first.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: first}
spec:
  weight: 50
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: second}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
      - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: first}
spec:
  weight: 50
  limits: {cpu: 64}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: second}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(own) = context.pool(manifest) else { return Vec::new() };
    let before =
        context.pools().iter().take_while(|other| other.pool.meta.name != own.pool.meta.name);
    let mut covering = before.filter(|other| {
        let higher = other.pool.weight.unwrap_or(0) > own.pool.weight.unwrap_or(0);
        higher && other.pool.limits.as_ref().is_none_or(Resources::is_empty) && other.covers(own)
    });
    let Some(first) = covering.next() else { return Vec::new() };
    let message = format!(
        "nodepool/{} has a higher weight, no limits, and admits every node that this pool would launch",
        first.pool.meta.name
    );
    let advice = "give the first pool limits, or this one labels or taints that its pods ask for";
    vec![Problem::new(FieldPath::of("spec.weight"), message, advice)]
}
