//! `grambench reduce`: a failing input made smaller.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::base::budget::{Interrupt, StopReason};
use crate::base::diagnostic::Diagnostic;
use crate::oracle::{Ahead, News, Oracle, OtherFailure, PassFigures, Rate};
use crate::reduce::{Failing, ReduceError, Reduced, Syntax, reduce_confirmed};
use crate::subject::reducer_command::ALL_REDUCERS;

use super::Done;
use super::arguments::{OutputFormat, jobs, plug_in};
use super::best_so_far::{self, BestSoFar};
use super::exit::{Code, Failure};
use super::reasons;
use super::target::TargetArguments;
use super::text;

/// Make a failing input smaller
///
/// The program runs on smaller and smaller inputs, as long as one fails as --fail-on says. The smallest goes
/// to standard output, or with --output to a file, which has the smallest so far at any time; figures go to standard
/// error. Programs run confined, each time in an empty folder: they can write nowhere else and have no network.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    grambench reduce --bug expr-double-paren\n\n\
    A document \"fails\" when grep finds an empty key in it:\n  \
    grambench reduce --grammar grammars/json.ebnf --input examples/orders.json \\\n      \
    --fail-on 'exit 0' -- grep '\"\":' {file}\n\n\
    The passes of several reducers, one after the other:\n  \
    grambench reduce --bug json-check \\\n      \
    --reducer '{ passes = [\"hdd-hoist\", \"tokens\"], minimizer = \"cdd\" }'")]
pub struct Reduce {
    #[command(flatten)]
    target: TargetArguments,
    /// The reducer: its name, or a table with settings of its own as in a config, such as
    /// `{ name = "ddmin", units = "lines" }`; docs/reducers.md has them all
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = plug_in(&ALL_REDUCERS))]
    reducer: String,
    /// The file for the result: whenever a smaller failing input is found, it takes the place of the one before at once or not
    /// at all, so that a run that is killed has lost nothing
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Take whatever --fail-on says for the failure. Otherwise an input that fails in another way than the given one, such as by
    /// another signal, is kept apart, and listed as another bug that was found on the way
    #[arg(long)]
    any_failure: bool,
    /// Say why the result is no smaller: each part of it without which, or with something shorter in its place, an input was tried that does not
    /// fail
    #[arg(long)]
    explain: bool,
    /// How many runs of the program are under way at once. What is likely to be asked next is judged ahead of need; the result, and the
    /// executions that lead to it, are the same for any number
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = jobs())]
    jobs: u16,
    /// `json` writes the result and its figures as a JSON object
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Reduce {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let jobs = usize::from(self.jobs);
        // What is needed does not wait for what is judged ahead of need.
        let runs = if jobs > 1 { jobs + 1 } else { 1 };
        let target = self.target.open(interrupt.clone(), runs)?;
        let reducer = ALL_REDUCERS.parse(&self.reducer, &[])?;
        let parser = match &target.grammar {
            Some(grammar) => Some(target.parser(grammar)?),
            None => None,
        };
        let tree = match &parser {
            Some(parser) => Some(target.parse(parser, &target.input)?),
            None => None,
        };
        let parse = |text: &[u8]| match &parser {
            Some(parser) => parser.first_tree(text),
            None => Ok(None),
        };
        let derives = |text: &[u8]| match &parser {
            Some(parser) => parser.recognizes(text),
            None => Ok(false),
        };
        let syntax = match (&target.grammar, &tree) {
            (Some(grammar), Some(tree)) => Some(Syntax { grammar, tree, parse: &parse, derives: &derives }),
            _ => None,
        };
        let speculation = target.speculation(jobs);
        let oracle: &dyn Oracle = speculation.as_ref().map_or(target.oracle(), |speculation| speculation);
        let rate = target.rate(oracle)?;
        warn_unless_steady("the failing input", rate);
        target.refuse_if_all_fails(self.any_failure)?;
        let progress = target.progress("reduction");
        let watched = progress.watching(oracle, target.timeout_as());
        let best = self.output.as_deref().map(BestSoFar::new);
        let hear = |news: News<'_>| best.as_ref().map_or(Ok(()), |best| best.hear(news));
        let mut judge = target.judge_by(&watched).telling(&hear);
        if let Some(speculation) = &speculation {
            judge = judge.speculating(speculation);
        }
        if rate.failed > 0 {
            judge = judge.confirming(&target.input, rate);
        }
        if !self.any_failure {
            judge = judge.seeking_one_failure();
        }
        if !self.explain {
            judge = judge.keeping_little();
        }
        let failing = Failing { text: &target.input, syntax };
        let (reduced, rate_of_result) = match reduce_confirmed(&*reducer.make, failing, &mut judge) {
            Ok(found) => found,
            Err(ReduceError::NotFailing(_)) => return Err(target.does_not_fail(&judge)),
            Err(error @ ReduceError::NoSyntax(_)) => {
                let help = "give --grammar, or choose `--reducer ddmin`, which needs none";
                return Err(Diagnostic::error(error.to_string()).help(help).into());
            }
            Err(error) => return Err(error.into()),
        };
        target.make_sure(&mut judge, &reduced.text)?;
        if let Some(file) = &self.output {
            best_so_far::replace(file, &reduced.text)
                .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", file.display())))?;
        }
        let rate_of_result = rate_of_result.unwrap_or_default();
        warn_unless_steady("the result", rate_of_result);
        let (confirmations, taken_back) = judge.confirmations();
        let why = self.explain.then(|| reasons::of_reduction(&reduced.text, judge.log()));
        let (executions, others, passes) =
            (judge.executions(), judge.other_failures(), judge.passes().to_vec());
        drop(judge);
        drop(progress);
        let stop = reduced.stop;
        let result = ReductionResult {
            reducer: reducer.label.to_string(),
            input_bytes: target.input.len(),
            reduced,
            rates: [rate, rate_of_result],
            executions,
            confirmations,
            taken_back,
            passes,
            others,
            why,
            ahead: (jobs > 1).then(|| speculation.map_or(Ahead::default(), |it| it.ahead())),
        };
        match self.format {
            OutputFormat::Text => {
                if self.output.is_none() {
                    text::print(&result.reduced.text)?;
                }
                eprintln!();
                result.lines().iter().for_each(|line| eprintln!("{line}"));
            }
            OutputFormat::Json => text::print_json(&result.json())?,
        }
        Ok(if stop == StopReason::Interrupted { Code::Interrupted } else { Code::Success })
    }
}

/// A reduction that has ended, with its figures.
struct ReductionResult {
    reducer: String,
    input_bytes: usize,
    reduced: Reduced,
    /// How often the input failed, and the result.
    rates: [Rate; 2],
    executions: u64,
    confirmations: u64,
    taken_back: u64,
    passes: Vec<PassFigures>,
    others: Vec<OtherFailure>,
    /// Why the result is no smaller, where that was asked for.
    why: Option<Vec<String>>,
    /// What was judged ahead of need, where that was done.
    ahead: Option<Ahead>,
}

impl ReductionResult {
    /// What there is to tell beside the reduced input.
    fn lines(&self) -> Vec<String> {
        let [rate, rate_of_result] = self.rates;
        let (output_bytes, executions, stop) = (self.reduced.text.len(), self.executions, self.reduced.stop);
        let mut lines = vec![format!(
            "{} to {output_bytes} bytes, {executions} executions, {stop}; fails in {rate_of_result} runs, as the input in {rate}",
            self.input_bytes,
        )];
        if self.passes.len() > 1 {
            lines.extend(self.passes.iter().map(line_of));
        }
        if let Some(ahead) = &self.ahead {
            lines.push(format!(
                "judged ahead of need: {} inputs, {} of them in vain",
                ahead.begun,
                ahead.in_vain()
            ));
        }
        if self.taken_back > 0 {
            lines.push(format!("taken back, as they did not fail again: {} inputs", self.taken_back));
        }
        lines.extend(self.why.iter().flatten().cloned());
        lines.extend(self.others.iter().map(reasons::of_other));
        lines
    }

    /// The reduced input and all figures.
    fn json(&self) -> Value {
        let [rate, rate_of_result] = self.rates;
        let mut object = json!({
            "reducer": self.reducer,
            "input_bytes": self.input_bytes,
            "output_bytes": self.reduced.text.len(),
            "output": text::json_text(&self.reduced.text),
            "executions": self.executions,
            "stop": self.reduced.stop.as_str(),
            "input_failed": { "times": rate.failed, "of": rate.of },
            "output_failed": { "times": rate_of_result.failed, "of": rate_of_result.of },
            "confirmations": self.confirmations,
            "taken_back": self.taken_back,
            "passes": self.passes.iter().map(json_of_pass).collect::<Vec<_>>(),
            "other_failures": self.others.iter().map(json_of).collect::<Vec<_>>(),
        });
        if let Some(ahead) = &self.ahead {
            object["ahead"] = ahead.begun.into();
            object["in_vain"] = ahead.in_vain().into();
        }
        if let Some(why) = &self.why {
            object["reasons"] = why.clone().into();
        }
        object
    }
}

/// Warns of an input that does not fail each time.
fn warn_unless_steady(what: &str, rate: Rate) {
    if rate.failed > 0 && !rate.is_steady() {
        eprintln!("warning: {what} fails in {rate} runs: the program is not deterministic");
    }
}

/// What a pass did, in a line.
fn line_of(figures: &PassFigures) -> String {
    let PassFigures { pass, turns, executions, accepted, bytes_removed } = figures;
    let turns = if *turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
    format!("{pass}: {turns}, {executions} executions, {accepted} accepted, {bytes_removed} bytes less")
}

fn json_of_pass(figures: &PassFigures) -> Value {
    let PassFigures { pass, turns, executions, accepted, bytes_removed } = figures;
    json!({
        "pass": pass,
        "turns": turns,
        "executions": executions,
        "accepted": accepted,
        "bytes_removed": bytes_removed,
    })
}

/// A failure that is not the one that was looked for.
fn json_of(other: &OtherFailure) -> Value {
    let OtherFailure { failure, verdict, inputs, smallest } = other;
    json!({
        "seen": failure.as_str(),
        "verdict": verdict.as_str(),
        "inputs": inputs,
        "smallest": text::json_text(smallest),
    })
}
