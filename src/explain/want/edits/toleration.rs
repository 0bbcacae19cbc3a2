//! A toleration for a taint that keeps the pod off the wanted nodes.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::{Proposer, startup_taint};
use crate::model::labels;
use crate::model::pod::PodSpec;
use crate::model::taint::{Effect, Taint, Toleration, TolerationOperator};

pub(super) const PROPOSER: Proposer = Proposer { code: "toleration", propose };

/// One for each taint of the wanted nodes, or of the NodePools that may launch them, that the pod does not tolerate.
fn propose(scene: &Scene<'_>, goal: &Goal) -> Vec<Edit> {
    let Some(pod) = scene.state.pod(&scene.pod) else { return Vec::new() };
    let nodes = scene.state.nodes.iter().filter(|node| goal.is_met_by(node));
    let pools = scene.state.node_pools.iter().filter(|pool| {
        let wanted = goal.labels.iter().find(|(key, _)| **key == *labels::NODEPOOL);
        wanted.is_none_or(|(_, name)| pool.meta.name == *name)
    });
    // What says that a node is not ready yet is for its NodePool to declare.
    let of_node = |node| {
        let unready: BTreeSet<&Taint> =
            startup_taint::undeclared(scene, node).map(|(_, taint)| taint).collect();
        node.taints.iter().filter(move |taint| !unready.contains(taint))
    };
    let taints: BTreeSet<Taint> = nodes
        .flat_map(|node| of_node(node))
        .chain(pools.flat_map(|pool| &pool.template.taints))
        .filter(|taint| taint.effect != Effect::PreferNoSchedule && !pod.tolerates(taint))
        // What marks a node that is coming or going is no rule of the operator.
        .filter(|taint| !is_of_the_cluster(&taint.key))
        .map(|taint| Taint { added: None, ..taint.clone() })
        .collect();
    taints.iter().map(|taint| edit(&pod.spec, taint)).collect()
}

fn is_of_the_cluster(key: &str) -> bool {
    ["node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "karpenter.sh/"]
        .iter()
        .any(|prefix| key.starts_with(prefix))
}

fn edit(spec: &PodSpec, taint: &Taint) -> Edit {
    let value = if taint.value.is_empty() {
        json!({"key": taint.key, "operator": "Exists", "effect": taint.effect.as_str()})
    } else {
        json!({"key": taint.key, "value": taint.value, "effect": taint.effect.as_str()})
    };
    let field = if spec.tolerations.is_empty() {
        Field::add(&["tolerations"], json!([value]))
    } else {
        Field::add(&["tolerations", "-"], value)
    };
    let exists = taint.value.is_empty();
    let toleration = Toleration {
        key: taint.key.clone(),
        operator: if exists { TolerationOperator::Exists } else { TolerationOperator::Equal },
        value: taint.value.clone(),
        effect: Some(taint.effect.clone()),
        seconds: None,
    };
    let change = move |spec: &mut PodSpec| spec.tolerations.push(toleration.clone());
    Edit {
        code: PROPOSER.code,
        size: 1,
        summary: format!("Let the pod tolerate {taint}."),
        trade_off: "The taint keeps pods off for a reason: whoever set it must agree.".to_owned(),
        change: Change::Pod(Arc::new(change)),
        fields: vec![field],
    }
}
