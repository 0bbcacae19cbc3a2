//! The same question with one thing changed: what an explanation compares with.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::names::{NodeName, PodKey, Str};
use crate::model::node::Node;
use crate::model::pod::{Pod, PodSpec};

use super::batch::{Batch, BatchPods};
use super::cloud_provider::CloudProvider;
use super::plan::Plan;
use super::provision::{Refused, provision};
use super::settings::{PreferencePolicy, Settings};

/// One thing that is different.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// No pod's preferences count.
    PreferencesIgnored,
    /// One pod lacks one of its rules.
    WithoutRule(PodKey, Rule),
    /// A node is not there.
    WithoutNode(NodeName),
    /// There is one node more.
    WithNode(Arc<Node>),
    /// Only this pod waits.
    Alone(PodKey),
}

/// One of a pod's rules. Numbers count from 0, in the order of the manifest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// One key of `nodeSelector`.
    NodeSelector(Str),
    /// One of the required node affinity terms.
    RequiredNodeAffinityTerm(usize),
    /// One of the preferred node affinity terms.
    PreferredNodeAffinityTerm(usize),
    /// One of the required pod affinity terms.
    RequiredPodAffinityTerm(usize),
    /// One of the preferred pod affinity terms.
    PreferredPodAffinityTerm(usize),
    /// One of the required pod anti-affinity terms.
    RequiredPodAntiAffinityTerm(usize),
    /// One of the preferred pod anti-affinity terms.
    PreferredPodAntiAffinityTerm(usize),
    /// One of the topology spread constraints.
    SpreadConstraint(usize),
    /// One of the volumes.
    Volume(usize),
}

/// What Karpenter would do with a batch if one thing were different.
pub fn what_if(
    state: &ClusterState,
    batch: &Batch,
    provider: &dyn CloudProvider,
    settings: &Settings,
    change: &Change,
) -> Result<Plan, Refused> {
    match change {
        Change::PreferencesIgnored => {
            let ignoring =
                Settings { preference_policy: PreferencePolicy::Ignore, ..settings.clone() };
            provision(state, batch, provider, &ignoring)
        }
        Change::WithoutRule(pod, rule) => {
            provision(&without_rule(state, pod, rule), batch, provider, settings)
        }
        Change::WithoutNode(name) => {
            provision(&without_node(state, name), batch, provider, settings)
        }
        Change::WithNode(node) => {
            let mut more = without_node(state, &node.name());
            more.nodes.push(Arc::clone(node));
            more.nodes.sort_by(|a, b| a.meta.name.cmp(&b.meta.name));
            provision(&more, batch, provider, settings)
        }
        Change::Alone(pod) => {
            let alone =
                Batch { pods: BatchPods::Only(BTreeSet::from([pod.clone()])), ..batch.clone() };
            provision(state, &alone, provider, settings)
        }
    }
}

/// The cluster without a node; with it goes its NodeClaim, and what runs there.
fn without_node(state: &ClusterState, name: &NodeName) -> ClusterState {
    let mut state = state.clone();
    let id = state.node(name).and_then(|node| node.provider_id.clone());
    state.nodes.retain(|node| node.name() != *name);
    state.node_claims.retain(|claim| {
        claim.node_name.as_ref() != Some(name) && (id.is_none() || claim.provider_id != id)
    });
    state.pods.retain(|pod| pod.node_name.as_ref() != Some(name));
    state
}

fn without_rule(state: &ClusterState, key: &PodKey, rule: &Rule) -> ClusterState {
    let mut state = state.clone();
    let found = state
        .pods
        .iter_mut()
        .find(|pod| pod.meta.name == key.name && pod.meta.namespace == key.namespace);
    if let Some(pod) = found {
        let mut spec = PodSpec::clone(&pod.spec);
        remove(&mut spec, rule);
        *pod = Arc::new(Pod { spec: Arc::new(spec), ..Pod::clone(pod) });
    }
    state
}

fn remove(spec: &mut PodSpec, rule: &Rule) {
    let affinity = &mut spec.affinity;
    match rule {
        Rule::NodeSelector(key) => spec.node_selector = spec.node_selector.without(&[key]),
        Rule::RequiredNodeAffinityTerm(place) => {
            if let Some(node) = &mut affinity.node
                && let Some(terms) = &mut node.required
            {
                take(terms, *place);
                // An empty list would let no node through; a missing one asks for nothing.
                if terms.is_empty() {
                    node.required = None;
                }
            }
        }
        Rule::PreferredNodeAffinityTerm(place) => {
            if let Some(node) = &mut affinity.node {
                take(&mut node.preferred, *place);
            }
        }
        Rule::RequiredPodAffinityTerm(place) => {
            if let Some(pod) = &mut affinity.pod {
                take(&mut pod.required, *place);
            }
        }
        Rule::PreferredPodAffinityTerm(place) => {
            if let Some(pod) = &mut affinity.pod {
                take(&mut pod.preferred, *place);
            }
        }
        Rule::RequiredPodAntiAffinityTerm(place) => {
            if let Some(anti) = &mut affinity.pod_anti {
                take(&mut anti.required, *place);
            }
        }
        Rule::PreferredPodAntiAffinityTerm(place) => {
            if let Some(anti) = &mut affinity.pod_anti {
                take(&mut anti.preferred, *place);
            }
        }
        Rule::SpreadConstraint(place) => {
            spec.topology_spread_constraints.change(|spreads| take(spreads, *place));
        }
        Rule::Volume(place) => take(&mut spec.volumes, *place),
    }
}

fn take<T>(list: &mut Vec<T>, place: usize) {
    if place < list.len() {
        list.remove(place);
    }
}
