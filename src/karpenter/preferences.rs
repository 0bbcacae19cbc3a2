//! What a pod gives up when it does not fit, in upstream's order.

use std::fmt;

use crate::model::affinity::{PreferredSchedulingTerm, WeightedPodAffinityTerm};
use crate::model::selector::NodeSelectorTerm;
use crate::model::spread::TopologySpreadConstraint;

/// One rule that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relaxation {
    /// The first of several required node affinity terms: the next one is tried.
    RequiredNodeAffinityTerm(NodeSelectorTerm),
    /// The heaviest preferred pod affinity.
    PreferredPodAffinityTerm(WeightedPodAffinityTerm),
    /// The heaviest preferred pod anti-affinity.
    PreferredPodAntiAffinityTerm(WeightedPodAffinityTerm),
    /// The heaviest preferred node affinity.
    PreferredNodeAffinityTerm(PreferredSchedulingTerm),
    /// The first `ScheduleAnyway` spread.
    ScheduleAnywaySpread(TopologySpreadConstraint),
    /// Taints that only prefer to keep pods away.
    PreferNoScheduleTaints,
}

impl Relaxation {
    /// The field that is given up, as upstream's log names it.
    pub const fn field(&self) -> &'static str {
        match self {
            Self::RequiredNodeAffinityTerm(_) => {
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
            }
            Self::PreferredPodAffinityTerm(_) => {
                "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
            }
            Self::PreferredPodAntiAffinityTerm(_) => {
                "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
            }
            Self::PreferredNodeAffinityTerm(_) => {
                "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
            }
            Self::ScheduleAnywaySpread(_) => "spec.topologySpreadConstraints",
            Self::PreferNoScheduleTaints => "spec.tolerations",
        }
    }
}

/// As the beginning of upstream's log line: `removing: <field>`.
impl fmt::Display for Relaxation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PreferNoScheduleTaints => {
                f.write_str("adding: toleration for PreferNoSchedule taints")
            }
            other => write!(f, "removing: {}", other.field()),
        }
    }
}
