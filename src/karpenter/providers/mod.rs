//! Provider models that belong to Karpenter itself.

mod kwok;

pub use kwok::Kwok;
