//! `node`: for which pods a node was launched, where they went and why, and what becomes of the node.

use super::cluster::{ClusterArgs, NamespaceArgs};
use super::input::InputArgs;
use super::output::Output;
use super::question::require_objects;
use super::select::{nearest, without_group};
use super::world::with_provider;
use super::{Failure, Io, Outcome};
use crate::explain::node::{Subject, node_answer};
use crate::model::names::NodeName;
use crate::reconstruct::World;
use crate::report::{NodeReport, Report};

/// Arguments of `node`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    kubectl landed node ip-10-0-2-7.ec2.internal\n  \
    kubectl landed node ip-10-0-2-7.ec2.internal -f dump.json -o json")]
pub struct Args {
    /// Node, as NAME or node/NAME; one that is gone is found while events, a log or its NodeClaim tell of it
    #[arg(value_name = "NODE")]
    pub name: String,
    /// The rest.
    #[command(flatten)]
    pub common: Common,
}

/// What `node` and `nodeclaim` share.
#[derive(clap::Args, Debug)]
pub struct Common {
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

/// Answers.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let name = bare(&args.name, &["node", "nodes", "no"], "node")?;
    answer(&args.common, io, |world| {
        Subject::node(world, name).ok_or_else(|| {
            let known = world.chronicle.nodes.keys().map(NodeName::as_str);
            unknown("node", name, &nearest(name, known))
        })
    })
}

/// The name behind a kind that may stand before it.
pub(super) fn bare<'n>(name: &'n str, kinds: &[&str], wanted: &str) -> Result<&'n str, Failure> {
    let Some((kind, bare)) = name.split_once('/') else { return Ok(name) };
    let kind = without_group(kind);
    if kinds.contains(&kind.to_ascii_lowercase().as_str()) {
        return Ok(bare);
    }
    let failure = Failure::new(format!("{name} is no {wanted}"));
    Err(match kind {
        "node" | "nodes" | "no" => failure.hint(format!("kubectl landed node {bare}")),
        "nodeclaim" | "nodeclaims" => failure.hint(format!("kubectl landed nodeclaim {bare}")),
        "pod" | "pods" | "po" => failure.hint(format!("kubectl landed explain {bare}")),
        _ => failure.hint(format!("kubectl landed {wanted} NAME")),
    })
}

/// Says that a name is not there, and which names are most like it.
pub(super) fn unknown(kind: &str, name: &str, near: &[&str]) -> Failure {
    let failure = Failure::new(format!("{kind}/{name} is neither in this input nor in its events"));
    if near.is_empty() {
        return failure.hint(format!("add the output of: kubectl get {kind}s -o json"));
    }
    failure.hint(format!("the nearest names are {}", near.join(", ")))
}

/// Reads, finds and prints.
pub(super) fn answer(
    common: &Common,
    io: &mut Io<'_>,
    find: impl for<'w> FnOnce(&'w World<'_>) -> Result<Subject<'w>, Failure>,
) -> Result<Outcome, Failure> {
    let everywhere = NamespaceArgs::default();
    let mut input = common.input.load(&common.cluster, &everywhere, io)?;
    require_objects(&input)?;
    let report = with_provider(&mut input, |world, provided| {
        let answer = node_answer(world, find(world)?);
        Ok::<_, Failure>(NodeReport::of(world, &answer, provided))
    })?;
    input.answered(&Report::from(report), &common.output, io)?;
    Ok(Outcome::Done)
}
