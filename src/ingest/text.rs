//! A text of any format: what it is shows in its first bytes.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::mem;

use serde_json::Value;

use crate::model::gap::{Gap, GapKind};

use super::collect::Collector;
use super::document::NO_UTF_8;
use super::intern::Interner;
use super::recording::is_recording;
use super::split::Ends;
use super::{stream, yaml};

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

/// The longest line of a log that is read.
const LONGEST_LINE: u64 = 16 << 20;

/// The largest text that is read whole: YAML, and UTF-16.
const LARGEST_TEXT: u64 = 1 << 30;

impl Collector {
    /// Reads a text of any format. `origin` names the file for what cannot be read.
    pub fn text(&mut self, text: &[u8], origin: &str) {
        if is_recording(text) {
            return self.recording(text, origin);
        }
        let damage = match self.text_from(&mut &*text, origin, 1) {
            Ok(true) => return,
            Ok(false) if text.trim_ascii().is_empty() => "it is empty".to_owned(),
            Ok(false) => "it is neither JSON nor YAML nor a log that is known".to_owned(),
            Err(error) => error.to_string(),
        };
        self.damaged(origin, &damage);
    }

    /// Reads JSON documents that follow one another.
    pub fn json(&mut self, json: &[u8], origin: &str) {
        // A slice gives no errors.
        if let Ok((collector, _)) = stream::read(&mut &*json, origin, Ends::Counted, 1) {
            self.absorb(collector);
        }
    }

    /// Reads a stream of text of any format; `false`: it is of none that is known.
    pub fn text_from(
        &mut self,
        text: &mut dyn Read,
        origin: &str,
        threads: usize,
    ) -> io::Result<bool> {
        let mut head = Vec::new();
        text.take(1 << 16).read_to_end(&mut head)?;
        if matches!(*head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            text.take(LARGEST_TEXT).read_to_end(&mut head)?;
            self.told_if_cut(&head, origin);
            let text = from_utf16(&head);
            return self.text_from(&mut text.as_bytes(), origin, threads);
        }
        let format = match format_of(&head) {
            Format::Lines if is_called_yaml(origin) => Format::Yaml,
            format => format,
        };
        let mut whole = Cursor::new(head).chain(text);
        match format {
            Format::Json => {
                let (collector, _) = stream::read(&mut whole, origin, Ends::Counted, threads)?;
                self.absorb(collector);
                Ok(true)
            }
            Format::Yaml => {
                let mut text = Vec::new();
                whole.take(LARGEST_TEXT).read_to_end(&mut text)?;
                self.told_if_cut(&text, origin);
                let text = self.utf8(&text, origin);
                self.yaml(&text, origin);
                Ok(true)
            }
            Format::Lines => self.lines(BufReader::new(whole), origin, threads),
            Format::Empty | Format::Html | Format::Binary => Ok(false),
        }
    }

    /// Text as it can be read; what is no UTF-8 in it is told.
    pub(super) fn utf8<'t>(&mut self, text: &'t [u8], origin: &str) -> Cow<'t, str> {
        let text = String::from_utf8_lossy(text);
        if matches!(text, Cow::Owned(_)) {
            let gap = Gap::new(GapKind::Damaged, origin, NO_UTF_8);
            // Once, also for a log with many such lines.
            if self.snapshot.gaps.last() != Some(&gap) {
                self.gap(gap);
            }
        }
        text
    }

    /// Says that a text was longer than what is read of one.
    fn told_if_cut(&mut self, text: &[u8], origin: &str) {
        if text.len() as u64 >= LARGEST_TEXT {
            let detail = format!("only its first {} MiB are read", LARGEST_TEXT >> 20);
            self.damaged(origin, &detail);
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
    fn lines(&mut self, mut text: impl BufRead, origin: &str, threads: usize) -> io::Result<bool> {
        let (mut known, mut line) = (false, Vec::new());
        for number in 0_usize.. {
            line.clear();
            (&mut text).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                break;
            }
            if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
                self.damaged(
                    origin,
                    &format!("it has a line longer than {} MiB", LONGEST_LINE >> 20),
                );
                return Ok(true);
            }
            if !known && number < 100 && starts_json(&line) {
                let mut rest = Cursor::new(mem::take(&mut line)).chain(text);
                let (collector, _) = stream::read(&mut rest, origin, Ends::Counted, threads)?;
                self.absorb(collector);
                return Ok(true);
            }
            // A component's log without a line that tells of a decision is no damage.
            known |= is_klog(&line);
            let text = self.utf8(&line, origin);
            known |= self.line(&text);
        }
        self.found |= known;
        Ok(known)
    }

    /// Takes what a troubleshoot bundle could not collect: a list of messages, or messages by what they are about.
    pub fn errors_of_a_bundle(&mut self, json: &[u8], origin: &str) {
        let name = origin.rsplit('/').next().unwrap_or(origin);
        let subject = name.trim_end_matches("-errors.json");
        let messages: Vec<String> = match serde_json::from_slice(json) {
            Ok(Value::Array(list)) => {
                list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            Ok(Value::Object(map)) => {
                map.iter().map(|(about, message)| format!("{about}: {message}")).collect()
            }
            _ => Vec::new(),
        };
        for message in messages {
            self.gap(Gap::new(GapKind::Forbidden, subject, format!("not collected: {message}")));
        }
    }

    /// Notes that a file is damaged.
    pub fn damaged(&mut self, origin: &str, detail: &str) {
        self.gap(Gap::new(GapKind::Damaged, origin, detail));
    }
}

fn is_called_yaml(name: &str) -> bool {
    let plain = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    [".yaml", ".yml"].iter().any(|end| plain.ends_with(end))
}

fn starts_json(line: &[u8]) -> bool {
    line.starts_with(b"{") || (line.starts_with(b"[") && !line.starts_with(b"[pod/"))
}

/// UTF-16, as PowerShell writes it.
fn from_utf16(text: &[u8]) -> String {
    let is_little = text.starts_with(&[0xff, 0xfe]);
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    let units = text[2..].chunks_exact(2).map(unit);
    char::decode_utf16(units).map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
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
