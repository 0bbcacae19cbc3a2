//! Objects as they stand in files, to be written anew: for redacting and anonymising a dump that is there already.

use std::io::{self, Read};
use std::path::Path;

use serde_json::{Map, Value};

use crate::ingest::yaml;
use crate::sources::opened::{self, Content};

/// All objects of files, folders, archives and stdin that have a kind; logs and the like are passed over.
pub fn objects(paths: &[std::path::PathBuf], stdin: &mut dyn Read) -> io::Result<Vec<Value>> {
    let mut found = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            stream(stdin, &mut found)?;
        } else {
            file_or_folder(path, 0, &mut found)?;
        }
    }
    Ok(found)
}

fn file_or_folder(path: &Path, depth: usize, found: &mut Vec<Value>) -> io::Result<()> {
    if !path.is_dir() {
        return stream(&mut open(path)?, found);
    }
    if depth > 16 {
        return Ok(());
    }
    let mut entries =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries.iter().filter(|entry| !entry.is_symlink()) {
        file_or_folder(entry, depth + 1, found)?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "sources is where files are read")]
fn open(path: &Path) -> io::Result<std::fs::File> {
    std::fs::File::open(path)
}

fn stream(source: &mut dyn Read, found: &mut Vec<Value>) -> io::Result<()> {
    let mut opened = opened::open(source)?;
    match opened.content {
        Content::Tar => {
            let mut archive = tar::Archive::new(&mut *opened.stream);
            for entry in archive.entries()? {
                let mut entry = entry?;
                if entry.header().entry_type().is_file() {
                    stream(&mut entry, found)?;
                }
            }
        }
        Content::Json => {
            let mut text = Vec::new();
            opened.stream.read_to_end(&mut text)?;
            let documents = serde_json::Deserializer::from_slice(&text).into_iter::<Value>();
            documents.map_while(Result::ok).for_each(|document| flatten(document, None, found));
        }
        Content::Text => {
            let mut text = Vec::new();
            opened.stream.read_to_end(&mut text)?;
            for document in yaml::documents(&String::from_utf8_lossy(&text)).filter_map(Result::ok)
            {
                if let Ok(document) = serde_json::from_slice(&document) {
                    flatten(document, None, found);
                }
            }
        }
        Content::Zip | Content::Html | Content::Empty | Content::Binary => {}
    }
    Ok(())
}

/// Takes lists apart; items of typed lists get the version and the kind that their list has.
fn flatten(document: Value, listed: Option<(&str, &str)>, found: &mut Vec<Value>) {
    match document {
        Value::Array(items) => items.into_iter().for_each(|item| flatten(item, None, found)),
        Value::Object(mut object) => {
            let text = |object: &Map<String, Value>, key: &str| {
                object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            let (version, kind) = (text(&object, "apiVersion"), text(&object, "kind"));
            if let (Some(of), Some(Value::Array(items))) =
                (kind.strip_suffix("List"), object.remove("items"))
            {
                let listed = (!of.is_empty()).then_some((version.as_str(), of));
                for item in items {
                    flatten(item, listed, found);
                }
                return;
            }
            if let (Some((version, kind)), true) = (listed, kind.is_empty()) {
                object.insert("apiVersion".to_owned(), version.into());
                object.insert("kind".to_owned(), kind.into());
            }
            if object.contains_key("kind") && object.contains_key("apiVersion") {
                found.push(Value::Object(object));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
