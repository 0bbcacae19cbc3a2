//! Node selectors as upstream's `component-helpers` reads them: a term that cannot be read matches nothing.

use crate::model::labels::Labels;
use crate::model::node::Node;
use crate::model::pod::PodSpec;
use crate::model::selector::{Expression, LabelSelector, NodeSelectorTerm, Operator, matches_all};

use super::amounts::{is_label_value, is_qualified_name};

/// The only field of a node that a selector can name.
pub(crate) const NAME_FIELD: &str = "metadata.name";

/// A term that was read once and is held against many nodes.
#[derive(Clone, Debug)]
pub(crate) struct NodeTerm<'a> {
    expressions: &'a [Expression],
    fields: &'a [Expression],
    readable: bool,
}

impl<'a> NodeTerm<'a> {
    /// Reads a term. `None`: it has no requirement, and so matches nothing.
    pub(crate) fn read(term: &'a NodeSelectorTerm) -> Option<Self> {
        let expressions = &term.match_expressions[..];
        let fields = term.match_fields.as_deref().unwrap_or(&[]);
        if expressions.is_empty() && fields.is_empty() {
            return None;
        }
        let readable = expressions.iter().all(is_readable) && fields.iter().all(is_readable_field);
        Some(Self { expressions, fields, readable })
    }

    /// Whether every requirement could be read.
    pub(crate) const fn is_readable(&self) -> bool {
        self.readable
    }

    /// Whether a node has what the term asks for.
    pub(crate) fn matches(&self, node: &Node) -> bool {
        self.matches_labels(&node.meta.labels)
            && self.fields.iter().all(|field| field_matches(field, &node.meta.name))
    }

    /// Whether labels are what the term asks for; fields are not looked at.
    pub(crate) fn matches_labels(&self, labels: &Labels) -> bool {
        self.readable && self.expressions.iter().all(|expression| expression.matches(labels))
    }
}

/// Reads the terms of a node selector; one of them must hold.
pub(crate) fn node_terms(terms: &[NodeSelectorTerm]) -> Vec<NodeTerm<'_>> {
    terms.iter().filter_map(NodeTerm::read).collect()
}

/// What a pod demands of nodes by itself: its node selector and its required affinity.
#[derive(Clone, Debug)]
pub(crate) struct RequiredNodeAffinity<'a> {
    selector: &'a Labels,
    terms: Option<Vec<NodeTerm<'a>>>,
}

impl<'a> RequiredNodeAffinity<'a> {
    /// The demands of a pod.
    pub(crate) fn of(pod: &'a PodSpec) -> Self {
        let required = pod.affinity.node.as_ref().and_then(|affinity| affinity.required.as_ref());
        Self { selector: &pod.node_selector, terms: required.map(|terms| node_terms(terms)) }
    }

    /// Whether the pod demands nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.selector.is_empty() && self.terms.is_none()
    }

    /// Whether a node meets the demands.
    pub(crate) fn matches(&self, node: &Node) -> bool {
        matches_all(self.selector, &node.meta.labels)
            && self.terms.as_ref().is_none_or(|terms| terms.iter().any(|term| term.matches(node)))
    }
}

/// Whether a selector matches; one that is absent or cannot be read matches nothing.
pub(crate) fn selects(selector: Option<&LabelSelector>, labels: &Labels) -> bool {
    selector.is_some_and(|selector| {
        selector.match_expressions.iter().all(is_readable) && selector.matches(labels)
    })
}

/// As upstream's `labels.NewRequirement`.
fn is_readable(expression: &Expression) -> bool {
    let values = &expression.values;
    let counted = match expression.operator {
        Operator::In | Operator::NotIn => !values.is_empty(),
        Operator::Exists | Operator::DoesNotExist => values.is_empty(),
        Operator::Gt | Operator::Lt => values.len() == 1 && values[0].parse::<i64>().is_ok(),
        Operator::Gte | Operator::Lte | Operator::Unknown(_) => false,
    };
    counted
        && is_qualified_name(&expression.key)
        && values.iter().all(|value| is_label_value(value))
}

/// As upstream's `nodeSelectorRequirementsAsFieldSelector`.
fn is_readable_field(field: &Expression) -> bool {
    matches!(field.operator, Operator::In | Operator::NotIn) && field.values.len() == 1
}

fn field_matches(field: &Expression, name: &str) -> bool {
    let value = if &*field.key == NAME_FIELD { name } else { "" };
    let equal = field.values.first().is_some_and(|wanted| &**wanted == value);
    equal == (field.operator == Operator::In)
}
