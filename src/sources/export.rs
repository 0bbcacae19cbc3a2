//! What leaves a cluster: a dump that `-f` reads again, without what nobody else should see.

mod allow;
mod anonymise;
mod raw;
mod redact;
mod write;

pub use anonymise::Anonymiser;
pub use raw::objects as raw_objects;
pub use redact::{Redaction, Redactor};
pub use write::{Dump, Format, WriteError, write};
