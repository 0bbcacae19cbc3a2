//! A hard rule less, one that keeps the pod from where it is wanted.

use std::sync::Arc;

use serde_json::json;

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::Proposer;
use super::drop_soft_rule::{term, without_spread};
use crate::model::affinity::{Affinity, PodAffinity};
use crate::model::pod::PodSpec;
use crate::model::spread::WhenUnsatisfiable;

pub(super) const PROPOSER: Proposer = Proposer { code: "drop-hard-rule", propose };

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const COST: &str = "The rule was there for a reason: whatever it kept apart, together or in place is no longer kept.";

fn propose(scene: &Scene<'_>, goal: &Goal) -> Vec<Edit> {
    let Some(spec) = scene.spec() else { return Vec::new() };
    let mut edits = Vec::new();
    for (key, value) in &spec.node_selector {
        // Another value for a wanted label is the node selector's own edit.
        if goal.labels.iter().any(|(wanted, _)| wanted == key) {
            continue;
        }
        let gone = key.clone();
        edits.push(edit(
            format!("Drop {key}={value} from the node selector."),
            vec![Field::remove(&["nodeSelector", key], json!(value))],
            move |spec| spec.node_selector = spec.node_selector.without(&[&gone]),
        ));
    }
    if let Some(terms) = spec.affinity.node.as_ref().and_then(|node| node.required.as_ref()) {
        let terms: Vec<_> = terms.iter().map(term).collect();
        edits.push(edit(
            "Drop the required node affinity.".to_owned(),
            vec![Field::remove(
                &["affinity", "nodeAffinity", REQUIRED],
                json!({"nodeSelectorTerms": terms}),
            )],
            |spec| {
                if let Some(affinity) = &mut spec.affinity.node {
                    affinity.required = None;
                }
            },
        ));
    }
    for (index, constraint) in spec.topology_spread_constraints.iter().enumerate() {
        if constraint.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule {
            edits.push(without_spread(PROPOSER.code, 2, index, constraint));
        }
    }
    edits.extend(without_affinity("pod affinity", "podAffinity", spec, |affinity| {
        &mut affinity.pod
    }));
    let anti = "pod anti-affinity";
    edits
        .extend(without_affinity(anti, "podAntiAffinity", spec, |affinity| &mut affinity.pod_anti));
    edits
}

/// An edit that drops a required rule over pods, where there is one.
fn without_affinity(
    what: &str,
    field: &str,
    spec: &PodSpec,
    of: fn(&mut Affinity) -> &mut Option<PodAffinity>,
) -> Option<Edit> {
    let affinity = of(&mut spec.affinity.clone()).take().filter(|one| !one.required.is_empty())?;
    let keys = affinity.required.iter().map(|term| json!({"topologyKey": term.topology_key}));
    let keys: Vec<_> = keys.collect();
    Some(edit(
        format!("Drop the required {what}."),
        vec![Field::remove(&["affinity", field, REQUIRED], json!(keys))],
        move |spec| {
            if let Some(affinity) = of(&mut spec.affinity) {
                affinity.required.clear();
            }
        },
    ))
}

fn edit(summary: String, fields: Vec<Field>, change: impl Fn(&mut PodSpec) + 'static) -> Edit {
    Edit {
        code: PROPOSER.code,
        size: 2,
        summary,
        trade_off: COST.to_owned(),
        change: Change::Pod(Arc::new(change)),
        fields,
    }
}
