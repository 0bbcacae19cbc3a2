//! The plugins' arguments in a configuration: `pluginConfig`.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::model::affinity::{NodeAffinity, PreferredSchedulingTerm};
use crate::model::names::Str;
use crate::model::selector::{Expression, NodeSelectorTerm, Operator};
use crate::model::spread::{NodeInclusionPolicy, TopologySpreadConstraint, WhenUnsatisfiable};

use super::configuration::{
    Arguments, ConfigurationError, PluginConfig, ScoringStrategy, Shape, null_as_default,
};

/// Scores of a shape go to 10, those of nodes to 100.
const SHAPE_SCALE: i64 = 10;

impl Default for Arguments {
    fn default() -> Self {
        Self {
            ignored_resources: Vec::new(),
            ignored_resource_groups: Vec::new(),
            scoring_strategy: ScoringStrategy::LeastAllocated,
            scored_resources: vec![("cpu".into(), 1), ("memory".into(), 1)],
            balanced_resources: vec!["cpu".into(), "memory".into()],
            default_constraints: None,
            hard_pod_affinity_weight: 1,
            ignores_preferred_terms_of_existing_pods: false,
            added_affinity: None,
            volume_binding_shape: None,
            min_candidate_nodes_percentage: 10,
            min_candidate_nodes_absolute: 100,
        }
    }
}

/// The arguments of a profile: what is stated, and the defaults of the rest.
pub(crate) fn read(config: &[PluginConfig]) -> Result<Arguments, ConfigurationError> {
    let mut arguments = Arguments::default();
    for entry in config {
        match entry.name.as_str() {
            "NodeResourcesFit" => fit(&mut arguments, parse(entry)?)?,
            "NodeResourcesBalancedAllocation" => balanced(&mut arguments, parse(entry)?),
            "PodTopologySpread" => spread(&mut arguments, parse(entry)?)?,
            "InterPodAffinity" => inter_pod_affinity(&mut arguments, &parse(entry)?),
            "NodeAffinity" => {
                let read: NodeAffinityArgs = parse(entry)?;
                arguments.added_affinity = read.added_affinity.map(Into::into);
            }
            "VolumeBinding" => {
                let read: VolumeBindingArgs = parse(entry)?;
                arguments.volume_binding_shape =
                    read.shape.map(|points| shape(&points)).transpose()?;
            }
            "DefaultPreemption" => {
                let read: DefaultPreemptionArgs = parse(entry)?;
                arguments.min_candidate_nodes_percentage =
                    read.min_candidate_nodes_percentage.unwrap_or(10);
                arguments.min_candidate_nodes_absolute =
                    read.min_candidate_nodes_absolute.unwrap_or(100);
            }
            _ => {}
        }
    }
    Ok(arguments)
}

fn parse<T: DeserializeOwned + Default>(entry: &PluginConfig) -> Result<T, ConfigurationError> {
    if entry.args.is_null() {
        return Ok(T::default());
    }
    T::deserialize(&entry.args).map_err(|error| {
        ConfigurationError::Unreadable(format!("pluginConfig {}: {error}", entry.name))
    })
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct FitArgs {
    #[serde(deserialize_with = "null_as_default")]
    ignored_resources: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    ignored_resource_groups: Vec<String>,
    scoring_strategy: Option<Strategy>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Strategy {
    r#type: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    resources: Vec<Resource>,
    requested_to_capacity_ratio: Option<Ratio>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Resource {
    name: String,
    weight: i64,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Ratio {
    shape: Vec<Point>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Point {
    utilization: i64,
    score: i64,
}

fn fit(arguments: &mut Arguments, read: FitArgs) -> Result<(), ConfigurationError> {
    arguments.ignored_resources = read.ignored_resources;
    arguments.ignored_resource_groups = read.ignored_resource_groups;
    let Some(strategy) = read.scoring_strategy else { return Ok(()) };
    if !strategy.resources.is_empty() {
        arguments.scored_resources = strategy
            .resources
            .into_iter()
            .map(|resource| {
                let weight = if resource.weight == 0 { 1 } else { resource.weight };
                (resource.name.into(), weight)
            })
            .collect();
    }
    arguments.scoring_strategy = match strategy.r#type.as_deref() {
        None | Some("" | "LeastAllocated") => ScoringStrategy::LeastAllocated,
        Some("MostAllocated") => ScoringStrategy::MostAllocated,
        Some("RequestedToCapacityRatio") => {
            let points = strategy.requested_to_capacity_ratio.unwrap_or_default().shape;
            ScoringStrategy::RequestedToCapacityRatio(shape(&points)?)
        }
        Some(other) => {
            return Err(ConfigurationError::Unreadable(format!(
                "scoringStrategy {other:?} is unknown"
            )));
        }
    };
    Ok(())
}

/// Reads a shape: utilizations rise from 0 to 100 at most, scores are from 0 to 10.
fn shape(points: &[Point]) -> Result<Shape, ConfigurationError> {
    let in_range = |point: &Point| {
        (0..=100).contains(&point.utilization) && (0..=SHAPE_SCALE).contains(&point.score)
    };
    let rises = points.windows(2).all(|pair| pair[0].utilization < pair[1].utilization);
    if points.is_empty() || !rises || !points.iter().all(in_range) {
        let text = "a shape needs rising utilizations from 0 to 100 with scores from 0 to 10";
        return Err(ConfigurationError::Unreadable(text.to_owned()));
    }
    let scaled = points.iter().map(|point| (point.utilization, point.score * SHAPE_SCALE));
    Ok(Shape(scaled.collect()))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct BalancedArgs {
    #[serde(deserialize_with = "null_as_default")]
    resources: Vec<Resource>,
}

fn balanced(arguments: &mut Arguments, read: BalancedArgs) {
    if !read.resources.is_empty() {
        arguments.balanced_resources =
            read.resources.into_iter().map(|resource| resource.name.into()).collect();
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SpreadArgs {
    defaulting_type: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    default_constraints: Vec<Constraint>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Constraint {
    max_skew: i32,
    topology_key: String,
    when_unsatisfiable: String,
    min_domains: Option<i32>,
    node_affinity_policy: Option<String>,
    node_taints_policy: Option<String>,
}

fn spread(arguments: &mut Arguments, read: SpreadArgs) -> Result<(), ConfigurationError> {
    arguments.default_constraints = match read.defaulting_type.as_deref() {
        Some("List") => Some(
            read.default_constraints
                .into_iter()
                .map(Constraint::read)
                .collect::<Result<Vec<_>, _>>()?,
        ),
        // As SetDefaults_PodTopologySpreadArgs: System unless stated otherwise.
        None | Some("" | "System") => None,
        Some(other) => {
            return Err(ConfigurationError::Unreadable(format!(
                "defaultingType {other:?} is unknown"
            )));
        }
    };
    Ok(())
}

impl Constraint {
    fn read(self) -> Result<TopologySpreadConstraint, ConfigurationError> {
        Ok(TopologySpreadConstraint {
            max_skew: self.max_skew,
            topology_key: self.topology_key.into(),
            when_unsatisfiable: match self.when_unsatisfiable.as_str() {
                "DoNotSchedule" => WhenUnsatisfiable::DoNotSchedule,
                "ScheduleAnyway" => WhenUnsatisfiable::ScheduleAnyway,
                other => {
                    return Err(ConfigurationError::Unreadable(format!(
                        "whenUnsatisfiable {other:?} is unknown"
                    )));
                }
            },
            label_selector: None,
            min_domains: self.min_domains,
            node_affinity_policy: policy(self.node_affinity_policy.as_deref()),
            node_taints_policy: policy(self.node_taints_policy.as_deref()),
            match_label_keys: Vec::new(),
        })
    }
}

fn policy(text: Option<&str>) -> Option<NodeInclusionPolicy> {
    match text? {
        "Honor" => Some(NodeInclusionPolicy::Honor),
        "Ignore" => Some(NodeInclusionPolicy::Ignore),
        _ => None,
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct InterPodAffinityArgs {
    hard_pod_affinity_weight: Option<i64>,
    ignore_preferred_terms_of_existing_pods: bool,
}

fn inter_pod_affinity(arguments: &mut Arguments, read: &InterPodAffinityArgs) {
    arguments.hard_pod_affinity_weight = read.hard_pod_affinity_weight.unwrap_or(1);
    arguments.ignores_preferred_terms_of_existing_pods =
        read.ignore_preferred_terms_of_existing_pods;
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct VolumeBindingArgs {
    shape: Option<Vec<Point>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct DefaultPreemptionArgs {
    min_candidate_nodes_percentage: Option<i64>,
    min_candidate_nodes_absolute: Option<i64>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct NodeAffinityArgs {
    added_affinity: Option<AddedAffinity>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct AddedAffinity {
    required_during_scheduling_ignored_during_execution: Option<NodeSelector>,
    #[serde(deserialize_with = "null_as_default")]
    preferred_during_scheduling_ignored_during_execution: Vec<Preferred>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct NodeSelector {
    #[serde(deserialize_with = "null_as_default")]
    node_selector_terms: Vec<Term>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Preferred {
    weight: i32,
    preference: Term,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Term {
    #[serde(deserialize_with = "null_as_default")]
    match_expressions: Vec<Requirement>,
    match_fields: Option<Vec<Requirement>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Requirement {
    key: String,
    operator: String,
    #[serde(deserialize_with = "null_as_default")]
    values: Vec<String>,
}

impl From<AddedAffinity> for NodeAffinity {
    fn from(read: AddedAffinity) -> Self {
        Self {
            required: read
                .required_during_scheduling_ignored_during_execution
                .map(|selector| selector.node_selector_terms.into_iter().map(Into::into).collect()),
            preferred: read
                .preferred_during_scheduling_ignored_during_execution
                .into_iter()
                .map(|term| PreferredSchedulingTerm {
                    weight: term.weight,
                    preference: term.preference.into(),
                })
                .collect(),
        }
    }
}

impl From<Term> for NodeSelectorTerm {
    fn from(read: Term) -> Self {
        Self {
            match_expressions: read.match_expressions.into_iter().map(Into::into).collect(),
            match_fields: read
                .match_fields
                .map(|fields| fields.into_iter().map(Into::into).collect()),
        }
    }
}

impl From<Requirement> for Expression {
    fn from(read: Requirement) -> Self {
        Self {
            key: read.key.into(),
            operator: Operator::parse(&read.operator),
            values: read.values.into_iter().map(Str::from).collect(),
        }
    }
}
