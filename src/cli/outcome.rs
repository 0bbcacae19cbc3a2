//! `Outcome`: how a run ended, and its exit code.

/// How a run ended. The codes are documented and do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The question was answered: exit code 0.
    Done,
    /// The question was answered and something was found: exit code 1. `check`, and `explain --exit-code`.
    Found,
}

impl Outcome {
    /// The exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Found => 1,
        }
    }
}

/// Why a run could not answer: one line, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What failed, on which object; a lowercase fragment without a full stop. Causes follow with `: `.
    pub message: String,
    /// The next command to try.
    pub hint: Option<String>,
    /// The exit code: 1, except for `check`, where 1 means findings and 2 that it could not check.
    pub code: u8,
}

impl Failure {
    /// A failure with exit code 1.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, code: 1 }
    }

    /// The same failure with the next command to try.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same failure with another exit code.
    #[must_use]
    pub fn code(mut self, code: u8) -> Self {
        self.code = code;
        self
    }
}

/// A closed pipe is not an error: whoever read has seen enough.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::new(String::new()).code(0);
        }
        Self::new(format!("cannot write the answer: {error}"))
    }
}
