//! Words of `audit`, the same in every form that people read.

use super::count;
use crate::report::{Audit, Class};

/// The answer in one or two sentences.
pub(crate) fn audit_headline(audit: &Audit) -> String {
    let of = |wanted: &[Class]| -> u64 {
        let rows = audit.tally.iter().filter(|row| wanted.contains(&row.class));
        rows.map(|row| row.pods).sum()
    };
    let place = audit.namespace.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
    if audit.pods == 0 {
        return format!("Karpenter planned for no pod{place}, as far as the input tells.");
    }
    let parts = [
        (of(&[Class::AsIntended]), "as intended"),
        (of(&[Class::Swap]), "swapped with equal pods"),
        (of(&[Class::Preference, Class::Race, Class::Packing]), "elsewhere"),
        (of(&[Class::Preempted]), "preempted"),
        (of(&[Class::Constraint, Class::LaunchFailed]), "pending"),
        (of(&[Class::Unknown]), "unknown"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(pods, _)| *pods > 0)
        .map(|(pods, what)| format!("{pods} {what}"))
        .collect();
    let mut text = format!(
        "Karpenter planned for, or waits with, {}{place}: {}.",
        count(audit.pods, "pod"),
        parts.join(", ")
    );
    let (launches, vain) = (audit.launches.count, audit.launches.in_vain.len());
    if launches > 0 {
        text += &match vain {
            0 => format!(" Each of {} got pods that it was launched for.", nodes(launches)),
            _ => format!(" {vain} of {} launched for them got none of theirs.", nodes(launches)),
        };
    }
    text
}

fn nodes(number: u64) -> String {
    count(number, "node")
}

/// What a node was used for.
pub(crate) fn node_use(other_pods: u64) -> String {
    match other_pods {
        0 => "stayed empty".to_owned(),
        1 => "by another pod".to_owned(),
        _ => format!("by {other_pods} others"),
    }
}

/// What nodes that were launched in vain cost, and how that is known.
pub(crate) fn waste(audit: &Audit) -> Vec<String> {
    let launches = &audit.launches;
    let running = launches.in_vain.iter().filter(|node| node.ended.is_none()).count() as u64;
    let mut lines = Vec::new();
    if running == 0 {
        lines.push("None of them runs any more.".to_owned());
    } else if let Some(price) = launches.price_per_hour_estimate {
        lines.push(format!("{running} of them still run: about ${price:.4} an hour."));
    }
    if launches.in_vain.iter().any(|node| node.price_per_hour_estimate.is_some()) {
        lines.push(prices_from(&launches.price_sources));
    }
    lines
}

/// Where prices come from, and what they are not.
pub(crate) fn prices_from(sources: &[crate::report::Source]) -> String {
    let from: Vec<String> = sources
        .iter()
        .map(|source| {
            let kind = match source.kind.as_str() {
                "built-in" => "the built-in table",
                "file" => "the file",
                other => other,
            };
            let name = source.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
            let date = source.date.as_ref().map(|date| format!(" ({date})")).unwrap_or_default();
            format!("{kind}{name}{date}")
        })
        .collect();
    let from = if from.is_empty() { String::new() } else { format!(" from {}", from.join(", ")) };
    format!("Prices are estimates{from}: for comparing, not a bill.")
}
