//! A NodePool that may launch what is wanted.

use std::sync::Arc;

use serde_json::json;

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::Proposer;
use crate::model::labels;
use crate::model::nodepool::NodePool;
use crate::model::selector::Operator;

pub(super) const PROPOSER: Proposer = Proposer { code: "nodepool-requirement", propose };

/// One for each requirement `In` of a NodePool that leaves out a wanted value.
fn propose(scene: &Scene<'_>, goal: &Goal) -> Vec<Edit> {
    let mut edits = Vec::new();
    for pool in &scene.state.node_pools {
        let wanted = goal.labels.iter().find(|(key, _)| **key == *labels::NODEPOOL);
        if wanted.is_some_and(|(_, name)| pool.meta.name != *name) {
            continue;
        }
        for (index, requirement) in pool.template.requirements.iter().enumerate() {
            let value = goal.labels.iter().find(|(key, _)| *key == requirement.key);
            let Some((key, value)) = value else { continue };
            if requirement.operator != Operator::In || requirement.values.contains(value) {
                continue;
            }
            let added = value.clone();
            let change = move |pool: &mut NodePool| {
                if let Some(requirement) = pool.template.requirements.get_mut(index) {
                    requirement.values.push(added.clone());
                }
            };
            let at = index.to_string();
            edits.push(Edit {
                code: PROPOSER.code,
                size: 3,
                summary: format!("Let nodepool/{} launch {key}={value} too.", pool.meta.name),
                trade_off: "Every pod that the NodePool serves may then get such a node, and prices may differ.".to_owned(),
                change: Change::Pool(pool.name(), Arc::new(change)),
                fields: vec![Field::add(
                    &["template", "spec", "requirements", &at, "values", "-"],
                    json!(value),
                )],
            });
        }
    }
    edits
}
