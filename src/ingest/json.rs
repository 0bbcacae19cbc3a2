//! A JSON reader made for skipping: most of what an API server says of an object is not kept.
//!
//! It is lenient where strictness costs time: what is skipped is only balanced, not checked. Whatever it refuses, the
//! caller hands to `serde_json`, which has the last word and the words of the error.

use memchr::memmem;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::wire::ONLY_WITH;

/// How deep values may stand in each other.
const DEEPEST: u16 = 128;

/// Reads a value from text that is exactly one JSON value.
pub(crate) fn from_str<'de, T: de::Deserialize<'de>>(text: &'de str) -> Result<T, Refused> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, depth: 0 };
    let value = T::deserialize(&mut reader)?;
    reader.skip_space();
    if reader.at == text.len() { Ok(value) } else { Err(Refused) }
}

/// Why: `serde_json` says it better.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not readable")]
pub(crate) struct Refused;

impl de::Error for Refused {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Where the value that begins at or after `from` ends. `None`: not within the bytes. Brackets are counted outside of
/// strings, nothing else is checked.
pub(crate) fn end_of_value(bytes: &[u8], from: usize) -> Option<usize> {
    let start = from + bytes.get(from..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
    match bytes[start] {
        b'"' => end_of_string(bytes, start + 1),
        open @ (b'{' | b'[') => end_of_nest(bytes, start + 1, open),
        _ => {
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",]}".contains(byte);
            bytes[start..].iter().position(is_end).map(|length| start + length)
        }
    }
}

/// Where a string ends that begins before `at`: after its closing quote.
fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Where an object or list ends whose opening bracket stands before `at`. Brackets of the other kind need no counting.
fn end_of_nest(bytes: &[u8], mut at: usize, open: u8) -> Option<usize> {
    let close = open + 2;
    let mut depth = 1_usize;
    loop {
        at += memchr::memchr3(b'"', open, close, bytes.get(at..)?)?;
        let found = bytes[at];
        at += 1;
        if found == b'"' {
            at = end_of_string(bytes, at)?;
        } else if found == open {
            depth += 1;
        } else {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
}

/// Whether an object tells its kind; looks no further than to the first field that does.
pub(crate) fn has_kind(bytes: &[u8]) -> bool {
    let tells = |text: &str| head(text, false).is_some_and(|head| !head.1.is_empty());
    // Nearly always it stands right at the beginning: the rest need not even be text.
    let start = bytes[..bytes.len().min(256)].utf8_chunks().next();
    start.is_some_and(|start| tells(start.valid())) || std::str::from_utf8(bytes).is_ok_and(tells)
}

/// `apiVersion` and `kind` of an object; read no further than needed. `is_listed`: when the object's first field is
/// neither, its list tells them. `None`: it is no object, or one of them holds escapes.
pub(crate) fn head(text: &str, is_listed: bool) -> Option<(&str, &str)> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, depth: 0 };
    let (mut version, mut kind) = ("", "");
    if reader.peek().ok()? != b'{' {
        return None;
    }
    reader.enter().ok()?;
    let mut is_first = true;
    while reader.has_next(b'}', is_first).ok()? {
        if reader.peek().ok()? != b'"' {
            return None;
        }
        let (key, _) = reader.string().ok()?;
        if reader.peek().ok()? != b':' {
            return None;
        }
        reader.at += 1;
        let is_text = reader.peek().ok()? == b'"';
        match key {
            "apiVersion" | "kind" if is_text => {
                let (value, false) = reader.string().ok()? else { return None };
                *(if key == "kind" { &mut kind } else { &mut version }) = value;
                if !kind.is_empty() && !version.is_empty() {
                    break;
                }
            }
            _ if is_first && is_listed => break,
            _ => reader.at = end_of_value(reader.bytes, reader.at)?,
        }
        is_first = false;
    }
    Some((version, kind))
}

struct Reader<'de> {
    text: &'de str,
    bytes: &'de [u8],
    at: usize,
    depth: u16,
}

impl<'de> Reader<'de> {
    fn skip_space(&mut self) {
        // Indented text has long runs of spaces.
        while let Some(eight) = self.bytes.get(self.at..self.at + 8) {
            if eight != b"        " {
                break;
            }
            self.at += 8;
        }
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b"        ") = self.bytes.get(self.at..self.at + 8) {
                self.at += 8;
            }
        }
    }

    /// The next byte that is not white space, still to be read.
    fn peek(&mut self) -> Result<u8, Refused> {
        self.skip_space();
        self.bytes.get(self.at).copied().ok_or(Refused)
    }

    fn word(&mut self, word: &str) -> Result<(), Refused> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(Refused);
        }
        self.at += word.len();
        Ok(())
    }

    /// The string at whose opening quote the reader stands: its raw text, and whether it holds escapes.
    fn string(&mut self) -> Result<(&'de str, bool), Refused> {
        let start = self.at + 1;
        let mut at = start;
        let mut has_escapes = false;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escapes = true;
                    at += 2;
                }
                Some(_) => {
                    // Most strings are short: a look at each byte is quicker than a search.
                    at += 1;
                    if at - start == 32 {
                        let rest = self.bytes.get(at..).ok_or(Refused)?;
                        at += memchr::memchr2(b'"', b'\\', rest).ok_or(Refused)?;
                    }
                }
                None => return Err(Refused),
            }
        }
        self.at = at + 1;
        Ok((self.text.get(start..at).ok_or(Refused)?, has_escapes))
    }

    fn visit_string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Refused> {
        let start = self.at;
        if let (text, false) = self.string()? {
            return visitor.visit_borrowed_str(text);
        }
        let quoted = self.text.get(start..self.at).ok_or(Refused)?;
        visitor.visit_string(serde_json::from_str(quoted).map_err(|_| Refused)?)
    }

    fn visit_number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Refused> {
        let rest = &self.text[self.at..];
        let is_end = |c: char| !(c.is_ascii_digit() || "+-.eE".contains(c));
        let number = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        self.at += number.len();
        if let Ok(integer) = number.parse::<i64>() {
            return visitor.visit_i64(integer);
        }
        if let Ok(integer) = number.parse::<u64>() {
            return visitor.visit_u64(integer);
        }
        visitor.visit_f64(serde_json::from_str(number).map_err(|_| Refused)?)
    }

    fn enter(&mut self) -> Result<(), Refused> {
        self.at += 1;
        self.depth += 1;
        if self.depth > DEEPEST { Err(Refused) } else { Ok(()) }
    }

    /// Steps to the next element of a list or object: over the comma, or over the end.
    fn has_next(&mut self, close: u8, is_first: bool) -> Result<bool, Refused> {
        let next = self.peek()?;
        if next == close {
            self.at += 1;
            self.depth -= 1;
            return Ok(false);
        }
        if is_first {
            return Ok(true);
        }
        if next != b',' {
            return Err(Refused);
        }
        self.at += 1;
        Ok(true)
    }
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.peek()? {
            b'"' => self.visit_string(visitor),
            b'{' => {
                self.enter()?;
                visitor.visit_map(Elements { reader: self, is_first: true })
            }
            b'[' => {
                self.enter()?;
                visitor.visit_seq(Elements { reader: self, is_first: true })
            }
            b't' => {
                self.word("true")?;
                visitor.visit_bool(true)
            }
            b'f' => {
                self.word("false")?;
                visitor.visit_bool(false)
            }
            b'n' => {
                self.word("null")?;
                visitor.visit_unit()
            }
            b'-' | b'0'..=b'9' => self.visit_number(visitor),
            _ => Err(Refused),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.peek()? == b'n' {
            self.word("null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    /// A struct of `null` has no fields, as in Go.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        if self.peek()? == b'n' {
            self.word("null")?;
            return visitor.visit_map(Nothing);
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        if let Some(word) = name.strip_prefix(ONLY_WITH) {
            self.peek()?;
            let end = end_of_value(self.bytes, self.at).ok_or(Refused)?;
            let value = &self.bytes[self.at..end];
            // An escape may stand for a letter of the word.
            if memmem::find(value, word.as_bytes()).is_none()
                && memchr::memchr(b'\\', value).is_none()
            {
                self.at = end;
                return visitor.visit_unit();
            }
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.at = end_of_value(self.bytes, self.at).ok_or(Refused)?;
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map enum identifier
    }
}

/// The elements of a list, or the fields of an object.
struct Elements<'a, 'de> {
    reader: &'a mut Reader<'de>,
    is_first: bool,
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refused> {
        if !self.reader.has_next(b']', self.is_first)? {
            return Ok(None);
        }
        self.is_first = false;
        seed.deserialize(&mut *self.reader).map(Some)
    }
}

impl<'de> MapAccess<'de> for Elements<'_, 'de> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        if !self.reader.has_next(b'}', self.is_first)? {
            return Ok(None);
        }
        self.is_first = false;
        if self.reader.peek()? != b'"' {
            return Err(Refused);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        if self.reader.peek()? != b':' {
            return Err(Refused);
        }
        self.reader.at += 1;
        seed.deserialize(&mut *self.reader)
    }
}

/// The fields of nothing.
struct Nothing;

impl<'de> MapAccess<'de> for Nothing {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        _: K,
    ) -> Result<Option<K::Value>, Refused> {
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, _: V) -> Result<V::Value, Refused> {
        Err(Refused)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::ingest::wire::{Rare, Word};

    #[test]
    fn values_are_read_as_serde_json_reads_them() {
        for text in [
            r#"{"a":1,"b":[true,false,null],"c":{"d":"x\n\u00e9\"y"},"e":-1.5e3,"f":18446744073709551615}"#,
            " [ ] ",
            "{\n        \"a\" : \"ünï\"\n                }",
            "\"\"",
            "\"a string that is longer than thirty-two bytes, with an \\\\ escape\"",
        ] {
            let expected: Value = serde_json::from_str(text).expect(text);
            assert_eq!(from_str::<Value>(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_one_value_is_refused() {
        for text in ["", "{", "[1,", "{\"a\"}", "{\"a\":1}}", "{\"a\":1} x", "\"a", "tru", "{a:1}"]
        {
            assert_eq!(from_str::<Value>(text), Err(Refused), "{text}");
        }
        assert_eq!(from_str::<Value>(&"[".repeat(100_000)), Err(Refused));
    }

    #[test]
    fn a_list_that_cannot_matter_is_stepped_over() {
        #[derive(Debug)]
        struct Limits;
        impl Word for Limits {
            const NAME: &'static str = "landed/only with limits";
        }
        #[derive(Debug, Default, serde::Deserialize)]
        #[serde(default)]
        struct Holder {
            list: Rare<Value, Limits>,
            after: i64,
        }
        for (list, expected) in [
            (r#"[{"a": "]"}, {"b": 1}]"#, 0),
            (r#"[{"limits": 1}, {"b": 1}]"#, 2),
            (r#"[{"l\u0069mits": 1}]"#, 1),
            ("null", 0),
        ] {
            let text = format!("{{\"list\": {list}, \"after\": 7}}");
            let read = from_str::<Holder>(&text).expect(list);
            assert_eq!((read.list.0.len(), read.after), (expected, 7), "{list}");
            let strictly: Holder = serde_json::from_str(&text).expect(list);
            assert!(strictly.list.0.len() >= expected, "{list}");
        }
    }

    #[test]
    fn skipping_is_exact_over_strings_and_nests() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Kept {
            kept: i64,
        }
        let text =
            json!({"a": {"}": ["{", "\\\"]", {"x": "]"}]}, "b": "\\", "kept": 7, "z": [[], {}]});
        assert_eq!(from_str::<Kept>(&text.to_string()), Ok(Kept { kept: 7 }));
        assert_eq!(from_str::<Kept>(&format!("{text:#}")), Ok(Kept { kept: 7 }));
        assert_eq!(end_of_value(b" {\"a\": \"}\"} ,", 0), Some(11));
        assert_eq!(end_of_value(b"{\"a\": \"}\"", 0), None);
    }
}
