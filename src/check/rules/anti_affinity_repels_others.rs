//! A required anti-affinity against other workloads, which works in both directions.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses::REQUIRED;

pub(super) const RULE: Rule = Rule {
    code: "anti-affinity-repels-others",
    severity: Severity::Info,
    finds: "a required anti-affinity that selects pods of another workload and not its own",
    why: "A required anti-affinity counts in both directions: the pods that it selects cannot enter a node, or \
          zone, where this pod runs, although nothing in their own manifests says so. When they stay pending, \
          every node looks free.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: guard}
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector: {matchLabels: {app: agent}}
  containers:
  - {name: main, image: guard, resources: {requests: {cpu: 500m, memory: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: agent, labels: {app: agent}}
spec:
  containers:
  - {name: main, image: agent, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: guard, labels: {app: guard}}
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector: {matchLabels: {app: guard}}
  containers:
  - {name: main, image: guard, resources: {requests: {cpu: 500m, memory: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: agent, labels: {app: agent}}
spec:
  containers:
  - {name: main, image: agent, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    let Some(anti) = &template.spec.affinity.pod_anti else { return Vec::new() };
    let path = template.spec_path("affinity.podAntiAffinity").key(REQUIRED);
    let terms = anti.required.iter().enumerate();
    terms
        .filter_map(|(index, term)| {
            let selector = term.label_selector.as_ref()?;
            if selector.matches(&template.labels) {
                return None;
            }
            let in_reach = |other: &Template| {
                other.namespace == template.namespace || term.namespaces.contains(&other.namespace)
            };
            let mut others = context.templates.iter().filter(|other| {
                in_reach(other) && selector.matches(&other.labels)
            });
            let first = others.next()?.manifest.title();
            let message = format!(
                "keeps {first} off wherever this pod runs, in both directions: nothing in that manifest says so"
            );
            Some(Problem::new(path.index(index), message, "say so in the other manifest too, or separate them by taints"))
        })
        .collect()
}
