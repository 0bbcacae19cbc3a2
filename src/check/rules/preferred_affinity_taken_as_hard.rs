//! A preferred pod affinity, which Karpenter takes as required.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses::PREFERRED;

pub(super) const RULE: Rule = Rule {
    code: "preferred-affinity-taken-as-hard",
    severity: Severity::Info,
    finds: "a preferred pod affinity",
    why: "Karpenter takes a preferred pod affinity as required as long as it can launch a node for it, so it may \
          launch a node in the preferred place although there is room elsewhere. kube-scheduler only scores the rule \
          and may use that room after all.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: near}
spec:
  selector: {matchLabels: {app: near}}
  template:
    metadata: {labels: {app: near}}
    spec:
      affinity:
        podAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 60
            podAffinityTerm:
              topologyKey: topology.kubernetes.io/zone
              labelSelector: {matchLabels: {app: api}}
      containers:
      - {name: main, image: near, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: near}
spec:
  selector: {matchLabels: {app: near}}
  template:
    metadata: {labels: {app: near}}
    spec:
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - topologyKey: topology.kubernetes.io/zone
            labelSelector: {matchLabels: {app: api}}
      containers:
      - {name: main, image: near, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    if context.ignores_preferences() {
        return Vec::new();
    }
    let Some(affinity) = &template.spec.affinity.pod else { return Vec::new() };
    let path = template.spec_path("affinity.podAffinity").key(PREFERRED);
    let terms = affinity.preferred.iter().enumerate();
    terms
        .map(|(index, weighted)| {
            let message = format!(
                "Karpenter takes this preferred affinity by {} as required, kube-scheduler only scores it{}",
                weighted.term.topology_key,
                context.nodes_with_and_without(template)
            );
            Problem::new(path.index(index), message, "make it required if it matters, or leave it out")
        })
        .collect()
}
