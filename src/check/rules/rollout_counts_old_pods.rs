//! A hard rule over a Deployment's own pods that also counts those of the previous rollout.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::check::uses::{self, REQUIRED};
use crate::model::labels::Labels;
use crate::model::names::Str;
use crate::model::selector::LabelSelector;
use crate::model::spread::WhenUnsatisfiable;

/// The label by which a Deployment tells its rollouts apart.
const HASH: &str = "pod-template-hash";

pub(super) const RULE: Rule = Rule {
    code: "rollout-counts-old-pods",
    severity: Severity::Warning,
    finds: "a hard spread or a required anti-affinity of a Deployment over its own pods, without `matchLabelKeys: \
            [pod-template-hash]`",
    why: "During a rollout the old pods count too. A spread that is even over old and new pods together is uneven \
          over the new ones once the old are gone. With a required anti-affinity the new pods cannot enter the nodes \
          of the old, so Karpenter launches nodes for them; a moment later the old pods are gone, kube-scheduler uses \
          their room, and the new nodes stay empty.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - topologyKey: kubernetes.io/hostname
            labelSelector: {matchLabels: {app: web}}
      containers:
      - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - topologyKey: kubernetes.io/hostname
            labelSelector: {matchLabels: {app: web}}
            matchLabelKeys: [pod-template-hash]
      containers:
      - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    if !template.rolls_out() {
        return Vec::new();
    }
    let mut problems = Vec::new();
    for (index, spread) in template.spec.topology_spread_constraints.iter().enumerate() {
        let is_hard = spread.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule;
        if is_hard
            && counts_old(
                &spread.match_label_keys,
                spread.label_selector.as_ref(),
                &template.labels,
            )
        {
            problems.push(problem(uses::spread(template, index), "this spread"));
        }
    }
    let anti = template.spec.affinity.pod_anti.iter().flat_map(|anti| &anti.required);
    for (index, term) in anti.enumerate() {
        if counts_old(&term.match_label_keys, term.label_selector.as_ref(), &template.labels) {
            let path = template.spec_path("affinity.podAntiAffinity").key(REQUIRED).index(index);
            problems.push(problem(path, "this anti-affinity"));
        }
    }
    problems
}

/// Whether a rule counts the pods of the previous rollout: it selects the pod itself, whatever its hash.
fn counts_old(keys: &[Str], selector: Option<&LabelSelector>, own: &Labels) -> bool {
    let any_hash = own.with([(HASH.into(), "another".into())]);
    keys.iter().all(|key| &**key != HASH)
        && selector.is_some_and(|selector| selector.matches(own) && selector.matches(&any_hash))
}

fn problem(path: FieldPath, what: &str) -> Problem {
    Problem::new(
        path,
        format!(
            "during a rollout {what} counts the old pods too: new pods are kept off places that are about to be free"
        ),
        "add matchLabelKeys: [pod-template-hash]",
    )
}
