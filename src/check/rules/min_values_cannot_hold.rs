//! A `minValues` above what there is.

use crate::check::context::Context;
use crate::check::context::expression_of;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::pools::admits_value;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::model::names::Str;
use crate::model::selector::Operator;
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    code: "min-values-cannot-hold",
    severity: Severity::Error,
    finds: "a requirement whose `minValues` is above the number of values that can be had",
    why: "`minValues` asks that the machines of a claim leave that many values to choose from. With fewer there is \
          nothing to launch: under the default policy Strict the NodePool is left out, for every pod.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
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
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m5.xlarge], minValues: 3}
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
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m5.xlarge], minValues: 2}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(view) = context.pool(manifest) else { return Vec::new() };
    let path = FieldPath::of("spec.template.spec.requirements");
    let mut problems = Vec::new();
    for (index, requirement) in view.pool.template.requirements.iter().enumerate() {
        let Some(wanted) = requirement.min_values else { continue };
        let wish = expression_of(requirement);
        let available: Option<BTreeSet<&Str>> = if view.all_types.is_empty() {
            (requirement.operator == Operator::In).then(|| requirement.values.iter().collect())
        } else {
            let of_types = view.types().flat_map(|one| &one.requirements);
            let of_key = of_types.filter(|possible| possible.key == requirement.key);
            let values = of_key.flat_map(|possible| &possible.values);
            Some(values.filter(|value| admits_value(&wish, value)).collect())
        };
        let count = available.map(|values| values.len());
        if let Some(count) =
            count.filter(|count| i64::try_from(*count).is_ok_and(|count| count < wanted))
        {
            let message = format!(
                "minValues is {wanted}, but {} has only {count} values here",
                requirement.key
            );
            problems.push(Problem::new(
                path.index(index).key("minValues"),
                message,
                "admit more values, or lower minValues",
            ));
        }
    }
    problems
}
