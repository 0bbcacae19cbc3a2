//! `Removal`: whether and when Karpenter removes a node, and what holds it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::node::NodeAnswer;
use crate::karpenter::disruption::{
    Action, Blocked, Decision, Destination, NodeDisruption, Reason,
};
use crate::model::time::Timestamp;

/// Whether and when Karpenter removes a node, and what holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    /// How it stands.
    pub state: RemovalState,
    /// The same in one or two sentences.
    pub summary: String,
    /// When it was removed, or could be removed at the earliest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// Why it goes: `Empty`, `Drifted`, `Underutilized`, `Expired`. Further values may be added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it expires, whatever else holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// What holds it, in the order in which Karpenter asks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_by: Vec<Hold>,
    /// Where its pods would go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<PodMove>,
}

/// How a node stands with its removal. Further values may be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RemovalState {
    /// It is gone.
    Removed,
    /// It is going.
    Underway,
    /// It goes when a time has passed.
    Due,
    /// Something holds it that no time takes away.
    Held,
    /// The input does not tell.
    #[default]
    Unknown,
}

/// One thing that holds a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// Which removal it holds back: `Empty`, `Drifted`, `Underutilized`; none: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// A code for it, in kebab-case.
    pub code: String,
    /// What it is, in Karpenter's words where it has some.
    pub summary: String,
    /// When it wears off by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// Where a pod would go when its node goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodMove {
    /// The pod, as `namespace/name`.
    pub pod: String,
    /// `node/NAME`, `a new node`, or why nowhere.
    pub to: String,
}

impl Removal {
    /// What is to say of a node's removal; none where nothing is known.
    pub(super) fn of(answer: &NodeAnswer<'_>) -> Option<Self> {
        if !answer.subject.is_there() {
            return Some(Self::removed(answer));
        }
        let found = answer.disruption.as_ref()?;
        let mut removal = Self {
            expires: found.expires,
            held_by: holds(found),
            moves: moves(found),
            ..Self::default()
        };
        let going = answer.subject.claim.and_then(|claim| claim.deleted);
        if let Some(since) = going {
            removal.state = RemovalState::Underway;
            removal.time = Some(since.at);
            removal.reason = found.underway.as_ref().map(ToString::to_string);
            removal.summary = format!("It is being removed since {}.", since.at.to_second());
            return Some(removal);
        }
        if let Some(reason) = &found.underway {
            removal.state = RemovalState::Underway;
            removal.reason = Some(reason.to_string());
            removal.summary = format!("Karpenter is about to remove it: {reason}.");
            return Some(removal);
        }
        if let Some((time, reason)) = found.earliest() {
            removal.state = RemovalState::Due;
            removal.time = Some(time);
            removal.summary = match reason {
                None => format!("Nothing but its expiry at {} will remove it.", time.to_second()),
                Some(reason) => due(found, reason, time),
            };
            removal.reason =
                Some(reason.map_or_else(|| "Expired".to_owned(), |reason| reason.to_string()));
        } else {
            removal.state = RemovalState::Held;
            removal.summary = held(&removal.held_by);
        }
        Some(removal)
    }

    fn removed(answer: &NodeAnswer<'_>) -> Self {
        let told = answer.subject.claim.and_then(|claim| claim.disrupted.as_ref());
        let when = answer.ended.map(|at| format!(" by {}", at.to_second())).unwrap_or_default();
        let why = told.map(|message| format!(": {}", message.text)).unwrap_or_default();
        Self {
            state: RemovalState::Removed,
            summary: format!("It is gone{when}{why}."),
            time: answer.ended,
            ..Self::default()
        }
    }
}

/// When it goes, and what becomes of its pods.
fn due(found: &NodeDisruption, reason: Reason, time: Timestamp) -> String {
    let decisions = found.method(reason).map_or(&[][..], |method| &method.decisions);
    let removing = decisions.iter().find(|decision| decision.removes());
    let action = match removing.map(|decision| &decision.action) {
        Some(Action::Replace(claims)) => {
            format!("replace it by {}", count(claims.len(), "cheaper node"))
        }
        Some(Action::Delete) | None => "remove it".to_owned(),
        Some(Action::Keep(_)) => "keep it".to_owned(),
    };
    let sure = if decisions.iter().all(Decision::removes) { "can" } else { "may" };
    let saved = removing.and_then(|decision| decision.savings);
    let saved = saved.filter(|saved| *saved > 0.0);
    let saved = saved.map(|saved| format!(", which saves about ${saved:.4} an hour"));
    format!(
        "Karpenter {sure} {action} from {} on ({reason}){}, unless something changes until then.",
        time.to_second(),
        saved.unwrap_or_default()
    )
}

/// What holds it, in a sentence.
fn held(holds: &[Hold]) -> String {
    let lasting = holds.iter().filter(|hold| hold.until.is_none());
    let mut texts: Vec<&str> = Vec::new();
    // What bars every method is the answer; else what holds consolidation back.
    let bars: Vec<&Hold> = lasting.clone().filter(|hold| hold.reason.is_none()).collect();
    let chosen: Vec<&Hold> = if bars.is_empty() { lasting.collect() } else { bars };
    for hold in chosen {
        let is_plain = ["empty", "not-empty", "not-drifted"].contains(&hold.code.as_str());
        if !is_plain && !texts.contains(&hold.summary.as_str()) {
            texts.push(&hold.summary);
        }
    }
    if texts.is_empty() {
        return "Karpenter has no reason to remove it: pods run on it, and nothing drifted."
            .to_owned();
    }
    format!("Karpenter leaves it: {}.", texts.join("; "))
}

fn holds(found: &NodeDisruption) -> Vec<Hold> {
    let hold = |reason: Option<Reason>, blocked: &Blocked| Hold {
        reason: reason.map(|reason| reason.to_string()),
        code: blocked.code().to_owned(),
        summary: blocked.to_string(),
        until: blocked.until(),
    };
    let mut holds: Vec<Hold> = found.barred.iter().map(|blocked| hold(None, blocked)).collect();
    for method in &found.methods {
        holds.extend(method.blocked.iter().map(|blocked| hold(Some(method.reason), blocked)));
        for decision in &method.decisions {
            if let Action::Keep(blocked) = &decision.action {
                holds.push(hold(Some(method.reason), blocked));
            }
        }
    }
    holds.dedup();
    holds
}

/// Where its pods would go, by the first method that removes it.
fn moves(found: &NodeDisruption) -> Vec<PodMove> {
    let decisions = found.methods.iter().flat_map(|method| &method.decisions);
    let Some(decision) = decisions.clone().find(|decision| decision.removes()) else {
        return Vec::new();
    };
    let place = |to: &Destination| match to {
        Destination::Nowhere(reason) => format!("nowhere: {reason}"),
        Destination::New(_) => "a new node".to_owned(),
        Destination::Existing { node: Some(node), .. } => format!("node/{node}"),
        Destination::Existing { name, node: None } => format!("nodeclaim/{name}"),
    };
    decision
        .moves
        .iter()
        .map(|step| PodMove { pod: step.pod.to_string(), to: place(&step.to) })
        .collect()
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("a {noun}") } else { format!("{number} {noun}s") }
}
