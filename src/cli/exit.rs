//! How the program ends: its exit codes, and the errors that lead to them.

use std::fmt;
use std::process::ExitCode;

use crate::automaton::CountError;
use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::base::limits::Exceeded;
use crate::generalize::GeneralizeError;
use crate::parse::ParseError;
use crate::produce::ProducerError;
use crate::reduce::ReduceError;
use crate::transform::TransformError;

/// The exit codes of the program, the same for all commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// All went well.
    Success = 0,
    /// The answer is no: an input is not accepted.
    No = 1,
    /// The call, a file or an input is wrong.
    Usage = 2,
    /// Some tasks failed; the others are in the tables.
    Tasks = 3,
    /// A subject is unfit for use.
    Unfit = 4,
    /// The user asked to stop.
    Interrupted = 130,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

/// Why a command cannot do its work.
#[derive(Debug)]
pub struct Failure {
    code: Code,
    message: String,
}

impl Failure {
    /// A failure with this exit code and message.
    pub fn new(code: Code, message: impl fmt::Display) -> Self {
        Self { code, message: message.to_string() }
    }

    /// Something in the call, a file or an input is wrong.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(Code::Usage, Diagnostic::error(message.to_string()))
    }

    /// An input, which its user knows by `name`, has no tree; says which option allows more, if that helps.
    pub fn unparsed(error: &ParseError, name: &str, input: &[u8]) -> Self {
        match error {
            ParseError::Syntax(error) => error.diagnostic(&Source::from_bytes(name, input)).into(),
            ParseError::Exceeded(exceeded) => (*exceeded).into(),
        }
    }

    /// The exit code.
    pub fn code(&self) -> Code {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::new(Code::Usage, diagnostic)
    }
}

impl From<Diagnostics> for Failure {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::new(Code::Usage, diagnostics)
    }
}

/// Says which option allows more.
impl From<Exceeded> for Failure {
    fn from(exceeded: Exceeded) -> Self {
        let option = match exceeded {
            Exceeded::States(_) => "--max-states",
            Exceeded::Rules(_) => "--max-rules",
            Exceeded::Steps(_) => "--max-steps",
            Exceeded::Time(_) => "--timeout",
            Exceeded::Interrupted => return Self::new(Code::Interrupted, exceeded),
        };
        Diagnostic::error(exceeded.to_string()).help(format!("{option} allows more")).into()
    }
}

impl From<TransformError> for Failure {
    fn from(error: TransformError) -> Self {
        match error {
            TransformError::Exceeded(exceeded) => exceeded.into(),
            error => Self::usage(error),
        }
    }
}

impl From<CountError> for Failure {
    fn from(error: CountError) -> Self {
        match error {
            CountError::Exceeded(exceeded) => exceeded.into(),
            error => Self::usage(error),
        }
    }
}

impl From<ReduceError> for Failure {
    fn from(error: ReduceError) -> Self {
        match error {
            ReduceError::Exceeded(exceeded) => exceeded.into(),
            error => Self::usage(error),
        }
    }
}

impl From<GeneralizeError> for Failure {
    fn from(error: GeneralizeError) -> Self {
        match error {
            GeneralizeError::Exceeded(exceeded) => exceeded.into(),
            error => Self::usage(error),
        }
    }
}

impl From<ProducerError> for Failure {
    fn from(error: ProducerError) -> Self {
        match error {
            ProducerError::Uncountable(error) => error.into(),
            error => Self::usage(error),
        }
    }
}
