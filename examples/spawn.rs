//! What an execution costs: judges the same input again and again with the oracle that campaigns use.
//!
//! `spawn COUNT PROGRAM...` prints the microseconds per execution. Used by `scripts/bench-spawn`.

use std::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use grambench::oracle::{Oracle, Verdict};
use grambench::subject::command::{Command, CommandOracle};
use grambench::subject::execution::RunLimits;
use grambench::subject::launcher;
use grambench::subject::pool::{Pool, PoolSettings};
use grambench::subject::rules::Rules;

fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|word| word == launcher::WORD) {
        return launcher::main();
    }
    let count = arguments.first().and_then(|count| count.to_str()?.parse().ok());
    let Some(count) = count else {
        eprintln!("usage: spawn COUNT PROGRAM...");
        return ExitCode::from(2);
    };
    match measure(count, &arguments.split_off(1)) {
        Ok(cost) => {
            println!("{cost:.1}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(count: u32, words: &[OsString]) -> Result<f64, Box<dyn Error>> {
    let pool = Arc::new(Pool::new(PoolSettings::default())?);
    let command = Command::ad_hoc(&pool, words, None, RunLimits::default())?;
    let oracle = CommandOracle::new(command, Rules::default());
    // The launcher starts with the first.
    oracle.judge(b"")?;
    let begin = Instant::now();
    for _ in 0..count {
        let judgement = oracle.judge(b"")?;
        if judgement.verdict != Verdict::Pass {
            return Err(format!("unexpected: {}", judgement.evidence).into());
        }
    }
    Ok(begin.elapsed().as_secs_f64() * 1e6 / f64::from(count))
}
