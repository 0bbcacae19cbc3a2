//! A mere preference for nodes without a NodePool, for which Karpenter ignores the pod.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses;
use crate::model::labels;
use crate::model::selector::Operator;

pub(super) const RULE: Rule = Rule {
    code: "preference-excludes-karpenter",
    severity: Severity::Error,
    finds: "a preferred node affinity `karpenter.sh/nodepool DoesNotExist`",
    why: "Karpenter reads a pod's demands with its heaviest preference among them. If that one says that there must \
          be no NodePool, Karpenter leaves the pod out before it would give any preference up, and publishes no \
          event. When the other nodes are full the pod stays pending and nothing says why.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: prometheus}
spec:
  selector: {matchLabels: {app: prometheus}}
  template:
    metadata: {labels: {app: prometheus}}
    spec:
      affinity:
        nodeAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 50
            preference:
              matchExpressions:
              - {key: karpenter.sh/nodepool, operator: DoesNotExist}
      containers:
      - {name: main, image: prometheus, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: prometheus}
spec:
  selector: {matchLabels: {app: prometheus}}
  template:
    metadata: {labels: {app: prometheus}}
    spec:
      affinity:
        nodeAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 50
            preference:
              matchExpressions:
              - {key: example.com/group, operator: In, values: [static]}
      containers:
      - {name: main, image: prometheus, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let Some(affinity) = &template.spec.affinity.node else { return Vec::new() };
    // As upstream: the first of the heaviest counts.
    let terms = affinity.preferred.iter().enumerate();
    let Some((index, heaviest)) = terms.rev().max_by_key(|(_, term)| term.weight) else {
        return Vec::new();
    };
    let mut expressions = heaviest.preference.match_expressions.iter().enumerate();
    let found = expressions.find(|(_, expression)| {
        &*expression.key == labels::NODEPOOL && expression.operator == Operator::DoesNotExist
    });
    let Some((expression, _)) = found else { return Vec::new() };
    let path = uses::preferred_terms(template).index(index).then("preference.matchExpressions");
    vec![Problem::new(
        path.index(expression),
        "Karpenter never launches a node for this pod: it takes its heaviest preference as a demand to stay off its nodes, and publishes no event",
        "prefer a label that the other nodes carry, with operator In",
    )]
}
