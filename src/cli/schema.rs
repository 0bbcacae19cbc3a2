//! `schema`: prints the JSON Schema of a kind of document.

use super::{Failure, Io, Outcome};
use crate::report::SCHEMAS;

/// Arguments of `schema`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  # Which kinds of document there are
  kubectl landed schema
  # The schema of what `explain -o json` prints for one pod
  kubectl landed schema Explanation > explanation.json

Within one apiVersion fields are only added, and enumerations may gain values.")]
pub struct Args {
    /// The kind; without one, all kinds are listed
    #[arg(value_name = "KIND")]
    pub kind: Option<String>,
}

/// Prints the schema, or the kinds.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let Some(wanted) = &args.kind else {
        let widest = SCHEMAS.iter().map(|schema| schema.kind.len()).max().unwrap_or_default();
        for schema in &SCHEMAS {
            writeln!(io.out, "{:widest$}  {}", schema.kind, schema.about)?;
        }
        return Ok(Outcome::Done);
    };
    let found = SCHEMAS.iter().find(|schema| schema.kind.eq_ignore_ascii_case(wanted));
    let Some(schema) = found else {
        let kinds: Vec<&str> = SCHEMAS.iter().map(|schema| schema.kind).collect();
        return Err(Failure::new(format!("no document is of kind {wanted:?}"))
            .hint(format!("the kinds are {}", kinds.join(", ")))
            .code(2));
    };
    io.out.write_all(schema.text().as_bytes())?;
    Ok(Outcome::Done)
}
