//! `kubectl-landed`: parse, run, exit.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(landed::cli::main())
}
