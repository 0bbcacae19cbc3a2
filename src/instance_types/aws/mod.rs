//! AWS: how `karpenter-provider-aws` turns EC2's facts, an EC2NodeClass and its own settings into instance types.

pub mod ami_family;
pub mod capacity;
pub mod node_class;
pub mod overhead;
pub mod settings;
