//! `kind: Dump`: what `kubectl landed dump` tells about itself.

use serde::Deserialize;

use super::collect::Collector;
use super::meta::time;
use super::wire::Text;
use crate::model::gap::{Gap, GapKind};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawDump<'a> {
    #[serde(borrow)]
    api_version: Text<'a>,
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    taken_at: Text<'a>,
    #[serde(borrow)]
    kubernetes_version: Text<'a>,
    gaps: Vec<RawGap>,
}

#[derive(Debug, Deserialize)]
struct RawGap {
    kind: GapKind,
    subject: String,
    detail: String,
    hint: Option<String>,
}

impl Collector {
    /// Takes what a dump tells about itself: when it was taken, and what could not be read then. Anything else is
    /// passed over.
    pub(super) fn dump_info(&mut self, json: &[u8]) {
        let Ok(dump) = serde_json::from_slice::<RawDump<'_>>(json) else { return };
        if dump.kind.as_str() != "Dump" || !dump.api_version.as_str().starts_with("landed.dev/") {
            return;
        }
        let snapshot = &mut self.snapshot;
        snapshot.taken_at = snapshot.taken_at.max(time(&dump.taken_at));
        if !dump.kubernetes_version.is_empty() {
            let version = dump.kubernetes_version.as_str().to_owned();
            snapshot.settings.kubernetes_version.get_or_insert(version);
        }
        for RawGap { kind, subject, detail, hint } in dump.gaps {
            self.gap(Gap { kind, subject, detail, hint });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_brings_its_time_and_its_gaps() {
        let mut collector = Collector::default();
        collector.json(
            br#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"landed.dev/v1","kind":"Dump",
                "takenAt":"2026-12-01T08:00:00Z","kubernetesVersion":"1.37.2",
                "gaps":[{"kind":"forbidden","subject":"nodes","detail":"not allowed"}]}]}"#,
            "dump.json",
        );
        let snapshot = collector.finish();
        let taken_at = snapshot.taken_at.map(|time| time.to_string());
        assert_eq!(taken_at.as_deref(), Some("2026-12-01T08:00:00Z"));
        assert_eq!(snapshot.settings.kubernetes_version.as_deref(), Some("1.37.2"));
        assert_eq!(snapshot.gaps, [Gap::new(GapKind::Forbidden, "nodes", "not allowed")]);
    }
}
