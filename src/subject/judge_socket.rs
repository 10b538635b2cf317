//! How a program that grambench has started asks it about inputs: a script that it runs as a test, and the socket behind it.
//!
//! The test finds the candidate where programs that reduce files leave it for a test: in the file that its first argument names, else in
//! a file of the given input's name in the current folder, else on standard input. It sends the candidate through a Unix socket and
//! ends with 0 where the verdict is `fail` (such programs call that interesting), and with 1 otherwise.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The argument that makes the program a test.
pub const WORD: &str = "__test";
/// The answer where an input fails.
const FAILS: u8 = 1;
/// How long a test may take to send what it was started for.
const PATIENCE: Duration = Duration::from_secs(20);
/// A candidate is no longer than this.
const MOST: u64 = 1 << 30;
/// The exit code where nobody answers.
const NO_ANSWER: u8 = 2;

/// The test's whole life: called by the program when [`WORD`] is its first argument. The socket and the name of the given input follow,
/// then the test's own arguments.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(2);
    let (Some(socket), Some(name)) = (words.next(), words.next()) else { return ExitCode::from(NO_ANSWER) };
    match ask(Path::new(&socket), name, words.next()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("the test gets no answer: {error}");
            ExitCode::from(NO_ANSWER)
        }
    }
}

fn ask(socket: &Path, name: OsString, argument: Option<OsString>) -> io::Result<bool> {
    let beside = PathBuf::from(name);
    let candidate = match argument {
        Some(file) => fs::read(file)?,
        None if beside.is_file() => fs::read(beside)?,
        None => {
            let mut text = Vec::new();
            io::stdin().read_to_end(&mut text)?;
            text
        }
    };
    let mut stream = UnixStream::connect(socket)?;
    stream.write_all(&candidate)?;
    stream.shutdown(Shutdown::Write)?;
    let mut answer = [0];
    stream.read_exact(&mut answer)?;
    Ok(answer[0] == FAILS)
}

/// Writes the script that is the test: it asks at `socket` about candidates for the input called `name`.
pub(super) fn write_test(script: &Path, socket: &Path, name: &str) -> io::Result<()> {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let path = |path: &Path| match path.to_str() {
        Some(path) => Ok(quoted(path)),
        None => Err(io::Error::other(format!("`{}` is no text", path.display()))),
    };
    let program = path(&std::env::current_exe()?)?;
    let text = format!("#!/bin/sh\nexec {program} {WORD} {} {} \"$@\"\n", path(socket)?, quoted(name));
    fs::write(script, text)?;
    fs::set_permissions(script, fs::Permissions::from_mode(0o755))
}

/// A test that waits for its answer.
pub(super) struct Question {
    stream: UnixStream,
    /// The candidate.
    pub(super) candidate: Vec<u8>,
}

impl Question {
    /// Takes the question of a test that knocks; `None` if it went away, or there is none.
    pub(super) fn accept(listener: &UnixListener) -> Option<Self> {
        let (mut stream, _) = listener.accept().ok()?;
        stream.set_nonblocking(false).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut candidate = Vec::new();
        let read = Read::by_ref(&mut stream).take(MOST).read_to_end(&mut candidate);
        read.ok().map(|_| Self { stream, candidate })
    }

    /// Tells the test whether its candidate fails.
    pub(super) fn answer(mut self, fails: bool) {
        // It may have gone away meanwhile.
        let _ = self.stream.write_all(&[if fails { FAILS } else { 0 }]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_sent_as_it_is_and_the_verdict_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let (socket, file) = (folder.path().join("socket"), folder.path().join("candidate"));
        let listener = UnixListener::bind(&socket).unwrap();
        for (text, fails) in [(&b"some\0text\xff"[..], true), (b"", false)] {
            fs::write(&file, text).unwrap();
            let answered = std::thread::scope(|scope| {
                let asking = scope.spawn(|| ask(&socket, "input".into(), Some(file.clone().into())));
                let question = Question::accept(&listener).unwrap();
                assert_eq!(question.candidate, text);
                question.answer(fails);
                asking.join().unwrap()
            });
            assert_eq!(answered.unwrap(), fails);
        }
    }

    #[test]
    fn whoever_is_gone_gives_no_answer() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("candidate");
        fs::write(&file, "x").unwrap();
        assert!(ask(&folder.path().join("socket"), "input".into(), Some(file.into())).is_err());
    }
}
