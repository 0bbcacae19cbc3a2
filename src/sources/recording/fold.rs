//! Folding a segment into the base: the last state of each object that is still there.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::header_line;
use crate::model::time::Timestamp;

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type", default)]
    kind: String,
    seen: String,
    object: Option<Identified>,
}

#[derive(Deserialize)]
struct Identified {
    kind: String,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    namespace: String,
    name: String,
}

/// The base after a segment, as bytes. Events of the segment are forgotten with it.
pub(super) fn fold(base: &[u8], segment: &[u8], header: &Value) -> Vec<u8> {
    let mut last: BTreeMap<(String, String, String), &[u8]> = BTreeMap::new();
    let mut newest: Option<Timestamp> = None;
    let lines =
        [base, segment].into_iter().flat_map(|text| text.split_inclusive(|byte| *byte == b'\n'));
    for text in lines.filter(|line| line.ends_with(b"\n")) {
        let Ok(line) = serde_json::from_slice::<Line>(text) else { continue };
        newest = newest.max(line.seen.parse().ok());
        let Some(Identified { kind, metadata: Metadata { namespace, name } }) = line.object else {
            continue;
        };
        let key = (kind, namespace, name);
        if line.kind == "DELETED" {
            last.remove(&key);
        } else if key.0 != "Event" {
            last.insert(key, text);
        }
    }
    let mut folded = header_line(header, newest.unwrap_or_else(|| Timestamp::from_seconds(0)));
    for line in last.values() {
        // The recorder itself writes lines, so they all begin alike.
        let rest = line.iter().position(|byte| *byte == b',').unwrap_or_default();
        folded.extend_from_slice(b"{\"type\":\"LISTED\"");
        folded.extend_from_slice(&line[rest..]);
    }
    folded
}
