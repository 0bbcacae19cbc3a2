//! Where a cluster is read from. All input and output of files and networks ends here.

pub mod error;
pub mod export;
pub mod files;
#[cfg(feature = "live")]
pub mod live;

pub use error::SourceError;
pub use files::{Files, load, small_file};
