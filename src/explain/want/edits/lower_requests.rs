//! Less to ask for, so that the pod fits the room that is there.

use std::sync::Arc;

use serde_json::json;

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::Proposer;
use crate::explain::words;
use crate::model::pod::PodSpec;
use crate::model::quantity::Quantity;
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::resources::{CPU, MEMORY};
use crate::reconstruct::room::rooms;

pub(super) const PROPOSER: Proposer = Proposer { code: "lower-requests", propose };

/// The room of the wanted node that is nearest to being enough, for a pod of one container.
fn propose(scene: &Scene<'_>, goal: &Goal) -> Vec<Edit> {
    let Some(spec) = scene.spec() else { return Vec::new() };
    let [container] = spec.containers.as_slice() else { return Vec::new() };
    if !spec.init_containers.is_empty() || spec.pod_requests.is_some() {
        return Vec::new();
    }
    let asked = spec_requests(spec, RequestRules::default());
    let nodes = scene.state.nodes.iter().filter(|node| goal.is_met_by(node));
    let rooms = rooms(&scene.state);
    let mut best: Option<(Quantity, &'static str)> = None;
    for room in nodes.filter_map(|node| rooms.get(&node.name())) {
        let short: Vec<&'static str> = [CPU, MEMORY]
            .into_iter()
            .filter(|name| room.free.get(name).is_some_and(|free| free < asked.amount(name)))
            .collect();
        // More than one resource short, or less than three quarters of it left, is no small change.
        let [name] = short.as_slice() else { continue };
        let free = room.free.amount(name);
        let is_small =
            free.nanos().saturating_mul(4) >= asked.amount(name).nanos().saturating_mul(3);
        let own = container.requests.amount(name);
        let overhead = asked.amount(name).minus(own);
        let left = free.minus(overhead);
        if is_small && !left.is_negative() && best.is_none_or(|(most, _)| left > most) {
            best = Some((left, name));
        }
    }
    best.map(|(left, name)| edit(container.requests.amount(name), left, name)).into_iter().collect()
}

fn edit(before: Quantity, after: Quantity, name: &'static str) -> Edit {
    let change = move |spec: &mut PodSpec| {
        if let Some(container) = spec.containers.first_mut() {
            container.requests.set(name.into(), after);
        }
    };
    Edit {
        code: PROPOSER.code,
        size: 3,
        summary: format!(
            "Ask for {} of {name} instead of {}.",
            words::amount(name, after),
            words::amount(name, before)
        ),
        trade_off: format!(
            "The pod is promised less {name}: see what it really uses first; with less memory it may be killed, with less cpu it runs slower on a busy node."
        ),
        change: Change::Pod(Arc::new(change)),
        fields: vec![Field::replace(
            &["containers", "0", "resources", "requests", name],
            json!(before.to_string()),
            json!(after.to_string()),
        )],
    }
}
