//! Pods that ask for devices by claims, which Karpenter sets aside.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;

pub(super) const RULE: Rule = Rule {
    code: "dra-claim-ignored",
    severity: Severity::Error,
    finds: "a pod with `resourceClaims`, while Karpenter ignores dynamic resource allocation",
    why: "By default Karpenter sets pods with resource claims aside: it launches no node for them, whatever else they \
          ask for. kube-scheduler places them only on nodes that already offer the devices.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: llm}
spec:
  resourceClaims:
  - {name: gpu, resourceClaimTemplateName: one-gpu}
  containers:
  - {name: main, image: llm, resources: {requests: {cpu: 500m, memory: 1Gi}, claims: [{name: gpu}]}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: llm}
spec:
  containers:
  - {name: main, image: llm, resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {nvidia.com/gpu: 1}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    if !context.settings.ignore_dra_requests || template.spec.resource_claims.is_empty() {
        return Vec::new();
    }
    vec![Problem::new(
        template.spec_path("resourceClaims"),
        "Karpenter sets pods with resource claims aside and launches no node for them",
        "ask for the device plugin's resource, or keep nodes with the devices by other means",
    )]
}
