//! `version`: this program's version, and the upstream versions that it replays.

use super::{Failure, Io, Outcome};

/// Arguments of `version`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Prints the version.
pub fn run(_: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    writeln!(io.out, "landed {}", env!("CARGO_PKG_VERSION"))?;
    Ok(Outcome::Done)
}
