//! A pod that asks for more than any machine has.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::resources::Resources;

pub(super) const RULE: Rule = Rule {
    code: "request-too-large",
    severity: Severity::Error,
    finds: "a pod whose requests exceed every instance type of every NodePool",
    why: "Karpenter launches nothing for a pod that fits no instance type, after what the system and the \
          DaemonSets take. kube-scheduler keeps it pending for ever.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: v1
kind: Pod
metadata: {name: etl}
spec:
  containers:
  - {name: main, image: etl, resources: {requests: {cpu: 128, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: v1
kind: Pod
metadata: {name: etl}
spec:
  containers:
  - {name: main, image: etl, resources: {requests: {cpu: 3, memory: 1Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    let types: Vec<&Resources> =
        context.pools().iter().flat_map(|view| &view.allocatable).collect();
    if types.is_empty() {
        return Vec::new();
    }
    let asked = spec_requests(&template.spec, RequestRules::default());
    let mut problems = Vec::new();
    for (name, amount) in &asked {
        let largest = types.iter().map(|free| free.amount(name.as_str())).max().unwrap_or_default();
        if *amount > largest {
            let message = if largest.is_zero() {
                format!(
                    "the pod asks for {amount} {name}, which no instance type of any NodePool has"
                )
            } else {
                format!(
                    "the pod asks for {amount} {name}, the largest instance type of any NodePool has {largest} to give"
                )
            };
            problems.push(Problem::new(
                template.spec_path("containers"),
                message,
                "ask for less, or admit larger machines",
            ));
        }
    }
    let fits = |free: &&Resources| {
        asked.iter().all(|(name, amount)| *amount <= free.amount(name.as_str()))
    };
    if problems.is_empty() && !types.iter().any(fits) {
        let message = format!("no single instance type of any NodePool has all of {asked}");
        problems.push(Problem::new(
            template.spec_path("containers"),
            message,
            "ask for less, or admit larger machines",
        ));
    }
    problems
}
