//! `Io`: the streams, and what is known of who reads them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;

use crate::model::time;
use crate::render::safe;

/// Where output goes, how it may look, and what time it is. Everything else gets these as values.
pub struct Io<'a> {
    /// Results.
    pub out: &'a mut dyn Write,
    /// Messages, progress, errors.
    pub err: &'a mut dyn Write,
    /// Standard input.
    pub input: &'a mut dyn io::Read,
    /// Whether results go to a terminal.
    pub out_is_terminal: bool,
    /// Whether messages go to a terminal.
    pub err_is_terminal: bool,
    /// Columns of the terminal, where there is one or `COLUMNS` says so.
    pub width: Option<usize>,
    /// The environment variables that this program looks at, read once: see [`Io::variable`].
    pub variables: Vec<(String, String)>,
    /// The present moment.
    pub now: time::Timestamp,
    /// What has to go when the program is stopped half-way.
    pub leftovers: Leftovers,
}

/// A file or folder that is not complete yet, known to whoever ends the program on Ctrl-C.
#[derive(Clone, Debug, Default)]
pub struct Leftovers(Arc<Mutex<Option<PathBuf>>>);

impl Leftovers {
    /// Names what is not complete; none: it is.
    pub fn set(&self, path: Option<&Path>) {
        if let Ok(mut held) = self.0.lock() {
            *held = path.map(Path::to_owned);
        }
    }

    /// Removes it.
    pub fn remove(&self) {
        let Ok(held) = self.0.lock() else { return };
        if let Some(path) = &*held {
            // Nobody is left to be told.
            let _ = if path.is_dir() {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
        }
    }
}

impl Io<'_> {
    /// Writes a message to stderr, on a line or on several. What stands in it may come from a cluster: nothing in it
    /// that a terminal would obey is written as it is.
    pub fn tell(&mut self, message: &str) -> io::Result<()> {
        for line in message.split('\n') {
            writeln!(self.err, "{}", safe(line))?;
        }
        Ok(())
    }

    /// The value of an environment variable; none when it is unset or empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .iter()
            .find(|(key, value)| key == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }
}

/// The environment and the clock of this process.
#[expect(clippy::disallowed_methods, reason = "the only place that reads the clock")]
pub(crate) fn now() -> time::Timestamp {
    time::Timestamp(Timestamp::now())
}
