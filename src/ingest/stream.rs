//! JSON from a stream: read in pieces by one thread, decoded by the others, gathered in the order of the stream.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::gap::{Gap, GapKind};

use super::collect::Collector;
use super::intern::Interner;
use super::json;
use super::split::{Ends, ListKind, Part, Splitter};

/// How much is read at a time.
const PIECE: usize = 128 << 10;

/// The largest single object that is read; the API server's own limit is far below.
const LARGEST: usize = 64 << 20;

/// Objects that stand in one piece of the stream.
#[derive(Debug)]
struct Batch {
    number: usize,
    bytes: Vec<u8>,
    parts: Vec<(What, Range<usize>)>,
    list: Arc<ListKind>,
    spare: Spare,
}

/// Buffers that are free again: making them anew costs more than reading into them.
type Spare = Arc<Mutex<Vec<Vec<u8>>>>;

/// How many buffers are kept.
const MOST_SPARE: usize = 16;

/// How a part of a batch is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Document,
    Item,
    Line,
}

/// What was gathered so far, in the order of the batches.
#[derive(Default)]
struct Gathered {
    next: usize,
    early: BTreeMap<usize, Collector>,
    all: Collector,
}

impl Gathered {
    fn add(&mut self, number: usize, collector: Collector) {
        self.early.insert(number, collector);
        while let Some(collector) = self.early.remove(&self.next) {
            self.all.absorb(collector);
            self.next += 1;
        }
    }
}

/// How reading a stream ended.
#[derive(Debug)]
pub enum Ending {
    /// All was read.
    Whole,
    /// The ends of objects were guessed and a guess was wrong: read it again without guessing.
    Misjudged,
}

/// Reads JSON documents that follow one another, on as many threads as asked for. `origin` names the stream for what
/// cannot be read. An error of the stream itself ends the reading.
pub fn read(
    stream: &mut dyn Read,
    origin: &str,
    ends: Ends,
    threads: usize,
) -> io::Result<(Collector, Ending)> {
    let misjudged = AtomicBool::new(false);
    let gathered = Mutex::new(Gathered::default());
    let mut feeder = Feeder::new(ends);
    // What fits into one piece is not worth a thread.
    let first = feeder.fill(stream)?;
    if first.is_last || threads < 2 {
        let mut interner = Interner::default();
        let mut decode = |batch: Batch| {
            let number = batch.number;
            let collector = batch.decode(origin, &mut interner, &misjudged);
            lock(&gathered).add(number, collector);
        };
        feeder.feed(first, origin, stream, &mut decode)?;
    } else {
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel::<Batch>(2);
            let receiver = Arc::new(Mutex::new(receiver));
            let (misjudged, gathered) = (&misjudged, &gathered);
            for _ in 0..threads {
                let receiver = receiver.clone();
                scope.spawn(move || work(&receiver, origin, misjudged, gathered));
            }
            drop(receiver);
            // A send fails only when every worker is gone; then nothing is left to decode for.
            let result = feeder.feed(first, origin, stream, &mut |batch| drop(sender.send(batch)));
            drop(sender);
            result
        })?;
    }
    let mut all = gathered.into_inner().unwrap_or_else(PoisonError::into_inner).all;
    all.is_listing |= feeder.is_listing;
    for gap in feeder.gaps {
        all.gap(gap);
    }
    let ending = if misjudged.into_inner() { Ending::Misjudged } else { Ending::Whole };
    Ok((all, ending))
}

fn work(
    receiver: &Mutex<Receiver<Batch>>,
    origin: &str,
    misjudged: &AtomicBool,
    gathered: &Mutex<Gathered>,
) {
    let mut interner = Interner::default();
    loop {
        let Ok(batch) = lock(receiver).recv() else { return };
        let number = batch.number;
        let collector = batch.decode(origin, &mut interner, misjudged);
        lock(gathered).add(number, collector);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Batch {
    fn decode(self, origin: &str, interner: &mut Interner, misjudged: &AtomicBool) -> Collector {
        let mut collector = Collector::default();
        let listed = (self.list.api_version.as_str(), self.list.kind.strip_suffix("List"));
        let listed = (listed.0, listed.1.unwrap_or_default());
        for (what, range) in &self.parts {
            let bytes = &self.bytes[range.clone()];
            match what {
                What::Line => {
                    let line = collector.utf8(bytes, origin);
                    collector.found |= collector.line(&line);
                }
                What::Document => {
                    if let Err(error) = collector.document(bytes, origin, interner) {
                        collector.damaged(origin, &format!("not readable as JSON: {error}"));
                    }
                }
                What::Item if self.list.kind.is_empty() && !json::has_kind(bytes) => {
                    collector.element(bytes, origin, interner);
                }
                What::Item => {
                    if collector.item(bytes, Some(listed), origin, interner) {
                        continue;
                    }
                    // Passed over or refused: then its end was not looked at yet.
                    if json::end_of_value(bytes, 0) != Some(bytes.len()) {
                        misjudged.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
        let mut spare = lock(&self.spare);
        if spare.len() < MOST_SPARE && self.bytes.capacity() <= 2 * PIECE {
            spare.push(self.bytes);
        }
        drop(spare);
        collector
    }
}

/// Reads the stream and cuts it into batches.
struct Feeder {
    splitter: Splitter,
    number: usize,
    list: Arc<ListKind>,
    /// Items whose kind is told only after the list.
    waiting: Vec<Vec<u8>>,
    gaps: Vec<Gap>,
    carry: Vec<u8>,
    spare: Spare,
    is_listing: bool,
}

/// A piece of the stream, after what was left of the one before.
struct Piece {
    bytes: Vec<u8>,
    is_last: bool,
}

impl Feeder {
    fn new(ends: Ends) -> Self {
        Self {
            splitter: Splitter::new(ends),
            number: 0,
            list: Arc::default(),
            waiting: Vec::new(),
            gaps: Vec::new(),
            carry: Vec::new(),
            spare: Spare::default(),
            is_listing: false,
        }
    }

    /// Reads the next piece: as much again as is left over, so that a large object is not looked at over and over.
    fn fill(&mut self, stream: &mut dyn Read) -> io::Result<Piece> {
        let mut bytes = lock(&self.spare).pop().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(&self.carry);
        let kept = bytes.len();
        // Never far beyond the largest object: something endless must not fill the memory.
        let wanted = kept + PIECE.max(kept.min(LARGEST.saturating_sub(kept)));
        bytes.reserve(wanted - kept);
        let more = u64::try_from(wanted - kept).unwrap_or(u64::MAX);
        (&mut *stream).take(more).read_to_end(&mut bytes)?;
        let is_last = bytes.len() < wanted;
        Ok(Piece { bytes, is_last })
    }

    fn feed(
        &mut self,
        first: Piece,
        origin: &str,
        stream: &mut dyn Read,
        send: &mut dyn FnMut(Batch),
    ) -> io::Result<()> {
        let mut piece = first;
        let mut is_first = true;
        loop {
            if mem::take(&mut is_first) && piece.bytes.starts_with(b"\xef\xbb\xbf") {
                piece.bytes[..3].fill(b' ');
            }
            let is_last = piece.is_last;
            self.cut(piece, origin, send);
            if is_last {
                return Ok(());
            }
            if self.carry.len() > LARGEST {
                let detail = format!("it holds something longer than {} MiB", LARGEST >> 20);
                self.gaps.push(Gap::new(GapKind::Damaged, origin, detail));
                return Ok(());
            }
            piece = self.fill(stream)?;
        }
    }

    /// Cuts a piece into batches, one for each list that has items in it.
    fn cut(&mut self, piece: Piece, origin: &str, send: &mut dyn FnMut(Batch)) {
        let found = self.splitter.split(&piece.bytes, piece.is_last);
        self.carry.clear();
        self.carry.extend_from_slice(&piece.bytes[found.done..]);
        let mut parts = Vec::new();
        if piece.is_last {
            parts = self.end(&piece.bytes, found.done, origin);
        }
        let saved = mem::take(&mut parts);
        let bytes = piece.bytes;
        let mut junk = Vec::new();
        for part in found.parts {
            match part {
                Part::Document(range) => parts.push((What::Document, range)),
                Part::Line(range) => parts.push((What::Line, range)),
                Part::Item(range) => {
                    if self.list.kind.is_empty() && !json::has_kind(&bytes[range.clone()]) {
                        self.waiting.push(bytes[range].to_vec());
                    } else {
                        parts.push((What::Item, range));
                    }
                }
                Part::Junk(range) => junk.push(range),
                Part::ListBegins(kind) => {
                    self.send_copy(&bytes, &mut parts, send);
                    // A bare array has no kind: it may be a list of anything.
                    self.is_listing |= kind != ListKind::default();
                    self.list = Arc::new(kind);
                }
                Part::ListEnds(kind) => {
                    self.send_copy(&bytes, &mut parts, send);
                    self.list = Arc::new(kind);
                    for item in mem::take(&mut self.waiting) {
                        let range = 0..item.len();
                        self.send(item, vec![(What::Item, range)], send);
                    }
                    self.list = Arc::default();
                }
            }
        }
        self.junk(&bytes, &junk, origin);
        parts.extend(saved);
        if !parts.is_empty() {
            self.send(bytes, parts, send);
        }
    }

    fn send(
        &mut self,
        bytes: Vec<u8>,
        parts: Vec<(What, Range<usize>)>,
        send: &mut dyn FnMut(Batch),
    ) {
        let (list, spare) = (self.list.clone(), self.spare.clone());
        send(Batch { number: self.number, bytes, parts, list, spare });
        self.number += 1;
    }

    /// Sends the parts before a list's border, with a copy of their bytes: the rest of the piece follows.
    fn send_copy(
        &mut self,
        bytes: &[u8],
        parts: &mut Vec<(What, Range<usize>)>,
        send: &mut dyn FnMut(Batch),
    ) {
        let (Some((_, first)), Some((_, last))) = (parts.first(), parts.last()) else { return };
        let (from, to) = (first.start, last.end);
        let moved = mem::take(parts)
            .into_iter()
            .map(|(what, range)| (what, range.start - from..range.end - from))
            .collect();
        self.send(bytes[from..to].to_vec(), moved, send);
    }

    /// What is left when the stream is over: noted as damage, but for the lines of it that are whole objects.
    fn end(&mut self, bytes: &[u8], done: usize, origin: &str) -> Vec<(What, Range<usize>)> {
        if bytes[done..].trim_ascii().is_empty() && self.splitter.is_between_documents() {
            return Vec::new();
        }
        let detail = "it ends in the middle of an object: the file is cut off";
        self.gaps.push(Gap::new(GapKind::Damaged, origin, detail));
        let mut at = done;
        let mut whole = Vec::new();
        for line in bytes[done..].split_inclusive(|byte| *byte == b'\n') {
            let range = at..at + line.len();
            at = range.end;
            let object = line.trim_ascii_end();
            if object.starts_with(b"{") && json::end_of_value(object, 0) == Some(object.len()) {
                whole.push((What::Document, range));
            }
        }
        whole
    }

    /// Notes the first thing that does not belong between documents.
    fn junk(&mut self, bytes: &[u8], junk: &[Range<usize>], origin: &str) {
        let Some(range) = junk.first() else { return };
        if self.gaps.iter().any(|gap| gap.detail.starts_with("not readable as JSON")) {
            return;
        }
        let line = String::from_utf8_lossy(&bytes[range.clone()]);
        let shown: String = line.trim_end().chars().take(60).collect();
        let detail = format!("not readable as JSON at {shown:?}: passed over");
        self.gaps.push(Gap::new(GapKind::Damaged, origin, detail));
    }
}
