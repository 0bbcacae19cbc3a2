//! The unschedulable message: how many nodes say what.

use std::collections::BTreeMap;

/// Writes the message. As upstream's `FitError.Error`, without what PostFilter adds.
///
/// `reasons` has every reason of every node; a node with two counts for both.
pub(crate) fn message(nodes: usize, reasons: impl IntoIterator<Item = String>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for reason in reasons {
        *counts.entry(reason).or_default() += 1;
    }
    // Ordered as text, the count in front.
    let mut lines: Vec<String> =
        counts.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    lines.sort();
    let head = head(nodes);
    if lines.is_empty() { head } else { format!("{head} {}.", lines.join(", ")) }
}

/// The message when no node was looked at because the pod was refused as such.
pub(crate) fn pod_message(nodes: usize, reasons: &[String]) -> String {
    format!("{} {}.", head(nodes), reasons.join(", "))
}

fn head(nodes: usize) -> String {
    format!("0/{nodes} nodes are available:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_ordered_as_text_with_their_counts() {
        let reasons = [("b", 10), ("c", 2), ("d", 1)];
        let all = reasons.iter().flat_map(|(reason, count)| vec![(*reason).to_owned(); *count]);
        assert_eq!(message(13, all), "0/13 nodes are available: 1 d, 10 b, 2 c.");
        assert_eq!(message(0, []), "0/0 nodes are available:");
    }
}
