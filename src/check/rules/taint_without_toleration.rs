//! A taint that no pod tolerates.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::model::taint::{Effect, Taint};
use crate::model::workload::WorkloadKind;

pub(super) const RULE: Rule = Rule {
    code: "taint-without-toleration",
    severity: Severity::Warning,
    finds: "a taint of a NodePool that no workload tolerates",
    why: "A NodePool launches nodes only for pods that tolerate all of its taints. When no workload does, the pool \
          is never used; often key, value or effect of the toleration differ by a letter.",
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
      taints: [{key: example.com/gpu, value: \"true\", effect: NoSchedule}]
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  containers:
  - {name: main, image: train, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      taints: [{key: example.com/gpu, value: \"true\", effect: NoSchedule}]
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  tolerations: [{key: example.com/gpu, value: \"true\", effect: NoSchedule}]
  containers:
  - {name: main, image: train, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(pool) = context.node_pool(manifest) else { return Vec::new() };
    let cluster = &context.cluster;
    let workloads = || cluster.workloads.iter().filter(|one| one.kind != WorkloadKind::DaemonSet);
    if workloads().next().is_none() && cluster.pods.is_empty() {
        return Vec::new();
    }
    let is_tolerated = |taint: &Taint| {
        let by_workload = workloads().any(|one| {
            one.template.spec.tolerations.iter().any(|toleration| toleration.tolerates(taint))
        });
        by_workload || cluster.pods.iter().any(|pod| !pod.is_daemon() && pod.tolerates(taint))
    };
    let taints = pool.template.taints.iter().enumerate();
    taints
        .filter(|(_, taint)| taint.effect != Effect::PreferNoSchedule && !is_tolerated(taint))
        .map(|(index, taint)| {
            let place = if context.has_cluster { "in the cluster" } else { "in these files" };
            let message = format!("no workload {place} tolerates {taint}: the pool is never used");
            let path = FieldPath::of("spec.template.spec.taints").index(index);
            Problem::new(
                path,
                message,
                "compare key, value and effect with the tolerations that are meant",
            )
        })
        .collect()
}
