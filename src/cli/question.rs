//! What `explain`, `audit` and `compare` share: where to look, what to read, how to print.

use super::cluster::{ClusterArgs, NamespaceArgs};
use super::input::{Input, InputArgs};
use super::output::Output;
use super::select::Scope;
use super::{Failure, Io};
use crate::model::gap::{Gap, GapKind};
use crate::sources::error::GOOD_DUMP;

/// Flags of a question about pods.
#[derive(clap::Args, Clone, Debug)]
pub struct Question {
    /// Where to look.
    #[command(flatten)]
    pub namespace: NamespaceArgs,
    /// How to print.
    #[command(flatten)]
    pub output: Output,
    /// What to read.
    #[command(flatten)]
    pub input: InputArgs,
    /// Which cluster.
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

impl Question {
    /// Reads what there is to ask about, and where to look in it.
    pub fn load(&self, io: &mut Io<'_>) -> Result<(Input, Scope), Failure> {
        let input = self.input.load(&self.cluster, &self.namespace, io)?;
        require_objects(&input)?;
        let scope = Scope::of(&self.namespace, &input);
        Ok((input, scope))
    }
}

/// Fails for an input that holds nothing to ask about, or no nodes although there must have been some.
pub(super) fn require_objects(input: &Input) -> Result<(), Failure> {
    let lists = &input.snapshot.objects;
    if !lists.nodes.is_empty() {
        return Ok(());
    }
    if lists.pods.is_empty() {
        return Err(Failure::new("the input holds neither pods nor nodes").hint(GOOD_DUMP));
    }
    // Karpenter starts a cluster from nothing: only then are NodePools and pods that wait a whole picture. Nodes that may
    // not be read, or cannot be, are a gap of the answer.
    let from_nothing =
        !lists.node_pools.is_empty() && lists.pods.iter().all(|pod| pod.node_name.is_none());
    if from_nothing || input.snapshot.gaps.iter().any(keeps_nodes_out) {
        return Ok(());
    }
    let hint = "add the output of: kubectl get nodes -o json";
    Err(Failure::new("the input holds no nodes, so neither replay has anything to place pods on")
        .hint(hint))
}

/// Whether a gap tells why no node was read.
fn keeps_nodes_out(gap: &Gap) -> bool {
    match gap.kind {
        GapKind::Damaged => true,
        GapKind::Forbidden | GapKind::Absent | GapKind::Unreadable => {
            gap.subject == "nodes" || gap.subject.starts_with("node/")
        }
        _ => false,
    }
}
