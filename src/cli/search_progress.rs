//! Shows how a reduction or a generalization goes on: a line that changes on a terminal, now and then a line elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::oracle::{Examination, Failure, Judgement, Oracle, OracleError, TimeoutAs, Verdict};

/// Where there is no terminal, there is a line this often.
const EVERY: Duration = Duration::from_secs(10);

/// Progress on standard error, until it is dropped.
pub struct SearchProgress {
    state: Arc<State>,
    display: Display,
}

/// How far the work is.
#[derive(Debug)]
struct State {
    begin: Instant,
    phase: Mutex<&'static str>,
    executions: AtomicU64,
    /// The length of the input, and of the smallest that failed.
    given: usize,
    smallest: AtomicUsize,
    /// What was seen of the first input that failed: others are no progress.
    failure: OnceLock<Failure>,
}

enum Display {
    Nothing,
    Terminal(ProgressBar),
    Lines { end: Option<Sender<()>>, thread: Option<JoinHandle<()>> },
}

impl SearchProgress {
    /// The progress of work on an input of `given` bytes, which begins with `phase`; none that is seen when `quiet`.
    pub fn new(quiet: bool, given: usize, phase: &'static str) -> Self {
        let state = Arc::new(State::new(given, phase));
        let display = if quiet {
            Display::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} {spinner} {msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            Display::Terminal(bar)
        } else {
            lines(&state, EVERY, |line| {
                // Whoever reads along may have gone (`| head`): no reason to stop.
                let _ = writeln!(std::io::stderr(), "{line}");
            })
        };
        Self { state, display }
    }

    /// Says what comes next.
    pub fn begin(&self, phase: &'static str) {
        *self.state.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
        self.show();
    }

    /// `oracle`, whose executions are shown.
    pub fn watching<'a>(&'a self, oracle: &'a dyn Oracle, timeout_as: TimeoutAs) -> Watched<'a> {
        Watched { oracle, timeout_as, progress: self }
    }

    fn show(&self) {
        if let Display::Terminal(bar) = &self.display {
            bar.set_message(self.state.text());
        }
    }
}

impl Drop for SearchProgress {
    fn drop(&mut self) {
        match &mut self.display {
            Display::Nothing => {}
            Display::Terminal(bar) => bar.finish_and_clear(),
            Display::Lines { end, thread } => {
                drop(end.take());
                if let Some(thread) = thread.take() {
                    let _ = thread.join();
                }
            }
        }
    }
}

impl State {
    fn new(given: usize, phase: &'static str) -> Self {
        Self {
            begin: Instant::now(),
            phase: Mutex::new(phase),
            executions: AtomicU64::new(0),
            given,
            smallest: AtomicUsize::new(given),
            failure: OnceLock::new(),
        }
    }

    fn text(&self) -> String {
        let phase = *self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let executions = self.executions.load(Ordering::Relaxed);
        let rate = executions as f64 / self.begin.elapsed().as_secs_f64().max(0.001);
        let smallest = self.smallest.load(Ordering::Relaxed);
        format!("{phase}: {executions} executions, {rate:.0}/s, {smallest} of {} bytes", self.given)
    }
}

/// Says a line now and then, from a thread of its own: the work may be busy with something else than executions.
fn lines(state: &Arc<State>, every: Duration, say: impl Fn(&str) + Send + 'static) -> Display {
    let (end, ended) = channel::<()>();
    let state = Arc::clone(state);
    let thread = std::thread::spawn(move || {
        while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            let seconds = state.begin.elapsed().as_secs();
            say(&format!("[{:>3}:{:02}] {}", seconds / 60, seconds % 60, state.text()));
        }
    });
    Display::Lines { end: Some(end), thread: Some(thread) }
}

/// An oracle that tells how far the work with it is.
pub struct Watched<'a> {
    oracle: &'a dyn Oracle,
    timeout_as: TimeoutAs,
    progress: &'a SearchProgress,
}

impl Oracle for Watched<'_> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let judgement = self.oracle.judge(input)?;
        let state = &self.progress.state;
        state.executions.fetch_add(1, Ordering::Relaxed);
        if self.timeout_as.count(judgement.verdict) == Verdict::Fail
            && *state.failure.get_or_init(|| Failure::seen(&judgement)) == Failure::seen(&judgement)
        {
            state.smallest.fetch_min(input.len(), Ordering::Relaxed);
        }
        self.progress.show();
        Ok(judgement)
    }

    fn examine(&self, input: &[u8]) -> Result<Examination, OracleError> {
        self.oracle.examine(input)
    }

    fn repeat(&self, input: &[u8]) -> Result<Verdict, OracleError> {
        self.oracle.repeat(input)
    }

    fn repeat_times(&self, input: &[u8], times: u32) -> Result<Vec<Verdict>, OracleError> {
        self.oracle.repeat_times(input, times)
    }

    fn judge_again(&self, input: &[u8], earlier: Verdict) -> Result<Option<Judgement>, OracleError> {
        self.oracle.judge_again(input, earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct FailsIfLong;

    impl Oracle for FailsIfLong {
        fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
            let verdict = if input.len() > 2 { Verdict::Fail } else { Verdict::Pass };
            Ok(Judgement::new(verdict, ""))
        }
    }

    #[test]
    fn a_line_tells_the_phase_the_executions_and_the_smallest_input_now_and_then() {
        let state = Arc::new(State::new(5, "reduction"));
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let display = lines(&state, Duration::from_millis(5), move |line| {
            heard.lock().unwrap().push(line.to_owned());
        });
        let progress = SearchProgress { state, display };
        let watched = progress.watching(&FailsIfLong, TimeoutAs::Pass);
        for input in ["abcd", "abc", "ab"] {
            watched.judge(input.as_bytes()).unwrap();
        }
        progress.begin("generalization");
        while !said.lock().unwrap().iter().any(|line| line.contains("generalization: 3 executions")) {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(progress);
        let said = said.lock().unwrap();
        let last = said.last().unwrap();
        assert!(last.starts_with("[  0:00] ") && last.ends_with("/s, 3 of 5 bytes"), "{last}");
    }
}
