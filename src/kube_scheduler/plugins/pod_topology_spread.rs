//! `PodTopologySpread`: how evenly the pods of a kind stand over zones, nodes, or other domains.

use crate::kube_scheduler::framework::{Cycle, Plugin, PreFiltered, Trial, Verdict};
use crate::kube_scheduler::rejection::Rejection;
use crate::kube_scheduler::spread::{Constraint, Inclusion, constraints};
use crate::model::spread::WhenUnsatisfiable;

use super::pod_topology_spread_score::score;

pub(crate) const PLUGIN: Plugin = Plugin {
    filter: Some(filter),
    pre_filter_since: Some(0),
    score: Some(score),
    ..Plugin::named("PodTopologySpread")
};

/// A hard constraint with the pods that are counted in its domains.
struct Counted {
    constraint: Constraint,
    /// Of each node, whether it counts.
    counted: Vec<bool>,
    /// The pods of each domain; `None`: no node of the domain counts.
    domains: Vec<Option<i64>>,
    /// How many domains count.
    size: i64,
    /// The two domains with the fewest pods: number and pods.
    fewest: [Option<(usize, i64)>; 2],
    /// 1 when the pod itself counts.
    itself: i64,
}

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let (constraints, _) = constraints(cycle, WhenUnsatisfiable::DoNotSchedule);
    if constraints.is_empty() {
        return PreFiltered::Skips;
    }
    let counted = count(cycle, constraints);
    PreFiltered::per_node(move |node| {
        let reason = counted.iter().find_map(|constraint| constraint.reason(node));
        match reason {
            None => Verdict::Fits,
            Some(reason @ Rejection::SpreadMissingLabel(_)) => Verdict::unresolvable(reason),
            Some(reason) => Verdict::unschedulable(reason),
        }
    })
}

/// Counts pods by domain on the nodes that have the labels of all constraints.
fn count(cycle: &Cycle<'_>, constraints: Vec<Constraint>) -> Vec<Counted> {
    let inclusion = Inclusion::new(cycle, &constraints);
    let nodes = cycle.cluster.nodes.len();
    let has_all: Vec<bool> = (0..nodes)
        .map(|node| constraints.iter().all(|it| it.topology.domain(node).is_some()))
        .collect();
    let count = |constraint: Constraint| {
        let counted: Vec<bool> =
            (0..nodes).map(|node| has_all[node] && inclusion.includes(&constraint, node)).collect();
        let mut domains = vec![None; constraint.topology.len()];
        for node in (0..nodes).filter(|node| counted[*node]) {
            if let Some(domain) = constraint.topology.domain(node) {
                domains[domain].get_or_insert(0);
            }
        }
        for (node, pods) in constraint.counts(cycle) {
            let domain = constraint.topology.domain(node).filter(|_| counted[node]);
            if let Some(Some(sum)) = domain.map(|domain| &mut domains[domain]) {
                *sum += pods;
            }
        }
        let existing = || domains.iter().enumerate().filter_map(|(at, sum)| Some((at, (*sum)?)));
        let first = existing().min_by_key(|(_, sum)| *sum);
        let second =
            existing().filter(|(at, _)| first.is_none_or(|it| it.0 != *at)).min_by_key(|it| it.1);
        Counted {
            itself: i64::from(constraint.counts_pod(&cycle.pod().meta.labels)),
            size: i64::try_from(existing().count()).unwrap_or(i64::MAX),
            fewest: [first, second],
            constraint,
            counted,
            domains,
        }
    };
    constraints.into_iter().map(count).collect()
}

impl Counted {
    /// What the constraint has against a node.
    fn reason(&self, node: &Trial<'_>) -> Option<Rejection> {
        let topology = &self.constraint.topology;
        let Some(domain) = topology.domain(node.index) else {
            return Some(Rejection::SpreadMissingLabel(topology.key.clone()));
        };
        let change = self.change(node);
        let count = self.domains[domain].unwrap_or(0) + change;
        let minimum = self.minimum(domain, change);
        (count + self.itself - minimum > self.constraint.max_skew).then(|| Rejection::SpreadSkew {
            topology_key: topology.key.clone(),
            domain: topology.value(domain).clone(),
            count,
            minimum,
            itself: self.itself,
            max_skew: self.constraint.max_skew,
        })
    }

    /// How many pods more there are on the node when some are thought on it or away.
    fn change(&self, node: &Trial<'_>) -> i64 {
        if node.is_bare() || !self.counted[node.index] {
            return 0;
        }
        let changes = node.changes().filter(|(pod, _)| self.constraint.counts_change(pod));
        changes.map(|(_, times)| times).sum()
    }

    /// The fewest pods that a domain has, when one of them has some more.
    fn minimum(&self, changed: usize, change: i64) -> i64 {
        if self.size < self.constraint.min_domains {
            return 0;
        }
        let with_change = self
            .fewest
            .iter()
            .flatten()
            .map(|(domain, pods)| if *domain == changed { pods + change } else { *pods });
        let of_changed = self.domains[changed].map(|pods| pods + change);
        with_change.chain(of_changed).min().unwrap_or(0)
    }
}
