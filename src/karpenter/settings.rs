//! `Settings`: what the operator set in Karpenter's environment.

use std::collections::BTreeMap;

use crate::model::gap::{Gap, GapKind};
use crate::model::spread::TopologySpreadConstraint;
use crate::model::time::Span;

use super::version::Version;

/// What preferences are worth. `PREFERENCE_POLICY`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreferencePolicy {
    /// Preferences are demands until they are given up, one by one.
    #[default]
    Respect,
    /// Preferences are not looked at.
    Ignore,
}

/// What happens when `minValues` cannot hold. `MIN_VALUES_POLICY`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MinValuesPolicy {
    /// The claim is not made.
    #[default]
    Strict,
    /// The number is lowered to what can be had.
    BestEffort,
}

/// `FEATURE_GATES`, as far as they change a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureGates {
    /// `ReservedCapacity`.
    pub reserved_capacity: bool,
    /// `SpotToSpotConsolidation`.
    pub spot_to_spot_consolidation: bool,
    /// `NodeRepair`.
    pub node_repair: bool,
    /// `NodeOverlay`.
    pub node_overlay: bool,
    /// `StaticCapacity`.
    pub static_capacity: bool,
    /// `CapacityBuffer`.
    pub capacity_buffer: bool,
}

/// How Karpenter was set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Its release.
    pub version: Version,
    /// `PREFERENCE_POLICY`.
    pub preference_policy: PreferencePolicy,
    /// `MIN_VALUES_POLICY`.
    pub min_values_policy: MinValuesPolicy,
    /// `FEATURE_GATES`.
    pub gates: FeatureGates,
    /// `IGNORE_DRA_REQUESTS`.
    pub ignore_dra_requests: bool,
    /// `BATCH_MAX_DURATION`: a node on which a pod is expected is not taken away for twice as long.
    pub batch_max_duration: Span,
    /// `SCHEDULER_CONFIG`: `podTopologySpread.defaultConstraints`.
    pub default_constraints: Vec<TopologySpreadConstraint>,
}

impl Default for Settings {
    fn default() -> Self {
        Self::of_version(Version::LATEST)
    }
}

impl Settings {
    /// A release's defaults.
    pub fn of_version(version: Version) -> Self {
        Self {
            version,
            preference_policy: PreferencePolicy::Respect,
            min_values_policy: MinValuesPolicy::Strict,
            gates: FeatureGates {
                reserved_capacity: version.since(6, 0),
                spot_to_spot_consolidation: false,
                node_repair: false,
                node_overlay: false,
                static_capacity: false,
                capacity_buffer: false,
            },
            ignore_dra_requests: true,
            batch_max_duration: Span::seconds(10),
            default_constraints: Vec::new(),
        }
    }

    /// The settings that environment variables give a release; what cannot be read becomes a gap.
    pub fn from_environment(
        version: Version,
        environment: &BTreeMap<String, String>,
    ) -> (Self, Vec<Gap>) {
        let mut settings = Self::of_version(version);
        let mut gaps = Vec::new();
        for (name, value) in environment {
            if !settings.set(name, value.trim()) {
                let detail = format!("the value {value:?} is not known: the default is assumed");
                gaps.push(Gap::new(GapKind::Assumed, format!("setting {name}"), detail));
            }
        }
        (settings, gaps)
    }

    /// Takes over one variable. `false`: its value is not understood. Variables that do not change a plan are fine.
    fn set(&mut self, name: &str, value: &str) -> bool {
        match name {
            "PREFERENCE_POLICY" => match value {
                "Respect" | "" => self.preference_policy = PreferencePolicy::Respect,
                // As the option came with 1.5, an older release does not look at it.
                "Ignore" if self.version.since(5, 0) => {
                    self.preference_policy = PreferencePolicy::Ignore;
                }
                "Ignore" => {}
                _ => return false,
            },
            "MIN_VALUES_POLICY" => match value {
                "Strict" | "" => self.min_values_policy = MinValuesPolicy::Strict,
                "BestEffort" if self.version.since(6, 0) => {
                    self.min_values_policy = MinValuesPolicy::BestEffort;
                }
                "BestEffort" => {}
                _ => return false,
            },
            "IGNORE_DRA_REQUESTS" => match boolean(value) {
                Some(ignored) => self.ignore_dra_requests = ignored,
                None => return value.is_empty(),
            },
            "BATCH_MAX_DURATION" => match super::duration::parse(value) {
                Some(longest) => self.batch_max_duration = longest,
                None => return value.is_empty(),
            },
            "FEATURE_GATES" => return self.set_gates(value),
            "SCHEDULER_CONFIG" => return self.set_scheduler_config(value),
            _ => {}
        }
        true
    }

    fn set_gates(&mut self, text: &str) -> bool {
        let mut understood = true;
        for entry in text.split(',').filter(|entry| !entry.trim().is_empty()) {
            let Some((name, value)) = entry.split_once('=') else {
                understood = false;
                continue;
            };
            let Some(on) = boolean(value.trim()) else {
                understood = false;
                continue;
            };
            let since = |minor| self.version.since(minor, 0);
            match name.trim() {
                "ReservedCapacity" if since(5) => self.gates.reserved_capacity = on,
                "NodeOverlay" if since(9) => self.gates.node_overlay = on,
                "StaticCapacity" if since(9) => self.gates.static_capacity = on,
                "CapacityBuffer" if since(14) => self.gates.capacity_buffer = on,
                "SpotToSpotConsolidation" => self.gates.spot_to_spot_consolidation = on,
                "NodeRepair" => self.gates.node_repair = on,
                _ => {}
            }
        }
        understood
    }
}

/// A boolean as Go's `strconv.ParseBool` reads it.
fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// The parts of `SCHEDULER_CONFIG` that matter.
#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SchedulerConfig {
    pod_topology_spread: PodTopologySpread,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct PodTopologySpread {
    default_constraints: Vec<DefaultConstraint>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct DefaultConstraint {
    max_skew: i32,
    topology_key: String,
    #[serde(default)]
    when_unsatisfiable: String,
    #[serde(default)]
    min_domains: Option<i32>,
    #[serde(default)]
    node_affinity_policy: Option<String>,
    #[serde(default)]
    node_taints_policy: Option<String>,
}

impl Settings {
    fn set_scheduler_config(&mut self, text: &str) -> bool {
        use crate::model::spread::{NodeInclusionPolicy, WhenUnsatisfiable};
        if text.is_empty() {
            return true;
        }
        let Ok(config) = serde_json::from_str::<SchedulerConfig>(text) else { return false };
        if !self.version.since(15, 0) {
            return true;
        }
        let policy = |text: Option<String>| {
            text.map(|text| {
                if text == "Honor" {
                    NodeInclusionPolicy::Honor
                } else {
                    NodeInclusionPolicy::Ignore
                }
            })
        };
        let constraints = config.pod_topology_spread.default_constraints;
        self.default_constraints = constraints
            .into_iter()
            .map(|constraint| TopologySpreadConstraint {
                max_skew: constraint.max_skew,
                topology_key: constraint.topology_key.into(),
                when_unsatisfiable: if constraint.when_unsatisfiable == "ScheduleAnyway" {
                    WhenUnsatisfiable::ScheduleAnyway
                } else {
                    WhenUnsatisfiable::DoNotSchedule
                },
                label_selector: None,
                min_domains: constraint.min_domains,
                node_affinity_policy: policy(constraint.node_affinity_policy),
                node_taints_policy: policy(constraint.node_taints_policy),
                match_label_keys: Vec::new(),
            })
            .collect();
        true
    }
}
