//! Runs the program within the test, as one would at a shell.

use landed::cli::{self, Io};
use landed::model::time::Timestamp;

/// What a run left behind.
pub struct Run {
    pub code: u8,
    pub out: String,
    pub err: String,
}

/// Where the program runs: in a pipe that brings nothing and at the beginning of 1970, where no more is said.
#[derive(Clone, Copy, Default)]
pub struct Shell<'s> {
    /// What stands on standard input.
    pub input: &'s [u8],
    /// Columns.
    pub width: Option<usize>,
    /// The present, in seconds since 1970.
    pub now: i64,
    /// Environment variables.
    pub variables: &'s [(&'s str, &'s str)],
}

impl Shell<'_> {
    /// Runs it.
    pub fn run(self, arguments: &[impl AsRef<str>]) -> Run {
        let (mut out, mut err, mut input) = (Vec::new(), Vec::new(), self.input);
        let given = arguments.iter().map(AsRef::as_ref);
        let code = cli::run(
            std::iter::once("kubectl-landed").chain(given).map(Into::into).collect(),
            &mut Io {
                out: &mut out,
                err: &mut err,
                input: &mut input,
                out_is_terminal: false,
                err_is_terminal: false,
                width: self.width,
                variables: self
                    .variables
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
                now: Timestamp::from_seconds(self.now),
                leftovers: cli::io::Leftovers::default(),
            },
        );
        let text = |bytes| String::from_utf8(bytes).expect("the program prints text");
        Run { code, out: text(out), err: text(err) }
    }
}
