//! Messages that people paste: what Karpenter and kube-scheduler say, with what it means. One file a family.

mod karpenter;
mod karpenter_reasons;
mod kube_scheduler;
mod log_lines;

/// A message and its meaning.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// How it is written; `{name}` stands for what varies. Older wordings stand beside it.
    pub forms: &'static [&'static str],
    /// Who says it, and where.
    pub origin: &'static str,
    /// What it really means; `{name}` is filled in.
    pub meaning: &'static str,
}

/// All families, in the order in which answers are given.
const FAMILIES: [&[Message]; 4] = [
    karpenter::MESSAGES,
    karpenter_reasons::MESSAGES,
    kube_scheduler::MESSAGES,
    log_lines::MESSAGES,
];

/// A message found in a text, with its meaning filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Who says it, and where.
    pub origin: &'static str,
    /// The form that it was recognised by, filled in.
    pub form: String,
    /// What it really means.
    pub meaning: String,
}

/// Every message that is recognised in a text, in the order of the families.
pub fn recognise(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for message in FAMILIES.iter().flat_map(|family| family.iter()) {
        let hit = message.forms.iter().find_map(|form| Some((*form, captures(form, text)?)));
        if let Some((form, values)) = hit {
            let (mut form, mut meaning) = (form.to_owned(), message.meaning.to_owned());
            for (name, value) in values {
                let place = format!("{{{name}}}");
                form = form.replace(&place, &value);
                meaning = meaning.replace(&place, &value);
            }
            found.push(Found { origin: message.origin, form, meaning });
        }
    }
    found
}

/// What stands for each placeholder of a form somewhere in a text; `None` when the form is not in it.
fn captures<'f>(form: &'f str, text: &str) -> Option<Vec<(&'f str, String)>> {
    let mut values = Vec::new();
    let (mut rest_form, mut rest) = (form, text);
    let mut waiting: Option<&str> = None;
    loop {
        let (literal, next) = match rest_form.split_once('{') {
            Some((literal, tail)) => (literal, tail.split_once('}')),
            None => (rest_form, None),
        };
        if !literal.is_empty() {
            let at = rest.find(literal)?;
            if let Some(name) = waiting.take() {
                values.push((name, trimmed(&rest[..at])));
            }
            rest = &rest[at + literal.len()..];
        }
        let Some((name, tail)) = next else { break };
        (waiting, rest_form) = (Some(name), tail);
    }
    if let Some(name) = waiting {
        let end = rest.find([',', ';', '\n']).unwrap_or(rest.len());
        values.push((name, trimmed(&rest[..end])));
    }
    Some(values)
}

fn trimmed(value: &str) -> String {
    value.trim().trim_end_matches(['.', '"', ')']).trim_start_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_line_is_told_with_its_names_filled_in() {
        for (text, expected) in [
            ("Pod should schedule on: nodeclaim/general-x4k2p", "general-x4k2p"),
            (
                "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).",
                "cpu",
            ),
            ("all available instance types exceed limits for nodepool: \"small\"", "small"),
            ("all available instance types exceed limits for nodepool (NodePool=small)", "small"),
            ("did not tolerate taint (taint=gpu=true:NoSchedule)", "gpu=true:NoSchedule"),
            (
                "using label karpenter.sh/registered is not allowed as it might interfere",
                "karpenter.sh/registered",
            ),
        ] {
            let found = recognise(text);
            assert!(
                found.iter().any(|found| found.meaning.contains(expected)),
                "{text}: {found:?}"
            );
        }
        assert_eq!(recognise("the weather is fine"), []);
    }

    #[test]
    fn older_wordings_are_known() {
        for text in [
            "Pod should schedule on: machine/default-abc",
            "1 node(s) had taint {gpu: true}, that the pod didn't tolerate",
            "had volume node affinity conflict",
            "incompatible with provisioner \"default\"",
            "label karpenter.sh/x is restricted; specify a well known label",
        ] {
            assert!(!recognise(text).is_empty(), "{text}");
        }
    }
}
