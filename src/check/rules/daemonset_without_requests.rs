//! A DaemonSet that asks for nothing, so that no room is kept for it.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::model::resources::{CPU, MEMORY};

pub(super) const RULE: Rule = Rule {
    code: "daemonset-without-requests",
    severity: Severity::Warning,
    finds: "a DaemonSet whose container has no request for cpu or memory",
    why: "Karpenter sizes each new node for its pods and for the requests of the DaemonSets. What a DaemonSet does not \
          ask for is not kept free: its pods then take what the others were promised, and the kubelet evicts.",
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
      priorityClassName: system-node-critical
      containers:
      - {name: main, image: agent}
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

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    if !template.is_daemon() {
        return Vec::new();
    }
    let containers = template.spec.containers.iter().enumerate();
    let bare = containers.filter(|(_, container)| {
        [CPU, MEMORY].iter().any(|name| container.requests.get(name).is_none())
    });
    bare.map(|(index, _)| {
        Problem::new(
            template.spec_path("containers").index(index).then("resources.requests"),
            "Karpenter keeps no room on new nodes for what this DaemonSet does not ask for",
            "set requests for cpu and memory",
        )
    })
    .collect()
}
