//! `grambench reduce`: a failing input made smaller.

use clap::Args;
use serde_json::json;

use crate::base::budget::{Interrupt, StopReason};
use crate::base::diagnostic::Diagnostic;
use crate::reduce::{Failing, REDUCERS, ReduceError, Syntax};

use super::Done;
use super::arguments::{OutputFormat, plug_in};
use super::exit::Code;
use super::target::TargetArguments;
use super::text;

/// Make a failing input smaller
///
/// The program runs on smaller and smaller inputs, as long as one fails as --fail-on says. The smallest goes
/// to standard output, figures go to standard error. Programs run confined, each time in an empty folder:
/// they can write nowhere else and have no network.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    grambench reduce --bug expr-double-paren\n\n\
    A document \"fails\" when grep finds an empty key in it:\n  \
    grambench reduce --grammar grammars/json.ebnf --input examples/orders.json \\\n      \
    --fail-on 'exit 0' -- grep '\"\":' {file}")]
pub struct Reduce {
    #[command(flatten)]
    target: TargetArguments,
    /// The reducer: its name, or a table with settings of its own as in a config, such as
    /// `{ name = "ddmin", ... }`
    #[arg(long, value_name = "NAME", default_value = REDUCERS.default(), value_parser = plug_in(&REDUCERS))]
    reducer: String,
    /// `json` writes the result and its figures as a JSON object
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Reduce {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let target = self.target.open(interrupt.clone())?;
        let reducer = REDUCERS.parse(&self.reducer, &[])?;
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
        let syntax = match (&target.grammar, &tree) {
            (Some(grammar), Some(tree)) => Some(Syntax { grammar, tree, parse: &parse }),
            _ => None,
        };
        let mut judge = target.judge();
        let reduced = match reducer.make.reduce(Failing { text: &target.input, syntax }, &mut judge) {
            Ok(reduced) => reduced,
            Err(ReduceError::NotFailing(_)) => return Err(target.does_not_fail(&judge)),
            Err(error @ ReduceError::NoSyntax(_)) => {
                let help = "give --grammar, or choose `--reducer ddmin`, which needs none";
                return Err(Diagnostic::error(error.to_string()).help(help).into());
            }
            Err(error) => return Err(error.into()),
        };
        target.make_sure(&mut judge, &reduced.text)?;
        let executions = judge.executions();
        match self.format {
            OutputFormat::Text => {
                text::print(&reduced.text)?;
                eprintln!(
                    "\n{} to {} bytes, {executions} executions, {}",
                    target.input.len(),
                    reduced.text.len(),
                    reduced.stop
                );
            }
            OutputFormat::Json => text::print_json(&json!({
                "reducer": *reducer.label,
                "input_bytes": target.input.len(),
                "output_bytes": reduced.text.len(),
                "output": text::json_text(&reduced.text),
                "executions": executions,
                "stop": reduced.stop.as_str(),
            }))?,
        }
        Ok(if reduced.stop == StopReason::Interrupted { Code::Interrupted } else { Code::Success })
    }
}
