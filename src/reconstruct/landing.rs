//! `Landing`: for one pod, where it was meant to go, what kube-scheduler made of it, and where it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::binding::{Binding, binding};
use super::groups::Group;
use super::intent::{Intent, Planned, intent, place_named};
use super::pending::{Pending, pending};
use super::replays::Place;
use super::state_at::Assumption;
use super::stories::PodStory;
use super::world::World;
use crate::model::names::PodKey;

/// One pod's landing.
pub struct Landing<'w, 'a> {
    /// All that is known.
    pub world: &'w World<'a>,
    /// The pod's story.
    pub pod: &'w PodStory,
    /// Where Karpenter meant it to go.
    pub intent: Intent,
    /// The pods of its owner; empty when it has none.
    pub group: Arc<Group>,
    /// Where it is.
    pub actual: Option<Place>,
    /// kube-scheduler's decision, for a pod that was bound.
    pub binding: Option<Binding>,
    /// What both components make of it now, for a pod that waits.
    pub pending: Option<Pending>,
    /// What had to be held true to rebuild the moment.
    pub assumptions: Vec<Assumption>,
}

/// Works out a pod's landing; `None` when the snapshot has no such pod.
pub fn landing<'w, 'a>(world: &'w World<'a>, key: &PodKey) -> Option<Landing<'w, 'a>> {
    let mut landing = outline(world, world.chronicle.pod(key)?);
    landing.binding = binding(world, landing.pod);
    landing.assumptions =
        landing.binding.as_ref().map(|binding| binding.assumptions.clone()).unwrap_or_default();
    landing.pending = landing.waits().then(|| pending(world, landing.pod));
    Some(landing)
}

/// A pod's landing without what kube-scheduler made of it: all that the verdict rests on, at a small part of the cost.
pub fn outline<'w, 'a>(world: &'w World<'a>, pod: &'w PodStory) -> Landing<'w, 'a> {
    let group = pod.owner.as_ref().map(|owner| world.group(owner)).unwrap_or_default();
    let known = group.intents.get(&(pod.key.clone(), pod.uid.clone())).cloned();
    Landing {
        world,
        pod,
        intent: known.unwrap_or_else(|| intent(world, pod)),
        group,
        actual: pod.node.as_ref().and_then(|node| place_named(world, None, Some(node))),
        binding: None,
        pending: None,
        assumptions: Vec::new(),
    }
}

impl Landing<'_, '_> {
    /// Whether the pod waits for a node.
    pub fn waits(&self) -> bool {
        let object = self.pod.object.as_ref();
        object.is_some_and(|pod| pod.node_name.is_none() && !pod.is_terminal())
    }

    /// Where Karpenter meant the pod to go: by its last plan or, where the input leaves that open, by the first, for which
    /// a node was launched.
    pub fn intended(&self) -> Option<&Place> {
        self.intended_plan().and_then(Planned::place)
    }

    /// The plan that says so.
    pub fn intended_plan(&self) -> Option<&Planned> {
        let last = self.intent.last()?;
        if last.place().is_some() {
            return Some(last);
        }
        if last.places.is_empty() {
            return None;
        }
        // Only a plan that made a node says what was meant at first.
        self.intent.first().filter(|first| first.place().is_some_and(|place| place.new))
    }

    /// Whether Karpenter planned for the pod, though it may not be known where.
    pub fn was_planned(&self) -> bool {
        !self.intent.is_empty()
    }

    /// Places that may have been meant, when it is not known which.
    pub fn candidates(&self) -> BTreeSet<Place> {
        self.intent.last().map(|planned| planned.places.clone()).unwrap_or_default()
    }
}
