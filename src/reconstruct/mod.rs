//! What happened, rebuilt from what a snapshot shows of it afterwards: the lives of the objects, Karpenter's passes, the
//! state of the cluster at a moment, and for one pod where it was meant to go and where it went.

pub mod chronicle;
pub mod moment;
pub mod passes;
pub mod state_at;
pub mod stories;

pub use chronicle::Chronicle;
pub use moment::{Clock, Moment};
