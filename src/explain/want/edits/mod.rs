//! The changes that are tried, one a file and a row here.

mod declare_preference;
mod drop_hard_rule;
mod drop_soft_rule;
mod hard_spread;
mod ignore_preferences;
mod lower_requests;
mod node_selector;
mod pool_limit;
mod pool_requirement;
mod pool_weight;
mod startup_taint;
mod toleration;

use super::change::Edit;
use super::scene::Scene;
use super::target::Goal;

/// One kind of change.
pub struct Proposer {
    /// Its code; it never changes its meaning.
    pub code: &'static str,
    /// The changes of this kind that may help in a scene.
    pub propose: fn(&Scene<'_>, &Goal) -> Vec<Edit>,
}

/// Every kind of change; of those of one size the first is tried first.
pub const EDITS: &[Proposer] = &[
    declare_preference::PROPOSER,
    drop_soft_rule::PROPOSER,
    node_selector::PROPOSER,
    startup_taint::PROPOSER,
    toleration::PROPOSER,
    drop_hard_rule::PROPOSER,
    hard_spread::PROPOSER,
    lower_requests::PROPOSER,
    pool_requirement::PROPOSER,
    pool_limit::PROPOSER,
    pool_weight::PROPOSER,
    ignore_preferences::PROPOSER,
];
