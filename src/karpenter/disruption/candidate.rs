//! Whether a node may be a candidate for disruption at all. As `disruption.NewCandidate`.

use std::sync::Arc;

use super::{Blocked, Disruptions};
use crate::karpenter::rescheduling::{is_active, is_evictable, is_kept, is_unready, kept_until};
use crate::karpenter::state_node::StateNode;
use crate::model::labels;
use crate::model::names::{NodePoolName, ObjectKey};
use crate::model::pod::Pod;

impl Disruptions<'_> {
    /// Everything that bars a node, in the order in which upstream asks; upstream tells only of the first.
    pub(super) fn barred(&self, node: &StateNode, pods: &[&Arc<Pod>]) -> Vec<Blocked> {
        let Some(claim) = node.claim.as_deref() else { return vec![Blocked::NotManaged] };
        let Some(object) = node.node.as_deref() else { return vec![Blocked::NoNode] };
        let version = self.settings.version;
        let mut barred = Vec::new();
        if version.since(15, 0) && claim.is("Rebooting") {
            barred.push(Blocked::Rebooting);
        }
        if node.is_deleting {
            barred.push(Blocked::Deleting);
        }
        let unready = (!node.is_initialized()).then(|| {
            if node.is_registered() { Blocked::NotInitialized } else { Blocked::NotRegistered }
        });
        let nominated = self.nomination(node).map(|until| Blocked::Nominated { until });
        // The two changed places with 1.15.
        let two = if version.since(15, 0) { [unready, nominated] } else { [nominated, unready] };
        barred.extend(two.into_iter().flatten());
        if object.meta.annotations.value("karpenter.sh/do-not-disrupt") == Some("true") {
            barred.push(Blocked::DoNotDisrupt);
        }
        match node.labels().get(labels::NODEPOOL) {
            None => barred.push(Blocked::NoNodePoolLabel),
            Some(name) if !self.pools.contains_key(name) => {
                barred.push(Blocked::NodePoolNotFound(NodePoolName(name.clone())));
            }
            Some(_) => {}
        }
        barred.extend(self.kept_by_annotation(pods));
        barred.extend(self.kept_by_budget(pods));
        barred
    }

    fn kept_by_annotation(&self, pods: &[&Arc<Pod>]) -> impl Iterator<Item = Blocked> {
        let (at, version) = (self.state.at, self.settings.version);
        let kept = pods.iter().filter(move |pod| is_active(pod) && is_kept(pod, at, version));
        kept.map(move |pod| Blocked::PodDoNotDisrupt { pod: pod.key(), until: kept_until(pod) })
    }

    fn kept_by_budget(&self, pods: &[&Arc<Pod>]) -> impl Iterator<Item = Blocked> {
        let (at, version) = (self.state.at, self.settings.version);
        let evictable = pods.iter().filter(move |pod| is_evictable(pod, at, version));
        evictable.filter_map(|pod| {
            let of_namespace = self.budgets.get(&pod.meta.namespace)?;
            let covering = of_namespace.iter().filter(|budget| {
                budget.selector.as_ref().is_some_and(|selector| selector.matches(&pod.meta.labels))
            });
            let covering: Vec<_> = covering.collect();
            match covering[..] {
                [] => None,
                [only] => {
                    let exempt = only.unhealthy_pod_eviction_policy.as_deref()
                        == Some("AlwaysAllow")
                        && is_unready(pod);
                    (!exempt && only.disruptions_allowed == 0).then(|| {
                        Blocked::PodDisruptionBudget { pod: pod.key(), budget: only.meta.key() }
                    })
                }
                _ => {
                    let budgets: Vec<ObjectKey> =
                        covering.iter().map(|budget| budget.meta.key()).collect();
                    Some(Blocked::SeveralBudgets { pod: pod.key(), budgets })
                }
            }
        })
    }
}

/// What keeps a node from going because of its pods: drift does not heed it where a NodeClaim has a
/// `terminationGracePeriod`.
pub(super) fn is_about_pods(blocked: &Blocked) -> bool {
    matches!(
        blocked,
        Blocked::PodDoNotDisrupt { .. }
            | Blocked::SeveralBudgets { .. }
            | Blocked::PodDisruptionBudget { .. }
    )
}
