//! `Facts`: what is known of one node before any method is asked.

use std::sync::Arc;

use super::budget::{self, Allowance};
use super::consolidatable::{Consolidatable, Policy};
use super::disruptions::PoolTypes;
use super::{Blocked, Disruptions, Reason, cost, price};
use crate::karpenter::rescheduling::is_reschedulable;
use crate::karpenter::state_node::StateNode;
use crate::model::instance_type::InstanceType;
use crate::model::labels;
use crate::model::names::Str;
use crate::model::pod::Pod;
use crate::model::time::Timestamp;

/// What is known of one node before any method is asked.
pub(super) struct Facts<'a> {
    pub(super) node: &'a StateNode,
    pub(super) pool: Option<&'a PoolTypes>,
    pub(super) policy: Option<Policy>,
    pub(super) instance_type: Option<&'a InstanceType>,
    pub(super) price: f64,
    pub(super) cost: f64,
    pub(super) is_empty: bool,
    pub(super) consolidatable: Consolidatable,
}

impl Facts<'_> {
    /// `consolidateAfter` where it has not passed; nothing where it never will.
    pub(super) fn too_young(&self, at: Option<Timestamp>) -> Option<Blocked> {
        let never = self.policy.is_some_and(|policy| policy.after.is_none());
        (!never && !self.consolidatable.holds(at))
            .then_some(Blocked::NotConsolidatable { until: self.consolidatable.due })
    }
}

impl Disruptions<'_> {
    pub(super) fn facts<'s>(&'s self, node: &'s StateNode, pods: &[&Arc<Pod>]) -> Facts<'s> {
        let pool = node.node_pool().and_then(|name| self.pools.get(name));
        let policy = pool.map(|pool| Policy::of(&pool.pool));
        let type_name = node.labels().get(labels::INSTANCE_TYPE);
        let instance_type = pool.zip(type_name).and_then(|(pool, name)| pool.types.get(name));
        let instance_type = instance_type.map(|model| &**model);
        let version = self.settings.version;
        let cost = cost::of_node(pods.iter().map(|pod| &***pod), version);
        let is_empty = if version.since(14, 0) {
            cost <= 1.0
        } else {
            !pods.iter().any(|pod| is_reschedulable(pod))
        };
        let consolidatable = node.claim.as_deref().zip(policy);
        Facts {
            node,
            pool,
            policy,
            instance_type,
            price: instance_type.map_or(0.0, |model| price::of_node(model, node.labels())),
            cost,
            is_empty,
            consolidatable: consolidatable
                .map(|(claim, policy)| Consolidatable::of(claim, policy))
                .unwrap_or_default(),
        }
    }

    pub(super) fn allowance(&self, pool: &PoolTypes, reason: Reason) -> Allowance {
        budget::allowance(&pool.pool, pool.nodes, reason, self.state.at)
    }

    /// What a pool's nodes cost an hour, and what it costs to move all their pods.
    pub(super) fn pool_totals(&self, pool: &Str) -> (f64, f64) {
        let nodes = self.nodes.iter().filter(|node| node.node_pool() == Some(pool));
        nodes.fold((0.0, 0.0), |(price, cost), node| {
            let facts = self.facts(node, self.pods_on(node));
            (price + facts.price, cost + facts.cost)
        })
    }
}
