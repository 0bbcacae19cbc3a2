//! Pods that fit the planned nodes only as Karpenter packs them.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;

pub(super) const RULE: Rule = Rule {
    code: "plan-leaves-pods",
    severity: Severity::Warning,
    finds: "pods that kube-scheduler leaves pending on the nodes that Karpenter launches for them",
    why: "Karpenter packs pods tightly, the largest first, and launches nodes that are just large enough. kube- \
          scheduler knows nothing of that plan: it takes the pods as they come and spreads them over the emptiest \
          nodes. What is left is then split over several nodes, a large pod fits none of them, and another node is \
          launched for it.",
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
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge]}
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - {name: main, image: a, resources: {requests: {cpu: 1400m, memory: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: b}
spec:
  containers:
  - {name: main, image: b, resources: {requests: {cpu: 1400m, memory: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: c}
spec:
  containers:
  - {name: main, image: c, resources: {requests: {cpu: 1200m, memory: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: d}
spec:
  containers:
  - {name: main, image: d, resources: {requests: {cpu: 1400m, memory: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: large}
spec:
  containers:
  - {name: main, image: large, resources: {requests: {cpu: 2600m, memory: 1Gi}}}
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
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge]}
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - {name: main, image: a, resources: {requests: {cpu: 1, memory: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: b}
spec:
  containers:
  - {name: main, image: b, resources: {requests: {cpu: 1, memory: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: c}
spec:
  containers:
  - {name: main, image: c, resources: {requests: {cpu: 1, memory: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: d}
spec:
  containers:
  - {name: main, image: d, resources: {requests: {cpu: 1, memory: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: large}
spec:
  containers:
  - {name: main, image: large, resources: {requests: {cpu: 2, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    let Some((late, said)) = context.late(template) else { return Vec::new() };
    let message = format!(
        "on the nodes that Karpenter would launch for these files, kube-scheduler leaves {late} of its pods pending: {said}"
    );
    let advice = "choose requests that divide a node evenly, give large pods a priority above small ones, or keep headroom; for volumes, let the class say their zones";
    vec![Problem::new(template.path.clone(), message, advice)]
}
