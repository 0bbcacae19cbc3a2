//! What happened, rebuilt from what a snapshot shows of it afterwards: the lives of the objects, Karpenter's passes, the
//! state of the cluster at a moment, and for one pod where it was meant to go and where it went.

pub mod binding;
pub mod chronicle;
pub mod groups;
pub mod intent;
pub mod landing;
pub mod moment;
pub mod passes;
pub mod pending;
pub mod replays;
pub mod state_at;
pub mod stories;
pub mod world;

pub use chronicle::Chronicle;
pub use landing::{Landing, landing};
pub use moment::{Clock, Moment};
pub use world::{Setup, World};
