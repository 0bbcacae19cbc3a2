//! The rules, one file each.

mod anti_affinity_repels_others;
mod consolidation_fights_preference;
mod custom_scheduler;
mod daemonset_without_priority;
mod daemonset_without_requests;
mod deprecated_label;
mod dra_claim_ignored;
mod fallback_preference_never_tried;
mod hard_spread_counts_tainted_nodes;
mod hard_spread_without_min_domains;
mod host_port_one_a_node;
mod hostname_pinned;
mod immediate_binding_zonal;
mod limit_below_one_node;
mod limit_too_low;
mod limits_without_requests;
mod match_fields_refused;
mod min_values_cannot_hold;
mod mistyped_label;
mod mistyped_quantity;
mod no_nodepool_fits;
mod nodeclass_missing;
mod nodepool_shadowed;
mod nodepool_unreachable;
mod nodepools_of_equal_weight;
mod only_first_term_used;
mod pdb_allows_no_disruption;
mod plan_leaves_pods;
mod prediction_off_by_a_pod;
mod preference_excludes_karpenter;
mod preference_never_met;
mod preferred_affinity_taken_as_hard;
mod preferred_anti_affinity_taken_as_hard;
mod request_too_large;
mod requests_missing;
mod restricted_label;
mod rollout_counts_old_pods;
mod soft_spread_taken_as_hard;
mod soft_taint_alone;
mod spread_selector_empty;
mod spread_selector_misses_own_pod;
mod startup_taint_never_removed;
mod static_volumes_without_topology;
mod taint_without_toleration;
mod toleration_without_taint;
mod volumes_beyond_attach_limit;
mod weight_yields_to_room;
mod zone_without_offering;

use super::ignore;
use super::rule::Rule;

/// Every rule, in the order in which users see them.
pub const RULES: &[Rule] = &[
    soft_spread_taken_as_hard::RULE,
    preferred_anti_affinity_taken_as_hard::RULE,
    preferred_affinity_taken_as_hard::RULE,
    preference_never_met::RULE,
    preference_excludes_karpenter::RULE,
    fallback_preference_never_tried::RULE,
    only_first_term_used::RULE,
    match_fields_refused::RULE,
    hostname_pinned::RULE,
    restricted_label::RULE,
    deprecated_label::RULE,
    mistyped_label::RULE,
    hard_spread_without_min_domains::RULE,
    hard_spread_counts_tainted_nodes::RULE,
    spread_selector_misses_own_pod::RULE,
    spread_selector_empty::RULE,
    rollout_counts_old_pods::RULE,
    anti_affinity_repels_others::RULE,
    toleration_without_taint::RULE,
    taint_without_toleration::RULE,
    soft_taint_alone::RULE,
    startup_taint_never_removed::RULE,
    requests_missing::RULE,
    limits_without_requests::RULE,
    request_too_large::RULE,
    mistyped_quantity::RULE,
    host_port_one_a_node::RULE,
    daemonset_without_requests::RULE,
    daemonset_without_priority::RULE,
    immediate_binding_zonal::RULE,
    static_volumes_without_topology::RULE,
    volumes_beyond_attach_limit::RULE,
    dra_claim_ignored::RULE,
    custom_scheduler::RULE,
    pdb_allows_no_disruption::RULE,
    nodepools_of_equal_weight::RULE,
    nodeclass_missing::RULE,
    nodepool_unreachable::RULE,
    nodepool_shadowed::RULE,
    limit_below_one_node::RULE,
    zone_without_offering::RULE,
    min_values_cannot_hold::RULE,
    consolidation_fights_preference::RULE,
    no_nodepool_fits::RULE,
    limit_too_low::RULE,
    plan_leaves_pods::RULE,
    weight_yields_to_room::RULE,
    prediction_off_by_a_pod::RULE,
    ignore::UNUSED,
    ignore::WITHOUT_REASON,
];
