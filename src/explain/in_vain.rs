//! Nodes launched in vain: those that got none of the pods that they were launched for.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::prices::Prices;
use crate::model::names::{NamespaceName, NodeName, PodKey};
use crate::model::time::Timestamp;
use crate::reconstruct::World;
use crate::reconstruct::moment::Moment;
use crate::reconstruct::stories::{ClaimStory, PodStory};

/// A node that got none of the pods that it was launched for.
#[derive(Clone, Debug)]
pub struct InVain {
    /// Its NodeClaim.
    pub claim: ClaimStory,
    /// The pods that it was launched for.
    pub planned: BTreeSet<PodKey>,
    /// Where they went instead, with how many each.
    pub went: BTreeMap<NodeName, usize>,
    /// What it was used for.
    pub use_: Use,
    /// What it costs an hour; an estimate.
    pub price: Option<f64>,
    /// Until when it ran; none while it does.
    pub ended: Option<Timestamp>,
}

/// What a node was used for, as far as the input tells. DaemonSets' pods do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// No pod ever ran on it.
    Empty,
    /// Other pods did.
    ByOthers(usize),
}

/// The claims that were launched for pods that are known, of a namespace or any.
pub fn launches<'w>(
    world: &'w World<'_>,
    namespace: Option<&'w NamespaceName>,
) -> impl Iterator<Item = (&'w ClaimStory, &'w BTreeSet<PodKey>)> {
    let launches = world.launches().iter().filter(move |(_, pods)| {
        namespace.is_none_or(|namespace| pods.iter().any(|pod| pod.namespace == *namespace))
    });
    let known = launches.filter_map(|(name, pods)| Some((world.chronicle.claims.get(name)?, pods)));
    known.filter(|(claim, _)| claim.failed.is_none() || claim.registered.is_some())
}

/// The nodes that were launched in vain, oldest first.
pub(super) fn in_vain(world: &World<'_>, namespace: Option<&NamespaceName>) -> Vec<InVain> {
    let mut on_node: FxHashMap<&NodeName, Vec<&PodStory>> = FxHashMap::default();
    for pod in world.chronicle.pods.iter().filter(|pod| !pod.is_daemon()) {
        if let Some(node) = &pod.node {
            on_node.entry(node).or_default().push(pod);
        }
    }
    let prices = Prices::of(world);
    let mut found: Vec<InVain> = launches(world, namespace)
        .filter_map(|(claim, planned)| {
            let there = claim.node.as_ref().and_then(|node| on_node.get(node));
            judged(world, claim, planned, there.map_or(&[], Vec::as_slice))
        })
        .map(|found| InVain { price: prices.of_claim(&found.claim), ..found })
        .collect();
    let created = |found: &InVain| found.claim.created.map(|moment| moment.at);
    found.sort_by(|a, b| (created(a), &a.claim.name).cmp(&(created(b), &b.claim.name)));
    found
}

/// A claim that got none of its pods; none where it got one, may still get one, or where that is not known.
fn judged(
    world: &World<'_>,
    claim: &ClaimStory,
    planned: &BTreeSet<PodKey>,
    there: &[&PodStory],
) -> Option<InVain> {
    if there.iter().any(|pod| planned.contains(&pod.key)) {
        return None;
    }
    let mut went: BTreeMap<NodeName, usize> = BTreeMap::new();
    for pod in planned.iter().filter_map(|key| world.chronicle.pod(key)) {
        match &pod.node {
            Some(node) => {
                // A node whose claim is not known may be this one's.
                if claim.node.is_none() && world.chronicle.claim_of(node).is_none() {
                    return None;
                }
                *went.entry(node.clone()).or_default() += 1;
            }
            None if pod.object.as_ref().is_some_and(|pod| !pod.is_terminal()) => return None,
            None => {}
        }
    }
    Some(InVain {
        use_: if there.is_empty() { Use::Empty } else { Use::ByOthers(there.len()) },
        planned: planned.clone(),
        went,
        price: None,
        ended: ended(world, claim),
        claim: claim.clone(),
    })
}

/// Until when a claim's node was there; none while it is.
pub(super) fn ended(world: &World<'_>, claim: &ClaimStory) -> Option<Timestamp> {
    let node = claim.node.as_ref().and_then(|node| world.chronicle.nodes.get(node));
    let is_there = claim.object.is_some() || node.is_some_and(|node| node.object.is_some());
    let told = claim
        .deleted
        .or(node.and_then(|node| node.deleted))
        .or(claim.disrupted.as_ref().map(|message| message.moment))
        .map(|moment: Moment| moment.at);
    if is_there { claim.deleted.map(|moment| moment.at) } else { told.or(world.snapshot.taken_at) }
}
