//! `matchFields` in a required node affinity, for which Karpenter refuses the pod.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses;

pub(super) const RULE: Rule = Rule {
    code: "match-fields-refused",
    severity: Severity::Error,
    finds: "`matchFields` in a required node affinity",
    why: "Karpenter refuses a pod that has `matchFields` in any of its required terms, also when another term would \
          fit: it launches nothing for it. kube-scheduler knows the field, and uses it for DaemonSets.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: debug}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchFields:
          - {key: metadata.name, operator: In, values: [ip-10-0-1-7]}
  containers:
  - {name: main, image: debug, resources: {requests: {cpu: 100m, memory: 128Mi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: debug}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}
  containers:
  - {name: main, image: debug, resources: {requests: {cpu: 100m, memory: 128Mi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let required = template.spec.affinity.node.iter().flat_map(|node| &node.required).flatten();
    let terms = required.enumerate().filter(|(_, term)| term.match_fields.is_some());
    terms
        .map(|(index, _)| {
            Problem::new(
                uses::required_terms(template).index(index).key("matchFields"),
                "Karpenter refuses pods with matchFields: it launches nothing for them",
                "use matchExpressions over labels of nodes",
            )
        })
        .collect()
}
