//! Points by plugin, and every node in a table that sorts and filters.

use maud::{Markup, html};

use super::super::points::{Points, points as compare, refusal_summary, role_words};
use super::super::{comparison, words};
use super::{Part, name, safe};
use crate::report::{Node, Role, Score};

/// Rows beyond which a browser grows slow; the rest is in the JSON.
const MOST_ROWS: usize = 1000;

/// The points of the nodes that the answer is about.
pub(super) fn points(part: &Part<'_>) -> Markup {
    let Some(points) = compare(part.explanation) else { return html! {} };
    let about = "kube-scheduler gives each node that its filters leave 0 to 100 by each plugin, times the plugin’s weight, \
                 and takes the node with the most.";
    let content = html! {
        @if points.nodes.len() == 1 {
            p.callout { "One node passed the filters, so no score decided." }
        }
        div.scroll tabindex="0" role="region" aria-label="Points by plugin" {
            table.points {
                thead { tr {
                    th scope="col" { "Plugin" }
                    @for node in &points.nodes {
                        th scope="col" { small { (role_words(node)) } (name(&node.name)) }
                    }
                } }
                tbody { (points_rows(&points)) }
                tfoot { tr {
                    th scope="row" { "Total" }
                    @for node in &points.nodes { td { b { (node.total.unwrap_or_default()) } } }
                } }
            }
        }
    };
    part.section("points", "Points", about, &content)
}

fn points_rows(points: &Points<'_>) -> Markup {
    html! {
        @for row in &points.rows {
            tr.decides[row.decides] {
                th scope="row" {
                    (safe(row.plugin))
                    @if let Some(score) = row.scores.iter().flatten().next() { small { " × " (score.weight) } }
                    @if row.decides { span.chip.hint { "sets them apart" } }
                }
                @for (score, node) in row.scores.iter().zip(&points.nodes) {
                    @let weighted = score.map_or(0, |score| score.weighted);
                    td { div.line {
                        span.track { span class={ "bar " (lane(node)) } style=(width(weighted, points.largest)) {} }
                        b title=[score.map(arithmetic)] { (weighted) }
                    } }
                }
            }
        }
    }
}

fn arithmetic(score: &Score) -> String {
    format!("{} × {} = {} (counted {})", score.normalized, score.weight, score.weighted, score.raw)
}

fn width(value: i64, largest: i64) -> String {
    format!("width:{}%", value.max(0).saturating_mul(100) / largest.max(1))
}

/// The colour of a node: what it is in the answer.
fn lane(node: &Node) -> &'static str {
    if node.roles.contains(&Role::Actual) {
        "actual"
    } else if node.roles.contains(&Role::Intended) {
        "intended"
    } else if node.roles.contains(&Role::SchedulerPick) {
        "pick"
    } else {
        "other"
    }
}

/// Every node, in a table that sorts and filters.
pub(super) fn every_node(part: &Part<'_>) -> Markup {
    let nodes = &part.explanation.nodes;
    if nodes.is_empty() {
        return html! {};
    }
    let groups = refusal_summary(part.explanation);
    let id = part.id("nodes-table");
    let largest = nodes.iter().filter_map(|node| node.total).max().unwrap_or(1);
    let plugins = plugins(nodes);
    let content = html! {
        @if !groups.is_empty() {
            ul.refusals { @for (plugin, reason, count) in groups {
                li { b { (words::count(count, "node")) } " refused by " code { (safe(plugin)) } ": " (safe(reason)) }
            } }
        }
        @if !plugins.is_empty() {
            ul.legend.plugins aria-label="Plugins" { @for (index, plugin) in plugins.iter().enumerate() {
                li { span class={ "swatch s" (index % 8) } {} (safe(plugin)) }
            } }
        }
        (table_tools(&id, "Filter the nodes", nodes.len()))
        div.scroll tabindex="0" role="region" aria-label="Table of nodes" {
            table.data.sortable id=(id) {
                thead { tr {
                    @for heading in ["Node", "Pool", "Type", "Zone", "Free cpu", "Free memory", "Points", "Outcome"] {
                        th scope="col" { button type="button" { (heading) } }
                    }
                } }
                tbody { @for node in nodes.iter().take(MOST_ROWS) { (node_row(node, largest, &plugins)) } }
            }
        }
        @if nodes.len() > MOST_ROWS {
            p.about { (nodes.len() - MOST_ROWS) " further nodes are in the JSON (-o json)." }
        }
    };
    let about = "As they were when kube-scheduler decided. Click a heading to sort.";
    part.section("nodes", "Every node", about, &content)
}

/// The plugins that gave points, in kube-scheduler's order; their places are their colours.
fn plugins(nodes: &[Node]) -> Vec<&str> {
    let mut plugins: Vec<&str> = Vec::new();
    for score in nodes.iter().flat_map(|node| &node.scores).filter(|score| score.weighted > 0) {
        if !plugins.contains(&score.plugin.as_str()) {
            plugins.push(&score.plugin);
        }
    }
    plugins
}

/// The filter of a table, and how many rows it leaves.
pub(super) fn table_tools(id: &str, label: &str, rows: usize) -> Markup {
    html! {
        div.tools hidden {
            label { (label) " " input type="search" data-filters=(id) autocomplete="off" spellcheck="false"; }
            output data-counts=(id) { (rows) " of " (rows) }
        }
    }
}

fn node_row(node: &Node, largest: i64, plugins: &[&str]) -> Markup {
    let free = node.free.as_ref();
    let sort_by = |value: Option<i64>| value.unwrap_or(-1);
    html! {
        tr.refused[!node.feasible] {
            td data-sort=(node.name) {
                (name(&node.name))
                @for role in &node.roles {
                    " " span class={ "chip " (lane_of(*role)) } { (role_word(*role)) }
                }
            }
            td { (text(node.node_pool.as_ref())) }
            td { (text(node.instance_type.as_ref())) }
            td { (text(node.zone.as_ref())) }
            td.number data-sort=(sort_by(free.and_then(|free| free.cpu_milli))) { (text(free.and_then(|free| free.cpu.as_ref()))) }
            td.number data-sort=(sort_by(free.and_then(|free| free.memory_bytes))) { (text(free.and_then(|free| free.memory.as_ref()))) }
            td.score data-sort=(sort_by(node.total)) {
                @if let Some(total) = node.total { (stacked(node, total, largest, plugins)) }
            }
            td.outcome { (outcome(node)) }
        }
    }
}

fn text(value: Option<&String>) -> String {
    value.map(|text| safe(text)).unwrap_or_default()
}

const fn lane_of(role: Role) -> &'static str {
    match role {
        Role::Intended => "intended",
        Role::SchedulerPick => "pick",
        Role::Actual => "actual",
    }
}

const fn role_word(role: Role) -> &'static str {
    match role {
        Role::Intended => "intended",
        Role::SchedulerPick => "pick",
        Role::Actual => "actual",
    }
}

/// A bar of one piece a plugin; the points stand in its title and in the text for those who hear the page.
fn stacked(node: &Node, total: i64, largest: i64, plugins: &[&str]) -> Markup {
    let given: Vec<&Score> = node.scores.iter().filter(|score| score.weighted > 0).collect();
    let words: Vec<String> =
        given.iter().map(|score| format!("{} {}", score.plugin, score.weighted)).collect();
    let words = safe(&words.join(", "));
    let color = |score: &Score| {
        plugins.iter().position(|plugin| *plugin == score.plugin).unwrap_or_default() % 8
    };
    html! {
        div.line title=(words) {
            span.track.stack aria-hidden="true" {
                @for score in given {
                    span class={ "bar s" (color(score)) } style=(width(score.weighted, largest)) {}
                }
            }
            b { (total) }
            span.hears { " (" (words) ")" }
        }
    }
}

fn outcome(node: &Node) -> Markup {
    html! {
        @if !node.refusals.is_empty() {
            @for refusal in &node.refusals {
                p { b { (safe(&refusal.plugin)) } ": " (safe(&refusal.reasons.join(", ")))
                    @if let Some(detail) = &refusal.detail { " (" (safe(detail)) ")" } }
            }
        } @else if let Some(word) = comparison::refusal(node) { p { (safe(&word)) } }
        @else if node.feasible { p { "fits" } }
        @if let Some(view) = node.karpenter.as_ref().filter(|view| !view.accepts) {
            p.source { "Karpenter: " (text(view.reason.as_ref().or(view.stage.as_ref()))) }
        }
    }
}

/// The NodePools, when one refused the pod.
pub(super) fn pools(part: &Part<'_>) -> Markup {
    let pools = &part.explanation.node_pools;
    if pools.iter().all(|pool| pool.karpenter.accepts) {
        return html! {};
    }
    let content = html! {
        ul.pools { @for pool in pools { li.refused[!pool.karpenter.accepts] {
            (name(&format!("nodepool/{}", pool.name)))
            @if let Some(weight) = pool.weight.filter(|&weight| weight != 0) { " " span.chip { "weight " (weight) } }
            @if pool.karpenter.accepts { " " span.chip.good { "takes it" } } @else { " " span.chip.bad { "refuses it" } }
            @let view = &pool.karpenter;
            @if let Some(reason) = view.reason.as_ref().or(view.stage.as_ref()) { p.source { (safe(reason)) } }
        } } }
    };
    part.section(
        "pools",
        "NodePools",
        "In the order in which Karpenter tries them for this pod.",
        &content,
    )
}
