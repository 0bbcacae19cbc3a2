//! YAML: the contract, in the order of the JSON and in kubectl's layout.
//!
//! Written here, not by a library, since nothing that a terminal would obey may get through, and fields keep their order.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{json, text};
use crate::report::Report;

/// The report as YAML.
pub(crate) fn render(report: &Report) -> String {
    of_json(&json::render(report))
}

/// A document that was just written as JSON, as YAML.
pub(crate) fn of_json(json: &str) -> String {
    let document: Node = serde_json::from_str(json).expect("what was just written can be read");
    let mut yaml = String::new();
    document.write_fields(&mut yaml, 0, true);
    yaml
}

/// A value whose fields keep their order, as a `serde_json::Value` does not.
enum Node {
    /// `null`, a number, a truth value.
    Bare(String),
    Text(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

impl Node {
    /// Writes what stands after `key:` or `- `, with the line break.
    fn write(&self, yaml: &mut String, depth: usize) {
        match self {
            Self::Bare(word) => *yaml += &format!(" {word}\n"),
            Self::Text(text) if is_block(text) => {
                *yaml += " |-\n";
                for line in text.lines() {
                    *yaml += &format!("{}{line}\n", "  ".repeat(depth));
                }
            }
            Self::Text(text) => *yaml += &format!(" {}\n", scalar(text)),
            Self::List(items) if items.is_empty() => *yaml += " []\n",
            Self::Map(fields) if fields.is_empty() => *yaml += " {}\n",
            Self::List(items) => {
                yaml.push('\n');
                for item in items {
                    // As kubectl: a list's dashes stand under its key.
                    let margin = "  ".repeat(depth - 1);
                    *yaml += &format!("{margin}-");
                    match item {
                        Self::Map(fields) if !fields.is_empty() => {
                            yaml.push(' ');
                            item.write_fields(yaml, depth, false);
                        }
                        _ => item.write(yaml, depth),
                    }
                }
            }
            Self::Map(_) => {
                yaml.push('\n');
                self.write_fields(yaml, depth, true);
            }
        }
    }

    /// Writes the fields of a map; the first one's margin may be there already.
    fn write_fields(&self, yaml: &mut String, depth: usize, with_first_margin: bool) {
        let Self::Map(fields) = self else { return };
        for (index, (key, value)) in fields.iter().enumerate() {
            if index > 0 || with_first_margin {
                *yaml += &"  ".repeat(depth);
            }
            *yaml += &format!("{}:", scalar(key));
            value.write(yaml, depth + 1);
        }
    }
}

/// Whether a text reads best over several lines.
fn is_block(text: &str) -> bool {
    let plain = |c: char| c == '\n' || !text::is_obeyed(c);
    let lines_end_well = || text.lines().all(|line| !line.ends_with(' ') && !line.is_empty());
    text.contains('\n')
        && !text.ends_with('\n')
        && !text.starts_with(' ')
        && text.chars().all(plain)
        && lines_end_well()
}

/// A text in one line: as it is where nothing else can be read into it, else in quotes.
fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { json::quoted(text) }
}

fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let Some(first) = text.chars().next() else { return false };
    let is_quantity = || {
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
        !unit.is_empty() && unit.chars().all(|c| "mkMGTPEi".contains(c))
    };
    let is_inner = |c: char| c.is_ascii_alphanumeric() || " _./()@+=-'[]:".contains(c);
    let starts_well = first.is_ascii_alphabetic() || first.is_ascii_digit() && is_quantity();
    starts_well
        && text.chars().all(is_inner)
        && !text.contains(": ")
        && !text.ends_with([':', ' '])
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Bare("null".to_owned()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bare(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Bare(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Bare(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Bare(format!("{value:?}")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Node::Map(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_read_as_something_else_stands_in_quotes() {
        for (text, expected) in [
            ("web-0", "web-0"),
            ("500m", "500m"),
            ("8Gi", "8Gi"),
            ("8", "\"8\""),
            ("1e3", "\"1e3\""),
            ("0x10", "\"0x10\""),
            ("Yes", "\"Yes\""),
            ("2026-12-01T05:28:00Z", "\"2026-12-01T05:28:00Z\""),
            ("a: b", "\"a: b\""),
            ("a #b", "\"a #b\""),
            ("- a", "\"- a\""),
            ("", "\"\""),
            ("say \"x\"", "\"say \\\"x\\\"\""),
            ("\u{1b}[2J", "\"\\u001b[2J\""),
        ] {
            assert_eq!(scalar(text), expected, "{text:?}");
        }
    }
}
