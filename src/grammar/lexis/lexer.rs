//! Words as a lexer of its own would take them (`@lexer`): from where one begins, the longest text of all words, and
//! among those of this length the one that is named first.
//!
//! What is skipped between words consists of words too. So what stands where in a text does not depend on the rules of the grammar,
//! as with the generated lexers of ANTLR: each part of a text is the word that comes next, or there is no parse.

use rustc_hash::FxHashMap;

use super::Word;
use super::automaton::{Automaton, DEAD, START};
use super::network::{Network, Recursions, unit_at};
use crate::grammar::model::{Grammar, NonterminalId, Symbol};

/// Nothing ends in a state.
const NONE: u32 = u32::MAX;

/// The lexer of a grammar.
#[derive(Clone, Debug)]
pub(super) struct Lexer {
    automaton: Automaton,
    /// By state, the first alternative that ends there.
    first: Vec<u32>,
    /// The alternatives that are each word: one, but for words that always have the same text.
    places: FxHashMap<Word, Vec<u32>>,
}

impl Lexer {
    /// The lexer whose words are the alternatives of `words`; those that are not regular are left out and told. `None` when there
    /// would be too much to do.
    pub(super) fn new(
        grammar: &Grammar,
        recursions: &Recursions,
        words: NonterminalId,
        irregular: &mut Vec<NonterminalId>,
        work: &mut usize,
    ) -> Option<Self> {
        let mut network = Network::default();
        let start = network.state();
        let mut ends = Vec::new();
        let mut places: FxHashMap<Word, Vec<u32>> = FxHashMap::default();
        let mut by_text: FxHashMap<&[u8], Vec<(Word, u32)>> = FxHashMap::default();
        for &rule in grammar.rules_of(words) {
            let end = network.state();
            let place = ends.len() as u32;
            let word = match *grammar.rule(rule).symbols {
                [Symbol::Literal(literal)] => {
                    network.spell(start, grammar.literal(literal), end);
                    Word::Literal(literal)
                }
                [Symbol::Nonterminal(token)] => {
                    // A part that was derived before it turned out to be irregular leads nowhere.
                    if network.derive(grammar, recursions, token, start, end).is_err() {
                        irregular.push(token);
                        continue;
                    }
                    Word::Token(token)
                }
                _ => continue,
            };
            ends.push(end);
            places.entry(word).or_default().push(place);
            if let Some(text) = only_text(grammar, word) {
                by_text.entry(text).or_default().push((word, place));
            }
        }
        for (text, alike) in by_text {
            let all: Vec<u32> = alike.iter().map(|&(_, place)| place).collect();
            for (word, _) in alike {
                places.insert(word, all.clone());
            }
            // A literal for which there is a token.
            for (literal, _) in grammar.literals().entries().filter(|(_, other)| ***other == *text) {
                places.insert(Word::Literal(literal), all.clone());
            }
        }
        let (automaton, first) = Automaton::marked(&network, start, &ends, work).ok()?;
        Some(Self { automaton, first, places })
    }

    /// Whether this is one of its words.
    pub(super) fn knows(&self, word: Word) -> bool {
        self.places.contains_key(&word)
    }

    /// Whether the word that comes next in `text` at `begin` is `word` and ends at `end`. The bytes that this takes are added
    /// to `looked`.
    pub(super) fn is_next(
        &self,
        word: Word,
        text: &[u8],
        begin: usize,
        end: usize,
        looked: &mut usize,
    ) -> bool {
        let (mut state, mut offset) = (START, begin);
        let mut found = None;
        while state != DEAD
            && let Some((unit, width)) = unit_at(text, offset)
        {
            state = self.automaton.step(state, unit);
            offset += width;
            if self.first[state as usize] != NONE {
                found = Some((offset, self.first[state as usize]));
                // Longer than it may be.
                if offset > end {
                    break;
                }
            }
        }
        *looked += offset - begin;
        found.is_some_and(|(at, place)| {
            at == end && self.places.get(&word).is_some_and(|all| all.contains(&place))
        })
    }
}

/// The text of a word that has one only.
fn only_text(grammar: &Grammar, word: Word) -> Option<&[u8]> {
    match word {
        Word::Literal(literal) => Some(grammar.literal(literal)),
        Word::Token(token) => match grammar.rules_of(token) {
            [rule] => match *grammar.rule(*rule).symbols {
                [Symbol::Literal(literal)] => Some(grammar.literal(literal)),
                _ => None,
            },
            _ => None,
        },
    }
}
