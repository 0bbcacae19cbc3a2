//! A host port, of which each node has one.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;

pub(super) const RULE: Rule = Rule {
    code: "host-port-one-a-node",
    severity: Severity::Info,
    finds: "a workload of several pods with a `hostPort`",
    why: "A node has each port once, so every pod needs a node of its own: Karpenter launches one a pod, whatever \
          room is left. During a rollout the new pods need nodes beside those of the old.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: web, ports: [{containerPort: 8080, hostPort: 8080}], resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    if template.replicas < 2 {
        return Vec::new();
    }
    let mut problems = Vec::new();
    for (index, container) in template.spec.containers.iter().enumerate() {
        for (at, port) in container.ports.iter().enumerate().filter(|(_, port)| port.host_port != 0)
        {
            let message = format!(
                "host port {} exists once a node: {} pods need as many nodes",
                port.host_port, template.replicas
            );
            let path = template
                .spec_path("containers")
                .index(index)
                .key("ports")
                .index(at)
                .key("hostPort");
            problems.push(Problem::new(
                path,
                message,
                "use a Service, or a DaemonSet if one a node is what you mean",
            ));
        }
    }
    problems
}
