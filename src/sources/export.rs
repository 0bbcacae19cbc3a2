//! What leaves a cluster: a dump that `-f` reads again, without what nobody else should see.

mod allow;
mod redact;
mod write;

pub use redact::{Redaction, Redactor};
pub use write::{Dump, Format, WriteError, write};
