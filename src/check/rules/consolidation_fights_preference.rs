//! Quick consolidation of nodes that were launched for a mere preference.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::model::spread::WhenUnsatisfiable;

pub(super) const RULE: Rule = Rule {
    code: "consolidation-fights-preference",
    severity: Severity::Warning,
    finds: "a NodePool that consolidates within five minutes, while pods have soft spreads or preferred anti- \
          affinity",
    why: "Karpenter launches nodes for soft rules that kube-scheduler then does not follow. The nodes that stay \
          empty are consolidated after `consolidateAfter`, and the next rollout launches them again. A short time \
          makes that a cycle of launching and removing.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 30s}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cache}
spec:
  replicas: 3
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 100
            podAffinityTerm:
              topologyKey: kubernetes.io/hostname
              labelSelector: {matchLabels: {app: cache}}
      containers:
      - {name: main, image: cache, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 30s}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: v1
kind: Pod
metadata: {name: cache}
spec:
  containers:
  - {name: main, image: cache, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(pool) = context.node_pool(manifest) else { return Vec::new() };
    // The default of the API is not to wait at all.
    let after = pool.disruption.consolidate_after.as_deref().unwrap_or("0s");
    let is_quick = seconds(after).is_some_and(|seconds| seconds < 300);
    if !is_quick || context.ignores_preferences() {
        return Vec::new();
    }
    let soft: Vec<String> = context
        .templates
        .iter()
        .filter(|template| has_soft_rules(template))
        .map(|template| template.manifest.title())
        .collect();
    let Some(first) = soft.first() else { return Vec::new() };
    let others = match soft.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let message = format!(
        "nodes launched for the soft rules of {first}{others} may stay empty and are removed after {after}, to be launched again at the next rollout"
    );
    let advice = "wait longer, or say what is meant: hard rules, none, or PREFERENCE_POLICY=Ignore";
    vec![Problem::new(FieldPath::of("spec.disruption.consolidateAfter"), message, advice)]
}

fn has_soft_rules(template: &Template) -> bool {
    let spreads = &template.spec.topology_spread_constraints;
    let soft = |one: &crate::model::spread::TopologySpreadConstraint| {
        one.when_unsatisfiable == WhenUnsatisfiable::ScheduleAnyway
    };
    let anti = template.spec.affinity.pod_anti.as_ref();
    spreads.iter().any(soft) || anti.is_some_and(|anti| !anti.preferred.is_empty())
}

/// The seconds of a duration as Go writes it, such as `1m30s`; none for `Never`.
fn seconds(text: &str) -> Option<u64> {
    let (mut total, mut number) = (0, String::new());
    for letter in text.chars() {
        if letter.is_ascii_digit() {
            number.push(letter);
            continue;
        }
        let unit = match letter {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            _ => return None,
        };
        total += number.parse::<u64>().ok()? * unit;
        number.clear();
    }
    number.is_empty().then_some(total)
}
