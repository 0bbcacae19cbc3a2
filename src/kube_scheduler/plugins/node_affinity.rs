//! `NodeAffinity`: the nodes that a pod demands, and those that it prefers.

use std::collections::BTreeSet;

use crate::kube_scheduler::framework::{Cycle, Normalize, Plugin, PreFiltered, Scoring, Verdict};
use crate::kube_scheduler::node_info::NodeInfo;
use crate::kube_scheduler::rejection::Rejection;
use crate::kube_scheduler::selectors::{NAME_FIELD, NodeTerm, RequiredNodeAffinity, node_terms};
use crate::model::affinity::PreferredSchedulingTerm;
use crate::model::names::NodeName;
use crate::model::node::Node;
use crate::model::selector::{NodeSelectorTerm, Operator};

pub(crate) const PLUGIN: Plugin = Plugin {
    filter: Some(filter),
    pre_filter_since: Some(0),
    score: Some(score),
    ..Plugin::named("NodeAffinity")
};

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let added = cycle.arguments.added_affinity.as_ref();
    let added = added.and_then(|affinity| affinity.required.as_deref()).map(node_terms);
    let required = RequiredNodeAffinity::of(cycle.spec());
    if added.is_none() && required.is_empty() {
        return PreFiltered::Skips;
    }
    let check = Box::new(move |node: &crate::kube_scheduler::framework::Trial<'_>| {
        let node: &Node = &node.node;
        let enforced = added.as_ref().is_none_or(|terms| any_matches(terms, node));
        Verdict::unresolvable_if(if !enforced {
            Some(Rejection::EnforcedNodeAffinity)
        } else if required.matches(node) {
            None
        } else {
            Some(Rejection::NodeAffinity)
        })
    });
    let terms = cycle.spec().affinity.node.as_ref().and_then(|it| it.required.as_deref());
    match terms.and_then(named_nodes) {
        Some(names) if names.is_empty() => PreFiltered::refuses(Rejection::AffinityTermsConflict),
        Some(names) => PreFiltered::Narrowed(names.into_iter().collect(), check),
        None => PreFiltered::PerNode(check),
    }
}

fn any_matches(terms: &[NodeTerm<'_>], node: &Node) -> bool {
    terms.iter().any(|term| term.matches(node))
}

/// The nodes that every term asks for by name, taken together. `None`: a term asks for none by name.
fn named_nodes(terms: &[NodeSelectorTerm]) -> Option<BTreeSet<NodeName>> {
    if terms.is_empty() {
        return None;
    }
    let mut names = BTreeSet::new();
    for term in terms {
        let fields = term.match_fields.iter().flatten();
        let by_name = fields.filter(|it| &*it.key == NAME_FIELD && it.operator == Operator::In);
        let of_term = by_name
            .map(|field| field.values.iter().cloned().map(NodeName).collect::<BTreeSet<_>>())
            .reduce(|a, b| a.intersection(&b).cloned().collect())?;
        names.extend(of_term);
    }
    Some(names)
}

fn score(cycle: &Cycle<'_>, nodes: &[&NodeInfo]) -> Scoring {
    let preferred = |affinity: &'_ crate::model::affinity::NodeAffinity| affinity.preferred.clone();
    let own = cycle.spec().affinity.node.as_ref().map(preferred).unwrap_or_default();
    let added = cycle.arguments.added_affinity.as_ref().map(preferred).unwrap_or_default();
    if own.is_empty() && added.is_empty() {
        return Scoring::Skips;
    }
    let terms: Vec<(i64, NodeTerm<'_>)> = added.iter().chain(&own).filter_map(weighted).collect();
    if terms.iter().any(|(_, term)| !term.is_readable()) {
        let text = "parsing preferred node affinity: a requirement cannot be read";
        return Scoring::Fails(text.to_owned());
    }
    let sums = nodes.iter().map(|node| {
        let met = terms.iter().filter(|(_, term)| term.matches(&node.node));
        met.map(|(weight, _)| weight).sum()
    });
    Scoring::Scores(sums.collect(), Normalize::HigherIsBetter)
}

/// A preference that counts: one with a weight, and with a requirement.
fn weighted(preferred: &PreferredSchedulingTerm) -> Option<(i64, NodeTerm<'_>)> {
    let term = NodeTerm::read(&preferred.preference)?;
    (preferred.weight != 0).then_some((i64::from(preferred.weight), term))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, Said, question, unresolvable};
    use crate::model::affinity::NodeAffinity;
    use crate::model::selector::Expression;
    use crate::testing::{TestPod, cluster, node, pairs, pod};

    fn expression(key: &str, operator: &str, values: &[&str]) -> Expression {
        Expression {
            key: key.into(),
            operator: Operator::parse(operator),
            values: values.iter().map(|value| (*value).into()).collect(),
        }
    }

    fn labels(expressions: &[Expression]) -> NodeSelectorTerm {
        NodeSelectorTerm { match_expressions: expressions.to_vec(), match_fields: None }
    }

    fn named(names: &[&str]) -> NodeSelectorTerm {
        let fields = names.iter().map(|name| expression(NAME_FIELD, "In", &[name])).collect();
        NodeSelectorTerm { match_expressions: Vec::new(), match_fields: Some(fields) }
    }

    fn requires(terms: &[NodeSelectorTerm]) -> TestPod {
        let node = NodeAffinity { required: Some(terms.to_vec()), preferred: Vec::new() };
        pod("p").spec(|spec| spec.affinity.node = Some(node))
    }

    #[test]
    fn selector_and_one_of_the_terms_must_hold() {
        let nodes = [
            node("a").labels("disk=ssd,cpus=10"),
            node("b").labels("disk=hdd"),
            node("c").labels("cpus=abc"),
        ];
        let no = || unresolvable("node(s) didn't match Pod's node affinity/selector");
        let cases: [(&str, TestPod, Vec<Said>); 10] = [
            ("nothing asked", pod("p"), vec![]),
            (
                "node selector",
                pod("p").spec(|spec| spec.node_selector = pairs("disk=ssd")),
                vec![FITS, no(), no()],
            ),
            (
                "not in accepts absence",
                requires(&[labels(&[expression("disk", "NotIn", &["ssd"])])]),
                vec![no(), FITS, FITS],
            ),
            (
                "numbers are compared",
                requires(&[labels(&[expression("cpus", "Gt", &["9"])])]),
                vec![FITS, no(), no()],
            ),
            (
                "terms are alternatives",
                requires(&[
                    labels(&[expression("disk", "In", &["hdd"])]),
                    labels(&[expression("cpus", "Exists", &[])]),
                ]),
                vec![FITS, FITS, FITS],
            ),
            ("no terms match nothing", requires(&[]), vec![no(), no(), no()]),
            ("an empty term matches nothing", requires(&[labels(&[])]), vec![no(), no(), no()]),
            (
                "a term that cannot be read matches nothing",
                requires(&[labels(&[expression("disk", "NotIn", &[])])]),
                vec![no(), no(), no()],
            ),
            ("a node by name", requires(&[named(&["b"])]), vec![no(), FITS, no()]),
            (
                "two names in one term",
                requires(&[named(&["a", "b"])]),
                vec![unresolvable("pod affinity terms conflict")],
            ),
        ];
        for (case, pod, expected) in cases {
            let question = question(cluster(nodes.clone(), []), pod);
            assert_eq!(question.filter(&PLUGIN), expected, "{case}");
        }
    }

    #[test]
    fn only_terms_that_all_name_nodes_narrow_the_search() {
        let name = |name: &str| NodeName::from(name);
        for (terms, expected) in [
            (vec![named(&["a"]), named(&["b"])], Some(vec![name("a"), name("b")])),
            (vec![named(&["a"]), labels(&[expression("x", "Exists", &[])])], None),
            (vec![named(&["a", "b"])], Some(vec![])),
            (vec![], None),
        ] {
            assert_eq!(named_nodes(&terms).map(|names| names.into_iter().collect()), expected);
        }
    }

    #[test]
    fn preferences_that_hold_add_their_weights() {
        let prefers = |weight, disk: &str| PreferredSchedulingTerm {
            weight,
            preference: labels(&[expression("disk", "In", &[disk])]),
        };
        let node_affinity =
            NodeAffinity { required: None, preferred: vec![prefers(10, "a"), prefers(30, "b")] };
        let pod = pod("p").spec(|spec| spec.affinity.node = Some(node_affinity));
        let nodes = ["a", "b", "c"].map(|disk| node(disk).labels(&format!("disk={disk}")));
        let question = question(cluster(nodes, []), pod);
        assert_eq!(question.score(&PLUGIN), Some((vec![10, 30, 0], vec![33, 100, 0])));
    }
}
