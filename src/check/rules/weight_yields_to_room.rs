//! Room on nodes of a lighter NodePool, which is taken before the heavier one is asked.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;

pub(super) const RULE: Rule = Rule {
    code: "weight-yields-to-room",
    severity: Severity::Info,
    finds: "a workload whose pods find room on nodes of a NodePool that weighs less than the one that would launch for them",
    why: "Weights order NodePools only when Karpenter launches a node. They do not rank nodes that are there, and \
          kube-scheduler knows nothing of them: while a node of a lighter pool has room, it gets the pod and \
          Karpenter is never asked.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: cheap}
spec:
  weight: 100
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: large}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.2xlarge]}
---
apiVersion: v1
kind: Node
metadata:
  name: ip-10-0-1-7
  labels: {karpenter.sh/nodepool: large, kubernetes.io/hostname: ip-10-0-1-7, topology.kubernetes.io/zone: us-east-1a}
status:
  allocatable: {cpu: 8, memory: 30Gi, pods: 110}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: cheap}
spec:
  weight: 100
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: large}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.2xlarge]}
---
apiVersion: v1
kind: Node
metadata:
  name: ip-10-0-1-7
  labels: {karpenter.sh/nodepool: large, kubernetes.io/hostname: ip-10-0-1-7, topology.kubernetes.io/zone: us-east-1a}
status:
  allocatable: {cpu: 8, memory: 30Gi, pods: 110}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {karpenter.sh/nodepool: cheap}
      containers:
      - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    let Some(found) = context.on_lighter_pools(template) else { return Vec::new() };
    let message = format!(
        "{} of its {} pods find room on nodes of nodepool/{} that are there; nodepool/{}, which weighs more, is asked for none of them",
        found.pods,
        template.replicas,
        found.pools.join(", nodepool/"),
        found.heavier
    );
    let advice = format!(
        "where it matters, ask for it: nodeSelector karpenter.sh/nodepool: {}, or a label that only its nodes carry",
        found.heavier
    );
    vec![Problem::new(template.path.clone(), message, advice)]
}
