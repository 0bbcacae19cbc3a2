//! YAML becomes JSON, document by document, so that there is one way into the model. No tree is built.

use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};
use serde_json::Value;

use super::scalar::{Scalar, resolve};

/// How deep values may stand in each other; Kubernetes objects stay below forty.
const DEEPEST: usize = 120;

/// Why a YAML document could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct YamlError {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// The documents of a YAML text, each as JSON. After a broken one, reading goes on at the next `---`.
pub struct Documents<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// Bytes that may still be kept for aliases, and that aliases may stand for: a few lines can stand for billions.
    budget: usize,
    is_over: bool,
}

/// Reads a YAML text; JSON is YAML too.
pub fn documents(text: &str) -> Documents<'_> {
    let text = text.trim_start_matches('\u{feff}');
    Documents {
        parser: Parser::new_from_str(text),
        budget: text.len().saturating_mul(8).saturating_add(1 << 20),
        is_over: false,
    }
}

impl Iterator for Documents<'_> {
    type Item = Result<Vec<u8>, YamlError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            match self.document() {
                Ok(Some(json)) if json == b"null" => {}
                Ok(Some(json)) => return Some(Ok(json)),
                Ok(None) => break,
                Err(error) => {
                    self.is_over = self.budget == 0
                        || !matches!(self.parser.proceed_next_document(), Ok(true));
                    return Some(Err(error));
                }
            }
        }
        self.is_over = true;
        None
    }
}

/// A list or map that is being written.
struct Open {
    /// Where it begins in the output.
    start: usize,
    anchor: usize,
    is_map: bool,
    /// Values so far; in a map, keys count too.
    count: usize,
    has_merge: bool,
}

impl Documents<'_> {
    fn document(&mut self) -> Result<Option<Vec<u8>>, YamlError> {
        let mut writer = Writer::default();
        let budget = &mut self.budget;
        loop {
            let Some(next) = self.parser.next_event() else {
                return if writer.open.is_empty() { Ok(None) } else { Err(unfinished()) };
            };
            let (event, span) = next.map_err(|error| scan_error(&error))?;
            match event {
                Event::StreamEnd if writer.open.is_empty() => return Ok(None),
                Event::StreamEnd => return Err(unfinished()),
                Event::DocumentEnd => {
                    return Ok(Some(if writer.json.is_empty() {
                        b"null".to_vec()
                    } else {
                        writer.json
                    }));
                }
                Event::Scalar(text, style, anchor, tag) => {
                    let tag = tag.as_deref().and_then(|tag| tag.core_suffix().map(str::to_owned));
                    let is_plain = style == ScalarStyle::Plain;
                    writer.scalar(&text, is_plain, tag.as_deref());
                    writer.remember(anchor, budget, span)?;
                }
                Event::SequenceStart(_, anchor, _) => writer.begin(false, anchor, span)?,
                Event::MappingStart(_, anchor, _) => writer.begin(true, anchor, span)?,
                Event::SequenceEnd | Event::MappingEnd => {
                    let anchor = writer.end();
                    writer.remember(anchor, budget, span)?;
                }
                Event::Alias(anchor) => writer.alias(anchor, budget, span)?,
                _ => {}
            }
        }
    }
}

#[derive(Default)]
struct Writer {
    json: Vec<u8>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Vec<u8>>,
    /// Where the value begins that was written last.
    last: usize,
}

impl Writer {
    /// What must stand before the next value; whether that value is a key.
    fn separate(&mut self) -> bool {
        let Some(open) = self.open.last_mut() else { return false };
        let is_key = open.is_map && open.count.is_multiple_of(2);
        if open.is_map && !is_key {
            self.json.push(b':');
        } else if open.count > 0 {
            self.json.push(b',');
        }
        open.count += 1;
        is_key
    }

    fn scalar(&mut self, text: &str, is_plain: bool, tag: Option<&str>) {
        let is_key = self.separate();
        self.last = self.json.len();
        if is_key
            && text == "<<"
            && is_plain
            && let Some(open) = self.open.last_mut()
        {
            open.has_merge = true;
        }
        let meaning = if is_key { Scalar::Text } else { resolve(text, is_plain, tag) };
        match meaning {
            Scalar::Null => self.json.extend(b"null"),
            Scalar::Bool(true) => self.json.extend(b"true"),
            Scalar::Bool(false) => self.json.extend(b"false"),
            Scalar::Number(number) => self.json.extend(number.to_string().bytes()),
            Scalar::Text => self.json.extend(Value::from(text).to_string().bytes()),
        }
    }

    fn begin(&mut self, is_map: bool, anchor: usize, span: Span) -> Result<(), YamlError> {
        if self.separate() {
            return Err(at(span, "a key must be text"));
        }
        if self.open.len() >= DEEPEST {
            return Err(at(span, "values stand too deep in each other"));
        }
        let start = self.json.len();
        self.json.push(if is_map { b'{' } else { b'[' });
        self.open.push(Open { start, anchor, is_map, count: 0, has_merge: false });
        Ok(())
    }

    /// Ends a list or a map; its anchor.
    fn end(&mut self) -> usize {
        let Some(open) = self.open.pop() else { return 0 };
        self.json.push(if open.is_map { b'}' } else { b']' });
        if open.has_merge {
            self.merge(open.start);
        }
        self.last = open.start;
        open.anchor
    }

    /// Puts the fields of `<<` into the map that begins at `start`; its own fields come first.
    fn merge(&mut self, start: usize) {
        let Ok(Value::Object(mut map)) = serde_json::from_slice(&self.json[start..]) else {
            return;
        };
        let sources = match map.remove("<<") {
            Some(Value::Array(sources)) => sources,
            Some(source) => vec![source],
            None => Vec::new(),
        };
        for source in sources {
            if let Value::Object(fields) = source {
                for (key, value) in fields {
                    map.entry(key).or_insert(value);
                }
            }
        }
        self.json.truncate(start);
        self.json.extend(Value::Object(map).to_string().bytes());
    }

    /// Keeps the value that was written last for aliases.
    fn remember(&mut self, anchor: usize, budget: &mut usize, span: Span) -> Result<(), YamlError> {
        if anchor != 0 {
            let json = &self.json[self.last..];
            spend(json.len(), budget, span)?;
            self.anchors.insert(anchor, json.to_vec());
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, budget: &mut usize, span: Span) -> Result<(), YamlError> {
        let Some(json) = self.anchors.get(&anchor).cloned() else {
            return Err(at(span, "an alias inside what it stands for"));
        };
        spend(json.len(), budget, span)?;
        if self.separate() && json.first() != Some(&b'"') {
            return Err(at(span, "a key must be text"));
        }
        self.json.extend(json);
        Ok(())
    }
}

fn spend(bytes: usize, budget: &mut usize, span: Span) -> Result<(), YamlError> {
    if bytes > *budget {
        *budget = 0;
        return Err(at(span, "aliases stand for more than a dump can hold"));
    }
    *budget -= bytes;
    Ok(())
}

fn unfinished() -> YamlError {
    YamlError { line: 0, column: 0, message: "the text ends in the middle of a value".into() }
}

fn at(span: Span, message: &str) -> YamlError {
    YamlError {
        line: span.start.line().max(1),
        column: span.start.col() + 1,
        message: message.to_owned(),
    }
}

fn scan_error(error: &ScanError) -> YamlError {
    let marker = error.marker();
    YamlError {
        line: marker.line().max(1),
        column: marker.col() + 1,
        message: error.info().to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Result<String, String>> {
        let json = |json: Vec<u8>| String::from_utf8_lossy(&json).into_owned();
        documents(text).map(|read| read.map(json).map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn documents_become_json() {
        let text = "# a comment\na: 1\nb:\n- x\n- 'y: z'\nc: {d: [], e: ~}\n---\n---\nkind: List\nitems:\n- |\n  two\n  lines\n";
        assert_eq!(
            all(text),
            [
                Ok(r#"{"a":1,"b":["x","y: z"],"c":{"d":[],"e":null}}"#.to_owned()),
                Ok(r#"{"kind":"List","items":["two\nlines\n"]}"#.to_owned())
            ]
        );
    }

    #[test]
    fn aliases_and_merges_stand_for_what_they_name() {
        let read = all("base: &b {a: 1, b: 2}\nown:\n  <<: *b\n  b: 3\nagain: *b\n");
        assert_eq!(
            read,
            [Ok(r#"{"base":{"a":1,"b":2},"own":{"a":1,"b":3},"again":{"a":1,"b":2}}"#.to_owned())]
        );
    }

    #[test]
    fn a_broken_document_gives_its_line_and_the_next_is_still_read() {
        let read = all("kind: A\n---\nspec: [1, 2\nmore: 3\n---\nkind: C\n");
        assert_eq!(read[0], Ok(r#"{"kind":"A"}"#.to_owned()));
        assert!(read[1].as_ref().is_err_and(|error| error.starts_with("line ")), "{read:?}");
        assert_eq!(read[2], Ok(r#"{"kind":"C"}"#.to_owned()));
    }

    #[test]
    fn bombs_are_refused() {
        let mut text = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for level in 1..12 {
            let below = format!("*a{},", level - 1).repeat(10);
            text += &format!("a{level}: &a{level} [{below}]\n");
        }
        assert!(all(&text)[0].as_ref().is_err_and(|error| error.contains("aliases stand for")));
        // Each of the anchors is kept, with all that is below it.
        let nested = (0..100)
            .flat_map(|level| ["&a".to_owned(), level.to_string(), " [".to_owned()])
            .collect::<String>();
        let kept = format!("{nested}{}{}", "x,".repeat(1 << 20), "]".repeat(100));
        assert!(all(&kept)[0].as_ref().is_err_and(|error| error.contains("aliases stand for")));
        let deep = "[".repeat(100_000);
        assert!(all(&deep)[0].is_err());
    }
}
