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
    included: Vec<bool>,
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
        let included: Vec<bool> =
            (0..nodes).map(|node| has_all[node] && inclusion.includes(&constraint, node)).collect();
        let mut domains = vec![None; constraint.topology.len()];
        for node in (0..nodes).filter(|node| included[*node]) {
            if let Some(domain) = constraint.topology.domain(node) {
                domains[domain].get_or_insert(0);
            }
        }
        for (node, pods) in constraint.counts(cycle) {
            let domain = constraint.topology.domain(node).filter(|_| included[node]);
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
            included,
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
        if node.is_bare() || !self.included[node.index] {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, Said, question, unresolvable, unschedulable};
    use crate::model::selector::LabelSelector;
    use crate::model::spread::TopologySpreadConstraint;
    use crate::testing::{TestNode, TestPod, cluster, node, pod, selector};

    fn spread(selector: Option<LabelSelector>) -> TopologySpreadConstraint {
        TopologySpreadConstraint {
            max_skew: 1,
            topology_key: "zone".into(),
            when_unsatisfiable: WhenUnsatisfiable::DoNotSchedule,
            label_selector: selector,
            min_domains: None,
            node_affinity_policy: None,
            node_taints_policy: None,
            match_label_keys: Vec::new(),
        }
    }

    fn web(name: &str) -> TestPod {
        pod(name).labels("app=web")
    }

    /// Nodes a and b in zones a and b, and c in none; two pods in zone a.
    fn verdicts(
        constraint: &TopologySpreadConstraint,
        change: impl Fn(TestPod) -> TestPod,
    ) -> Vec<Said> {
        let nodes: [TestNode; 3] =
            [node("a").labels("zone=a"), node("b").labels("zone=b"), node("c")];
        let pods = [change(web("q").on("a")), change(web("r").on("a"))];
        let constraint = constraint.clone();
        let asked =
            web("p").spec(|spec| spec.topology_spread_constraints = vec![constraint].into());
        question(cluster(nodes, pods), asked).filter(&PLUGIN)
    }

    #[test]
    fn the_skew_decides_and_a_missing_label_is_final() {
        type Change = fn(TestPod) -> TestPod;
        let text = "node(s) didn't match pod topology spread constraints";
        let uneven = || unschedulable(text);
        let lacking = || unresolvable(&format!("{text} (missing required label)"));
        let web_only = spread(Some(selector("app=web")));
        let same = |pod: TestPod| pod;
        let going = |pod: TestPod| {
            pod.meta(|meta| meta.deletion = Some("2026-01-01T00:00:00Z".parse().expect("a time")))
        };
        let elsewhere = |pod: TestPod| pod.namespace("other");
        let skewed = TopologySpreadConstraint { max_skew: 3, ..web_only.clone() };
        let many =
            TopologySpreadConstraint { min_domains: Some(3), max_skew: 2, ..web_only.clone() };
        let cases: [(&str, &TopologySpreadConstraint, Change, [Said; 3]); 7] = [
            ("two in a, none in b", &web_only, same, [uneven(), FITS, lacking()]),
            ("a larger skew", &skewed, same, [FITS, FITS, lacking()]),
            ("too few domains", &many, same, [uneven(), FITS, lacking()]),
            ("terminating pods do not count", &web_only, going, [FITS, FITS, lacking()]),
            ("nor those of other namespaces", &web_only, elsewhere, [FITS, FITS, lacking()]),
            ("no selector counts nothing", &spread(None), same, [FITS, FITS, lacking()]),
            ("nor does the empty one", &spread(Some(selector(""))), same, [FITS, FITS, lacking()]),
        ];
        for (case, constraint, change, expected) in cases {
            assert_eq!(verdicts(constraint, change), expected, "{case}");
        }
    }
}
