//! Where a template or a NodePool names labels and values of nodes.

use crate::model::names::Str;
use crate::model::selector::{Expression, NodeSelectorTerm, Operator};

use super::position::FieldPath;
use super::template::Template;

/// How a label of nodes is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A demand: `nodeSelector`, or required node affinity.
    Required,
    /// A wish: preferred node affinity.
    Preferred,
    /// A `topologyKey`.
    Topology,
}

/// One use of a label of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelUse {
    /// The field that names the label.
    pub path: FieldPath,
    /// How it is used.
    pub role: Role,
    /// What is asked of it; a `topologyKey` asks that it exists.
    pub expression: Expression,
}

/// Every use of a label of nodes in a template.
pub fn of_template(template: &Template) -> Vec<LabelUse> {
    let spec = &template.spec;
    let mut uses = Vec::new();
    let selector = template.spec_path("nodeSelector");
    for (key, value) in &spec.node_selector {
        let expression =
            Expression { key: key.clone(), operator: Operator::In, values: vec![value.clone()] };
        uses.push(LabelUse { path: selector.key(key), role: Role::Required, expression });
    }
    if let Some(affinity) = &spec.affinity.node {
        for (index, term) in affinity.required.iter().flatten().enumerate() {
            let path = required_terms(template).index(index);
            uses.extend(of_term(&path, term, Role::Required));
        }
        for (index, preferred) in affinity.preferred.iter().enumerate() {
            let path = preferred_terms(template).index(index).key("preference");
            uses.extend(of_term(&path, &preferred.preference, Role::Preferred));
        }
    }
    let topology = |path: FieldPath, key: &Str| LabelUse {
        path: path.key("topologyKey"),
        role: Role::Topology,
        expression: Expression { key: key.clone(), operator: Operator::Exists, values: Vec::new() },
    };
    for (index, constraint) in spec.topology_spread_constraints.iter().enumerate() {
        uses.push(topology(spread(template, index), &constraint.topology_key));
    }
    for (field, affinity) in
        [("podAffinity", &spec.affinity.pod), ("podAntiAffinity", &spec.affinity.pod_anti)]
    {
        let Some(affinity) = affinity else { continue };
        let path = template.spec_path("affinity").key(field);
        for (index, term) in affinity.required.iter().enumerate() {
            uses.push(topology(path.key(REQUIRED).index(index), &term.topology_key));
        }
        for (index, weighted) in affinity.preferred.iter().enumerate() {
            let path = path.key(PREFERRED).index(index).key("podAffinityTerm");
            uses.push(topology(path, &weighted.term.topology_key));
        }
    }
    uses
}

/// The field of demands of an affinity.
pub const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
/// The field of wishes of an affinity.
pub const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// The list of required node affinity terms.
pub fn required_terms(template: &Template) -> FieldPath {
    template.spec_path("affinity.nodeAffinity").key(REQUIRED).key("nodeSelectorTerms")
}

/// The list of preferred node affinity terms.
pub fn preferred_terms(template: &Template) -> FieldPath {
    template.spec_path("affinity.nodeAffinity").key(PREFERRED)
}

/// One of the topology spread constraints.
pub fn spread(template: &Template, index: usize) -> FieldPath {
    template.spec_path("topologySpreadConstraints").index(index)
}

fn of_term(path: &FieldPath, term: &NodeSelectorTerm, role: Role) -> Vec<LabelUse> {
    let expressions = term.match_expressions.iter().enumerate();
    expressions
        .map(|(index, expression)| LabelUse {
            path: path.key("matchExpressions").index(index).key("key"),
            role,
            expression: expression.clone(),
        })
        .collect()
}
