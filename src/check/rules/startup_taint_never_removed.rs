//! A startup taint that nothing takes away.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::model::workload::WorkloadKind;

pub(super) const RULE: Rule = Rule {
    code: "startup-taint-never-removed",
    severity: Severity::Warning,
    finds: "a startup taint of a NodePool that no DaemonSet tolerates by its key",
    why: "Karpenter expects startup taints to go away and plans pods on the node as if they had. If nothing \
          removes the taint, kube-scheduler refuses the node for ever, Karpenter goes on planning pods on it and \
          launches no other, and the node is never initialized.",
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
      startupTaints: [{key: example.com/cache-not-ready, value: \"true\", effect: NoSchedule}]
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
      startupTaints: [{key: example.com/cache-not-ready, value: \"true\", effect: NoSchedule}]
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: cache}
spec:
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      priorityClassName: system-node-critical
      tolerations: [{key: example.com/cache-not-ready, operator: Exists}]
      containers:
      - {name: main, image: cache, resources: {requests: {cpu: 50m, memory: 200Mi}}}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(pool) = context.node_pool(manifest) else { return Vec::new() };
    let daemons =
        || context.cluster.workloads.iter().filter(|one| one.kind == WorkloadKind::DaemonSet);
    let mut problems = Vec::new();
    for (index, taint) in pool.template.startup_taints.iter().enumerate() {
        // Only a DaemonSet runs on a node that is not ready for others; one that tolerates everything may be meant.
        let removed = daemons().any(|daemon| {
            daemon.template.spec.tolerations.iter().any(|toleration| toleration.tolerates(taint))
        });
        if !removed {
            let place = if context.has_cluster { "in the cluster" } else { "in these files" };
            let message = format!(
                "no DaemonSet {place} tolerates the startup taint {taint}, so nothing is seen that could remove it: pods are planned on the node and never get there"
            );
            let path = FieldPath::of("spec.template.spec.startupTaints").index(index);
            problems.push(Problem::new(path, message, "deploy what removes the taint, or drop it"));
        }
    }
    problems
}
