//! `grambench specialize`: the grammar of an expression.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::base::budget::Interrupt;
use crate::base::diagnostic::{Diagnostic, Source};
use crate::grammar::format::{self, Format};
use crate::subject::transformer_command::TransformerCommand;
use crate::subject::words;
use crate::transform::{TRANSFORMERS, Transformer, transformer};

use super::Done;
use super::arguments::{
    ExpressionArguments, GrammarArguments, LimitArguments, OutputFormat, SandboxArguments,
    expression_is_relaxed, names,
};
use super::exit::{Code, Failure};
use super::text;

/// Write the grammar whose inputs satisfy an expression
///
/// Its derivation trees are exactly those of the given grammar that satisfy the expression, each once.
/// docs/expressions.md says what patterns and expressions are.
#[derive(Args, Debug)]
#[command(after_help = "Example: JSON with an empty key, and without any item that is null:\n  \
    grambench specialize --grammar grammars/json.ebnf --expression 'E & !N' \\\n      \
    --pattern 'E=<item> is \"\\\"\\\": <elt>\"' --pattern 'N=<item> is \"<string>: null\"'")]
pub struct Specialize {
    #[command(flatten)]
    grammar: GrammarArguments,
    #[command(flatten)]
    expression: ExpressionArguments,
    #[command(flatten)]
    limits: LimitArguments,
    /// Specialize to the negation of the expression
    #[arg(long)]
    negate: bool,
    /// The transformer
    #[arg(long, value_name = "NAME", default_value = TRANSFORMERS.default(), value_parser = names(&TRANSFORMERS))]
    transformer: String,
    /// A program as the transformer, instead: `python3 scripts/reaching-grammar`. It is split into words
    /// without a shell; docs/transformers.md says what it reads and writes
    #[arg(long, value_name = "COMMAND", conflicts_with = "transformer")]
    transformer_command: Option<String>,
    #[command(flatten)]
    sandbox: SandboxArguments,
    /// The format in which the grammar is written: ebnf, fuzzingbook, canonical
    #[arg(long, value_name = "FORMAT", default_value = "ebnf")]
    to: Format,
    /// Put a JSON grammar into the papers' envelope, which names the start symbol
    #[arg(long)]
    envelope: bool,
    /// `json` writes the sizes and the grammar as one JSON object
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Specialize {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let grammar = self.grammar.read()?;
        let mut expression = self.expression.require(&grammar)?;
        if self.negate {
            expression = Arc::new(expression.negated());
        }
        let transformer = self.transformer(interrupt)?;
        let special = transformer.specialize(&grammar, &expression)?;
        if special.is_empty() {
            return Err(Failure::new(Code::No, "no input of the grammar satisfies the expression"));
        }
        if expression.is_bound() {
            eprintln!("{}\n", expression_is_relaxed("the specialized grammar derives other inputs as well"));
        }
        let written = format::write(&special.grammar, self.to, self.envelope)?;
        match self.format {
            OutputFormat::Text => text::print(written.as_bytes())?,
            OutputFormat::Json => text::print_json(&json!({
                "expression": expression.text(&grammar),
                "nonterminals": special.grammar.nonterminals().len(),
                "rules": special.grammar.rules().len(),
                "base_nonterminals": grammar.nonterminals().len(),
                "base_rules": grammar.rules().len(),
                "grammar": written,
            }))?,
        }
        Ok(Code::Success)
    }

    fn transformer(&self, interrupt: &Interrupt) -> Result<Box<dyn Transformer>, Failure> {
        let Some(line) = &self.transformer_command else {
            return transformer(&self.transformer, &self.limits.limits(interrupt)).map_err(Failure::usage);
        };
        let source = Source::new("--transformer-command", line);
        let words = words::split(line.as_bytes())
            .map_err(|error| Diagnostic::error(error.what).at(&source, error.span, ""))?;
        // Splitting removes quotes and backslashes only, so what was text is text.
        let words = words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let place = |error: Diagnostic| error.at(&source, 0..line.len(), "");
        let command =
            TransformerCommand::in_folder(words, Path::new(""), Some(self.limits.timeout)).map_err(place)?;
        let pool = self.sandbox.pool(1)?;
        Ok(Box::new(command.transformer("command", &pool).map_err(place)?))
    }
}
