//! Which mode a lexer is in where a word begins.
//!
//! A lexer with several modes, the lists of words that `@lexer` names, begins in the first. Behind a word it may enter modes and go back from
//! them, in the order in which the alternative of the word names them; those to go back to are a stack. So a text tells which mode each of its
//! words is of, and a word is good where it is one of that mode.
//!
//! Words that are taken or not may leave several modes. All stacks are then followed at once, as a graph in which those that have the
//! same mode at the same place are one (Tomita 1985). Where what is done behind a word is not known, `Move::Anywhere`, each mode may be
//! at work from there on. A text is followed as far as it is asked for. Where a word that is not regular ends, who asks has found out before the
//! words behind it are asked for.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::Lexis;
use super::automaton::START;
use super::lexer::{Match, lists};
use super::network::unit_at;
use crate::base::bitset::BitSet;
use crate::grammar::model::{Grammar, NonterminalId};

/// What is done behind a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// The mode is left for the one below it.
    Back,
    /// A mode is entered on top of this one, by its number.
    Enter(u32),
    /// Nothing is known.
    Anywhere,
}

/// Whether a nonterminal stands for going back to the mode below: it derives the empty text and nothing else.
pub(super) fn leads_back(grammar: &Grammar, id: NonterminalId) -> bool {
    matches!(grammar.rules_of(id), [rule] if grammar.rule(*rule).symbols.is_empty())
}

/// The nonterminals that say which words and modes there are. What they derive means nothing.
pub fn word_lists(grammar: &Grammar) -> BitSet<NonterminalId> {
    let Some(words) = grammar.lexer() else { return BitSet::new() };
    let (modes, _) = lists(grammar, words);
    modes.into_iter().chain([words]).collect()
}

/// Below the lowest mode there is nothing.
const BOTTOM: u32 = 0;

/// A mode with the stacks on which it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Top {
    mode: u32,
    below: Vec<u32>,
}

/// What is known of the words that begin somewhere in a mode.
#[derive(Clone, Debug)]
struct Begun {
    certain: Option<Match>,
    /// The mode, on all stacks on which it stands there.
    tops: Vec<u32>,
}

/// The modes in which the words of a text begin.
#[derive(Clone, Debug)]
pub struct Division {
    tops: Vec<Top>,
    known: FxHashMap<Top, u32>,
    /// Where words begin that are still to be looked at, in which modes.
    open: BTreeMap<usize, BTreeMap<u32, Vec<u32>>>,
    /// Where words begin in which mode, with the certain one of them.
    begun: FxHashMap<(usize, u32), Begun>,
    /// From where on nothing is known.
    unknown: usize,
}

impl Division {
    /// That of a text of which nothing is read yet; `is_known` says whether the lexers tell their modes at all.
    pub(super) fn new(is_known: bool) -> Self {
        let mut division = Self {
            tops: vec![Top { mode: u32::MAX, below: Vec::new() }],
            known: FxHashMap::default(),
            open: BTreeMap::new(),
            begun: FxHashMap::default(),
            unknown: if is_known { usize::MAX } else { 0 },
        };
        if is_known {
            let first = division.top(0, vec![BOTTOM]);
            division.open.insert(0, BTreeMap::from([(0, vec![first])]));
        }
        division
    }

    fn top(&mut self, mode: u32, below: Vec<u32>) -> u32 {
        let new = self.tops.len() as u32;
        *self.known.entry(Top { mode, below }).or_insert_with_key(|top| {
            self.tops.push(top.clone());
            new
        })
    }

    /// The certain word that begins at `begin` in a mode, or one that ends behind `end`; `None` if no word begins there in this mode. The bytes
    /// that are read for it are added to `looked`.
    pub(super) fn next(
        &mut self,
        lexis: &Lexis,
        mode: usize,
        text: &[u8],
        (begin, end): (usize, usize),
        looked: &mut usize,
    ) -> Option<Option<Match>> {
        while let Some(entry) = self.open.first_entry()
            && *entry.key() <= begin
            && *entry.key() < self.unknown
        {
            let (at, modes) = entry.remove_entry();
            for (mode, tops) in modes {
                self.go_on(lexis, mode, tops, text, at, looked);
            }
        }
        if begin >= self.unknown {
            return Some(lexis.lexers[mode].next(text, begin, end, looked));
        }
        self.begun.get(&(begin, mode as u32)).map(|begun| begun.certain)
    }

    /// Notes a word that was found to be good, in a mode, which could not be known before as it is not regular.
    pub(super) fn found(&mut self, mode: usize, (begin, end): (usize, usize), moves: &[Move]) {
        if let Some(begun) = self.begun.get(&(begin, mode as u32)) {
            let tops = begun.tops.clone();
            self.lead(end, &tops, moves);
        }
    }

    /// Finds out what may begin behind the words that begin at `begin` in a mode.
    fn go_on(
        &mut self,
        lexis: &Lexis,
        mode: u32,
        mut tops: Vec<u32>,
        text: &[u8],
        begin: usize,
        looked: &mut usize,
    ) {
        let lexer = &lexis.lexers[mode as usize];
        if tops.len() > 1 {
            let mut below: Vec<u32> =
                tops.iter().flat_map(|&top| self.tops[top as usize].below.clone()).collect();
            below.sort_unstable();
            below.dedup();
            tops = vec![self.top(mode, below)];
        }
        let next = lexer.next(text, begin, usize::MAX, looked);
        self.begun.insert((begin, mode), Begun { certain: next, tops: tops.clone() });
        if let Some(next) = next {
            self.lead(next.end, &tops, lexer.behind(next));
        }
        for (token, moves) in lexer.uncertain() {
            let end = lexis.longest(token, text, begin, looked);
            if let Some(end) = end.filter(|&end| lexer.is_next(super::Word::Token(token), end, next)) {
                self.lead(end, &tops, moves);
            }
        }
    }

    /// Notes the modes that are come to behind a word.
    fn lead(&mut self, end: usize, tops: &[u32], moves: &[Move]) {
        let mut tops = tops.to_vec();
        for action in moves {
            match *action {
                Move::Back => {
                    tops = tops.iter().flat_map(|&top| self.tops[top as usize].below.clone()).collect();
                    tops.sort_unstable();
                    tops.dedup();
                }
                Move::Enter(mode) => tops = vec![self.top(mode, tops)],
                Move::Anywhere => {
                    self.unknown = self.unknown.min(end);
                    return;
                }
            }
        }
        let modes = self.open.entry(end).or_default();
        for top in tops.into_iter().filter(|&top| top != BOTTOM) {
            let known = modes.entry(self.tops[top as usize].mode).or_default();
            if !known.contains(&top) {
                known.push(top);
            }
        }
    }
}

impl Lexis {
    /// The modes of the words of a text, of which nothing is read yet.
    pub fn division(&self) -> Division {
        Division::new(self.has_modes)
    }

    /// Where the longest match of a token from `begin` on ends.
    fn longest(&self, token: NonterminalId, text: &[u8], begin: usize, looked: &mut usize) -> Option<usize> {
        let whole = self.tokens[&token].whole.as_ref()?;
        let (mut state, mut offset, mut end) = (START, begin, None);
        while let Some((unit, width)) = unit_at(text, offset) {
            state = whole.step(state, unit);
            offset += width;
            if state == super::automaton::DEAD {
                break;
            }
            if whole.is_accepting(state) {
                end = Some(offset);
            }
        }
        *looked += offset - begin;
        end
    }
}
