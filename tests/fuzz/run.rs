//! Runs the program on bytes, as one would at a shell.

use landed::cli::{self, Io};
use landed::model::time::Timestamp;

/// What a run left behind.
pub struct Run {
    pub code: u8,
    pub out: String,
    pub err: String,
}

/// Runs the program with some standard input.
pub fn run(arguments: &[&str], mut input: &[u8]) -> Run {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let all = std::iter::once("kubectl-landed").chain(arguments.iter().copied());
    let code = cli::run(
        all.map(Into::into).collect(),
        &mut Io {
            out: &mut out,
            err: &mut err,
            input: &mut input,
            out_is_terminal: false,
            err_is_terminal: false,
            width: Some(100),
            variables: Vec::new(),
            now: Timestamp::from_seconds(1_796_000_000),
            leftovers: landed::cli::io::Leftovers::default(),
        },
    );
    let text = |bytes| String::from_utf8(bytes).expect("the program prints text");
    Run { code, out: text(out), err: text(err) }
}

/// What holds of every run: an error is said in a line, and nothing is sent raw to a terminal.
#[allow(dead_code, reason = "not every test asks for it")]
pub fn check(run: &Run) {
    assert!(run.code <= 2);
    if run.code == 1 && run.out.is_empty() {
        assert!(run.err.starts_with("error: "), "{:?}", run.err);
    }
    for text in [&run.out, &run.err] {
        let raw = text.chars().find(|&c| c != '\n' && c != '\t' && (c.is_control() || is_bidi(c)));
        assert_eq!(raw, None, "{text:?}");
    }
}

#[allow(dead_code, reason = "not every test asks for it")]
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}
