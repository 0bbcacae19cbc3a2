//! A `ScheduleAnyway` spread, for which Karpenter launches nodes as if it were `DoNotSchedule`.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses;
use crate::model::labels;
use crate::model::spread::WhenUnsatisfiable;

pub(super) const RULE: Rule = Rule {
    code: "soft-spread-taken-as-hard",
    severity: Severity::Warning,
    finds: "a `ScheduleAnyway` spread over hosts or zones",
    why: "Karpenter enforces `ScheduleAnyway` like `DoNotSchedule` as long as it can launch a node for it: over hosts \
          that is up to one node a pod. kube-scheduler only scores the rule, so the pods often gather on the first \
          node that is ready, and consolidation removes the others.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: ScheduleAnyway
        labelSelector: {matchLabels: {app: web}}
      containers:
      - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: topology.kubernetes.io/zone
        whenUnsatisfiable: DoNotSchedule
        nodeTaintsPolicy: Honor
        minDomains: 3
        labelSelector: {matchLabels: {app: web}}
        matchLabelKeys: [pod-template-hash]
      containers:
      - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    if context.ignores_preferences() {
        return Vec::new();
    }
    let soft =
        template.spec.topology_spread_constraints.iter().enumerate().filter(|(_, spread)| {
            spread.when_unsatisfiable == WhenUnsatisfiable::ScheduleAnyway
                && [labels::HOSTNAME, labels::ZONE].contains(&&*spread.topology_key)
        });
    soft.map(|(index, spread)| {
        let over = if &*spread.topology_key == labels::HOSTNAME { "hosts" } else { "zones" };
        let message = format!(
            "Karpenter launches nodes as if this spread over {over} were DoNotSchedule, kube-scheduler only scores it{}",
            context.nodes_with_and_without(template)
        );
        let advice = "make it DoNotSchedule if it matters, leave it out if it does not, or run Karpenter with PREFERENCE_POLICY=Ignore";
        Problem::new(uses::spread(template, index).key("whenUnsatisfiable"), message, advice)
    })
    .collect()
}
