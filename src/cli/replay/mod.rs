//! `replay`: one component alone, over a dump, with everything that it says. For conformance, and for the curious.

pub mod karpenter;
pub mod kube_scheduler;

use clap::{Subcommand, ValueEnum};

use super::{Failure, Io, Outcome};
use crate::model::names::PodKey;
use crate::render::escaped;

/// Arguments of `replay`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Which component.
    #[command(subcommand)]
    pub component: Component,
}

/// The components that can be replayed alone.
#[derive(Subcommand, Debug)]
pub enum Component {
    /// What kube-scheduler says of each node for pending or bound pods
    KubeScheduler(kube_scheduler::Args),
    /// What one provisioning pass of Karpenter comes to; every outcome where chance decides
    Karpenter(karpenter::Args),
}

/// How the answers are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// JSON, in the shape of the referees in the conformance tests.
    #[default]
    Json,
}

/// Replays one component.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    match &args.component {
        Component::KubeScheduler(args) => kube_scheduler::run(args, io),
        Component::Karpenter(args) => karpenter::run(args, io),
    }
}

/// Prints answers as JSON.
fn print(answers: &impl serde::Serialize, io: &mut Io<'_>) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(answers).map_err(std::io::Error::from)?;
    writeln!(io.out, "{}", escaped(&json))?;
    Ok(())
}

/// Pods given as `NAMESPACE/NAME`.
fn named(names: &[String]) -> Result<Vec<PodKey>, Failure> {
    let key = |name: &String| {
        PodKey::parse(name).ok_or_else(|| {
            Failure::new(format!("not a pod: {name:?}")).hint("give it as NAMESPACE/NAME").code(2)
        })
    };
    names.iter().map(key).collect()
}
