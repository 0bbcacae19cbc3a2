//! `landed` explains why a pod runs on its node.

pub mod check;
pub mod cli;
pub mod explain;
pub mod ingest;
pub mod instance_types;
pub mod karpenter;
pub mod kube_scheduler;
pub mod model;
pub mod reconstruct;
pub mod render;
pub mod report;
pub mod sources;
#[cfg(test)]
mod testing;
