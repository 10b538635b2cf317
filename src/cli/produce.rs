//! `grambench produce`: random inputs of a grammar.

use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::base::stream::Stream;
use crate::parse::Parser;
use crate::produce::{NAMES, Unproductive, distinct, producer};
use crate::transform::{AutomatonTransformer, Transformer};
use crate::validate::{Answer, AutomatonValidator, Validator};

use super::Done;
use super::arguments::{ExpressionArguments, GrammarArguments, OutputFormat};
use super::exit::{Code, Failure};
use super::text;

/// Write random distinct inputs of a grammar, or of an expression
///
/// Each input stands on a line of its own, unless --null ends it by a zero byte. With an expression, each
/// input satisfies it in every parse. The same seed gives the same inputs.
#[derive(Args, Debug)]
#[command(after_help = "Example: five JSON texts with an empty key:\n  \
    grambench produce --grammar grammars/json.ebnf --count 5 \\\n      \
    --pattern '<item> is \"\\\"\\\": <elt>\"'")]
pub struct Produce {
    #[command(flatten)]
    grammar: GrammarArguments,
    #[command(flatten)]
    expression: ExpressionArguments,
    /// How many inputs
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    count: usize,
    /// The producer
    #[arg(long, value_name = "NAME", default_value = "limit", value_parser = NAMES)]
    producer: String,
    /// Down to this depth any rule is chosen, below it the cheapest ones
    #[arg(long, value_name = "N", default_value_t = crate::produce::LimitProducer::DEFAULT_LIMIT)]
    depth: u32,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// End each input by a zero byte instead of a line end
    #[arg(long, short = '0')]
    null: bool,
    /// `json` writes a JSON object for each input
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Produce {
    pub(super) fn run(&self) -> Done {
        let base = self.grammar.read()?;
        let expression = self.expression.read(&base)?;
        let (grammar, validator) = match &expression {
            None => (Arc::clone(&base), None),
            Some(expression) => {
                let special =
                    AutomatonTransformer::default().specialize(&base, expression).map_err(Failure::usage)?;
                let parser = Arc::new(Parser::new(Arc::new(base.with_start(expression.start))));
                let validator =
                    AutomatonValidator::new(parser, Arc::clone(expression)).map_err(Failure::usage)?;
                (special.grammar, Some(validator))
            }
        };
        let producer = producer(&self.producer, &grammar, self.depth)
            .ok_or_else(|| Failure::usage("there is no such producer"))?;
        let mut stream = Stream::derive(self.seed, "produce");
        let accept = |input: &[u8]| -> Result<bool, Unproductive> {
            // Another parse of an ambiguous input may betray it.
            Ok(validator
                .as_ref()
                .is_none_or(|validator| validator.validate(input).ok() == Some(Answer::Every)))
        };
        let produced =
            distinct(&*producer, grammar.start(), &mut stream, self.count, accept).map_err(|_| {
                let what = if expression.is_some() {
                    "no input of the grammar satisfies the expression"
                } else {
                    "the grammar derives no input"
                };
                Failure::new(Code::No, what)
            })?;
        for input in &produced.inputs {
            match self.format {
                OutputFormat::Text => {
                    text::print(input)?;
                    text::print(if self.null { b"\0" } else { b"\n" })?;
                }
                OutputFormat::Json => text::print_json(&json!({ "input": text::json_text(input) }))?,
            }
        }
        if produced.inputs.len() < self.count {
            eprintln!(
                "warning: only {} distinct inputs came of the {} that were asked for, in {} draws",
                produced.inputs.len(),
                self.count,
                produced.produced
            );
        }
        Ok(Code::Success)
    }
}
