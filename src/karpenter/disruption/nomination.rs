//! `Memory`: what Karpenter keeps to itself and no object shows: nodes that it expects pods on, or is taking away.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::event::Event;
use crate::model::names::{NodeName, Str};
use crate::model::time::{Span, Timestamp};

use crate::karpenter::plan::Outcome;
use crate::karpenter::settings::Settings;

/// What Karpenter has in memory, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Nodes, or NodeClaims, on which it expects a pod, and until when.
    pub nominated: BTreeMap<Str, Timestamp>,
    /// Nodes that it is taking away, beside those of which the objects tell.
    pub marked: BTreeSet<NodeName>,
    /// Nodes on whose room a CapacityBuffer counts, by their name for Karpenter.
    pub buffered: BTreeSet<Str>,
}

impl Memory {
    /// What events `Nominated` up to a moment tell. Upstream publishes not all of them, so that none is no proof.
    pub fn from_events(events: &[Event], at: Timestamp, settings: &Settings) -> Self {
        let span = nomination_span(settings);
        let mut memory = Self::default();
        for event in events {
            if &*event.reason != "Nominated" || &*event.reporter != "karpenter" {
                continue;
            }
            let Some(told) = event.last.or(event.first).filter(|told| *told <= at) else {
                continue;
            };
            let until = told.plus(span);
            if until <= at {
                continue;
            }
            for name in existing_nodes(&event.message) {
                let known = memory.nominated.entry(name.into()).or_insert(until);
                *known = (*known).max(until);
            }
        }
        memory
    }

    /// Adds what a pass planned at a moment: existing nodes that got a pod count as nominated, told or not.
    pub fn nominate(&mut self, outcome: &Outcome, at: Timestamp, settings: &Settings) {
        let until = at.plus(nomination_span(settings));
        for placement in &outcome.existing_nodes {
            let name = placement.node.as_ref().map_or(&placement.name, |node| &node.0);
            let known = self.nominated.entry(name.clone()).or_insert(until);
            *known = (*known).max(until);
        }
    }
}

/// For how long a node counts as nominated.
fn nomination_span(settings: &Settings) -> Span {
    Span((2 * settings.batch_max_duration.0).max(Span::seconds(10).0))
}

/// The nodes that a message names; a NodeClaim alone is one that was about to be created, and such are not nominated.
fn existing_nodes(message: &str) -> impl Iterator<Item = &str> {
    let list = message.strip_prefix("Pod should schedule on: ").unwrap_or_default();
    list.split(", ").filter_map(|part| part.strip_prefix("node/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::ObjectRef;

    fn nominated(message: &str, at: i64) -> Event {
        let regarding = ObjectRef {
            kind: "Pod".into(),
            namespace: "default".into(),
            name: "p".into(),
            uid: "".into(),
        };
        Event {
            regarding,
            kind: "Normal".into(),
            reason: "Nominated".into(),
            message: message.into(),
            reporter: "karpenter".into(),
            first: Some(Timestamp::from_seconds(at)),
            last: Some(Timestamp::from_seconds(at)),
            is_precise: false,
            count: 1,
        }
    }

    #[test]
    fn a_nomination_lapses_after_twice_the_longest_batch() {
        let events = [
            nominated("Pod should schedule on: nodeclaim/a, node/old", 70),
            nominated("Pod should schedule on: nodeclaim/b, node/new", 90),
            nominated("Pod should schedule on: nodeclaim/not-there-yet", 90),
            nominated("Pod should schedule on: node/later", 101),
        ];
        let now = Timestamp::from_seconds(100);
        let memory = Memory::from_events(&events, now, &Settings::default());
        let expected = BTreeMap::from([("new".into(), Timestamp::from_seconds(110))]);
        assert_eq!(memory.nominated, expected);
    }
}
