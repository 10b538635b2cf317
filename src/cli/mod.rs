//! The command line: arguments, progress, exit codes.
//!
//! One module for each command; [`arguments`] has what several of them share, [`progress`] and
//! [`search_progress`] are the only places that know the terminal.

mod arguments;
mod batch;
mod best_so_far;
mod check;
mod check_grammar;
mod check_sandbox;
mod compare;
mod completions;
mod count;
mod escaped;
mod events;
mod evidence;
mod exit;
mod explain;
mod generalize;
mod history;
mod inputs;
mod interrupt;
mod merge;
mod occurrences;
mod parse;
mod prepare;
mod produce;
mod progress;
mod reasons;
mod reduce;
mod report;
mod repro;
mod run;
mod search_progress;
mod specialize;
mod target;
mod text;
mod usage_hint;
mod validate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::base::budget::Interrupt;

use crate::subject::running;
use exit::{Code, Failure};

/// Measure how accurately specialized grammars produce and validate targeted inputs
///
/// `run` does everything that a config file describes. The other commands are the parts of that, for a
/// grammar, a program and a failing input of your own.
#[derive(Debug, Parser)]
#[command(name = "grambench", version, about, max_term_width = 100, after_help = AFTER)]
struct Call {
    #[command(subcommand)]
    command: Command,
}

const AFTER: &str = "\
First steps, in the folder of a fresh clone:
  grambench run configs/quick.toml
  grambench generalize --bug expr-double-paren

Exit codes:
  0    done
  1    the answer is no: an input does not satisfy the expression, none can, or a run got worse
  2    the call, a file or an input is wrong
  3    some tasks of a campaign failed; the others are in the tables
  4    a subject is unfit for use, or cannot be prepared
  130  interrupted; a campaign goes on where it was when the same command is given again";

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    Report(report::Report),
    Inputs(inputs::Inputs),
    Compare(compare::Compare),
    History(history::History),
    Repro(repro::Repro),
    Merge(merge::Merge),
    Prepare(prepare::Prepare),
    Check(check::Check),
    Parse(parse::Parse),
    Reduce(reduce::Reduce),
    Generalize(generalize::Generalize),
    Specialize(specialize::Specialize),
    Explain(explain::Explain),
    Count(count::Count),
    Produce(produce::Produce),
    Validate(validate::Validate),
    Completions(completions::Completions),
}

/// Does what the command line asks for.
pub fn main() -> ExitCode {
    let call = Call::try_parse().unwrap_or_else(|error| usage_hint::with_hint(error).exit());
    let done = interrupt::interrupt().and_then(|interrupt| call.command.run(&interrupt));
    let code = match done {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure}");
            failure.code()
        }
    };
    // A thread that was left behind may own a launcher still.
    running::end_all();
    code.into()
}

impl Command {
    fn run(&self, interrupt: &Interrupt) -> Done {
        match self {
            Self::Run(run) => run.run(interrupt),
            Self::Report(report) => report.run(),
            Self::Inputs(inputs) => inputs.run(),
            Self::Compare(compare) => compare.run(),
            Self::History(history) => history.run(),
            Self::Merge(merge) => merge.run(),
            Self::Repro(repro) => repro.run(interrupt),
            Self::Prepare(prepare) => prepare.run(interrupt),
            Self::Check(check) => check.run(interrupt),
            Self::Parse(parse) => parse.run(interrupt),
            Self::Reduce(reduce) => reduce.run(interrupt),
            Self::Generalize(generalize) => generalize.run(interrupt),
            Self::Specialize(specialize) => specialize.run(interrupt),
            Self::Explain(explain) => explain.run(interrupt),
            Self::Count(count) => count.run(interrupt),
            Self::Produce(produce) => produce.run(interrupt),
            Self::Validate(validate) => validate.run(interrupt),
            Self::Completions(completions) => completions.run(),
        }
    }
}

/// What a command comes to.
type Done = Result<Code, Failure>;
