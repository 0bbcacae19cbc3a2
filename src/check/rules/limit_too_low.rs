//! Limits of NodePools that leave pods of a workload without a node.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;

pub(super) const RULE: Rule = Rule {
    code: "limit-too-low",
    severity: Severity::Error,
    finds: "a workload for whose pods the limits of the NodePools do not suffice",
    why: "Karpenter launches no node that would exceed the limits of its NodePool. The pods beyond them stay \
          pending, and with one NodePool only its limit is given as the reason for every pending pod.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  limits: {cpu: 4}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: x, resources: {requests: {cpu: 1500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  limits: {cpu: 40}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: x, resources: {requests: {cpu: 1500m, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    let Some((without, pools)) = context.beyond_limits(template) else { return Vec::new() };
    let message = format!(
        "{without} of {} pods get no node: the limits of nodepool/{} are reached",
        template.replicas,
        pools.join(", nodepool/")
    );
    vec![Problem::new(template.path.clone(), message, "raise the limits, or ask for less")]
}
