//! A budget that never lets a pod go.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::model::workload::IntOrPercent;

pub(super) const RULE: Rule = Rule {
    code: "pdb-allows-no-disruption",
    severity: Severity::Warning,
    finds: "a PodDisruptionBudget that never allows a disruption",
    why: "Karpenter drains nodes by evicting pods. A budget that allows none keeps the node for ever: it is \
          neither consolidated nor replaced when it drifts, and an expiring node waits for its grace period.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: 3
  selector: {matchLabels: {app: web}}
";

const GOOD: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: web}}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let budgets = &context.decoded(manifest).pod_disruption_budgets;
    let Some(budget) = budgets.first() else { return Vec::new() };
    let advice = "allow at least one: maxUnavailable: 1";
    let never = "the budget never allows a disruption: nodes with these pods cannot be drained";
    match (&budget.max_unavailable, &budget.min_available) {
        (Some(IntOrPercent::Int(0)), _) => {
            return vec![Problem::new(FieldPath::of("spec.maxUnavailable"), never, advice)];
        }
        (Some(IntOrPercent::Text(text)), _) if &**text == "0%" => {
            return vec![Problem::new(FieldPath::of("spec.maxUnavailable"), never, advice)];
        }
        (_, Some(IntOrPercent::Text(text))) if &**text == "100%" => {
            return vec![Problem::new(FieldPath::of("spec.minAvailable"), never, advice)];
        }
        (_, Some(IntOrPercent::Int(least))) => {
            let selector = budget.selector.as_ref();
            let of_budget = context.templates.iter().filter(|template| {
                template.namespace == budget.meta.namespace
                    && selector.is_some_and(|selector| selector.matches(&template.labels))
            });
            let replicas: i64 = of_budget.map(|template| template.replicas).sum();
            if replicas > 0 && *least >= replicas {
                let message = format!("{least} of {replicas} pods must stay: {never}");
                return vec![Problem::new(FieldPath::of("spec.minAvailable"), message, advice)];
            }
        }
        _ => {}
    }
    Vec::new()
}
