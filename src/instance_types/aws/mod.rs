//! AWS: how `karpenter-provider-aws` turns EC2's facts, an EC2NodeClass and its own settings into instance types.

pub mod ami_family;
pub mod assemble;
pub mod by_name;
pub mod capacity;
pub mod fleet;
pub mod from_list;
mod known_types;
pub mod learned;
pub mod node_class;
pub mod not_listed;
pub mod offerings;
pub mod overhead;
pub mod prices;
pub mod provider;
mod region;
pub mod requirements;
pub mod settings;
pub mod standing;
