//! `grambench validate`: does an input satisfy an expression?

use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use crate::base::diagnostic::Source;
use crate::parse::Parser;
use crate::validate::{Answer, AutomatonValidator, Validator};

use super::Done;
use super::arguments::{ExpressionArguments, GrammarArguments, OutputFormat};
use super::exit::{Code, Failure};
use super::text;

/// Say whether inputs satisfy an expression: in every parse, in some, in none
///
/// The answer for an input is `every`, `some`, `none`, or `unparsed` when the grammar does not derive it; only
/// ambiguous inputs have `some`. The exit code is 0 when the answer for all inputs is `every`, and 1
/// otherwise.
#[derive(Args, Debug)]
#[command(after_help = "Example: has this document an empty key?\n  \
    grambench validate --grammar grammars/json.ebnf examples/orders.json \\\n      \
    --pattern '<item> is \"\\\"\\\": <elt>\"'")]
pub struct Validate {
    #[command(flatten)]
    grammar: GrammarArguments,
    #[command(flatten)]
    expression: ExpressionArguments,
    /// The input files; `-` is standard input
    #[arg(default_value = "-", conflicts_with = "lines")]
    inputs: Vec<String>,
    /// A file with an input on each line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    lines: Option<String>,
    /// `json` writes a JSON object for each input, in order, whose `satisfies` is `every`, `some`,
    /// `none` or `unparsed`
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Validate {
    pub(super) fn run(&self) -> Done {
        let grammar = self.grammar.read()?;
        let expression = self.expression.require(&grammar)?;
        let parser = Arc::new(Parser::new(Arc::new(grammar.with_start(expression.start))));
        let validator = AutomatonValidator::new(parser, expression).map_err(Failure::usage)?;
        let mut all = true;
        let mut validate = |name: Value, shown: &str, input: &[u8]| {
            let answer = validator.validate(input);
            all &= answer == Ok(Answer::Every);
            let word = answer.as_ref().map_or("unparsed", |answer| answer.as_str());
            match self.format {
                OutputFormat::Json => {
                    let error = answer.as_ref().err().map(ToString::to_string);
                    text::print_json(&json!({ "input": name, "satisfies": word, "error": error }))
                }
                OutputFormat::Text => {
                    if let Err(error) = &answer {
                        eprintln!("{}\n", error.diagnostic(&Source::from_bytes(shown, input)));
                    }
                    text::print(format!("{shown}: {word}\n").as_bytes())
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
