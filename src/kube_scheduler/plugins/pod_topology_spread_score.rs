//! How `PodTopologySpread` scores: the fewer pods of the kind in a node's domains the better.

use std::collections::BTreeSet;

use crate::kube_scheduler::framework::{Cycle, MAX_NODE_SCORE, Normalize, Scoring};
use crate::kube_scheduler::node_info::NodeInfo;
use crate::kube_scheduler::spread::{Constraint, Inclusion, constraints};
use crate::model::labels::HOSTNAME;
use crate::model::spread::WhenUnsatisfiable;

/// A soft constraint with what is counted for it.
struct Counted {
    constraint: Constraint,
    weight: f64,
    is_hostname: bool,
    /// The pods of each domain that a feasible node is in; the last one stands for nodes without the label.
    domains: Vec<Option<i64>>,
    /// The pods of each node, for hostnames.
    on_node: Vec<i64>,
}

pub(crate) fn score(cycle: &Cycle<'_>, nodes: &[&NodeInfo]) -> Scoring {
    let (constraints, strict) = constraints(cycle, WhenUnsatisfiable::ScheduleAnyway);
    if constraints.is_empty() {
        return Scoring::Skips;
    }
    let has_all = |node: usize| constraints.iter().all(|it| it.topology.domain(node).is_some());
    let all = 0..cycle.cluster.nodes.len();
    let out: Vec<bool> = all.map(|node| strict && !has_all(node)).collect();
    let inclusion = Inclusion::new(cycle, &constraints);
    let counted: Vec<Counted> = constraints
        .into_iter()
        .map(|constraint| count(cycle, constraint, nodes, &out, &inclusion))
        .collect();
    let raw: Vec<i64> = nodes
        .iter()
        .map(|node| if out[node.index] { 0 } else { raw_score(&counted, node.index) })
        .collect();
    let normalized = normalize(&raw, |place| out[nodes[place].index]);
    Scoring::Scores(raw, Normalize::Own(normalized))
}

fn count(
    cycle: &Cycle<'_>,
    constraint: Constraint,
    nodes: &[&NodeInfo],
    out: &[bool],
    inclusion: &Inclusion,
) -> Counted {
    let topology = &constraint.topology;
    let is_hostname = &*topology.key == HOSTNAME;
    let kept = || nodes.iter().map(|node| node.index).filter(|node| !out[*node]);
    // As upstream: a node without the label is in the domain of the empty value.
    let mut values = 0..topology.len();
    let unnamed = values.find(|at| topology.value(*at).is_empty()).unwrap_or(topology.len());
    let domain = |node: usize| topology.domain(node).unwrap_or(unnamed);
    let mut domains = vec![None; topology.len() + 1];
    let size = if is_hostname {
        kept().count()
    } else {
        let present: BTreeSet<usize> = kept().map(domain).collect();
        for domain in &present {
            domains[*domain] = Some(0);
        }
        present.len()
    };
    let mut on_node = vec![0; if is_hostname { out.len() } else { 0 }];
    for (node, pods) in constraint.counts(cycle) {
        if is_hostname {
            on_node[node] += pods;
        } else if !out[node]
            && inclusion.includes(&constraint, node)
            && let Some(sum) = &mut domains[domain(node)]
        {
            *sum += pods;
        }
    }
    Counted { weight: weight(size), is_hostname, constraint, domains, on_node }
}

/// The more domains, the more a pod in one of them counts. As upstream's `topologyNormalizingWeight`.
#[expect(clippy::cast_precision_loss, reason = "upstream computes in floats")]
fn weight(size: usize) -> f64 {
    (size as f64 + 2.0).ln()
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "upstream computes in floats and rounds"
)]
fn raw_score(constraints: &[Counted], node: usize) -> i64 {
    let mut sum = 0.0;
    for counted in constraints {
        let Some(domain) = counted.constraint.topology.domain(node) else { continue };
        let pods = if counted.is_hostname {
            counted.on_node[node]
        } else {
            counted.domains[domain].unwrap_or(0)
        };
        sum += pods as f64 * counted.weight + (counted.constraint.max_skew - 1) as f64;
    }
    sum.round() as i64
}

fn normalize(raw: &[i64], is_out: impl Fn(usize) -> bool) -> Vec<i64> {
    let kept = || raw.iter().enumerate().filter(|(place, _)| !is_out(*place)).map(|(_, it)| *it);
    let (lowest, highest) = (kept().min().unwrap_or(0), kept().max().unwrap_or(0).max(0));
    let normalized = raw.iter().enumerate().map(|(place, score)| {
        if is_out(place) {
            0
        } else if highest == 0 {
            MAX_NODE_SCORE
        } else {
            MAX_NODE_SCORE.wrapping_mul(highest + lowest - score) / highest
        }
    });
    normalized.collect()
}

#[cfg(test)]
mod tests {
    use crate::kube_scheduler::plugin_tests::question;
    use crate::kube_scheduler::plugins::pod_topology_spread::PLUGIN;
    use crate::model::labels::{HOSTNAME, ZONE};
    use crate::model::workload::Service;
    use crate::testing::{cluster, meta, node, pairs, pod};
    use std::sync::Arc;

    #[test]
    fn the_system_defaults_spread_over_hosts_and_zones() {
        // Pods by host and zone: 1, 0, 3 in zone a; 1, 0 in b; 0 in c.
        let hosts = [
            ("a1", "a", 1),
            ("a2", "a", 0),
            ("a3", "a", 3),
            ("b1", "b", 1),
            ("b2", "b", 0),
            ("c1", "c", 0),
        ];
        let nodes = hosts
            .map(|(name, zone, _)| node(name).labels(&format!("{HOSTNAME}={name},{ZONE}={zone}")));
        let pods = hosts.iter().flat_map(|(host, _, count)| {
            (0..*count).map(move |at| pod(&format!("{host}-{at}")).labels("app=web").on(host))
        });
        let mut state = cluster(nodes, pods);
        let service = Service { meta: meta("web", "default"), selector: Some(pairs("app=web")) };
        state.services = vec![Arc::new(service)];
        let question = question(state, pod("p").labels("app=web"));
        assert_eq!(
            question.score(&PLUGIN),
            Some((vec![15, 12, 19, 10, 8, 6], vec![52, 68, 31, 78, 89, 100]))
        );
    }

    #[test]
    fn a_pod_without_company_is_not_spread() {
        assert_eq!(question(cluster([node("n")], []), pod("p")).score(&PLUGIN), None);
    }
}
