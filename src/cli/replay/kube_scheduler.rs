//! `replay kube-scheduler`: takes each pod off its node, alone, and schedules it again on what remains.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Format;
use crate::cli::input::InputArgs;
use crate::cli::{Failure, Io, Outcome};
use crate::kube_scheduler::{Decision, NodeVerdict, PreFilterOutcome, Refusal, Scheduler, Version};
use crate::model::cluster_state::ClusterState;
use crate::model::gap::Gap;
use crate::model::names::PodKey;

/// Arguments of `replay kube-scheduler`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Pods, as NAMESPACE/NAME, separated by commas [default: all that are not of a DaemonSet and not finished]
    #[arg(long, value_name = "PODS", value_delimiter = ',')]
    pub pods: Vec<String>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Format,
    /// The input.
    #[command(flatten)]
    pub input: InputArgs,
}

/// What a plugin said, in the referee's shape.
#[derive(Debug, Serialize)]
struct Verdict {
    code: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<String>,
}

/// One scorer's value for one node.
#[derive(Debug, Serialize)]
struct Score {
    raw: i64,
    normalized: i64,
    weighted: i64,
}

/// Everything that was said of one node.
#[derive(Debug, Serialize)]
struct Node {
    name: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    rejected: BTreeMap<&'static str, Verdict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    scores: BTreeMap<&'static str, Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<i64>,
}

/// The answer for one pod, in the referee's shape.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pod: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pre_enqueue: Option<Verdict>,
    pre_filter: BTreeMap<&'static str, Verdict>,
    pre_score: BTreeMap<&'static str, &'static str>,
    nodes: Vec<Node>,
    feasible: Vec<String>,
    best: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pick: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nominated: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    victims: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<Gap>,
}

/// Replays kube-scheduler for the pods that are asked about.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let mut input = args.input.load_files(io)?;
    let state = &input.snapshot.objects;
    let pods = if args.pods.is_empty() { all(state) } else { super::named(&args.pods)? };
    let mut scheduler = Scheduler::new(state, &input.scheduler, input.scheduler_version.clone());
    input.timings.end_of("counting what is on the nodes");
    let answers = answers(&mut scheduler, &pods)?;
    input.finish("replay", io, |io| super::print(&answers, io))?;
    // As with the input: the run is over.
    std::mem::forget(scheduler);
    Ok(Outcome::Done)
}

/// Asks about each pod in turn.
pub fn answers(scheduler: &mut Scheduler, pods: &[PodKey]) -> Result<Vec<Answer>, Failure> {
    pods.iter()
        .map(|key| match scheduler.schedule(key) {
            Some(decision) => Ok(Answer::from(&decision)),
            None => Err(Failure::new(format!(
                "pod/{} is not in namespace {} of this snapshot",
                key.name, key.namespace
            ))),
        })
        .collect()
}

fn all(state: &ClusterState) -> Vec<PodKey> {
    let asked = state.pods.iter().filter(|pod| !pod.is_terminal() && !pod.is_daemon());
    asked.map(|pod| pod.key()).collect()
}

impl From<&Decision> for Answer {
    fn from(decision: &Decision) -> Self {
        let version = &decision.version;
        let names = |names: &[crate::model::names::NodeName]| -> Vec<String> {
            let mut names: Vec<String> = names.iter().map(ToString::to_string).collect();
            names.sort();
            names
        };
        let candidate =
            decision.preemption.as_ref().and_then(|preemption| preemption.nominated.as_ref());
        let pre_filter = decision.pre_filter.iter().map(|said| {
            let verdict = match &said.outcome {
                PreFilterOutcome::Skips => {
                    Verdict { code: "Skip", reasons: Vec::new(), nodes: Vec::new() }
                }
                PreFilterOutcome::Narrows(nodes) => {
                    Verdict { code: "Success", reasons: Vec::new(), nodes: names(nodes) }
                }
                PreFilterOutcome::Refuses(refusal) => verdict(refusal, version),
            };
            (said.plugin, verdict)
        });
        Self {
            pod: decision.pod.to_string(),
            bound: decision.bound.as_ref().map(ToString::to_string),
            pre_enqueue: decision.pre_enqueue.last().map(|refusal| verdict(refusal, version)),
            pre_filter: pre_filter.collect(),
            pre_score: decision.pre_score_skipped.iter().map(|name| (*name, "Skip")).collect(),
            nodes: decision.nodes.iter().map(|node| self::node(node, version)).collect(),
            feasible: names(&decision.feasible),
            best: names(&decision.best),
            pick: decision.pick.as_ref().map(ToString::to_string),
            message: decision.message.clone(),
            nominated: candidate.map(|candidate| candidate.node.to_string()),
            victims: candidate
                .iter()
                .flat_map(|candidate| &candidate.deleted)
                .map(ToString::to_string)
                .collect(),
            error: decision.error.clone(),
            gaps: decision.gaps.clone(),
        }
    }
}

fn verdict(refusal: &Refusal, version: &Version) -> Verdict {
    Verdict {
        code: refusal.code.as_str(),
        reasons: refusal.reasons.iter().map(|reason| reason.message(version)).collect(),
        nodes: Vec::new(),
    }
}

fn node(said: &NodeVerdict, version: &Version) -> Node {
    let rejected = said.refusals.iter().map(|it| (it.plugin, verdict(it, version)));
    let scores = said.scores.iter().map(|score| {
        let value =
            Score { raw: score.raw, normalized: score.normalized, weighted: score.weighted };
        (score.plugin, value)
    });
    Node {
        name: said.node.to_string(),
        rejected: rejected.collect(),
        first: said.first.as_ref().map(|refusal| refusal.plugin),
        scores: scores.collect(),
        total: said.total,
    }
}
