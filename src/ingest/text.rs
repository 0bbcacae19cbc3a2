//! A text of any format: what it is shows in its first bytes.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::model::gap::{Gap, GapKind};

use super::collect::Collector;
use super::intern::Interner;
use super::yaml;

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON documents that follow one another.
    Json,
    /// YAML documents.
    Yaml,
    /// Lines of a log.
    Lines,
    /// Nothing but white space.
    Empty,
    /// A web page, as a login page that was saved by mistake.
    Html,
    /// Not text.
    Binary,
}

/// What a text is, by its beginning.
pub fn format_of(head: &[u8]) -> Format {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let Some(first) = text.first() else { return Format::Empty };
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match first {
        b'{' => return Format::Json,
        b'[' if !line.starts_with(b"[pod/") => return Format::Json,
        b'<' => return Format::Html,
        _ => {}
    }
    if text.iter().take(512).any(|byte| *byte == 0) {
        return Format::Binary;
    }
    let is_yaml = text.split(|byte| *byte == b'\n').take(200).any(|line| {
        [&b"apiVersion:"[..], b"kind:", b"---", b"metadata:", b"items:", b"- apiVersion:"]
            .iter()
            .any(|start| line.starts_with(start))
    });
    // A log may quote YAML, but not at the start of its first line.
    if is_yaml && !line.contains(&b'{') && !line.contains(&b'\t') && !is_klog(line) {
        return Format::Yaml;
    }
    Format::Lines
}

fn is_klog(line: &[u8]) -> bool {
    matches!(line, [b'I' | b'W' | b'E' | b'F', day @ ..] if day.len() > 4 && day[..4].iter().all(u8::is_ascii_digit))
}

impl Collector {
    /// Reads a text of any format. `origin` names the file for what cannot be read.
    pub fn text(&mut self, text: &[u8], origin: &str) {
        let text = decoded(text);
        match format_of(&text) {
            Format::Json => self.json(&text, origin),
            Format::Yaml => self.yaml(&String::from_utf8_lossy(&text), origin),
            Format::Lines => self.lines(&text, origin),
            Format::Empty => self.damaged(origin, "it is empty"),
            Format::Html => self.damaged(origin, "it is an HTML or XML page"),
            Format::Binary => self.damaged(origin, "it is not text"),
        }
    }

    /// Reads JSON documents that follow one another. After a broken one, reading goes on at the next line that begins
    /// a document.
    pub fn json(&mut self, json: &[u8], origin: &str) {
        let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
        let mut interner = Interner::default();
        let mut rest = json;
        loop {
            let mut documents = serde_json::Deserializer::from_slice(rest).into_iter::<&RawValue>();
            let error = loop {
                match documents.next() {
                    None => return,
                    Some(Err(error)) => break error,
                    Some(Ok(document)) => {
                        let document = document.get().as_bytes();
                        if let Err(error) = self.document(document, origin, &mut interner) {
                            self.damaged(origin, &format!("not readable as JSON: {error}"));
                        }
                    }
                }
            };
            let broken = documents.byte_offset();
            self.broken(&rest[broken..], &error, origin);
            let Some(next) = next_document(&rest[broken..]) else { return };
            rest = &rest[broken + next..];
        }
    }

    /// Notes where documents end too early or something else stands between them.
    fn broken(&mut self, rest: &[u8], error: &serde_json::Error, origin: &str) {
        let text = String::from_utf8_lossy(rest.trim_ascii_start().get(..60).unwrap_or(rest));
        // `kubectl cluster-info dump` writes logs between its documents.
        if text.starts_with("==== START logs") {
            return;
        }
        if error.is_eof() {
            self.damaged(origin, "it ends in the middle of an object: the file is cut off");
        } else {
            let first = text.lines().next().unwrap_or_default();
            self.damaged(origin, &format!("not readable as JSON at {first:?}: {error}"));
        }
    }

    fn yaml(&mut self, text: &str, origin: &str) {
        let mut interner = Interner::default();
        for document in yaml::documents(text) {
            let read = match &document {
                Ok(json) => self
                    .document(json, origin, &mut interner)
                    .map_err(|error| format!("not readable as an object: {error}")),
                Err(error) => Err(format!("not readable as YAML: {error}")),
            };
            if let Err(detail) = read {
                self.damaged(origin, &detail);
            }
        }
    }

    /// Reads lines of a log, or JSON after lines that a shell has put before it.
    fn lines(&mut self, text: &[u8], origin: &str) {
        let mut known = false;
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            // A component's log without a line that tells of a decision is no damage.
            known |= is_klog(line);
            known |= self.line(&String::from_utf8_lossy(line));
            if !known && index < 100 && matches!(line.first(), Some(b'{' | b'[')) {
                let start = line.as_ptr() as usize - text.as_ptr() as usize;
                return self.json(&text[start..], origin);
            }
        }
        if known {
            self.found = true;
        } else {
            self.damaged(origin, "it is neither JSON nor YAML nor a log that is known");
        }
    }

    /// Notes that a file is damaged.
    pub fn damaged(&mut self, origin: &str, detail: &str) {
        self.gap(Gap::new(GapKind::Damaged, origin, detail));
    }
}

/// Where, after something broken, a line begins the next document.
fn next_document(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += rest[at..].iter().position(|byte| *byte == b'\n')? + 1;
        if rest[at..].first() == Some(&b'{') {
            return Some(at);
        }
    }
}

/// UTF-16, as PowerShell writes it, becomes UTF-8.
fn decoded(text: &[u8]) -> Cow<'_, [u8]> {
    let units = |from_bytes: fn([u8; 2]) -> u16, text: &[u8]| {
        let units = text.chunks_exact(2).map(|pair| from_bytes([pair[0], pair[1]]));
        let text: String = char::decode_utf16(units)
            .map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        Cow::Owned(text.into_bytes())
    };
    match text {
        [0xff, 0xfe, text @ ..] => units(u16::from_le_bytes, text),
        [0xfe, 0xff, text @ ..] => units(u16::from_be_bytes, text),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_tells_the_format() {
        for (text, expected) in [
            (" \n{\"a\": 1}", Format::Json),
            ("\u{feff}[]", Format::Json),
            ("apiVersion: v1\nkind: Pod\n", Format::Yaml),
            ("# made by hand\n---\nkind: Pod\n", Format::Yaml),
            ("I1201 05:27:54.1 1 a.go:1] \"x\"\nkind: y\n", Format::Lines),
            ("[pod/karpenter-1/controller] {\"level\":\"INFO\"}", Format::Lines),
            ("Switched to context x.\n{\"kind\": \"List\"}", Format::Lines),
            ("<!DOCTYPE html>", Format::Html),
            (" \n ", Format::Empty),
            ("a\0b", Format::Binary),
        ] {
            assert_eq!(format_of(text.as_bytes()), expected, "{text}");
        }
    }
}
