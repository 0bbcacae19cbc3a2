//! `Cause`: a reason, what shows it, and what to do about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Class, Variants};
use crate::model::time::Timestamp;

/// A reason why the pod is where it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// The code, for `kubectl landed why CODE`. A code never changes its meaning.
    pub code: String,
    /// The verdict that this cause speaks for.
    pub class: Class,
    /// How sure it is.
    pub confidence: Confidence,
    /// The reason in one or two sentences.
    pub summary: String,
    /// What shows it, in the order in which it reads best. Never empty.
    pub evidence: Vec<Evidence>,
    /// What would have happened without it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counterfactuals: Vec<Counterfactual>,
    /// In how many of the states that the input allows this cause holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variants: Option<Variants>,
    /// What to do, best first.
    pub advice: Vec<Advice>,
}

/// How sure a cause is. Further values may be added.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// A replay comes out otherwise when the cause is taken away.
    Proven,
    /// A record says so, or all that is known fits.
    Consistent,
    /// It may be so; something else may be, too.
    #[default]
    Possible,
}

impl Confidence {
    /// The word, as JSON has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Consistent => "consistent",
            Self::Possible => "possible",
        }
    }
}

/// A fact that speaks for a cause.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Where it comes from.
    pub kind: EvidenceKind,
    /// The fact in one sentence.
    pub summary: String,
    /// The object that shows it, such as `node/a`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The field of that object, such as `spec.taints`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The field's value, or the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// When that was so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
}

/// Where a fact comes from. Further values may be added.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// A field of an object in the input.
    #[default]
    Object,
    /// An event.
    Event,
    /// A line of a log.
    Log,
    /// A replay.
    Replay,
    /// It follows from other facts.
    Inferred,
}

impl EvidenceKind {
    /// The word, as JSON has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Event => "event",
            Self::Log => "log",
            Self::Replay => "replay",
            Self::Inferred => "inferred",
        }
    }
}

/// What a replay gives when something is changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counterfactual {
    /// What was changed: `with preferences ignored`.
    pub change: String,
    /// What came of it: `Karpenter plans 1 node instead of 4`.
    pub outcome: String,
    /// Whether the answer comes out otherwise then.
    pub flips: bool,
}

/// What to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    /// What to do, in one or two sentences.
    pub summary: String,
    /// A command that does it or shows more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// A piece of YAML that does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
}

/// A soft rule that Karpenter gave up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Relaxation {
    /// Which step of the order, from 1.
    pub step: u32,
    /// What kind of rule, in kebab-case: `preferred-pod-affinity`, `required-node-affinity-term`, `schedule-anyway-spread`.
    pub rule: String,
    /// What was given up, in words.
    pub summary: String,
    /// The rule itself, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The field, such as `spec.topologySpreadConstraints[0]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Its weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<i32>,
    /// Whether Karpenter's log says so; otherwise the replay does.
    #[serde(default)]
    pub recorded: bool,
}
