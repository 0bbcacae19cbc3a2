//! Limits without requests, which count as requests.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::model::resources::{CPU, MEMORY};

pub(super) const RULE: Rule = Rule {
    code: "limits-without-requests",
    severity: Severity::Info,
    finds: "a limit of cpu or memory without a request",
    why: "The API server copies a limit into a request that is missing, so the pod reserves its whole limit. In a \
          DaemonSet that makes every node larger by it.",
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
      - {name: main, image: agent, resources: {limits: {cpu: 500m, memory: 500Mi}}}
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
      - {name: main, image: agent, resources: {requests: {cpu: 50m, memory: 200Mi}, limits: {cpu: 500m, memory: 500Mi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (field, count) in [
        ("initContainers", template.spec.init_containers.len()),
        ("containers", template.spec.containers.len()),
    ] {
        for index in 0..count {
            let path = template.spec_path(field).index(index).key("resources");
            let written =
                |list: &str, name| template.manifest.tree.at(&path.key(list).key(name)).is_some();
            let alone: Vec<&str> = [CPU, MEMORY]
                .into_iter()
                .filter(|name| written("limits", name) && !written("requests", name))
                .collect();
            if !alone.is_empty() {
                let message = format!(
                    "the limit of {} counts as the request too: the pod reserves all of it",
                    alone.join(" and ")
                );
                problems.push(Problem::new(
                    path.key("limits"),
                    message,
                    "state the request beside the limit",
                ));
            }
        }
    }
    problems
}
