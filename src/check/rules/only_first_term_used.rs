//! Several required node affinity terms, of which Karpenter uses the first as long as it fits.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses;

pub(super) const RULE: Rule = Rule {
    code: "only-first-term-used",
    severity: Severity::Warning,
    finds: "several required node affinity terms",
    why: "`nodeSelectorTerms` are alternatives for kube-scheduler. Karpenter uses the first one only and drops it for \
          good when it does not fit: it neither compares prices among them nor goes back, and all of them are dropped \
          before any preference is.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}
        - matchExpressions:
          - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1b]}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a, us-east-1b]}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let terms = template.spec.affinity.node.iter().flat_map(|affinity| &affinity.required);
    let count = terms.map(Vec::len).sum::<usize>();
    if count < 2 {
        return Vec::new();
    }
    vec![Problem::new(
        uses::required_terms(template).index(0),
        format!(
            "Karpenter uses only this one of {count} alternatives as long as a node can be launched for it"
        ),
        "put the acceptable values into one term, and the one you would rather have first",
    )]
}
