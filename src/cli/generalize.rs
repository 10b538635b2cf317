//! `grambench generalize`: a failing input abstracted to a pattern.

use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::base::budget::{Interrupt, StopReason};
use crate::base::random_stream::RandomStream;
use crate::generalize::{Example, GENERALIZERS, GeneralizeError, GeneralizerSettings, RandomContextSampler};
use crate::produce::{LimitProducer, producer};
use crate::reduce::{Failing, REDUCERS, ReduceError, Syntax, reducer};

use crate::validate::{Answer, AutomatonValidator, Validator};

use super::Done;
use super::arguments::{OutputFormat, plug_in};
use super::evidence::Evidence;
use super::exit::{Code, Failure};
use super::reasons::Reasons;
use super::target::TargetArguments;
use super::text;

/// Abstract a failing input to the pattern that makes it fail
///
/// The input is reduced first. Each part of it that may be anything becomes a placeholder. Then the smallest
/// part is found that makes an input fail in every context. Two lines go to standard output: the
/// abstract input, and the pattern of that part, as `specialize`, `produce` and `validate` take it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    grambench generalize --bug expr-double-paren\n\n\
    A document \"fails\" when grep finds an empty key in it:\n  \
    grambench generalize --grammar grammars/json.ebnf --input examples/orders.json \\\n      \
    --fail-on 'exit 0' -- grep '\"\":' {file}")]
pub struct Generalize {
    #[command(flatten)]
    target: TargetArguments,
    /// The generalizer: its name, or a table with settings of its own as in a config, such as
    /// `{ name = "ddset", characteristic = "static" }`
    #[arg(long, value_name = "NAME", default_value = GENERALIZERS.default(), value_parser = plug_in(&GENERALIZERS))]
    generalizer: String,
    /// How many random fills of a part must fail in a row for it to be taken as abstract
    #[arg(long, value_name = "N", default_value_t = GeneralizerSettings::default().checks, value_parser = at_least_one)]
    checks: usize,
    /// For `ddset`: how the characteristic node is found, by asking the oracle, or by the papers' static rule
    /// [default: asked]
    #[arg(long, value_name = "HOW", value_parser = ["asked", "static"])]
    characteristic: Option<String>,
    /// Down to this depth fills choose any rule, below it the cheapest ones
    #[arg(long, value_name = "N", default_value_t = LimitProducer::DEFAULT_LIMIT)]
    depth: u32,
    /// The same seed gives the same fills
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Do not reduce the input first
    #[arg(long)]
    no_reduction: bool,
    /// Say why parts of the input stay as they are, and why the pattern is no smaller: what was tried there, and the input that
    /// did not fail; and of an expression with several alternatives, what each of them is needed for
    #[arg(long)]
    explain: bool,
    /// `json` writes the result and its figures as a JSON object
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Generalize {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let target = self.target.open(interrupt.clone(), 1)?;
        let Some(grammar) = &target.grammar else {
            return Err(Failure::usage("a generalization needs a grammar: give --grammar"));
        };
        let own = self.characteristic.iter().map(|how| ("characteristic", format!("{how:?}")));
        let variant = GENERALIZERS.parse(&self.generalizer, &own.collect::<Vec<_>>())?;
        let generalizer = (variant.make)(self.checks);
        let producer = producer("limit", grammar, None, self.depth, target.parsing())?;
        let parser = target.parser(grammar)?;
        let progress = target.progress(if self.no_reduction { "generalization" } else { "reduction" });
        let watched = progress.watching(target.oracle(), target.timeout_as());
        let mut judge = target.judge_by(&watched);
        let mut tree = target.parse(&parser, &target.input)?;
        if !self.no_reduction {
            let parse = |text: &[u8]| parser.first_tree(text);
            let derives = |text: &[u8]| parser.recognizes(text);
            let syntax = Syntax { grammar, tree: &tree, parse: &parse, derives: &derives };
            let failing = Failing { text: &target.input, syntax: Some(syntax) };
            let reducer = reducer(REDUCERS.default()).map_err(Failure::usage)?;
            let reduced = match reducer.reduce(failing, &mut judge) {
                Ok(reduced) => reduced,
                Err(ReduceError::NotFailing(_)) => return Err(target.does_not_fail(&judge)),
                Err(error) => return Err(error.into()),
            };
            tree = target.parse(&parser, &reduced.text)?;
        }
        let reduction = judge.executions();
        progress.begin("generalization");
        let given = &target.input;
        let dictionary = target.dictionary();
        let example =
            Example { grammar, tree: &tree, parser: &parser, producer: &*producer, given, dictionary };
        let mut sampler = RandomContextSampler::new(&parser, &*producer, self.depth as usize);
        let mut stream = RandomStream::derive(self.seed, "generalize");
        let found = match generalizer.generalize(example, &mut sampler, &mut judge, &mut stream) {
            Ok(found) => found,
            Err(GeneralizeError::NotFailing(_)) => return Err(target.does_not_fail(&judge)),
            Err(error) => return Err(error.into()),
        };
        let reduced = tree.text(grammar);
        target.make_sure(&mut judge, &reduced)?;
        let expression = Arc::new(found.expression.clone());
        let limits = target.parsing().clone();
        let parser = Arc::new(parser);
        let validator = AutomatonValidator::new(Arc::clone(&parser), expression, limits)?;
        let holds_for_input = validator.validate(&target.input).is_ok_and(|answer| answer != Answer::None);
        let pattern = match (found.pattern(), self.format) {
            (None, OutputFormat::Text) => found.expression.lines(grammar),
            _ => found.expression.statement(grammar),
        };
        let executions = judge.executions();
        let log = judge.into_log();
        drop(progress);
        let evidence = match self.explain && found.pattern().is_none() {
            true => Evidence::new(grammar, &found.expression, &parser, &log, target.parsing())?,
            false => Evidence::default(),
        };
        let reasons = Reasons::new(grammar, &found);
        let abstract_input = found.abstract_input.as_ref();
        let plain = abstract_input.map(|input| input.pattern.plain(grammar));
        match self.format {
            OutputFormat::Text => {
                let plain = plain.map(|plain| format!("{plain}\n")).unwrap_or_default();
                text::print(format!("{plain}{pattern}\n").as_bytes())?;
                let phases: String = found
                    .phases
                    .iter()
                    .map(|phase| format!(", {} {}", phase.name, phase.executions))
                    .collect();
                eprintln!(
                    "{} executions: reduction {reduction}{phases}; {}{}",
                    executions,
                    found.stop,
                    if found.verified { "" } else { "; the pattern was not verified in other contexts" },
                );
                if let Some(line) = reasons.as_ref().and_then(Reasons::of_whole) {
                    eprintln!("{line}");
                }
                if let Some(reasons) = reasons.filter(|_| self.explain) {
                    reasons.lines().iter().for_each(|line| eprintln!("{line}"));
                }
                evidence.lines().iter().for_each(|line| eprintln!("{line}"));
                if !holds_for_input {
                    eprintln!(
                        "warning: the pattern does not occur in the failing input that was given, only in the reduced one"
                    );
                }
            }
            OutputFormat::Json => {
                let mut object = json!({
                    "generalizer": *variant.label,
                    "reduced": text::json_text(&reduced),
                    "abstract": plain,
                    "compact": abstract_input.map(|input| input.compact(grammar)),
                    "shared": abstract_input.map(|input| input.abstract_nodes.shared()),
                    "pattern": pattern,
                    "verified": found.verified,
                    "holds_for_input": holds_for_input,
                    "executions": executions,
                    "executions_reduction": reduction,
                    "executions_abstraction": found.executions_of("abstraction"),
                    "executions_isolation": found.executions_of("isolation"),
                    "executions_characteristic": found.executions_of("characteristic"),
                    "stop": found.stop.as_str(),
                });
                if let Some(reasons) = reasons.filter(|_| self.explain) {
                    object["reasons"] = reasons.json();
                    object["alternatives"] = evidence.json();
                }
                text::print_json(&object)?;
            }
        }
        Ok(if found.stop == StopReason::Interrupted { Code::Interrupted } else { Code::Success })
    }
}

/// Reads a number of checks.
pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|&number| number > 0)
        .ok_or_else(|| "this is a whole number of at least 1".into())
}
