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

use std::num::NonZeroU32;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::id::{Id, IdVec};
use crate::base::limits::{Exceeded, Meter};
use crate::grammar::{ClassId, Grammar, Lexis, NonterminalId, RuleId, Symbol, Word};

use super::alphabet::{Alphabet, Ranges};
use super::empty::EmptyTrees;
use super::index::{BodyId, ItemId, ProductionId, SetId, UnitId, VariableId, WordId};
use body::Body;
use lowering::Lowering;
pub(super) use rests::{Omitted, RestId, Rests};
use useful::useful;

/// A symbol of a production.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RhsSymbol {
    /// One of a set of units.
    Set(SetId),
    /// What a variable derives; never empty.
    Variable(VariableId),
    /// The end of this production.
    End(ProductionId),
}

/// A production.
#[derive(Clone, Copy, Debug)]
pub(super) struct Production {
    /// What it derives from.
    pub lhs: VariableId,
    /// Where its symbols begin in [`Productions::rhs`]; they end with [`RhsSymbol::End`].
    pub first: ItemId,
    /// The number of its symbols, which is the number of symbols that its reduction takes off the stack.
    pub length: u32,
    /// Which of its symbols, counted from the end and from 1, are its first and its second nonterminal (or rest), if
    /// it has them. Their nodes are the same number of edges from the top of the stack, too.
    pub from_end: [Option<NonZeroU32>; 2],
    /// How many of these two it has.
    pub tracked: u32,
    /// Whether the node of what it derives is looked at by productions that have its variable; if so by all.
    pub is_tracked: bool,
    /// The word that it has to be, if there is anything to ask.
    pub word: Option<WordId>,
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
    pub productions: IdVec<ProductionId, Production>,
    /// The readings of each production, in the order of the rules.
    pub readings: IdVec<ProductionId, Box<[Reading]>>,
    /// By nonterminal: the ways to derive it from itself alone in one step.
    pub loops: FxHashMap<VariableId, Vec<Reading>>,
    /// For each production what some reading omits.
    pub omits: IdVec<ProductionId, Box<[Omitted]>>,
    /// The same for `loops`.
    pub loop_omits: FxHashMap<VariableId, Vec<Omitted>>,
    /// The ends of long rules.
    pub rests: Rests,
    pub empty: EmptyTrees,
    /// What has to be a word where it stands.
    pub words: IdVec<WordId, Word>,
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
    pub sets: IdVec<SetId, Vec<UnitId>>,
    /// The symbols of all productions.
    pub rhs: IdVec<ItemId, RhsSymbol>,
    /// For each of `rhs` that is (part of) a terminal: the terminal, and how many of its
    /// characters come before.
    pub terminals: IdVec<ItemId, Option<(Symbol, u32)>>,
    /// The productions of each variable.
    pub of: IdVec<VariableId, Vec<ProductionId>>,
    pub meanings: IdVec<VariableId, Meaning>,
    /// For variables that are words: the units that never follow.
    pub never_followed_by: FxHashMap<VariableId, Vec<UnitId>>,
}

/// The productions of `grammar`.
///
/// # Errors
/// When a limit is reached.
pub(super) fn lower(grammar: Arc<Grammar>, meter: &mut Meter) -> Result<(Plan, Productions), Exceeded> {
    let Lowering { bodies, meanings, sets, by_bytes, loops, loop_omits, rests, lexis, .. } =
        Lowering::of(&grammar);
    let (alphabet, sets) = {
        let mut ranges: Vec<(Ranges, SetId)> = sets.into_iter().collect();
        ranges.sort_by_key(|&(_, id)| id);
        let ranges: IdVec<SetId, Ranges> = ranges.into_iter().map(|(ranges, _)| ranges).collect();
        Alphabet::new(&ranges, by_bytes, meter)?
    };
    let useful = useful(&bodies, meanings.len());
    let mut productions = IdVec::new();
    let mut readings = IdVec::new();
    let mut omits = IdVec::new();
    let mut rhs = IdVec::new();
    let mut terminals = IdVec::new();
    let mut of: IdVec<VariableId, Vec<ProductionId>> = IdVec::filled(Vec::new(), meanings.len());
    let mut words = IdVec::new();
    for (_, body) in (0..).map(BodyId::new).zip(bodies).filter(|&(id, _)| useful.contains(id)) {
        let Body { lhs, .. } = body;
        let id = ProductionId::new(productions.len());
        let first = ItemId::new(rhs.len());
        let length = body.rhs.len();
        rhs.extend(body.rhs);
        rhs.push(RhsSymbol::End(id));
        terminals.extend(body.terminals);
        terminals.push(None);
        let from_end = body.tracked.map(|place| NonZeroU32::new((length - place?) as u32));
        of[lhs].push(id);
        let (word, is_tracked) = match meanings[lhs] {
            Meaning::Nonterminal(_) | Meaning::Start | Meaning::Rest(_) => (None, true),
            Meaning::Character(_) => (None, false),
            Meaning::Word(word) => (Some(words.push(word)), matches!(word, Word::Token(_))),
        };
        let (length, tracked) = (length as u32, from_end.iter().flatten().count() as u32);
        productions.push(Production { lhs, first, length, from_end, tracked, is_tracked, word });
        readings.push(body.readings.into());
        omits.push(body.omits.into());
    }
    let empty = EmptyTrees::new(&grammar);
    let mut never_followed_by: FxHashMap<VariableId, Vec<UnitId>> = FxHashMap::default();
    if let Some(lexis) = lexis.as_ref().filter(|_| !by_bytes) {
        let firsts = alphabet.firsts();
        for (variable, &meaning) in meanings.entries() {
            let Meaning::Word(word) = meaning else { continue };
            meter.spend(16 * firsts.len() as u64)?;
            let units = firsts.entries().filter(|&(_, &first)| lexis.never_before(word, first));
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
