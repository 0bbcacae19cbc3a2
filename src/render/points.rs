//! Points: what each plugin gave the nodes that the answer is about, and which plugin decided.

use crate::report::{Explanation, Node, Role, Score};

/// The nodes of the answer with their points, plugin by plugin.
pub(crate) struct Points<'a> {
    /// The nodes compared: at most one a role, and the best other one when there is but one.
    pub nodes: Vec<&'a Node>,
    /// A row a plugin that gave points to any of them.
    pub rows: Vec<PointsRow<'a>>,
    /// The largest number of points in a row.
    pub largest: i64,
}

/// One plugin's points.
pub(crate) struct PointsRow<'a> {
    /// The plugin.
    pub plugin: &'a str,
    /// Its score of each compared node.
    pub scores: Vec<Option<&'a Score>>,
    /// Whether it set the nodes apart the most.
    pub decides: bool,
}

/// The comparison; none when no node was scored.
pub(crate) fn points(explanation: &Explanation) -> Option<Points<'_>> {
    let is_scored = |node: &&Node| !node.scores.is_empty();
    let mut nodes: Vec<&Node> =
        explanation.nodes.iter().filter(|node| !node.roles.is_empty()).filter(is_scored).collect();
    if nodes.len() == 1 {
        nodes.extend(explanation.nodes.iter().filter(|node| node.roles.is_empty()).find(is_scored));
    }
    let mut rows: Vec<PointsRow<'_>> = Vec::new();
    for score in nodes.iter().flat_map(|node| &node.scores) {
        if rows.iter().all(|row| row.plugin != score.plugin) {
            let scores = nodes
                .iter()
                .map(|node| node.scores.iter().find(|other| other.plugin == score.plugin))
                .collect();
            rows.push(PointsRow { plugin: &score.plugin, scores, decides: false });
        }
    }
    rows.retain(|row| {
        row.scores.iter().flatten().any(|score| score.weighted != 0 || score.raw != 0)
    });
    let widest = rows.iter().map(spread).max().unwrap_or_default();
    if widest > 0 {
        for row in &mut rows {
            row.decides = spread(row) == widest;
        }
    }
    let all = rows.iter().flat_map(|row| row.scores.iter().flatten());
    let largest = all.map(|score| score.weighted).max().unwrap_or_default().max(1);
    (!rows.is_empty()).then_some(Points { nodes, rows, largest })
}

/// How far a plugin sets the compared nodes apart.
fn spread(row: &PointsRow<'_>) -> i64 {
    let points = || row.scores.iter().map(|score| score.map_or(0, |score| score.weighted));
    points().max().unwrap_or_default() - points().min().unwrap_or_default()
}

/// What a node is in the answer, for a heading.
pub(crate) fn role_words(node: &Node) -> String {
    let words: Vec<&str> = node
        .roles
        .iter()
        .map(|role| match role {
            Role::Intended => "intended",
            Role::SchedulerPick => "pick",
            Role::Actual => "actual",
        })
        .collect();
    if words.is_empty() { "next best".to_owned() } else { words.join(", ") }
}

/// Refused nodes by what refused them first: plugin, reason, how many nodes; most first.
pub(crate) fn refusal_summary(explanation: &Explanation) -> Vec<(&str, &str, u64)> {
    let mut groups = std::collections::BTreeMap::<(&str, &str), u64>::new();
    for node in explanation.nodes.iter().filter(|node| node.existed) {
        let first = node.refusals.iter().find(|refusal| refusal.first).or(node.refusals.first());
        if let Some(refusal) = first {
            let reason = refusal.reasons.first().map_or("", String::as_str);
            *groups.entry((refusal.plugin.as_str(), reason)).or_default() += 1;
        }
    }
    let mut groups: Vec<(&str, &str, u64)> =
        groups.into_iter().map(|((plugin, reason), nodes)| (plugin, reason, nodes)).collect();
    groups.sort_by_key(|&(_, _, nodes)| std::cmp::Reverse(nodes));
    groups
}
