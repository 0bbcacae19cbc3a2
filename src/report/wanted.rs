//! `Wanted`: the smallest change that puts a pod where it is wanted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explain::want::{self, Answer, change::Edit};
use crate::reconstruct::Landing;

/// The smallest change that puts the pod where it is wanted, found by trying changes with both replays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    /// Where the pod is wanted: `node/NAME`, `zone=…`, `nodepool=…`, `instance-type=…`, `capacity-type=…` or a label.
    pub target: String,
    /// What was found.
    pub result: WantedResult,
    /// That in one or two sentences.
    pub summary: String,
    /// The change, in the order in which its parts are made; empty when there is none.
    pub edits: Vec<WantedEdit>,
    /// The change as a patch, one an object.
    pub patch: Vec<WantedPatch>,
    /// When nothing gives it: what comes nearest, and what still stands in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
    /// How many changes were tried.
    pub tried: u64,
}

/// What was found. Further values may be added.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WantedResult {
    /// The pod is there.
    There,
    /// Both replays put it there without a change.
    Unchanged,
    /// A change gives it; both replays were made with it.
    Change,
    /// None of the changes that were tried gives it.
    #[default]
    Nothing,
    /// It could not be tried.
    Untried,
}

/// One part of a change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WantedEdit {
    /// The code of what it does; a code never changes its meaning.
    pub code: String,
    /// The object that is changed, as kubectl names it.
    pub object: String,
    /// What to do, in one sentence.
    pub summary: String,
    /// What it costs.
    pub trade_off: String,
}

/// A change of one object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WantedPatch {
    /// The object, as kubectl names it.
    pub object: String,
    /// The command that makes the change; null where the API server takes none.
    pub command: Option<String>,
    /// What to do where there is no command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// The kind of patch, as `kubectl patch --type` has it; null for a setting.
    pub r#type: Option<String>,
    /// The patch; null for a setting.
    pub body: Value,
    /// The change as YAML: lines that go begin with `-`, lines that come with `+`.
    pub diff: String,
}

/// The change that comes nearest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Nearest {
    /// Its parts; empty when no change comes nearer than none.
    pub edits: Vec<WantedEdit>,
    /// What still stands in the way.
    pub obstacle: String,
}

impl Wanted {
    /// The contract's words for an answer.
    pub fn of(wanted: &want::Wanted, landing: &Landing<'_, '_>) -> Self {
        let mut report = Self {
            target: wanted.target.to_string(),
            tried: wanted.tried as u64,
            ..Self::default()
        };
        let like = if wanted.goal.is_empty() || wanted.goal == report.target {
            String::new()
        } else {
            format!(" ({})", wanted.goal)
        };
        let target = format!("{}{like}", report.target);
        let edit = |edit: &Edit| WantedEdit {
            code: edit.code.to_owned(),
            object: want::object(landing, edit),
            summary: edit.summary.clone(),
            trade_off: edit.trade_off.clone(),
        };
        match &wanted.answer {
            Answer::There => {
                report.result = WantedResult::There;
                report.summary = format!("The pod is on {target} already.");
            }
            Answer::Unchanged(gained) => {
                report.result = WantedResult::Unchanged;
                report.summary = format!(
                    "Both replays give {target} without a change: {}. What took the pod elsewhere is not in the state before the pass.",
                    gained.summary
                );
            }
            Answer::Change { edits, patches, gained, new_nodes_before } => {
                report.result = WantedResult::Change;
                report.summary = format!(
                    "With this change {}{}.",
                    gained.summary,
                    want::nodes_in_words(*new_nodes_before, gained.new_nodes)
                );
                report.edits = edits.iter().map(edit).collect();
                let patch = |patch: &want::patch::Patch| WantedPatch {
                    object: patch.object.clone(),
                    command: patch.is_command.then(|| patch.command.clone()),
                    instead: (!patch.is_command).then(|| patch.command.clone()),
                    r#type: patch.kind.map(str::to_owned),
                    body: patch.body.clone(),
                    diff: patch.diff.clone(),
                };
                report.patch = patches.iter().map(patch).collect();
            }
            Answer::Nothing { nearest, obstacle } => {
                report.result = WantedResult::Nothing;
                report.summary =
                    format!("None of {} changes that were tried gives {target}.", wanted.tried);
                report.nearest = Some(Nearest {
                    edits: nearest.iter().map(edit).collect(),
                    obstacle: obstacle.summary.clone(),
                });
            }
            Answer::Untried(why) => {
                report.result = WantedResult::Untried;
                report.summary = format!("{target} could not be tried: {why}.");
            }
        }
        report
    }
}
