//! Files, folders and stdin.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::error::SourceError;
use crate::ingest::Collector;
use crate::model::snapshot::Snapshot;

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Files and folders in the order given; `-` is stdin.
    pub paths: Vec<PathBuf>,
    /// Whether folders are read with all that is below them.
    pub recursive: bool,
}

/// Reads files, folders and stdin into one snapshot.
pub fn load(files: &Files, stdin: &mut dyn Read) -> Result<Snapshot, SourceError> {
    let mut collector = Collector::default();
    for path in &files.paths {
        let name = path.display().to_string();
        if name == "-" {
            let bytes = bytes_of("stdin", &mut *stdin)?;
            collector.text(&bytes, "stdin");
        } else if path.is_dir() {
            folder(path, files.recursive, &mut collector)?;
        } else {
            collector.text(&bytes_of(&name, open(path)?)?, &name);
        }
    }
    Ok(collector.finish())
}

fn folder(path: &Path, recursive: bool, collector: &mut Collector) -> Result<(), SourceError> {
    let listing = std::fs::read_dir(path).map_err(|error| SourceError::Open(path.into(), error))?;
    let mut entries: Vec<PathBuf> = listing.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            if recursive {
                folder(&entry, recursive, collector)?;
            }
            continue;
        }
        let name = entry.display().to_string();
        collector.text(&bytes_of(&name, open(&entry)?)?, &name);
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "sources is where files are read")]
fn open(path: &Path) -> Result<File, SourceError> {
    File::open(path).map_err(|error| SourceError::Open(path.into(), error))
}

/// The text of a small file that the user named: settings, a configuration, instance types; compressed or not.
pub fn small_file(path: &Path) -> Result<Vec<u8>, SourceError> {
    bytes_of(&path.display().to_string(), open(path)?)
}

fn bytes_of(name: &str, mut reader: impl Read) -> Result<Vec<u8>, SourceError> {
    let read_error = |error| SourceError::Read(name.to_owned(), error);
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(read_error)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        MultiGzDecoder::new(&*bytes).read_to_end(&mut plain).map_err(read_error)?;
        return Ok(plain);
    }
    Ok(bytes)
}
