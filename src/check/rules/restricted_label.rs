//! A label that Karpenter lets no pod ask for.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::rule::{Look, Rule};
use crate::check::uses::Role;
use crate::model::labels;

pub(super) const RULE: Rule = Rule {
    code: "restricted-label",
    severity: Severity::Error,
    finds: "a demand for a label of Karpenter's own domain, such as `karpenter.sh/registered`",
    why: "Karpenter puts these labels on nodes itself and lets no pod and no NodePool ask for them, the well known ones \
          apart. kube-scheduler accepts the demand where nodes carry the label, but Karpenter ignores the pod and \
          never launches a node for it.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: profiler}
spec:
  nodeSelector: {karpenter.sh/registered: \"true\"}
  containers:
  - {name: main, image: profiler, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: profiler}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: karpenter.sh/nodepool, operator: Exists}
  containers:
  - {name: main, image: profiler, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let demands = context.label_uses(manifest).into_iter().filter(|used| {
        let key = &*used.expression.key;
        used.role == Role::Required && key != labels::HOSTNAME && context.is_restricted(key)
    });
    demands
        .map(|used| {
            let message = format!(
                "Karpenter allows nobody to ask for {}: it never launches a node for this",
                used.expression.key
            );
            Problem::new(
                used.path,
                message,
                "use karpenter.sh/nodepool, with operator Exists for any node of Karpenter's",
            )
        })
        .collect()
}
