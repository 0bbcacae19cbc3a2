//! Pods of another scheduler, whose rules Karpenter does not know.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;

pub(super) const RULE: Rule = Rule {
    code: "custom-scheduler",
    severity: Severity::Warning,
    finds: "a `schedulerName` other than `default-scheduler`",
    why: "Karpenter provisions for pods of any scheduler and simulates them by the default rules. Where the other \
          scheduler refuses a node for a rule of its own, Karpenter goes on saying that the pod should go there and \
          launches nothing; where it packs differently, Karpenter launches too much.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: etl}
spec:
  schedulerName: density-scheduler
  containers:
  - {name: main, image: etl, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: etl}
spec:
  containers:
  - {name: main, image: etl, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let scheduler = &template.spec.scheduler_name.0;
    if &**scheduler == "default-scheduler" {
        return Vec::new();
    }
    vec![Problem::new(
        template.spec_path("schedulerName"),
        format!(
            "Karpenter simulates this pod by the default rules, not by those of {scheduler}; neither can this check"
        ),
        "put the rules that matter into fields that both know: affinity, spread, resources",
    )]
}
