//! `why`: what a pasted message, a cause's code or the word of a verdict means.

use super::output::Output;
use super::{Failure, Io, Outcome};
use crate::explain::codes;
use crate::explain::messages::recognise;
use crate::render::{class_meaning, render_prose, safe};
use crate::report::Class;

/// Arguments of `why`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    kubectl landed why \"0/3 nodes are available: 3 Insufficient cpu.\"\n  \
    kubectl landed why soft-rule-sized-nodes")]
pub struct Args {
    /// Message as Karpenter or kube-scheduler wrote it, the code of a cause, or the word of a verdict
    #[arg(value_name = "TEXT|CODE", required = true)]
    pub text: Vec<String>,
}

/// Explains a message, a code or a verdict.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let text = args.text.join(" ");
    let style = Output::default().style(io);
    if let Some(cause) = codes::of(text.trim()) {
        io.out.write_all(render_prose(cause.page, &style).as_bytes())?;
        return Ok(Outcome::Done);
    }
    if let Ok(class) = serde_json::from_value::<Class>(text.trim().into()) {
        let page = format!("# {}\n{}\n", text.trim(), class_meaning(class));
        io.out.write_all(render_prose(&page, &style).as_bytes())?;
        return Ok(Outcome::Done);
    }
    let found = recognise(&text);
    if found.is_empty() {
        let failure = Failure::new(
            "no message, no code of a cause and no verdict is recognised in this text",
        );
        return Err(failure.hint(known(text.trim())));
    }
    for message in found {
        // What was pasted may span lines; a heading does not. It may also be from somewhere.
        let (form, meaning) = (message.form.replace('\n', " "), safe(&message.meaning));
        let page = format!("# {form} ({})\n{meaning}\n", message.origin);
        io.out.write_all(render_prose(&page, &style).as_bytes())?;
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
