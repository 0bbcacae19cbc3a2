//! Reads names out of the texts of events and log lines.

use serde_json::Value;

use crate::model::event::LogRecord;
use crate::model::names::{NodeClaimName, NodeName, PodKey};

/// What a Nominated event names: `Pod should schedule on: nodeclaim/X, node/Y`; formerly `machine/X`, or a bare node.
pub(crate) fn nominated(message: &str) -> (Option<NodeClaimName>, Option<NodeName>) {
    let targets = message.split_once(": ").map_or(message, |(_, targets)| targets);
    let (mut claim, mut node) = (None, None);
    for target in targets.split(", ") {
        match target.trim().split_once('/') {
            Some(("nodeclaim" | "machine", name)) => claim = Some(NodeClaimName::from(name)),
            Some(("node", name)) => node = Some(NodeName::from(name)),
            None if !target.contains(' ') && !target.is_empty() => {
                node = Some(NodeName::from(target.trim()));
            }
            Some(_) | None => {}
        }
    }
    (claim, node)
}

/// The node of a Scheduled event: `Successfully assigned ns/pod to node`.
pub(crate) fn assigned(message: &str) -> Option<NodeName> {
    let (_, node) = message.rsplit_once(" to ")?;
    (!node.is_empty() && !node.contains(' ')).then(|| NodeName::from(node))
}

/// The pod of a controller's event: `Created pod: web-1`, `Deleted pod: web-1`.
pub(crate) fn controlled_pod(message: &str) -> Option<&str> {
    let (_, pod) = message.split_once("pod: ").or_else(|| message.split_once("Pod "))?;
    pod.split_whitespace().next()
}

/// The name of an object that a log line carries as `{"name": …}`, or as plain text.
pub(crate) fn named<'a>(record: &'a LogRecord, field: &str) -> Option<&'a str> {
    match record.fields.get(field)? {
        Value::String(name) => Some(name.rsplit_once('/').map_or(name.as_str(), |(_, name)| name)),
        Value::Object(object) => object.get("name")?.as_str(),
        _ => None,
    }
}

/// The pod that a line of Karpenter's log is about.
pub(crate) fn karpenter_pod(record: &LogRecord) -> Option<PodKey> {
    match record.fields.get("Pod").or_else(|| record.fields.get("pod"))? {
        Value::String(text) => PodKey::parse(text),
        Value::Object(object) => Some(PodKey::new(
            object.get("namespace").and_then(Value::as_str).unwrap_or_default(),
            object.get("name")?.as_str()?,
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nomination_names_a_claim_a_node_or_both() {
        let claim = |name: &str| Some(NodeClaimName::from(name));
        let node = |name: &str| Some(NodeName::from(name));
        for (message, expected) in [
            ("Pod should schedule on: nodeclaim/a-1", (claim("a-1"), None)),
            ("Pod should schedule on: nodeclaim/a-1, node/n", (claim("a-1"), node("n"))),
            ("Pod should schedule on: machine/a-1, node/n", (claim("a-1"), node("n"))),
            ("Pod should schedule on: node/n", (None, node("n"))),
            ("Pod should schedule on ip-10-0-0-1.ec2.internal", (None, None)),
            ("Pod should schedule on: ip-10-0-0-1", (None, node("ip-10-0-0-1"))),
        ] {
            assert_eq!(nominated(message), expected, "{message}");
        }
    }

    #[test]
    fn a_scheduled_event_names_the_node() {
        assert_eq!(assigned("Successfully assigned default/web-1 to n1"), Some("n1".into()));
        assert_eq!(assigned("Successfully assigned to a place far away"), None);
    }
}
