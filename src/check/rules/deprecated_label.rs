//! A label of nodes under its old name.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    code: "deprecated-label",
    severity: Severity::Warning,
    finds: "a label of nodes that was replaced, such as `beta.kubernetes.io/arch`",
    why: "Karpenter translates the old names of labels; kube-scheduler does not, and newer nodes may not carry them. \
          Under an old name the two may see different nodes.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

/// Labels and what took their place.
pub(super) const REPLACED: [(&str, &str); 6] = [
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("karpenter.sh/provisioner-name", "karpenter.sh/nodepool"),
];

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelector: {beta.kubernetes.io/arch: amd64}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelector: {kubernetes.io/arch: amd64}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let uses = context.label_uses(manifest);
    let found = uses.into_iter().filter_map(|used| {
        let (_, new) = REPLACED.iter().find(|(old, _)| *old == &*used.expression.key)?;
        Some(Problem::new(
            used.path,
            format!(
                "{} was replaced by {new}: nodes need not carry the old label",
                used.expression.key
            ),
            format!("use {new}"),
        ))
    });
    found.collect()
}
