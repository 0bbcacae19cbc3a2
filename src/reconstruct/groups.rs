//! Pods of one owner, counted: how many Karpenter meant for each node, and how many came.

use std::collections::{BTreeMap, BTreeSet};

use super::intent::{Intent, Planned, intent};
use super::replays::Place;
use super::stories::{ClaimStory, OwnerKey, PodStory};
use super::world::World;
use crate::karpenter::Candidate;
use crate::model::labels;
use crate::model::names::{PodKey, Str, Uid};

/// A node or, before there is one, a NodeClaim, by name.
pub type Target = String;

/// How many pods of one owner were meant for each node, and how many came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// By the first plan for each pod; `None` when it is not known for one of them.
    pub first: Option<BTreeMap<Target, usize>>,
    /// By the last plan for each pod; `None` when it is not known for one of them.
    pub latest: Option<BTreeMap<Target, usize>>,
    /// Nodes that the first plans used, as far as any outcome of the replay tells: enough for their domains.
    pub first_targets: BTreeSet<Target>,
    /// How many were bound to each node.
    pub came: BTreeMap<Target, usize>,
    /// The plans for each pod of the group; a name may have come back with another UID.
    pub intents: BTreeMap<(PodKey, Uid), Intent>,
}

impl Group {
    /// Whether every node got as many of these pods as planned.
    pub fn came_as_planned(&self) -> bool {
        self.first.as_ref() == Some(&self.came) || self.latest.as_ref() == Some(&self.came)
    }
}

/// Counts the pods of an owner that Karpenter planned for and that were bound. Ask `World::group`, which keeps it.
pub(super) fn group(world: &World<'_>, owner: &OwnerKey) -> Group {
    let mut group = Group::default();
    let (mut first, mut latest) = (Tally::default(), Tally::default());
    for pod in world.chronicle.pods_of(owner) {
        let (Some(node), Some(_)) = (&pod.node, pod.bound) else { continue };
        let intent = intent(world, pod);
        let (Some(planned), Some(last)) = (intent.first(), intent.last()) else { continue };
        first.count(world, pod, planned);
        latest.count(world, pod, last);
        group.first_targets.extend(targets(world, pod, planned));
        *group.came.entry(node.to_string()).or_default() += 1;
        group.intents.insert((pod.key.clone(), pod.uid.clone()), intent);
    }
    group.first = first.settled();
    group.latest = latest.settled();
    group
}

/// Pods counted by where they were planned.
#[derive(Default)]
struct Tally {
    sure: BTreeMap<Target, usize>,
    /// Pods planned for claims that look alike: how many for each planned one of them.
    alike: BTreeMap<BTreeSet<Place>, BTreeMap<usize, usize>>,
    lost: bool,
}

impl Tally {
    fn count(&mut self, world: &World<'_>, pod: &PodStory, planned: &Planned) {
        if let Some(target) = planned.place().and_then(target) {
            *self.sure.entry(target).or_default() += 1;
            return;
        }
        let replay =
            planned.pass.and_then(|pass| world.replay(pass)).filter(|replay| !replay.varies);
        let outcome = replay.and_then(|replay| match replay.plan.outcomes.as_slice() {
            [only] => Some(only),
            _ => None,
        });
        match outcome.and_then(|outcome| outcome.placement(&pod.key)) {
            Some(Candidate::InFlight(index)) => {
                *self.alike.entry(planned.places.clone()).or_default().entry(index).or_default() +=
                    1;
            }
            _ => self.lost = true,
        }
    }

    /// The counts: which of some claims that look alike is which does not matter when each got as many.
    fn settled(self) -> Option<BTreeMap<Target, usize>> {
        if self.lost {
            return None;
        }
        let mut counts = self.sure;
        for (places, planned) in self.alike {
            let each = *planned.values().next()?;
            if planned.len() != places.len() || planned.values().any(|count| *count != each) {
                return None;
            }
            for place in &places {
                *counts.entry(target(place)?).or_default() += each;
            }
        }
        Some(counts)
    }
}

/// The node of a place, or its claim.
pub fn target(place: &Place) -> Option<Target> {
    place
        .node
        .as_ref()
        .map(ToString::to_string)
        .or_else(|| place.claim.as_ref().map(ToString::to_string))
}

/// The nodes of a plan; when chance decided, those of the first outcome, whose domains are as good as any other's.
fn targets(world: &World<'_>, pod: &PodStory, planned: &Planned) -> Vec<Target> {
    if let Some(place) = planned.place() {
        return target(place).into_iter().collect();
    }
    let replay = planned.pass.and_then(|pass| world.replay(pass));
    let place = replay.and_then(|replay| replay.first_outcome.get(&pod.key));
    place.and_then(target).into_iter().collect()
}

/// The topology keys over which a pod would rather be spread.
pub fn soft_spread_keys(pod: &PodStory) -> BTreeSet<Str> {
    use crate::model::spread::WhenUnsatisfiable;
    let Some(object) = pod.unbound() else { return BTreeSet::new() };
    let spreads = object
        .spec
        .topology_spread_constraints
        .iter()
        .filter(|constraint| constraint.when_unsatisfiable == WhenUnsatisfiable::ScheduleAnyway)
        .map(|constraint| constraint.topology_key.clone());
    let apart = object.spec.affinity.pod_anti.iter().flat_map(|anti| &anti.preferred);
    spreads.chain(apart.map(|term| term.term.topology_key.clone())).collect()
}

/// The domain of a node or claim under a topology key.
pub fn domain(world: &World<'_>, target: &str, key: &str) -> Option<Str> {
    let node = world.chronicle.nodes.get(target);
    let claim = node
        .and_then(|node| world.chronicle.claims.get(node.claim.as_ref()?))
        .or_else(|| world.chronicle.claims.get(target));
    if key == labels::HOSTNAME {
        // Each node is a domain of its own.
        return Some(Str::from(target));
    }
    let labels = node.and_then(|node| Some(&node.object.as_ref()?.meta.labels));
    let by_node = labels.and_then(|labels| labels.get(key).cloned());
    by_node.or_else(|| claim.and_then(|claim| claim_label(claim, key)))
}

fn claim_label(claim: &ClaimStory, key: &str) -> Option<Str> {
    let known = match key {
        labels::ZONE => claim.zone.clone(),
        labels::CAPACITY_TYPE => claim.capacity_type.clone(),
        labels::INSTANCE_TYPE => claim.instance_type.as_ref().map(|name| name.0.clone()),
        labels::NODEPOOL => claim.node_pool.as_ref().map(|name| name.0.clone()),
        _ => None,
    };
    known.or_else(|| claim.object.as_ref()?.meta.labels.get(key).cloned())
}

/// A topology key of which planned domains got none of these pods, with the domains.
pub fn unused_domains(
    world: &World<'_>,
    group: &Group,
    keys: &BTreeSet<Str>,
) -> Option<(Str, Vec<Str>)> {
    keys.iter().find_map(|key| {
        let of = |targets: &mut dyn Iterator<Item = &Target>| -> BTreeSet<Str> {
            targets.filter_map(|target| domain(world, target, key)).collect()
        };
        let planned = of(&mut group.first_targets.iter());
        let came = of(&mut group.came.keys());
        let unused: Vec<Str> = planned.difference(&came).cloned().collect();
        (!unused.is_empty()).then(|| (key.clone(), unused))
    })
}
