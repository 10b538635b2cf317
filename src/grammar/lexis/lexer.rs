//! Words as a lexer of its own would take them (`@lexer`): from where one begins, the longest text of all words, and
//! among those of this length the one that is named first.
//!
//! A word may be *uncertain*, written with `?`: the lexer takes it or not. It is good where a lexer would take it that has it besides the
//! certain ones, and takes nothing away from those. There may be several lexers, each named by a nonterminal: then a word is good where one of
//! them takes it.
//!
//! What is skipped between words consists of words too. So what stands where in a text does not depend on the rules of the grammar,
//! as with the generated lexers of ANTLR: each part of a text is the word that comes next, or there is no parse.

use rustc_hash::FxHashMap;

use super::Word;
use super::automaton::{Automaton, DEAD, START};
use super::network::{Network, Recursions, unit_at};
use crate::grammar::model::{Grammar, NonterminalId, RuleId, Symbol};

/// Nothing ends in a state.
const NONE: u32 = u32::MAX;

/// A lexer of a grammar.
#[derive(Clone, Debug)]
pub(super) struct Lexer {
    automaton: Automaton,
    /// By state, the first alternative that ends there.
    first: Vec<u32>,
    /// The alternatives that are each word: one, but for words that always have the same text.
    places: FxHashMap<Word, Vec<u32>>,
    /// The words that may be taken or not, with the number of the first certain one behind each.
    uncertain: FxHashMap<Word, u32>,
}

impl Lexer {
    /// The lexers whose words are the alternatives of `words`, or those of the nonterminals in them that are no tokens. None where one
    /// of them would be too much to do.
    pub(super) fn all(
        grammar: &Grammar,
        recursions: &Recursions,
        words: NonterminalId,
        irregular: &mut Vec<NonterminalId>,
        work: &mut usize,
    ) -> Vec<Self> {
        let mut own = Vec::new();
        let mut lists: Vec<&[RuleId]> = Vec::new();
        for &rule in grammar.rules_of(words) {
            match *grammar.rule(rule).symbols {
                [Symbol::Nonterminal(inner)]
                    if grammar.nonterminal(inner).token.is_none() && optional(grammar, inner).is_none() =>
                {
                    lists.push(grammar.rules_of(inner));
                }
                _ => own.push(rule),
            }
        }
        if !own.is_empty() {
            lists.push(&own);
        }
        let lexers = lists.iter().map(|rules| Self::new(grammar, recursions, rules, irregular, work));
        lexers.collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// The lexer whose words are these rules; those that are not regular are left out and told. `None` when there would be too much to do.
    fn new(
        grammar: &Grammar,
        recursions: &Recursions,
        rules: &[RuleId],
        irregular: &mut Vec<NonterminalId>,
        work: &mut usize,
    ) -> Option<Self> {
        let mut uncertain: FxHashMap<Word, u32> = FxHashMap::default();
        let mut network = Network::default();
        let start = network.state();
        let mut ends = Vec::new();
        let mut places: FxHashMap<Word, Vec<u32>> = FxHashMap::default();
        let mut by_text: FxHashMap<&[u8], Vec<(Word, u32)>> = FxHashMap::default();
        for &rule in rules {
            let place = ends.len() as u32;
            if let [Symbol::Nonterminal(inner)] = *grammar.rule(rule).symbols
                && grammar.nonterminal(inner).token.is_none()
            {
                uncertain.extend(optional(grammar, inner).map(|token| (Word::Token(token), place)));
                continue;
            }
            let end = network.state();
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
        // The literals that uncertain tokens are.
        let texts: Vec<(&[u8], u32)> =
            uncertain.iter().filter_map(|(&word, &place)| Some((only_text(grammar, word)?, place))).collect();
        for (text, place) in texts {
            for (literal, _) in grammar.literals().entries().filter(|(_, other)| ***other == *text) {
                uncertain.entry(Word::Literal(literal)).or_insert(place);
            }
        }
        let (automaton, first) = Automaton::marked(&network, start, &ends, work).ok()?;
        Some(Self { automaton, first, places, uncertain })
    }

    /// Whether this is one of its words.
    pub(super) fn knows(&self, word: Word) -> bool {
        self.places.contains_key(&word) || self.uncertain.contains_key(&word)
    }

    /// Whether the lexer may take this word or not.
    pub(super) fn is_uncertain(&self, word: Word) -> bool {
        self.uncertain.contains_key(&word)
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
        let is_certain = found.is_some_and(|(at, place)| {
            at == end && self.places.get(&word).is_some_and(|all| all.contains(&place))
        });
        // Nothing that is certain is longer, or as long and before it.
        let may_be_taken =
            |behind: u32| found.is_none_or(|(at, place)| at < end || at == end && place >= behind);
        is_certain || self.uncertain.get(&word).is_some_and(|&behind| may_be_taken(behind))
    }
}

/// The token that an uncertain word may be: a nonterminal that derives nothing, or the token.
fn optional(grammar: &Grammar, nonterminal: NonterminalId) -> Option<NonterminalId> {
    let [first, second] = grammar.rules_of(nonterminal) else { return None };
    match (&*grammar.rule(*first).symbols, &*grammar.rule(*second).symbols) {
        (&[], &[Symbol::Nonterminal(token)]) | (&[Symbol::Nonterminal(token)], &[]) => {
            grammar.nonterminal(token).token.is_some().then_some(token)
        }
        _ => None,
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
