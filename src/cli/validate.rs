//! `grambench validate`: does an input satisfy an expression?

use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use crate::base::budget::Interrupt;
use crate::base::diagnostic::Source;
use crate::base::limits::Exceeded;
use crate::parse::Parser;
use crate::validate::{Answer, AutomatonValidator, Unanswered, Validator};

use super::Done;
use super::arguments::{ExpressionArguments, GrammarArguments, LimitArguments, OutputFormat};
use super::exit::Code;
use super::occurrences::Explanation;
use super::text;

/// Say whether inputs satisfy an expression: in every parse, in some, in none
///
/// The answer for an input is `every`, `some`, `none`, or `unparsed` when the grammar does not derive it; only
/// ambiguous inputs have `some`. The answer is `unknown` when a limit is reached, or with bound placeholders when
/// the parses of an input are too many to be told apart. The exit code is 0 when the answer for all inputs is `every`, and 1
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
    /// Show each place at which a pattern occurs in the first parse; when the answer is `some`, in
    /// another parse as well, one that satisfies if the first does not
    #[arg(long)]
    explain: bool,
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
        let mut validate = |name: Value, shown: &str, input: &[u8]| {
            let answer = answer(input);
            all &= matches!(answer, Ok((Answer::Every, _)));
            let word = match &answer {
                Ok((answer, _)) => answer.as_str(),
                Err(Unanswered::Syntax(_)) => "unparsed",
                Err(Unanswered::Exceeded(Exceeded::Interrupted)) => return Err(Exceeded::Interrupted.into()),
                Err(Unanswered::Exceeded(_) | Unanswered::TooAmbiguous { .. }) => "unknown",
            };
            match self.format {
                OutputFormat::Json => {
                    let error = answer.as_ref().err().map(ToString::to_string);
                    let mut line = json!({ "input": name, "satisfies": word, "error": error });
                    if let Ok((_, Some(explanation))) = answer {
                        explanation.json().into_iter().for_each(|(name, value)| line[name] = value);
                    }
                    text::print_json(&line)
                }
                OutputFormat::Text => {
                    if let Err(error) = &answer {
                        eprintln!("{}\n", error.diagnostic(&Source::from_bytes(shown, input)));
                    }
                    let explanation = answer.ok().and_then(|(_, explanation)| explanation);
                    let explanation = explanation.map_or(String::new(), |explanation| explanation.text());
                    text::print(format!("{shown}: {word}\n{explanation}").as_bytes())
                }
            }
        };
        match &self.lines {
            Some(file) => {
                let lines = text::read(file)?;
                let lines = lines.strip_suffix(b"\n").unwrap_or(&lines);
                for (index, line) in lines.split(|&byte| byte == b'\n').enumerate() {
                    validate((index + 1).into(), &format!("{}:{}", text::shown(file), index + 1), line)?;
                }
            }
            None => {
                for file in &self.inputs {
                    validate(file.as_str().into(), text::shown(file), &text::read(file)?)?;
                }
            }
        }
        Ok(if all { Code::Success } else { Code::No })
    }
}
