//! Nodes: the points that decided, what refused the others, and with `--nodes` each one.

use super::super::grid::{Fit, Grid, Text, cell};
use super::super::points::{points, refusal_summary, role_words};
use super::super::style::Role;
use super::super::{comparison, words};
use super::page::Page;
use crate::report::{Explanation, KarpenterView, Node};

/// Writes the points of the nodes that the answer is about, a summary of the others, and on request every node.
pub(super) fn write(page: &mut Page<'_>, explanation: &Explanation) {
    write_points(page, explanation);
    write_refusals(page, explanation);
    if page.wide || page.style.nodes {
        write_every_node(page, explanation);
    }
    write_pools(page, explanation);
}

fn write_points(page: &mut Page<'_>, explanation: &Explanation) {
    let Some(points) = points(explanation) else { return };
    if points.nodes.len() == 1 && !page.wide && !page.style.nodes {
        let text = "One node passed kube-scheduler's filters, so no score decided.";
        page.heading("Points", text);
        return;
    }
    page.heading("Points", "kube-scheduler's score by plugin, 0 to 100 times the plugin's weight");
    let bars = if page.style.width >= 120 { 16 } else { 6 };
    let mut grid = Grid::default().column("", Fit::Keep).column("", Fit::End).numbers("");
    for node in &points.nodes {
        grid = grid.numbers("").column(&role_words(node).to_uppercase(), Fit::Name);
    }
    let mut names = vec![cell("", Role::Text), cell("node", Role::Dim), cell("", Role::Text)];
    for node in &points.nodes {
        names.push(cell("", Role::Text));
        names.push(cell(&node.name, Role::Name));
    }
    grid.row(names);
    for row in &points.rows {
        let role = if row.decides { Role::Hint } else { Role::Text };
        let mark = if row.decides { page.style.glyph("▸", ">") } else { "" };
        let weight = row.scores.iter().flatten().next().map_or(1, |score| score.weight);
        let times = page.style.glyph("×", "x");
        let mut cells = vec![
            cell(mark, role),
            cell(row.plugin, role),
            cell(format!("{times}{weight}"), Role::Dim),
        ];
        for score in &row.scores {
            let weighted = score.map_or(0, |score| score.weighted);
            cells.push(cell(weighted.to_string(), role));
            cells.push(cell(page.bar(weighted, points.largest, bars), role));
        }
        grid.row(cells);
    }
    let mut total = vec![cell("", Role::Text), cell("total", Role::Title), cell("", Role::Text)];
    for node in &points.nodes {
        total.push(cell(node.total.unwrap_or_default().to_string(), Role::Title));
        total.push(cell("", Role::Text));
    }
    grid.row(total);
    let wide = std::mem::replace(&mut page.wide, false);
    page.grid(0, &grid);
    page.wide = wide;
}

fn write_refusals(page: &mut Page<'_>, explanation: &Explanation) {
    let groups = refusal_summary(explanation);
    if groups.is_empty() {
        return;
    }
    let refused: u64 = groups.iter().map(|&(_, _, nodes)| nodes).sum();
    let feasible = explanation.nodes.iter().filter(|node| node.feasible).count() as u64;
    let remark = format!("{} refused, {feasible} took part", words::count(refused, "node"));
    page.heading("Refused by kube-scheduler", &remark);
    let mut grid = Grid::default().numbers("").column("", Fit::Keep).column("", Fit::Wrap);
    for (plugin, reason, nodes) in groups {
        grid.row(vec![
            cell(nodes.to_string(), Role::Bad),
            cell(plugin, Role::Text),
            cell(reason, Role::Text),
        ]);
    }
    page.grid(2, &grid);
}

fn write_every_node(page: &mut Page<'_>, explanation: &Explanation) {
    if explanation.nodes.is_empty() {
        return;
    }
    page.heading("Nodes", "at the moment of kube-scheduler's decision");
    let largest = explanation.nodes.iter().filter_map(|node| node.total).max().unwrap_or(1);
    let mut grid = Grid::default()
        .column("NODE", Fit::Name)
        .column("ROLE", Fit::Keep)
        .column("POOL", Fit::End)
        .column("TYPE", Fit::End)
        .column("ZONE", Fit::End)
        .numbers("CPU")
        .numbers("MEMORY")
        .numbers("TOTAL")
        .column("", Fit::Keep)
        .column("WHY", Fit::Wrap);
    for node in &explanation.nodes {
        grid.row(node_row(page, node, largest));
    }
    grid.drop_empty_columns();
    page.grid(2, &grid);
}

fn node_row(page: &Page<'_>, node: &Node, largest: i64) -> Vec<Text> {
    let roles = if node.roles.is_empty() { String::new() } else { role_words(node) };
    let or_blank = |text: &Option<String>| text.clone().unwrap_or_default();
    let free = node.free.as_ref();
    let (why, role) = why(node);
    let detail = page.wide || page.style.width >= 120;
    let only = |text: String| if detail { text } else { String::new() };
    vec![
        cell(&node.name, Role::Name),
        cell(roles, Role::Hint),
        cell(only(or_blank(&node.node_pool)), Role::Text),
        cell(only(or_blank(&node.instance_type)), Role::Text),
        cell(or_blank(&node.zone), Role::Text),
        cell(only(free.and_then(|free| free.cpu.clone()).unwrap_or_default()), Role::Text),
        cell(only(free.and_then(|free| free.memory.clone()).unwrap_or_default()), Role::Text),
        cell(node.total.map(|total| total.to_string()).unwrap_or_default(), Role::Text),
        cell(node.total.map(|total| page.bar(total, largest, 6)).unwrap_or_default(), Role::Good),
        cell(why, role),
    ]
}

/// Each refusal with what lies behind it, or the points by plugin.
fn why(node: &Node) -> (String, Role) {
    if !node.refusals.is_empty() {
        let refusals: Vec<String> = node
            .refusals
            .iter()
            .map(|refusal| {
                let detail = refusal.detail.as_ref().map(|detail| format!(" ({detail})"));
                let reasons = refusal.reasons.join(", ");
                format!("{}: {reasons}{}", refusal.plugin, detail.unwrap_or_default())
            })
            .collect();
        return (refusals.join("; "), Role::Bad);
    }
    if let Some(refusal) = comparison::refusal(node) {
        return (refusal, Role::Dim);
    }
    let points: Vec<String> = node
        .scores
        .iter()
        .filter(|score| score.weighted != 0)
        .map(|score| format!("{} {}", score.plugin, score.weighted))
        .collect();
    (points.join(", "), Role::Text)
}

fn write_pools(page: &mut Page<'_>, explanation: &Explanation) {
    let refused = |view: &KarpenterView| !view.accepts;
    if !explanation.node_pools.iter().any(|pool| refused(&pool.karpenter)) {
        return;
    }
    page.heading("NodePools", "as Karpenter tried them for this pod");
    let mut grid = Grid::default()
        .column("", Fit::Name)
        .numbers("")
        .column("", Fit::Keep)
        .column("", Fit::Wrap);
    for pool in &explanation.node_pools {
        let (mark, role) = if pool.karpenter.accepts {
            (page.style.glyph("✓", "ok"), Role::Good)
        } else {
            (page.style.glyph("✗", "no"), Role::Bad)
        };
        let weight = pool.weight.filter(|&weight| weight != 0);
        let reason = pool.karpenter.reason.clone();
        grid.row(vec![
            cell(format!("nodepool/{}", pool.name), Role::Name),
            cell(weight.map(|weight| format!("weight {weight}")).unwrap_or_default(), Role::Dim),
            cell(mark, role),
            cell(reason.or_else(|| pool.karpenter.stage.clone()).unwrap_or_default(), Role::Text),
        ]);
    }
    grid.drop_empty_columns();
    page.grid(2, &grid);
}
