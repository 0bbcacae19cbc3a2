//! What happened, rebuilt from what a snapshot shows of it afterwards: the lives of the objects, Karpenter's passes, the
//! state of the cluster at a moment, and for one pod where it was meant to go and where it went.

pub mod binding;
pub mod chronicle;
pub mod groups;
pub mod intent;
pub mod landing;
pub mod moment;
mod order;
mod pass_instants;
pub mod passes;
pub mod pending;
mod recorded;
pub mod relaxed;
pub mod replays;
pub mod room;
pub mod side_by_side;
pub mod state_at;
pub mod stories;
pub mod timeline;
mod volumes_at;
pub mod world;

pub use chronicle::Chronicle;
pub use landing::{Landing, landing};
pub use moment::{Clock, Moment};
pub use world::{Setup, World};

/// A place as kubectl names it: its node, or its NodeClaim while it has none.
pub fn place_text(place: &replays::Place) -> String {
    match (&place.node, &place.claim, &place.node_pool) {
        (Some(node), ..) => format!("node/{node}"),
        (None, Some(claim), _) => format!("nodeclaim/{claim}"),
        (None, None, Some(pool)) => format!("a new node of nodepool/{pool}"),
        (None, None, None) => "a node".to_owned(),
    }
}
