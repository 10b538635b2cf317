//! Reads files and standard input, and writes standard output.

use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source, help_for_missing};
use crate::grammar::antlr;
use crate::grammar::format::{self, Format};

use super::exit::{Code, Failure};

/// Reads the file called `name`, or standard input when it is `-`.
pub fn read(name: &str) -> Result<Vec<u8>, Failure> {
    let text = if name == "-" {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text).map(|_| text)
    } else {
        fs::read(name)
    };
    text.map_err(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            return Failure::usage(format!("cannot read `{}`: {error}", shown(name)));
        }
        let missing = Diagnostic::error(format!("there is no file `{name}`"));
        match help_for_missing(Path::new(name)) {
            Some(help) => missing.help(help).into(),
            None => missing.into(),
        }
    })
}

/// Reads a file, or standard input, that a user wrote as text.
pub fn read_source(name: &str) -> Result<Arc<Source>, Failure> {
    Ok(Source::from_utf8(shown(name), &read(name)?)?)
}

/// Reads the grammar in a file; what it needs is looked for beside it. The nonterminal `start` takes the place of its start symbol.
pub fn read_grammar(
    name: &str,
    format: Option<Format>,
    start: Option<&str>,
) -> Result<format::Read, Failure> {
    let source = read_source(name)?;
    Ok(format::read_with(&source, format, start, &antlr::beside(Path::new(name)))?)
}

/// Says on standard error, in a line, that there are warnings of a grammar, and where to read them.
pub fn mention_warnings(name: &str, warnings: &[Diagnostic]) {
    let first = match warnings {
        [] => return,
        [only] => only.message().to_owned(),
        [first, rest @ ..] => format!("{}, and {} more", first.message(), rest.len()),
    };
    eprintln!("warning: {}: {first}; see `grambench check grammar {name}`", shown(name));
}

/// How a file is called in messages.
pub fn shown(name: &str) -> &str {
    if name == "-" { "standard input" } else { name }
}

/// Writes to standard output. A reader that goes away early (`| head`) is no error.
pub fn print(text: &[u8]) -> Result<(), Failure> {
    write(|output| output.write_all(text))
}

/// Writes to standard output piece by piece, so that the whole never is in memory. As [`print`](fn@print).
pub fn write(pieces: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match pieces(&mut output).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Code::Usage, format!("error: cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// A line of JSON.
pub fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(format!("{value}\n").as_bytes())
}

/// Bytes as a JSON string; what is not UTF-8 becomes replacement characters.
pub fn json_text(bytes: &[u8]) -> serde_json::Value {
    String::from_utf8_lossy(bytes).into()
}
