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

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::grammar::analysis;
use crate::grammar::{ClassId, Grammar, Lexis, NonterminalId, RuleId, Symbol, Word};

use super::alphabet::{Alphabet, Ranges};
use super::empty::EmptyTrees;
use super::utf8::utf8_sequences;

/// What a production derives from: a nonterminal of the grammar by its number, then those that only
/// the parser knows.
pub(super) type Variable = u32;

/// "None" for the many `u32` fields that are numbers of something.
pub(super) const NONE: u32 = u32::MAX;

/// The production that derives the start symbol; its reduction accepts.
pub(super) const ACCEPT: u32 = 0;

/// A symbol of a production.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Gram {
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
    /// Where its symbols begin in [`Productions::grams`]; they end with [`Gram::End`].
    pub first: u32,
    /// The number of its symbols, which is the number of stack cells that its reduction takes off.
    pub length: u32,
    /// How far below the top of the stack its first nonterminal (or rest) is; `NONE` if it has none.
    pub left: u32,
    /// The same for the second one.
    pub right: u32,
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
    /// For each production the nonterminals that some reading omits.
    pub omits: Vec<Box<[NonterminalId]>>,
    /// The same for `loops`.
    pub loop_omits: FxHashMap<Variable, Vec<NonterminalId>>,
    pub empty: EmptyTrees,
    /// What has to be a word where it stands.
    pub words: Vec<Word>,
    /// The lexical layer, if the grammar has one.
    pub lexis: Option<Lexis>,
}

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Meaning {
    /// A nonterminal of the grammar.
    Nonterminal(NonterminalId),
    /// The parser's own start symbol.
    Start,
    /// These symbols, at the end of a rule; of one that is lexical if the second field says so.
    Rest(Box<[Symbol]>, bool),
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
    pub grams: Vec<Gram>,
    /// For each of `grams` that is (part of) a terminal: the terminal, and how many of its
    /// characters come before.
    pub terminals: Vec<Option<(Symbol, u32)>>,
    /// The productions of each variable.
    pub of: Vec<Vec<u32>>,
    pub meanings: Vec<Meaning>,
    /// For variables that are words: the units that never follow.
    pub never_followed_by: FxHashMap<Variable, Vec<u32>>,
}

/// The productions of `grammar`.
pub(super) fn lower(grammar: Arc<Grammar>) -> (Plan, Productions) {
    let mut lowering = Lowering::new(&grammar);
    lowering.run();
    let Lowering { bodies, meanings, sets, by_bytes, loops, loop_omits, lexis, .. } = lowering;
    let (alphabet, sets) = {
        let mut ranges: Vec<(Ranges, u32)> = sets.into_iter().collect();
        ranges.sort_by_key(|&(_, id)| id);
        let ranges: Vec<Ranges> = ranges.into_iter().map(|(ranges, _)| ranges).collect();
        Alphabet::new(&ranges, by_bytes)
    };
    let useful = useful(&bodies, meanings.len());
    let mut productions = Vec::new();
    let mut readings = Vec::new();
    let mut omits = Vec::new();
    let mut grams = Vec::new();
    let mut terminals = Vec::new();
    let mut of = vec![Vec::new(); meanings.len()];
    let mut words = Vec::new();
    for (body, _) in bodies.into_iter().zip(useful).filter(|&(_, useful)| useful) {
        let id = productions.len() as u32;
        let first = grams.len() as u32;
        let length = body.grams.len() as u32;
        grams.extend(body.grams);
        grams.push(Gram::End(id));
        terminals.extend(body.terminals);
        terminals.push(None);
        let [left, right] = body.tracked.map(|index| if index == NONE { NONE } else { length - 1 - index });
        of[body.lhs as usize].push(id);
        let mut word = NONE;
        if let Meaning::Word(found) = meanings[body.lhs as usize] {
            word = words.len() as u32;
            words.push(found);
        }
        productions.push(Production { lhs: body.lhs, first, length, left, right, word });
        readings.push(body.readings.into());
        omits.push(body.omits.into());
    }
    let empty = EmptyTrees::new(&grammar);
    let never_followed_by = lexis.as_ref().filter(|_| !by_bytes).map_or_else(FxHashMap::default, |lexis| {
        let units: Vec<u32> = (0..alphabet.end()).filter_map(|unit| alphabet.first_of(unit)).collect();
        let never = |word| {
            let units = (0..).zip(&units).filter(|&(_, &first)| lexis.never_before(word, first));
            units.map(|(unit, _)| unit).collect()
        };
        let words = meanings.iter().zip(0..).filter_map(|(meaning, variable)| match meaning {
            Meaning::Word(word) => Some((variable, never(*word))),
            _ => None,
        });
        words.collect()
    });
    let plan = Plan { grammar, productions, readings, loops, omits, loop_omits, empty, words, lexis };
    (plan, Productions { alphabet, sets, grams, terminals, of, meanings, never_followed_by })
}

/// A production in the making.
struct Body {
    lhs: Variable,
    grams: Vec<Gram>,
    terminals: Vec<Option<(Symbol, u32)>>,
    /// Which of the grams are nonterminals or rests.
    tracked: [u32; 2],
    readings: Vec<Reading>,
    /// The nonterminals that the readings omit.
    omits: Vec<NonterminalId>,
}

impl Body {
    fn new(lhs: Variable) -> Self {
        let (grams, terminals, readings, omits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { lhs, grams, terminals, tracked: [NONE; 2], readings, omits }
    }
}

struct Lowering<'a> {
    grammar: &'a Grammar,
    nullable: BitSet<NonterminalId>,
    productive: BitSet<NonterminalId>,
    by_bytes: bool,
    lexis: Option<Lexis>,
    /// Whether the rule at hand is lexical, so that there are no words in it.
    within: bool,
    meanings: Vec<Meaning>,
    known: FxHashMap<Meaning, Variable>,
    sets: FxHashMap<Ranges, u32>,
    bodies: Vec<Body>,
    by_grams: FxHashMap<(Variable, Vec<Gram>), usize>,
    loops: FxHashMap<Variable, Vec<Reading>>,
    loop_omits: FxHashMap<Variable, Vec<NonterminalId>>,
}

impl<'a> Lowering<'a> {
    fn new(grammar: &'a Grammar) -> Self {
        let mut meanings: Vec<Meaning> = grammar.nonterminals().ids().map(Meaning::Nonterminal).collect();
        meanings.push(Meaning::Start);
        Self {
            grammar,
            nullable: analysis::nullable(grammar),
            productive: analysis::productive(grammar),
            by_bytes: grammar.literals().iter().any(|literal| std::str::from_utf8(literal).is_err()),
            lexis: Lexis::new(grammar),
            within: false,
            meanings,
            known: FxHashMap::default(),
            sets: FxHashMap::default(),
            bodies: Vec::new(),
            by_grams: FxHashMap::default(),
            loops: FxHashMap::default(),
            loop_omits: FxHashMap::default(),
        }
    }

    fn run(&mut self) {
        let grammar = self.grammar;
        let start = Gram::Variable(0);
        let lhs = grammar.nonterminals().len() as Variable;
        let (grams, terminals, tracked) = (vec![start], vec![None], [0, NONE]);
        self.bodies.push(Body { grams, terminals, tracked, ..Body::new(lhs) });
        let start = self.reference(grammar.start());
        self.bodies[ACCEPT as usize].grams[0] = Gram::Variable(start);
        // Words end by all that the lexical layer tells apart.
        if self.lexis.is_some() {
            for (id, nonterminal) in grammar.nonterminals().entries() {
                if let Some(class) = nonterminal.token.as_ref().and_then(|token| token.not_before) {
                    self.class_set(class);
                }
                if self.is_lexical(id) {
                    for &rule in &nonterminal.rules {
                        self.spread(&grammar.rule(rule).symbols);
                    }
                }
            }
        }
        // Rules in their order, so that the readings of a production are in order too.
        let reachable = analysis::reachable(grammar, grammar.start());
        for (id, rule) in grammar.rules().entries() {
            if reachable.contains(rule.lhs) && rule.symbols.iter().all(|&symbol| self.is_productive(symbol)) {
                self.within = self.is_lexical(rule.lhs);
                self.cut(rule.lhs.index() as Variable, id, &rule.symbols);
            }
        }
    }

    fn is_lexical(&self, nonterminal: NonterminalId) -> bool {
        self.lexis.as_ref().is_some_and(|lexis| lexis.is_lexical(nonterminal))
    }

    /// The word that a symbol of the rule at hand has to be.
    fn word(&self, symbol: Symbol) -> Option<Word> {
        if self.within { None } else { self.lexis.as_ref()?.word(symbol) }
    }

    /// The variable that stands for a nonterminal in the rule at hand.
    fn reference(&mut self, nonterminal: NonterminalId) -> Variable {
        let symbol = Symbol::Nonterminal(nonterminal);
        match self.word(symbol) {
            Some(word) => self.word_variable(word, symbol),
            None => nonterminal.index() as Variable,
        }
    }

    /// The variable of a word, which a symbol is.
    fn word_variable(&mut self, word: Word, symbol: Symbol) -> Variable {
        let meaning = Meaning::Word(word);
        if let Some(&known) = self.known.get(&meaning) {
            return known;
        }
        let lhs = self.variable(meaning);
        let mut body = Body::new(lhs);
        match symbol {
            Symbol::Nonterminal(token) => {
                body.tracked[0] = 0;
                body.grams.push(Gram::Variable(token.index() as Variable));
                body.terminals.push(None);
            }
            _ => self.spell_out(symbol, &mut body),
        }
        self.add(body);
        lhs
    }

    /// Makes sure that all terminals among `symbols` are told apart.
    fn spread(&mut self, symbols: &[Symbol]) {
        let mut body = Body::new(NONE);
        for &symbol in symbols {
            self.spell_out(symbol, &mut body);
        }
    }

    fn is_productive(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Literal(_) => true,
            Symbol::Class(class) => !self.grammar.class(class).is_empty(),
            Symbol::Nonterminal(nonterminal) => self.productive.contains(nonterminal),
        }
    }

    fn is_nullable(&self, symbol: Symbol) -> bool {
        matches!(symbol, Symbol::Nonterminal(nonterminal) if self.nullable.contains(nonterminal))
    }

    /// Adds the productions of `lhs` for `symbols`, which `rule` ends with.
    fn cut(&mut self, lhs: Variable, rule: RuleId, symbols: &[Symbol]) {
        let (mut lhs, mut symbols) = (lhs, symbols);
        loop {
            let Some(end) = segment(symbols) else {
                self.produce(lhs, rule, symbols, None);
                return;
            };
            let (head, tail) = symbols.split_at(end);
            let meaning = Meaning::Rest(tail.into(), self.within);
            let known = self.known.contains_key(&meaning);
            let rest = self.variable(meaning);
            self.produce(lhs, rule, head, Some((rest, tail)));
            if known {
                return;
            }
            (lhs, symbols) = (rest, tail);
        }
    }

    /// Adds the productions of `lhs` for `symbols`, followed by `rest`.
    fn produce(
        &mut self,
        lhs: Variable,
        rule: RuleId,
        symbols: &[Symbol],
        rest: Option<(Variable, &[Symbol])>,
    ) {
        let mut optional = Vec::new();
        for &symbol in symbols.iter().filter(|symbol| matches!(symbol, Symbol::Nonterminal(_))) {
            optional.push(self.is_nullable(symbol));
        }
        optional.extend(rest.map(|(_, tail)| tail.iter().all(|&symbol| self.is_nullable(symbol))));
        for omitted in [0b00, 0b10, 0b01, 0b11] {
            if (0..2).any(|bit| omitted >> bit & 1 == 1 && !optional.get(bit).is_some_and(|&may| may)) {
                continue;
            }
            let mut body = Body { readings: vec![Reading { rule, omitted }], ..Body::new(lhs) };
            let mut bit = 0;
            let track = |body: &mut Body, variable, symbols: &[Symbol], bit: usize| {
                if omitted >> bit & 1 == 1 {
                    body.omits.extend(symbols.iter().filter_map(|&symbol| nonterminal(symbol)));
                } else {
                    let slot = usize::from(body.tracked[0] != NONE);
                    body.tracked[slot] = body.grams.len() as u32;
                    body.grams.push(Gram::Variable(variable));
                    body.terminals.push(None);
                }
            };
            for &symbol in symbols {
                if let Some(nonterminal) = nonterminal(symbol) {
                    let variable = self.reference(nonterminal);
                    track(&mut body, variable, &[symbol], bit);
                    bit += 1;
                } else {
                    self.spell(symbol, &mut body);
                }
            }
            if let Some((rest, tail)) = rest {
                track(&mut body, rest, tail, bit);
            }
            self.add(body);
        }
    }

    fn add(&mut self, body: Body) {
        if body.grams.is_empty() {
            return;
        }
        if body.grams == [Gram::Variable(body.lhs)] {
            self.loops.entry(body.lhs).or_default().extend(body.readings);
            self.loop_omits.entry(body.lhs).or_default().extend(body.omits);
            return;
        }
        let key = (body.lhs, body.grams.clone());
        if let Some(&known) = self.by_grams.get(&key) {
            self.bodies[known].readings.extend(body.readings);
            self.bodies[known].omits.extend(body.omits);
            return;
        }
        self.by_grams.insert(key, self.bodies.len());
        self.bodies.push(body);
    }

    /// Appends a terminal.
    fn spell(&mut self, symbol: Symbol, body: &mut Body) {
        match self.word(symbol) {
            Some(word) => {
                let variable = self.word_variable(word, symbol);
                body.grams.push(Gram::Variable(variable));
                body.terminals.push(Some((symbol, 0)));
            }
            None => self.spell_out(symbol, body),
        }
    }

    /// Appends a terminal, unit by unit.
    fn spell_out(&mut self, symbol: Symbol, body: &mut Body) {
        let grammar = self.grammar;
        let mut push = |gram, before| {
            body.grams.push(gram);
            body.terminals.push(Some((symbol, before)));
        };
        match symbol {
            Symbol::Nonterminal(_) => {}
            Symbol::Literal(literal) => {
                let bytes = grammar.literal(literal);
                if let (false, Ok(text)) = (self.by_bytes, std::str::from_utf8(bytes)) {
                    for (before, c) in text.char_indices() {
                        push(self.set(&[(u32::from(c), u32::from(c))]), before as u32);
                    }
                } else {
                    for (before, &byte) in bytes.iter().enumerate() {
                        push(self.set(&[(u32::from(byte), u32::from(byte))]), before as u32);
                    }
                }
            }
            Symbol::Class(class) => {
                let ranges = grammar.class(class).ranges();
                if self.by_bytes && ranges.iter().any(|&(_, high)| !high.is_ascii()) {
                    push(Gram::Variable(self.character(class)), 0);
                } else {
                    push(self.class_set(class), 0);
                }
            }
        }
    }

    fn class_set(&mut self, class: ClassId) -> Gram {
        let ranges = self.grammar.class(class).ranges();
        let ranges: Vec<(u32, u32)> = ranges.iter().map(|&(low, high)| (low.into(), high.into())).collect();
        self.set(&ranges)
    }

    fn set(&mut self, ranges: &[(u32, u32)]) -> Gram {
        let next = self.sets.len() as u32;
        Gram::Set(*self.sets.entry(ranges.into()).or_insert(next))
    }

    fn variable(&mut self, meaning: Meaning) -> Variable {
        if let Some(&known) = self.known.get(&meaning) {
            return known;
        }
        let variable = self.meanings.len() as Variable;
        self.known.insert(meaning.clone(), variable);
        self.meanings.push(meaning);
        variable
    }

    /// The variable of a class that is spelled out in bytes.
    fn character(&mut self, class: ClassId) -> Variable {
        let meaning = Meaning::Character(class);
        if let Some(&known) = self.known.get(&meaning) {
            return known;
        }
        let lhs = self.variable(meaning);
        for &(low, high) in self.grammar.class(class).ranges() {
            for sequence in utf8_sequences(low.into(), high.into()) {
                let grams: Vec<Gram> = sequence.iter().map(|&range| self.set(&[range])).collect();
                let terminals = (0..grams.len()).map(|at| Some((Symbol::Class(class), at as u32))).collect();
                self.add(Body { grams, terminals, ..Body::new(lhs) });
            }
        }
        lhs
    }
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

/// Which productions are part of some derivation from the first one.
fn useful(bodies: &[Body], variables: usize) -> Vec<bool> {
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); variables];
    let mut of: Vec<Vec<usize>> = vec![Vec::new(); variables];
    let variables_of = |body: &Body| {
        let grams: Vec<Gram> = body.grams.clone();
        grams.into_iter().filter_map(|gram| match gram {
            Gram::Variable(variable) => Some(variable as usize),
            Gram::Set(_) | Gram::End(_) => None,
        })
    };
    let mut missing: Vec<usize> = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        of[body.lhs as usize].push(index);
        missing.push(variables_of(body).map(|variable| uses[variable].push(index)).count());
    }
    let mut productive = vec![false; variables];
    let mut work: Vec<usize> = (0..bodies.len()).filter(|&index| missing[index] == 0).collect();
    while let Some(index) = work.pop() {
        let lhs = bodies[index].lhs as usize;
        if !std::mem::replace(&mut productive[lhs], true) {
            for &user in &uses[lhs] {
                missing[user] -= 1;
                if missing[user] == 0 {
                    work.push(user);
                }
            }
        }
    }
    let mut useful = vec![false; bodies.len()];
    let mut reached = vec![false; variables];
    let mut work = vec![bodies[ACCEPT as usize].lhs as usize];
    while let Some(variable) = work.pop() {
        for &index in of[variable].iter().filter(|&&index| missing[index] == 0) {
            useful[index] = true;
            work.extend(variables_of(&bodies[index]).filter(|&v| !std::mem::replace(&mut reached[v], true)));
        }
    }
    useful
}
