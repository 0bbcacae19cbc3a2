//! `Configuration`: a KubeSchedulerConfiguration (`kubescheduler.config.k8s.io/v1`), as far as it decides where pods go.

use serde::Deserialize;
use serde_json::Value;

use crate::model::affinity::NodeAffinity;
use crate::model::gap::{Gap, GapKind};
use crate::model::names::Str;
use crate::model::spread::TopologySpreadConstraint;

use super::arguments;

/// The scheduler's name when none is given.
pub const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// How kube-scheduler is set up. The default is what it does without a configuration file.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// `profiles`; at least one.
    pub profiles: Vec<Profile>,
    /// `percentageOfNodesToScore`; zero lets the scheduler choose.
    pub percentage_of_nodes_to_score: i32,
    /// `extenders`, by their `urlPrefix`.
    pub extenders: Vec<Extender>,
}

/// A webhook that filters or scores too; what it says is in no dump.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Extender {
    /// `urlPrefix`.
    #[serde(default)]
    pub url_prefix: String,
    /// `managedResources`.
    #[serde(default)]
    pub managed_resources: Vec<ManagedResource>,
}

/// A resource that an extender looks after.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManagedResource {
    /// `name`.
    #[serde(default)]
    pub name: String,
    /// `ignoredByScheduler`.
    #[serde(default)]
    pub ignored_by_scheduler: bool,
}

/// One profile: the pods of a `schedulerName` are scheduled by it.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// `schedulerName`.
    pub scheduler_name: Str,
    /// `percentageOfNodesToScore`, where it is set.
    pub percentage_of_nodes_to_score: Option<i32>,
    /// `plugins`, as written.
    pub plugins: PluginSets,
    /// `pluginConfig`, with the defaults of what is not stated.
    pub arguments: Arguments,
}

/// `plugins`: what is enabled and disabled, by extension point; those that a replay uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PluginSets {
    /// `multiPoint`.
    pub multi_point: PluginSet,
    /// `preEnqueue`.
    pub pre_enqueue: PluginSet,
    /// `preFilter`.
    pub pre_filter: PluginSet,
    /// `filter`.
    pub filter: PluginSet,
    /// `postFilter`.
    pub post_filter: PluginSet,
    /// `preScore`.
    pub pre_score: PluginSet,
    /// `score`.
    pub score: PluginSet,
    /// `reserve`.
    pub reserve: PluginSet,
    /// `permit`.
    pub permit: PluginSet,
}

/// One extension point's plugins, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PluginSet {
    /// `enabled`, in order.
    #[serde(deserialize_with = "null_as_default")]
    pub enabled: Vec<PluginEntry>,
    /// `disabled`; `*` stands for all defaults.
    #[serde(deserialize_with = "null_as_default")]
    pub disabled: Vec<PluginEntry>,
}

/// A plugin's name, and its weight where it scores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PluginEntry {
    /// `name`.
    pub name: String,
    /// `weight`; zero is read as not stated.
    pub weight: i64,
}

/// The plugins' arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// `NodeResourcesFitArgs.ignoredResources`.
    pub ignored_resources: Vec<String>,
    /// `NodeResourcesFitArgs.ignoredResourceGroups`.
    pub ignored_resource_groups: Vec<String>,
    /// `NodeResourcesFitArgs.scoringStrategy`.
    pub scoring_strategy: ScoringStrategy,
    /// `NodeResourcesFitArgs.scoringStrategy.resources`: names and weights.
    pub scored_resources: Vec<(Str, i64)>,
    /// `NodeResourcesBalancedAllocationArgs.resources`.
    pub balanced_resources: Vec<Str>,
    /// `PodTopologySpreadArgs`: `None` is `defaultingType: System`.
    pub default_constraints: Option<Vec<TopologySpreadConstraint>>,
    /// `InterPodAffinityArgs.hardPodAffinityWeight`.
    pub hard_pod_affinity_weight: i64,
    /// `InterPodAffinityArgs.ignorePreferredTermsOfExistingPods`.
    pub ignores_preferred_terms_of_existing_pods: bool,
    /// `NodeAffinityArgs.addedAffinity`.
    pub added_affinity: Option<NodeAffinity>,
    /// `VolumeBindingArgs.shape`.
    pub volume_binding_shape: Option<Shape>,
    /// `DefaultPreemptionArgs.minCandidateNodesPercentage`.
    pub min_candidate_nodes_percentage: i64,
    /// `DefaultPreemptionArgs.minCandidateNodesAbsolute`.
    pub min_candidate_nodes_absolute: i64,
}

/// How `NodeResourcesFit` scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScoringStrategy {
    /// The emptier the better.
    LeastAllocated,
    /// The fuller the better.
    MostAllocated,
    /// By a function of how full the node gets.
    RequestedToCapacityRatio(Shape),
}

/// A function of utilization, linear between its points: utilization and score, the score times ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<(i64, i64)>);

/// Why a configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigurationError {
    /// Some field is not what it should be.
    #[error("scheduler configuration: {0}")]
    Unreadable(String),
    /// A profile has no `schedulerName` though there are several.
    #[error("scheduler configuration: profile {0} has no schedulerName")]
    NoSchedulerName(usize),
    /// It is something else.
    #[error("not a KubeSchedulerConfiguration but a {0}")]
    OtherKind(String),
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            profiles: vec![Profile::default()],
            percentage_of_nodes_to_score: 0,
            extenders: Vec::new(),
        }
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            scheduler_name: DEFAULT_SCHEDULER.into(),
            percentage_of_nodes_to_score: None,
            plugins: PluginSets::default(),
            arguments: Arguments::default(),
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Document {
    kind: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    profiles: Vec<ProfileDocument>,
    percentage_of_nodes_to_score: Option<i32>,
    #[serde(deserialize_with = "null_as_default")]
    extenders: Vec<Extender>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ProfileDocument {
    scheduler_name: Option<String>,
    percentage_of_nodes_to_score: Option<i32>,
    plugins: Option<PluginSets>,
    #[serde(deserialize_with = "null_as_default")]
    plugin_config: Vec<PluginConfig>,
}

/// One entry of `pluginConfig`.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct PluginConfig {
    pub(crate) name: String,
    pub(crate) args: Value,
}

impl Configuration {
    /// Reads a configuration.
    pub fn read(document: &Value) -> Result<Self, ConfigurationError> {
        let document: Document = Document::deserialize(document)
            .map_err(|error| ConfigurationError::Unreadable(error.to_string()))?;
        if let Some(kind) = document.kind.filter(|kind| kind != "KubeSchedulerConfiguration") {
            return Err(ConfigurationError::OtherKind(kind));
        }
        let count = document.profiles.len();
        let mut profiles = document
            .profiles
            .into_iter()
            .enumerate()
            .map(|(index, profile)| profile.read(index, count))
            .collect::<Result<Vec<_>, _>>()?;
        if profiles.is_empty() {
            profiles.push(Profile::default());
        }
        let ignored: Vec<String> = document
            .extenders
            .iter()
            .flat_map(|extender| &extender.managed_resources)
            .filter(|resource| resource.ignored_by_scheduler)
            .map(|resource| resource.name.clone())
            .collect();
        if !ignored.is_empty() {
            for profile in &mut profiles {
                profile.arguments.ignored_resources.clone_from(&ignored);
            }
        }
        Ok(Self {
            profiles,
            percentage_of_nodes_to_score: document.percentage_of_nodes_to_score.unwrap_or(0),
            extenders: document.extenders,
        })
    }

    /// The profile of a scheduler.
    pub fn profile(&self, scheduler_name: &str) -> Option<&Profile> {
        self.profiles.iter().find(|profile| &*profile.scheduler_name == scheduler_name)
    }

    /// What the configuration names that no replay can know.
    pub fn gaps(&self) -> Vec<Gap> {
        self.extenders
            .iter()
            .map(|extender| {
                Gap::new(
                    GapKind::NotModelled,
                    format!("extender {}", extender.url_prefix),
                    "its verdicts and scores are in no snapshot: they are taken as if it said nothing",
                )
            })
            .collect()
    }
}

impl ProfileDocument {
    fn read(self, index: usize, count: usize) -> Result<Profile, ConfigurationError> {
        let scheduler_name = match self.scheduler_name.filter(|name| !name.is_empty()) {
            Some(name) => name,
            None if count == 1 => DEFAULT_SCHEDULER.to_owned(),
            None => return Err(ConfigurationError::NoSchedulerName(index)),
        };
        Ok(Profile {
            scheduler_name: scheduler_name.into(),
            percentage_of_nodes_to_score: self.percentage_of_nodes_to_score,
            plugins: self.plugins.unwrap_or_default(),
            arguments: arguments::read(&self.plugin_config)?,
        })
    }
}

/// Reads `null` as if the field were not there.
pub(crate) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}
