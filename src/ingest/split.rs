//! `Splitter`: finds the objects in a stream of JSON that comes in pieces, without reading them.

use std::ops::Range;

use memchr::memmem::Finder;
use serde::Deserialize;

use super::json::end_of_value;

/// Something that was found: where it stands in the buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A document of its own.
    Document(Range<usize>),
    /// An object of a list.
    Item(Range<usize>),
    /// A line of a log that stands between documents.
    Line(Range<usize>),
    /// Something that does not belong there.
    Junk(Range<usize>),
    /// A list begins: its version and kind, as far as they stand before its items.
    ListBegins(ListKind),
    /// A list ends: its version and kind, wherever they stand.
    ListEnds(ListKind),
}

/// `apiVersion` and `kind` of a list; empty where they are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ListKind {
    pub api_version: String,
    pub kind: String,
}

/// Whether the ends of objects may be guessed from their indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Each bracket is counted.
    Counted,
    /// In indented text the next closing brace of the same indentation is taken for the end: whoever reads the object
    /// finds out when that was wrong.
    Guessed,
}

/// Where in the stream the splitter is.
#[derive(Debug)]
enum State {
    /// Between documents.
    Outside,
    /// Between the items of a list.
    Items(List),
    /// After the items of a list, before the end of its document.
    Tail(List),
    /// In a block of logs of `kubectl cluster-info dump`; whether its lines are wanted.
    Logs(bool),
}

#[derive(Debug, Default)]
struct List {
    kind: ListKind,
    /// Whether the list is a bare array.
    is_bare: bool,
    /// What ends an item, where that can be guessed.
    end: Option<Finder<'static>>,
    has_items: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Splitter {
    state: State,
    ends: Ends,
}

/// What one look at the buffer came to.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub parts: Vec<Part>,
    /// How much of the buffer is done with.
    pub done: usize,
}

impl Splitter {
    pub fn new(ends: Ends) -> Self {
        Self { state: State::Outside, ends }
    }

    /// Finds all that stands complete in the buffer. `is_last`: nothing comes after it.
    pub fn split(&mut self, buffer: &[u8], is_last: bool) -> Found {
        let mut found = Found::default();
        loop {
            let before = (found.done, found.parts.len(), std::mem::discriminant(&self.state));
            match &mut self.state {
                State::Outside => self.outside(buffer, is_last, &mut found),
                State::Items(_) => self.items(buffer, &mut found),
                State::Tail(_) => self.tail(buffer, &mut found),
                State::Logs(wanted) => {
                    let wanted = *wanted;
                    self.logs(buffer, wanted, is_last, &mut found);
                }
            }
            let after = (found.done, found.parts.len(), std::mem::discriminant(&self.state));
            if before == after {
                return found;
            }
        }
    }

    /// Whether the stream may end here.
    pub fn is_between_documents(&self) -> bool {
        matches!(self.state, State::Outside)
    }

    fn outside(&mut self, buffer: &[u8], is_last: bool, found: &mut Found) {
        let Some(start) = skip_space(buffer, found.done) else {
            found.done = buffer.len();
            return;
        };
        found.done = start;
        match buffer[start] {
            b'{' => self.document(buffer, start, found),
            b'[' => {
                found.done = start + 1;
                found.parts.push(Part::ListBegins(ListKind::default()));
                self.state = State::Items(List { is_bare: true, ..List::default() });
            }
            _ => self.between(buffer, start, is_last, found),
        }
    }

    /// A line between documents: the head of a block of logs, or something that does not belong there.
    fn between(&mut self, buffer: &[u8], start: usize, is_last: bool, found: &mut Found) {
        let Some(end) = line_end(buffer, start, is_last) else { return };
        let line = &buffer[start..end];
        found.done = end;
        if line.starts_with(b"==== START logs") {
            let wanted = line.windows(9).any(|part| part == b"karpenter");
            self.state = State::Logs(wanted);
        } else {
            found.parts.push(Part::Junk(start..end));
        }
    }

    fn logs(&mut self, buffer: &[u8], wanted: bool, is_last: bool, found: &mut Found) {
        let start = found.done;
        let Some(end) = line_end(buffer, start, is_last) else { return };
        found.done = end;
        if buffer[start..end].starts_with(b"==== END logs") {
            self.state = State::Outside;
        } else if wanted {
            found.parts.push(Part::Line(start..end));
        }
    }

    /// Reads a document's fields up to its items, if it has any.
    fn document(&mut self, buffer: &[u8], start: usize, found: &mut Found) {
        let mut at = start + 1;
        loop {
            match field(buffer, at) {
                Field::Incomplete => return,
                Field::End(end) => {
                    found.parts.push(Part::Document(start..end));
                    found.done = end;
                    return;
                }
                // Something is wrong: whoever reads the document says what.
                Field::Wrong => {
                    let Some(end) = end_of_value(buffer, start) else { return };
                    found.parts.push(Part::Document(start..end));
                    found.done = end;
                    return;
                }
                Field::Items(items) => {
                    let kind = ListKind::before(&buffer[start..], items - start);
                    found.parts.push(Part::ListBegins(kind.clone()));
                    found.done = items;
                    self.state = State::Items(List { kind, ..List::default() });
                    return;
                }
                Field::Value(end) => at = end,
            }
        }
    }

    fn items(&mut self, buffer: &[u8], found: &mut Found) {
        let State::Items(list) = &mut self.state else { return };
        let Some(start) = skip_space(buffer, found.done) else { return };
        match buffer[start] {
            b',' => found.done = start + 1,
            b']' => {
                found.done = start + 1;
                let list = std::mem::take(list);
                if list.is_bare {
                    found.parts.push(Part::ListEnds(list.kind));
                    self.state = State::Outside;
                } else {
                    self.state = State::Tail(list);
                }
            }
            b'{' => {
                if !list.has_items {
                    list.has_items = true;
                    list.end = match self.ends {
                        Ends::Guessed => indentation(buffer, start),
                        Ends::Counted => None,
                    };
                }
                let end = match &list.end {
                    Some(end) => {
                        end.find(&buffer[start..]).map(|found| start + found + end.needle().len())
                    }
                    None => end_of_value(buffer, start),
                };
                if let Some(end) = end {
                    found.parts.push(Part::Item(start..end));
                    found.done = end;
                }
            }
            _ => {
                if let Some(end) = end_of_value(buffer, start) {
                    // A stray bracket is no value: step over it.
                    found.done = end.max(start + 1);
                }
            }
        }
    }

    fn tail(&mut self, buffer: &[u8], found: &mut Found) {
        let State::Tail(list) = &mut self.state else { return };
        let at = found.done;
        match field(buffer, at) {
            Field::Incomplete => {}
            Field::End(end) => {
                found.done = end;
                found.parts.push(Part::ListEnds(std::mem::take(&mut list.kind)));
                self.state = State::Outside;
            }
            Field::Value(end) | Field::Items(end) => {
                let text = String::from_utf8_lossy(&buffer[at..end]);
                let text = text.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
                if let Ok(kind) = serde_json::from_str::<ListKind>(&format!("{{{text}}}")) {
                    if list.kind.kind.is_empty() && !kind.kind.is_empty() {
                        list.kind.kind = kind.kind;
                    }
                    if list.kind.api_version.is_empty() && !kind.api_version.is_empty() {
                        list.kind.api_version = kind.api_version;
                    }
                }
                found.done = end;
            }
            Field::Wrong => {
                found.parts.push(Part::ListEnds(std::mem::take(&mut list.kind)));
                self.state = State::Outside;
            }
        }
    }
}

impl ListKind {
    /// The fields of a list that stand before its items.
    fn before(document: &[u8], items: usize) -> Self {
        let text = String::from_utf8_lossy(&document[..items]);
        serde_json::from_str(&format!("{text}]}}")).unwrap_or_default()
    }
}

/// What stands next among the fields of an object.
enum Field {
    /// A field whose value ends here.
    Value(usize),
    /// The field `items`: its list begins before this place.
    Items(usize),
    /// The object ends before this place.
    End(usize),
    /// Not all of it is in the buffer.
    Incomplete,
    /// It is no field.
    Wrong,
}

fn field(buffer: &[u8], at: usize) -> Field {
    let Some(mut start) = skip_space(buffer, at) else { return Field::Incomplete };
    if buffer[start] == b',' {
        let Some(next) = skip_space(buffer, start + 1) else { return Field::Incomplete };
        start = next;
    }
    match buffer[start] {
        b'}' => return Field::End(start + 1),
        b'"' => {}
        _ => return Field::Wrong,
    }
    let Some(key_end) = end_of_value(buffer, start) else { return Field::Incomplete };
    let Some(colon) = skip_space(buffer, key_end) else { return Field::Incomplete };
    if buffer[colon] != b':' {
        return Field::Wrong;
    }
    let Some(value) = skip_space(buffer, colon + 1) else { return Field::Incomplete };
    if &buffer[start..key_end] == b"\"items\"" && buffer[value] == b'[' {
        return Field::Items(value + 1);
    }
    end_of_value(buffer, value).map_or(Field::Incomplete, Field::Value)
}

fn skip_space(buffer: &[u8], at: usize) -> Option<usize> {
    buffer.get(at..)?.iter().position(|byte| !byte.is_ascii_whitespace()).map(|found| at + found)
}

/// Where the line ends that begins at `start`: after its line feed.
fn line_end(buffer: &[u8], start: usize, is_last: bool) -> Option<usize> {
    if start >= buffer.len() {
        return None;
    }
    let end = memchr::memchr(b'\n', &buffer[start..]).map(|found| start + found + 1);
    end.or(is_last.then_some(buffer.len()))
}

/// What ends an object that begins its line: a closing brace as far from the start of its line.
fn indentation(buffer: &[u8], start: usize) -> Option<Finder<'static>> {
    let line = buffer[..start].iter().rposition(|byte| *byte == b'\n')?;
    let before = &buffer[line + 1..start];
    // An object on one line has no such end.
    let is_indented = matches!(buffer.get(start + 1), Some(b'\n' | b'\r'));
    if !is_indented || before.iter().any(|byte| *byte != b' ') {
        return None;
    }
    let needle = [b"\n", before, b"}"].concat();
    Some(Finder::new(&needle).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits a text that comes in pieces of some length.
    fn split(text: &str, piece: usize, ends: Ends) -> Vec<String> {
        let mut splitter = Splitter::new(ends);
        let (mut buffer, mut seen) = (Vec::new(), Vec::new());
        let mut pieces = text.as_bytes().chunks(piece).peekable();
        while let Some(next) = pieces.next() {
            buffer.extend_from_slice(next);
            let found = splitter.split(&buffer, pieces.peek().is_none());
            for part in found.parts {
                let shown = |what: &str, range: Range<usize>| {
                    let text = String::from_utf8_lossy(&buffer[range]);
                    format!("{what} {}", text.split_whitespace().collect::<String>())
                };
                seen.push(match part {
                    Part::Document(range) => shown("document", range),
                    Part::Item(range) => shown("item", range),
                    Part::Line(range) => shown("line", range),
                    Part::Junk(range) => shown("junk", range),
                    Part::ListBegins(kind) => format!("begins {}/{}", kind.api_version, kind.kind),
                    Part::ListEnds(kind) => format!("ends {}/{}", kind.api_version, kind.kind),
                });
            }
            buffer.drain(..found.done);
        }
        assert!(buffer.is_empty() && splitter.is_between_documents(), "{buffer:?}");
        seen
    }

    #[test]
    fn objects_are_found_however_the_stream_is_cut() {
        let list = "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        {\n            \"a\": \"}\"\n        },\n        {\n            \"b\": [\n                {}\n            ]\n        }\n    ],\n    \"kind\": \"PodList\"\n}\n";
        let text = format!(
            "{list}{{\"kind\":\"Node\"}}\n==== START logs for container c of pod kube-system/karpenter-1 ====\n{{\"level\":1}}\n==== END logs for container c ====\n[{{\"x\":[1]}}, {{}}]{{\"kind\":\"List\",\"items\":[]}}"
        );
        let expected = [
            "begins v1/",
            "item {\"a\":\"}\"}",
            "item {\"b\":[{}]}",
            "ends v1/PodList",
            "document {\"kind\":\"Node\"}",
            "line {\"level\":1}",
            "begins /",
            "item {\"x\":[1]}",
            "item {}",
            "ends /",
            "begins /List",
            "ends /List",
        ];
        for ends in [Ends::Counted, Ends::Guessed] {
            for piece in [1, 7, 64, 10_000] {
                assert_eq!(split(&text, piece, ends), expected, "{piece} {ends:?}");
            }
        }
    }

    #[test]
    fn what_does_not_belong_there_is_a_line_of_its_own() {
        assert_eq!(
            split("{}\nwhat is this\n{\"a\": 1}", 5, Ends::Guessed),
            ["document {}", "junk whatisthis", "document {\"a\":1}"]
        );
    }
}
