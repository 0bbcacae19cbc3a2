//! A pod that asks for one host by name.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses::{self, Role};
use crate::model::labels;

pub(super) const RULE: Rule = Rule {
    code: "hostname-pinned",
    severity: Severity::Error,
    finds: "a demand for `kubernetes.io/hostname`, or `nodeName`",
    why: "No new node can have a name that is known before. Karpenter ignores a pod that asks for a hostname in its \
          node selector or in any of its required terms, so once that node is gone the pod stays pending. `nodeName` \
          passes kube-scheduler by as well.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: db}
spec:
  nodeSelector: {kubernetes.io/hostname: ip-10-0-1-7}
  containers:
  - {name: main, image: db, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: db}
spec:
  nodeSelector: {topology.kubernetes.io/zone: us-east-1a}
  containers:
  - {name: main, image: db, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let advice = "ask for what makes the place right: a zone, a label, the volume's own topology";
    let mut problems: Vec<Problem> = uses::of_template(template)
        .into_iter()
        .filter(|used| used.role == Role::Required && &*used.expression.key == labels::HOSTNAME)
        .map(|used| {
            let message =
                "Karpenter ignores a pod that asks for a hostname: no new node can have it";
            Problem::new(used.path, message, advice)
        })
        .collect();
    // What runs already has its node's name from kube-scheduler.
    if template.field("nodeName").is_some() && template.manifest.field("metadata.uid").is_none() {
        let message =
            "nodeName passes kube-scheduler by: no filter is asked, and no node is launched";
        problems.push(Problem::new(template.spec_path("nodeName"), message, advice));
    }
    problems
}
