//! From the rules of a grammar to productions: rules are cut, what can be empty is omitted or not, and
//! terminals are spelled out in units.

use regex_syntax::utf8::Utf8Sequences;
use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::grammar::analysis;
use crate::grammar::{ClassId, Grammar, Lexis, NonterminalId, RuleId, Symbol, Word};

use super::super::alphabet::Ranges;
use super::super::index::{BodyId, SetId, VariableId};
use super::body::Body;
use super::{Meaning, Omitted, Reading, RestId, Rests, RhsSymbol, nonterminal, segment};

/// The productions of a grammar, useful or not, and what was found on the way to them.
pub(super) struct Lowering<'a> {
    grammar: &'a Grammar,
    nullable: BitSet<NonterminalId>,
    productive: BitSet<NonterminalId>,
    /// Whether the grammar is read by bytes, since it has literals that are no text.
    pub by_bytes: bool,
    pub lexis: Option<Lexis>,
    /// Whether the rule at hand is lexical, so that there are no words in it.
    within: bool,
    /// What each variable stands for.
    pub meanings: IdVec<VariableId, Meaning>,
    known: FxHashMap<Meaning, VariableId>,
    /// The sets of units, with their numbers.
    pub sets: FxHashMap<Ranges, SetId>,
    pub bodies: IdVec<BodyId, Body>,
    by_rhs: FxHashMap<(VariableId, Vec<RhsSymbol>), BodyId>,
    /// As in the plan; so is the last one.
    pub loops: FxHashMap<VariableId, Vec<Reading>>,
    pub loop_omits: FxHashMap<VariableId, Vec<Omitted>>,
    pub rests: Rests,
}

impl<'a> Lowering<'a> {
    /// The productions of `grammar`.
    pub fn of(grammar: &'a Grammar) -> Self {
        let mut lowering = Self::new(grammar);
        lowering.run();
        lowering
    }

    fn new(grammar: &'a Grammar) -> Self {
        let mut meanings: IdVec<VariableId, Meaning> =
            grammar.nonterminals().ids().map(Meaning::Nonterminal).collect();
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
            bodies: IdVec::new(),
            by_rhs: FxHashMap::default(),
            loops: FxHashMap::default(),
            loop_omits: FxHashMap::default(),
            rests: Rests::default(),
        }
    }

    fn run(&mut self) {
        let grammar = self.grammar;
        // The start may be a word, whose production is not the first one.
        self.bodies.push(Body::new(VariableId::new(grammar.nonterminals().len())));
        let start = self.reference(grammar.start());
        self.bodies[BodyId::ACCEPT].track(start);
        // Words end by all that the lexical layer tells apart.
        if let Some(lexis) = &self.lexis {
            let lexical = lexis.lexical().clone();
            for (id, nonterminal) in grammar.nonterminals().entries() {
                if let Some(class) = nonterminal.token.as_ref().and_then(|token| token.not_before) {
                    self.class_set(class);
                }
                if lexical.contains(id) {
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
                self.within = !self.has_words(rule.lhs);
                self.cut(VariableId::of(rule.lhs), id, &rule.symbols);
            }
        }
    }

    fn has_words(&self, nonterminal: NonterminalId) -> bool {
        self.lexis.as_ref().is_none_or(|lexis| lexis.has_words(nonterminal))
    }

    /// The word that a symbol of the rule at hand has to be.
    fn word(&self, symbol: Symbol) -> Option<Word> {
        if self.within { None } else { self.lexis.as_ref()?.word(symbol) }
    }

    /// The variable that stands for a nonterminal in the rule at hand.
    fn reference(&mut self, nonterminal: NonterminalId) -> VariableId {
        let symbol = Symbol::Nonterminal(nonterminal);
        match self.word(symbol) {
            Some(word) => self.word_variable(word, symbol),
            None => VariableId::of(nonterminal),
        }
    }

    /// The variable of a word, which a symbol is.
    fn word_variable(&mut self, word: Word, symbol: Symbol) -> VariableId {
        let meaning = Meaning::Word(word);
        if let Some(&known) = self.known.get(&meaning) {
            return known;
        }
        let lhs = self.variable(meaning);
        let mut body = Body::new(lhs);
        match symbol {
            Symbol::Nonterminal(token) => {
                body.track(VariableId::of(token));
            }
            _ => self.spell_out(symbol, &mut body),
        }
        self.add(body);
        lhs
    }

    /// Makes sure that all terminals among `symbols` are told apart.
    fn spread(&mut self, symbols: &[Symbol]) {
        // Nobody asks for the body.
        let mut body = Body::new(VariableId::of(self.grammar.start()));
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

    /// Adds the productions of a rule.
    fn cut(&mut self, lhs: VariableId, rule: RuleId, symbols: &[Symbol]) {
        let nullable = &self.nullable;
        let is_nullable = |symbol| nonterminal(symbol).is_some_and(|symbol| nullable.contains(symbol));
        let rests = self.rests.cut(rule, symbols, self.within, is_nullable);
        let (mut lhs, mut symbols) = (lhs, symbols);
        for rest in rests {
            let (head, tail) = symbols.split_at(segment(symbols).unwrap_or(symbols.len()));
            let meaning = Meaning::Rest(rest);
            let known = self.known.contains_key(&meaning);
            let variable = self.variable(meaning);
            self.produce(lhs, rule, head, Some((variable, rest)));
            if known {
                return;
            }
            (lhs, symbols) = (variable, tail);
        }
        self.produce(lhs, rule, symbols, None);
    }

    /// Adds the productions of `lhs` for `symbols`, followed by `rest`.
    fn produce(
        &mut self,
        lhs: VariableId,
        rule: RuleId,
        symbols: &[Symbol],
        rest: Option<(VariableId, RestId)>,
    ) {
        let mut optional = Vec::new();
        for &symbol in symbols.iter().filter(|symbol| matches!(symbol, Symbol::Nonterminal(_))) {
            optional.push(self.is_nullable(symbol));
        }
        optional.extend(rest.map(|(_, rest)| self.rests.is_nullable(rest)));
        for omitted in [0b00, 0b10, 0b01, 0b11] {
            if (0..2).any(|bit| omitted >> bit & 1 == 1 && !optional.get(bit).is_some_and(|&may| may)) {
                continue;
            }
            let mut body = Body { readings: vec![Reading { rule, omitted }], ..Body::new(lhs) };
            let mut bit = 0;
            let track = |body: &mut Body, variable, what, bit: usize| {
                if omitted >> bit & 1 == 1 {
                    body.omits.push(what);
                } else {
                    body.track(variable);
                }
            };
            for &symbol in symbols {
                if let Some(nonterminal) = nonterminal(symbol) {
                    let variable = self.reference(nonterminal);
                    track(&mut body, variable, Omitted::Nonterminal(nonterminal), bit);
                    bit += 1;
                } else {
                    self.spell(symbol, &mut body);
                }
            }
            if let Some((variable, rest)) = rest {
                track(&mut body, variable, Omitted::Rest(rest), bit);
            }
            self.add(body);
        }
    }

    fn add(&mut self, body: Body) {
        if body.rhs.is_empty() {
            return;
        }
        if body.rhs == [RhsSymbol::Variable(body.lhs)] {
            self.loops.entry(body.lhs).or_default().extend(body.readings);
            self.loop_omits.entry(body.lhs).or_default().extend(body.omits);
            return;
        }
        let key = (body.lhs, body.rhs.clone());
        if let Some(&known) = self.by_rhs.get(&key) {
            self.bodies[known].readings.extend(body.readings);
            self.bodies[known].omits.extend(body.omits);
            return;
        }
        self.by_rhs.insert(key, self.bodies.push(body));
    }

    /// Appends a terminal.
    fn spell(&mut self, symbol: Symbol, body: &mut Body) {
        match self.word(symbol) {
            Some(word) => {
                let variable = self.word_variable(word, symbol);
                body.rhs.push(RhsSymbol::Variable(variable));
                body.terminals.push(Some((symbol, 0)));
            }
            None => self.spell_out(symbol, body),
        }
    }

    /// Appends a terminal, unit by unit.
    fn spell_out(&mut self, symbol: Symbol, body: &mut Body) {
        let grammar = self.grammar;
        let mut push = |unit, before| {
            body.rhs.push(unit);
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
                    push(RhsSymbol::Variable(self.character(class)), 0);
                } else {
                    push(self.class_set(class), 0);
                }
            }
        }
    }

    fn class_set(&mut self, class: ClassId) -> RhsSymbol {
        let ranges = self.grammar.class(class).ranges();
        let ranges: Vec<(u32, u32)> = ranges.iter().map(|&(low, high)| (low.into(), high.into())).collect();
        self.set(&ranges)
    }

    fn set(&mut self, ranges: &[(u32, u32)]) -> RhsSymbol {
        let next = SetId::new(self.sets.len());
        RhsSymbol::Set(*self.sets.entry(ranges.into()).or_insert(next))
    }

    fn variable(&mut self, meaning: Meaning) -> VariableId {
        if let Some(&known) = self.known.get(&meaning) {
            return known;
        }
        let variable = self.meanings.push(meaning);
        self.known.insert(meaning, variable);
        variable
    }

    /// The variable of a class that is spelled out in bytes.
    fn character(&mut self, class: ClassId) -> VariableId {
        let meaning = Meaning::Character(class);
        if let Some(&known) = self.known.get(&meaning) {
            return known;
        }
        let lhs = self.variable(meaning);
        for &(low, high) in self.grammar.class(class).ranges() {
            for sequence in Utf8Sequences::new(low, high) {
                let ranges = sequence.as_slice().iter().map(|range| (range.start.into(), range.end.into()));
                let rhs: Vec<RhsSymbol> = ranges.map(|range| self.set(&[range])).collect();
                let terminals = (0..rhs.len()).map(|at| Some((Symbol::Class(class), at as u32))).collect();
                self.add(Body { rhs, terminals, ..Body::new(lhs) });
            }
        }
        lhs
    }
}
