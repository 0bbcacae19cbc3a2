//! Azure: how `karpenter-provider-azure` turns SKUs and an AKSNodeClass into instance types, as far as public facts go.

pub mod arithmetic;
pub mod assemble;
pub mod name;
pub mod provider;
