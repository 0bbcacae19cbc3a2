//! Runs the program on bytes, as one would at a shell.

#[path = "../program/run.rs"]
mod program;

pub use program::Run;
use program::Shell;

/// Runs the program with some standard input.
pub fn run(arguments: &[&str], input: &[u8]) -> Run {
    Shell { input, width: Some(100), now: 1_796_000_000, ..Shell::default() }.run(arguments)
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
