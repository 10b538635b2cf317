//! `grambench count`: how many inputs a grammar has, by length.

use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::automaton::exact_counts;
use crate::base::budget::Interrupt;
use crate::base::limits::Exceeded;
use crate::parse::Parser;
use crate::produce::Lengths;
use crate::transform::{AutomatonTransformer, Transformer};

use super::Done;
use super::arguments::{
    ExpressionArguments, GrammarArguments, LimitArguments, OutputFormat, expression_is_relaxed,
};
use super::exit::Code;
use super::text;

/// Count the inputs of each length, exactly
///
/// What is counted are derivations. Where the grammar is known to be unambiguous, each is an input of
/// its own, and the output says "inputs"; otherwise it says "derivations", and an input can have
/// several. Lengths are in bytes. With an expression, the derivations that satisfy it are counted.
#[derive(Args, Debug)]
#[command(after_help = "Example: JSON texts with an empty key:\n  \
    grambench count --grammar grammars/json.ebnf --length 0..20 \\\n      \
    --pattern '<item> is \"\\\"\\\": <elt>\"'")]
pub struct Count {
    #[command(flatten)]
    grammar: GrammarArguments,
    #[command(flatten)]
    expression: ExpressionArguments,
    #[command(flatten)]
    limits: LimitArguments,
    /// A length or a range of lengths, both ends included
    #[arg(long, value_name = "LENGTHS", default_value = "0..40")]
    length: Lengths,
    /// `json` writes a JSON object for each length, with the number as a string, as it can be large
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Count {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let limits = self.limits.limits(interrupt);
        let base = self.grammar.read()?;
        let (base, special) = match self.expression.read(&base)? {
            None => (Arc::clone(&base), base),
            Some(expression) => {
                let special = AutomatonTransformer::within(limits.clone()).specialize(&base, &expression)?;
                if expression.is_bound() {
                    eprintln!("{}\n", expression_is_relaxed("other inputs are counted as well"));
                }
                (Arc::new(base.with_start(expression.start)), special.grammar)
            }
        };
        let numbers = exact_counts(&special, special.start(), self.length.most, &mut limits.meter())?;
        // A specialized grammar has each tree of the base grammar at most once. Where the tables reach a limit
        // nothing is proved.
        let is_proved = match Parser::within(base, &limits) {
            Ok(parser) => parser.is_proved_unambiguous(),
            Err(Exceeded::Interrupted) => return Err(Exceeded::Interrupted.into()),
            Err(_) => false,
        };
        let what = if is_proved { "inputs" } else { "derivations" };
        let lengths = self.length.least..=self.length.most;
        match self.format {
            OutputFormat::Text => {
                let width = self.length.most.to_string().len().max("length".len());
                let mut table = format!("{:>width$}  {what}\n", "length");
                for length in lengths {
                    table += &format!("{length:>width$}  {}\n", numbers[length]);
                }
                text::print(table.as_bytes())?;
            }
            OutputFormat::Json => {
                for length in lengths {
                    text::print_json(&json!({ "length": length, what: numbers[length].to_string() }))?;
                }
            }
        }
        Ok(Code::Success)
    }
}
