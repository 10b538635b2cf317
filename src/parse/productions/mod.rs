//! The grammar as the tables see it: over units of the [`Alphabet`], without empty rules, and with
//! at most two nonterminals in a rule.
//!
//! **No empty rules.** A rule with nonterminals that can derive the empty string becomes several
//! productions, one for each choice of which of them are omitted; the rule and the choice are kept as
//! the production's *readings* (two choices may leave the same symbols, as in `A ::= B B`). So each
//! symbol on a parser's stack stands for at least one character. Then a reduction never finds that
//! the part of the stack it went through grows afterwards, which is what makes general LR parsing of
//! grammars with empty rules delicate (Nozohoor-Farshi 1991; Scott and Johnstone, "Right Nulled GLR
//! Parsers", TOPLAS 2006), and a grammar that is LR with its empty rules stays so: a decision to
//! omit something is merely put off until more was read.
//!
//! **At most two nonterminals.** Longer rules are cut: `A ::= B C D` becomes `A ::= B R` and
//! `R ::= C D`. A rest `R` stands for the end of a rule, so it never forces a decision earlier than
//! the whole rule would have. It bounds the number of omissions by four for each production, and the
//! work and the size of the forest by the cube of the length of the input.
//!
//! `A ::= A` needs no production: it adds one alternative to each node of A (see [`Plan::loops`]).
//!
//! `lowering` makes productions of rules, each a `body` at first; those that are `useful` are kept and
//! numbered here.

mod body;
mod lowering;
mod rests;
mod useful;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::limits::{Exceeded, Meter};
use crate::grammar::{ClassId, Grammar, Lexis, NonterminalId, RuleId, Symbol, Word};

use super::alphabet::{Alphabet, Ranges};
use super::empty::EmptyTrees;
use lowering::Lowering;
pub(super) use rests::{Omitted, RestId, Rests};
use useful::useful;

/// What a production derives from: a nonterminal of the grammar by its number, then those that only
/// the parser knows.
pub(super) type Variable = u32;

/// "None" for the many `u32` fields that are numbers of something.
pub(super) const NONE: u32 = u32::MAX;

/// The production that derives the start symbol; its reduction accepts.
pub(super) const ACCEPT: u32 = 0;

/// A symbol of a production.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RhsSymbol {
    /// One of a set of units.
    Set(u32),
    /// What a variable derives; never empty.
    Variable(Variable),
    /// The end of this production.
    End(u32),
}

/// A production.
#[derive(Clone, Copy, Debug)]
pub(super) struct Production {
    /// What it derives from.
    pub lhs: Variable,
    /// Where its symbols begin in [`Productions::rhs`]; they end with [`RhsSymbol::End`].
    pub first: u32,
    /// The number of its symbols, which is the number of symbols that its reduction takes off the stack.
    pub length: u32,
    /// How far below the top of the stack its first nonterminal (or rest) is; `NONE` if it has none.
    pub left: u32,
    /// The same for the second one.
    pub right: u32,
    /// How many of these two it has.
    pub tracked: u32,
    /// Whether the node of what it derives is looked at by productions that have its variable; if so by all.
    pub is_tracked: bool,
    /// The word that it has to be, by its number in [`Plan::words`]; `NONE` if there is nothing to ask.
    pub word: u32,
}

/// What a production means in the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// The rule. For a production of a rest, any rule that ends with it.
    pub rule: RuleId,
    /// Bit 0: the first nonterminal is omitted. Bit 1: the second one (or the rest) is.
    pub omitted: u8,
}

/// What is needed to tell what the nodes of a forest mean.
#[derive(Debug)]
pub(super) struct Plan {
    pub grammar: Arc<Grammar>,
    pub productions: Vec<Production>,
    /// The readings of each production, in the order of the rules.
    pub readings: Vec<Box<[Reading]>>,
    /// By nonterminal: the ways to derive it from itself alone in one step.
    pub loops: FxHashMap<Variable, Vec<Reading>>,
    /// For each production what some reading omits.
    pub omits: Vec<Box<[Omitted]>>,
    /// The same for `loops`.
    pub loop_omits: FxHashMap<Variable, Vec<Omitted>>,
    /// The ends of long rules.
    pub rests: Rests,
    pub empty: EmptyTrees,
    /// What has to be a word where it stands.
    pub words: Vec<Word>,
    /// The lexical layer, if the grammar has one.
    pub lexis: Option<Lexis>,
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Meaning {
    /// A nonterminal of the grammar.
    Nonterminal(NonterminalId),
    /// The parser's own start symbol.
    Start,
    /// The end of long rules.
    Rest(RestId),
    /// A character of a class, in a grammar that is read by bytes.
    Character(ClassId),
    /// A token or a literal that has to be a word. What is made of it is what is made of the token.
    Word(Word),
}

/// What is needed to build tables.
#[derive(Debug)]
pub(super) struct Productions {
    pub alphabet: Alphabet,
    /// The units of each set.
    pub sets: Vec<Vec<u32>>,
    /// The symbols of all productions.
    pub rhs: Vec<RhsSymbol>,
    /// For each of `rhs` that is (part of) a terminal: the terminal, and how many of its
    /// characters come before.
    pub terminals: Vec<Option<(Symbol, u32)>>,
    /// The productions of each variable.
    pub of: Vec<Vec<u32>>,
    pub meanings: Vec<Meaning>,
    /// For variables that are words: the units that never follow.
    pub never_followed_by: FxHashMap<Variable, Vec<u32>>,
}

/// The productions of `grammar`.
///
/// # Errors
/// When a limit is reached.
pub(super) fn lower(grammar: Arc<Grammar>, meter: &mut Meter) -> Result<(Plan, Productions), Exceeded> {
    let Lowering { bodies, meanings, sets, by_bytes, loops, loop_omits, rests, lexis, .. } =
        Lowering::of(&grammar);
    let (alphabet, sets) = {
        let mut ranges: Vec<(Ranges, u32)> = sets.into_iter().collect();
        ranges.sort_by_key(|&(_, id)| id);
        let ranges: Vec<Ranges> = ranges.into_iter().map(|(ranges, _)| ranges).collect();
        Alphabet::new(&ranges, by_bytes, meter)?
    };
    let useful = useful(&bodies, meanings.len());
    let mut productions = Vec::new();
    let mut readings = Vec::new();
    let mut omits = Vec::new();
    let mut rhs = Vec::new();
    let mut terminals = Vec::new();
    let mut of = vec![Vec::new(); meanings.len()];
    let mut words = Vec::new();
    for (body, _) in bodies.into_iter().zip(useful).filter(|&(_, useful)| useful) {
        let id = productions.len() as u32;
        let first = rhs.len() as u32;
        let length = body.rhs.len() as u32;
        rhs.extend(body.rhs);
        rhs.push(RhsSymbol::End(id));
        terminals.extend(body.terminals);
        terminals.push(None);
        let [left, right] = body.tracked.map(|index| if index == NONE { NONE } else { length - 1 - index });
        of[body.lhs as usize].push(id);
        let mut word = NONE;
        if let Meaning::Word(found) = meanings[body.lhs as usize] {
            word = words.len() as u32;
            words.push(found);
        }
        let lhs = body.lhs;
        let tracked = u32::from(left != NONE) + u32::from(right != NONE);
        let is_tracked = match meanings[lhs as usize] {
            Meaning::Nonterminal(_) | Meaning::Start | Meaning::Rest(_) | Meaning::Word(Word::Token(_)) => {
                true
            }
            Meaning::Character(_) | Meaning::Word(Word::Literal(_)) => false,
        };
        productions.push(Production { lhs, first, length, left, right, tracked, is_tracked, word });
        readings.push(body.readings.into());
        omits.push(body.omits.into());
    }
    let empty = EmptyTrees::new(&grammar);
    let mut never_followed_by: FxHashMap<Variable, Vec<u32>> = FxHashMap::default();
    if let Some(lexis) = lexis.as_ref().filter(|_| !by_bytes) {
        let firsts = alphabet.firsts();
        for (&meaning, variable) in meanings.iter().zip(0..) {
            let Meaning::Word(word) = meaning else { continue };
            meter.spend(16 * firsts.len() as u64)?;
            let units = (0..).zip(&firsts).filter(|&(_, &first)| lexis.never_before(word, first));
            never_followed_by.insert(variable, units.map(|(unit, _)| unit).collect());
        }
    }
    let plan = Plan { grammar, productions, readings, loops, omits, loop_omits, rests, empty, words, lexis };
    Ok((plan, Productions { alphabet, sets, rhs, terminals, of, meanings, never_followed_by }))
}

/// The nonterminal that a symbol is, if it is one.
pub(super) fn nonterminal(symbol: Symbol) -> Option<NonterminalId> {
    match symbol {
        Symbol::Nonterminal(nonterminal) => Some(nonterminal),
        Symbol::Literal(_) | Symbol::Class(_) => None,
    }
}

/// Where the first part of a rule ends that has too many nonterminals; `None` if it has not.
pub(super) fn segment(symbols: &[Symbol]) -> Option<usize> {
    let mut nonterminals =
        symbols.iter().enumerate().filter(|(_, symbol)| matches!(symbol, Symbol::Nonterminal(_)));
    let (first, _) = nonterminals.next()?;
    nonterminals.nth(1).map(|_| first + 1)
}
