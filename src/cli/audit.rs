//! `audit`: how all pods landed that Karpenter planned for, and which nodes were launched in vain.

use std::num::NonZero;

use super::question::Question;
use super::world::with_provider;
use super::{Failure, Io, Outcome};
use crate::explain::audit::audit;
use crate::model::names::NamespaceName;
use crate::report::{Audit, Report};

/// Arguments of `audit`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    kubectl landed audit -A\n  \
    kubectl landed audit -n shop -o json\n  \
    kubectl landed audit -A -f dump.json -o markdown")]
pub struct Args {
    /// End with exit code 1 when a pod is not where it was meant to be
    #[arg(long)]
    pub exit_code: bool,
    /// Of what, and how to answer.
    #[command(flatten)]
    pub question: Question,
}

/// Audits.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let (mut input, scope) = args.question.load(io)?;
    let namespace = scope.namespace.as_ref();
    if let Some(wanted) = namespace {
        require_namespace(&input, wanted)?;
    }
    let threads = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let report = with_provider(&mut input, |world, provided| {
        Audit::of(world, &audit(world, namespace, threads), namespace, provided)
    });
    let is_surprising = report.tally.iter().any(|row| row.class.is_surprise());
    input.answered(&Report::from(report), &args.question.output, io)?;
    Ok(if args.exit_code && is_surprising { Outcome::Found } else { Outcome::Done })
}

/// Fails for a namespace that the input knows nothing of.
fn require_namespace(input: &super::input::Input, wanted: &NamespaceName) -> Result<(), Failure> {
    let objects = &input.snapshot.objects;
    let has_pods = objects.pods.iter().any(|pod| pod.meta.namespace == *wanted);
    let is_known = objects.namespaces.iter().any(|known| *known.meta.name == *wanted.0);
    if has_pods || is_known {
        return Ok(());
    }
    let known: std::collections::BTreeSet<&str> =
        objects.pods.iter().map(|pod| pod.meta.namespace.as_str()).collect();
    let known: Vec<&str> = known.into_iter().take(5).collect();
    let failure = Failure::new(format!("no pod is in namespace {wanted} of this input"));
    Err(failure.hint(format!("there are pods in {}; -A asks about all", known.join(", "))))
}
