//! A preferred node affinity that no NodePool can meet.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses;
use crate::model::labels;
use crate::model::selector::Operator;

pub(super) const RULE: Rule = Rule {
    code: "preference-never-met",
    severity: Severity::Warning,
    finds: "a preferred node affinity term that no NodePool can meet",
    why: "Karpenter takes the heaviest preference as a demand, finds no NodePool for it and gives it up, again for \
          each pod and in each round. The preference steers nothing; where another term of less weight could be \
          met, that one is tried only afterwards.",
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
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        preference:
          matchExpressions:
          - {key: kubernetes.io/arch, operator: In, values: [arm64]}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
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
      - {key: kubernetes.io/arch, operator: In, values: [amd64, arm64]}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        preference:
          matchExpressions:
          - {key: kubernetes.io/arch, operator: In, values: [arm64]}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    if context.ignores_preferences() {
        return Vec::new();
    }
    let Some(affinity) = &template.spec.affinity.node else { return Vec::new() };
    if context.pools().is_empty() {
        return Vec::new();
    }
    let terms = affinity.preferred.iter().enumerate();
    terms
        .filter(|(_, term)| {
            let wished = &term.preference.match_expressions;
            // The wish to stay off Karpenter's nodes is another rule's.
            let off = |one: &crate::model::selector::Expression| {
                &*one.key == labels::NODEPOOL && one.operator == Operator::DoesNotExist
            };
            let by_node =
                context.cluster.nodes.iter().any(|node| {
                    wished.iter().all(|expression| expression.matches(&node.meta.labels))
                });
            !wished.iter().any(off)
                && !by_node
                && !context.pools().iter().any(|view| view.can_meet(wished))
        })
        .map(|(index, term)| {
            let wished: Vec<String> =
                term.preference.match_expressions.iter().map(ToString::to_string).collect();
            let message = format!(
                "no NodePool can launch a node with {}: the preference is always given up",
                wished.join(", ")
            );
            let path = uses::preferred_terms(template).index(index);
            Problem::new(path, message, "prefer what a NodePool offers, or let a NodePool offer it")
        })
        .collect()
}
