//! Selectors, affinity, spreads, taints and tolerations.

use serde::Deserialize;

use crate::model::affinity::{
    Affinity, NodeAffinity, PodAffinity, PodAffinityTerm, PreferredSchedulingTerm,
    WeightedPodAffinityTerm,
};
use crate::model::names::NamespaceName;
use crate::model::selector::{Expression, LabelSelector, NodeSelectorTerm, Operator};
use crate::model::spread::{NodeInclusionPolicy, TopologySpreadConstraint, WhenUnsatisfiable};
use crate::model::taint::{Effect, Taint, Toleration, TolerationOperator};

use super::intern::Interner;
use super::meta::time;
use super::wire::{List, Text, Texts};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawExpression<'a> {
    #[serde(borrow)]
    key: Text<'a>,
    #[serde(borrow)]
    operator: Text<'a>,
    #[serde(borrow)]
    values: List<Text<'a>>,
}

impl RawExpression<'_> {
    pub fn read(&self, interner: &mut Interner) -> Expression {
        Expression {
            key: interner.text(self.key.as_str()),
            operator: Operator::parse(self.operator.as_str()),
            values: interner.texts(&self.values.0),
        }
    }
}

fn expressions(raw: &List<RawExpression<'_>>, interner: &mut Interner) -> Vec<Expression> {
    raw.0.iter().map(|expression| expression.read(interner)).collect()
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawLabelSelector<'a> {
    #[serde(borrow)]
    match_labels: Texts<'a>,
    #[serde(borrow)]
    match_expressions: List<RawExpression<'a>>,
}

impl RawLabelSelector<'_> {
    pub fn read(&self, interner: &mut Interner) -> LabelSelector {
        LabelSelector {
            match_labels: interner.labels(&self.match_labels),
            match_expressions: expressions(&self.match_expressions, interner),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawNodeSelectorTerm<'a> {
    #[serde(borrow)]
    match_expressions: List<RawExpression<'a>>,
    #[serde(borrow)]
    match_fields: Option<List<RawExpression<'a>>>,
}

impl RawNodeSelectorTerm<'_> {
    fn read(&self, interner: &mut Interner) -> NodeSelectorTerm {
        NodeSelectorTerm {
            match_expressions: expressions(&self.match_expressions, interner),
            match_fields: self.match_fields.as_ref().map(|fields| expressions(fields, interner)),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawNodeSelector<'a> {
    #[serde(borrow)]
    node_selector_terms: List<RawNodeSelectorTerm<'a>>,
}

impl RawNodeSelector<'_> {
    pub fn read(&self, interner: &mut Interner) -> Vec<NodeSelectorTerm> {
        self.node_selector_terms.0.iter().map(|term| term.read(interner)).collect()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawAffinity<'a> {
    #[serde(borrow, rename = "nodeAffinity")]
    node: Option<RawNodeAffinity<'a>>,
    #[serde(borrow, rename = "podAffinity")]
    pod: Option<RawPodAffinity<'a>>,
    #[serde(borrow, rename = "podAntiAffinity")]
    pod_anti: Option<RawPodAffinity<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawNodeAffinity<'a> {
    #[serde(borrow, rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    required: Option<RawNodeSelector<'a>>,
    #[serde(borrow, rename = "preferredDuringSchedulingIgnoredDuringExecution")]
    preferred: List<RawPreferredTerm<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawPreferredTerm<'a> {
    weight: i32,
    #[serde(borrow)]
    preference: RawNodeSelectorTerm<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawPodAffinity<'a> {
    #[serde(borrow, rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    required: List<RawPodAffinityTerm<'a>>,
    #[serde(borrow, rename = "preferredDuringSchedulingIgnoredDuringExecution")]
    preferred: List<RawWeightedTerm<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawWeightedTerm<'a> {
    weight: i32,
    #[serde(borrow)]
    pod_affinity_term: RawPodAffinityTerm<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawPodAffinityTerm<'a> {
    #[serde(borrow)]
    label_selector: Option<RawLabelSelector<'a>>,
    #[serde(borrow)]
    topology_key: Text<'a>,
    #[serde(borrow)]
    namespaces: List<Text<'a>>,
    #[serde(borrow)]
    namespace_selector: Option<RawLabelSelector<'a>>,
    #[serde(borrow)]
    match_label_keys: List<Text<'a>>,
    #[serde(borrow)]
    mismatch_label_keys: List<Text<'a>>,
}

impl RawAffinity<'_> {
    pub fn read(&self, interner: &mut Interner) -> Affinity {
        Affinity {
            node: self.node.as_ref().map(|node| node.read(interner)),
            pod: self.pod.as_ref().map(|pod| pod.read(interner)),
            pod_anti: self.pod_anti.as_ref().map(|pod| pod.read(interner)),
        }
    }
}

impl RawNodeAffinity<'_> {
    fn read(&self, interner: &mut Interner) -> NodeAffinity {
        let preferred = self.preferred.0.iter().map(|term| PreferredSchedulingTerm {
            weight: term.weight,
            preference: term.preference.read(interner),
        });
        let preferred = preferred.collect();
        NodeAffinity {
            required: self.required.as_ref().map(|required| required.read(interner)),
            preferred,
        }
    }
}

impl RawPodAffinity<'_> {
    fn read(&self, interner: &mut Interner) -> PodAffinity {
        let required = self.required.0.iter().map(|term| term.read(interner)).collect();
        let preferred = self.preferred.0.iter().map(|term| WeightedPodAffinityTerm {
            weight: term.weight,
            term: term.pod_affinity_term.read(interner),
        });
        PodAffinity { required, preferred: preferred.collect() }
    }
}

impl RawPodAffinityTerm<'_> {
    fn read(&self, interner: &mut Interner) -> PodAffinityTerm {
        PodAffinityTerm {
            label_selector: self.label_selector.as_ref().map(|selector| selector.read(interner)),
            topology_key: interner.text(self.topology_key.as_str()),
            namespaces: interner.texts(&self.namespaces.0).into_iter().map(NamespaceName).collect(),
            namespace_selector: self
                .namespace_selector
                .as_ref()
                .map(|selector| selector.read(interner)),
            match_label_keys: interner.texts(&self.match_label_keys.0),
            mismatch_label_keys: interner.texts(&self.mismatch_label_keys.0),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawSpread<'a> {
    max_skew: i32,
    #[serde(borrow)]
    topology_key: Text<'a>,
    #[serde(borrow)]
    when_unsatisfiable: Text<'a>,
    #[serde(borrow)]
    label_selector: Option<RawLabelSelector<'a>>,
    min_domains: Option<i32>,
    #[serde(borrow)]
    node_affinity_policy: Text<'a>,
    #[serde(borrow)]
    node_taints_policy: Text<'a>,
    #[serde(borrow)]
    match_label_keys: List<Text<'a>>,
}

impl RawSpread<'_> {
    pub fn read(&self, interner: &mut Interner) -> TopologySpreadConstraint {
        TopologySpreadConstraint {
            max_skew: self.max_skew,
            topology_key: interner.text(self.topology_key.as_str()),
            // Everything but `DoNotSchedule` is soft for kube-scheduler; the API server allows no third value.
            when_unsatisfiable: match self.when_unsatisfiable.as_str() {
                "DoNotSchedule" => WhenUnsatisfiable::DoNotSchedule,
                _ => WhenUnsatisfiable::ScheduleAnyway,
            },
            label_selector: self.label_selector.as_ref().map(|selector| selector.read(interner)),
            min_domains: self.min_domains,
            node_affinity_policy: policy(&self.node_affinity_policy),
            node_taints_policy: policy(&self.node_taints_policy),
            match_label_keys: interner.texts(&self.match_label_keys.0),
        }
    }
}

fn policy(text: &Text<'_>) -> Option<NodeInclusionPolicy> {
    match text.as_str() {
        "Honor" => Some(NodeInclusionPolicy::Honor),
        "Ignore" => Some(NodeInclusionPolicy::Ignore),
        _ => None,
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawTaint<'a> {
    #[serde(borrow)]
    key: Text<'a>,
    #[serde(borrow)]
    value: Text<'a>,
    #[serde(borrow)]
    effect: Text<'a>,
    #[serde(borrow)]
    time_added: Text<'a>,
}

/// Reads taints in the order of the object.
pub(crate) fn taints(raw: &List<RawTaint<'_>>, interner: &mut Interner) -> Vec<Taint> {
    raw.0
        .iter()
        .map(|taint| Taint {
            key: interner.text(taint.key.as_str()),
            value: interner.text(taint.value.as_str()),
            effect: Effect::parse(taint.effect.as_str()),
            added: time(&taint.time_added),
        })
        .collect()
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawToleration<'a> {
    #[serde(borrow)]
    key: Text<'a>,
    #[serde(borrow)]
    operator: Text<'a>,
    #[serde(borrow)]
    value: Text<'a>,
    #[serde(borrow)]
    effect: Text<'a>,
    toleration_seconds: Option<i64>,
}

impl RawToleration<'_> {
    pub fn read(&self, interner: &mut Interner) -> Toleration {
        let effect = self.effect.as_str();
        Toleration {
            key: interner.text(self.key.as_str()),
            operator: match self.operator.as_str() {
                "" | "Equal" => TolerationOperator::Equal,
                "Exists" => TolerationOperator::Exists,
                other => TolerationOperator::Unknown(interner.text(other)),
            },
            value: interner.text(self.value.as_str()),
            effect: (!effect.is_empty()).then(|| Effect::parse(effect)),
            seconds: self.toleration_seconds,
        }
    }
}
