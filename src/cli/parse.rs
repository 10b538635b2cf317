//! `grambench parse`: the derivation tree of an input.

use std::sync::Arc;

use clap::Args;

use crate::base::budget::Interrupt;
use crate::grammar::NonterminalId;
use crate::parse::{Forest, Parser};
use crate::tree::{JsonTree, Outline};

use super::Done;
use super::arguments::{GrammarArguments, OutputFormat, ParsingArguments};
use super::escaped::InputArguments;
use super::exit::{Code, Failure};
use super::text;

/// The number of ambiguous nonterminals that the warning names.
const MOST_NAMED: usize = 4;

/// Show the derivation tree of an input
///
/// When the input is ambiguous, the first tree is shown, the same at every run, and a warning says how
/// many there are, and which nonterminals derive a part of it in several ways; 18446744073709551615 in JSON stands for so many or more. As text, lines deeper than 40 levels begin with their level, `(41)`, in place of more
/// indentation. As JSON, a tree deeper than 400 levels is a list of its nodes, `{"preorder": [...]}`, parents
/// before children, a nonterminal with the number of its children.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    grambench parse --grammar grammars/json.ebnf examples/orders.json\n  \
    printf '[1, 2]' | grambench parse --grammar grammars/json.ebnf --format json")]
pub struct Parse {
    #[command(flatten)]
    grammar: GrammarArguments,
    #[command(flatten)]
    limits: ParsingArguments,
    /// The input file; `-` is standard input
    #[arg(default_value = "-")]
    input: String,
    #[command(flatten)]
    encoding: InputArguments,
    /// How the tree is written
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Show the tree only down to this many levels below its root. Of a nonterminal there, its text is shown:
    /// `<elt> =>* "[1, 2]"`, or in JSON `["<elt>", null, "[1, 2]"]`
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
}

impl Parse {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let grammar = self.grammar.read()?;
        let input = self.encoding.read(&self.input)?;
        let parser = Parser::within(Arc::clone(&grammar), &self.limits.limits(interrupt))?;
        let forest = parser
            .parse(&input)
            .map_err(|error| Failure::unparsed(&error, text::shown(&self.input), &input))?;
        let tree = forest.first_tree();
        let depth = self.depth.unwrap_or(usize::MAX);
        match self.format {
            OutputFormat::Text => {
                if forest.is_ambiguous() {
                    let number = match forest.count_trees() {
                        None => "infinitely many".to_owned(),
                        Some(u64::MAX) => "more than 10^19".to_owned(),
                        Some(count) => count.to_string(),
                    };
                    eprintln!(
                        "warning: the input is ambiguous: it has {number} trees, of which this is the first; \
                         ambiguous nonterminals: {}",
                        ambiguous_nonterminals(&forest)
                    );
                }
                let outline = Outline::new(&grammar, &tree).down_to(depth);
                text::write(|output| write!(output, "{outline}"))?;
            }
            OutputFormat::Json => {
                let ambiguous = forest.is_ambiguous();
                let trees = forest.count_trees().map_or("null".to_owned(), |count| count.to_string());
                let tree = JsonTree::new(&grammar, &tree).down_to(depth);
                text::write(|output| {
                    writeln!(output, "{{\"ambiguous\":{ambiguous},\"trees\":{trees},\"tree\":{tree}}}")
                })?;
            }
        }
        Ok(Code::Success)
    }
}

/// The nonterminals that make an input ambiguous, for a message.
fn ambiguous_nonterminals(forest: &Forest) -> String {
    let nonterminals = forest.ambiguous_nonterminals();
    let name = |&it: &NonterminalId| format!("`{}`", forest.grammar().nonterminal(it).name);
    let mut names: Vec<String> = nonterminals.iter().map(name).take(MOST_NAMED).collect();
    if nonterminals.len() > names.len() {
        names.push(format!("{} others", nonterminals.len() - names.len()));
    }
    names.join(", ")
}
