//! A NodePool whose NodeClass is not there.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::pools::class_of;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    code: "nodeclass-missing",
    severity: Severity::Error,
    finds: "a NodePool that refers to a NodeClass that is neither in the files nor in the cluster",
    why: "A NodePool without its NodeClass is not ready, and Karpenter leaves it out without a word to the pods \
          that wait for it.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: standard}
spec: {role: nodes}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
";

const GOOD: &str = "\
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec: {role: nodes}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(pool) = context.node_pool(manifest) else { return Vec::new() };
    let reference = &pool.template.node_class;
    let classes = &context.cluster.node_classes;
    // Files without any class leave it to others to make them.
    let can_tell = context.has_cluster || classes.iter().any(|class| class.kind == reference.kind);
    if !can_tell || class_of(&context.cluster, reference).is_some() {
        return Vec::new();
    }
    let kind = reference.kind.as_deref().unwrap_or("NodeClass");
    let name = reference.name.as_deref().unwrap_or_default();
    let message =
        format!("there is no {kind} {name}: the NodePool is not ready and launches nothing");
    vec![Problem::new(
        FieldPath::of("spec.template.spec.nodeClassRef"),
        message,
        "correct the name, or add the class",
    )]
}
