//! `grambench generalize`: a failing input abstracted to a pattern.

use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use crate::base::budget::{Interrupt, StopReason};
use crate::base::random_stream::RandomStream;
use crate::generalize::{
    Example, GENERALIZERS, GeneralizeError, Generalized, GeneralizerSettings, RandomContextSampler,
};
use crate::grammar::Grammar;
use crate::produce::{LimitProducer, all_producers, producer};
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
        let parser = target.parser(grammar)?;
        let producer = producer("limit", grammar, parser.lexis(), self.depth, target.parsing())?;
        let producers = all_producers(grammar, parser.lexis(), self.depth, target.parsing())?;
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
        let dictionary = target.dictionary();
        let example = Example {
            grammar,
            tree: &tree,
            parser: &parser,
            producer: &*producer,
            producers: &producers,
            given: &target.input,
            dictionary,
        };
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
        let executions = judge.executions();
        let log = judge.into_log();
        drop(progress);
        let evidence = match self.explain && found.pattern().is_none() {
            true => Evidence::new(grammar, &found.expression, &parser, &log, target.parsing())?,
            false => Evidence::default(),
        };
        let result = GeneralizationResult {
            grammar,
            generalizer: variant.label.to_string(),
            reduced,
            reasons: Reasons::new(grammar, &found),
            found: &found,
            holds_for_input,
            executions,
            reduction,
            evidence,
            is_explained: self.explain,
        };
        match self.format {
            OutputFormat::Text => {
                text::print(result.patterns().as_bytes())?;
                result.lines().iter().for_each(|line| eprintln!("{line}"));
            }
            OutputFormat::Json => text::print_json(&result.json())?,
        }
        Ok(if found.stop == StopReason::Interrupted { Code::Interrupted } else { Code::Success })
    }
}

/// A generalization that has ended, with its figures.
struct GeneralizationResult<'a> {
    grammar: &'a Grammar,
    generalizer: String,
    reduced: Vec<u8>,
    reasons: Option<Reasons<'a>>,
    found: &'a Generalized,
    holds_for_input: bool,
    /// Those of all, and those of the reduction.
    executions: u64,
    reduction: u64,
    evidence: Evidence<'a>,
    /// Whether reasons were asked for.
    is_explained: bool,
}

impl GeneralizationResult<'_> {
    /// The abstract input, if there is one, and the pattern or expression, each in lines of its own.
    fn patterns(&self) -> String {
        let plain = self.plain().map(|plain| format!("{plain}\n")).unwrap_or_default();
        let pattern = match self.found.pattern() {
            None => self.found.expression.lines(self.grammar),
            Some(_) => self.found.expression.statement(self.grammar),
        };
        format!("{plain}{pattern}\n")
    }

    fn plain(&self) -> Option<String> {
        self.found.abstract_input.as_ref().map(|input| input.pattern.plain(self.grammar))
    }

    /// What there is to tell beside the pattern.
    fn lines(&self) -> Vec<String> {
        let phases = self.found.phases.iter();
        let phases: String = phases.map(|phase| format!(", {} {}", phase.name, phase.executions)).collect();
        let verified = match self.found.verified {
            true => "",
            false => "; the pattern was not verified in other contexts",
        };
        let (executions, reduction, stop) = (self.executions, self.reduction, self.found.stop);
        let mut lines =
            vec![format!("{executions} executions: reduction {reduction}{phases}; {stop}{verified}")];
        lines.extend(self.reasons.as_ref().and_then(Reasons::of_whole));
        if let Some(reasons) = self.reasons.as_ref().filter(|_| self.is_explained) {
            lines.extend(reasons.lines());
        }
        lines.extend(self.evidence.lines());
        if !self.holds_for_input {
            lines.push(
                "warning: the pattern does not occur in the failing input that was given, only in the reduced one"
                    .to_owned(),
            );
        }
        lines
    }

    /// The patterns and all figures.
    fn json(&self) -> Value {
        let abstract_input = self.found.abstract_input.as_ref();
        let mut object = json!({
            "generalizer": self.generalizer,
            "reduced": text::json_text(&self.reduced),
            "abstract": self.plain(),
            "compact": abstract_input.map(|input| input.compact(self.grammar)),
            "shared": abstract_input.map(|input| input.abstract_nodes.shared()),
            "pattern": self.found.expression.statement(self.grammar),
            "verified": self.found.verified,
            "holds_for_input": self.holds_for_input,
            "executions": self.executions,
            "executions_reduction": self.reduction,
            "executions_abstraction": self.found.executions_of("abstraction"),
            "executions_isolation": self.found.executions_of("isolation"),
            "executions_characteristic": self.found.executions_of("characteristic"),
            "stop": self.found.stop.as_str(),
        });
        if let Some(reasons) = self.reasons.as_ref().filter(|_| self.is_explained) {
            object["reasons"] = reasons.json();
            object["alternatives"] = self.evidence.json();
        }
        object
    }
}

/// Reads a number of checks.
pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|&number| number > 0)
        .ok_or_else(|| "this is a whole number of at least 1".into())
}
