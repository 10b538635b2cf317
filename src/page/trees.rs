//! Derivation trees of inputs, as little text: a page has room for those of all inputs that it shows, and its script draws
//! the one that is asked for.
//!
//! A node is the number of its nonterminal in letters, and its children in parentheses; a leaf is the length of its text,
//! as the input is [written](crate::store::Input::to_escaped), in the units of a script's strings. So `a(1b(2)1)` is, of the
//! input `(42)`, a tree with the root `a` and three children, of which the second one derives `42`. Between two leaves is a comma.

use std::fmt::Write as _;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::diagnostic::Source;
use crate::base::limits::{Limits, Sizes};
use crate::grammar::format::{self, Format};
use crate::grammar::{Grammar, NonterminalId};
use crate::parse::Parser;
use crate::store::Input;
use crate::tree::{Label, NodeId, Outline, Tree};

/// What the tables of a parser, and then each input, may take: a page is to be there soon.
const STEPS: u64 = 50_000_000;
/// The number of lines of a tree that are written out.
const LINES: usize = 300;

/// The trees of a grammar.
pub struct Trees {
    grammar: Arc<Grammar>,
    parser: Parser,
}

impl Trees {
    /// Those of the grammar with this text; `None` if it cannot be read, or takes too much.
    pub fn of(text: &str) -> Option<Self> {
        let source = Source::new("grammar", text);
        let grammar = Arc::new(format::read(&source, Some(Format::Ebnf)).ok()?.grammar);
        let limits = Limits::of(Sizes { steps: STEPS, ..Sizes::default() });
        let parser = Parser::within(Arc::clone(&grammar), &limits).ok()?;
        Some(Self { grammar, parser })
    }

    fn tree(&self, input: &[u8]) -> Option<Tree> {
        self.parser.parse(input).ok().map(|forest| forest.first_tree())
    }

    /// The first tree of an input, written out; `None` if it has none, or takes too much room.
    pub fn outline(&self, input: &[u8]) -> Option<String> {
        let tree = self.tree(input)?;
        let text = Outline::new(&self.grammar, &tree).to_string();
        (text.lines().count() <= LINES).then_some(text)
    }

    /// The first tree of an input, as little text.
    pub fn compact(&self, input: &[u8], names: &mut Names) -> Option<String> {
        /// What is still to be written.
        enum Next {
            Node(NodeId),
            Close,
        }

        let tree = self.tree(input)?;
        let mut text = String::new();
        let mut written = 0;
        let mut next = vec![Next::Node(tree.root())];
        while let Some(part) = next.pop() {
            let Next::Node(node) = part else {
                text.push(')');
                continue;
            };
            let leaf = match tree.label(node) {
                Label::Rule(rule) => {
                    text += &letters(names.number(&self.grammar, self.grammar.rule(rule).lhs));
                    text.push('(');
                    next.push(Next::Close);
                    next.extend(tree.children(node).iter().rev().map(|&child| Next::Node(child)));
                    continue;
                }
                Label::Literal(literal) => Input::from(self.grammar.literal(literal)),
                Label::Char(c) => Input::from(c.to_string().as_str()),
            };
            let length = leaf.to_escaped().encode_utf16().count();
            if text.ends_with(|c: char| c.is_ascii_digit()) {
                text.push(',');
            }
            written += length;
            write!(text, "{length}").ok()?;
        }
        // Bytes that are no text by themselves may be written otherwise where they stand together.
        let is_whole = written == Input::from(input).to_escaped().encode_utf16().count();
        is_whole.then_some(text)
    }
}

/// The names of the nonterminals that occur in trees, numbered as they come.
#[derive(Clone, Debug, Default)]
pub struct Names {
    numbers: FxHashMap<String, usize>,
    /// The names, by their numbers.
    pub names: Vec<String>,
}

impl Names {
    fn number(&mut self, grammar: &Grammar, nonterminal: NonterminalId) -> usize {
        let name = grammar.name(nonterminal).to_string();
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() - 1
        })
    }
}

/// A number in letters: `a` to `z`, then `ba`.
fn letters(mut number: usize) -> String {
    let mut text = Vec::new();
    loop {
        text.push(char::from(b'a' + u8::try_from(number % 26).unwrap_or_default()));
        number /= 26;
        if number == 0 {
            break;
        }
    }
    text.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAMMAR: &str =
        "<sum> ::= \"(\" <sum> \")\" | <number> | <sum> \"+\" <number>\n<number> ::= [0-9]+ | \"\\n\"\n";

    #[test]
    fn a_tree_is_written_with_the_lengths_of_its_texts() {
        let trees = Trees::of(GRAMMAR).unwrap();
        let mut names = Names::default();
        let compact = trees.compact(b"(4)", &mut names).unwrap();
        assert!(compact.starts_with("a(1a(b(") && compact.ends_with("1)"), "{compact}");
        assert!(names.names[0].contains("sum") && names.names[1].contains("number"), "{names:?}");
        // A new line is written as two characters.
        assert!(trees.compact(b"\n", &mut names).unwrap().contains('2'));
        assert_eq!(trees.compact(b"(", &mut names), None);
        assert!(trees.outline(b"(4)").unwrap().contains("<sum>"));
        assert!(Trees::of("<sum> ::= <other>\n").is_none());
    }

    #[test]
    fn numbers_are_written_in_letters() {
        assert_eq!([0, 25, 26, 26 * 26].map(letters), ["a", "z", "ba", "baa"]);
    }
}
