//! `nodeclaim`: the same as `node`, by the name of the NodeClaim.

use super::node::{Common, answer, bare, unknown};
use super::select::nearest;
use super::{Failure, Io, Outcome};
use crate::explain::node::Subject;
use crate::model::names::NodeClaimName;

/// Arguments of `nodeclaim`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    kubectl landed nodeclaim general-x4k2p\n  \
    kubectl landed nodeclaim general-x4k2p -f dump.json -o json")]
pub struct Args {
    /// NodeClaim, as NAME or nodeclaim/NAME; one that is gone is found while events or a log tell of it
    #[arg(value_name = "NODECLAIM")]
    pub name: String,
    /// The rest.
    #[command(flatten)]
    pub common: Common,
}

/// Answers.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let name = bare(&args.name, &["nodeclaim", "nodeclaims"], "nodeclaim")?;
    answer(&args.common, io, |world| {
        Subject::claim(world, name).ok_or_else(|| {
            let known = world.chronicle.claims.keys().map(NodeClaimName::as_str);
            unknown("nodeclaim", name, &nearest(name, known))
        })
    })
}
