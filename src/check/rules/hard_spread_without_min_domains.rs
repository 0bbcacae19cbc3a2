//! A hard spread over zones that does not say how many zones there must be.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses;
use crate::model::labels;
use crate::model::spread::WhenUnsatisfiable;

pub(super) const RULE: Rule = Rule {
    code: "hard-spread-without-min-domains",
    severity: Severity::Info,
    finds: "a `DoNotSchedule` spread over zones without `minDomains`",
    why: "kube-scheduler knows only the zones that have a node. Where all nodes are in one zone it sees a perfect \
          spread and puts every pod there; Karpenter counts the zones that its NodePools could use, so the two \
          disagree until each zone has a node. `minDomains` tells kube-scheduler how many zones to expect.",
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
    topologyKey: topology.kubernetes.io/zone
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
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: DoNotSchedule
    nodeTaintsPolicy: Honor
    minDomains: 3
    labelSelector: {matchLabels: {app: web}}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let open =
        template.spec.topology_spread_constraints.iter().enumerate().filter(|(_, spread)| {
            spread.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule
                && &*spread.topology_key == labels::ZONE
                && spread.min_domains.is_none()
        });
    open.map(|(index, _)| {
        Problem::new(
            uses::spread(template, index),
            "without minDomains kube-scheduler counts only zones that have a node: with nodes in one zone, all pods go there",
            "set minDomains to the number of zones that you mean",
        )
    })
    .collect()
}
