//! `Chronicle`: the lives of all pods, NodeClaims and nodes, put together once from objects, events and logs.

mod claims;
mod gone;
mod parse;
mod pods;

use std::collections::BTreeMap;

pub(super) use parse::karpenter_pod;

use super::stories::{ClaimStory, NodeStory, OwnerKey, PodStory};
use crate::model::names::{NodeClaimName, NodeName, PodKey};
use crate::model::snapshot::Snapshot;

/// The lives of all pods, NodeClaims and nodes. Made once a snapshot; questions about single pods look things up here.
#[derive(Clone, Debug, Default)]
pub struct Chronicle {
    /// Pods, in the order of namespace, name and creation.
    pub pods: Vec<PodStory>,
    /// NodeClaims.
    pub claims: BTreeMap<NodeClaimName, ClaimStory>,
    /// Nodes.
    pub nodes: BTreeMap<NodeName, NodeStory>,
    by_key: BTreeMap<PodKey, Vec<usize>>,
    by_owner: BTreeMap<OwnerKey, Vec<usize>>,
}

impl Chronicle {
    /// Puts the chronicle together.
    pub fn of(snapshot: &Snapshot) -> Self {
        let (claims, nodes) = claims::stories(snapshot);
        let pods = pods::stories(snapshot);
        let mut by_key: BTreeMap<PodKey, Vec<usize>> = BTreeMap::new();
        let mut by_owner: BTreeMap<OwnerKey, Vec<usize>> = BTreeMap::new();
        for (index, pod) in pods.iter().enumerate() {
            by_key.entry(pod.key.clone()).or_default().push(index);
            if let Some(owner) = &pod.owner {
                by_owner.entry(owner.clone()).or_default().push(index);
            }
        }
        Self { pods, claims, nodes, by_key, by_owner }
    }

    /// The story of a pod; of several that had this name, the one whose object is there, or the last.
    pub fn pod(&self, key: &PodKey) -> Option<&PodStory> {
        let stories = || self.by_key.get(key).into_iter().flatten().map(|&index| &self.pods[index]);
        stories().find(|story| story.object.is_some()).or_else(|| stories().next_back())
    }

    /// The pods of one owner, gone ones too.
    pub fn pods_of<'a>(&'a self, owner: &OwnerKey) -> impl Iterator<Item = &'a PodStory> + 'a {
        self.by_owner.get(owner).into_iter().flatten().map(|&index| &self.pods[index])
    }

    /// The NodeClaim of a node.
    pub fn claim_of(&self, node: &NodeName) -> Option<&ClaimStory> {
        self.claims.get(self.nodes.get(node)?.claim.as_ref()?)
    }
}
