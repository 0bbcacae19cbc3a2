//! A taint that stands on new nodes until something on them is ready, declared as a startup taint of their NodePool.

use std::collections::BTreeSet;

use serde_json::json;

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::Proposer;
use crate::model::labels;
use crate::model::names::NodePoolName;
use crate::model::node::Node;
use crate::model::nodepool::NodePool;
use crate::model::taint::{Effect, Taint};

pub(super) const PROPOSER: Proposer = Proposer { code: "startup-taint", propose };

/// What keys of such taints say: those of the network's and the volumes' agents do.
const SIGNS: [&str; 4] = ["not-ready", "not-initialized", "uninitialized", "startup"];

/// One for each such taint of a wanted node.
fn propose(scene: &Scene<'_>, goal: &Goal) -> Vec<Edit> {
    let Some(pod) = scene.state.pod(&scene.pod) else { return Vec::new() };
    let wanted = scene.state.nodes.iter().filter(|node| goal.is_met_by(node));
    let mut found: BTreeSet<(NodePoolName, Taint)> = BTreeSet::new();
    for node in wanted {
        let taints = undeclared(scene, node).filter(|(_, taint)| !pod.tolerates(taint));
        found.extend(
            taints.map(|(pool, taint)| (pool.name(), Taint { added: None, ..taint.clone() })),
        );
    }
    found
        .into_iter()
        .filter_map(|(name, taint)| Some(edit(scene.state.node_pool(&name)?, taint)))
        .collect()
}

/// Taints of a node that say that something on it is not ready yet, and that its NodePool does not know.
pub(super) fn undeclared<'s>(
    scene: &'s Scene<'_>,
    node: &'s Node,
) -> impl Iterator<Item = (&'s NodePool, &'s Taint)> {
    let pool = node.meta.labels.get(labels::NODEPOOL);
    let pool = pool.and_then(|name| scene.state.node_pool(&NodePoolName(name.clone())));
    node.taints.iter().filter_map(move |taint| {
        let template = &pool?.template;
        let says_so = SIGNS.iter().any(|sign| taint.key.contains(sign));
        let of_kubernetes =
            ["node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "karpenter.sh/"];
        let is_own = of_kubernetes.iter().any(|prefix| taint.key.starts_with(prefix));
        let is_known = template
            .taints
            .iter()
            .chain(&template.startup_taints)
            .any(|known| known.key == taint.key && known.effect == taint.effect);
        let is_hard = taint.effect != Effect::PreferNoSchedule;
        (says_so && is_hard && !is_own && !is_known).then_some((&**pool?, taint))
    })
}

fn edit(pool: &NodePool, taint: Taint) -> Edit {
    let mut value = json!({"key": taint.key, "effect": taint.effect.as_str()});
    if !taint.value.is_empty() {
        value["value"] = json!(taint.value);
    }
    let path = ["template", "spec", "startupTaints"];
    let field = if pool.template.startup_taints.is_empty() {
        Field::add(&path, json!([value]))
    } else {
        Field::add(&[&path[..], &["-"]].concat(), value)
    };
    Edit {
        code: PROPOSER.code,
        size: 2,
        summary: format!(
            "Declare {taint} as a startup taint of nodepool/{}: Karpenter then counts on a node that still carries it.",
            pool.meta.name
        ),
        trade_off: "Only right for a taint that something takes off each new node: while it stands the pod waits there, and nothing else is launched for it. Nodes that are there already get it with their next NodeClaim.".to_owned(),
        change: Change::StartupTaint(pool.name(), taint),
        fields: vec![field],
    }
}
