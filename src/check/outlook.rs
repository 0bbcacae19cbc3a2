//! What rules ask of the engines: worked out once, when the first of them asks.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::karpenter::{PodError, PreferencePolicy, Refusal, TopologyKind, TopologyRefusal};
use crate::model::labels;
use crate::model::names::PodKey;
use crate::model::pod::VolumeSource;
use crate::model::storage::PersistentVolumeClaim;

use super::context::Context;
use super::forecast::{Forecast, Wanted, first_choice, forecast, launched_first, refused};
use super::template::Template;

/// Pods above which the files are not forecast together: a check must stay quick.
const MOST_PODS: i64 = 1_000;
/// Templates whose preferences are priced.
const MOST_PRICED: usize = 20;
/// Templates of which it is asked which NodePool would launch for them.
const MOST_CHOSEN: usize = 20;

/// What the engines said so far.
#[derive(Default)]
pub(crate) struct Outlooks {
    /// For each manifest why no NodePool can launch a node for its pods.
    refusals: OnceCell<BTreeMap<usize, String>>,
    /// All files together.
    joint: OnceCell<Option<Forecast>>,
    /// How many templates were priced.
    priced: Cell<usize>,
    /// Of how many templates it was asked which NodePool would launch for them.
    chosen: Cell<usize>,
}

/// Pods that find room on nodes of NodePools that weigh less than the one that would launch for them.
pub(crate) struct OnLighterPools {
    /// How many.
    pub pods: usize,
    /// The NodePools of those nodes.
    pub pools: Vec<String>,
    /// The NodePool that would launch.
    pub heavier: String,
}

impl Context {
    /// Why no NodePool can ever launch a node for a template's pods; none where one can, or where that is not known.
    pub fn refusal(&self, template: &Template) -> Option<&str> {
        let all = self.outlooks.refusals.get_or_init(|| self.find_refusals());
        all.get(&template.manifest.index).map(String::as_str)
    }

    /// How many pods of a template get no node because limits are reached, and of which NodePools.
    pub fn beyond_limits(&self, template: &Template) -> Option<(usize, Vec<String>)> {
        let forecast = self.joint()?;
        // Where no NodePool would ever do, limits are not the reason.
        if self.refusal(template).is_some() {
            return None;
        }
        let own = forecast.beyond_limits.iter().filter(|(pod, _)| is_of(pod, template));
        let (mut count, mut pools) = (0, BTreeSet::new());
        for (_, limited) in own {
            count += 1;
            pools.extend(limited.iter().map(ToString::to_string));
        }
        (count > 0).then(|| (count, pools.into_iter().collect()))
    }

    /// Pods of a template that find room on nodes of lighter NodePools than the one that would launch for them.
    pub(crate) fn on_lighter_pools(&self, template: &Template) -> Option<OnLighterPools> {
        let pools = self.pools();
        let weight = |name: &str| {
            let pool = pools.iter().find(|view| &*view.pool.meta.name == name);
            pool.map(|view| view.pool.weight.unwrap_or(0))
        };
        // Without a second weight nothing yields.
        let lightest = pools.iter().map(|view| view.pool.weight.unwrap_or(0)).min()?;
        if pools.iter().all(|view| view.pool.weight.unwrap_or(0) == lightest) {
            return None;
        }
        let own = self.joint()?.bound.iter().filter(|(pod, _)| is_of(pod, template));
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, node) in own {
            // Nodes that are launched for them are not in the cluster.
            let node = self.cluster.node(node);
            if let Some(pool) = node.and_then(|node| node.meta.labels.value(labels::NODEPOOL)) {
                *found.entry(pool).or_default() += 1;
            }
        }
        let chosen = self.outlooks.chosen.get();
        if found.is_empty() || chosen >= MOST_CHOSEN {
            return None;
        }
        self.outlooks.chosen.set(chosen + 1);
        let heavier = first_choice(self, &[Wanted { template, replicas: 1 }])?;
        let own = weight(&heavier)?;
        found.retain(|pool, _| weight(pool).is_some_and(|weight| weight < own));
        (!found.is_empty()).then(|| OnLighterPools {
            pods: found.values().sum(),
            pools: found.keys().map(ToString::to_string).collect(),
            heavier: heavier.to_string(),
        })
    }

    /// How many pods of a template kube-scheduler leaves pending on the nodes that were launched for them, and what it
    /// says of the first.
    pub fn late(&self, template: &Template) -> Option<(usize, String)> {
        let late = &self.joint()?.late;
        let mut own = late.iter().filter(|(pod, _)| is_of(pod, template));
        let (_, message) = own.next()?;
        let said = message.split(" preemption:").next().unwrap_or_default();
        Some((own.count() + 1, said.trim_end_matches('.').to_owned()))
    }

    /// How many nodes a template's preferences cost, as the tail of a sentence; nothing where it cannot be planned.
    pub fn nodes_with_and_without(&self, template: &Template) -> String {
        let cell = &self.first_nodes[template.manifest.index];
        let pods = template.replicas;
        match cell.get_or_init(|| self.price(template)) {
            Some([respecting, ignoring]) => {
                format!(
                    "; for its {pods} pods it launches {respecting}, without preferences {ignoring}"
                )
            }
            None => String::new(),
        }
    }

    fn price(&self, template: &Template) -> Option<[String; 2]> {
        let priced = self.outlooks.priced.get();
        if priced >= MOST_PRICED || template.replicas < 2 || template.replicas > MOST_PODS {
            return None;
        }
        self.outlooks.priced.set(priced + 1);
        let wanted = [Wanted { template, replicas: template.replicas }];
        let count = |policy| {
            let forecast = launched_first(self, &wanted, policy).ok()?;
            let plural = if forecast.nodes.len() == 1 { "" } else { "s" };
            let price = forecast.price().filter(|price| *price > 0.0);
            let price = price.map(|price| format!(" (${price:.3} an hour)")).unwrap_or_default();
            Some(format!("{} node{plural}{price}", forecast.nodes.len()))
        };
        Some([count(PreferencePolicy::Respect)?, count(PreferencePolicy::Ignore)?])
    }

    /// What would come of applying all files.
    fn joint(&self) -> Option<&Forecast> {
        let plan = || {
            let wanted: Vec<Wanted<'_>> = self
                .templates
                .iter()
                .filter(|template| template.is_to_place())
                .map(|template| Wanted { template, replicas: template.replicas })
                .collect();
            let pods: i64 = wanted.iter().map(|one| one.replicas).sum();
            if wanted.is_empty() || pods > MOST_PODS {
                return None;
            }
            forecast(self, &wanted, self.settings.preference_policy, &self.scheduler).ok()
        };
        self.outlooks.joint.get_or_init(plan).as_ref()
    }

    /// One pod of each template in an empty cluster; those that fail together are asked about alone.
    fn find_refusals(&self) -> BTreeMap<usize, String> {
        let mut found = BTreeMap::new();
        let asked: Vec<&Template> = self
            .templates
            .iter()
            .map(|template| &**template)
            .filter(|template| template.is_to_place() && self.can_be_judged(template))
            .collect();
        let wanted: Vec<Wanted<'_>> =
            asked.iter().map(|template| Wanted { template, replicas: 1 }).collect();
        let Ok(together) = refused(self, &wanted) else { return found };
        let mut names: BTreeMap<PodKey, usize> = BTreeMap::new();
        for template in &asked {
            *names.entry(first_pod(template)).or_default() += 1;
        }
        for template in asked {
            let key = first_pod(template);
            // Where two files have the same object, only one of them took part.
            if !together.contains_key(&key) && names.get(&key) == Some(&1) {
                continue;
            }
            let alone = refused(self, &[Wanted { template, replicas: 1 }]);
            let error = alone.ok().and_then(|mut alone| alone.remove(&key));
            if let Some(reason) = error.and_then(|error| reason(&error)) {
                found.insert(template.manifest.index, reason);
            }
        }
        found
    }

    /// Whether a template alone tells enough: other rules speak of claims for devices, and what is not in the files
    /// may be in the cluster.
    fn can_be_judged(&self, template: &Template) -> bool {
        let claims = &self.cluster.persistent_volume_claims;
        let has_claims = template.spec.volumes.iter().all(|volume| match &volume.source {
            VolumeSource::PersistentVolumeClaim(name) => {
                let wanted = (&template.namespace, name);
                let order = |claim: &Arc<PersistentVolumeClaim>| {
                    (&claim.meta.namespace, &claim.meta.name).cmp(&wanted)
                };
                claims.binary_search_by(order).is_ok()
            }
            _ => true,
        });
        template.spec.resource_claims.is_empty() && has_claims
    }
}

/// The first pod of a template, as forecasts name it.
fn first_pod(template: &Template) -> PodKey {
    let name = super::pods::pod_name(&template.manifest, 0, 1);
    PodKey::new(template.namespace.clone(), name)
}

fn is_of(pod: &PodKey, template: &Template) -> bool {
    let base = super::pods::base_name(&template.manifest);
    let rest = pod.name.strip_prefix(base.as_str());
    let numbered = |rest: &str| {
        rest.is_empty()
            || rest.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok())
    };
    pod.namespace == template.namespace && rest.is_some_and(numbered)
}

/// What an error says of the NodePools, unless it is about limits or about pods that are not there.
fn reason(error: &PodError) -> Option<String> {
    let PodError::NewNodeClaims(refusals) = error else { return None };
    let is_elsewhere = |refusal: &Refusal| match refusal {
        Refusal::TypeLimits { .. } | Refusal::NodeLimit(_) => true,
        Refusal::Topology(TopologyRefusal { kind, .. }) => *kind == TopologyKind::Affinity,
        _ => false,
    };
    if refusals.is_empty() || refusals.iter().any(|(_, refusal)| is_elsewhere(refusal)) {
        return None;
    }
    let each: Vec<String> = refusals
        .iter()
        .map(|(pool, refusal)| format!("nodepool/{pool}: {}", short(&refusal.to_string())))
        .collect();
    Some(each.join("; "))
}

/// The part of a reason that people read: without the requirements and resources in full.
fn short(text: &str) -> String {
    let head = text.split(", requirements=").next().unwrap_or(text);
    let cut: String = head.chars().take(200).collect();
    if cut.len() < head.len() { cut + "…" } else { cut }
}
