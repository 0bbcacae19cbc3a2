//! A NodePool that is tried before the others.

use std::sync::Arc;

use serde_json::json;

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::Proposer;
use crate::model::labels;
use crate::model::nodepool::NodePool;

pub(super) const PROPOSER: Proposer = Proposer { code: "nodepool-weight", propose };

/// The highest weight that the API server takes.
const MOST: i32 = 100;

/// One for each NodePool that may be the wanted one and is not tried first.
fn propose(scene: &Scene<'_>, goal: &Goal) -> Vec<Edit> {
    let wanted = goal.labels.iter().find(|(key, _)| **key == *labels::NODEPOOL);
    let highest =
        scene.state.node_pools.iter().map(|pool| pool.weight.unwrap_or(0)).max().unwrap_or(0);
    if scene.state.node_pools.len() < 2 || highest >= MOST {
        return Vec::new();
    }
    let pools = scene.state.node_pools.iter();
    pools
        .filter(|pool| wanted.is_none_or(|(_, name)| pool.meta.name == *name))
        .map(|pool| edit(pool, highest + 1))
        .collect()
}

fn edit(pool: &NodePool, weight: i32) -> Edit {
    let field = match pool.weight {
        Some(before) => Field::replace(&["weight"], json!(before), json!(weight)),
        None => Field::add(&["weight"], json!(weight)),
    };
    let change = move |pool: &mut NodePool| pool.weight = Some(weight);
    Edit {
        code: PROPOSER.code,
        size: 3,
        summary: format!("Let Karpenter try nodepool/{} before all others.", pool.meta.name),
        trade_off: "Every new node for every pod that both NodePools could serve then comes from this one; nodes that are there already are not ranked by weight.".to_owned(),
        change: Change::Pool(pool.name(), Arc::new(change)),
        fields: vec![field],
    }
}
