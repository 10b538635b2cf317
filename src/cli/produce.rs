//! `grambench produce`: random inputs of a grammar.

use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::base::budget::Interrupt;
use crate::base::limits::Exceeded;
use crate::base::random_stream::RandomStream;
use crate::grammar::Grammar;
use crate::parse::Parser;
use crate::produce::{
    BoundTextProducer, Lengths, LimitProducer, PRODUCERS, ProducerSpec, Unproductive, distinct, repeated,
};
use crate::transform::{AutomatonTransformer, Transformer};
use crate::validate::{Answer, AutomatonValidator, Unanswered, Validator};

use super::Done;
use super::arguments::{ExpressionArguments, GrammarArguments, LimitArguments, OutputFormat, plug_in};
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
    #[command(flatten)]
    limits: LimitArguments,
    /// How many inputs
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    count: usize,
    /// The producer: `limit` chooses rules at random; `uniform` makes every derivation of a length
    /// equally likely; `coverage` takes every path of --paths symbols as early as possible. Or a table with its
    /// settings as in a config, such as `{ name = "uniform", length = "30" }`
    #[arg(long, value_name = "NAME", default_value = PRODUCERS.default(), value_parser = plug_in(&PRODUCERS))]
    producer: String,
    /// For `limit` and `coverage`: down to this depth any rule is chosen, below it the cheapest ones
    #[arg(long, value_name = "N", default_value_t = LimitProducer::DEFAULT_LIMIT)]
    depth: u32,
    /// For `uniform`: the length in bytes, or a range of lengths, both ends included [default: 0..40]
    #[arg(long, value_name = "LENGTHS")]
    length: Option<Lengths>,
    /// For `coverage`: the number of symbols in a path, from 2 to 8 [default: 3]
    #[arg(long, value_name = "N")]
    paths: Option<usize>,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write each input once, as is done unless --repeats is given; fewer inputs than asked for are told
    #[arg(long, overrides_with = "repeats")]
    distinct: bool,
    /// Let inputs come again, as they are drawn
    #[arg(long, overrides_with = "distinct")]
    repeats: bool,
    /// End each input by a zero byte instead of a line end
    #[arg(long, short = '0')]
    null: bool,
    /// `json` writes a JSON object for each input
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Produce {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let limits = self.limits.limits(interrupt);
        let base = self.grammar.read()?;
        let expression = self.expression.read(&base)?;
        let length = self.length.map(|length| ("length", format!("\"{length}\"")));
        let paths = self.paths.map(|paths| ("paths", paths.to_string()));
        let own: Vec<_> = length.into_iter().chain(paths).collect();
        let variant = PRODUCERS.parse(&self.producer, &own)?;
        let make = |grammar: &Arc<Grammar>, words| {
            (variant.make)(ProducerSpec { grammar, words, depth: self.depth, limits: &limits })
        };
        let (grammar, producer, special) = match &expression {
            None => (Arc::clone(&base), make(&base, None)?, None),
            Some(expression) => {
                let special = AutomatonTransformer::within(limits.clone()).specialize(&base, expression)?;
                let parser = Parser::within(Arc::new(base.with_start(expression.start)), &limits)?;
                let parser = Arc::new(parser);
                let validator =
                    AutomatonValidator::new(Arc::clone(&parser), Arc::clone(expression), limits.clone())?;
                let producer = make(&special.grammar, parser.lexis())?;
                (special.grammar, producer, Some((parser, validator)))
            }
        };
        let lengths = producer.lengths();
        let (producer, validator) = match (&expression, special) {
            (Some(expression), Some((parser, validator))) => {
                (BoundTextProducer::around(producer, &parser, expression, true), Some(validator))
            }
            _ => (producer, None),
        };
        let mut stream = RandomStream::derive(self.seed, "produce");
        let mut meter = limits.meter();
        let accept = |input: &[u8]| -> Result<bool, Stopped> {
            meter.check()?;
            // Making texts equal may have changed the length.
            let is_right_length = lengths.is_none_or(|lengths| lengths.contains(input.len()));
            // Another parse of an ambiguous input may betray it, and so may texts that are not equal.
            let Some(validator) = validator.as_ref().filter(|_| is_right_length) else {
                return Ok(is_right_length);
            };
            match validator.validate(input) {
                Err(Unanswered::Exceeded(exceeded)) => Err(exceeded.into()),
                answer => Ok(answer == Ok(Answer::Every)),
            }
        };
        let (start, wanted) = (grammar.start(), self.count);
        let produced = match self.repeats {
            true => repeated(&*producer, start, &mut stream, wanted, accept),
            false => distinct(&*producer, start, &mut stream, wanted, accept),
        };
        let produced = produced.map_err(|reason| {
            let length = match reason {
                Stopped::Exceeded(exceeded) => return exceeded.into(),
                Stopped::Unproductive(Unproductive::Nothing) => String::new(),
                Stopped::Unproductive(Unproductive::Length(lengths)) => format!(" of {lengths} bytes"),
            };
            let what = if expression.is_some() {
                format!("no input{length} of the grammar satisfies the expression")
            } else {
                format!("the grammar derives no input{length}")
            };
            Failure::new(Code::No, what)
        })?;
        let mut output = Vec::new();
        for input in &produced.inputs {
            match self.format {
                OutputFormat::Text => {
                    output.extend_from_slice(input);
                    output.push(if self.null { 0 } else { b'\n' });
                }
                OutputFormat::Json => {
                    let line = json!({ "input": text::json_text(input) });
                    output.extend_from_slice(format!("{line}\n").as_bytes());
                }
            }
        }
        text::print(&output)?;
        if produced.inputs.len() < self.count {
            eprintln!(
                "warning: only {} {}inputs came of the {} that were asked for, in {} draws",
                produced.inputs.len(),
                if self.repeats { "" } else { "distinct " },
                self.count,
                produced.produced
            );
        }
        Ok(Code::Success)
    }
}

/// Why not all inputs could be produced.
enum Stopped {
    Unproductive(Unproductive),
    Exceeded(Exceeded),
}

impl From<Unproductive> for Stopped {
    fn from(reason: Unproductive) -> Self {
        Self::Unproductive(reason)
    }
}

impl From<Exceeded> for Stopped {
    fn from(exceeded: Exceeded) -> Self {
        Self::Exceeded(exceeded)
    }
}
