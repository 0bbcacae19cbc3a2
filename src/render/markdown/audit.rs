//! `audit` as Markdown: two tables, and the causes in words.

use super::{code, escaped, in_cell, sentence};
use crate::render::words;
use crate::report::Audit;

pub(super) fn render(audit: &Audit) -> String {
    let mut page = format!("**{}**\n\n", sentence(&words::audit_headline(audit)));
    let tally: Vec<String> =
        audit.tally.iter().map(|row| format!("{} {}", row.pods, words::class(row.class))).collect();
    page += &format!("{}\n", tally.join(" · "));
    if !audit.groups.is_empty() {
        page += "\n| Pods | Answer | Cause | One of them |\n|---:|---|---|---|\n";
    }
    for group in &audit.groups {
        page += &format!(
            "| {} | {} | {} | {} |\n",
            group.count,
            words::class(group.class),
            group.cause.as_ref().map_or_else(|| "–".to_owned(), |it| in_cell(&code(it))),
            in_cell(&code(&group.example)),
        );
    }
    for group in audit.groups.iter().filter(|group| group.cause.is_some()) {
        let cause = group.cause.as_deref().unwrap_or_default();
        let meaning = group.meaning.as_deref().unwrap_or_default();
        page += &format!("\n- {}: {}", code(cause), sentence(meaning));
        if let Some(why) = &group.why {
            page += &format!(" For {}: {}", code(&group.example), sentence(why));
        }
        let advice = group.advice.iter().find(|advice| advice.summary != "Nothing to do.");
        if let Some(advice) = advice {
            page += &format!(" **Do:** {}", sentence(&advice.summary));
        }
    }
    page += "\n";
    if !audit.launches.in_vain.is_empty() {
        page += "\n### Launched in vain\n\n| NodeClaim | Node | Type | For | Used | $/h (estimate) |\n|---|---|---|---:|---|---:|\n";
        for node in &audit.launches.in_vain {
            let or_dash = |text: &Option<String>| {
                text.as_ref().map_or_else(|| "–".to_owned(), |text| in_cell(&code(text)))
            };
            let price = node.price_per_hour_estimate.map(|price| format!("{price:.4}"));
            page += &format!(
                "| {} | {} | {} | {} | {} | {} |\n",
                in_cell(&code(&node.node_claim)),
                or_dash(&node.node),
                or_dash(&node.instance_type),
                words::count(node.planned.len() as u64, "pod"),
                words::node_use(node.other_pods),
                price.unwrap_or_else(|| "–".to_owned()),
            );
        }
        page += "\n";
        for line in words::waste(audit) {
            page += &format!("{}\n", escaped(&line));
        }
    }
    page + &format!("\n_{}_\n", escaped(&words::provenance(&audit.metadata)))
}
