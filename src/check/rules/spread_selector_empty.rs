//! A spread with an empty selector, which the two components read differently.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses;
use crate::model::selector::LabelSelector;

pub(super) const RULE: Rule = Rule {
    code: "spread-selector-empty",
    severity: Severity::Warning,
    finds: "a topology spread with the selector `{}`",
    why: "Karpenter takes an empty selector as every pod of the namespace. kube-scheduler counts none with it. The \
          node that Karpenter launches for the spread is thus not the one that kube-scheduler needs.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, minDomains: 3, nodeTaintsPolicy: Honor, labelSelector: {matchLabels: {app: web}}}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let spreads = template.spec.topology_spread_constraints.iter().enumerate();
    let empty = spreads
        .filter(|(_, spread)| spread.label_selector.as_ref().is_some_and(LabelSelector::is_empty));
    empty
        .map(|(index, _)| {
            Problem::new(
                uses::spread(template, index).key("labelSelector"),
                "Karpenter counts every pod of the namespace with an empty selector, kube-scheduler none",
                "select the labels of the pods that you mean",
            )
        })
        .collect()
}
