//! `replay`: one component alone, over a dump, with everything that it says. For conformance, and for the curious.

pub mod kube_scheduler;

use clap::{Subcommand, ValueEnum};

use super::{Failure, Io, Outcome};

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
    }
}
