//! The three places of an answer: intended, kube-scheduler's pick, actual.

use super::super::{Alternative, Basis, Placement, Room};
use super::Rooms;
use crate::karpenter::Candidate;
use crate::kube_scheduler::{Decision, NodeVerdict};
use crate::model::labels;
use crate::model::names::NodeName;
use crate::reconstruct::Landing;
use crate::reconstruct::groups::target;
use crate::reconstruct::intent::{self, Planned};
use crate::reconstruct::replays::Place;

/// Makes the three places of an answer.
pub(super) struct Placements<'e, 'w, 'a> {
    pub(super) landing: &'e Landing<'w, 'a>,
    pub(super) decision: Option<&'e Decision>,
    pub(super) rooms: &'e Rooms,
}

impl Placements<'_, '_, '_> {
    pub(super) fn intended(&self) -> Option<Placement> {
        if self.landing.intent.is_empty() {
            return self.planned_now();
        }
        let planned = self.landing.intended_plan()?;
        let place = planned.place()?;
        let mut placement = self.placement(place);
        placement.time = Some(planned.at);
        placement.launched_for_batch = Some(place.new);
        (placement.basis, placement.source) = basis(planned);
        placement.alternatives = self.alternatives(place);
        if place.node.is_none() {
            self.add_plan(planned, &mut placement);
        }
        Some(placement)
    }

    /// What Karpenter would plan now for a pod that waits, when nothing was planned yet.
    fn planned_now(&self) -> Option<Placement> {
        let pending = self.landing.pending.as_ref()?;
        let outcome = pending.plan()?.outcomes.first()?;
        let mut placement = match outcome.placement(&self.landing.pod.key)? {
            Candidate::InFlight(index) => {
                let mut placement =
                    Placement { launched_for_batch: Some(true), ..Placement::default() };
                describe_claim(outcome.new_node_claims.get(index)?, &mut placement);
                placement
            }
            Candidate::ExistingNode(name) => self.at(&NodeName::from(&*name)),
            Candidate::New(_) => return None,
        };
        placement.basis = Some(Basis::Replayed);
        placement.source = Some("replay of Karpenter on the input".to_owned());
        placement.time = self.landing.world.snapshot.taken_at;
        Some(placement)
    }

    /// What an earlier plan or a record gives instead.
    fn alternatives(&self, chosen: &Place) -> Vec<Alternative> {
        let other = |place: &Place, reason: &str| Alternative {
            node: place.node.as_ref().map(ToString::to_string),
            node_claim: place.claim.as_ref().map(ToString::to_string),
            probability: None,
            reason: reason.to_owned(),
        };
        let mut alternatives = Vec::new();
        if let Some((_, replayed)) = &self.landing.intent.disagreement {
            let places = replayed.places.iter().filter(|place| target(place) != target(chosen));
            alternatives.extend(
                places.map(|place| other(place, "a replay of the same pass plans this instead")),
            );
        }
        if let Some(last) = self.landing.intent.last().filter(|last| last.place().is_none()) {
            let places = last.places.iter().filter(|place| target(place) != target(chosen));
            alternatives.extend(
                places.map(|place| other(place, "a later pass of Karpenter may have planned this")),
            );
        }
        if let Some(first) = self.landing.intent.first().and_then(Planned::place)
            && target(first) != target(chosen)
        {
            alternatives.push(other(first, "an earlier pass of Karpenter had planned this"));
        }
        alternatives
    }

    /// What a planned claim allows, when there is no node to look at.
    fn add_plan(&self, planned: &Planned, placement: &mut Placement) {
        let Some(replay) = planned.pass.and_then(|pass| self.landing.world.replay(pass)) else {
            return;
        };
        let Some(outcome) = replay.plan.outcomes.first() else { return };
        if let Some(Candidate::InFlight(index)) = outcome.placement(&self.landing.pod.key) {
            describe_claim(&outcome.new_node_claims[index], placement);
        }
    }

    pub(super) fn pick(&self) -> Option<Placement> {
        let decision = self.decision?;
        let node = decision.pick.as_ref().or_else(|| {
            // Among equals, the one that was taken is as good a pick as any.
            let actual = self.landing.pod.node.as_ref();
            actual.filter(|node| decision.best.contains(node)).or(decision.best.first())
        })?;
        let mut placement = self.at(node);
        placement.basis = Some(Basis::Replayed);
        placement.source = Some("replay of kube-scheduler".to_owned());
        placement.time = self.landing.pod.bound.map(|moment| moment.at);
        let ties = decision.best.iter().filter(|other| *other != node);
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let share = 1.0 / decision.best.len().max(1) as f64;
        placement.alternatives = ties
            .map(|other| Alternative {
                node: Some(other.to_string()),
                node_claim: self.claim_of(other),
                probability: Some(share),
                reason: "ties for the best score".to_owned(),
            })
            .collect();
        Some(placement)
    }

    pub(super) fn actual(&self) -> Option<Placement> {
        let node = self.landing.pod.node.as_ref()?;
        let mut placement = self.at(node);
        placement.basis = Some(Basis::Observed);
        placement.source = Some("spec.nodeName".to_owned());
        placement.time = self.landing.pod.bound.map(|moment| moment.at);
        Some(placement)
    }

    fn claim_of(&self, node: &NodeName) -> Option<String> {
        self.landing.world.chronicle.claim_of(node).map(|claim| claim.name.to_string())
    }

    fn at(&self, node: &NodeName) -> Placement {
        let claim = self.landing.world.chronicle.claim_of(node).map(|claim| claim.name.clone());
        self.placement(&Place { node: Some(node.clone()), claim, node_pool: None, new: false })
    }

    fn placement(&self, place: &Place) -> Placement {
        let chronicle = &self.landing.world.chronicle;
        let claim = place.claim.as_ref().and_then(|name| chronicle.claims.get(name));
        let node = place.node.as_ref().and_then(|name| chronicle.nodes.get(name));
        let label = |key: &str| {
            node.and_then(|node| {
                node.object.as_ref()?.meta.labels.value(key).map(ToOwned::to_owned)
            })
        };
        let verdict = place.node.as_ref().and_then(|name| self.verdict(name));
        Placement {
            node: place.node.as_ref().map(ToString::to_string),
            node_claim: place.claim.as_ref().map(ToString::to_string),
            node_pool: label(labels::NODEPOOL)
                .or_else(|| {
                    claim.and_then(|claim| claim.node_pool.as_ref()).map(ToString::to_string)
                })
                .or_else(|| place.node_pool.as_ref().map(ToString::to_string)),
            instance_type: label(labels::INSTANCE_TYPE).or_else(|| {
                claim.and_then(|claim| claim.instance_type.as_ref()).map(ToString::to_string)
            }),
            zone: label(labels::ZONE)
                .or_else(|| claim.and_then(|claim| claim.zone.as_ref()).map(ToString::to_string)),
            capacity_type: label(labels::CAPACITY_TYPE).or_else(|| {
                claim.and_then(|claim| claim.capacity_type.as_ref()).map(ToString::to_string)
            }),
            free: place
                .node
                .as_ref()
                .and_then(|name| self.rooms.get(name))
                .map(|room| Room::from(&room.free)),
            score: verdict.and_then(|verdict| verdict.total),
            ..Placement::default()
        }
    }

    fn verdict(&self, node: &NodeName) -> Option<&NodeVerdict> {
        verdict_of(self.decision?, node)
    }
}

fn verdict_of<'d>(decision: &'d Decision, node: &NodeName) -> Option<&'d NodeVerdict> {
    let found = decision.nodes.binary_search_by(|verdict| verdict.node.cmp(node));
    found.ok().map(|index| &decision.nodes[index])
}

fn describe_claim(claim: &crate::karpenter::NewNodeClaim, placement: &mut Placement) {
    let values = |key: &str| {
        claim
            .requirements
            .iter()
            .find(|requirement| &*requirement.key == key)
            .map(|requirement| requirement.values.join(","))
            .filter(|values| !values.is_empty())
    };
    placement.instance_types =
        claim.instance_types.iter().map(|kind| kind.name.to_string()).collect();
    placement.instance_type =
        placement.instance_type.take().or_else(|| placement.instance_types.first().cloned());
    placement.zone = placement.zone.take().or_else(|| values(labels::ZONE));
    placement.capacity_type =
        placement.capacity_type.take().or_else(|| values(labels::CAPACITY_TYPE));
    placement.node_pool = placement.node_pool.take().or_else(|| Some(claim.node_pool.to_string()));
}

fn basis(planned: &Planned) -> (Option<Basis>, Option<String>) {
    match planned.basis {
        intent::Basis::Recorded => (Some(Basis::Recorded), Some("Nominated event".to_owned())),
        intent::Basis::Both => (
            Some(Basis::Recorded),
            Some("Nominated event; a replay of the pass gives the same".to_owned()),
        ),
        intent::Basis::Replayed => {
            (Some(Basis::Replayed), Some("replay of Karpenter's pass".to_owned()))
        }
    }
}
