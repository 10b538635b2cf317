//! The text of a pattern, parsed with the grammar itself.
//!
//! A placeholder becomes a token of its own, which the placeholder's nonterminal derives. What stands in a gap
//! between words (`@skip`) stands for anything that may be there. Where the grammar is ambiguous the text may have several trees: [`Choices`].

use std::sync::Arc;

use crate::base::id::Id;
use crate::base::limits::{Exceeded, Limits};
use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, GrammarBuilder, NonterminalId, RuleId, Symbol};
use crate::parse::{Expected, Forest, ParseError, Parser, SyntaxError};
use crate::tree::Tree;

use super::model::{Openness, Pattern, PatternNode};

/// The text of a pattern, its placeholders turned into tokens.
pub struct Parts<'g> {
    grammar: &'g Grammar,
    bytes: Vec<u8>,
    /// Where in the source each byte comes from.
    origins: Vec<usize>,
    placeholders: Vec<(NonterminalId, Openness)>,
}

impl<'g> Parts<'g> {
    /// No text yet.
    pub fn new(grammar: &'g Grammar) -> Self {
        Self { grammar, bytes: Vec::new(), origins: Vec::new(), placeholders: Vec::new() }
    }

    /// Appends text that stands at `origin` in the source.
    pub fn text(&mut self, bytes: &[u8], origin: usize) {
        self.bytes.extend_from_slice(bytes);
        self.origins.resize(self.bytes.len(), origin);
    }

    /// Appends a placeholder that stands at `origin` in the source.
    pub fn placeholder(&mut self, nonterminal: NonterminalId, openness: Openness, origin: usize) {
        let placeholder = (nonterminal, openness);
        let known = self.placeholders.iter().position(|known| *known == placeholder);
        let number = known.unwrap_or_else(|| {
            self.placeholders.push(placeholder);
            self.placeholders.len() - 1
        });
        self.text(&token(number), origin);
    }

    /// Parses the text, within the default limits.
    ///
    /// # Errors
    /// Where it is wrong and what was expected; or that a limit is reached.
    pub fn parse(&self, root: NonterminalId) -> Result<Choices, PartsError> {
        let mut builder = GrammarBuilder::from(self.grammar.clone());
        let mut openness: Vec<Openness> = Vec::new();
        for (number, (nonterminal, open)) in self.placeholders.iter().enumerate() {
            let symbol: Vec<Symbol> = builder.literal(&token(number)).into_iter().collect();
            builder.rule(*nonterminal, symbol);
            openness.push(open.clone());
        }
        let parser = Parser::within(Arc::new(builder.finish(root)), &Limits::default())?;
        let forest = parser.parse(&self.bytes).map_err(|error| match error {
            ParseError::Syntax(error) => PartsError::Wrong(error.offset(), expectation(&error)),
            ParseError::Exceeded(exceeded) => exceeded.into(),
        })?;
        Ok(Choices { forest, openness, first_placeholder: self.grammar.rules().len() })
    }

    /// Where in the source the byte at `offset` comes from.
    pub fn origin(&self, offset: usize) -> Option<usize> {
        self.origins.get(offset).copied()
    }
}

/// Why a pattern's text has no tree.
pub enum PartsError {
    /// It goes wrong at this offset, where something else was expected.
    Wrong(usize, String),
    /// It takes too much to parse.
    Exceeded(Exceeded),
}

impl From<Exceeded> for PartsError {
    fn from(exceeded: Exceeded) -> Self {
        Self::Exceeded(exceeded)
    }
}

/// The trees of a pattern's text.
pub struct Choices {
    /// Of the grammar with rules for the placeholders.
    forest: Forest,
    openness: Vec<Openness>,
    first_placeholder: usize,
}

impl Choices {
    /// The number of trees to choose from.
    pub const MOST: usize = 100;

    /// The tree that is taken unless the user chooses.
    pub fn first(&self) -> Pattern {
        self.pattern(&self.forest.first_tree())
    }

    /// Whether there is more than one.
    pub fn is_ambiguous(&self) -> bool {
        self.forest.is_ambiguous()
    }

    /// All of them in order, the first one first; `None` when there are too many.
    pub fn all(&self) -> Option<Vec<Pattern>> {
        let trees = self.forest.trees(Self::MOST)?;
        Some(trees.iter().map(|tree| self.pattern(tree)).collect())
    }

    fn pattern(&self, tree: &Tree) -> Pattern {
        let number = |rule: RuleId| rule.index().checked_sub(self.first_placeholder);
        let open = |rule: RuleId| number(rule).map(|number| self.openness[number].clone());
        let grammar = self.forest.grammar();
        Pattern::from_tree(grammar, tree, tree.root(), |node, nonterminal| {
            let gap = (is_gap(grammar, nonterminal) && node != tree.root()).then_some(Openness::Abstract);
            tree.rule(node).and_then(open).or(gap)
        })
    }
}

impl Pattern {
    /// Which tree of its own text this is, counted from 1, where the text has several; `None` where it
    /// has one, or too many to choose from.
    pub fn choice(&self, grammar: &Grammar) -> Option<usize> {
        let mut parts = Parts::new(grammar);
        for node in self.preorder() {
            match self.node(node) {
                PatternNode::Rule(..) => {}
                PatternNode::Literal(id) => parts.text(grammar.literal(*id), 0),
                PatternNode::Char(c) => parts.text(c.encode_utf8(&mut [0; 4]).as_bytes(), 0),
                PatternNode::Abstract(nonterminal) => parts.placeholder(*nonterminal, Openness::Abstract, 0),
                PatternNode::Bound(nonterminal, number) => {
                    parts.placeholder(*nonterminal, Openness::Bound(*number), 0);
                }
                PatternNode::Where(nonterminal, number, condition) => {
                    parts.placeholder(*nonterminal, Openness::Where(*number, condition.clone()), 0);
                }
            }
        }
        let choices = parts.parse(self.characteristic()).ok().filter(Choices::is_ambiguous)?;
        Some(choices.all()?.iter().position(|choice| choice == self)? + 1)
    }
}

/// What a syntax error expected, placeholders' tokens apart.
fn expectation(error: &SyntaxError) -> String {
    let is_token = |expected: &&Expected| matches!(expected, Expected::Literal { missing, read } if missing.contains(&0xff) || read.contains(&0xff));
    let texts: Vec<String> =
        error.expected().iter().filter(|expected| !is_token(expected)).map(Expected::to_string).collect();
    if texts.is_empty() { "a placeholder".to_owned() } else { texts.join(", ") }
}

/// The token of a placeholder: bytes that are not part of any UTF-8 text.
fn token(number: usize) -> [u8; 6] {
    let [a, b, c, d] = (number as u32).to_be_bytes();
    [0xff, 0xfe, a, b, c, d]
}
