//! Where a cluster is read from. All input and output of files and networks ends here.

#[cfg(feature = "live")]
pub mod live;
