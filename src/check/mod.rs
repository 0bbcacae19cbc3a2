//! `check`: what Karpenter and kube-scheduler will make of manifests, before they are applied.

pub mod position;
mod scalar;
pub mod tree;
pub mod yaml;
