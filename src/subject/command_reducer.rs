//! The `command` reducer: any program that takes a file and a test.
//!
//! So that the reducers of others stand in the same table. The program gets a file with the failing input and a test ([`super::judge_socket`]),
//! an executable that ends with 0 where a candidate fails. Each call of the test is a question to the judge, like those of any reducer: the same
//! oracle, the same executions, the same budget. Calls that a program makes at the same time are answered one after the other.
//!
//! The program is trusted, as what builds a subject is: it runs unconfined with the user's environment, in a folder of its own that is removed.
//! When its time is over, or the budget is used up, it is ended, and the smallest candidate that failed is the result.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::judge_socket::{Question, write_test};
use super::orphans;
use super::pool::OWN_EXECUTABLE;
use super::program;
use super::reducer_command::{ReducerCommand, expand};
use super::scratch::ScratchRoot;
use super::trusted::{Start, Trusted, shown};
use crate::base::budget::StopReason;
use crate::oracle::{Halt, Judge, Verdict};
use crate::reduce::{Failing, ReduceError, Reduced, Reducer, confirm};

/// How long the kernel may take to end what runs.
const LAST_MOMENTS: Duration = Duration::from_secs(2);
/// How often it is looked whether the time is over, in milliseconds.
const WATCH: i64 = 50;
/// The last bytes of what the program wrote, in which the last line is looked for.
const TAIL: usize = 4096;

/// Reduces by running a program.
pub(super) struct CommandReducer {
    settings: ReducerCommand,
}

impl CommandReducer {
    pub(super) fn new(settings: ReducerCommand) -> Self {
        Self { settings }
    }

    fn failed(&self, reason: impl ToString) -> ReduceError {
        let program = self.settings.words.first().cloned().unwrap_or_default();
        ReduceError::Command { program, reason: reason.to_string() }
    }
}

impl Reducer for CommandReducer {
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError> {
        let (text, stop) = match confirm(failing.text, judge)? {
            Some(stop) => (failing.text.to_vec(), stop),
            None => self.run(failing, judge)?,
        };
        let tree = match failing.syntax {
            Some(syntax) => (syntax.parse)(&text)?,
            None => None,
        };
        Ok(Reduced { text, tree, stop })
    }
}

impl CommandReducer {
    /// What the program makes of a failing input, and why it ended.
    fn run(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<(Vec<u8>, StopReason), ReduceError> {
        let failed = |error: io::Error| self.failed(error);
        let root = ScratchRoot::new(&std::env::temp_dir()).map_err(failed)?;
        let at = |name: &str| root.path().join(name);
        let name = match &self.settings.extension {
            Some(extension) => format!("input.{extension}"),
            None => "input".to_owned(),
        };
        // The program works elsewhere than where the input lies: a test takes a file of its name for the candidate.
        for folder in ["given", "work", "temporary"] {
            fs::create_dir(at(folder)).map_err(failed)?;
        }
        let input = at("given").join(&name);
        fs::write(&input, failing.text).map_err(failed)?;
        let listener = UnixListener::bind(at("socket")).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        write_test(&at("test"), &at("socket"), &name).map_err(failed)?;
        let place = |name: &str| {
            let path = match name {
                "input" => input.clone(),
                "test" => at("test"),
                "folder" => at("work"),
                _ => return None,
            };
            path.to_str().map(str::to_owned)
        };
        let unknown = |name: String| self.failed(format!("`{{{name}}}` stands for nothing here"));
        let words = self.settings.words.iter().map(|word| expand(word, &place).map_err(unknown));
        let words: Vec<OsString> =
            words.map(|word| Ok(OsString::from(word?))).collect::<Result<_, ReduceError>>()?;
        // A helper starts it, whose own words would say less of a program that is not there.
        let first = words.first().map(OsString::as_os_str).unwrap_or_default();
        program::find(first).map_err(|reason| self.failed(reason))?;
        let output = fs::File::create(at("output")).map_err(failed)?;
        let mark = at("temporary");
        let mut program = Trusted::start(Start {
            launcher: Path::new(OWN_EXECUTABLE),
            words: &words,
            folder: &at("work"),
            environment: &[],
            mark: (orphans::SCRATCH, &mark),
            output: output.into(),
            patience: LAST_MOMENTS,
        })
        .map_err(failed)?;
        let mut smallest = failing.text.to_vec();
        let stop = self.answer(&mut program, &listener, failing, judge, &mut smallest)?;
        let status = program.end().map_err(failed)?;
        if let Some(stop) = stop {
            return Ok((smallest, stop));
        }
        if !status.success() {
            let last = last_line(&at("output")).map_or_else(String::new, |line| format!(": {line}"));
            return Err(self.failed(format!("{}{last}", shown(status))));
        }
        let result = expand(&self.settings.result, &place).map_err(unknown)?;
        // A relative path is seen from the folder in which the program worked.
        let result = at("work").join(result);
        let missing = |error: io::Error| {
            self.failed(format!("it left no result in `{}`: {error}", self.settings.result))
        };
        let text = fs::read(&result).map_err(missing)?;
        match judge.judge(&text) {
            Ok(Verdict::Fail) if self.derives(failing, &text)? => Ok((text, StopReason::Done)),
            Ok(Verdict::Fail) => Err(self.failed("its result is no input of the grammar")),
            Ok(verdict) => Err(self.failed(format!("its result does not fail: its verdict is `{verdict}`"))),
            Err(Halt::Stop(stop)) => Ok((smallest, stop)),
            Err(Halt::Broken(error)) => Err(error.into()),
            Err(Halt::Exceeded(exceeded)) => Err(exceeded.into()),
        }
    }

    /// Whether a candidate that fails may count as failing.
    fn derives(&self, failing: Failing<'_>, candidate: &[u8]) -> Result<bool, ReduceError> {
        match failing.syntax {
            Some(syntax) if self.settings.grammatical => Ok((syntax.derives)(candidate)?),
            _ => Ok(true),
        }
    }

    /// Answers tests until the program has ended, or why it must. The smallest candidate that fails is kept.
    fn answer(
        &self,
        program: &mut Trusted,
        listener: &UnixListener,
        failing: Failing<'_>,
        judge: &mut Judge<'_>,
        smallest: &mut Vec<u8>,
    ) -> Result<Option<StopReason>, ReduceError> {
        let begin = Instant::now();
        loop {
            if begin.elapsed() >= self.settings.timeout {
                return Ok(Some(StopReason::Time));
            }
            if let Some(stop) = judge.is_over() {
                return Ok(Some(stop));
            }
            let [has_asked, has_ended] = {
                let mut fds = [PollFd::new(listener, PollFlags::IN), PollFd::new(&*program, PollFlags::IN)];
                let time = Timespec { tv_sec: 0, tv_nsec: WATCH * 1_000_000 };
                // When a signal comes in between, nothing is ready.
                let _ = poll(&mut fds, Some(&time));
                fds.map(|fd| !fd.revents().is_empty())
            };
            if has_asked && let Some(question) = Question::accept(listener) {
                match judge.judge(&question.candidate) {
                    Ok(verdict) => {
                        let fails = verdict == Verdict::Fail && self.derives(failing, &question.candidate)?;
                        if fails && question.candidate.len() < smallest.len() {
                            smallest.clone_from(&question.candidate);
                        }
                        question.answer(fails);
                    }
                    Err(Halt::Stop(stop)) => return Ok(Some(stop)),
                    Err(Halt::Broken(error)) => return Err(error.into()),
                    Err(Halt::Exceeded(exceeded)) => return Err(exceeded.into()),
                }
            } else if has_ended {
                return Ok(None);
            }
        }
    }
}

/// The last line of a file that says anything.
fn last_line(file: &Path) -> Option<String> {
    let text = fs::read(file).ok()?;
    let tail = String::from_utf8_lossy(&text[text.len().saturating_sub(TAIL)..]).into_owned();
    let line = tail.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.trim().chars().filter(|c| !c.is_control()).collect())
}
