//! Inputs that are given as tables have them: escaped, so that each is one line.

use std::borrow::Cow;

use clap::Args;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::store::Input;

use super::exit::Failure;
use super::text;

/// How inputs are given.
#[derive(Args, Debug)]
pub struct InputArguments {
    /// Inputs are escaped, as tables and `grambench inputs` have them: `\\`, `\n`, `\r`, `\t`, and `\xHH` for any
    /// byte. A line feed at the end of a file is not part of the input
    #[arg(long)]
    escaped: bool,
}

impl InputArguments {
    /// Reads the input in the file called `name`.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let bytes = text::read(name)?;
        if !self.escaped {
            return Ok(bytes);
        }
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        self.decode(text::shown(name), line).map(Cow::into_owned)
    }

    /// The input that `line` is, which is called `name` in messages.
    pub fn decode<'a>(&self, name: &str, line: &'a [u8]) -> Result<Cow<'a, [u8]>, Failure> {
        if !self.escaped {
            return Ok(line.into());
        }
        let source = Source::from_utf8(name, line)?;
        match Input::from_escaped(source.text()) {
            Ok(input) => Ok(input.0.into_vec().into()),
            Err(error) => {
                let span = error.begin..error.begin + error.escape.len();
                Err(Diagnostic::error(error.to_string()).at(&source, span, "here").into())
            }
        }
    }
}
