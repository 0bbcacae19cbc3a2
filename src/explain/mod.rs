//! Why: the verdict on a landing, and its causes with their evidence.

pub mod audit;
pub mod cause;
pub mod codes;
pub mod demands;
pub mod detectors;
pub mod evidence;
mod in_vain;
mod lacks;
pub mod messages;
pub mod node;
pub mod prices;
mod verdict;
pub mod want;
pub mod what_if;
pub mod words;

use std::cmp::Reverse;

use crate::model::gap::Gap;
use crate::reconstruct::Landing;
use crate::reconstruct::room::rooms;

pub use cause::{Advice, Cause, Class, Counterfactual};
pub use detectors::{Case, DETECTORS, Detector};
pub use evidence::{Confidence, Evidence, EvidenceKind};

/// The answer for one pod.
pub struct Explanation<'w, 'a> {
    /// The facts.
    pub landing: Landing<'w, 'a>,
    /// The answer in one word.
    pub class: Class,
    /// The answer in one sentence.
    pub summary: String,
    /// Why, strongest first.
    pub causes: Vec<Cause>,
    /// Settings that no object shows.
    pub assumptions: Vec<Setting>,
    /// What the answer lacks.
    pub gaps: Vec<Gap>,
}

/// A setting that the answer assumes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Which.
    pub subject: String,
    /// The value assumed.
    pub value: Option<String>,
    /// Why that, and what it means for the answer.
    pub reason: String,
    /// The flag or file that would say so.
    pub hint: Option<String>,
}

/// Proven is what a replay turns round when it is taken away; anything else only fits.
fn as_sure_as_shown(mut cause: Cause) -> Cause {
    let flips = cause.counterfactuals.iter().any(|counterfactual| counterfactual.flips);
    if cause.confidence == Confidence::Proven && !flips {
        cause.confidence = Confidence::Consistent;
    }
    cause
}

/// Causes that say what is so rather than why: they stand behind those that do.
const BACKGROUND: [&str; 5] = [
    "had-room-already",
    "no-node-fits",
    "relaxed-preference",
    "intended-refused",
    "other-offering-launched",
];

/// Explains a landing.
pub fn explain<'w, 'a>(landing: Landing<'w, 'a>) -> Explanation<'w, 'a> {
    let class = verdict::class(&landing);
    let state =
        landing.binding.as_ref().map_or(&landing.world.snapshot.objects, |binding| &binding.state);
    let rooms = rooms(state);
    let case = Case { landing: &landing, class, state, rooms: &rooms };
    let mut causes: Vec<Cause> = DETECTORS
        .iter()
        .flat_map(|detector| detector(&case))
        .filter(|cause| !cause.evidence.is_empty())
        .map(as_sure_as_shown)
        .collect();
    // Those that speak for the verdict come first, then the surer ones; among equals the order of the detectors stays.
    causes.sort_by_key(|cause| {
        (cause.class != class, BACKGROUND.contains(&cause.code), Reverse(cause.confidence))
    });
    let summary = verdict::summary(&landing, class);
    let gaps = lacks::gaps(&landing, class);
    Explanation { landing, class, summary, causes, assumptions: Vec::new(), gaps }
}
