//! Words that several causes share: how objects, amounts and moments are told.

use crate::model::names::{NodeName, PodKey};
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;
use crate::model::time::Timestamp;
use crate::reconstruct::replays::Place;

/// A place as kubectl would name it.
pub use crate::reconstruct::place_text as place;

/// A place with its claim beside the node.
pub fn place_and_claim(at: &Place) -> String {
    match (&at.node, &at.claim) {
        (Some(node), Some(claim)) if node.as_str() != claim.as_str() => {
            format!("node/{node} (nodeclaim/{claim})")
        }
        _ => place(at),
    }
}

/// A pod as kubectl would name it.
pub fn pod(key: &PodKey) -> String {
    format!("pod/{}", key.name)
}

/// A node as kubectl would name it.
pub fn node(name: &NodeName) -> String {
    format!("node/{name}")
}

/// The time of day, to the second.
pub fn clock(at: Timestamp) -> String {
    let text = at.to_string();
    text.split_once('T').map_or(text.clone(), |(_, time)| {
        time.trim_end_matches('Z').split('.').next().unwrap_or(time).to_owned()
    })
}

/// An amount as people write it: cpu in thousandths, or in whole cores from ten on; memory in Mi where that is whole.
pub fn amount(resource: &str, quantity: Quantity) -> String {
    const MI: i64 = 1024 * 1024;
    match resource {
        "cpu" if quantity.milli_value() >= 10_000 && quantity.milli_value() % 1_000 == 0 => {
            (quantity.milli_value() / 1_000).to_string()
        }
        "cpu" => format!("{}m", quantity.milli_value()),
        "memory" | "ephemeral-storage" if quantity.value() % MI == 0 => {
            format!("{}Mi", quantity.value() / MI)
        }
        _ => quantity.to_string(),
    }
}

/// Cpu and memory of a list, and what else it lists.
pub fn resources(resources: &Resources) -> String {
    let parts = resources
        .iter()
        .map(|(name, quantity)| format!("{name} {}", amount(name.as_str(), *quantity)));
    parts.collect::<Vec<_>>().join(", ")
}

/// Items joined with commas, the last with `and`; at most so many, then how many more.
pub fn list(items: &[String], most: usize) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        _ if items.len() > most => {
            format!("{} and {} more", items[..most].join(", "), items.len() - most)
        }
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// A number with its noun, in the plural where it is not one.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
