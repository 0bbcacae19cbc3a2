//! A higher limit of a NodePool: just as high as the plan without it needs.

use std::sync::Arc;

use serde_json::json;

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::super::trial::plan;
use super::Proposer;
use crate::explain::words;
use crate::karpenter::launched::launch;
use crate::model::labels;
use crate::model::nodepool::NodePool;
use crate::model::resources::Resources;

pub(super) const PROPOSER: Proposer = Proposer { code: "nodepool-limit", propose };

/// One for each NodePool with limits that launches more when it has none.
fn propose(scene: &Scene<'_>, goal: &Goal) -> Vec<Edit> {
    let wanted = goal.labels.iter().find(|(key, _)| **key == *labels::NODEPOOL);
    let pools = scene.state.node_pools.iter().filter(|pool| pool.limits.is_some());
    pools
        .filter(|pool| wanted.is_none_or(|(_, name)| pool.meta.name == *name))
        .filter_map(|pool| edit(scene, pool))
        .collect()
}

fn edit(scene: &Scene<'_>, pool: &NodePool) -> Option<Edit> {
    let limits = pool.limits.as_ref()?;
    let mut open = scene.clone();
    for other in open.state.node_pools.iter_mut().filter(|other| other.name() == pool.name()) {
        Arc::make_mut(other).limits = None;
    }
    let plan = plan(&open).ok()?;
    let claims = plan.outcomes.first()?.new_node_claims.iter();
    let mut needed = pool.used.clone();
    for (index, claim) in claims.filter(|claim| claim.node_pool == pool.name()).enumerate() {
        needed.add(&launch(claim, index, scene.world.setup.provider)?.node.capacity);
    }
    let mut raised: Resources = limits.clone();
    let mut fields = Vec::new();
    let mut told = Vec::new();
    for (name, limit) in limits {
        let need = needed.amount(name.as_str());
        if need > *limit {
            raised.set(name.clone(), need);
            fields.push(Field::replace(
                &["limits", name.as_str()],
                json!(limit.to_string()),
                json!(need.to_string()),
            ));
            told.push(format!("{name} {need} instead of {limit}"));
        }
    }
    if fields.is_empty() {
        return None;
    }
    let change = move |pool: &mut NodePool| pool.limits = Some(raised.clone());
    Some(Edit {
        code: PROPOSER.code,
        size: 3,
        summary: format!(
            "Raise the limits of nodepool/{}: {}.",
            pool.meta.name,
            words::list(&told, 4)
        ),
        trade_off: "The NodePool may spend that much more, on whatever pods come.".to_owned(),
        change: Change::Pool(pool.name(), Arc::new(change)),
        fields,
    })
}
