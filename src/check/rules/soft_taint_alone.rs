//! A taint that only prefers to keep pods away.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::model::taint::Effect;

pub(super) const RULE: Rule = Rule {
    code: "soft-taint-alone",
    severity: Severity::Warning,
    finds: "a NodePool with a `PreferNoSchedule` taint",
    why: "Karpenter takes `PreferNoSchedule` like `NoSchedule` and gives it up last of all preferences, so it \
          launches other nodes while these have room. kube-scheduler only scores the taint and may fill them with \
          any pod.",
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
      taints: [{key: example.com/batch, effect: PreferNoSchedule}]
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      taints: [{key: example.com/batch, effect: NoSchedule}]
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: v1
kind: Pod
metadata: {name: batch}
spec:
  tolerations: [{key: example.com/batch, operator: Exists}]
  containers:
  - {name: main, image: batch, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(pool) = context.node_pool(manifest) else { return Vec::new() };
    let taints = pool.template.taints.iter().enumerate();
    taints
        .filter(|(_, taint)| taint.effect == Effect::PreferNoSchedule)
        .map(|(index, taint)| {
            let message = format!("Karpenter takes {taint} like NoSchedule until nothing else helps, kube-scheduler only scores it");
            let path = FieldPath::of("spec.template.spec.taints").index(index).key("effect");
            Problem::new(path, message, "use NoSchedule with tolerations, or no taint")
        })
        .collect()
}
