//! Writing a dump: one file, an archive or a folder, for its owner's eyes only, and whole or not at all.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

/// What is written.
#[derive(Clone, Debug, Default)]
pub struct Dump {
    /// A `kind: Dump` object: when and of what it was taken, and what could not be read.
    pub info: Value,
    /// Lists by the name that kubectl gives them; each page holds JSON objects with commas between them.
    pub lists: Vec<(String, Vec<Vec<u8>>)>,
    /// Karpenter's log.
    pub karpenter_log: Vec<u8>,
}

/// The shape of what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One `kind: List`.
    Json,
    /// The same, compressed.
    JsonGz,
    /// The same, compressed.
    JsonZst,
    /// A file for each kind.
    Folder,
    /// The folder, packed.
    Tar,
    /// The folder, packed.
    TarGz,
    /// The folder, packed.
    TarZst,
}

/// Why a dump could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A folder that holds something already.
    #[error("folder {} is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// A file name that names no known format.
    #[error("{}: not one of .json, .json.gz, .json.zst, .tar, .tar.gz, .tgz, .tar.zst, or a folder", .0.display())]
    UnknownFormat(PathBuf),
    /// The system refused.
    #[error("cannot write {}: {error}", path.display())]
    Refused {
        /// What was to be written.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

impl Format {
    /// The format that a file name asks for; a name without an ending is a folder.
    pub fn of(path: &Path) -> Result<Self, WriteError> {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default();
        let endings = [
            (".json", Self::Json),
            (".json.gz", Self::JsonGz),
            (".json.zst", Self::JsonZst),
            (".tar", Self::Tar),
            (".tar.gz", Self::TarGz),
            (".tgz", Self::TarGz),
            (".tar.zst", Self::TarZst),
        ];
        let found =
            endings.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| *format);
        match found {
            Some(format) => Ok(format),
            None if path.is_dir() || Path::new(&name).extension().is_none() => Ok(Self::Folder),
            None => Err(WriteError::UnknownFormat(path.to_owned())),
        }
    }
}

/// Writes a dump. `unfinished` is told of a file or folder that has to go when the program is stopped half-way.
pub fn write(
    dump: &Dump,
    path: &Path,
    format: Format,
    unfinished: &mut dyn FnMut(Option<&Path>),
) -> Result<(), WriteError> {
    let refused = |error| WriteError::Refused { path: path.to_owned(), error };
    if format == Format::Folder
        && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
    {
        return Err(WriteError::NotEmpty(path.to_owned()));
    }
    let partial = partial_path(path);
    unfinished(Some(&partial));
    let result = match format {
        Format::Folder => write_folder(dump, &partial),
        Format::Json => write_file(&partial, &list(dump)),
        Format::JsonGz => gzip(&list(dump)).and_then(|bytes| write_file(&partial, &bytes)),
        Format::JsonZst => write_file(&partial, &zstd(&list(dump))),
        Format::Tar => tar(dump).and_then(|bytes| write_file(&partial, &bytes)),
        Format::TarGz => {
            tar(dump).and_then(|bytes| gzip(&bytes)).and_then(|bytes| write_file(&partial, &bytes))
        }
        Format::TarZst => tar(dump).and_then(|bytes| write_file(&partial, &zstd(&bytes))),
    };
    let result = result.and_then(|()| {
        if format == Format::Folder && path.is_dir() {
            fs::remove_dir(path)?;
        }
        fs::rename(&partial, path)
    });
    if result.is_err() {
        // The first error is the one to tell.
        let _ =
            if partial.is_dir() { fs::remove_dir_all(&partial) } else { fs::remove_file(&partial) };
    }
    unfinished(None);
    result.map_err(refused)
}

/// The dump as one `kind: List`: for a pipe, and for a single file.
pub(super) fn list(dump: &Dump) -> Vec<u8> {
    let pages = dump.lists.iter().flat_map(|(_, pages)| pages);
    let info = dump.info.to_string().into_bytes();
    list_of(std::iter::once(&info).chain(pages))
}

impl Dump {
    /// The dump as one `kind: List`.
    pub fn to_list(&self) -> Vec<u8> {
        list(self)
    }
}

fn list_of<'a>(pages: impl Iterator<Item = &'a Vec<u8>>) -> Vec<u8> {
    let mut bytes = b"{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n".to_vec();
    for (index, page) in pages.filter(|page| !page.is_empty()).enumerate() {
        if index > 0 {
            bytes.extend_from_slice(b",\n");
        }
        bytes.extend_from_slice(page);
    }
    bytes.extend_from_slice(b"\n]}\n");
    bytes
}

/// The files of a folder: their names and contents.
fn files(dump: &Dump) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("landed.json".to_owned(), format!("{}\n", dump.info).into_bytes())];
    files.extend(
        dump.lists.iter().map(|(name, pages)| (format!("{name}.json"), list_of(pages.iter()))),
    );
    if !dump.karpenter_log.is_empty() {
        files.push(("karpenter.log".to_owned(), dump.karpenter_log.clone()));
    }
    files
}

fn write_folder(dump: &Dump, folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)?;
    owner_only(folder, 0o700)?;
    for (name, bytes) in files(dump) {
        write_file(&folder.join(name), &bytes)?;
    }
    Ok(())
}

fn tar(dump: &Dump) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in files(dump) {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        archive.append_data(&mut header, format!("landed-dump/{name}"), bytes.as_slice())?;
    }
    archive.into_inner()
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(unix)]
fn owner_only(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn owner_only(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Beside the target, so that the last step is a rename within one file system.
fn partial_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.partial", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_follows_the_name() {
        for (name, format) in [
            ("a.json", Some(Format::Json)),
            ("dir/a.tar.zst", Some(Format::TarZst)),
            ("a.tgz", Some(Format::TarGz)),
            ("A.TAR.GZ", Some(Format::TarGz)),
            ("prod-dump", Some(Format::Folder)),
            ("a.zip", None),
        ] {
            assert_eq!(Format::of(Path::new(name)).ok(), format, "{name}");
        }
    }
}
