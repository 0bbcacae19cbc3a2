//! What `kubectl landed record` wrote: one change a line, each line whole or not there.
//!
//! A segment begins with a line `{"recording":"landed.dev/v1","seen":…}`; every other line is
//! `{"type":…,"seen":…,"crc":…,"object":…}` or, without an object, says that the recorder was alive or had a break.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::collect::Collector;
use super::intern::Interner;
use super::meta::time;
use super::object::Object;
use super::wire::Text;
use crate::model::gap::{Gap, GapKind};
use crate::model::history::{Change, ChangeKind, Stretch};
use crate::model::time::{Span, Timestamp};

/// How a segment begins.
const HEADER: &[u8] = b"{\"recording\":";
/// Silence that is no break: the recorder notes that it is alive more often than that.
const HEARTBEAT: Span = Span::seconds(30);

/// What is known from the segments read so far.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// The last state of each object, by kind, namespace and name; none: it went away.
    last: BTreeMap<[String; 3], Option<Object>>,
    /// Times in which every change was seen.
    stretches: Vec<Stretch>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Line<'a> {
    #[serde(borrow)]
    recording: Text<'a>,
    #[serde(borrow)]
    kubernetes_version: Text<'a>,
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    seen: Text<'a>,
    #[serde(borrow)]
    crc: Text<'a>,
    #[serde(borrow)]
    what: Text<'a>,
    #[serde(borrow)]
    object: Option<&'a RawValue>,
}

/// Whether a text is a segment of a recording.
pub(super) fn is_recording(text: &[u8]) -> bool {
    text.starts_with(HEADER)
}

/// The check over an object's bytes, as eight digits.
pub(crate) fn check_of(object: &[u8]) -> String {
    let mut crc = flate2::Crc::new();
    crc.update(object);
    format!("{:08x}", crc.sum())
}

impl Collector {
    /// Reads a segment. What was torn or damaged is left out and said; all other lines count.
    pub(super) fn recording(&mut self, text: &[u8], origin: &str) {
        let mut interner = Interner::default();
        let mut damaged = 0_usize;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if !line.ends_with(b"\n") {
                self.gap(Gap::new(
                    GapKind::Damaged,
                    origin,
                    "the last record is incomplete and left out: the recorder was stopped while it wrote",
                ));
                break;
            }
            if self.recorded_line(line, &mut interner).is_none() {
                damaged += 1;
            }
        }
        if damaged > 0 {
            let detail = format!("{damaged} records are damaged and left out");
            self.gap(Gap::new(GapKind::Damaged, origin, detail));
        }
    }

    /// None: the line is damaged.
    fn recorded_line(&mut self, line: &[u8], interner: &mut Interner) -> Option<()> {
        let line: Line<'_> = serde_json::from_slice(line).ok()?;
        let seen = time(&line.seen)?;
        if !line.recording.is_empty() {
            self.found = true;
            self.begins(seen);
            if !line.kubernetes_version.is_empty() {
                let version = line.kubernetes_version.as_str().to_owned();
                self.snapshot.settings.kubernetes_version.get_or_insert(version);
            }
            return Some(());
        }
        let kind = match line.kind.as_str() {
            "ALIVE" => return self.alive(seen),
            "BREAK" => return self.broke(seen, line.what.as_str()),
            "LISTED" => ChangeKind::Listed,
            "ADDED" => ChangeKind::Added,
            "MODIFIED" => ChangeKind::Modified,
            "DELETED" => ChangeKind::Deleted,
            _ => return None,
        };
        let json = line.object?.get().as_bytes();
        if check_of(json) != line.crc.as_str() {
            return None;
        }
        self.alive(seen);
        self.found = true;
        let key = identity(json)?;
        let object = match self.object(json, None, interner) {
            Ok(Some(object)) => object,
            Ok(None) => {
                // Settings, or a kind that is passed over.
                self.item(json, None, "recording", interner);
                return Some(());
            }
            Err(_) => return None,
        };
        if let Object::Event(event) = object {
            if kind != ChangeKind::Deleted {
                self.push(Object::Event(event));
            }
            return Some(());
        }
        if let Some(object) = object.tracked() {
            self.snapshot.history.push(Change { seen: Some(seen), kind, object });
        }
        let present = kind != ChangeKind::Deleted;
        self.recorded.last.insert(key, present.then_some(object));
        Some(())
    }

    /// A segment begins: at once after the one before, or after a break.
    fn begins(&mut self, seen: Timestamp) {
        if let Some(last) = self.recorded.stretches.last_mut() {
            if seen.since(last.to) <= HEARTBEAT {
                last.to = last.to.max(seen);
                return;
            }
            let (from, to) = (last.to, seen);
            self.nothing_recorded(from, to);
        }
        self.recorded.stretches.push(Stretch { from: seen, to: seen });
    }

    /// Takes over what later segments told.
    pub(super) fn absorb_recording(&mut self, later: Recorded) {
        self.recorded.last.extend(later.last);
        for stretch in later.stretches {
            self.begins(stretch.from);
            self.alive(stretch.to);
        }
    }

    fn alive(&mut self, seen: Timestamp) -> Option<()> {
        let last = self.recorded.stretches.last_mut()?;
        last.to = last.to.max(seen);
        Some(())
    }

    /// The server dropped the recorder for longer than it could make up for.
    fn broke(&mut self, seen: Timestamp, what: &str) -> Option<()> {
        let from = self.recorded.stretches.last()?.to;
        let detail = format!(
            "changes of {what} between {from} and {seen} were missed: the watch had expired"
        );
        self.gap(Gap::new(GapKind::Missing, "recording", detail));
        self.recorded.stretches.push(Stretch { from: seen, to: seen });
        Some(())
    }

    fn nothing_recorded(&mut self, from: Timestamp, to: Timestamp) {
        let detail = format!("nothing was recorded between {from} and {to}");
        self.gap(Gap::new(GapKind::Missing, "recording", detail));
    }

    /// The end of all input: what is still there at the end of the recording is the state of the cluster then.
    pub(super) fn finish_recording(&mut self) {
        let Recorded { last: states, stretches } = std::mem::take(&mut self.recorded);
        let Some(last) = stretches.last() else { return };
        self.snapshot.taken_at = self.snapshot.taken_at.max(Some(last.to));
        self.snapshot.recorded = stretches;
        for object in states.into_values().flatten() {
            self.push(object);
        }
    }
}

/// Kind, namespace and name.
fn identity(json: &[u8]) -> Option<[String; 3]> {
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
    let Identified { kind, metadata } = serde_json::from_slice(json).ok()?;
    Some([kind, metadata.namespace, metadata.name])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::names::NodeName;
    use crate::model::snapshot::Snapshot;

    const START: &str = "{\"recording\":\"landed.dev/v1\",\"seen\":\"2026-12-01T08:00:00Z\"}\n";

    fn record(kind: &str, second: u32, object: &str) -> String {
        let crc = check_of(object.as_bytes());
        let seen = format!("2026-12-01T08:00:{second:02}Z");
        format!(
            "{{\"type\":\"{kind}\",\"seen\":\"{seen}\",\"crc\":\"{crc}\",\"object\":{object}}}\n"
        )
    }

    fn pod(name: &str, node: &str) -> String {
        format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}","namespace":"a"}},"spec":{{"nodeName":"{node}"}}}}"#
        )
    }

    fn read(text: &[u8]) -> Snapshot {
        let mut collector = Collector::default();
        collector.text(text, "00000001.landed.jsonl");
        collector.finish()
    }

    #[test]
    fn the_end_of_a_recording_is_the_state_and_every_change_is_history() {
        let text = [
            START.to_owned(),
            record("LISTED", 1, &pod("gone", "n")),
            record("ADDED", 2, &pod("web", "")),
            record("MODIFIED", 3, &pod("web", "n")),
            record("DELETED", 4, &pod("gone", "n")),
            "{\"type\":\"ALIVE\",\"seen\":\"2026-12-01T08:00:09Z\"}\n".to_owned(),
        ];
        let snapshot = read(text.concat().as_bytes());
        let pods = snapshot.objects.pods.iter().map(|pod| &*pod.meta.name).collect::<Vec<_>>();
        assert_eq!(pods, ["web"]);
        assert_eq!(snapshot.objects.pods[0].node_name.as_ref().map(NodeName::as_str), Some("n"));
        assert_eq!(snapshot.history.len(), 4);
        assert_eq!(snapshot.gaps, []);
        let taken_at = snapshot.taken_at.map(|time| time.to_string());
        assert_eq!(taken_at.as_deref(), Some("2026-12-01T08:00:09Z"));
    }

    #[test]
    fn cut_at_any_byte_at_most_the_last_record_is_lost() {
        let records = [
            START.to_owned(),
            record("ADDED", 2, &pod("b", "n")),
            record("ADDED", 3, &pod("c", "n")),
        ];
        let text = records.concat();
        for cut in START.len()..=text.len() {
            let whole = text[..cut].matches('\n').count() - 1;
            let snapshot = read(&text.as_bytes()[..cut]);
            assert_eq!(snapshot.history.len(), whole, "cut at {cut}");
            assert_eq!(snapshot.objects.pods.len(), whole, "cut at {cut}");
            assert_eq!(snapshot.gaps.is_empty(), text[..cut].ends_with('\n'), "cut at {cut}");
        }
    }

    #[test]
    fn a_damaged_line_in_the_middle_costs_itself_alone() {
        let damaged = record("ADDED", 2, &pod("b", "n")).replace("\"b\"", "\"x\"");
        let text = [START.to_owned(), damaged, record("ADDED", 3, &pod("c", "n"))].concat();
        let snapshot = read(text.as_bytes());
        assert_eq!(snapshot.objects.pods.len(), 1);
        assert_eq!(snapshot.gaps.len(), 1);
        assert_eq!(snapshot.gaps[0].detail, "1 records are damaged and left out");
    }
}
