//! A preferred anti-affinity, for which Karpenter launches a node a pod.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses::PREFERRED;

pub(super) const RULE: Rule = Rule {
    code: "preferred-anti-affinity-taken-as-hard",
    severity: Severity::Warning,
    finds: "a preferred pod anti-affinity",
    why: "Karpenter takes a preferred anti-affinity as required as long as it can launch a node for it: pods that \
          would rather be apart get a node each. kube-scheduler only scores the rule, so the first node that is ready \
          may take them all, and consolidation then removes the empty ones.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: cache}
spec:
  replicas: 5
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 100
            podAffinityTerm:
              topologyKey: kubernetes.io/hostname
              labelSelector: {matchLabels: {app: cache}}
      containers:
      - {name: main, image: cache, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: cache}
spec:
  replicas: 5
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      topologySpreadConstraints:
      - maxSkew: 2
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: DoNotSchedule
        nodeTaintsPolicy: Honor
        labelSelector: {matchLabels: {app: cache}}
        matchLabelKeys: [pod-template-hash]
      containers:
      - {name: main, image: cache, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    if context.ignores_preferences() {
        return Vec::new();
    }
    let Some(anti) = &template.spec.affinity.pod_anti else { return Vec::new() };
    let path = template.spec_path("affinity.podAntiAffinity").key(PREFERRED);
    let terms = anti.preferred.iter().enumerate();
    terms
        .map(|(index, weighted)| {
            let message = format!(
                "Karpenter takes this preferred anti-affinity by {} as required, kube-scheduler only scores it{}",
                weighted.term.topology_key,
                context.nodes_with_and_without(template)
            );
            let advice = "make it required, or a DoNotSchedule spread with the skew you can live with, or leave it out";
            Problem::new(path.index(index), message, advice)
        })
        .collect()
}
