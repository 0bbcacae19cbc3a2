//! `why`: what a pasted message or a cause's code means.

use super::output::Output;
use super::{Failure, Io, Outcome};
use crate::explain::codes;
use crate::explain::messages::recognise;
use crate::render::render_prose;

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
    if let Some(cause) = codes::of(text.trim()) {
        let style = Output::default().style(io);
        io.out.write_all(render_prose(cause.page, &style).as_bytes())?;
        return Ok(Outcome::Done);
    }
    let found = recognise(&text);
    if found.is_empty() {
        let failure = Failure::new("no message and no code of a cause is recognised in this text");
        return Err(failure.hint(known(text.trim())));
    }
    for message in found {
        writeln!(io.out, "{} ({})\n  {}", message.form, message.origin, message.meaning)?;
    }
    Ok(Outcome::Done)
}

/// The codes that a text may have meant: those that hold it, else all.
fn known(text: &str) -> String {
    let all = codes::CODES.iter().map(|cause| cause.code);
    let near: Vec<&str> =
        all.clone().filter(|code| !text.is_empty() && code.contains(text)).collect();
    let codes = if near.is_empty() { all.collect() } else { near };
    format!("the codes are {}", codes.join(", "))
}
