//! `replay karpenter`: one provisioning pass over a snapshot, with every outcome that chance allows.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Format;
use crate::cli::input::{Input, InputArgs};
use crate::cli::{self, Failure, Io};
use crate::instance_types::{Options, provider_for};
use crate::karpenter::{self, Batch, NewNodeClaim, Outcome, Plan, VersionError};
use crate::model::names::PodKey;
use crate::model::nodepool::NodeRequirement;

/// Arguments of `replay karpenter`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Bound pods to make pending first, as NAMESPACE/NAME, separated by commas
    #[arg(long, value_name = "PODS", value_delimiter = ',')]
    pub unbind: Vec<String>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Format,
    /// The input.
    #[command(flatten)]
    pub input: InputArgs,
}

/// Every outcome of one pass.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answers {
    answers: Vec<Answer>,
    /// Whether there are outcomes beyond those.
    capped: bool,
}

/// One outcome.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    new_node_claims: Vec<Claim>,
    existing_nodes: Vec<Existing>,
    pod_errors: BTreeMap<String, String>,
    relaxations: Vec<Relaxed>,
}

/// Capacity that Karpenter would launch.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Claim {
    node_pool: String,
    labels: BTreeMap<String, String>,
    requirements: Vec<Requirement>,
    requests: BTreeMap<String, String>,
    instance_types: Vec<String>,
    pods: Vec<String>,
}

/// One of a claim's requirements, its values in order.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Requirement {
    key: String,
    operator: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_values: Option<i64>,
}

/// A node that exists or is being started, and the pods that it is expected to take.
#[derive(Debug, Serialize)]
struct Existing {
    name: String,
    pods: Vec<String>,
}

/// One soft rule that was given up.
#[derive(Debug, Serialize)]
struct Relaxed {
    pod: String,
    reason: String,
}

/// Replays one pass and prints what it comes to.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<cli::Outcome, Failure> {
    let unbind = super::named(&args.unbind)?;
    let mut input = args.input.load_files(io)?;
    require_release(args, &input)?;
    // Ages and grace periods are measured now, as the referee does.
    input.snapshot.objects.at = Some(io.now);
    let answers = answers(&input, &unbind)?;
    input.finish("replay", io, |io| super::print(&answers, io))?;
    Ok(cli::Outcome::Done)
}

/// Fails for a release that is not replayed: this answer has no place to say that another one's rules stand for it.
fn require_release(args: &Args, input: &Input) -> Result<(), Failure> {
    let found = input.snapshot.settings.karpenter_version.as_deref();
    let found = found.filter(|_| args.input.karpenter_version.is_none());
    match found.map(str::parse::<karpenter::Version>) {
        Some(Err(error @ VersionError::Unsupported(_))) => {
            let hint =
                format!("--karpenter-version {} replays it by that one's rules", error.nearest());
            Err(Failure::new(error.to_string()).hint(hint))
        }
        _ => Ok(()),
    }
}

/// Every outcome of one pass, with some bound pods made pending first.
pub fn answers(input: &Input, unbind: &[PodKey]) -> Result<Answers, Failure> {
    let state = &input.snapshot.objects;
    if let Some(missing) = unbind.iter().find(|key| state.pod(key).is_none()) {
        return Err(Failure::new(format!(
            "pod/{} is not in namespace {} of this snapshot",
            missing.name, missing.namespace
        )));
    }
    let options = Options { version: input.karpenter.version, ..Options::default() };
    let provided = provider_for(&input.snapshot, &options);
    let batch =
        Batch { unbind: unbind.iter().cloned().collect::<BTreeSet<_>>(), ..Batch::default() };
    let plan = karpenter::provision(state, &batch, &*provided.provider, &input.karpenter)
        .map_err(|refused| Failure::new(refused.to_string()))?;
    Ok(answers_of(&plan))
}

/// A plan in the referee's shape.
pub fn answers_of(plan: &Plan) -> Answers {
    Answers {
        answers: plan.outcomes.iter().map(|outcome| answer(outcome, plan)).collect(),
        capped: plan.capped,
    }
}

fn answer(outcome: &Outcome, plan: &Plan) -> Answer {
    let mut pod_errors: BTreeMap<String, String> = outcome
        .pod_errors
        .iter()
        .map(|(pod, error)| (pod.to_string(), error.to_string()))
        .collect();
    for left_out in plan.left_out.iter().filter(|left_out| left_out.is_told) {
        pod_errors.entry(left_out.pod.to_string()).or_insert_with(|| left_out.reasons.join("; "));
    }
    Answer {
        new_node_claims: outcome.new_node_claims.iter().map(claim).collect(),
        existing_nodes: outcome
            .existing_nodes
            .iter()
            .filter(|node| !node.pods.is_empty())
            .map(|node| Existing { name: node.name.to_string(), pods: in_order(&node.pods) })
            .collect(),
        pod_errors,
        relaxations: outcome
            .relaxations
            .iter()
            .map(|(pod, relaxation)| Relaxed {
                pod: pod.to_string(),
                reason: relaxation.to_string(),
            })
            .collect(),
    }
}

fn claim(claim: &NewNodeClaim) -> Claim {
    let text = |(key, value): &(crate::model::names::Str, crate::model::names::Str)| {
        (key.to_string(), value.to_string())
    };
    Claim {
        node_pool: claim.node_pool.to_string(),
        labels: claim.labels.iter().map(text).collect(),
        requirements: claim.requirements.iter().map(requirement).collect(),
        requests: claim
            .requests
            .iter()
            .map(|(name, amount)| (name.to_string(), amount.to_string()))
            .collect(),
        instance_types: claim.instance_types.iter().map(|kind| kind.name.to_string()).collect(),
        pods: in_order(&claim.pods),
    }
}

fn requirement(requirement: &NodeRequirement) -> Requirement {
    let mut values: Vec<String> = requirement.values.iter().map(ToString::to_string).collect();
    values.sort();
    Requirement {
        key: requirement.key.to_string(),
        operator: requirement.operator.as_str().to_owned(),
        values,
        min_values: requirement.min_values,
    }
}

fn in_order(pods: &[PodKey]) -> Vec<String> {
    let mut names: Vec<String> = pods.iter().map(ToString::to_string).collect();
    names.sort();
    names
}
