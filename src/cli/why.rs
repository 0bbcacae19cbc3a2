//! `why`: what a pasted message or a cause's code means.

use super::{Failure, Io, Outcome};
use crate::explain::codes;
use crate::explain::messages::recognise;

/// Arguments of `why`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    kubectl landed why \"0/3 nodes are available: 3 Insufficient cpu.\"\n  \
    kubectl landed why soft-rule-sized-nodes")]
pub struct Args {
    /// Message as Karpenter or kube-scheduler wrote it, or the code of a cause
    #[arg(value_name = "TEXT|CODE", required = true)]
    pub text: Vec<String>,
}

/// Explains a message or a code.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let text = args.text.join(" ");
    if let Some(meaning) = codes::meaning(text.trim()) {
        writeln!(io.out, "{}\n  {meaning}", text.trim())?;
        return Ok(Outcome::Done);
    }
    let found = recognise(&text);
    if found.is_empty() {
        let known: Vec<&str> = codes::CODES.iter().map(|(code, _)| *code).collect();
        let failure = Failure::new("no message and no code of a cause is recognised in this text");
        return Err(failure.hint(format!("the codes are {}", known.join(", "))));
    }
    for message in found {
        writeln!(io.out, "{} ({})\n  {}", message.form, message.origin, message.meaning)?;
    }
    Ok(Outcome::Done)
}
