//! What the tests of plugins share: one plugin asked about one pod on a small cluster.

use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::testing::TestPod;

use super::cluster::Cluster;
use super::configuration::Arguments;
use super::decision::Code;
use super::framework::{Cycle, Plugin, PreFiltered, Scoring, Trial, Verdict};
use super::node_info::NodeInfo;
use super::version::Version;

/// A question to a plugin.
pub(crate) struct Question {
    pub(crate) state: ClusterState,
    pub(crate) pod: TestPod,
    pub(crate) arguments: Arguments,
    pub(crate) version: Version,
}

/// A pod on a cluster, with the default arguments and the newest release.
pub(crate) fn question(state: ClusterState, pod: TestPod) -> Question {
    Question { state, pod, arguments: Arguments::default(), version: Version::default() }
}

impl Question {
    /// The same question put to another release.
    pub(crate) fn release(mut self, minor: u32) -> Self {
        self.version = Version::of_minor(minor).expect("a release that is replayed");
        self
    }

    fn ask<T>(self, ask: impl FnOnce(&Cycle<'_>) -> T) -> T {
        let mut cluster = Cluster::new(&self.state, self.version);
        let info = cluster.info(&Arc::new(self.pod.build()));
        let cycle =
            Cycle { cluster: &cluster, info: &info, arguments: &self.arguments, pre_scores: true };
        ask(&cycle)
    }

    /// What a filter says of each node, in the order of their names: nothing when it is skipped.
    pub(crate) fn filter(self, plugin: &Plugin) -> Vec<Said> {
        self.ask(|cycle| match plugin.filter.expect("a filter")(cycle) {
            PreFiltered::Skips => Vec::new(),
            PreFiltered::Refuses(code, reasons) => {
                let texts = reasons.iter().map(|reason| reason.message(cycle.version()));
                vec![Said::Refused(code, texts.collect())]
            }
            PreFiltered::PerNode(check) | PreFiltered::Narrowed(_, check) => {
                let nodes = cycle.cluster.by_name.iter().map(|at| &cycle.cluster.nodes[*at]);
                nodes
                    .map(|node| match check(&Trial::bare(node)) {
                        Verdict::Fits => Said::Fits,
                        Verdict::Rejects(code, reasons) => {
                            let texts =
                                reasons.iter().map(|reason| reason.message(cycle.version()));
                            Said::Refused(code, texts.collect())
                        }
                    })
                    .collect()
            }
        })
    }

    /// The raw and the normalized score of each node, in the order of their names; nothing when it is skipped.
    pub(crate) fn score(self, plugin: &Plugin) -> Option<(Vec<i64>, Vec<i64>)> {
        self.ask(|cycle| {
            let nodes: Vec<&NodeInfo> =
                cycle.cluster.by_name.iter().map(|at| &cycle.cluster.nodes[*at]).collect();
            match plugin.score.expect("a scorer")(cycle, &nodes) {
                Scoring::Skips => None,
                Scoring::Scores(raw, normalize) => {
                    let normalized = normalize.apply(&raw);
                    Some((raw, normalized))
                }
                Scoring::Fails(text) => panic!("{text}"),
            }
        })
    }
}

/// What a filter says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Fits,
    Refused(Code, Vec<String>),
}

/// The node may be used.
pub(crate) const FITS: Said = Said::Fits;

/// Refused, and preemption may help.
pub(crate) fn unschedulable(text: &str) -> Said {
    Said::Refused(Code::Unschedulable, vec![text.to_owned()])
}

/// Refused, and nothing can be done about it.
pub(crate) fn unresolvable(text: &str) -> Said {
    Said::Refused(Code::UnschedulableAndUnresolvable, vec![text.to_owned()])
}
