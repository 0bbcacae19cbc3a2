//! A hard spread that counts nodes whose taints the pod does not tolerate.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses;
use crate::model::labels;
use crate::model::spread::{NodeInclusionPolicy, WhenUnsatisfiable};

pub(super) const RULE: Rule = Rule {
    code: "hard-spread-counts-tainted-nodes",
    severity: Severity::Warning,
    finds: "a `DoNotSchedule` spread without `nodeTaintsPolicy: Honor`",
    why: "By default nodes that the pod can never enter, because it does not tolerate their taints, count as empty \
          places of the spread. The lowest count then stays at zero and the pod stays pending, although every node \
          that it may enter is evenly filled. It takes one tainted node in a zone, or one tainted host.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: DoNotSchedule
    labelSelector: {matchLabels: {app: web}}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: DoNotSchedule
    nodeTaintsPolicy: Honor
    labelSelector: {matchLabels: {app: web}}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    if !context.may_meet_taints(template) {
        return Vec::new();
    }
    let open =
        template.spec.topology_spread_constraints.iter().enumerate().filter(|(_, spread)| {
            spread.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule
                && [labels::HOSTNAME, labels::ZONE].contains(&&*spread.topology_key)
                && spread.node_taints_policy != Some(NodeInclusionPolicy::Honor)
        });
    open.map(|(index, spread)| {
        let place = if &*spread.topology_key == labels::HOSTNAME { "host" } else { "zone" };
        Problem::new(
            uses::spread(template, index),
            format!("a {place} whose nodes the pod does not tolerate counts as an empty place, so this spread may never be met"),
            "set nodeTaintsPolicy: Honor",
        )
    })
    .collect()
}
