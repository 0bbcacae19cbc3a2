//! A pod for which no NodePool can ever launch a node.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;

pub(super) const RULE: Rule = Rule {
    code: "no-nodepool-fits",
    severity: Severity::Error,
    finds: "a pod for which no NodePool can ever launch a node",
    why: "Each NodePool refuses the pod, whatever room there is: for its labels, taints, zones or sizes. Unless a \
          node that is there already has room, the pod stays pending.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
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
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelector: {example.com/team: payments}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    metadata: {labels: {example.com/team: payments}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelector: {example.com/team: payments}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    let Some(reason) = context.refusal(template) else { return Vec::new() };
    let message = format!("no NodePool can launch a node for it: {reason}");
    let advice = "compare its node selector, affinity, tolerations and requests with the NodePools";
    vec![Problem::new(template.spec_path(""), message, advice)]
}
