//! Files, folders and stdin.

use std::fs::File;
use std::io::Read;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use super::error::SourceError;
use super::layout::{self, Treat};
use super::opened::{self, Content};
use crate::ingest::stream::{self, Ending};
use crate::ingest::{Collector, Ends, missing};
use crate::model::gap::{Gap, GapKind};
use crate::model::snapshot::Snapshot;

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Files and folders in the order given; `-` is stdin.
    pub paths: Vec<PathBuf>,
    /// Whether folders are read with all that is below them.
    pub recursive: bool,
}

/// How deep folders may stand in each other.
const DEEPEST: usize = 16;

/// How many files one folder or archive may hold.
const MOST_FILES: usize = 500_000;

/// How the files of a recording end: they are read whole and line by line, since their order matters and the last line
/// may be torn.
const SEGMENT: &str = ".landed.jsonl";

/// Reads files, folders and stdin into one snapshot.
pub fn load(files: &Files, stdin: &mut dyn Read) -> Result<Snapshot, SourceError> {
    let mut loader = Loader {
        collector: Collector::default(),
        recursive: files.recursive,
        threads: std::thread::available_parallelism().map_or(1, NonZero::get).min(8),
        files: 0,
        guarded: Vec::new(),
    };
    for path in &files.paths {
        let name = path.display().to_string();
        if name == "-" {
            loader.named(stdin, None, "stdin")?;
        } else if path.is_dir() {
            loader.folder(path)?;
        } else {
            loader.named(&mut open(path)?, Some(path), &name)?;
        }
    }
    let names: Vec<String> = files.paths.iter().map(|path| path.display().to_string()).collect();
    if !loader.collector.has_found_something() {
        let gaps = loader.collector.finish().gaps;
        let damage = gaps.into_iter().find(|gap| gap.kind == GapKind::Damaged);
        return Err(match damage {
            Some(gap) => SourceError::Damaged(gap.subject, gap.detail),
            None => SourceError::Nothing(names.join(", ")),
        });
    }
    let mut snapshot = loader.collector.finish();
    snapshot.inputs = names;
    snapshot.gaps.extend(missing(&snapshot));
    Ok(snapshot)
}

struct Loader {
    collector: Collector,
    recursive: bool,
    threads: usize,
    files: usize,
    /// Files that were not opened for what their path says.
    guarded: Vec<String>,
}

/// Whether a file that cannot be read ends the program, or is a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    Fails,
    IsAGap,
}

impl Loader {
    /// Reads what the user named.
    fn named(
        &mut self,
        stream: &mut dyn Read,
        path: Option<&Path>,
        name: &str,
    ) -> Result<(), SourceError> {
        self.stream(stream, path, name, Damage::Fails)
    }

    /// Reads a file that was found in a folder or an archive; what is wrong with it is a gap.
    fn found(
        &mut self,
        stream: &mut dyn Read,
        path: Option<&Path>,
        name: &str,
    ) -> Result<(), SourceError> {
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(SourceError::NotADump(
                name.to_owned(),
                format!("one of more than {MOST_FILES} files"),
            ));
        }
        if name.ends_with(SEGMENT) {
            let read_all = |stream: &mut dyn Read| {
                let mut text = Vec::new();
                opened::open(stream)?.stream.read_to_end(&mut text).map(|_| text)
            };
            match read_all(stream) {
                Ok(text) => self.collector.text(&text, name),
                Err(error) => self.collector.damaged(name, &error.to_string()),
            }
            return Ok(());
        }
        if layout::is_errors_of_a_bundle(name) {
            let mut text = Vec::new();
            if stream.take(1 << 20).read_to_end(&mut text).is_ok() {
                self.collector.errors_of_a_bundle(&text, name);
            }
            return Ok(());
        }
        if let Err(error) = self.stream(stream, path, name, Damage::IsAGap) {
            self.collector.damaged(name, &error.to_string());
        }
        Ok(())
    }

    /// Reads a stream by what its first bytes show. `path`: where it can be opened again.
    fn stream(
        &mut self,
        stream: &mut dyn Read,
        path: Option<&Path>,
        name: &str,
        damage: Damage,
    ) -> Result<(), SourceError> {
        let failed = |error| SourceError::Read(name.to_owned(), error);
        let mut opened = opened::open(stream).map_err(failed)?;
        let not = |what: &str| Err(SourceError::NotADump(name.to_owned(), what.to_owned()));
        match opened.content {
            Content::Json => return self.json(&mut *opened.stream, path, name),
            Content::Tar => return self.archive(&mut *opened.stream, name),
            Content::Text => {}
            Content::Empty if damage == Damage::IsAGap => return Ok(()),
            Content::Empty => return Err(SourceError::Empty(name.to_owned())),
            Content::Html => return not("an HTML or XML page and not a dump"),
            Content::Zip => return not("a zip archive: unpack it and give the folder"),
            Content::Binary => return not("not text and not an archive that is known"),
        }
        let mut collector = Collector::default();
        let is_known =
            collector.text_from(&mut *opened.stream, name, self.threads).map_err(failed)?;
        self.collector.merge(collector);
        if is_known { Ok(()) } else { not("neither JSON nor YAML nor a log that is known") }
    }

    /// Reads JSON with the ends of objects guessed; where a guess was wrong, once more with each bracket counted.
    fn json(
        &mut self,
        stream: &mut dyn Read,
        path: Option<&Path>,
        name: &str,
    ) -> Result<(), SourceError> {
        let failed = |error| SourceError::Read(name.to_owned(), error);
        let ends = if path.is_some() { Ends::Guessed } else { Ends::Counted };
        let (collector, ending) = stream::read(stream, name, ends, self.threads).map_err(failed)?;
        let collector = match (ending, path) {
            (Ending::Misjudged, Some(path)) => {
                let mut again = open(path)?;
                let mut opened = opened::open(&mut again).map_err(failed)?;
                let read = stream::read(&mut *opened.stream, name, Ends::Counted, self.threads);
                read.map_err(failed)?.0
            }
            _ => collector,
        };
        self.collector.merge(collector);
        Ok(())
    }

    fn archive(&mut self, stream: &mut dyn Read, name: &str) -> Result<(), SourceError> {
        let failed = |error| SourceError::Read(name.to_owned(), error);
        let mut archive = tar::Archive::new(stream);
        for entry in archive.entries().map_err(failed)? {
            let mut entry = match entry {
                Ok(entry) => entry,
                // What came before is whole.
                Err(error) => {
                    self.collector.damaged(name, &format!("the archive is damaged: {error}"));
                    break;
                }
            };
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let path = entry.path().map_err(failed)?.display().to_string();
            match layout::treat(&path) {
                Treat::Read => self.found(&mut entry, None, &format!("{name}: {path}"))?,
                Treat::Guarded => self.guarded.push(path),
                Treat::Skip => {}
            }
        }
        self.tell_guarded(name);
        Ok(())
    }

    /// Says which files of a folder or an archive were not opened for what their path says.
    fn tell_guarded(&mut self, name: &str) {
        let guarded = std::mem::take(&mut self.guarded);
        if guarded.is_empty() {
            return;
        }
        let shown = guarded.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let more = match guarded.len().saturating_sub(3) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let detail = format!("not opened, since the path speaks of secrets: {shown}{more}");
        let hint = "a file that is named itself is read: -f FILE";
        self.collector.gap(Gap::new(GapKind::Damaged, name, detail).hint(hint));
    }

    fn folder(&mut self, path: &Path) -> Result<(), SourceError> {
        let recursive = self.recursive || is_bundle(path, 3);
        let before = self.files;
        self.files_of(path, path, recursive, 0)?;
        if self.files == before && self.guarded.is_empty() {
            return Err(SourceError::EmptyFolder(path.into()));
        }
        self.tell_guarded(&path.display().to_string());
        Ok(())
    }

    fn files_of(
        &mut self,
        root: &Path,
        path: &Path,
        recursive: bool,
        depth: usize,
    ) -> Result<(), SourceError> {
        for (entry, kind) in entries(path)? {
            let name = entry.display().to_string();
            // What the folder is called does not matter, what is in it does.
            let below = entry.strip_prefix(root).unwrap_or(&entry);
            let read = match kind {
                Kind::Folder if recursive && depth == DEEPEST => {
                    self.collector.damaged(&name, "too many folders deep: passed over");
                    Ok(())
                }
                Kind::Folder if recursive => self.files_of(root, &entry, recursive, depth + 1),
                Kind::Folder => Ok(()),
                Kind::File => match layout::treat(&below.display().to_string()) {
                    Treat::Read => {
                        open(&entry).and_then(|mut file| self.found(&mut file, Some(&entry), &name))
                    }
                    Treat::Guarded => {
                        self.guarded.push(below.display().to_string());
                        Ok(())
                    }
                    Treat::Skip => Ok(()),
                },
                Kind::Other(what) => {
                    self.collector.damaged(&name, what);
                    Ok(())
                }
            };
            match read {
                Err(error @ SourceError::Open(..)) => {
                    self.collector.damaged(&name, &error.to_string());
                }
                read => read?,
            }
        }
        Ok(())
    }
}

/// Whether a folder is a bundle with a layout that is known, perhaps below a folder or two of any name.
fn is_bundle(path: &Path, depth: usize) -> bool {
    let Ok(entries) = entries(path) else { return false };
    let names: Vec<String> = entries
        .iter()
        .map(|(entry, _)| entry.file_name().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    if layout::is_bundle(&names) {
        return true;
    }
    let mut folders = entries.iter().filter(|(_, kind)| *kind == Kind::Folder);
    match (folders.next(), folders.next()) {
        (Some((only, _)), None) if depth > 0 => is_bundle(only, depth - 1),
        _ => false,
    }
}

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    File,
    Folder,
    /// Something that is not read, and why: a link may lead back, a pipe may never end.
    Other(&'static str),
}

/// What stands in a folder, in the order of the names.
fn entries(path: &Path) -> Result<Vec<(PathBuf, Kind)>, SourceError> {
    let failed = |error| SourceError::Open(path.into(), error);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = match entry.file_type().map_err(failed)? {
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_file() => Kind::File,
            kind if kind.is_symlink() => Kind::Other("a link: links in folders are not followed"),
            _ => Kind::Other("neither a file nor a folder: passed over"),
        };
        entries.push((entry.path(), kind));
    }
    entries.sort();
    Ok(entries)
}

#[expect(clippy::disallowed_methods, reason = "sources is where files are read")]
fn open(path: &Path) -> Result<File, SourceError> {
    File::open(path).map_err(|error| SourceError::Open(path.into(), error))
}

/// The text of a small file that the user named: settings, a configuration, instance types; compressed or not.
pub fn small_file(path: &Path) -> Result<Vec<u8>, SourceError> {
    let name = path.display().to_string();
    let failed = |error| SourceError::Read(name.clone(), error);
    let mut file = open(path)?;
    let opened = opened::open(&mut file).map_err(failed)?;
    let mut bytes = Vec::new();
    opened.stream.take(256 << 20).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.trim_ascii().is_empty() {
        return Err(SourceError::Empty(name));
    }
    Ok(bytes)
}
