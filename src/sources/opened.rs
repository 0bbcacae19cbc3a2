//! What a stream holds, by its first bytes; compression is taken off.

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::ingest::text::{Format, format_of};

/// What a stream holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// JSON documents.
    Json,
    /// YAML, a log, or something before JSON.
    Text,
    /// A tar archive.
    Tar,
    /// A zip archive.
    Zip,
    /// A web page.
    Html,
    /// Nothing.
    Empty,
    /// Something else.
    Binary,
}

/// A stream without compression, and what it holds.
pub(super) struct Opened<'r> {
    pub content: Content,
    pub stream: Box<dyn Read + 'r>,
}

/// How many layers of compression are taken off.
const LAYERS: usize = 3;

/// How much of a stream is looked at.
const HEAD: usize = 4096;

/// So much may come out of a compressed stream in any case.
const ALWAYS: u64 = 64 << 20;

/// Beyond that, so many bytes may come out of one that goes in: dumps shrink to a twentieth, bombs to a thousandth.
const RATIO: u64 = 400;

/// Looks at a stream's first bytes.
pub(super) fn open<'r>(stream: &'r mut dyn Read) -> io::Result<Opened<'r>> {
    let mut stream: Box<dyn Read + 'r> = Box::new(stream);
    for _ in 0..LAYERS {
        let head = head_of(&mut *stream)?;
        let is_gzip = head.starts_with(&[0x1f, 0x8b]);
        let is_zstd = head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
        let content = content_of(&head);
        let whole = Cursor::new(head).chain(stream);
        if !is_gzip && !is_zstd {
            return Ok(Opened { content, stream: Box::new(whole) });
        }
        let read = Rc::new(Cell::new(0));
        let counted = Counted { stream: whole, count: read.clone() };
        let plain: Box<dyn Read + 'r> = if is_gzip {
            Box::new(MultiGzDecoder::new(counted))
        } else {
            Box::new(Zstd { frame: None, rest: Some(Box::new(counted)) })
        };
        stream = Box::new(Bounded { stream: plain, given: 0, read });
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "compressed over and over"))
}

fn content_of(head: &[u8]) -> Content {
    if head.starts_with(b"PK\x03\x04") {
        return Content::Zip;
    }
    if head.get(257..262) == Some(b"ustar") {
        return Content::Tar;
    }
    if matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Content::Text;
    }
    match format_of(head) {
        Format::Json => Content::Json,
        Format::Yaml | Format::Lines => Content::Text,
        Format::Empty => Content::Empty,
        Format::Html => Content::Html,
        Format::Binary => Content::Binary,
    }
}

fn head_of(stream: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD);
    stream.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Counts what is read.
struct Counted<R> {
    stream: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

/// Ends with an error when far more comes out than goes in.
struct Bounded<R> {
    stream: R,
    given: u64,
    read: Rc<Cell<u64>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let given = self.stream.read(buffer)?;
        self.given += given as u64;
        if self.given > ALWAYS + self.read.get().saturating_mul(RATIO) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("it expands to more than {RATIO} times its size"),
            ));
        }
        Ok(given)
    }
}

/// Frames of zstd, one after another.
struct Zstd<'r> {
    frame: Option<Frame<'r>>,
    rest: Option<Box<dyn Read + 'r>>,
}

type Frame<'r> = StreamingDecoder<Box<dyn Read + 'r>, ruzstd::decoding::FrameDecoder>;

impl Read for Zstd<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let read = frame.read(buffer)?;
                if read > 0 || buffer.is_empty() {
                    return Ok(read);
                }
                self.rest = self.frame.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut rest) = self.rest.take() else { return Ok(0) };
            let mut magic = [0];
            if rest.read(&mut magic)? == 0 {
                return Ok(0);
            }
            let whole: Box<dyn Read> = Box::new(Cursor::new(magic).chain(rest));
            let frame = StreamingDecoder::new(whole)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
            self.frame = Some(frame);
        }
    }
}
