//! `explain`: why a pod landed where it did.

use super::question::Question;
use super::select::{Scope, pods};
use super::world::with_world;
use super::{Failure, Io, Outcome};
use crate::explain::explain;
use crate::explain::want::{Target, wanted};
use crate::model::gap::{Gap, GapKind};
use crate::reconstruct::{World, landing};
use crate::report::{Explanation, ExplanationList, Report, Wanted};

/// Arguments of `explain`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    kubectl landed web-1\n  \
    kubectl landed explain -n shop deploy/web\n  \
    kubectl landed explain web-1 -f after.json -f events.json -o wide\n  \
    kubectl landed explain web-1 --want zone=eu-west-1b")]
pub struct Args {
    /// Pod, or pods of an owner: POD, pod/NAME, deploy/NAME, sts/NAME, job/NAME, ds/NAME
    #[arg(value_name = "POD")]
    pub pod: Option<String>,
    /// Pods with these labels
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub selector: Option<String>,
    /// Find the smallest change that puts the pod there: NODE, zone=…, nodepool=…, instance-type=…, capacity-type=… or
    /// LABEL=VALUE
    #[arg(long, value_name = "TARGET", value_parser = Target::parse)]
    pub want: Option<Target>,
    /// End with exit code 1 when a pod is not where it was meant to be
    #[arg(long)]
    pub exit_code: bool,
    /// Of what, and how to answer.
    #[command(flatten)]
    pub question: Question,
}

/// Explains.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let (mut input, scope) = args.question.load(io)?;
    let mut explanations = with_world(&mut input, |world| answers(world, &scope, args))?;
    let surprised = explanations.iter().any(|answer| answer.verdict.class.is_surprise());
    let report: Report = if explanations.len() == 1 && names_one(args) {
        explanations.remove(0).into()
    } else {
        ExplanationList::new(explanations).into()
    };
    input.answered(&report, &args.question.output, io)?;
    Ok(if args.exit_code && surprised { Outcome::Found } else { Outcome::Done })
}

/// Whether the argument names a single pod, so that the answer is no list.
fn names_one(args: &Args) -> bool {
    let of_pods = |name: &str| match name.split_once('/') {
        Some((kind, _)) => ["pod", "pods", "po"].contains(&kind),
        None => true,
    };
    args.pod.as_deref().is_some_and(of_pods)
}

fn answers(world: &World<'_>, scope: &Scope, args: &Args) -> Result<Vec<Explanation>, Failure> {
    let keys = pods(
        &world.snapshot.objects,
        &world.chronicle,
        scope,
        args.pod.as_deref(),
        args.selector.as_deref(),
    )
    .map_err(|failure| unread(&world.snapshot.gaps, scope, args).unwrap_or(failure))?;
    if args.want.is_some() && keys.len() > 1 {
        return Err(Failure::new(format!(
            "--want is asked of one pod, and these are {}",
            keys.len()
        ))
        .hint("name one of them: a change of its template changes the others too")
        .code(2));
    }
    let landings = keys.iter().filter_map(|key| landing(world, key));
    Ok(landings
        .map(|landing| {
            let explanation = explain(landing);
            let mut answer = Explanation::from(&explanation);
            answer.wanted = args.want.as_ref().map(|target| {
                Wanted::of(&wanted(&explanation.landing, target), &explanation.landing)
            });
            answer
        })
        .collect())
}

/// A pod that is in the input and cannot be read is not one that is not there.
fn unread(gaps: &[Gap], scope: &Scope, args: &Args) -> Option<Failure> {
    let name = args.pod.as_deref()?;
    let name = name.split_once('/').map_or(name, |(_, name)| name);
    let is_it = |gap: &&Gap| {
        let names = gap.subject.strip_prefix("pod/").and_then(|it| it.split_once(" in namespace "));
        gap.kind == GapKind::Unreadable
            && names.is_some_and(|(pod, namespace)| pod == name && scope.holds(&namespace.into()))
    };
    let gap = gaps.iter().find(is_it)?;
    Some(Failure::new(format!("{} {}", gap.subject, gap.detail)))
}
