//! `Store`: the folder that a flight recorder appends to. Bounded, and whole whenever the recorder is killed.
//!
//! Segments are only ever appended to, one line at a time; each start of the recorder begins a new one. When there is
//! too much, the oldest segment is folded into the base: the last state of each object, written beside and renamed.

mod fold;
mod known;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

pub use known::Key;
use known::Known;

use crate::ingest::check_of;
use crate::model::time::{Span, Timestamp};

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes in all.
    pub max_size: u64,
    /// For how long; none: only the size counts.
    pub keep: Option<Duration>,
}

/// What happened to an object, as a line says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It was there when recording began, or began again.
    Listed,
    /// It was created.
    Added,
    /// It was changed.
    Modified,
    /// It went away.
    Deleted,
}

impl Step {
    const fn word(self) -> &'static str {
        match self {
            Self::Listed => "LISTED",
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// An open recording.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    limits: Limits,
    header: Value,
    segment: File,
    number: u64,
    written: u64,
    known: Known,
    /// Held for as long as the store is open: two recorders never write to one folder.
    _lock: File,
}

/// The base, in the order of names before every segment.
const BASE: u64 = 0;

impl Store {
    /// Opens a folder, new or from an earlier recording, and begins a segment.
    pub fn open(
        folder: &Path,
        limits: Limits,
        kubernetes_version: Option<&str>,
        server: &str,
        now: Timestamp,
    ) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let lock = new_file(&folder.join(".lock"))?;
        if lock.try_lock().is_err() {
            return Err(io::Error::other("another recorder writes to this folder"));
        }
        let mut known = Known::default();
        let numbers = segments(folder)?;
        for number in &numbers {
            known.learn(&read(&segment_path(folder, *number))?);
        }
        let header = serde_json::json!({ "server": server, "kubernetesVersion": kubernetes_version.unwrap_or_default() });
        let number = numbers.last().map_or(BASE, |last| *last) + 1;
        let segment = new_file(&segment_path(folder, number))?;
        let mut store = Self {
            folder: folder.to_owned(),
            limits,
            header,
            segment,
            number,
            written: 0,
            known,
            _lock: lock,
        };
        store.begin(now)?;
        Ok(store)
    }

    /// Writes a change. What changed nothing that matters, such as a node's heartbeat, is left out; whether it was
    /// written.
    pub fn change(&mut self, step: Step, object: &Value, seen: Timestamp) -> io::Result<bool> {
        if !self.known.is_news(step, object) {
            return Ok(false);
        }
        let json = object.to_string();
        let crc = check_of(json.as_bytes());
        let line = format!(
            "{{\"type\":\"{}\",\"seen\":\"{seen}\",\"crc\":\"{crc}\",\"object\":{json}}}\n",
            step.word()
        );
        self.append(line.as_bytes(), seen)?;
        Ok(true)
    }

    /// Writes that objects of a kind, known from before, are not in a new list: they went away unseen.
    pub fn gone(
        &mut self,
        kind: &str,
        namespace: Option<&str>,
        listed: &dyn Fn(&Key) -> bool,
        seen: Timestamp,
    ) -> io::Result<usize> {
        let gone = self.known.of_kind(kind, namespace).filter(|(key, _)| !listed(key));
        let gone = gone.map(|(key, api_version)| key.object(api_version)).collect::<Vec<_>>();
        for object in &gone {
            self.change(Step::Deleted, object, seen)?;
        }
        Ok(gone.len())
    }

    /// Writes that the recorder was there and nothing happened.
    pub fn alive(&mut self, seen: Timestamp) -> io::Result<()> {
        self.append(format!("{{\"type\":\"ALIVE\",\"seen\":\"{seen}\"}}\n").as_bytes(), seen)
    }

    /// Writes that changes of a kind were missed.
    pub fn broke(&mut self, what: &str, seen: Timestamp) -> io::Result<()> {
        let what = Value::from(what);
        self.append(
            format!("{{\"type\":\"BREAK\",\"seen\":\"{seen}\",\"what\":{what}}}\n").as_bytes(),
            seen,
        )
    }

    /// Makes what was written outlive a crash of the machine.
    pub fn sync(&self) -> io::Result<()> {
        self.segment.sync_data()
    }

    /// One write a line: a process that is killed leaves whole lines and at most one torn one, the last.
    fn append(&mut self, line: &[u8], now: Timestamp) -> io::Result<()> {
        self.segment.write_all(line)?;
        self.written += line.len() as u64;
        if self.written >= self.segment_size() {
            self.rotate(now)?;
        }
        Ok(())
    }

    fn segment_size(&self) -> u64 {
        (self.limits.max_size / 8).clamp(64 << 10, 64 << 20)
    }

    fn begin(&mut self, now: Timestamp) -> io::Result<()> {
        let line = header_line(&self.header, now);
        self.segment.write_all(&line)?;
        self.written = line.len() as u64;
        Ok(())
    }

    fn rotate(&mut self, now: Timestamp) -> io::Result<()> {
        self.segment.sync_data()?;
        self.number += 1;
        self.segment = new_file(&segment_path(&self.folder, self.number))?;
        self.begin(now)?;
        self.trim(now)
    }

    /// Folds the oldest segments until the rest is within the limits. The one that is being written stays.
    pub fn trim(&mut self, now: Timestamp) -> io::Result<()> {
        loop {
            let numbers = segments(&self.folder)?;
            let closed =
                numbers.into_iter().filter(|number| *number != BASE && *number < self.number);
            let Some(oldest) = closed.min() else { return Ok(()) };
            if size_of(&self.folder)? <= self.limits.max_size && !self.is_old(oldest, now)? {
                return Ok(());
            }
            self.fold(oldest)?;
        }
    }

    fn is_old(&self, number: u64, now: Timestamp) -> io::Result<bool> {
        let Some(keep) = self.limits.keep else { return Ok(false) };
        let written = fs::metadata(segment_path(&self.folder, number))?.modified()?;
        let Ok(written) = jiff::Timestamp::try_from(written) else { return Ok(false) };
        let keep = Span(i128::try_from(keep.as_nanos()).unwrap_or(i128::MAX));
        Ok(now.since(Timestamp(written)) > keep)
    }

    /// Killed before the rename, the old base still stands; killed after it, the segment is folded once more, which
    /// changes nothing.
    fn fold(&self, oldest: u64) -> io::Result<()> {
        let base = segment_path(&self.folder, BASE);
        let before = if base.exists() { read(&base)? } else { Vec::new() };
        let path = segment_path(&self.folder, oldest);
        let folded = fold::fold(&before, &read(&path)?, &self.header);
        let partial = self.folder.join(".base.partial");
        if partial.exists() {
            fs::remove_file(&partial)?;
        }
        let mut file = new_file(&partial)?;
        file.write_all(&folded)?;
        file.sync_all()?;
        fs::rename(&partial, &base)?;
        fs::remove_file(path)
    }
}

/// The first line of a segment.
fn header_line(header: &Value, seen: Timestamp) -> Vec<u8> {
    let (server, version) = (&header["server"], &header["kubernetesVersion"]);
    format!("{{\"recording\":\"landed.dev/v1\",\"seen\":\"{seen}\",\"server\":{server},\"kubernetesVersion\":{version}}}\n").into_bytes()
}

fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:08}.landed.jsonl"))
}

/// The segments' numbers, in order; the base first.
fn segments(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number =
            name.to_str().and_then(|name| name.strip_suffix(".landed.jsonl")?.parse::<u64>().ok());
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn size_of(folder: &Path) -> io::Result<u64> {
    let mut total = 0;
    for number in segments(folder)? {
        total += fs::metadata(segment_path(folder, number))?.len();
    }
    Ok(total)
}

#[expect(clippy::disallowed_methods, reason = "sources is where files are read")]
fn read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

/// A file for its owner alone, appended to.
fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::Collector;
    use crate::model::snapshot::Snapshot;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000 + second)
    }

    fn pod(name: &str, node: &str) -> Value {
        serde_json::json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "a",
            "resourceVersion": "1"}, "spec": {"nodeName": node}})
    }

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("landed-recording-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn snapshot(folder: &Path) -> Snapshot {
        let mut collector = Collector::default();
        for number in segments(folder).expect("segments") {
            let path = segment_path(folder, number);
            collector.text(&read(&path).expect("a segment"), &path.display().to_string());
        }
        collector.finish()
    }

    #[test]
    fn a_second_start_goes_on_and_what_went_away_meanwhile_is_deleted() {
        let folder = folder("again");
        let limits = Limits { max_size: 1 << 30, keep: None };
        let mut store = Store::open(&folder, limits, None, "s", at(0)).expect("a store");
        store.change(Step::Listed, &pod("web", "n"), at(1)).expect("written");
        store.change(Step::Listed, &pod("gone", "n"), at(1)).expect("written");
        assert!(Store::open(&folder, limits, None, "s", at(2)).is_err(), "two recorders");
        drop(store);
        let mut store = Store::open(&folder, limits, None, "s", at(100)).expect("a store");
        assert!(!store.change(Step::Listed, &pod("web", "n"), at(101)).expect("nothing new"));
        store.gone("Pod", None, &|key| key.name() == "web", at(101)).expect("written");
        let snapshot = snapshot(&folder);
        assert_eq!(snapshot.objects.pods.len(), 1);
        assert_eq!(snapshot.recorded.len(), 2);
        assert!(
            snapshot.gaps[0].detail.starts_with("nothing was recorded between"),
            "{:?}",
            snapshot.gaps
        );
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn a_bounded_recording_keeps_the_state_and_forgets_the_oldest_steps() {
        let folder = folder("bounded");
        let limits = Limits { max_size: 512 << 10, keep: None };
        let mut store = Store::open(&folder, limits, None, "s", at(0)).expect("a store");
        store.change(Step::Listed, &pod("first", "n"), at(0)).expect("written");
        for second in 0..8000 {
            store
                .change(Step::Modified, &pod("busy", &format!("n{second}")), at(second))
                .expect("written");
        }
        drop(store);
        assert!(size_of(&folder).expect("a size") <= (512 + 64) << 10);
        let snapshot = snapshot(&folder);
        assert_eq!(snapshot.gaps, []);
        let nodes = snapshot.objects.pods.iter().filter_map(|pod| pod.node_name.clone());
        assert_eq!(nodes.map(|node| node.as_str().to_owned()).collect::<Vec<_>>(), ["n7999", "n"]);
        assert!(snapshot.history.len() < 8000);
        fs::remove_dir_all(folder).expect("removed");
    }
}
