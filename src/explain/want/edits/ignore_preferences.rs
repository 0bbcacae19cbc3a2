//! Karpenter plans without preferences.

use serde_json::json;

use super::super::change::{Change, Edit, Field};
use super::super::scene::Scene;
use super::super::target::Goal;
use super::Proposer;
use crate::karpenter::PreferencePolicy;

pub(super) const PROPOSER: Proposer = Proposer { code: "ignore-preferences", propose };

fn propose(scene: &Scene<'_>, _: &Goal) -> Vec<Edit> {
    if scene.settings.preference_policy == PreferencePolicy::Ignore {
        return Vec::new();
    }
    vec![Edit {
        code: PROPOSER.code,
        size: 4,
        summary: "Let Karpenter plan without preferences: PREFERENCE_POLICY=Ignore.".to_owned(),
        trade_off: "It holds for the whole cluster: fewer nodes are launched, and no preference of any pod shapes them any more; kube-scheduler still scores them.".to_owned(),
        change: Change::Preferences(PreferencePolicy::Ignore),
        fields: vec![Field::replace(&["PREFERENCE_POLICY"], json!("Respect"), json!("Ignore"))],
    }]
}
