//! `TopologyGroup`: one rule's count per domain, and which domains the rule leaves to a pod.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::refusal::TopologyKind;
use super::requirement::Requirement;
use super::topology_rule::TopologyRule;
use super::vocabulary::{Value, Vocabulary};

/// A rule with its counts.
#[derive(Clone, Debug)]
pub(super) struct TopologyGroup {
    pub(super) rule: Arc<TopologyRule>,
    /// Which pods the rule selects, by number.
    pub(super) selection: usize,
    counts: FxHashMap<Value, i32>,
    occupied: usize,
}

/// What a rule is asked about one pod and one candidate.
pub(super) struct Asked<'a> {
    /// What the pod allows of the key.
    pub(super) pod: &'a Requirement,
    /// What the candidate allows of the key.
    pub(super) node: &'a Requirement,
    /// Whether the rule selects the pod itself.
    pub(super) is_selected: bool,
}

impl TopologyGroup {
    pub(super) fn new(rule: Arc<TopologyRule>, selection: usize) -> Self {
        Self { rule, selection, counts: FxHashMap::default(), occupied: 0 }
    }

    /// Makes a domain known.
    pub(super) fn register(&mut self, domain: Value) {
        self.counts.entry(domain).or_insert(0);
    }

    /// Counts a pod in a domain.
    pub(super) fn record(&mut self, domain: Value) {
        let count = self.counts.entry(domain).or_insert(0);
        *count += 1;
        if *count == 1 {
            self.occupied += 1;
        }
    }

    pub(super) fn count(&self, domain: Value) -> i32 {
        self.counts.get(&domain).copied().unwrap_or(0)
    }

    /// The counts in the order of the domains' names.
    pub(super) fn listed(&self, vocabulary: &Vocabulary) -> Vec<(crate::model::names::Str, i32)> {
        let counts = self.counts.iter();
        let mut listed: Vec<_> = counts
            .map(|(domain, count)| (vocabulary.value_text(*domain).clone(), *count))
            .collect();
        listed.sort_unstable();
        listed
    }

    /// Whether a candidate with this hostname is left to the pod, for a rule over hostnames.
    pub(super) fn allows_host(
        &self,
        host: Value,
        pod: Option<&Requirement>,
        is_selected: bool,
        only_known: bool,
        vocabulary: &Vocabulary,
    ) -> bool {
        if only_known {
            let is_known = self.counts.contains_key(&host);
            if !is_known || !pod.is_none_or(|pod| pod.has(host, vocabulary)) {
                return false;
            }
        }
        let count = self.count(host);
        match self.rule.kind {
            TopologyKind::Spread => count + i32::from(is_selected) <= self.rule.max_skew,
            TopologyKind::AntiAffinity => count == 0,
            TopologyKind::Affinity => {
                pod.is_none_or(|pod| pod.has(host, vocabulary))
                    && (count > 0
                        || is_selected
                            && pod
                                .map_or(self.occupied == 0, |pod| self.may_begin(pod, vocabulary)))
            }
        }
    }

    /// Whether a pod that is its own kind may be the first: nothing is occupied that it could join.
    fn may_begin(&self, pod: &Requirement, vocabulary: &Vocabulary) -> bool {
        self.occupied == 0
            || !self.counts.iter().any(|(domain, count)| *count > 0 && pod.has(*domain, vocabulary))
    }

    /// What the rule leaves of its key: every choice that upstream may make; none where no domain is left.
    pub(super) fn choices(&self, asked: &Asked<'_>, vocabulary: &Vocabulary) -> Vec<Requirement> {
        match self.rule.kind {
            TopologyKind::Spread => self.least_occupied(asked, vocabulary),
            TopologyKind::Affinity => self.joinable(asked, vocabulary),
            TopologyKind::AntiAffinity => {
                let free = self.domains(vocabulary, |domain, count| {
                    count == 0
                        && asked.pod.has(domain, vocabulary)
                        && asked.node.has(domain, vocabulary)
                });
                if free.is_empty() { Vec::new() } else { vec![Requirement::any_of(free)] }
            }
        }
    }

    /// The domains that satisfy a condition, in the order of their names.
    fn domains(&self, vocabulary: &Vocabulary, keep: impl Fn(Value, i32) -> bool) -> Vec<Value> {
        let kept = self.counts.iter().filter(|(domain, count)| keep(**domain, **count));
        let mut kept: Vec<Value> = kept.map(|(domain, _)| *domain).collect();
        kept.sort_unstable_by(|a, b| vocabulary.value_text(*a).cmp(vocabulary.value_text(*b)));
        kept
    }

    fn least_occupied(&self, asked: &Asked<'_>, vocabulary: &Vocabulary) -> Vec<Requirement> {
        let (mut least, mut admitted) = (i32::MAX, 0);
        for (domain, count) in &self.counts {
            if asked.pod.has(*domain, vocabulary) {
                least = least.min(*count);
                admitted += 1;
            }
        }
        if self.rule.min_domains.is_some_and(|wanted| admitted < wanted) {
            least = 0;
        }
        let own = i32::from(asked.is_selected);
        let is_valid = |domain: Value, count: i32| {
            asked.node.has(domain, vocabulary)
                && i64::from(count) + i64::from(own) - i64::from(least)
                    <= i64::from(self.rule.max_skew)
        };
        let valid = self.counts.iter().filter(|(domain, count)| is_valid(**domain, **count));
        let Some(fewest) = valid.map(|(_, count)| *count).min() else { return Vec::new() };
        let tied =
            self.domains(vocabulary, |domain, count| count == fewest && is_valid(domain, count));
        tied.into_iter().map(Requirement::one).collect()
    }

    fn joinable(&self, asked: &Asked<'_>, vocabulary: &Vocabulary) -> Vec<Requirement> {
        let occupied = self.domains(vocabulary, |domain, count| {
            count > 0 && asked.pod.has(domain, vocabulary) && asked.node.has(domain, vocabulary)
        });
        if !occupied.is_empty() {
            return vec![Requirement::any_of(occupied)];
        }
        if !asked.is_selected || !self.may_begin(asked.pod, vocabulary) {
            return Vec::new();
        }
        // One domain that both allow, and one that the pod allows: upstream takes both, each as a map's order has it.
        let pods = self.domains(vocabulary, |domain, _| asked.pod.has(domain, vocabulary));
        let both = pods.iter().filter(|domain| asked.node.has(**domain, vocabulary));
        let mut choices: Vec<Requirement> = Vec::new();
        let mut push = |choice: Requirement| {
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        };
        let both: Vec<Value> = both.copied().collect();
        for first in &both {
            for second in &pods {
                push(Requirement::any_of([*first, *second]));
            }
        }
        if both.is_empty() {
            for second in &pods {
                push(Requirement::one(*second));
            }
        }
        choices
    }
}
