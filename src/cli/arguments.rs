//! Arguments that several commands have.

use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedI64ValueParser, TypedValueParser};
use clap::{Arg, Args, ValueEnum};

use crate::base::budget::Interrupt;
use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::limits::{Limits, Sizes};
use crate::base::registry::Registry;
use crate::grammar::Grammar;
use crate::grammar::format::Format;
use crate::pattern::{Expression, WithWarnings, read_expression_warned, read_formula, read_patterns};
use crate::subject::confinement::Confinement;
use crate::subject::pool::{Pool, PoolSettings};

use crate::subject::quantity::duration;

use super::exit::Failure;
use super::text;

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// How programs under test are confined.
#[derive(Args, Debug)]
pub struct SandboxArguments {
    /// How programs are confined: in `namespaces` of their own where the kernel allows it, by `landlock` and a filter
    /// of system calls alone, or not at all
    #[arg(long, value_name = "KIND", value_enum, default_value_t)]
    sandbox: Sandbox,
    /// The same as `--sandbox none`: programs run with all your rights
    #[arg(long, conflicts_with = "sandbox")]
    no_sandbox: bool,
}

/// A way to confine programs.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Sandbox {
    #[default]
    Namespaces,
    Landlock,
    None,
}

impl SandboxArguments {
    /// What the arguments ask for.
    pub fn confinement(&self) -> Confinement {
        match self.sandbox {
            _ if self.no_sandbox => Confinement::None,
            Sandbox::Namespaces => Confinement::Namespaces,
            Sandbox::Landlock => Confinement::Landlock,
            Sandbox::None => Confinement::None,
        }
    }

    /// A pool that runs this number of programs at a time. What does not hold of the confinement goes to standard error.
    pub fn pool(&self, workers: usize) -> Result<Arc<Pool>, Failure> {
        let confinement = self.confinement();
        let pool = Pool::new(PoolSettings { workers, confinement, ..PoolSettings::default() })
            .map_err(|error| Failure::usage(format!("cannot make a scratch folder: {error}")))?;
        pool.set_notice_handler(Box::new(|text| eprintln!("warning: {text}")));
        Ok(Arc::new(pool))
    }
}

/// The base grammar.
#[derive(Args, Debug)]
pub struct GrammarArguments {
    /// The grammar file; `-` is standard input. What an ANTLR grammar needs is looked for beside it
    #[arg(long, short, value_name = "FILE")]
    pub grammar: String,
    /// The grammar's format, when neither its name nor its content tells: ebnf, fuzzingbook, canonical, antlr
    #[arg(long, value_name = "FORMAT")]
    pub grammar_format: Option<Format>,
    /// Another start symbol than the grammar's own
    #[arg(long, value_name = "NAME")]
    pub start: Option<String>,
}

impl GrammarArguments {
    /// Reads the grammar; that there are warnings goes to standard error.
    pub fn read(&self) -> Result<Arc<Grammar>, Failure> {
        let read = text::read_grammar(&self.grammar, self.grammar_format, self.start.as_deref())?;
        text::mention_warnings(&self.grammar, &read.warnings);
        Ok(Arc::new(read.grammar))
    }
}

/// An expression over the grammar.
#[derive(Args, Debug)]
pub struct ExpressionArguments {
    /// A formula over the patterns, such as `E & !N` or `and(E,neg(N))`; or a whole expression, such as
    /// `<json E> where <item E> is "..."`. Without it, every pattern must occur
    #[arg(long, short, value_name = "EXPRESSION")]
    pub expression: Option<String>,
    /// A file that holds a whole expression
    #[arg(long, value_name = "FILE", conflicts_with_all = ["expression", "patterns"])]
    pub expression_file: Option<String>,
    /// A pattern, such as `E=<item> is "\"\": <elt>"`; without a name and `=` it is called after its position:
    /// 1, 2, and so on. It may have alternatives, as in `E=<item> is "..." | "...", <elt> is "..."`, and its placeholders
    /// may ask for other patterns, as in `<elt !N>`. May be given several times
    #[arg(long = "pattern", short, value_name = "PATTERN")]
    pub patterns: Vec<String>,
}

impl ExpressionArguments {
    /// The expression; `None` when none is given. Warnings go to standard error.
    pub fn read(&self, grammar: &Grammar) -> Result<Option<Arc<Expression>>, Failure> {
        if let Some(file) = &self.expression_file {
            return Ok(Some(Arc::new(warned(read_expression_warned(&text::read_source(file)?, grammar)?))));
        }
        let formula = self.expression.as_ref().map(|text| Source::new("--expression", text));
        if let Some(source) = formula.as_ref().filter(|source| source.text().trim_start().starts_with('<')) {
            if !self.patterns.is_empty() {
                return Err(Failure::usage(
                    "a whole expression has its patterns with it; leave out --pattern",
                ));
            }
            return Ok(Some(Arc::new(warned(read_expression_warned(source, grammar)?))));
        }
        let sources: Vec<Arc<Source>> =
            self.patterns.iter().map(|text| Source::new("--pattern", text)).collect();
        let patterns = warned(read_patterns(&sources, grammar)?);
        let names: Vec<String> = patterns.iter().map(|named| named.name.clone()).collect();
        let formula =
            match formula {
                Some(source) => read_formula(&source, 0..source.text().len(), &names).map_err(|error| {
                    match names.is_empty() {
                        true => {
                            error.help("give each pattern with --pattern, for instance `E=<item> is \"...\"`")
                        }
                        false => error,
                    }
                })?,
                None if names.is_empty() => return Ok(None),
                None => {
                    let all = names.join(" & ");
                    read_formula(&Source::new("--pattern", all.clone()), 0..all.len(), &names)?
                }
            };
        Ok(Some(Arc::new(Expression { start: grammar.start(), patterns, formula })))
    }

    /// The expression.
    pub fn require(&self, grammar: &Grammar) -> Result<Arc<Expression>, Failure> {
        self.read(grammar)?.ok_or_else(|| {
            Diagnostic::error("there is no expression")
                .help("give --pattern, with --expression for a formula over several, or --expression-file")
                .into()
        })
    }
}

/// How large what is made of an expression may become, and how long that may take.
#[derive(Args, Debug)]
pub struct LimitArguments {
    /// The maximum number of automaton states of the expression, intermediate ones included
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = Sizes::default().states)]
    max_states: usize,
    /// The maximum number of rules of the specialized grammar
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = Sizes::default().rules)]
    max_rules: usize,
    /// The maximum number of steps of work: a million of them takes about ten milliseconds
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = Sizes::default().steps)]
    max_steps: u64,
    /// How long it may take, such as 10s; an input to be validated, or a program as the transformer, as well
    #[arg(long, value_name = "TIME", help_heading = "Limits", default_value = "60s", value_parser = duration)]
    pub timeout: Duration,
}

impl LimitArguments {
    /// The limits of each operation.
    pub fn limits(&self, interrupt: &Interrupt) -> Limits {
        let sizes = Sizes { states: self.max_states, rules: self.max_rules, steps: self.max_steps };
        Limits { sizes, time: Some(self.timeout), interrupt: interrupt.clone() }
    }
}

/// How many threads compute.
#[derive(Args, Debug)]
pub struct JobArguments {
    /// How many inputs are worked on at once [default: the number of processors]
    #[arg(long, short, value_name = "N", value_parser = jobs())]
    jobs: Option<u16>,
}

impl JobArguments {
    /// The number of threads.
    pub fn number(&self) -> usize {
        self.jobs.map_or_else(processors, usize::from)
    }
}

/// Reads how many things are done at once.
pub fn jobs() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=1024)
}

/// The number of processors.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How much may be done to parse, and how long that may take.
#[derive(Args, Debug)]
pub struct ParsingArguments {
    /// The maximum number of steps of work: a million of them takes about ten milliseconds
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = Sizes::default().steps)]
    max_steps: u64,
    /// How long it may take, such as 10s
    #[arg(long, value_name = "TIME", help_heading = "Limits", default_value = "60s", value_parser = duration)]
    timeout: Duration,
}

impl ParsingArguments {
    /// The limits of each operation.
    pub fn limits(&self, interrupt: &Interrupt) -> Limits {
        let sizes = Sizes { steps: self.max_steps, ..Sizes::default() };
        Limits { sizes, time: Some(self.timeout), interrupt: interrupt.clone() }
    }
}

/// What was read; warnings go to standard error.
fn warned<T>(reading: WithWarnings<T>) -> T {
    for warning in &reading.warnings {
        eprintln!("{warning}\n");
    }
    reading.value
}

/// The warning that bound nodes were taken as abstract, and what comes of it.
pub fn expression_is_relaxed(consequence: &str) -> Diagnostic {
    Diagnostic::warning(format!("no grammar compares the texts of placeholders; {consequence}"))
        .help("bound placeholders are taken as plain ones here, without constraints, and as nothing where they are negated")
        .help("`validate` and `produce` compare the texts")
}

/// Reads the name of a plug-in.
pub fn names<M>(registry: &Registry<M>) -> PossibleValuesParser {
    PossibleValuesParser::new(registry.names())
}

/// Reads the name of a plug-in, or a table with its settings as in a config.
pub fn plug_in<M>(registry: &Registry<M>) -> PlugInParser {
    PlugInParser(names(registry))
}

/// See [`plug_in`].
#[derive(Clone)]
pub struct PlugInParser(PossibleValuesParser);

impl TypedValueParser for PlugInParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        match value.to_str() {
            // What is wrong in it is reported when it is read.
            Some(table) if table.trim_start().starts_with('{') => Ok(table.to_owned()),
            _ => self.0.parse_ref(command, argument, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}
