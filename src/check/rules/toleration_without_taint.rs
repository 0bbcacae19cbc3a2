//! A toleration that no taint needs.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::model::taint::Toleration;

pub(super) const RULE: Rule = Rule {
    code: "toleration-without-taint",
    severity: Severity::Info,
    finds: "a toleration for a taint that no NodePool and no node has",
    why: "A toleration attracts nothing. One without a taint is either left over or differs by a letter from the \
          taint that is meant; the pod then does not get where it should.",
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
      taints: [{key: example.com/gpu, effect: NoSchedule}]
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  tolerations:
  - {key: example.com/gpu, operator: Exists}
  - {key: example.com/gpus, operator: Exists}
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
      taints: [{key: example.com/gpu, effect: NoSchedule}]
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  tolerations:
  - {key: example.com/gpu, operator: Exists}
  containers:
  - {name: main, image: train, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

/// Domains of taints that Kubernetes, Karpenter and device plugins put on nodes by themselves.
const BUILT_IN: [&str; 9] = [
    "kubernetes.io",
    "k8s.io",
    "karpenter.sh",
    "karpenter.k8s.aws",
    "eks.amazonaws.com",
    "kubernetes.azure.com",
    "nvidia.com",
    "amd.com",
    "aws.amazon.com",
];

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    let cluster = &context.cluster;
    if cluster.node_pools.is_empty() || template.is_daemon() {
        return Vec::new();
    }
    let of_pools = || {
        let templates = cluster.node_pools.iter().map(|pool| &pool.template);
        templates.flat_map(|one| one.taints.iter().chain(&one.startup_taints))
    };
    let is_needed = |toleration: &Toleration| {
        of_pools().any(|taint| toleration.tolerates(taint))
            || context.node_taints().iter().any(|taint| toleration.tolerates(taint))
    };
    let tolerations = template.spec.tolerations.iter().enumerate();
    tolerations
        .filter(|(_, toleration)| !is_built_in(&toleration.key) && !is_needed(toleration))
        .map(|(index, toleration)| {
            let message = format!(
                "no NodePool and no node has a taint that this toleration of {} is for",
                toleration.key
            );
            let path = template.spec_path("tolerations").index(index);
            Problem::new(
                path,
                message,
                "compare key, value and effect with the taint that is meant, or drop it",
            )
        })
        .collect()
}

fn is_built_in(key: &str) -> bool {
    if key.is_empty() || key == "CriticalAddonsOnly" {
        return true;
    }
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    BUILT_IN.iter().any(|known| {
        domain == *known || domain.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'))
    })
}
