//! A DaemonSet without a priority, whose pods may find their node full.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;

pub(super) const RULE: Rule = Rule {
    code: "daemonset-without-priority",
    severity: Severity::Warning,
    finds: "a DaemonSet without a priority above that of ordinary pods",
    why: "Karpenter keeps room for DaemonSets on a new node, but kube-scheduler does not know that. When ordinary pods \
          are bound first they may fill the node, and without a priority the DaemonSet's pod can displace none of \
          them: it stays pending on its only possible node.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers:
      - {name: main, image: agent, resources: {requests: {cpu: 50m, memory: 200Mi}}}
";

const GOOD: &str = "\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      priorityClassName: system-node-critical
      containers:
      - {name: main, image: agent, resources: {requests: {cpu: 50m, memory: 200Mi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    // A class that is nowhere to be seen may well be in the cluster.
    let has_class = template.spec.priority_class_name.is_some();
    if !template.is_daemon() || template.spec.priority.is_some_and(|priority| priority > 0) {
        return Vec::new();
    }
    let known_low = template
        .spec
        .priority_class_name
        .as_deref()
        .is_some_and(|name| context.priority_of_class(name).is_some_and(|value| value <= 0));
    if has_class && !known_low {
        return Vec::new();
    }
    vec![Problem::new(
        template.spec_path("priorityClassName"),
        "ordinary pods may fill a new node before this DaemonSet's pod is bound, and it can displace none of them",
        "set priorityClassName: system-node-critical, or a class of your own above that of ordinary pods",
    )]
}
