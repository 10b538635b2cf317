//! How the program ends: its exit codes, and the errors that lead to them.

use std::fmt;
use std::process::ExitCode;

use crate::base::diagnostic::{Diagnostic, Diagnostics};

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
