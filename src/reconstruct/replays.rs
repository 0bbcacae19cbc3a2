//! Replays of Karpenter's passes: the plan that each pass must have made, told in the names of the NodeClaims that came
//! of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::pass_instants::{instants, unheard};
use super::passes::Pass;
use super::state_at::{Instant, state_at};
use super::stories::ClaimStory;
use super::world::World;
use crate::karpenter::{Batch, Limits, NewNodeClaim, Outcome, Plan, Relaxation, Tracing};
use crate::model::labels;
use crate::model::names::{NodeClaimName, NodeName, NodePoolName, PodKey, Str};
use crate::model::time::Span;

/// A place that Karpenter planned for a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The NodeClaim; `None` when it is not known which of the cluster's the planned one became.
    pub claim: Option<NodeClaimName>,
    /// The node.
    pub node: Option<NodeName>,
    /// The NodePool.
    pub node_pool: Option<NodePoolName>,
    /// Whether it was to be launched.
    pub new: bool,
}

/// One pass, replayed.
#[derive(Clone, Debug)]
pub struct PassReplay {
    /// The moment whose state it looked at; see [`World::state_of`].
    pub(super) instant: Instant,
    /// What the replay plans, with those outcomes only that agree best with what was then created.
    pub plan: Plan,
    /// For each outcome, which NodeClaim each planned one became; several where they cannot be told apart.
    pub became: Vec<Vec<BTreeSet<NodeClaimName>>>,
    /// How many of the planned claims were found among the created ones, of how many planned and created at most.
    pub agreement: (usize, usize),
    /// Where each pod was placed; several where chance decided or claims cannot be told apart.
    pub places: BTreeMap<PodKey, BTreeSet<Place>>,
    /// Whether other states that the stamps allow give another plan.
    pub varies: bool,
    /// The same in the first outcome alone.
    pub first_outcome: BTreeMap<PodKey, Place>,
    /// The steps of the first outcome's relaxations, in the order of their pods.
    by_pod: OnceLock<Vec<u32>>,
}

impl PassReplay {
    /// Whether what was planned is what was created.
    pub fn agrees(&self) -> bool {
        self.agreement.0 == self.agreement.1
    }

    /// Whether most of what was planned is what was created: chance decides some of a large pass, but the state was right.
    pub fn mostly_agrees(&self) -> bool {
        self.agreement.0 * 2 > self.agreement.1 || self.agreement.1 == 0
    }

    /// What the first outcome gives up for a pod, in order.
    pub fn relaxations<'r>(&'r self, pod: &'r PodKey) -> impl Iterator<Item = &'r Relaxation> {
        let steps = self.plan.outcomes.first().map_or(&[][..], |first| &first.relaxations);
        let by_pod = self.by_pod.get_or_init(|| {
            let mut by_pod: Vec<u32> = (0..).take(steps.len()).collect();
            by_pod.sort_by_key(|&step| &steps[step as usize].0);
            by_pod
        });
        let step = |index: &u32| &steps[*index as usize];
        let from = by_pod.partition_point(|index| step(index).0 < *pod);
        by_pod[from..].iter().map(step).take_while(move |(key, _)| key == pod).map(|(_, rule)| rule)
    }
}

/// How far outcomes of a pass are followed.
const LIMITS: Limits = Limits { outcomes: 256, steps: 20_000 };

/// Replays a pass; `None` when the replay does not model it.
pub(super) fn replay(world: &World<'_>, pass: &Pass) -> Option<PassReplay> {
    let instants = instants(world, pass);
    let mut replays: Vec<PassReplay> =
        instants.iter().filter_map(|instant| replay_at(world, pass, instant)).collect();
    // What was created tells which of the states it was; else each may have been.
    if let [likely] = instants.as_slice()
        && !pass.created.is_empty()
        && !replays.iter().any(PassReplay::agrees)
    {
        for earlier in unheard(world, likely) {
            let Some(replay) = replay_at(world, pass, &earlier) else { continue };
            let agrees = replay.agrees();
            replays.push(replay);
            if agrees {
                break;
            }
        }
    }
    let best = replays.iter().map(|replay| replay.agreement.0).max()?;
    let mut replays = replays.into_iter().filter(|replay| replay.agreement.0 == best);
    let mut first = replays.next()?;
    if instants.len() == 1 {
        return Some(first);
    }
    for other in replays {
        for (pod, places) in other.places {
            first.places.entry(pod).or_default().extend(places);
        }
        first.varies |= other.first_outcome != first.first_outcome;
    }
    Some(first)
}

fn replay_at(world: &World<'_>, pass: &Pass, instant: &Instant) -> Option<PassReplay> {
    let state = state_at(world.snapshot, &world.chronicle, instant).state;
    let batch = Batch { limits: LIMITS, tracing: Tracing::None, ..Batch::default() };
    let plan = world.planned(state, &batch)?;
    Some(told(world, pass, instant, plan))
}

/// Puts the names of the NodeClaims that were created in the place of the planned ones.
fn told(world: &World<'_>, pass: &Pass, instant: &Instant, mut plan: Plan) -> PassReplay {
    let created: Vec<&ClaimStory> =
        pass.created.iter().filter_map(|name| world.chronicle.claims.get(name)).collect();
    let nominated = nominated(world, pass);
    let mut matched: Vec<(Outcome, Match)> = std::mem::take(&mut plan.outcomes)
        .into_iter()
        .map(|outcome| {
            let matching = Match::of(&outcome, &created, &nominated);
            (outcome, matching)
        })
        .collect();
    let best = matched.iter().map(|(_, matching)| matching.rank()).max();
    matched.retain(|(_, matching)| Some(matching.rank()) == best);
    let mut places: BTreeMap<PodKey, BTreeSet<Place>> = BTreeMap::new();
    let mut first_outcome = BTreeMap::new();
    for (index, (outcome, matching)) in matched.iter().enumerate() {
        for (pod, place) in places_of(world, outcome, matching) {
            if index == 0 {
                first_outcome.insert(pod.clone(), place.iter().next().cloned().unwrap_or_default());
            }
            places.entry(pod).or_default().extend(place);
        }
    }
    let found = matched.first().map_or(0, |(_, best)| best.exact);
    let planned = matched.first().map_or(0, |(outcome, _)| outcome.new_node_claims.len());
    let (outcomes, assigned): (Vec<Outcome>, Vec<Match>) = matched.into_iter().unzip();
    plan.outcomes = outcomes;
    PassReplay {
        instant: instant.clone(),
        plan,
        became: assigned.into_iter().map(|matching| matching.became).collect(),
        agreement: (found, planned.max(created.len())),
        places,
        varies: false,
        first_outcome,
        by_pod: OnceLock::new(),
    }
}

/// Nominations that this pass sent, by pod.
fn nominated(world: &World<'_>, pass: &Pass) -> BTreeMap<PodKey, NodeClaimName> {
    let (from, to) =
        (pass.earliest.plus(Span(-Span::seconds(1).0)), pass.latest.plus(Span::seconds(3)));
    let mut nominated = BTreeMap::new();
    for pod in &world.chronicle.pods {
        let of_pass = pod.nominations.iter().find(|n| n.moment.at >= from && n.moment.at <= to);
        if let Some(claim) = of_pass.and_then(|nomination| nomination.claim.clone()) {
            nominated.insert(pod.key.clone(), claim);
        }
    }
    nominated
}

/// Which created claims an outcome's planned ones became.
struct Match {
    became: Vec<BTreeSet<NodeClaimName>>,
    /// Nominations that agree, less those that do not.
    votes: i64,
    /// Planned claims that were found with the same pool, requests and zone.
    exact: usize,
}

impl Match {
    fn rank(&self) -> (usize, i64) {
        (self.exact, self.votes)
    }

    fn of(
        outcome: &Outcome,
        created: &[&ClaimStory],
        nominated: &BTreeMap<PodKey, NodeClaimName>,
    ) -> Self {
        let planned = &outcome.new_node_claims;
        let mut became: Vec<BTreeSet<NodeClaimName>> = vec![BTreeSet::new(); planned.len()];
        let mut taken: BTreeSet<&NodeClaimName> = BTreeSet::new();
        let mut votes = 0;
        // Nominated pods say by name which claim theirs became.
        let mut ballots: Vec<(i64, usize, &NodeClaimName)> = Vec::new();
        for (index, claim) in planned.iter().enumerate() {
            let mut counts: BTreeMap<&NodeClaimName, i64> = BTreeMap::new();
            for name in claim.pods.iter().filter_map(|pod| nominated.get(pod)) {
                *counts.entry(name).or_default() += 1;
            }
            ballots.extend(counts.into_iter().map(|(name, count)| (count, index, name)));
        }
        ballots.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(b.2)));
        let mut exact = 0;
        for (count, index, name) in ballots {
            let story = created.iter().find(|story| story.name == *name);
            let free = became[index].is_empty() && !taken.contains(name);
            if free && story.is_none_or(|story| is_like(&planned[index], story)) {
                became[index].insert(name.clone());
                taken.insert(name);
                votes += count;
                exact += usize::from(story.is_some());
            } else {
                votes -= count;
            }
        }
        // The rest by what they are: pool, requests, zone.
        for (index, claim) in planned.iter().enumerate() {
            if !became[index].is_empty() {
                continue;
            }
            let alike: BTreeSet<NodeClaimName> = created
                .iter()
                .filter(|story| !taken.contains(&story.name) && is_like(claim, story))
                .map(|story| story.name.clone())
                .collect();
            became[index] = alike;
        }
        exact += settled(&mut became, &taken.into_iter().cloned().collect());
        Self { became, votes, exact }
    }
}

/// Leaves each planned claim with those created ones that it may be in some one-to-one assignment; how many found one.
fn settled(became: &mut [BTreeSet<NodeClaimName>], taken: &BTreeSet<NodeClaimName>) -> usize {
    // One that is settled is no candidate for the others.
    let mut settled: Vec<usize> =
        (0..became.len()).filter(|&index| became[index].len() == 1).collect();
    while let Some(index) = settled.pop() {
        let Some(name) = became[index].first().cloned() else { continue };
        for other in (0..became.len()).filter(|&other| other != index) {
            if became[other].len() > 1 && became[other].remove(&name) && became[other].len() == 1 {
                settled.push(other);
            }
        }
    }
    let mut used: BTreeMap<NodeClaimName, usize> = BTreeMap::new();
    let mut found = 0;
    let open: Vec<usize> = (0..became.len())
        .filter(|&index| {
            !(became[index].len() == 1 && became[index].iter().all(|name| taken.contains(name)))
        })
        .collect();
    for index in open {
        let free = became[index].iter().find(|name| !used.contains_key(*name)).cloned();
        if let Some(name) = free {
            used.insert(name, index);
            found += 1;
        } else {
            became[index].clear();
        }
    }
    found
}

/// Whether a created claim can be the planned one.
fn is_like(planned: &NewNodeClaim, story: &ClaimStory) -> bool {
    if story.node_pool.as_ref().is_some_and(|pool| *pool != planned.node_pool) {
        return false;
    }
    if story.requests.as_ref().is_some_and(|requests| *requests != planned.requests) {
        return false;
    }
    let zones = zones(planned);
    match (&story.object, &story.zone) {
        (Some(claim), _) => {
            let asked =
                claim.requirements.iter().find(|requirement| &*requirement.key == labels::ZONE);
            match asked {
                Some(asked) => {
                    let asked: BTreeSet<&Str> = asked.values.iter().collect();
                    asked == zones.iter().collect() || zones.is_empty()
                }
                None => true,
            }
        }
        (None, Some(zone)) => zones.is_empty() || zones.contains(zone),
        (None, None) => true,
    }
}

/// The zones that a planned claim allows.
pub fn zones(planned: &NewNodeClaim) -> BTreeSet<Str> {
    planned
        .requirements
        .iter()
        .filter(|requirement| &*requirement.key == labels::ZONE)
        .flat_map(|requirement| requirement.values.iter().cloned())
        .collect()
}

fn places_of(
    world: &World<'_>,
    outcome: &Outcome,
    matching: &Match,
) -> Vec<(PodKey, BTreeSet<Place>)> {
    let mut places = Vec::new();
    for node in &outcome.existing_nodes {
        let claim = node.node_claim.clone().or_else(|| {
            world.chronicle.claim_of(node.node.as_ref()?).map(|claim| claim.name.clone())
        });
        let story = claim.as_ref().and_then(|name| world.chronicle.claims.get(name));
        let place = Place {
            node: node.node.clone().or_else(|| story.and_then(|story| story.node.clone())),
            node_pool: story.and_then(|story| story.node_pool.clone()),
            claim,
            new: false,
        };
        places.extend(node.pods.iter().map(|pod| (pod.clone(), BTreeSet::from([place.clone()]))));
    }
    for (index, claim) in outcome.new_node_claims.iter().enumerate() {
        let nameless =
            Place { node_pool: Some(claim.node_pool.clone()), new: true, ..Place::default() };
        let mut named: BTreeSet<Place> = matching.became[index]
            .iter()
            .map(|name| Place {
                claim: Some(name.clone()),
                node: world.chronicle.claims.get(name).and_then(|story| story.node.clone()),
                ..nameless.clone()
            })
            .collect();
        if named.is_empty() {
            named.insert(nameless);
        }
        places.extend(claim.pods.iter().map(|pod| (pod.clone(), named.clone())));
    }
    places
}
