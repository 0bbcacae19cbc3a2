//! A spread whose selector does not select the pod that has it.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses;

pub(super) const RULE: Rule = Rule {
    code: "spread-selector-misses-own-pod",
    severity: Severity::Error,
    finds: "a topology spread whose `labelSelector` does not select the pod itself, or is missing",
    why: "A spread counts the pods that its selector selects. If the pod is not among them, placing it changes no \
          count: every pod of the workload sees the same numbers and they all go to the same place. A spread without \
          a selector counts nothing.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app.kubernetes.io/name: web}}
spec:
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: DoNotSchedule
    labelSelector: {matchLabels: {app: web}}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app.kubernetes.io/name: web}}
spec:
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: DoNotSchedule
    minDomains: 3
    nodeTaintsPolicy: Honor
    labelSelector: {matchLabels: {app.kubernetes.io/name: web}}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let spreads = template.spec.topology_spread_constraints.iter().enumerate();
    let found = spreads.filter_map(|(index, spread)| {
        let message = match &spread.label_selector {
            None => "without a labelSelector this spread counts no pod, so it spreads nothing".to_owned(),
            Some(selector) if !selector.matches(&template.labels) => format!(
                "the selector {selector} does not select the pod itself (its labels: {}): placing it changes no count",
                template.labels
            ),
            Some(_) => return None,
        };
        let path = uses::spread(template, index).key("labelSelector");
        Some(Problem::new(path, message, "select labels that the pod's own template has"))
    });
    found.collect()
}
