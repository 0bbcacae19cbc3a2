//! A soft rule less: Karpenter takes it as hard until it gives it up, kube-scheduler scores it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::Proposer;
use crate::model::pod::PodSpec;
use crate::model::selector::NodeSelectorTerm;
use crate::model::spread::{TopologySpreadConstraint, WhenUnsatisfiable};

pub(super) const PROPOSER: Proposer = Proposer { code: "drop-soft-rule", propose };

const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

fn propose(scene: &Scene<'_>, _: &Goal) -> Vec<Edit> {
    let Some(spec) = scene.spec() else { return Vec::new() };
    let mut edits = Vec::new();
    for (index, constraint) in spec.topology_spread_constraints.iter().enumerate() {
        if constraint.when_unsatisfiable == WhenUnsatisfiable::ScheduleAnyway {
            edits.push(without_spread(PROPOSER.code, 1, index, constraint));
        }
    }
    if let Some(affinity) = &spec.affinity.node {
        for (index, preferred) in affinity.preferred.iter().enumerate() {
            let value =
                json!({"weight": preferred.weight, "preference": term(&preferred.preference)});
            edits.push(dropped("preferred node affinity", "nodeAffinity", index, value, |spec| {
                spec.affinity.node.as_mut().map(|affinity| &mut affinity.preferred)
            }));
        }
    }
    if let Some(affinity) = &spec.affinity.pod {
        for (index, preferred) in affinity.preferred.iter().enumerate() {
            let value = pod_term(preferred.weight, &preferred.term.topology_key);
            edits.push(dropped("preferred pod affinity", "podAffinity", index, value, |spec| {
                spec.affinity.pod.as_mut().map(|affinity| &mut affinity.preferred)
            }));
        }
    }
    if let Some(affinity) = &spec.affinity.pod_anti {
        for (index, preferred) in affinity.preferred.iter().enumerate() {
            let value = pod_term(preferred.weight, &preferred.term.topology_key);
            let what = "preferred pod anti-affinity";
            edits.push(dropped(what, "podAntiAffinity", index, value, |spec| {
                spec.affinity.pod_anti.as_mut().map(|affinity| &mut affinity.preferred)
            }));
        }
    }
    edits
}

fn dropped<T: 'static>(
    what: &str,
    kind: &str,
    index: usize,
    value: Value,
    list: fn(&mut PodSpec) -> Option<&mut Vec<T>>,
) -> Edit {
    let change = move |spec: &mut PodSpec| {
        if let Some(list) = list(spec)
            && index < list.len()
        {
            list.remove(index);
        }
    };
    Edit {
        code: PROPOSER.code,
        size: 1,
        summary: format!("Drop the {what}."),
        trade_off: "What the rule was for is no longer looked after, neither by Karpenter nor by kube-scheduler's scores.".to_owned(),
        change: Change::Pod(Arc::new(change)),
        fields: vec![Field::remove(&["affinity", kind, PREFERRED, &index.to_string()], value)],
    }
}

/// A spread constraint less.
pub(super) fn without_spread(
    code: &'static str,
    size: u32,
    index: usize,
    constraint: &TopologySpreadConstraint,
) -> Edit {
    let is_hard = constraint.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule;
    let how = if is_hard { "DoNotSchedule" } else { "ScheduleAnyway" };
    let change = move |spec: &mut PodSpec| {
        let kept = spec.topology_spread_constraints.iter().enumerate();
        let kept = kept.filter(|(at, _)| *at != index).map(|(_, one)| one.clone());
        spec.topology_spread_constraints = kept.collect();
    };
    let value = json!({
        "maxSkew": constraint.max_skew,
        "topologyKey": constraint.topology_key,
        "whenUnsatisfiable": how,
    });
    Edit {
        code,
        size,
        summary: format!("Drop the {how} spread over {}.", constraint.topology_key),
        trade_off: format!(
            "The pods may end up together in one {}.",
            constraint.topology_key.rsplit('/').next().unwrap_or("domain")
        ),
        change: Change::Pod(Arc::new(change)),
        fields: vec![Field::remove(&["topologySpreadConstraints", &index.to_string()], value)],
    }
}

/// A term as a manifest has it.
pub(super) fn term(term: &NodeSelectorTerm) -> Value {
    let expressions = |list: &[crate::model::selector::Expression]| -> Value {
        let each = list.iter().map(|one| {
            if one.values.is_empty() {
                json!({"key": one.key, "operator": one.operator.as_str()})
            } else {
                json!({"key": one.key, "operator": one.operator.as_str(), "values": one.values})
            }
        });
        each.collect()
    };
    let mut value = serde_json::Map::new();
    if !term.match_expressions.is_empty() {
        value.insert("matchExpressions".into(), expressions(&term.match_expressions));
    }
    if let Some(fields) = &term.match_fields {
        value.insert("matchFields".into(), expressions(fields));
    }
    Value::Object(value)
}

fn pod_term(weight: i32, topology_key: &str) -> Value {
    json!({"weight": weight, "podAffinityTerm": {"topologyKey": topology_key}})
}
