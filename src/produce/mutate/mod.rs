//! Inputs that are a change away from another one: the derivation tree is changed at random, so that what comes of it
//! is still of the grammar, and near.
//!
//! | change | what it does |
//! |---|---|
//! | replace | a subtree by a random one of the same nonterminal |
//! | insert | an element of a list, or what is optional, at random |
//! | delete | an element of a list, or what is optional |
//! | duplicate | an element of a list, with the copy anywhere in the list |
//! | move | an element of a list to another place of the list |
//! | swap | two subtrees of one nonterminal |
//!
//! The place is chosen in two steps: first a nonterminal, then one of its nodes, for else nearly all changes would be inside of
//! long words. What is a list is said in [`lists`]. Words are kept apart, as by a producer. What is made is parsed, since a new
//! word may be one that the grammar excepts; so it always is of the grammar, and never what it was made of.

mod draft;
mod grow;
mod lists;
mod places;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::base::bitset::BitSet;
use crate::base::limits::Exceeded;
use crate::base::random_stream::RandomStream;
use crate::grammar::{Grammar, Lexis, NonterminalId, RuleId, Symbol, analysis};
use crate::parse::Parser;
use crate::tree::{NodeId, Tree};

use super::Producer;
use draft::{Changes, Draft, Part};
use lists::{Lists, Recursion};

pub use grow::{Grower, Growing, Insertion};

/// After this number of changes that come to nothing new there is taken to be none.
const MOST_IN_VAIN: usize = 20;

/// What is done to a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeKind {
    /// A subtree is replaced by a random one of the same nonterminal.
    Replace,
    /// An element is put into a list, or something optional to its place, at random.
    Insert,
    /// An element of a list or something optional is left out.
    Delete,
    /// An element of a list comes once more.
    Duplicate,
    /// An element of a list stands elsewhere in it.
    Move,
    /// Two subtrees of one nonterminal change places.
    Swap,
}

impl ChangeKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Replace, Self::Insert, Self::Delete, Self::Duplicate, Self::Move, Self::Swap];

    /// Each kind as often as it is likely. What is inserted is what a pattern made of one input is least prepared
    /// for, so it has a large share.
    const SHARES: [Self; 10] = [
        Self::Replace,
        Self::Replace,
        Self::Replace,
        Self::Insert,
        Self::Insert,
        Self::Insert,
        Self::Delete,
        Self::Duplicate,
        Self::Move,
        Self::Swap,
    ];
}

/// Changes trees at random. The same stream makes the same changes.
pub struct Mutator<'a> {
    parser: &'a Parser,
    producer: &'a dyn Producer,
    nullable: BitSet<NonterminalId>,
    lists: Lists,
}

impl<'a> Mutator<'a> {
    /// Changes trees of the parser's grammar; what is new in them is made by `producer`, which works on the same
    /// grammar.
    pub fn new(parser: &'a Parser, producer: &'a dyn Producer) -> Self {
        let grammar = parser.grammar();
        Self { parser, producer, nullable: analysis::nullable(grammar), lists: Lists::new(grammar) }
    }

    /// The text of `tree` with one change of a random kind: it parses, and is another one. `None` when many tries come
    /// to nothing.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn change(&self, tree: &Tree, stream: &mut RandomStream) -> Result<Option<Vec<u8>>, Exceeded> {
        self.attempt(tree, stream, |stream| *stream.pick(&ChangeKind::SHARES))
    }

    /// As [`Self::change`], with a change of this kind.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn change_of_kind(
        &self,
        kind: ChangeKind,
        tree: &Tree,
        stream: &mut RandomStream,
    ) -> Result<Option<Vec<u8>>, Exceeded> {
        self.attempt(tree, stream, |_| kind)
    }

    /// As [`Self::change`], with this number of changes, one after the other. `None` also when the last one leads back to
    /// where the first one began.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn changes(
        &self,
        tree: &Tree,
        number: usize,
        stream: &mut RandomStream,
    ) -> Result<Option<Vec<u8>>, Exceeded> {
        let Some(mut text) = self.change(tree, stream)? else { return Ok(None) };
        for _ in 1..number {
            let Some(tree) = self.tree(&text)? else { return Ok(None) };
            let Some(next) = self.change(&tree, stream)? else { return Ok(None) };
            text = next;
        }
        Ok(Some(text).filter(|text| *text != tree.text(self.grammar())))
    }

    /// The text of `tree` with `text` in the place of `node`, and words kept apart: `None` when that does not parse, or changes
    /// nothing.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn replaced(&self, tree: &Tree, node: NodeId, text: &[u8]) -> Result<Option<Vec<u8>>, Exceeded> {
        let draft = Draft::new(self.grammar(), self.lexis(), tree);
        let changes = Changes::from_iter([(node, vec![Part::Text(text.to_vec())])]);
        self.checked(&draft, &changes)
    }

    /// The first derivation tree of a text; `None` when it does not parse, or is too ambiguous to be parsed within the
    /// limits.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn tree(&self, text: &[u8]) -> Result<Option<Tree>, Exceeded> {
        within_limits(self.parser.first_tree(text)).map(Option::flatten)
    }

    fn grammar(&self) -> &'a Grammar {
        self.parser.grammar()
    }

    fn lexis(&self) -> Option<&'a Lexis> {
        self.parser.lexis()
    }

    fn attempt(
        &self,
        tree: &Tree,
        stream: &mut RandomStream,
        mut kind: impl FnMut(&mut RandomStream) -> ChangeKind,
    ) -> Result<Option<Vec<u8>>, Exceeded> {
        let draft = Draft::new(self.grammar(), self.lexis(), tree);
        // What can be done where is found once for each kind.
        let mut known = HashMap::new();
        for _ in 0..MOST_IN_VAIN {
            let kind = kind(stream);
            let places = known.entry(kind).or_insert_with(|| self.places(kind, tree));
            let Some(changes) = self.draw(kind, places, &draft, tree, stream) else { continue };
            if let Some(text) = self.checked(&draft, &changes)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    fn checked(&self, draft: &Draft<'_>, changes: &Changes) -> Result<Option<Vec<u8>>, Exceeded> {
        let text = draft.write(changes);
        let is_good =
            text != draft.text() && within_limits(self.parser.recognizes(&text))?.unwrap_or_default();
        Ok(is_good.then_some(text))
    }

    /// What the symbols of a rule become: what is given for them, or else something at random. `None` when there is
    /// nothing.
    fn parts(
        &self,
        rule: RuleId,
        stream: &mut RandomStream,
        mut given: impl FnMut(usize, Symbol) -> Option<NodeId>,
    ) -> Option<Vec<Part>> {
        let symbols = self.grammar().rule(rule).symbols.iter().enumerate();
        let mut part = |(place, &symbol)| match given(place, symbol) {
            Some(node) => Some(Part::Node(node)),
            None => self.random(symbol, stream).map(Part::Text),
        };
        symbols.map(&mut part).collect()
    }

    /// A random text of a symbol. Gaps between words are left empty where they can be.
    fn random(&self, symbol: Symbol, stream: &mut RandomStream) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        match symbol {
            Symbol::Literal(literal) => text.extend_from_slice(self.grammar().literal(literal)),
            Symbol::Class(class) => {
                let class = self.grammar().class(class);
                let c = (!class.is_empty()).then(|| class.nth(stream.below(class.len()))).flatten()?;
                text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Symbol::Nonterminal(id) if self.is_gap(id) && self.nullable.contains(id) => {}
            Symbol::Nonterminal(id) => self.producer.produce(id, stream, &mut text).ok()?,
        }
        Some(text)
    }

    fn is_gap(&self, nonterminal: NonterminalId) -> bool {
        self.lexis().is_some_and(|lexis| lexis.is_gap(nonterminal))
    }

    /// A node of a list with an element more.
    fn around(
        &self,
        node: NodeId,
        recursion: Recursion,
        stream: &mut RandomStream,
        mut given: impl FnMut(usize, Symbol) -> Option<NodeId>,
    ) -> Option<Vec<Part>> {
        let Recursion { rule, position } = recursion;
        self.parts(
            rule,
            stream,
            |place, symbol| if place == position { Some(node) } else { given(place, symbol) },
        )
    }
}

/// What was found; nothing where a limit was reached, unless the user reached it.
fn within_limits<T>(found: Result<T, Exceeded>) -> Result<Option<T>, Exceeded> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Exceeded::Interrupted) => Err(Exceeded::Interrupted),
        Err(_) => Ok(None),
    }
}
