//! A container that asks for nothing.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::model::resources::{CPU, MEMORY};

pub(super) const RULE: Rule = Rule {
    code: "requests-missing",
    severity: Severity::Warning,
    finds: "a container without a request for cpu or memory",
    why: "Both components count requests only. A pod that asks for nothing fits on any node, so Karpenter launches the \
          smallest and cheapest machine for any number of such pods, and kube-scheduler packs them by assumed values.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: main, image: web}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let whole =
        |name| template.spec.pod_requests.as_ref().is_some_and(|pod| pod.get(name).is_some());
    if template.is_daemon() {
        return Vec::new();
    }
    let containers = template.spec.containers.iter().enumerate();
    containers
        .filter_map(|(index, container)| {
            let missing: Vec<&str> = [CPU, MEMORY]
                .into_iter()
                .filter(|name| container.requests.get(name).is_none() && !whole(name))
                .collect();
            let path = template.spec_path("containers").index(index).then("resources.requests");
            let message = format!(
                "without a request for {} the pod fits on any node, however full or small",
                missing.join(" and ")
            );
            (!missing.is_empty()).then(|| Problem::new(path, message, "set resources.requests"))
        })
        .collect()
}
