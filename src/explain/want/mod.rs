//! `want`: the smallest change that would have put a pod where it is wanted, found by trying changes with both replays.

pub mod change;
pub mod edits;
pub mod owner;
pub mod patch;
pub mod scene;
pub mod target;
pub mod trial;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::explain::words;
use crate::reconstruct::Landing;
use change::Edit;
use edits::EDITS;
use owner::{Template, template};
use patch::Patch;
use scene::Scene;
use target::Goal;
use trial::{Gained, Obstacle, attempt};

pub use target::Target;

/// Changes of more than this many edits are not tried.
const MOST_EDITS: usize = 2;
/// At most so many changes are tried.
const MOST_TRIALS: usize = 96;

/// The answer to where a pod is wanted.
pub struct Wanted {
    /// Where.
    pub target: Target,
    /// The goal in words, where it is more than the target says.
    pub goal: String,
    /// What would give it.
    pub answer: Answer,
    /// How many changes were tried.
    pub tried: usize,
}

/// What would give the wanted place.
pub enum Answer {
    /// The pod is there.
    There,
    /// Both replays put it there without a change.
    Unchanged(Gained),
    /// A change.
    Change {
        /// The edits, in the order in which they are made.
        edits: Vec<Edit>,
        /// What they do to each object.
        patches: Vec<Patch>,
        /// What both replays then give.
        gained: Gained,
        /// New nodes that Karpenter plans without the change.
        new_nodes_before: Option<usize>,
    },
    /// None of the changes that were tried.
    Nothing {
        /// The one that comes nearest; empty when that is no change at all.
        nearest: Vec<Edit>,
        /// What still stands in the way.
        obstacle: Obstacle,
    },
    /// It cannot be tried.
    Untried(String),
}

/// Looks for the smallest change that puts a pod where it is wanted.
pub fn wanted<'w>(landing: &Landing<'w, 'w>, target: &Target) -> Wanted {
    let mut tried = 0;
    let (goal, answer) = match Scene::of(landing) {
        None => (
            String::new(),
            Answer::Untried(
                "no state from before the pod was placed can be rebuilt from this input".to_owned(),
            ),
        ),
        Some(scene) => match Goal::of(target, &scene.state, landing.world) {
            Err(error) => (String::new(), Answer::Untried(error)),
            Ok(goal) => (goal.words(), look(landing, &scene, &goal, target, &mut tried)),
        },
    };
    Wanted { target: target.clone(), goal, answer, tried }
}

fn look(
    landing: &Landing<'_, '_>,
    scene: &Scene<'_>,
    goal: &Goal,
    target: &Target,
    tried: &mut usize,
) -> Answer {
    let actual = landing.pod.node.as_ref();
    let is_there = match target {
        Target::Node(name) => actual == Some(name),
        Target::Label(..) => actual
            .and_then(|name| landing.world.snapshot.objects.node(name))
            .is_some_and(|node| goal.is_met_by(node)),
    };
    if is_there {
        return Answer::There;
    }
    let obstacle = match attempt(scene, goal) {
        Ok(gained) => return Answer::Unchanged(gained),
        Err(obstacle) => obstacle,
    };
    let before = trial::plan(scene).ok();
    let new_nodes_before =
        before.and_then(|plan| Some(plan.outcomes.first()?.new_node_claims.len()));
    match search(scene, goal, obstacle, tried) {
        Err((nearest, obstacle)) => Answer::Nothing { nearest, obstacle },
        Ok((edits, gained)) => {
            let patches = patch::patches(&edits, &template(landing));
            Answer::Change { edits, patches, gained, new_nodes_before }
        }
    }
}

/// What an edit is made to.
pub fn object(landing: &Landing<'_, '_>, edit: &Edit) -> String {
    let template: Template = template(landing);
    patch::object(edit, &template)
}

/// A change that waits to be tried; the smallest first, then in the order of the list.
struct Candidate<'w> {
    key: Reverse<(u32, usize)>,
    edits: Vec<Edit>,
    scene: Scene<'w>,
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Candidate<'_> {}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// Tries changes in the order of their size, each with one more edit when it does not do.
fn search(
    scene: &Scene<'_>,
    goal: &Goal,
    unchanged: Obstacle,
    tried: &mut usize,
) -> Result<(Vec<Edit>, Gained), (Vec<Edit>, Obstacle)> {
    let mut waiting = BinaryHeap::new();
    let mut made = 0;
    extend(&mut waiting, &mut made, scene, goal, &[]);
    let mut nearest: (Vec<Edit>, Obstacle) = (Vec::new(), unchanged);
    while let Some(candidate) = waiting.pop() {
        if *tried >= MOST_TRIALS {
            break;
        }
        *tried += 1;
        match attempt(&candidate.scene, goal) {
            Ok(gained) => return Ok((candidate.edits, gained)),
            Err(obstacle) => {
                if candidate.edits.len() < MOST_EDITS {
                    extend(&mut waiting, &mut made, &candidate.scene, goal, &candidate.edits);
                }
                if obstacle.distance < nearest.1.distance {
                    nearest = (candidate.edits, obstacle);
                }
            }
        }
    }
    Err(nearest)
}

/// Adds each edit that applies to a scene.
fn extend<'w>(
    waiting: &mut BinaryHeap<Candidate<'w>>,
    made: &mut usize,
    scene: &Scene<'w>,
    goal: &Goal,
    edits: &[Edit],
) {
    for proposer in EDITS {
        for edit in (proposer.propose)(scene, goal) {
            // The second of two edits stands behind the first in the list, or each pair would be tried twice.
            let last = edits.last().and_then(|edit| place_of(edit.code));
            if last.is_some_and(|last| place_of(edit.code).is_some_and(|own| own < last)) {
                continue;
            }
            let mut changed = scene.clone();
            edit.apply(&mut changed);
            let edits: Vec<Edit> = edits.iter().cloned().chain([edit]).collect();
            let size = edits.iter().map(|edit| edit.size).sum();
            waiting.push(Candidate { key: Reverse((size, *made)), edits, scene: changed });
            *made += 1;
        }
    }
}

fn place_of(code: &str) -> Option<usize> {
    EDITS.iter().position(|proposer| proposer.code == code)
}

/// How the number of new nodes changes, in words; empty where it does not.
pub fn nodes_in_words(before: Option<usize>, after: Option<usize>) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before != after => {
            format!("; the pass then launches {} instead of {before}", words::count(after, "node"))
        }
        _ => String::new(),
    }
}
