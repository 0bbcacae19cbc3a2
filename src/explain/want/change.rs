//! `Edit`: one change to a pod's template, a NodePool or a setting, as a function for the replay and as fields for a patch.

use std::sync::Arc;

use serde_json::Value;

use super::scene::Scene;
use crate::karpenter::PreferencePolicy;
use crate::model::names::NodePoolName;
use crate::model::nodepool::NodePool;
use crate::model::pod::PodSpec;
use crate::model::taint::Taint;

/// Changes a pod's spec as the edit says.
pub type ChangePod = Arc<dyn Fn(&mut PodSpec)>;
/// Changes a NodePool as the edit says.
pub type ChangePool = Arc<dyn Fn(&mut NodePool)>;

/// One change.
#[derive(Clone)]
pub struct Edit {
    /// The code of what it does; it never changes its meaning.
    pub code: &'static str,
    /// How much it changes: one for a field of the pod, more for what reaches further.
    pub size: u32,
    /// What to do, in one sentence.
    pub summary: String,
    /// What it costs.
    pub trade_off: String,
    /// What is changed.
    pub change: Change,
    /// The fields, below `spec` of a pod or of a NodePool.
    pub fields: Vec<Field>,
}

/// What an edit changes.
#[derive(Clone)]
pub enum Change {
    /// The template of the pod.
    Pod(ChangePod),
    /// A NodePool.
    Pool(NodePoolName, ChangePool),
    /// A NodePool's `startupTaints`, as if its nodes had been launched with this one among them.
    StartupTaint(NodePoolName, Taint),
    /// Karpenter's `PREFERENCE_POLICY`.
    Preferences(PreferencePolicy),
}

/// One field, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The way to it; `-` at its end appends to a list.
    pub path: Vec<String>,
    /// What it was; `None` when it was not there.
    pub before: Option<Value>,
    /// What it becomes; `None` when it goes.
    pub after: Option<Value>,
}

impl Field {
    /// A field that is new.
    pub fn add(path: &[&str], after: Value) -> Self {
        Self { path: owned(path), before: None, after: Some(after) }
    }

    /// A field with another value.
    pub fn replace(path: &[&str], before: Value, after: Value) -> Self {
        Self { path: owned(path), before: Some(before), after: Some(after) }
    }

    /// A field that goes.
    pub fn remove(path: &[&str], before: Value) -> Self {
        Self { path: owned(path), before: Some(before), after: None }
    }
}

fn owned(path: &[&str]) -> Vec<String> {
    path.iter().map(|part| (*part).to_owned()).collect()
}

impl Edit {
    /// The scene with the edit made.
    pub fn apply(&self, scene: &mut Scene<'_>) {
        match &self.change {
            Change::Pod(change) => scene.change_pods(&**change),
            Change::Pool(name, change) => {
                for pool in scene.state.node_pools.iter_mut().filter(|pool| pool.name() == *name) {
                    change(Arc::make_mut(pool));
                }
            }
            Change::StartupTaint(pool, taint) => scene.declare(pool, taint),
            Change::Preferences(policy) => scene.settings.preference_policy = *policy,
        }
    }
}
