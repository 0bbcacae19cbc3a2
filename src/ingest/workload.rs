//! Owners of pods, and what selects pods: workloads, Services, PriorityClasses, PodDisruptionBudgets.

use serde::Deserialize;

use crate::model::labels::Labels;
use crate::model::selector::LabelSelector;
use crate::model::workload::{
    IntOrPercent, PodDisruptionBudget, PodTemplateObject, PriorityClass, Service, Workload,
    WorkloadKind,
};

use super::intern::Interner;
use super::meta::{RawMeta, time};
use super::pod::RawPodTemplate;
use super::selectors::RawLabelSelector;
use super::wire::{Map, NumberOrText, Text, Texts};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawWorkload<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawWorkloadSpec<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawWorkloadSpec<'a> {
    #[serde(borrow)]
    selector: Option<RawLabelSelector<'a>>,
    replicas: Option<i64>,
    parallelism: Option<i64>,
    #[serde(borrow)]
    template: RawPodTemplate<'a>,
    #[serde(borrow)]
    job_template: RawJobTemplate<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawJobTemplate<'a> {
    #[serde(borrow)]
    spec: RawJobSpec<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawJobSpec<'a> {
    parallelism: Option<i64>,
    #[serde(borrow)]
    template: RawPodTemplate<'a>,
}

impl RawWorkload<'_> {
    pub fn read(&self, kind: WorkloadKind, interner: &mut Interner) -> Workload {
        let spec = &self.spec;
        let (replicas, template) = match kind {
            WorkloadKind::Job => (spec.parallelism, &spec.template),
            WorkloadKind::CronJob => {
                (spec.job_template.spec.parallelism, &spec.job_template.spec.template)
            }
            _ => (spec.replicas, &spec.template),
        };
        Workload {
            kind,
            meta: self.metadata.read(interner),
            selector: spec.selector.as_ref().map(|selector| selector.read(interner)),
            replicas,
            template: template.read(interner),
        }
    }
}

/// A ReplicationController: its selector is a plain map.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawController<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawControllerSpec<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawControllerSpec<'a> {
    #[serde(borrow)]
    selector: Option<Texts<'a>>,
    replicas: Option<i64>,
    #[serde(borrow)]
    template: RawPodTemplate<'a>,
}

impl RawController<'_> {
    pub fn read(&self, interner: &mut Interner) -> Workload {
        Workload {
            kind: WorkloadKind::ReplicationController,
            meta: self.metadata.read(interner),
            selector: self.spec.selector.as_ref().map(|selector| LabelSelector {
                match_labels: interner.labels(selector),
                match_expressions: Vec::new(),
            }),
            replicas: self.spec.replicas,
            template: self.spec.template.read(interner),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawPodTemplateObject<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    template: RawPodTemplate<'a>,
}

impl RawPodTemplateObject<'_> {
    pub fn read(&self, interner: &mut Interner) -> PodTemplateObject {
        PodTemplateObject {
            meta: self.metadata.read(interner),
            template: self.template.read(interner),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawService<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawServiceSpec<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawServiceSpec<'a> {
    #[serde(borrow)]
    selector: Option<Texts<'a>>,
}

impl RawService<'_> {
    pub fn read(&self, interner: &mut Interner) -> Service {
        let selector: Option<Labels> =
            self.spec.selector.as_ref().map(|selector| interner.labels(selector));
        Service {
            meta: self.metadata.read(interner),
            selector: selector.filter(|selector| !selector.is_empty()),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawPriorityClass<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    value: Option<i32>,
    global_default: Option<bool>,
    #[serde(borrow)]
    preemption_policy: Text<'a>,
}

impl RawPriorityClass<'_> {
    pub fn read(&self, interner: &mut Interner) -> PriorityClass {
        PriorityClass {
            meta: self.metadata.read(interner),
            value: self.value.unwrap_or(0),
            global_default: self.global_default.unwrap_or(false),
            preemption_policy: interner.some(&self.preemption_policy),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawBudget<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawBudgetSpec<'a>,
    #[serde(borrow)]
    status: RawBudgetStatus<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawBudgetSpec<'a> {
    #[serde(borrow)]
    selector: Option<RawLabelSelector<'a>>,
    #[serde(borrow)]
    min_available: Option<NumberOrText<'a>>,
    #[serde(borrow)]
    max_unavailable: Option<NumberOrText<'a>>,
    #[serde(borrow)]
    unhealthy_pod_eviction_policy: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawBudgetStatus<'a> {
    disruptions_allowed: Option<i32>,
    #[serde(borrow)]
    disrupted_pods: Map<'a, Text<'a>>,
}

impl RawBudget<'_> {
    pub fn read(&self, interner: &mut Interner) -> PodDisruptionBudget {
        let mut amount = |value: &Option<NumberOrText<'_>>| {
            value.as_ref().map(|value| match value {
                NumberOrText::Number(number) => IntOrPercent::Int(*number),
                NumberOrText::Text(text) => IntOrPercent::Text(interner.text(text.as_str())),
            })
        };
        let min_available = amount(&self.spec.min_available);
        let max_unavailable = amount(&self.spec.max_unavailable);
        PodDisruptionBudget {
            meta: self.metadata.read(interner),
            selector: self.spec.selector.as_ref().map(|selector| selector.read(interner)),
            min_available,
            max_unavailable,
            unhealthy_pod_eviction_policy: interner.some(&self.spec.unhealthy_pod_eviction_policy),
            disruptions_allowed: self.status.disruptions_allowed.unwrap_or(0),
            disrupted_pods: self
                .status
                .disrupted_pods
                .0
                .iter()
                .map(|(name, when)| (interner.text(name.as_str()), time(when)))
                .collect(),
        }
    }
}
