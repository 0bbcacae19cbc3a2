//! What leaves a cluster: a dump that `-f` reads again, without what nobody else should see.

mod allow;
mod anonymise;
mod redact;
mod write;

pub use anonymise::Anonymiser;
pub use redact::{Redaction, Redactor};
pub use write::{Dump, Format, WriteError, write};
