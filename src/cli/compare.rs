//! `compare`: why two pods landed differently.

use super::question::Question;
use super::select::{Scope, pods};
use super::world::with_world;
use super::{Failure, Io, Outcome};
use crate::explain::explain;
use crate::model::names::PodKey;
use crate::reconstruct::{World, landing};
use crate::report::{Comparison, Report};

/// Arguments of `compare`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    kubectl landed compare web-1 web-2\n  \
    kubectl landed compare -n shop web-1 web-2 -f dump.json -o wide")]
pub struct Args {
    /// The one pod, as POD or pod/NAME
    #[arg(value_name = "POD")]
    pub one: String,
    /// The other
    #[arg(value_name = "POD")]
    pub other: String,
    /// Of what, and how to answer.
    #[command(flatten)]
    pub question: Question,
}

/// Compares.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let (mut input, scope) = args.question.load(io)?;
    let report = with_world(&mut input, |world| comparison(world, &scope, args))?;
    input.answered(&Report::from(report), &args.question.output, io)?;
    Ok(Outcome::Done)
}

fn comparison(world: &World<'_>, scope: &Scope, args: &Args) -> Result<Comparison, Failure> {
    let one = single(world, scope, &args.one)?;
    let other = single(world, scope, &args.other)?;
    if one == other {
        let failure = Failure::new(format!("{one} is compared with itself"));
        return Err(failure.hint("kubectl landed compare POD POD takes two pods"));
    }
    let explained = |key: &PodKey| {
        let landing = landing(world, key);
        landing.map(explain).ok_or_else(|| Failure::new(format!("{key} is not in this input")))
    };
    Ok(Comparison::of([&explained(&one)?, &explained(&other)?]))
}

/// The one pod that a name means.
fn single(world: &World<'_>, scope: &Scope, name: &str) -> Result<PodKey, Failure> {
    let found = pods(&world.snapshot.objects, &world.chronicle, scope, Some(name), None)?;
    match found.as_slice() {
        [only] => Ok(only.clone()),
        several => {
            let names: Vec<String> = several.iter().take(5).map(ToString::to_string).collect();
            let failure = Failure::new(format!("{name} is {} pods, not one", several.len()));
            Err(failure.hint(format!("name one of them: {}", names.join(", "))))
        }
    }
}
