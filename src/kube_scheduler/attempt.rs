//! `Attempt`: the filters of one cycle, ready to look at nodes.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::names::NodeName;

use super::decision::{Code, PreFilterOutcome, PreFilterVerdict, Refusal};
use super::framework::{Check, Cycle, PreFiltered, Trial, Verdict};
use super::lineup::{Lineup, has_pre_filter, plugin};
use super::node_info::NodeInfo;
use super::pod_info::PodInfo;
use super::rejection::Rejection;

/// The filters of one cycle, ready to look at nodes.
pub(crate) struct Attempt<'a> {
    /// What is scheduled, and on what.
    pub(crate) cycle: &'a Cycle<'a>,
    /// What each plugin said of the pod.
    pub(crate) pre_filter: Vec<PreFilterVerdict>,
    /// Whether and how the pod as such is refused.
    pub(crate) outcome: Outcome,
    /// The places in `PLUGINS` whose PreFilter ran before the pod was refused.
    pub(crate) pre_filter_ran: Vec<usize>,
    /// What looks at the nodes, in filter order.
    checks: Vec<(usize, Check<'a>, bool)>,
}

/// What comes of the pod before any node is looked at.
pub(crate) enum Outcome {
    /// All nodes are looked at.
    AllNodes,
    /// Only these nodes are looked at; the plugins that say so, in the order of their names.
    Narrowed(BTreeSet<NodeName>, Vec<&'static str>),
    /// No node is looked at.
    Refused(Refusal),
    /// The attempt fails.
    Failed(String),
}

impl<'a> Attempt<'a> {
    /// Lets every plugin look at the pod.
    pub(crate) fn new(cycle: &'a Cycle<'a>, lineup: &Lineup) -> Self {
        let mut places: Vec<usize> = lineup.pre_filter.clone();
        places.extend(lineup.filter.iter().filter(|at| !lineup.pre_filter.contains(at)));
        let mut looked: Vec<(usize, PreFiltered<'a>)> = places
            .into_iter()
            .filter_map(|at| plugin(at).filter.map(|filter| (at, filter(cycle))))
            .collect();
        let pre_filter = looked.iter().filter(|(at, _)| lineup.pre_filter.contains(at));
        let pre_filter = pre_filter.filter_map(|(at, said)| verdict(*at, said)).collect();
        let (outcome, pre_filter_ran) = outcome(&looked, lineup);
        let mut checks = Vec::new();
        for at in &lineup.filter {
            let Some(found) = looked.iter().position(|(other, _)| other == at) else { continue };
            // A filter whose PreFilter is switched off lacks what that would have worked out.
            let version = cycle.version();
            let lacks = has_pre_filter(*at, version)
                && !lineup.pre_filter.contains(at)
                && plugin(*at).name != "NodeAffinity";
            match looked.swap_remove(found).1 {
                PreFiltered::PerNode(check) | PreFiltered::Narrowed(_, check) => {
                    checks.push((*at, check, lacks));
                }
                PreFiltered::Skips | PreFiltered::Refuses(..) => {}
            }
        }
        Self { cycle, pre_filter, outcome, pre_filter_ran, checks }
    }

    /// Every filter that refuses a node, each asked alone, in filter order.
    pub(crate) fn refusals(&self, node: &NodeInfo) -> Vec<Refusal> {
        let trial = Trial::bare(node);
        let refusals = self.checks.iter().filter_map(|(at, check, _)| refusal(*at, check(&trial)));
        refusals.collect()
    }

    /// Whether a node is looked at as it is, by filters that all have what they need.
    pub(crate) fn is_plain(&self, node: &NodeInfo) -> bool {
        !self.checks.iter().any(|(_, _, lacks)| *lacks) && self.nominated(node).is_empty()
    }

    /// The first filter that refuses a node. As upstream's `RunFilterPlugins`.
    fn first(&self, trial: &Trial<'_>) -> Option<Refusal> {
        self.checks.iter().find_map(|(at, check, lacks)| {
            if *lacks {
                return Some(lacking(*at));
            }
            refusal(*at, check(trial))
        })
    }

    /// The filter that decides about a node from which some pods are thought away, with the pods that are nominated to
    /// it. As upstream's `RunFilterPluginsWithNominatedPods`.
    pub(crate) fn decide(&self, node: &NodeInfo, removed: &[Arc<PodInfo>]) -> Option<Refusal> {
        let nominated = self.nominated(node);
        if !nominated.is_empty() {
            let changed = node.changed(&nominated, removed);
            let trial = Trial { info: &changed, added: &nominated, removed };
            if let Some(refusal) = self.first(&trial) {
                return Some(refusal);
            }
        }
        if removed.is_empty() {
            return self.first(&Trial::bare(node));
        }
        let changed = node.changed(&[], removed);
        self.first(&Trial { info: &changed, added: &[], removed })
    }

    /// The pods that are nominated to a node and that the pod must leave room for.
    pub(crate) fn nominated(&self, node: &NodeInfo) -> Vec<Arc<PodInfo>> {
        let pod = self.cycle.pod();
        let is_same = |other: &PodInfo| {
            let (a, b) = (&other.pod.meta, &pod.meta);
            a.uid == b.uid && !a.uid.as_str().is_empty()
                || a.name == b.name && a.namespace == b.namespace
        };
        let nominated = self.cycle.cluster.nominated.get(&node.name).into_iter().flatten();
        let held = nominated
            .filter(|other| other.pod.priority() >= pod.priority() && !is_same(other))
            .cloned();
        held.collect()
    }
}

fn refusal(at: usize, verdict: Verdict) -> Option<Refusal> {
    match verdict {
        Verdict::Fits => None,
        Verdict::Rejects(code, reasons) => Some(Refusal { plugin: plugin(at).name, code, reasons }),
    }
}

fn lacking(at: usize) -> Refusal {
    let name = plugin(at).name;
    let error = if name == "InterPodAffinity" { "error " } else { "" };
    let text = format!("{error}reading \"PreFilter{name}\" from cycleState: not found");
    Refusal { plugin: name, code: Code::Error, reasons: vec![Rejection::Failure(text.into())] }
}

/// What is told of a PreFilter; nothing when it just agrees.
fn verdict(at: usize, said: &PreFiltered<'_>) -> Option<PreFilterVerdict> {
    let name = plugin(at).name;
    let outcome = match said {
        PreFiltered::PerNode(_) => return None,
        PreFiltered::Skips => PreFilterOutcome::Skips,
        PreFiltered::Narrowed(nodes, _) => PreFilterOutcome::Narrows(nodes.clone()),
        PreFiltered::Refuses(code, reasons) => PreFilterOutcome::Refuses(Refusal {
            plugin: name,
            code: *code,
            reasons: reasons.clone(),
        }),
    };
    Some(PreFilterVerdict { plugin: name, outcome })
}

/// Goes through the PreFilters in order, as upstream's `RunPreFilterPlugins`; which of them ran.
fn outcome(looked: &[(usize, PreFiltered<'_>)], lineup: &Lineup) -> (Outcome, Vec<usize>) {
    let mut narrowed: Option<BTreeSet<NodeName>> = None;
    let mut by: BTreeSet<&'static str> = BTreeSet::new();
    let mut ran = Vec::new();
    for (at, said) in looked.iter().filter(|(at, _)| lineup.pre_filter.contains(at)) {
        ran.push(*at);
        let name = plugin(*at).name;
        match said {
            PreFiltered::Skips | PreFiltered::PerNode(_) => {}
            PreFiltered::Refuses(Code::Error, reasons) => {
                let reasons: Vec<String> = reasons.iter().map(plain).collect();
                let text = format!("running PreFilter plugin \"{name}\": {}", reasons.join(", "));
                return (Outcome::Failed(text), ran);
            }
            PreFiltered::Refuses(code, reasons) => {
                let refusal = Refusal { plugin: name, code: *code, reasons: reasons.clone() };
                return (Outcome::Refused(refusal), ran);
            }
            PreFiltered::Narrowed(nodes, _) => {
                by.insert(name);
                let nodes: BTreeSet<NodeName> = nodes.iter().cloned().collect();
                let left = match narrowed {
                    None => nodes,
                    Some(before) => before.intersection(&nodes).cloned().collect(),
                };
                if left.is_empty() {
                    let reasons = vec![Rejection::NoNodeSelectedBy(by.iter().copied().collect())];
                    let code = Code::UnschedulableAndUnresolvable;
                    return (Outcome::Refused(Refusal { plugin: name, code, reasons }), ran);
                }
                narrowed = Some(left);
            }
        }
    }
    match narrowed {
        None => (Outcome::AllNodes, ran),
        Some(nodes) => (Outcome::Narrowed(nodes, by.into_iter().collect()), ran),
    }
}

/// The text of a failure, which is the same in every release.
fn plain(reason: &Rejection) -> String {
    reason.message(&super::version::Version::default())
}
