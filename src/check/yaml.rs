//! Reads YAML, and JSON as the YAML that it is, into [`Tree`]s; what is broken gives its line and does not hide the rest.

use std::collections::BTreeMap;

use granit_parser::{Event, Options, Parser, Placement, ScalarStyle, ScanError, Span, StrInput};

use super::position::Position;
use super::tree::{Content, Entry, Tree};
use crate::ingest::scalar::{self, Scalar};

/// Values that aliases may stand for beyond what the text itself holds: a few lines can stand for billions.
const MOST_REPEATED: usize = 200_000;

/// How deep values may stand in each other; Kubernetes objects stay below forty.
const DEEPEST: usize = 120;

/// Broken documents of a file after which it is not read on: each one shows its line.
const MOST_DAMAGES: usize = 100;

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Its documents, in order, without empty ones.
    pub documents: Vec<Tree>,
    /// Its comments, in order.
    pub comments: Vec<Comment>,
    /// Parts that could not be read.
    pub damages: Vec<Damage>,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it begins.
    pub position: Position,
    /// Its text after the `#`, without the spaces around it.
    pub text: String,
    /// Whether something stands before it on its line.
    pub is_trailing: bool,
}

/// A part that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where reading stopped.
    pub position: Position,
    /// Why.
    pub message: String,
}

impl Damage {
    /// The damaged line with a caret under the place, as compilers print it. Nothing of a Secret is shown.
    pub fn snippet(&self, text: &str) -> String {
        if self.is_in_secret(text) {
            return String::new();
        }
        let number = self.position.line.to_string();
        let margin = " ".repeat(number.len());
        let line =
            text.lines().nth(self.position.line as usize - 1).unwrap_or("").replace('\t', " ");
        let shown: String = line.chars().take(160).collect();
        let caret = " ".repeat((self.position.column as usize - 1).min(160));
        format!("{margin} |\n{number} | {shown}\n{margin} | {caret}^")
    }

    /// Whether the document around the place says that it is a Secret.
    fn is_in_secret(&self, text: &str) -> bool {
        let mut is_secret = false;
        for (line, number) in text.lines().zip(1..) {
            if line.starts_with("---") {
                if number > self.position.line {
                    break;
                }
                is_secret = false;
            }
            is_secret |= line.contains("kind") && line.contains("Secret");
        }
        is_secret
    }
}

/// Reads a file. After a broken document, reading goes on at the next `---`.
pub fn read(text: &str) -> Reading {
    let mut options = Options::default();
    options.max_buffered_comment_events = 100_000;
    let mut reader = Reader {
        parser: Parser::new_from_str_with_options(text.trim_start_matches('\u{feff}'), options),
        anchors: BTreeMap::new(),
        comments: Vec::new(),
        values: 0,
        depth: 0,
        // Each value of a text takes a character at least.
        most: text.len() + MOST_REPEATED,
    };
    let mut reading = Reading::default();
    loop {
        match reader.next_document() {
            Ok(Some(tree)) if tree.content == Content::Null => {}
            Ok(Some(tree)) => reading.documents.push(tree),
            Ok(None) => break,
            Err(damage) => {
                let is_over = reader.values > reader.most;
                let position = damage.position;
                reading.damages.push(damage);
                if reading.damages.len() == MOST_DAMAGES {
                    let message = "too much is broken: what follows is not read".to_owned();
                    reading.damages.push(Damage { position, message });
                    break;
                }
                if is_over || !matches!(reader.parser.proceed_next_document(), Ok(true)) {
                    break;
                }
            }
        }
    }
    reading.comments = reader.comments;
    reading
}

struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    anchors: BTreeMap<usize, Tree>,
    comments: Vec<Comment>,
    values: usize,
    /// In how many lists and maps the value stands that is read.
    depth: usize,
    most: usize,
}

impl<'t> Reader<'t> {
    /// The next document; none at the end of the file.
    fn next_document(&mut self) -> Result<Option<Tree>, Damage> {
        loop {
            match self.next()? {
                None | Some((Event::StreamEnd, _)) => return Ok(None),
                Some((Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd, _)) => {}
                Some((event, span)) => {
                    self.anchors.clear();
                    self.depth = 0;
                    return self.value(event, span).map(Some);
                }
            }
        }
    }

    fn value(&mut self, event: Event<'t>, span: Span) -> Result<Tree, Damage> {
        let position = position_of(span);
        self.values += 1;
        if self.values > self.most {
            return Err(Damage {
                position,
                message: "more values than a manifest can hold".into(),
            });
        }
        if self.depth > DEEPEST {
            return Err(too_deep(position));
        }
        self.depth += 1;
        let (content, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.as_deref().and_then(|tag| tag.core_suffix().map(str::to_owned));
                let is_plain = style == ScalarStyle::Plain;
                let content = match scalar::resolve(&text, is_plain, tag.as_deref()) {
                    Scalar::Null => Content::Null,
                    Scalar::Bool(value) => Content::Bool(value),
                    Scalar::Number(number) => Content::Number(number),
                    Scalar::Text => Content::Text(text.into_owned().into_boxed_str()),
                };
                (content, anchor)
            }
            Event::SequenceStart(_, anchor, _) => (self.list(position)?, anchor),
            Event::MappingStart(_, anchor, _) => (self.map(position)?, anchor),
            Event::Alias(anchor) => (self.alias(anchor, position)?.content, 0),
            _ => return Err(Damage { position, message: "a value is missing here".into() }),
        };
        self.depth -= 1;
        let tree = Tree { position, content };
        if anchor != 0 {
            self.repeat(count(&tree), position)?;
            self.anchors.insert(anchor, tree.clone());
        }
        Ok(tree)
    }

    fn list(&mut self, start: Position) -> Result<Content, Damage> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                Some((Event::SequenceEnd, _)) => return Ok(Content::List(items)),
                Some((event, span)) => items.push(self.value(event, span)?),
                None => return Err(unfinished(start)),
            }
        }
    }

    fn map(&mut self, start: Position) -> Result<Content, Damage> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut places: BTreeMap<Box<str>, usize> = BTreeMap::new();
        let mut merged = Vec::new();
        loop {
            let (event, span) = match self.next()? {
                Some((Event::MappingEnd, _)) => break,
                Some(next) => next,
                None => return Err(unfinished(start)),
            };
            let position = position_of(span);
            let key = match event {
                Event::Scalar(text, ..) => text.into_owned().into_boxed_str(),
                _ => return Err(Damage { position, message: "a key must be text".into() }),
            };
            let Some((event, span)) = self.next()? else { return Err(unfinished(start)) };
            let value = self.value(event, span)?;
            if &*key == "<<" {
                merged.push(value);
            } else if let Some(place) = places.get(&key) {
                entries[*place] = Entry { key, position, value };
            } else {
                places.insert(key.clone(), entries.len());
                entries.push(Entry { key, position, value });
            }
        }
        for source in merged.iter().flat_map(|value| std::iter::once(value).chain(value.items())) {
            for entry in source.entries() {
                if !places.contains_key(&entry.key) {
                    places.insert(entry.key.clone(), entries.len());
                    entries.push(entry.clone());
                }
            }
        }
        Ok(Content::Map(entries))
    }

    /// What an alias stands for; its own place is where the alias stands, that of its fields where they were written.
    fn alias(&mut self, anchor: usize, position: Position) -> Result<Tree, Damage> {
        let Some(tree) = self.anchors.get(&anchor) else {
            return Err(Damage { position, message: "an alias inside what it stands for".into() });
        };
        let tree = tree.clone();
        self.repeat(count(&tree), position)?;
        if self.depth + depth(&tree) > DEEPEST {
            return Err(too_deep(position));
        }
        Ok(Tree { position, content: tree.content })
    }

    /// Counts values that are kept or written once more.
    fn repeat(&mut self, values: usize, position: Position) -> Result<(), Damage> {
        self.values += values;
        if self.values > self.most {
            let message = "aliases stand for more values than a manifest can hold".to_owned();
            return Err(Damage { position, message });
        }
        Ok(())
    }

    /// The next event that is not a comment.
    fn next(&mut self) -> Result<Option<(Event<'t>, Span)>, Damage> {
        loop {
            match self.parser.next_event() {
                None => return Ok(None),
                Some(Err(error)) => return Err(damage(&error)),
                Some(Ok((Event::Comment(text, placement), span))) => self.comments.push(Comment {
                    position: position_of(span),
                    text: text.trim().to_owned(),
                    is_trailing: placement == Placement::Right,
                }),
                Some(Ok(next)) => return Ok(Some(next)),
            }
        }
    }
}

fn count(tree: &Tree) -> usize {
    let below: usize = match &tree.content {
        Content::List(items) => items.iter().map(count).sum(),
        Content::Map(entries) => entries.iter().map(|entry| count(&entry.value)).sum(),
        _ => 0,
    };
    1 + below
}

/// How many lists and maps stand in each other.
fn depth(tree: &Tree) -> usize {
    match &tree.content {
        Content::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Content::Map(entries) => {
            1 + entries.iter().map(|entry| depth(&entry.value)).max().unwrap_or(0)
        }
        _ => 0,
    }
}

fn too_deep(position: Position) -> Damage {
    Damage { position, message: "values stand too deep in each other".into() }
}

fn unfinished(position: Position) -> Damage {
    Damage { position, message: "this is not finished where the file ends".into() }
}

fn damage(error: &ScanError) -> Damage {
    let marker = error.marker();
    Damage { position: at(marker.line(), marker.col()), message: error.info().to_lowercase() }
}

fn position_of(span: Span) -> Position {
    at(span.start.line(), span.start.col())
}

fn at(line: usize, column: usize) -> Position {
    let bounded = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position { line: bounded(line.max(1)), column: bounded(column + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::position::FieldPath;

    #[test]
    fn each_field_knows_its_line_and_column() {
        let reading = read(
            "# a pod\nkind: Pod\nspec:\n  containers:\n  - name: main\n    image: x # y\n---\n{\"kind\": \"List\",\n \"items\": [1]}\n",
        );
        assert_eq!(reading.damages, []);
        let place = |document: usize, path: &FieldPath| {
            reading.documents[document].position_of(path).to_string()
        };
        assert_eq!(place(0, &FieldPath::of("kind")), "2:1");
        let container = FieldPath::of("spec.containers").index(0);
        assert_eq!(place(0, &container), "5:5");
        assert_eq!(place(0, &container.key("image")), "6:5");
        assert_eq!(place(0, &container.then("resources.requests")), "5:5");
        assert_eq!(place(1, &FieldPath::of("items").index(0)), "9:12");
        let trailing: Vec<bool> =
            reading.comments.iter().map(|comment| comment.is_trailing).collect();
        assert_eq!(trailing, [false, true]);
    }

    #[test]
    fn a_broken_document_gives_its_line_and_the_next_is_still_read() {
        let text = "kind: A\n---\nkind: B\nspec: [1, 2\nmore: 3\n---\nkind: C\n";
        let reading = read(text);
        let kinds: Vec<_> =
            reading.documents.iter().filter_map(|tree| tree.get("kind")?.text()).collect();
        assert_eq!(kinds, ["A", "C"]);
        let [damage] = &*reading.damages else { panic!("{:?}", reading.damages) };
        assert!((4..=6).contains(&damage.position.line), "{damage:?}");
        assert!(damage.snippet(text).contains('^'));
    }

    #[test]
    fn aliases_and_merges_stand_for_what_they_name() {
        let reading = read("base: &b {a: 1, b: 2}\nown:\n  <<: *b\n  b: 3\n");
        let value = reading.documents[0].to_json();
        assert_eq!(value["own"], serde_json::json!({"a": 1, "b": 3}));
    }

    #[test]
    fn a_bomb_of_aliases_is_refused() {
        let mut text = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for level in 1..12 {
            let below = format!("*a{},", level - 1).repeat(10);
            text.push_str(&format!("a{level}: &a{level} [{below}]\n"));
        }
        assert!(read(&text).damages[0].message.contains("more values"));
        let nested = (0..100)
            .flat_map(|level| ["&a".to_owned(), level.to_string(), " [".to_owned()])
            .collect::<String>();
        let kept = format!("{nested}{}{}", "x,".repeat(1 << 16), "]".repeat(100));
        assert!(read(&kept).damages[0].message.contains("more values"));
    }

    #[test]
    fn what_has_no_bottom_is_refused() {
        for text in ["[".repeat(100_000), "- ".repeat(100_000), "{a: ".repeat(100_000)] {
            assert_eq!(read(&text).damages.len(), 1);
            assert_eq!(read(&text).documents, []);
        }
        // Each alias is a hundred deep, and stands at the bottom of the next one.
        let deep = |level: usize| {
            let below = if level == 0 { "x".to_owned() } else { format!("*a{}", level - 1) };
            format!("a{level}: &a{level} {}{below}{}\n", "[".repeat(100), "]".repeat(100))
        };
        let text: String = (0..9).map(deep).collect();
        assert_eq!(read(&text).damages[0].message, "values stand too deep in each other");
    }
}
