//! Causes of a pod that waits.

pub mod daemon_overhead;
pub mod dra_ignored;
pub mod existing_pods_anti_affinity;
pub mod launch_failed;
pub mod no_node_fits;
pub mod no_nodepool_fits;
pub mod nodepool_limit;
pub mod other_scheduler;
pub mod plan_not_kept;
pub mod preference_hardened;
pub mod prefers_no_karpenter_node;
pub mod restricted_label;
pub mod spread_pins_zone;
pub mod startup_taint;
pub mod volume_limit;
pub mod volume_place;
pub mod waits_for_node;
