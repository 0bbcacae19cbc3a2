//! The causes by code, each with its page. A code never changes its meaning.

use super::detectors::{bound, pending};

/// A cause as people ask for it: by its code.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The code.
    pub code: &'static str,
    /// The page that explains it, as Markdown: `docs/causes/CODE.md`.
    pub page: &'static str,
}

impl Code {
    /// What it means, in one or two sentences: the page's first paragraph.
    pub fn meaning(&self) -> &'static str {
        self.page.lines().skip(1).find(|line| !line.is_empty()).unwrap_or_default()
    }
}

/// The cause of a code.
pub fn of(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|known| known.code == code)
}

const fn code(code: &'static str, page: &'static str) -> Code {
    Code { code, page }
}

/// Every code, in the order of the detectors.
pub const CODES: &[Code] = &[
    code(pending::startup_taint::CODE, include_str!("../../docs/causes/startup-taint-stays.md")),
    code(
        pending::preference_hardened::CODE,
        include_str!("../../docs/causes/preferred-term-hardened.md"),
    ),
    code(pending::launch_failed::CODE, include_str!("../../docs/causes/launch-failed.md")),
    code(
        pending::prefers_no_karpenter_node::CODE,
        include_str!("../../docs/causes/prefers-no-karpenter-node.md"),
    ),
    code(pending::restricted_label::CODE, include_str!("../../docs/causes/restricted-label.md")),
    code(pending::dra_ignored::CODE, include_str!("../../docs/causes/dra-ignored.md")),
    code(pending::other_scheduler::CODE, include_str!("../../docs/causes/other-scheduler.md")),
    code(pending::plan_not_kept::CODE, include_str!("../../docs/causes/room-taken-by-others.md")),
    code(
        pending::existing_pods_anti_affinity::CODE,
        include_str!("../../docs/causes/existing-pods-anti-affinity.md"),
    ),
    code(pending::volume_limit::CODE, include_str!("../../docs/causes/volume-limit.md")),
    code(pending::spread_pins_zone::CODE, include_str!("../../docs/causes/spread-pins-domain.md")),
    code(
        pending::daemon_overhead::CODE,
        include_str!("../../docs/causes/daemonset-limits-only.md"),
    ),
    code(pending::volume_place::CODE, include_str!("../../docs/causes/volume-out-of-reach.md")),
    code(pending::no_nodepool_fits::CODE, include_str!("../../docs/causes/no-nodepool-fits.md")),
    code(pending::nodepool_limit::CODE, include_str!("../../docs/causes/nodepool-limit.md")),
    code(pending::waits_for_node::CODE, include_str!("../../docs/causes/waits-for-node.md")),
    code(pending::waits_for_node::FROZEN, include_str!("../../docs/causes/provisioning-frozen.md")),
    code(pending::no_node_fits::CODE, include_str!("../../docs/causes/no-node-fits.md")),
    code(bound::preempted::CODE, include_str!("../../docs/causes/preempted.md")),
    code(bound::room_freed::CODE, include_str!("../../docs/causes/room-freed.md")),
    code(bound::ready_first::CODE, include_str!("../../docs/causes/other-node-ready-first.md")),
    code(bound::took_others_room::CODE, include_str!("../../docs/causes/took-others-room.md")),
    code(bound::soft_rule_sized::CODE, include_str!("../../docs/causes/soft-rule-sized-nodes.md")),
    code(bound::equal_pods_swapped::CODE, include_str!("../../docs/causes/equal-pods-swapped.md")),
    code(bound::had_room_already::CODE, include_str!("../../docs/causes/had-room-already.md")),
    code(
        bound::had_room_already::WEIGHTS,
        include_str!("../../docs/causes/weights-not-consulted.md"),
    ),
    code(
        bound::allocatable_shortfall::CODE,
        include_str!("../../docs/causes/allocatable-below-prediction.md"),
    ),
    code(
        bound::allocatable_mispredicted::CODE,
        include_str!("../../docs/causes/allocatable-mispredicted.md"),
    ),
    code(bound::intended_refused::CODE, include_str!("../../docs/causes/intended-refused.md")),
    code(bound::outscored::CODE, include_str!("../../docs/causes/scored-lower.md")),
    code(bound::outscored::TIE, include_str!("../../docs/causes/tie.md")),
    code(bound::sampled_out::CODE, include_str!("../../docs/causes/sampled-out.md")),
    code(bound::relaxed_preference::CODE, include_str!("../../docs/causes/relaxed-preference.md")),
    code(bound::other_offering::CODE, include_str!("../../docs/causes/other-offering-launched.md")),
];
