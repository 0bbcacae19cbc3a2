//! A node selector for what is wanted.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::{Goal, Target};
use super::Proposer;
use crate::explain::words;
use crate::model::names::Str;

pub(super) const PROPOSER: Proposer = Proposer { code: "node-selector", propose };

/// Each label alone, then all of them.
fn propose(scene: &Scene<'_>, goal: &Goal) -> Vec<Edit> {
    let Some(spec) = scene.spec() else { return Vec::new() };
    let missing: Vec<(Str, Str)> = goal
        .labels
        .iter()
        .filter(|(key, value)| spec.node_selector.value(key) != Some(value))
        .cloned()
        .collect();
    let mut sets: Vec<Vec<(Str, Str)>> = missing.iter().map(|label| vec![label.clone()]).collect();
    if missing.len() > 1 {
        sets.push(missing);
    }
    sets.into_iter().map(|labels| edit(scene, goal, labels)).collect()
}

fn edit(scene: &Scene<'_>, goal: &Goal, labels: Vec<(Str, Str)>) -> Edit {
    let old = scene.spec().map(|spec| spec.node_selector.clone()).unwrap_or_default();
    let fields = if old.is_empty() {
        let new: Map<String, Value> =
            labels.iter().map(|(key, value)| (key.to_string(), json!(value))).collect();
        vec![Field::add(&["nodeSelector"], Value::Object(new))]
    } else {
        let each = labels.iter().map(|(key, value)| match old.value(key) {
            Some(before) => Field::replace(&["nodeSelector", key], json!(before), json!(value)),
            None => Field::add(&["nodeSelector", key], json!(value)),
        });
        each.collect()
    };
    let named: Vec<String> = labels
        .iter()
        .map(|(key, value)| Target::Label(key.clone(), value.clone()).to_string())
        .collect();
    let named = words::list(&named, 4);
    let pods = scene.peers.len();
    let all = if pods > 1 {
        format!("all {pods} pods of the template go")
    } else {
        "the pod goes".to_owned()
    };
    let trade_off = if goal.is_one_node {
        "A pod that is tied to one node waits for ever when that node is gone, and Karpenter launches nothing for it.".to_owned()
    } else {
        format!(
            "A hard rule: {all} there or wait; when {named} has no capacity, nothing else is tried."
        )
    };
    let size = u32::try_from(labels.len()).unwrap_or(u32::MAX);
    let change = move |spec: &mut crate::model::pod::PodSpec| {
        spec.node_selector = spec.node_selector.with(labels.iter().cloned());
    };
    Edit {
        code: PROPOSER.code,
        size,
        summary: format!("Require {named} in the pod's node selector."),
        trade_off,
        change: Change::Pod(Arc::new(change)),
        fields,
    }
}
