//! `Chronicle`: the lives of all pods, NodeClaims and nodes, put together once from objects, events and logs.

mod claims;
mod gone;
mod parse;
mod pods;

use std::cmp::Ordering;
use std::collections::BTreeMap;

pub(super) use parse::karpenter_pod;
pub(super) use pods::{CopiedLabels, unbound};

use super::recorded::Recording;
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
    pub(super) recording: Recording,
    /// The places of pods that have the name of the one before.
    pub(super) namesakes: Vec<usize>,
    /// The pods that have an owner, by place, in the order of the owners.
    by_owner: Vec<u32>,
}

impl Chronicle {
    /// Puts the chronicle together.
    pub fn of(snapshot: &Snapshot) -> Self {
        let (claims, nodes) = claims::stories(snapshot);
        let pods = pods::stories(snapshot);
        let owned = pods.iter().zip(0..).filter(|(pod, _)| pod.owner.is_some());
        let mut by_owner: Vec<u32> = owned.map(|(_, index)| index).collect();
        by_owner.sort_by_key(|&index| &pods[index as usize].owner);
        let recording = Recording::of(snapshot);
        let is_namesake = |index: &usize| pods[*index].key == pods[*index - 1].key;
        let namesakes = (1..pods.len()).filter(is_namesake).collect();
        Self { pods, claims, nodes, recording, namesakes, by_owner }
    }

    /// The story of a pod; of several that had this name, the one whose object is there, or the last.
    pub fn pod(&self, key: &PodKey) -> Option<&PodStory> {
        let stories = || self.pods[self.places_of(key)].iter();
        stories().find(|story| story.object.is_some()).or_else(|| stories().last())
    }

    /// The places of the stories of all pods that had a name.
    pub(super) fn places_of(&self, key: &PodKey) -> std::ops::Range<usize> {
        let first = self.pods.partition_point(|story| story.key < *key);
        let more = self.pods[first..].iter().take_while(|story| story.key == *key).count();
        first..first + more
    }

    /// The pods of one owner, gone ones too.
    pub fn pods_of<'a>(&'a self, owner: &'a OwnerKey) -> impl Iterator<Item = &'a PodStory> + 'a {
        let story = |index: &u32| &self.pods[*index as usize];
        let owned_by = move |index: &u32| story(index).owner.as_ref().cmp(&Some(owner));
        let first = self.by_owner.partition_point(|index| owned_by(index) == Ordering::Less);
        let of_owner = self.by_owner[first..].iter();
        of_owner.take_while(move |index| owned_by(index) == Ordering::Equal).map(story)
    }

    /// The NodeClaim of a node.
    pub fn claim_of(&self, node: &NodeName) -> Option<&ClaimStory> {
        self.claims.get(self.nodes.get(node)?.claim.as_ref()?)
    }
}
