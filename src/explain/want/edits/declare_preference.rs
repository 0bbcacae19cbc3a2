//! A preference that the pod has already, made a demand.

use std::sync::Arc;

use serde_json::json;

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::Proposer;
use super::drop_soft_rule::term;
use crate::model::affinity::NodeAffinity;
use crate::model::pod::PodSpec;
use crate::model::selector::{NodeSelectorTerm, Operator};

pub(super) const PROPOSER: Proposer = Proposer { code: "require-preferred", propose };

/// Each preferred node affinity that asks for nothing but what is wanted.
fn propose(scene: &Scene<'_>, goal: &Goal) -> Vec<Edit> {
    let affinity = scene.spec().and_then(|spec| spec.affinity.node.as_ref());
    let Some(affinity) = affinity.filter(|affinity| affinity.required.is_none()) else {
        return Vec::new();
    };
    let preferred = affinity.preferred.iter().enumerate();
    preferred
        .filter(|(_, preferred)| asks_for(&preferred.preference, goal))
        .map(|(index, preferred)| edit(affinity, index, &preferred.preference))
        .collect()
}

fn asks_for(term: &NodeSelectorTerm, goal: &Goal) -> bool {
    !term.match_expressions.is_empty()
        && term.match_fields.is_none()
        && term.match_expressions.iter().all(|expression| {
            expression.operator == Operator::In
                && goal
                    .labels
                    .iter()
                    .any(|(key, value)| *key == expression.key && expression.values.contains(value))
        })
}

fn edit(affinity: &NodeAffinity, index: usize, wanted: &NodeSelectorTerm) -> Edit {
    const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    let weight = affinity.preferred[index].weight;
    let at = index.to_string();
    let fields = vec![
        Field::remove(
            &["affinity", "nodeAffinity", PREFERRED, &at],
            json!({"weight": weight, "preference": term(wanted)}),
        ),
        Field::add(
            &["affinity", "nodeAffinity", REQUIRED],
            json!({"nodeSelectorTerms": [term(wanted)]}),
        ),
    ];
    let wanted = wanted.clone();
    let change = move |spec: &mut PodSpec| {
        if let Some(affinity) = &mut spec.affinity.node
            && index < affinity.preferred.len()
        {
            affinity.preferred.remove(index);
            affinity.required = Some(vec![wanted.clone()]);
        }
    };
    Edit {
        code: PROPOSER.code,
        size: 1,
        summary: format!("Require what the pod only prefers (weight {weight})."),
        trade_off: "A hard rule: when the preferred place has no capacity, the pods wait instead of going elsewhere.".to_owned(),
        change: Change::Pod(Arc::new(change)),
        fields,
    }
}
