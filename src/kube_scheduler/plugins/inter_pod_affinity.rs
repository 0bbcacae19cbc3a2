//! `InterPodAffinity`: which pods want to be near which others, and which do not.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::kube_scheduler::framework::{Cycle, Plugin, PreFiltered, Trial, Verdict};
use crate::kube_scheduler::inter_pod::{OwnTerm, Seen, groups_of};
use crate::kube_scheduler::pod_groups::AffinityId;
use crate::kube_scheduler::rejection::Rejection;
use crate::kube_scheduler::topology::Topology;
use crate::model::affinity::PodAffinity;
use crate::model::names::Str;

use super::inter_pod_affinity_score::score;

pub(crate) const PLUGIN: Plugin = Plugin {
    filter: Some(filter),
    pre_filter_since: Some(0),
    score: Some(score),
    ..Plugin::named("InterPodAffinity")
};

/// How many pods are counted in each domain of a topology.
struct Counts {
    topology: Arc<Topology>,
    domains: Vec<i64>,
}

impl Counts {
    fn new(topology: Arc<Topology>) -> Self {
        Self { domains: vec![0; topology.len()], topology }
    }

    fn add(&mut self, node: usize, pods: i64) {
        if let Some(domain) = self.topology.domain(node) {
            self.domains[domain] += pods;
        }
    }

    /// The count in the domain of a node. `None`: the node is in none.
    fn at(&self, node: usize) -> Option<i64> {
        self.topology.domain(node).map(|domain| self.domains[domain])
    }
}

/// One of the pod's own required terms.
struct Own {
    counts: Counts,
    /// Of each group of pods, whether its pods count.
    counts_group: Vec<bool>,
}

/// Everything that decides about a node.
struct State {
    affinity: Vec<Own>,
    /// How many domains count any pod, over all affinity terms.
    affinity_domains: usize,
    /// Whether the pod matches all of its own affinity terms, so that it may be the first of its group.
    matches_itself: bool,
    anti_affinity: Vec<Own>,
    /// What existing pods keep away from, by label.
    existing: BTreeMap<Str, Counts>,
    /// The labels within which an existing pod keeps this one away, one for each of its terms.
    keeps_away: BTreeMap<AffinityId, Vec<Str>>,
}

fn filter<'a>(cycle: &'a Cycle<'_>) -> PreFiltered<'a> {
    let affinity = &cycle.spec().affinity;
    let terms = |affinity: &'a Option<PodAffinity>| -> Vec<OwnTerm<'a>> {
        let required = affinity.iter().flat_map(|it| &it.required);
        required.map(|term| OwnTerm::new(cycle, term)).collect()
    };
    let (near, away) = (terms(&affinity.pod), terms(&affinity.pod_anti));
    let (existing, keeps_away) = existing(cycle);
    if near.is_empty() && away.is_empty() && !counts_any(&existing) {
        return PreFiltered::Skips;
    }
    let meta = &cycle.pod().meta;
    let matches_itself = near.iter().all(|term| term.matches(&meta.namespace, &meta.labels));
    let affinity = count_affinity(cycle, &near);
    let nonzero = |own: &Own| own.counts.domains.iter().filter(|count| **count != 0).count();
    let state = State {
        affinity_domains: affinity.iter().map(nonzero).sum(),
        affinity,
        matches_itself,
        anti_affinity: away.iter().map(|term| count_anti_affinity(cycle, term)).collect(),
        existing,
        keeps_away,
    };
    PreFiltered::per_node(move |node| state.check(node))
}

fn counts_any(existing: &BTreeMap<Str, Counts>) -> bool {
    existing.values().any(|counts| counts.domains.iter().any(|count| *count != 0))
}

/// Counts the pods that keep the pod away, by label; and of each group of pods the labels within which it does so.
fn existing(cycle: &Cycle<'_>) -> (BTreeMap<Str, Counts>, BTreeMap<AffinityId, Vec<Str>>) {
    let seen = Seen::new(cycle);
    let mut existing: BTreeMap<Str, Counts> = BTreeMap::new();
    let mut keeps_away = BTreeMap::new();
    for (id, group) in cycle.cluster.groups.affinities() {
        let Some(anti) = &group.affinity.pod_anti else { continue };
        let meant = anti.required.iter().filter(|term| seen.is_meant(term, &group.namespace));
        let keys: Vec<Str> = meant.map(|term| term.topology_key.clone()).collect();
        for key in &keys {
            let counts = existing
                .entry(key.clone())
                .or_insert_with(|| Counts::new(cycle.cluster.topology(key)));
            for (node, pods) in group.placements.iter() {
                counts.add(node, pods);
            }
        }
        if !keys.is_empty() {
            keeps_away.insert(id, keys);
        }
    }
    (existing, keeps_away)
}

/// Counts the pods that match all of the affinity terms at once, for each term by its own label.
fn count_affinity(cycle: &Cycle<'_>, terms: &[OwnTerm<'_>]) -> Vec<Own> {
    let mut counts: Vec<Counts> =
        terms.iter().map(|term| Counts::new(Arc::clone(&term.topology))).collect();
    let mut counts_group = vec![false; cycle.cluster.groups.len()];
    let Some((first, others)) = terms.split_first() else { return Vec::new() };
    for (id, group) in groups_of(cycle, first) {
        if others.iter().all(|term| term.matches(&group.namespace, &group.labels)) {
            counts_group[id.0] = true;
            for (node, pods) in group.placements.iter() {
                for counts in &mut counts {
                    counts.add(node, pods);
                }
            }
        }
    }
    counts.into_iter().map(|counts| Own { counts, counts_group: counts_group.clone() }).collect()
}

fn count_anti_affinity(cycle: &Cycle<'_>, term: &OwnTerm<'_>) -> Own {
    let mut counts = Counts::new(Arc::clone(&term.topology));
    let mut counts_group = vec![false; cycle.cluster.groups.len()];
    for (id, group) in groups_of(cycle, term) {
        counts_group[id.0] = true;
        for (node, pods) in group.placements.iter() {
            counts.add(node, pods);
        }
    }
    Own { counts, counts_group }
}

impl Own {
    /// How many of the pods thought on the node, less those thought away, count.
    fn change(&self, node: &Trial<'_>) -> i64 {
        let counts = |group: usize| self.counts_group.get(group).copied().unwrap_or(false);
        node.changes().filter(|(pod, _)| counts(pod.group.0)).map(|(_, times)| times).sum()
    }
}

impl State {
    fn check(&self, node: &Trial<'_>) -> Verdict {
        if let Some(topology_key) = self.unmet_affinity(node) {
            return Verdict::unresolvable(Rejection::PodAffinity { topology_key });
        }
        let near = self.anti_affinity.iter().find(|own| {
            own.counts.at(node.index).is_some_and(|count| count + own.change(node) > 0)
        });
        if let Some(own) = near {
            let topology_key = own.counts.topology.key.clone();
            return Verdict::unschedulable(Rejection::PodAntiAffinity { topology_key });
        }
        match self.kept_away(node) {
            Some(topology_key) => {
                Verdict::unschedulable(Rejection::ExistingPodAntiAffinity { topology_key })
            }
            None => Verdict::Fits,
        }
    }

    /// The label of the first affinity term that does not hold.
    fn unmet_affinity(&self, node: &Trial<'_>) -> Option<Str> {
        let key = |own: &Own| own.counts.topology.key.clone();
        let unlabelled = self.affinity.iter().find(|own| own.counts.at(node.index).is_none());
        if let Some(own) = unlabelled {
            return Some(key(own));
        }
        // The number of domains that count a pod, with the pods that are thought on the node or away.
        let mut domains = self.affinity_domains;
        let mut unmet = None;
        for own in &self.affinity {
            let before = own.counts.at(node.index).unwrap_or(0);
            let count = before + own.change(node);
            domains = domains + usize::from(count != 0) - usize::from(before != 0);
            if count <= 0 && unmet.is_none() {
                unmet = Some(key(own));
            }
        }
        let is_first_of_its_group = domains == 0 && self.matches_itself;
        unmet.filter(|_| !is_first_of_its_group)
    }

    /// The label within which an existing pod keeps the pod away.
    fn kept_away(&self, node: &Trial<'_>) -> Option<Str> {
        let change = |key: &Str| -> i64 {
            let keys = |affinity: Option<AffinityId>| {
                affinity.and_then(|id| self.keeps_away.get(&id)).map_or(&[][..], |keys| &keys[..])
            };
            let times = |affinity| keys(affinity).iter().filter(|it| *it == key).count();
            let changes = node.changes().map(|(pod, sign)| (times(pod.affinity), sign));
            changes.map(|(times, sign)| i64::try_from(times).unwrap_or(0) * sign).sum()
        };
        let away = self.existing.iter().find(|(key, counts)| {
            let count = counts.at(node.index);
            count.is_some_and(|count| count + if node.is_bare() { 0 } else { change(key) } > 0)
        });
        away.map(|(key, _)| key.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::plugin_tests::{FITS, Said, question, unresolvable, unschedulable};
    use crate::model::affinity::PodAffinityTerm;
    use crate::testing::{TestPod, cluster, node, pod, selector};

    fn term(labels: &str) -> PodAffinityTerm {
        PodAffinityTerm {
            label_selector: Some(selector(labels)),
            topology_key: "zone".into(),
            namespaces: Vec::new(),
            namespace_selector: None,
            match_label_keys: Vec::new(),
            mismatch_label_keys: Vec::new(),
        }
    }

    fn near(pod: TestPod, terms: &[PodAffinityTerm]) -> TestPod {
        let affinity = PodAffinity { required: terms.to_vec(), preferred: Vec::new() };
        pod.spec(|spec| spec.affinity.pod = Some(affinity))
    }

    fn away(pod: TestPod, term: PodAffinityTerm) -> TestPod {
        let affinity = PodAffinity { required: vec![term], preferred: Vec::new() };
        pod.spec(|spec| spec.affinity.pod_anti = Some(affinity))
    }

    fn verdicts(pods: &[TestPod], asked: TestPod) -> Vec<Said> {
        let nodes = [node("a").labels("zone=a"), node("b").labels("zone=b"), node("c")];
        question(cluster(nodes, pods.to_vec()), asked).filter(&PLUGIN)
    }

    #[test]
    fn required_affinity_wants_one_pod_that_matches_every_term() {
        let no = || unresolvable("node(s) didn't match pod affinity rules");
        let db = |name: &str| pod(name).labels("app=db");
        let (x, y) = (pod("x").labels("x=1").on("a"), pod("y").labels("y=1").on("a"));
        let both = near(pod("p"), &[term("x=1"), term("y=1")]);
        let other = db("d").on("a").namespace("other");
        for (case, pods, asked, expected) in [
            ("near", vec![db("d").on("a")], near(pod("p"), &[term("app=db")]), [FITS, no(), no()]),
            ("none", vec![], near(pod("p"), &[term("app=db")]), [no(), no(), no()]),
            ("first of its group", vec![], near(db("p"), &[term("app=db")]), [FITS, FITS, no()]),
            (
                "its group is elsewhere",
                vec![db("d").on("c")],
                near(db("p"), &[term("app=db")]),
                [FITS, FITS, no()],
            ),
            ("two pods, one term each", vec![x, y], both, [no(), no(), no()]),
            (
                "another namespace",
                vec![other],
                near(pod("p"), &[term("app=db")]),
                [no(), no(), no()],
            ),
        ] {
            assert_eq!(verdicts(&pods, asked), expected, "{case}");
        }
    }

    #[test]
    fn anti_affinity_holds_in_both_directions() {
        let own = || unschedulable("node(s) didn't match pod anti-affinity rules");
        let theirs = || unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");
        let db = pod("d").labels("app=db").on("a");
        let lonely = away(pod("d").on("a"), term("app=web"));
        assert_eq!(verdicts(&[db], away(pod("p"), term("app=db"))), [own(), FITS, FITS]);
        assert_eq!(
            verdicts(std::slice::from_ref(&lonely), pod("p").labels("app=web")),
            [theirs(), FITS, FITS]
        );
        assert_eq!(verdicts(&[lonely], pod("p").labels("app=x")), []);
    }

    #[test]
    fn a_namespace_selector_reaches_other_namespaces() {
        let all = PodAffinityTerm { namespace_selector: Some(selector("")), ..term("app=db") };
        let db = pod("d").labels("app=db").on("a").namespace("other");
        let refused = unschedulable("node(s) didn't match pod anti-affinity rules");
        assert_eq!(verdicts(&[db], away(pod("p"), all)), [refused, FITS, FITS]);
    }
}
