//! `completion`: scripts for shells, and the hidden `__complete` that answers with the names of a cluster.

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use super::{Cli, Failure, Io, Outcome};

/// Arguments of `completion`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL", value_parser = ["bash", "zsh", "fish", "powershell", "kubectl"])]
    pub shell: String,
}

/// The script that kubectl looks for on PATH when it completes `kubectl landed`.
const KUBECTL: &str = "#!/bin/sh\n# kubectl runs this to complete `kubectl landed`: put it on PATH as kubectl_complete-landed.\nexec kubectl-landed __complete \"$@\"\n";

/// Prints a script.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    io.out.write_all(&script(&args.shell))?;
    Ok(Outcome::Done)
}

/// The script of a shell, or kubectl's.
pub fn script(shell: &str) -> Vec<u8> {
    let shell = match shell {
        "bash" => Shell::Bash,
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        "powershell" => Shell::PowerShell,
        _ => return KUBECTL.as_bytes().to_vec(),
    };
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "kubectl-landed", &mut script);
    script
}
