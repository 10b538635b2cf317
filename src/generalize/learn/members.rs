//! Texts for places: strings of a nonterminal, and members of a class.

use crate::grammar::lexis::{Pieces, is_gap};
use crate::grammar::{NonterminalId, Symbol};

use super::super::cheapest::is_apart;
use super::binding::Bindings;
use super::hypothesis::{Alternative, ClassId, Want};
use super::session::Learning;

/// From this depth on members are made by the first alternative of each class, and then not at all.
const DEEP: usize = 12;
const DEEPEST: usize = 60;

/// Where the program refuses most inputs, one fill in this number is a random one.
const SELDOM: usize = 8;

impl Learning<'_, '_, '_> {
    /// A string of a nonterminal: the cheapest one first, then in turn one of a rule and a random one. Where the program refuses most
    /// inputs, which says nothing, most are plain ones.
    pub(super) fn fill(&mut self, nonterminal: NonterminalId, turn: usize) -> Option<Vec<u8>> {
        let text = self.other_fill(nonterminal, turn)?;
        self.fills.add(nonterminal, &text);
        Some(text)
    }

    /// A small string of a nonterminal that is not empty, if there is one.
    pub(super) fn something(&mut self, nonterminal: NonterminalId) -> Option<Vec<u8>> {
        let text = self.cheapest.something(nonterminal, self.stream)?;
        self.fills.add(nonterminal, &text);
        Some(text)
    }

    fn other_fill(&mut self, nonterminal: NonterminalId, turn: usize) -> Option<Vec<u8>> {
        if turn == 0 {
            return self.cheapest.string(nonterminal).map(<[u8]>::to_vec);
        }
        if self.is_often_refused() && turn % SELDOM != 1 {
            let known = match self.stream.below(4) {
                0 => self.known_part(nonterminal),
                1 | 2 => self.fills.taken(nonterminal, self.stream),
                _ => None,
            };
            if known.is_some() {
                return known;
            }
            return self.cheapest.plain(nonterminal, self.stream);
        }
        let rules = self.example.grammar.rules_of(nonterminal);
        if turn.is_multiple_of(2) && !rules.is_empty() {
            let rule = *self.stream.pick(rules);
            return self.cheapest.string_of_rule(rule);
        }
        let mut text = Vec::new();
        self.example.producer.produce(nonterminal, self.stream, &mut text).ok()?;
        Some(text)
    }

    /// A random text of a class. What a class may not be is not looked at. `bound` are the texts of numbers that are bound
    /// already; where none are, and the class asks something of them, those of an input that is known to fail.
    pub(super) fn member(&mut self, class: ClassId, mut bound: Bindings) -> Option<Vec<u8>> {
        if bound.is_empty() {
            bound = self.known_values(class).unwrap_or_default();
        }
        self.member_at(class, 0, &mut bound)
    }

    /// The same of one of its alternatives.
    pub(super) fn member_of(
        &mut self,
        class: ClassId,
        alternative: usize,
        mut bound: Bindings,
    ) -> Option<Vec<u8>> {
        let pieces = self.pieces_of(class, alternative, 0, &mut bound)?;
        Some(pieces.join(self.example.parser.lexis()))
    }

    /// The same inside of a member that is so deep already.
    pub(super) fn member_at(
        &mut self,
        class: ClassId,
        depth: usize,
        bound: &mut Bindings,
    ) -> Option<Vec<u8>> {
        let pieces = self.pieces(class, depth, bound)?;
        Some(pieces.join(self.example.parser.lexis()))
    }

    fn pieces(&mut self, class: ClassId, depth: usize, bound: &mut Bindings) -> Option<Pieces> {
        let count = self.hypothesis.class(class).alternatives.len();
        if depth > DEEPEST || count == 0 {
            return None;
        }
        let alternative = if depth < DEEP { self.stream.below(count) } else { 0 };
        self.pieces_of(class, alternative, depth, bound)
    }

    fn pieces_of(
        &mut self,
        class: ClassId,
        alternative: usize,
        depth: usize,
        bound: &mut Bindings,
    ) -> Option<Pieces> {
        let grammar = self.example.grammar;
        let lexis = self.example.parser.lexis();
        let mut pieces = Pieces::default();
        let content = self.hypothesis.class(class);
        let (rule, wants) = match &content.alternatives[alternative] {
            Alternative::Open(_) => {
                let nonterminal = content.nonterminal;
                let turn = self.stream.below(8);
                pieces.push(&self.fill(nonterminal, turn)?);
                return Some(pieces);
            }
            &Alternative::Has(inner, _) => {
                let nonterminal = content.nonterminal;
                pieces.push(&self.text_having(nonterminal, inner, depth, bound)?);
                return Some(pieces);
            }
            Alternative::Rule(rule, wants) => (*rule, wants.clone()),
        };
        let apart = is_apart(grammar, lexis, rule);
        for (want, &symbol) in wants.iter().zip(&grammar.rule(rule).symbols) {
            if apart {
                pieces.gap();
            }
            match (want, symbol) {
                (_, Symbol::Literal(literal)) => pieces.push(grammar.literal(literal)),
                (Want::Char(c), _) => pieces.push(c.encode_utf8(&mut [0; 4]).as_bytes()),
                (Want::Letter(c), _) => {
                    let c = [*c, c.to_ascii_uppercase()][self.stream.below(2)];
                    pieces.push(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                (_, Symbol::Class(class)) => {
                    let class = grammar.class(class);
                    let c = class.nth(self.stream.below(class.len().max(1)))?;
                    pieces.push(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                (Want::In(class), _) => pieces.append(self.pieces(*class, depth + 1, bound)?),
                (_, Symbol::Nonterminal(inner)) if is_gap(grammar, inner) => pieces.gap(),
                (Want::Bound(number), Symbol::Nonterminal(inner)) => {
                    let text = match bound.get(number) {
                        Some(text) => text.clone(),
                        None => {
                            let turn = self.stream.below(8);
                            let text = self.fill(inner, turn)?;
                            bound.insert(*number, text.clone());
                            text
                        }
                    };
                    pieces.push(&text);
                }
                (_, Symbol::Nonterminal(inner)) => {
                    let turn = self.stream.below(8);
                    pieces.push(&self.fill(inner, turn)?);
                    if lexis.is_some_and(|lexis| !lexis.is_lexical(inner)) {
                        pieces.gap();
                    }
                }
            }
        }
        if apart {
            pieces.gap();
        }
        Some(pieces)
    }
}
