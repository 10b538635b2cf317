//! A verdict does not depend on what else the machine does.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::programs::*;
use grambench::oracle::{Cut, Oracle, Verdict};
use grambench::subject::command::{self, CommandOracle};
use grambench::subject::execution::RunLimits;
use grambench::subject::pool::{Pool, PoolSettings};
use grambench::subject::rules::Rules;

/// Works for as many milliseconds of processor time as its input says, or sleeps if that is `sleep`.
const PROGRAM: &str = r#"
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **words) {
    if (words[1][0] == 's') { sleep(100); return 0; }
    clock_t end = atol(words[1]) * (CLOCKS_PER_SEC / 1000);
    while (clock() < end) {}
    return 3;
}
"#;

/// What a run may take of processor time, and what it takes under load, in milliseconds: by the clock longer than it may, even where the
/// scheduler leaves half of a processor to it.
const TIMEOUT: Duration = Duration::from_millis(300);
const WORK: &[u8] = b"210";

/// The number of runs under load, and the most of them where none has shown that there is any.
const RUNS: usize = 6;
const MOST_RUNS: usize = 40;

/// Keeps all processors busy with `threads` threads while `work` is done, but never longer than a minute.
fn under_load<T>(threads: usize, work: impl FnOnce() -> T) -> T {
    let (is_over, end) = (AtomicBool::new(false), Instant::now() + Duration::from_secs(60));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) && Instant::now() < end {
                    std::hint::spin_loop();
                }
            });
        }
        let _stop = Stop(&is_over);
        work()
    })
}

/// Ends the load, also when what is done under it panics.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_verdict_is_the_same_at_a_load_of_eight() {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("works.c"), folder.path().join("works"));
    std::fs::write(&source, PROGRAM).unwrap();
    if !Command::new("cc").arg("-o").args([&program, &source]).status().is_ok_and(|status| status.success()) {
        eprintln!("no C compiler: nothing can be measured");
        return;
    }
    let pool = PoolSettings { workers: 2, ..settings(folder.path()) };
    let pool = Arc::new(Pool::new(pool).unwrap());
    let words = [program.into_os_string(), "{input}".into()];
    let judge = |input: &[u8], wall: u64| {
        let limits = RunLimits { wall: Duration::from_secs(wall), ..RunLimits::of_timeout(TIMEOUT) };
        let command = command::Command::ad_hoc(&pool, &words, None, limits).unwrap();
        let begin = Instant::now();
        let judgement = CommandOracle::new(command, Rules::default()).judge(input).unwrap();
        (judgement.verdict, judgement.cut(), judgement.evidence.to_string(), begin.elapsed())
    };
    let processors = thread::available_parallelism().unwrap().get();
    under_load(8 * processors, || {
        // A scheduler that shares processors among groups of processes rather than threads may let many of these runs have much of one.
        let (mut runs, mut longest) = (0, Duration::ZERO);
        while runs < RUNS || runs < MOST_RUNS && longest <= TIMEOUT {
            let (verdict, _, evidence, time) = judge(WORK, 60);
            assert_eq!((verdict, &*evidence), (Verdict::Pass, "exit 3"), "in {time:?}");
            (runs, longest) = (runs + 1, longest.max(time));
        }
        assert!(longest > TIMEOUT, "there is no load: {longest:?}");
    });
    // What uses up its time is a timeout by that, and not by the clock.
    let (verdict, cut, evidence, _) = judge(b"100000", 60);
    assert_eq!((verdict, cut, &*evidence), (Verdict::Timeout, None, "timeout"));
    // What waits is one by the clock.
    let (verdict, cut, ..) = judge(b"sleep", 1);
    assert_eq!((verdict, cut), (Verdict::Timeout, Some(Cut::WallTime)));
}
