//! Several preferred node affinity terms, of which Karpenter takes the heaviest and never tries the next.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses;

pub(super) const RULE: Rule = Rule {
    code: "fallback-preference-never-tried",
    severity: Severity::Warning,
    finds: "several preferred node affinity terms",
    why: "Of a pod's preferred node affinity terms Karpenter takes only the heaviest, as a requirement of the node \
          that it launches. It goes on to the next one only when its simulation fails, not when the cloud has no such \
          machine left: a fallback in the manifest is not tried while the first choice is sold out.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: encoder}
spec:
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        preference:
          matchExpressions:
          - {key: node.kubernetes.io/instance-type, operator: In, values: [m6i.large]}
      - weight: 80
        preference:
          matchExpressions:
          - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}
  containers:
  - {name: main, image: encoder, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: encoder}
spec:
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        preference:
          matchExpressions:
          - {key: node.kubernetes.io/instance-type, operator: In, values: [m6i.large, m5.large]}
  containers:
  - {name: main, image: encoder, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    if context.ignores_preferences() {
        return Vec::new();
    }
    let Some(affinity) = &template.spec.affinity.node else { return Vec::new() };
    let terms = affinity.preferred.iter().enumerate();
    let Some((heaviest, _)) = terms.rev().max_by_key(|(_, term)| term.weight) else {
        return Vec::new();
    };
    if affinity.preferred.len() < 2 {
        return Vec::new();
    }
    let others = affinity.preferred.len() - 1;
    vec![Problem::new(
        uses::preferred_terms(template).index(heaviest),
        format!(
            "Karpenter launches by this preference alone, the heaviest of {}: the other {others} are not tried while the cloud is out of machines for it",
            affinity.preferred.len()
        ),
        "put all acceptable values into one term, or leave the choice to NodePools with weights",
    )]
}
