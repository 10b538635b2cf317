//! Words as a lexer of its own would take them (`@lexer`): from where one begins, the longest text of all words, and
//! among those of this length the one that is named first.
//!
//! A word may be *uncertain*, written with `?`: the lexer takes it or not. It is good where a lexer would take it that has it besides the
//! certain ones, and takes nothing away from those. So is one that is not regular, as it cannot be told where a lexer would end it. There may be several lexers, each named by a nonterminal: then a word is good where one of
//! them takes it.
//!
//! Behind a word a lexer may go over to others, its *modes* ([`super::modes`]).
//!
//! What is skipped between words consists of words too. So what stands where in a text does not depend on the rules of the grammar,
//! as with the generated lexers of ANTLR: each part of a text is the word that comes next, or there is no parse.

use rustc_hash::FxHashMap;

use super::Word;
use super::automaton::{Automaton, DEAD, START};
use super::modes::{Move, leads_back};
use super::network::{Network, Recursions, unit_at};
use crate::base::bitset::BitSet;
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
    /// By alternative, what is done behind its word.
    moves: Vec<Box<[Move]>>,
    uncertain: FxHashMap<Word, Uncertain>,
}

/// A word that may be taken or not.
#[derive(Clone, Debug)]
struct Uncertain {
    /// The number of the first certain word behind it.
    behind: u32,
    moves: Box<[Move]>,
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
        let (modes, own) = lists(grammar, words);
        let mut lists: Vec<&[RuleId]> = modes.iter().map(|&mode| grammar.rules_of(mode)).collect();
        if !own.is_empty() {
            lists.push(&own);
        }
        let moves = |symbols: &[Symbol]| -> Box<[Move]> {
            let of = |symbol: &Symbol| match *symbol {
                Symbol::Nonterminal(id) if id == words => Some(Move::Anywhere),
                Symbol::Nonterminal(id) if leads_back(grammar, id) => Some(Move::Back),
                Symbol::Nonterminal(id) => {
                    modes.iter().position(|&mode| mode == id).map(|mode| Move::Enter(mode as u32))
                }
                Symbol::Literal(_) | Symbol::Class(_) => None,
            };
            symbols.iter().filter_map(of).collect()
        };
        let lexers = lists.iter().map(|rules| Self::new(grammar, recursions, rules, &moves, irregular, work));
        lexers.collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// The lexer whose words are these rules; those that are not regular are left out and told. `None` when there would be too much to do.
    fn new(
        grammar: &Grammar,
        recursions: &Recursions,
        rules: &[RuleId],
        moves_of: &dyn Fn(&[Symbol]) -> Box<[Move]>,
        irregular: &mut Vec<NonterminalId>,
        work: &mut usize,
    ) -> Option<Self> {
        let mut uncertain: FxHashMap<Word, Uncertain> = FxHashMap::default();
        let mut network = Network::default();
        let start = network.state();
        let mut ends = Vec::new();
        let mut moves = Vec::new();
        let mut places: FxHashMap<Word, Vec<u32>> = FxHashMap::default();
        let mut by_text: FxHashMap<&[u8], Vec<(Word, u32)>> = FxHashMap::default();
        for &rule in rules {
            let behind = ends.len() as u32;
            let [word, modes @ ..] = &*grammar.rule(rule).symbols else { continue };
            let end = network.state();
            let word = match *word {
                Symbol::Nonterminal(inner) if grammar.nonterminal(inner).token.is_none() => {
                    let word = optional(grammar, inner).map(Word::Token);
                    let moves = moves_of(modes);
                    uncertain.extend(word.map(|word| (word, Uncertain { behind, moves })));
                    continue;
                }
                Symbol::Literal(literal) => {
                    network.spell(start, grammar.literal(literal), end);
                    Word::Literal(literal)
                }
                Symbol::Nonterminal(token) => {
                    // A part that was derived before it turned out to be irregular leads nowhere. Where it ends only the rules tell.
                    if network.derive(grammar, recursions, token, start, end).is_err() {
                        irregular.push(token);
                        let moves = moves_of(modes);
                        uncertain.insert(Word::Token(token), Uncertain { behind, moves });
                        continue;
                    }
                    Word::Token(token)
                }
                Symbol::Class(_) => continue,
            };
            ends.push(end);
            moves.push(moves_of(modes));
            places.entry(word).or_default().push(behind);
            if let Some(text) = only_text(grammar, word) {
                by_text.entry(text).or_default().push((word, behind));
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
        let texts: Vec<(&[u8], Uncertain)> = uncertain
            .iter()
            .filter_map(|(&word, uncertain)| Some((only_text(grammar, word)?, uncertain.clone())))
            .collect();
        for (text, own) in texts {
            for (literal, _) in grammar.literals().entries().filter(|(_, other)| ***other == *text) {
                uncertain.entry(Word::Literal(literal)).or_insert_with(|| own.clone());
            }
        }
        let (automaton, first) = Automaton::marked(&network, start, &ends, work).ok()?;
        Some(Self { automaton, first, places, moves, uncertain })
    }

    /// Whether this is one of its words.
    pub(super) fn knows(&self, word: Word) -> bool {
        self.places.contains_key(&word) || self.uncertain.contains_key(&word)
    }

    /// Whether the lexer may take this word or not.
    pub(super) fn is_uncertain(&self, word: Word) -> bool {
        self.uncertain.contains_key(&word)
    }

    /// Whether it goes over to other modes behind some word.
    pub(super) fn moves(&self) -> bool {
        self.moves
            .iter()
            .chain(self.uncertain.values().map(|word| &word.moves))
            .any(|moves| !moves.is_empty())
    }

    /// What is done behind the word of a match.
    pub(super) fn behind(&self, found: Match) -> &[Move] {
        &self.moves[found.place as usize]
    }

    /// What is done behind a word that it may take or not.
    pub(super) fn behind_uncertain(&self, word: Word) -> Option<&[Move]> {
        self.uncertain.get(&word).map(|uncertain| &*uncertain.moves)
    }

    /// The tokens that it may take or not, each with what is done behind it.
    pub(super) fn uncertain(&self) -> impl Iterator<Item = (NonterminalId, &[Move])> {
        self.uncertain.iter().filter_map(|(word, uncertain)| match *word {
            Word::Token(token) => Some((token, &*uncertain.moves)),
            Word::Literal(_) => None,
        })
    }

    /// The certain word that comes next in `text` at `begin`, or what shows that there is one that ends behind `enough`. The bytes that
    /// this takes are added to `looked`.
    pub(super) fn next(&self, text: &[u8], begin: usize, enough: usize, looked: &mut usize) -> Option<Match> {
        let (mut state, mut offset) = (START, begin);
        let mut found = None;
        while state != DEAD
            && let Some((unit, width)) = unit_at(text, offset)
        {
            state = self.automaton.step(state, unit);
            offset += width;
            if self.first[state as usize] != NONE {
                found = Some(Match { end: offset, place: self.first[state as usize] });
                if offset > enough {
                    break;
                }
            }
        }
        *looked += offset - begin;
        found
    }

    /// Whether a word may be longer than this text, which is one, if such a character comes next (by its number).
    pub(super) fn runs_on(&self, text: &[u8], next: u32) -> bool {
        let state = self.automaton.run(START, text);
        self.first[state as usize] != NONE && self.automaton.step(state, next) != DEAD
    }

    /// Whether a word that ends at `end` is the one that comes next, given the certain one that does.
    pub(super) fn is_next(&self, word: Word, end: usize, next: Option<Match>) -> bool {
        let is_certain = next.is_some_and(|next| {
            next.end == end && self.places.get(&word).is_some_and(|all| all.contains(&next.place))
        });
        // Nothing that is certain is longer, or as long and before it.
        let may_be_taken =
            |behind: u32| next.is_none_or(|next| next.end < end || next.end == end && next.place >= behind);
        is_certain || self.uncertain.get(&word).is_some_and(|word| may_be_taken(word.behind))
    }
}

/// A word that a lexer takes: where it ends, and the number of its alternative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    pub end: usize,
    place: u32,
}

/// The modes that `words` names, and those of its rules that are words themselves.
pub(super) fn lists(grammar: &Grammar, words: NonterminalId) -> (Vec<NonterminalId>, Vec<RuleId>) {
    let (mut modes, mut own) = (Vec::new(), Vec::new());
    for &rule in grammar.rules_of(words) {
        match *grammar.rule(rule).symbols {
            [Symbol::Nonterminal(inner)]
                if grammar.nonterminal(inner).token.is_none() && optional(grammar, inner).is_none() =>
            {
                modes.push(inner);
            }
            _ => own.push(rule),
        }
    }
    (modes, own)
}

/// The lexical nonterminals in which tokens are words of some lexers: what is skipped, and tokens that the lexers do not name, which consist of words
/// and nothing else.
pub(super) fn between(grammar: &Grammar, lexers: &[Lexer]) -> BitSet<NonterminalId> {
    let mut between = BitSet::new();
    if lexers.is_empty() {
        return between;
    }
    let is_named = |id: NonterminalId| lexers.iter().any(|lexer| lexer.knows(Word::Token(id)));
    let tokens = grammar.nonterminals().entries().filter(|(_, nonterminal)| nonterminal.token.is_some());
    let unnamed = tokens.map(|(id, _)| id).filter(|&id| !is_named(id));
    for (is_skip, root) in
        grammar.skip().map(|id| (true, id)).into_iter().chain(unnamed.map(|id| (false, id)))
    {
        let mut found: BitSet<NonterminalId> = BitSet::from_iter([root]);
        let mut open = vec![root];
        let mut has_characters = false;
        while let Some(id) = open.pop() {
            for &symbol in grammar.rules_of(id).iter().flat_map(|&rule| &*grammar.rule(rule).symbols) {
                match symbol {
                    Symbol::Nonterminal(inner) if grammar.nonterminal(inner).token.is_some() => {
                        has_characters |= !is_named(inner) && inner != root;
                    }
                    Symbol::Nonterminal(inner) => {
                        if found.insert(inner) {
                            open.push(inner);
                        }
                    }
                    Symbol::Literal(_) | Symbol::Class(_) => has_characters = true,
                }
            }
        }
        if is_skip || !has_characters {
            between.union_with(&found);
        }
    }
    between
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
