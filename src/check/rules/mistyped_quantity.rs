//! An amount that is surely not meant.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::model::quantity::Quantity;
use crate::model::resources::{CPU, MEMORY};

pub(super) const RULE: Rule = Rule {
    code: "mistyped-quantity",
    severity: Severity::Error,
    finds: "a request or limit of memory in thousandths of a byte, or of cpu in the thousands",
    why: "`memory: 512m` is half a byte, and `cpu: 500` is five hundred cores: a suffix was mixed up. The first \
          lets any number of pods share a node until the kernel kills them, the second fits no machine.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 512m}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 512Mi}}}
";

fn look(_: &Context, template: &Template) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (field, containers) in [
        ("initContainers", &template.spec.init_containers),
        ("containers", &template.spec.containers),
    ] {
        for (index, container) in containers.iter().enumerate() {
            for (list, amounts) in
                [("limits", &container.limits), ("requests", &container.requests)]
            {
                for (name, amount) in amounts {
                    let Some(meant) = meant(name.as_str(), *amount) else { continue };
                    let path = template
                        .spec_path(field)
                        .index(index)
                        .key("resources")
                        .key(list)
                        .key(name.as_str());
                    if template.manifest.tree.at(&path).is_some() {
                        problems.push(Problem::new(
                            path,
                            format!("{amount} {name} is surely not meant"),
                            meant,
                        ));
                    }
                }
            }
        }
    }
    problems
}

/// What was probably meant by an amount that makes no sense.
fn meant(name: &str, amount: Quantity) -> Option<&'static str> {
    match name {
        MEMORY if !amount.is_zero() && amount < Quantity::bytes(1 << 20) => {
            Some("write Mi or Gi for memory")
        }
        CPU if amount >= Quantity::units(400) => Some("write m for thousandths of a core"),
        _ => None,
    }
}
