//! Where a cluster is read from. All input and output of files and networks ends here.

pub mod error;
pub mod export;
pub mod files;
mod layout;
#[cfg(feature = "live")]
pub mod live;
mod opened;
pub mod recording;

pub use error::SourceError;
pub use files::{Files, load, small_file};
