//! `grambench validate`: does an input satisfy an expression?

use std::borrow::Cow;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use crate::base::budget::Interrupt;
use crate::base::diagnostic::Source;
use crate::base::limits::Exceeded;
use crate::parse::Parser;
use crate::validate::{Answer, AutomatonValidator, Unanswered, Validator};

use super::Done;
use super::arguments::{ExpressionArguments, GrammarArguments, JobArguments, LimitArguments, OutputFormat};
use super::batch;
use super::escaped::InputArguments;
use super::exit::{Code, Failure};
use super::occurrences::Explanation;
use super::text;

/// Say whether inputs satisfy an expression: in every parse, in some, in none
///
/// The answer for an input is `every`, `some`, `none`, or `unparsed` when the grammar does not derive it; only
/// ambiguous inputs have `some`. The answer is `unknown` when a limit is reached, or with bound placeholders when
/// the parses of an input are too many to be distinguished. The exit code is 0 when the answer for all inputs is `every`, and 1
/// otherwise.
#[derive(Args, Debug)]
#[command(after_help = "Example: has this document an empty key?\n  \
    grambench validate --grammar grammars/json.ebnf examples/orders.json \\\n      \
    --pattern '<item> is \"\\\"\\\": <elt>\"'\n\n\
    And where? Add --explain.")]
pub struct Validate {
    #[command(flatten)]
    grammar: GrammarArguments,
    #[command(flatten)]
    expression: ExpressionArguments,
    #[command(flatten)]
    limits: LimitArguments,
    /// The input files; `-` is standard input
    #[arg(default_value = "-", conflicts_with = "lines")]
    inputs: Vec<String>,
    /// A file with an input on each line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    lines: Option<String>,
    #[command(flatten)]
    encoding: InputArguments,
    /// Show each place at which a pattern occurs in the first parse; when the answer is `some`, in
    /// another parse as well, one that satisfies if the first does not
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    jobs: JobArguments,
    /// `json` writes a JSON object for each input, in order, whose `satisfies` is `every`, `some`,
    /// `none`, `unparsed` or `unknown`
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Validate {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let grammar = self.grammar.read()?;
        let expression = self.expression.require(&grammar)?;
        let limits = self.limits.limits(interrupt);
        let parser = Arc::new(Parser::within(Arc::new(grammar.with_start(expression.start)), &limits)?);
        let validator =
            AutomatonValidator::new(Arc::clone(&parser), Arc::clone(&expression), limits.clone())?;
        let answer = |input: &[u8]| -> Result<(Answer, Option<Explanation>), Unanswered> {
            let answer = validator.validate(input)?;
            let explanation = match self.explain {
                true => Some(Explanation::new(&expression, &parser.parse(input)?, answer, &limits)?),
                false => None,
            };
            Ok((answer, explanation))
        };
        let mut all = true;
        let work = |input: &Input<'_>| self.report(input, answer(&input.text));
        let print = |batch: Vec<Result<InputReport, Exceeded>>| {
            let mut output_so_far = String::new();
            for report in batch {
                let Ok(InputReport { is_every, output, errors }) = report else {
                    text::print(output_so_far.as_bytes())?;
                    return report.map(|_| ()).map_err(Failure::from);
                };
                all &= is_every;
                if !errors.is_empty() {
                    // Both may be shown in one place, where an error stands before the answer of its input.
                    text::print(output_so_far.as_bytes())?;
                    output_so_far.clear();
                    eprint!("{errors}");
                }
                output_so_far.push_str(&output);
            }
            text::print(output_so_far.as_bytes())
        };
        let jobs = self.jobs.number();
        match &self.lines {
            Some(file) => {
                let lines = text::read(file)?;
                let lines = lines.strip_suffix(b"\n").unwrap_or(&lines).split(|&byte| byte == b'\n');
                let inputs = lines.enumerate().map(|(index, line)| {
                    let shown = format!("{}:{}", text::shown(file), index + 1);
                    let text = self.encoding.decode(&shown, line)?;
                    Ok(Input { name: (index + 1).into(), shown, text })
                });
                batch::in_order(inputs, jobs, work, print)?;
            }
            None => {
                let inputs = self.inputs.iter().map(|file| {
                    let shown = text::shown(file).to_owned();
                    Ok(Input { name: file.as_str().into(), shown, text: self.encoding.read(file)?.into() })
                });
                batch::in_order(inputs, jobs, work, print)?;
            }
        }
        Ok(if all { Code::Success } else { Code::No })
    }
    /// The report on the answer for an input.
    fn report(
        &self,
        input: &Input<'_>,
        answer: Result<(Answer, Option<Explanation>), Unanswered>,
    ) -> Result<InputReport, Exceeded> {
        let word = match &answer {
            Ok((answer, _)) => answer.as_str(),
            Err(Unanswered::Syntax(_)) => "unparsed",
            Err(Unanswered::Exceeded(Exceeded::Interrupted)) => return Err(Exceeded::Interrupted),
            Err(Unanswered::Exceeded(_) | Unanswered::TooAmbiguous { .. }) => "unknown",
        };
        let is_every = matches!(answer, Ok((Answer::Every, _)));
        let shown = &input.shown;
        Ok(match self.format {
            OutputFormat::Json => {
                let error = answer.as_ref().err().map(ToString::to_string);
                let mut line = json!({ "input": input.name, "satisfies": word, "error": error });
                if let Ok((_, Some(explanation))) = answer {
                    explanation.json().into_iter().for_each(|(name, value)| line[name] = value);
                }
                InputReport { is_every, output: format!("{line}\n"), errors: String::new() }
            }
            OutputFormat::Text => {
                let source = || Source::from_bytes(shown.as_str(), &input.text);
                let errors =
                    answer.as_ref().err().map(|error| format!("{}\n\n", error.diagnostic(&source())));
                let explanation = answer.ok().and_then(|(_, explanation)| explanation);
                let explanation = explanation.map_or(String::new(), |explanation| explanation.text());
                let output = format!("{shown}: {word}\n{explanation}");
                InputReport { is_every, output, errors: errors.unwrap_or_default() }
            }
        })
    }
}

/// An input.
struct Input<'a> {
    /// What it is called in JSON.
    name: Value,
    /// What it is called otherwise.
    shown: String,
    text: Cow<'a, [u8]>,
}

impl AsRef<[u8]> for Input<'_> {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}

/// What is said of an input.
struct InputReport {
    /// Whether the answer is `every`.
    is_every: bool,
    /// For standard output.
    output: String,
    /// For standard error.
    errors: String,
}
