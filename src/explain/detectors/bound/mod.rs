//! Causes of a pod that runs somewhere.

pub mod allocatable_mispredicted;
pub mod allocatable_shortfall;
pub mod equal_pods_swapped;
pub mod had_room_already;
pub mod intended_refused;
pub mod other_offering;
pub mod outscored;
pub mod preempted;
pub mod ready_first;
pub mod relaxed_preference;
pub mod room_freed;
pub mod sampled_out;
pub mod soft_rule_sized;
pub mod took_others_room;
