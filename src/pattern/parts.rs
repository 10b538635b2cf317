//! The text of a pattern, parsed with the grammar itself.
//!
//! A placeholder becomes a token of its own, which the placeholder's nonterminal derives. What stands in a gap
//! between words (`@skip`) stands for anything that may be there. Where the grammar is ambiguous the text may have several trees: [`Choices`].

use std::collections::HashSet;
use std::sync::Arc;

use crate::base::id::Id;
use crate::base::limits::{Exceeded, Limits};
use crate::grammar::lexis::{is_gap, lexical};
use crate::grammar::{Grammar, GrammarBuilder, NonterminalId, RuleId, Symbol};
use crate::parse::{Expected, Forest, ParseError, Parser, SyntaxError};
use crate::tree::{Label, NodeId, Tree};

use super::model::{Openness, Part, Pattern, PatternNode, PatternNodeId};
use super::quote::Piece;

/// The text of a pattern, its placeholders turned into tokens.
pub struct Parts<'g> {
    grammar: &'g Grammar,
    bytes: Vec<u8>,
    /// Where in the source each byte comes from.
    origins: Vec<usize>,
    /// Whether the letter that a byte is stands for both of its cases.
    in_either_case: Vec<bool>,
    placeholders: Vec<Placeholder>,
}

impl<'g> Parts<'g> {
    /// No text yet.
    pub fn new(grammar: &'g Grammar) -> Self {
        Self {
            grammar,
            bytes: Vec::new(),
            origins: Vec::new(),
            in_either_case: Vec::new(),
            placeholders: Vec::new(),
        }
    }

    /// Appends text that stands at `origin` in the source.
    pub fn text(&mut self, bytes: &[u8], origin: usize) {
        self.text_in(false, bytes, origin);
    }

    /// The same with letters in either case.
    pub fn text_in_either_case(&mut self, bytes: &[u8], origin: usize) {
        self.text_in(true, bytes, origin);
    }

    fn text_in(&mut self, either_case: bool, bytes: &[u8], origin: usize) {
        self.bytes.extend_from_slice(bytes);
        self.origins.resize(self.bytes.len(), origin);
        self.in_either_case.resize(self.bytes.len(), either_case);
    }

    /// Appends a placeholder that stands at `origin` in the source.
    pub fn placeholder(&mut self, placeholder: Placeholder, origin: usize) {
        let known = self.placeholders.iter().position(|known| *known == placeholder);
        let number = known.unwrap_or_else(|| {
            self.placeholders.push(placeholder);
            self.placeholders.len() - 1
        });
        self.text(&token(number), origin);
    }

    /// Parses the text, within the default limits. Where a lexer would begin with it in no word of its own, or in another mode, it may stand in such a one.
    ///
    /// # Errors
    /// Where it is wrong and what was expected; or that a limit is reached.
    pub fn parse(&self, root: NonterminalId) -> Result<Choices, PartsError> {
        let by_itself = self.parse_in(root, Surrounding::Nothing);
        match by_itself {
            Err(PartsError::Wrong(..)) if root != self.grammar.start() && self.grammar.has_tokens() => {
                self.parse_in(root, Surrounding::Anything).or(by_itself)
            }
            by_itself => by_itself,
        }
    }

    fn parse_in(&self, root: NonterminalId, surrounding: Surrounding) -> Result<Choices, PartsError> {
        let mut builder = GrammarBuilder::from(self.grammar.clone());
        let mut fillings: Vec<Filling> = Vec::new();
        if surrounding == Surrounding::Anything {
            if lexical(self.grammar).contains(root) {
                builder.without_words();
            } else {
                // Behind a placeholder, which is one, each mode may be.
                builder.literal(&token(self.placeholders.len()));
            }
        }
        for (number, placeholder) in self.placeholders.iter().enumerate() {
            let symbol: Vec<Symbol> = builder.literal(&token(number)).into_iter().collect();
            match placeholder {
                Placeholder::Open(nonterminal, openness) => {
                    builder.rule(*nonterminal, symbol);
                    fillings.push(Filling::Open(openness.clone()));
                }
                Placeholder::Gap(patterns) => {
                    for pattern in patterns {
                        builder.rule(pattern.characteristic(), symbol.clone());
                        fillings.push(Filling::Pattern(pattern.clone()));
                    }
                }
            }
        }
        let parser = Parser::within(Arc::new(builder.finish(root)), &Limits::default())?;
        let forest = parser.parse(&self.bytes).map_err(|error| match error {
            ParseError::Syntax(error) => PartsError::Wrong(error.offset(), expectation(&error)),
            ParseError::Exceeded(exceeded) => exceeded.into(),
        })?;
        Ok(Choices {
            forest,
            fillings,
            first_placeholder: self.grammar.rules().len(),
            in_either_case: self.in_either_case.clone(),
        })
    }

    /// Where in the source the byte at `offset` comes from.
    pub fn origin(&self, offset: usize) -> Option<usize> {
        self.origins.get(offset).copied()
    }
}

/// What stands around a pattern's text.
#[derive(Clone, Copy, PartialEq)]
enum Surrounding {
    /// Its first word is the first one of all.
    Nothing,
    /// It may be a part of a word, or stand where another mode is.
    Anything,
}

/// What stands for a part of a pattern's text.
#[derive(Clone, PartialEq)]
pub enum Placeholder {
    /// An open node.
    Open(NonterminalId, Openness),
    /// A gap between words with something particular in it: the pattern of that, for each kind of gap.
    Gap(Vec<Pattern>),
}

/// What a placeholder becomes in the pattern.
enum Filling {
    Open(Openness),
    Pattern(Pattern),
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
    fillings: Vec<Filling>,
    first_placeholder: usize,
    in_either_case: Vec<bool>,
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
        let part = |rule: RuleId| match &self.fillings[number(rule)?] {
            Filling::Open(openness) => Some(Part::Open(openness.clone())),
            Filling::Pattern(pattern) => Some(Part::Pattern(pattern)),
        };
        let grammar = self.forest.grammar();
        let letters = self.letters(tree);
        let part = |node, nonterminal| {
            let is_gap = is_gap(grammar, nonterminal) && node != tree.root();
            let gap = is_gap.then_some(Part::Open(Openness::Abstract));
            tree.rule(node).and_then(part).or(gap)
        };
        Pattern::with_parts(grammar, tree, tree.root(), part, |node| letters.contains(&node))
    }

    /// The letters of a tree that are in either case: those of which the grammar has both there.
    fn letters(&self, tree: &Tree) -> HashSet<NodeId> {
        let mut letters = HashSet::new();
        if !self.in_either_case.contains(&true) {
            return letters;
        }
        let grammar = self.forest.grammar();
        let mut at = 0;
        for node in tree.preorder(tree.root()) {
            match tree.label(node) {
                Label::Literal(literal) => at += grammar.literal(literal).len(),
                Label::Char(c) => {
                    if self.in_either_case[at] && tree.class_of_both_cases(grammar, node).is_some() {
                        letters.insert(node);
                    }
                    at += c.len_utf8();
                }
                Label::Rule(_) => {}
            }
        }
        letters
    }
}

impl Pattern {
    /// Which tree of its own text this is, counted from 1, where the text has several; `None` where it
    /// has one, or too many to choose from.
    pub fn choice(&self, grammar: &Grammar) -> Option<usize> {
        let choices = self.choices(grammar).filter(Choices::is_ambiguous)?;
        let own = self.clone().constrained(None);
        Some(choices.all()?.iter().position(|choice| *choice == own)? + 1)
    }

    /// The trees of its own text; `None` where it takes too much to parse.
    pub(super) fn choices(&self, grammar: &Grammar) -> Option<Choices> {
        let mut parts = Parts::new(grammar);
        for piece in self.pieces(grammar) {
            match piece {
                Piece::Text(bytes) | Piece::Literal(bytes) => parts.text(&bytes, 0),
                Piece::Letter(c) => parts.text_in_either_case(c.encode_utf8(&mut [0; 4]).as_bytes(), 0),
                Piece::Gap(pattern) => parts.placeholder(Placeholder::Gap(vec![pattern]), 0),
                Piece::Open(node) => {
                    let (nonterminal, openness) = self.openness(node)?;
                    parts.placeholder(Placeholder::Open(nonterminal, openness), 0);
                }
            }
        }
        parts.parse(self.characteristic()).ok()
    }

    fn openness(&self, node: PatternNodeId) -> Option<(NonterminalId, Openness)> {
        Some(match self.node(node) {
            PatternNode::Abstract(nonterminal) => (*nonterminal, Openness::Abstract),
            PatternNode::Bound(nonterminal, number) => (*nonterminal, Openness::Bound(*number)),
            PatternNode::Where(nonterminal, number, condition) => {
                (*nonterminal, Openness::Where(*number, condition.clone()))
            }
            PatternNode::Rule(..)
            | PatternNode::Literal(_)
            | PatternNode::Char(_)
            | PatternNode::Letter(_)
            | PatternNode::AnyChar => return None,
        })
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

#[cfg(test)]
mod tests {
    use crate::base::diagnostic::Source;
    use crate::grammar::format;
    use crate::pattern::text::read_expression;

    #[test]
    fn behind_a_placeholder_the_lexer_may_be_in_each_mode() {
        let source = "@lexer <word>\n<page> ::= (<text> | <tag>)*\n<tag> ::= <open> <name> <close>
            <word> ::= <outside> | <inside>\n<outside> ::= <open> <inside> | <text>
            <inside> ::= <close> <back> | <name>\n<back> ::= \"\"\n@token <open> ::= \"<\"
            @token <close> ::= \">\"\n@token <text> ::= [^<]+\n@token <name> ::= [a-z]+";
        let grammar = format::read(&Source::new("page.ebnf", source), None).unwrap().grammar;
        for text in [
            r#"<page F> where <tag F> is "<open>b<close>""#,
            r#"<page F> where <tag F> is "\<<name><close>""#,
            r#"<page F> where <page F> is "a<tag><text><page*1>""#,
        ] {
            let read = read_expression(&Source::new("expression", text), &grammar).unwrap();
            assert_eq!(read.text(&grammar), text);
        }
    }

    /// Where a word is always another one that is as long, or one of another mode, it is a part of a word, or that mode is on.
    #[test]
    fn a_part_of_a_word_is_read_and_so_is_a_word_of_another_mode() {
        let source = "@lexer <word>\n<page> ::= (<name> | <tag>)*\n<tag> ::= <open> <key> <close>
            <word> ::= <outside> | <inside>\n<outside> ::= <open> <inside> | <name>
            <inside> ::= <close> <back> | <key>\n<back> ::= \"\"\n@token <open> ::= \"[\"
            @token <close> ::= \"]\"\n@token <name> ::= <part> | <part> \":\" <local>\n@token <key> ::= \"\\\\\" [a-z]
            @token <part> ::= [a-z]+\n@token <local> ::= [a-z]+";
        let grammar = format::read(&Source::new("page.ebnf", source), None).unwrap().grammar;
        for text in [
            r#"<page F> where <part F> is "ab""#,
            r#"<page F> where <local F> is "a""#,
            r#"<page F> where <key F> is "\\a""#,
            r#"<page F> where <name F> is "<part>:<local>""#,
        ] {
            let read = read_expression(&Source::new("expression", text), &grammar).unwrap();
            assert_eq!(read.text(&grammar), text);
        }
        for wrong in [r#"<page F> where <part F> is "1""#, r#"<page F> where <tag F> is "[a]""#] {
            assert!(read_expression(&Source::new("expression", wrong), &grammar).is_err(), "{wrong}");
        }
    }
}
