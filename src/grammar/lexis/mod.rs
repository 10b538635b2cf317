//! The lexical layer: which texts are words, and where a word may end.
//!
//! A grammar that has tokens (`@token`) is read as a lexer and a parser would read it together. Its *words* are
//! its tokens and the literals in the rules of nonterminals that are not lexical. A derivation counts only if
//! each of its words is good where it stands:
//!
//! 1. A token takes the longest match from where it begins; its text is not of a nonterminal that it
//!    excepts; a character that it must not stand before does not follow.
//! 2. A literal is not the beginning of a longer literal that stands there (`+` of `++`).
//! 3. A literal that a token matches too, but for what it excepts, is not the beginning of a longer match of
//!    that token (`return` of `returned`).
//! 4. A literal is not the beginning of something longer that may be skipped (`-` of `-- a comment`).
//!
//! Nothing else is asked: where the rules let just one of two tokens stand, there is no question which one
//! it is (as with context-aware scanning, Van Wyk and Schwerdfeger 2007). A token inside a token, or inside of
//! what is skipped, is part of it and not considered by itself.
//!
//! A grammar may name all its words (`@lexer`); then they, and what is skipped, are as a lexer of its own would take them ([`lexer`]), and this
//! takes the place of the longest matches above.
//!
//! A token must be regular ([`network`]); the longest match of one that is not cannot be told, and is
//! not asked for ([`Lexis::irregular`]).

mod automaton;
mod lexer;
mod modes;
pub(super) mod network;
mod pieces;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;

use super::analysis;
use super::class::CharClass;
use super::model::{Grammar, HelperKind, LiteralId, NonterminalId, Role, Symbol};

pub use modes::{Division, word_lists};
pub use pieces::Pieces;

use automaton::{Automaton, DEAD, START};
use lexer::Lexer;
use network::{Irregular, Network, Recursions, unit_at};

/// Words that are longer than this many bytes are not looked at as a whole when words are kept apart.
const LONGEST_WORD: usize = 64;

/// The maximum number of members of sets of states that are visited for the automata of all tokens together, in a few seconds.
/// What comes after them is taken as irregular.
const MOST_WORK: usize = 40_000_000;

/// A symbol that has to be a word where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Word {
    /// A token.
    Token(NonterminalId),
    /// A literal of a nonterminal that is not lexical.
    Literal(LiteralId),
}

/// What is known of a token.
#[derive(Clone, Debug)]
struct TokenWord {
    /// Its texts, and those of what it excepts; `None` when they are not regular.
    whole: Option<Automaton>,
    except: Option<Automaton>,
    not_before: Option<CharClass>,
}

/// What a literal must not be the beginning of.
#[derive(Clone, Debug, Default)]
struct LiteralWord {
    /// What longer literals have behind it.
    longer: Vec<Box<[u8]>>,
    /// Tokens that match it, with the state that they are in then.
    tokens: Vec<(NonterminalId, u32)>,
    /// The state of what is skipped.
    skip: Option<u32>,
}

/// The lexical layer of a grammar.
#[derive(Clone, Debug)]
pub struct Lexis {
    lexical: BitSet<NonterminalId>,
    gaps: BitSet<NonterminalId>,
    tokens: FxHashMap<NonterminalId, TokenWord>,
    /// The literals that have something to be asked.
    literals: FxHashMap<LiteralId, LiteralWord>,
    skip: Option<Automaton>,
    irregular: Vec<NonterminalId>,
    /// All words at once, led on by what is skipped and by what a token must not stand before.
    all: Option<Automaton>,
    separator: Option<Vec<u8>>,
    is_separator_skipped: bool,
    /// The words as lexers of their own take them, and the lexical nonterminals in which tokens are words then.
    lexers: Vec<Lexer>,
    /// Whether the lexers are modes of one, of which a text tells where each is at work.
    has_modes: bool,
    between: BitSet<NonterminalId>,
}

/// The nonterminals inside which nothing is skipped: tokens, what they except, what `@skip` names and
/// what stands where something may be skipped, and all that occurs inside one of these.
pub fn lexical(grammar: &Grammar) -> BitSet<NonterminalId> {
    let mut lexical: BitSet<NonterminalId> = grammar.skip().into_iter().chain(grammar.lexer()).collect();
    for (id, nonterminal) in grammar.nonterminals().entries() {
        if let Some(token) = &nonterminal.token {
            lexical.insert(id);
            lexical.extend(token.except.iter().copied());
        }
        lexical.extend(skipped_by(grammar, id));
    }
    let mut work: Vec<NonterminalId> = lexical.iter().collect();
    while let Some(id) = work.pop() {
        for &rule in grammar.rules_of(id) {
            for &symbol in &grammar.rule(rule).symbols {
                if let Symbol::Nonterminal(next) = symbol
                    && lexical.insert(next)
                {
                    work.push(next);
                }
            }
        }
    }
    lexical
}

/// Whether a nonterminal is a gap between words, where something may be skipped.
pub fn is_gap(grammar: &Grammar, id: NonterminalId) -> bool {
    grammar.nonterminal(id).role == Role::Helper(HelperKind::Skip)
        && grammar.rules_of(id).iter().all(|&rule| grammar.rule(rule).symbols.len() <= 1)
}

/// What a gap derives, if the nonterminal is one.
fn skipped_by(grammar: &Grammar, id: NonterminalId) -> impl Iterator<Item = NonterminalId> + '_ {
    let rules = if is_gap(grammar, id) { grammar.rules_of(id) } else { &[] };
    rules.iter().filter_map(|&rule| match *grammar.rule(rule).symbols {
        [Symbol::Nonterminal(skipped)] => Some(skipped),
        _ => None,
    })
}

impl Lexis {
    /// The lexical layer of `grammar`; `None` when it has no tokens, and so none.
    pub fn new(grammar: &Grammar) -> Option<Self> {
        if !grammar.has_tokens() {
            return None;
        }
        let lexical = lexical(grammar);
        let recursions = Recursions::new(grammar);
        let productive = analysis::productive(grammar);
        let mut irregular = Vec::new();
        let mut work = MOST_WORK;
        let mut automaton = |nonterminals: &[NonterminalId]| {
            let built = automaton_of(grammar, &recursions, nonterminals, &mut work);
            built.inspect_err(|&(nonterminal, Irregular)| irregular.push(nonterminal)).ok()
        };
        let mut tokens = FxHashMap::default();
        for (id, nonterminal) in grammar.nonterminals().entries() {
            let Some(token) = &nonterminal.token else { continue };
            let whole = automaton(&[id]);
            let except = if token.except.is_empty() { None } else { automaton(&token.except) };
            let not_before = token.not_before.map(|class| grammar.class(class).clone());
            tokens.insert(id, TokenWord { whole, except, not_before });
        }
        let skipped: BitSet<NonterminalId> = grammar
            .nonterminals()
            .ids()
            .flat_map(|id| skipped_by(grammar, id))
            .chain(grammar.skip())
            .filter(|&id| productive.contains(id))
            .collect();
        let skipped: Vec<NonterminalId> = skipped.iter().collect();
        let skip = if skipped.is_empty() { None } else { automaton(&skipped) };
        let mut left = MOST_WORK;
        let lexers = grammar.lexer().map_or_else(Vec::new, |words| {
            Lexer::all(grammar, &recursions, words, &mut irregular, &mut left)
        });
        irregular.sort_unstable();
        irregular.dedup();
        let (plain, outer) = outside(grammar, &lexical);
        let separator = skip.as_ref().and_then(Automaton::shortest);
        let is_separator_skipped =
            separator.as_ref().is_some_and(|text| is_skipped(grammar, &lexers, &skipped, text));
        let gaps = grammar.nonterminals().ids().filter(|&id| is_gap(grammar, id)).collect();
        let mut lexis = Self {
            lexical,
            gaps,
            tokens,
            literals: FxHashMap::default(),
            skip,
            irregular,
            all: None,
            separator,
            is_separator_skipped,
            between: lexer::between(grammar, &lexers),
            // Behind what is no text, as a pattern's placeholder, each mode may be.
            has_modes: lexers.iter().any(Lexer::moves)
                && grammar.literals().iter().all(|literal| std::str::from_utf8(literal).is_ok()),
            lexers,
        };
        lexis.add_literals(grammar, &plain, &outer);
        lexis.all = lexis.together(grammar, &recursions, &plain, &outer, &skipped);
        Some(lexis)
    }

    fn add_literals(&mut self, grammar: &Grammar, plain: &[LiteralId], outer: &[NonterminalId]) {
        // Those that begin with a literal follow it.
        let mut sorted: Vec<&[u8]> = plain.iter().map(|&literal| grammar.literal(literal)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        for &literal in plain {
            let bytes = grammar.literal(literal);
            let after = sorted.partition_point(|&other| other <= bytes);
            let longer = sorted[after..].iter().map_while(|other| other.strip_prefix(bytes));
            let longer = longer.map(Box::from).collect();
            let tokens = outer.iter().filter_map(|&token| {
                let whole = self.tokens[&token].whole.as_ref()?;
                let state = whole.run(START, bytes);
                whole.is_accepting(state).then_some((token, state))
            });
            let tokens = tokens.collect();
            let state = self.skip.as_ref().map_or(DEAD, |skip| skip.run(START, bytes));
            let word = LiteralWord { longer, tokens, skip: (state != DEAD).then_some(state) };
            let is_word = self.is_lexed(Word::Literal(literal));
            if is_word || !word.longer.is_empty() || !word.tokens.is_empty() || word.skip.is_some() {
                self.literals.insert(literal, word);
            }
        }
    }

    /// All words and what is skipped in one automaton. What a token must not stand before leads on from it.
    fn together(
        &self,
        grammar: &Grammar,
        recursions: &Recursions,
        plain: &[LiteralId],
        outer: &[NonterminalId],
        skipped: &[NonterminalId],
    ) -> Option<Automaton> {
        let mut work = MOST_WORK;
        let mut network = Network::default();
        let start = network.state();
        let nowhere = network.state();
        let mut ends = Vec::new();
        for &token in outer.iter().filter(|token| self.tokens[token].whole.is_some()) {
            let end = network.state();
            network.derive(grammar, recursions, token, start, end).ok()?;
            if let Some(class) = &self.tokens[&token].not_before {
                let ranges = class.ranges().iter().map(|&(low, high)| (u32::from(low), u32::from(high)));
                network.read(end, ranges.collect(), nowhere);
            }
            ends.push(end);
        }
        let end = network.state();
        for &literal in plain {
            network.spell(start, grammar.literal(literal), end);
        }
        if self.skip.is_some() {
            // A text does not end within what is skipped, but that may begin with a word.
            for &skipped in skipped {
                let behind = network.state();
                network.derive(grammar, recursions, skipped, start, behind).ok()?;
            }
        }
        ends.push(end);
        Automaton::new(&network, start, &ends, false, &mut work).ok()
    }

    /// The nonterminals inside which nothing is skipped.
    pub fn lexical(&self) -> &BitSet<NonterminalId> {
        &self.lexical
    }

    /// Whether nothing is skipped inside of a nonterminal.
    pub fn is_lexical(&self, nonterminal: NonterminalId) -> bool {
        self.lexical.contains(nonterminal)
    }

    /// Whether the literals and tokens in the rules of a nonterminal are words.
    pub fn has_words(&self, nonterminal: NonterminalId) -> bool {
        !self.lexical.contains(nonterminal) || self.between.contains(nonterminal)
    }

    /// Whether a nonterminal is a gap between words.
    pub fn is_gap(&self, nonterminal: NonterminalId) -> bool {
        self.gaps.contains(nonterminal)
    }

    /// The tokens whose longest match is not asked for, as they are not regular.
    pub fn irregular(&self) -> &[NonterminalId] {
        &self.irregular
    }

    /// The word that a symbol in a rule of a nonterminal that is not lexical has to be; `None` when there is
    /// nothing to ask.
    pub fn word(&self, symbol: Symbol) -> Option<Word> {
        match symbol {
            Symbol::Nonterminal(id) => self.tokens.contains_key(&id).then_some(Word::Token(id)),
            Symbol::Literal(id) => self.literals.contains_key(&id).then_some(Word::Literal(id)),
            Symbol::Class(_) => None,
        }
    }

    /// Whether the part of `text` from `begin` to `end`, which `word` derives, is good there.
    pub fn holds(&self, word: Word, text: &[u8], begin: usize, end: usize) -> bool {
        self.examine(&mut self.division(), word, text, begin, end).0
    }

    /// As [`Self::holds`], with the number of bytes that were read for it. The division is that of this text.
    pub fn examine(
        &self,
        division: &mut Division,
        word: Word,
        text: &[u8],
        begin: usize,
        end: usize,
    ) -> (bool, usize) {
        let mut looked = end - begin;
        let holds = match word {
            _ if self.is_lexed(word) => {
                let may_be = self.may_be(word, text, begin, end);
                let mut holds = false;
                for (mode, lexer) in self.lexers.iter().enumerate().filter(|(_, lexer)| lexer.knows(word)) {
                    let next = division.next(self, mode, text, (begin, end), &mut looked);
                    let is_good = may_be
                        && next.is_some_and(|next| lexer.is_next(word, end, next))
                        && (!lexer.is_uncertain(word) || !self.goes_on(word, text, begin, end, &mut looked));
                    if let Some(moves) =
                        lexer.behind_uncertain(word).filter(|_| is_good && !self.is_regular(word))
                    {
                        division.found(mode, (begin, end), moves);
                    }
                    holds |= is_good;
                }
                holds
            }
            Word::Token(id) => {
                let token = &self.tokens[&id];
                let next = unit_at(text, end).and_then(|(unit, _)| char::from_u32(unit));
                !next.is_some_and(|c| token.not_before.as_ref().is_some_and(|class| class.contains(c)))
                    && !self.goes_on(word, text, begin, end, &mut looked)
                    && !token.except.as_ref().is_some_and(|except| except.accepts(&text[begin..end]))
            }
            Word::Literal(id) => {
                let rest = &text[end..];
                let word = &self.literals[&id];
                let mut goes_on = |automaton: Option<&Automaton>, state| {
                    automaton.is_some_and(|automaton| automaton.goes_on(state, rest, &mut looked))
                };
                !word.longer.iter().any(|longer| rest.starts_with(longer))
                    && !word
                        .tokens
                        .iter()
                        .any(|&(token, state)| goes_on(self.tokens[&token].whole.as_ref(), state))
                    && !word.skip.is_some_and(|state| goes_on(self.skip.as_ref(), state))
            }
        };
        (holds, looked)
    }

    /// Whether a lexer that the grammar names tells where a word is good.
    fn is_lexed(&self, word: Word) -> bool {
        self.lexers.iter().any(|lexer| lexer.knows(word))
    }

    /// Whether it is known what a word matches.
    fn is_regular(&self, word: Word) -> bool {
        match word {
            Word::Token(id) => self.tokens[&id].whole.is_some(),
            Word::Literal(_) => true,
        }
    }

    /// Whether a token matches more from `begin` than up to `end`.
    fn goes_on(&self, word: Word, text: &[u8], begin: usize, end: usize, looked: &mut usize) -> bool {
        let Word::Token(id) = word else { return false };
        self.tokens[&id].whole.as_ref().is_some_and(|whole| {
            let state = whole.run(START, &text[begin..end]);
            whole.goes_on(state, &text[end..], looked)
        })
    }

    /// Whether a word may have this text, and stand before what follows.
    fn may_be(&self, word: Word, text: &[u8], begin: usize, end: usize) -> bool {
        let Word::Token(id) = word else { return true };
        let token = &self.tokens[&id];
        let next = unit_at(text, end).and_then(|(unit, _)| char::from_u32(unit));
        !next.is_some_and(|c| token.not_before.as_ref().is_some_and(|class| class.contains(c)))
            && !token.except.as_ref().is_some_and(|except| except.accepts(&text[begin..end]))
    }

    /// Whether a word never stands before a character (by its number), whatever comes after that.
    pub fn never_before(&self, word: Word, unit: u32) -> bool {
        let forbids = |class: &CharClass| char::from_u32(unit).is_some_and(|c| class.contains(c));
        match word {
            // What the lexer takes next does not depend on one character.
            Word::Literal(_) if self.is_lexed(word) => false,
            // Where the token itself goes on, so does what a lexer takes.
            Word::Token(id) => {
                let token = &self.tokens[&id];
                token.not_before.as_ref().is_some_and(forbids)
                    || token.whole.as_ref().is_some_and(|whole| whole.always_takes(unit))
            }
            Word::Literal(id) => {
                let word = &self.literals[&id];
                let takes =
                    |automaton: &Automaton, state| automaton.is_accepting(automaton.step(state, unit));
                let character = char::from_u32(unit).map(String::from).unwrap_or_default();
                word.longer.iter().any(|longer| **longer == *character.as_bytes())
                    || word.tokens.iter().any(|&(token, state)| {
                        self.tokens[&token].whole.as_ref().is_some_and(|whole| takes(whole, state))
                    })
                    || matches!((&self.skip, word.skip), (Some(skip), Some(state)) if takes(skip, state))
            }
        }
    }

    /// Whether what sets words apart is skipped wherever it stands, and no word itself, as a space is that a lexer takes for one.
    pub fn is_separator_skipped(&self) -> bool {
        self.is_separator_skipped
    }

    /// What has to stand between two texts that end and begin with a word, so that the words do not run
    /// together: nothing, or something that may be skipped. Sometimes more often than needed, for where the
    /// last word of `left` begins is not known, and of `right` only the first character is known.
    pub fn separator(&self, left: &[u8], right: &[u8]) -> &[u8] {
        let (Some(separator), Some(all), Some((next, _))) = (&self.separator, &self.all, unit_at(right, 0))
        else {
            return &[];
        };
        let runs_together = |begin: usize| {
            let state = all.run(START, &left[begin..]);
            all.is_accepting(state) && all.step(state, next) != DEAD
                || self.lexers.iter().any(|lexer| lexer.runs_on(&left[begin..], next))
        };
        let is_begin = |begin: &usize| left[*begin] & 0xc0 != 0x80;
        let first = left.len().saturating_sub(LONGEST_WORD);
        if (first..left.len()).filter(is_begin).any(runs_together) { separator } else { &[] }
    }
}

/// Whether a text is skipped where lexers tell the words, if there are any: a space may be skipped by itself, and be another word for all that, as one of
/// these is named before it.
fn is_skipped(grammar: &Grammar, lexers: &[Lexer], skipped: &[NonterminalId], text: &[u8]) -> bool {
    let mut inside: BitSet<NonterminalId> = skipped.iter().copied().collect();
    let mut open = skipped.to_vec();
    let mut words = Vec::new();
    while let Some(id) = open.pop() {
        if grammar.nonterminal(id).token.is_some() {
            words.push(Word::Token(id));
            continue;
        }
        for &symbol in grammar.rules_of(id).iter().flat_map(|&rule| &*grammar.rule(rule).symbols) {
            match symbol {
                Symbol::Nonterminal(inner) if inside.insert(inner) => open.push(inner),
                Symbol::Literal(literal) => words.push(Word::Literal(literal)),
                Symbol::Nonterminal(_) | Symbol::Class(_) => {}
            }
        }
    }
    let takes = |lexer: &Lexer| {
        let next = lexer.next(text, 0, text.len(), &mut 0);
        words.iter().any(|&word| lexer.is_next(word, text.len(), next))
    };
    lexers.is_empty() || lexers.iter().any(takes)
}

/// The literals in the rules of nonterminals that are not lexical, and the tokens in them.
fn outside(grammar: &Grammar, lexical: &BitSet<NonterminalId>) -> (Vec<LiteralId>, Vec<NonterminalId>) {
    let mut literals = BitSet::new();
    let mut tokens = BitSet::new();
    if grammar.nonterminal(grammar.start()).token.is_some() {
        tokens.insert(grammar.start());
    }
    for rule in grammar.rules().iter().filter(|rule| !lexical.contains(rule.lhs)) {
        for &symbol in &rule.symbols {
            match symbol {
                Symbol::Literal(literal) => {
                    literals.insert(literal);
                }
                Symbol::Nonterminal(inner) if grammar.nonterminal(inner).token.is_some() => {
                    tokens.insert(inner);
                }
                Symbol::Nonterminal(_) | Symbol::Class(_) => {}
            }
        }
    }
    (literals.iter().collect(), tokens.iter().collect())
}

/// The automaton of all that some nonterminals derive.
fn automaton_of(
    grammar: &Grammar,
    recursions: &Recursions,
    nonterminals: &[NonterminalId],
    work: &mut usize,
) -> Result<Automaton, (NonterminalId, Irregular)> {
    let mut network = Network::default();
    let (start, end) = (network.state(), network.state());
    for &nonterminal in nonterminals {
        let derived = network.derive(grammar, recursions, nonterminal, start, end);
        derived.map_err(|irregular| (nonterminal, irregular))?;
    }
    Automaton::new(&network, start, &[end], true, work).map_err(|irregular| (nonterminals[0], irregular))
}
