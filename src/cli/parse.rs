//! `grambench parse`: the derivation tree of an input.

use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use crate::base::diagnostic::Source;
use crate::grammar::Grammar;
use crate::parse::Parser;
use crate::tree::{Label, NodeId, Outline, Tree};

use super::Done;
use super::arguments::{GrammarArguments, OutputFormat};
use super::exit::Code;
use super::text;

/// Show the derivation tree of an input
///
/// When the input is ambiguous, the first tree is shown, the same at every run, and a warning says how
/// many there are.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    grambench parse --grammar grammars/json.ebnf examples/orders.json\n  \
    printf '[1, 2]' | grambench parse --grammar grammars/json.ebnf --format json")]
pub struct Parse {
    #[command(flatten)]
    grammar: GrammarArguments,
    /// The input file; `-` is standard input
    #[arg(default_value = "-")]
    input: String,
    /// How the tree is written
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Parse {
    pub(super) fn run(&self) -> Done {
        let grammar = self.grammar.read()?;
        let input = text::read(&self.input)?;
        let parser = Parser::new(Arc::clone(&grammar));
        let forest = parser
            .parse(&input)
            .map_err(|error| error.diagnostic(&Source::from_bytes(text::shown(&self.input), &input)))?;
        let tree = forest.first_tree();
        match self.format {
            OutputFormat::Text => {
                if forest.is_ambiguous() {
                    let number =
                        forest.count_trees().map_or("infinitely many".to_owned(), |count| count.to_string());
                    eprintln!(
                        "warning: the input is ambiguous: it has {number} trees, of which this is the first"
                    );
                }
                text::print(Outline::new(&grammar, &tree).to_string().as_bytes())?;
            }
            OutputFormat::Json => text::print_json(&json!({
                "ambiguous": forest.is_ambiguous(),
                "trees": forest.count_trees(),
                "tree": tree_json(&grammar, &tree),
            }))?,
        }
        Ok(Code::Success)
    }
}

/// `["<name>", [children]]` for nonterminals, a string for terminals: the fuzzingbook's form.
pub(super) fn tree_json(grammar: &Grammar, tree: &Tree) -> Value {
    let mut done: Vec<Value> = Vec::new();
    for node in tree.postorder(tree.root()) {
        let value = match tree.label(node) {
            Label::Literal(literal) => text::json_text(grammar.literal(literal)),
            Label::Char(c) => Value::String(c.to_string()),
            Label::Rule(rule) => {
                let children: Vec<Value> = done.drain(done.len() - arity(tree, node)..).collect();
                // `json!` would copy the children.
                let name = grammar.name(grammar.rule(rule).lhs).to_string();
                Value::Array(vec![Value::String(name), Value::Array(children)])
            }
        };
        done.push(value);
    }
    done.pop().unwrap_or(Value::Null)
}

fn arity(tree: &Tree, node: NodeId) -> usize {
    tree.children(node).len()
}
