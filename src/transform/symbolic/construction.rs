//! And / or / neg of grammars, by reconstruction of undefined nonterminals.
//!
//! Input Algebras, section IV: a nonterminal such as `<item E & !N>` that is referred to but not
//! defined is constructed from the definitions it is made of. So nothing has to be combined ahead of
//! need: a grammar is a start symbol with a condition, the `and` of two grammars is the start symbol
//! with the `and` of their conditions, and all definitions follow from there, each once.
//!
//! Example: `<json E & !N>` is the `and` of the reaching definition `<json E> ::= <elt E>` and the
//! non-reaching definition `<json !N> ::= <elt !N>`: `<elt E & !N>`, which is not defined yet.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use crate::base::id::Id;
use crate::grammar::{Grammar, GrammarBuilder, Name, NonterminalId, Symbol};

use super::super::{Origin, TransformError};
use super::algebra::Algebra;
use super::condition::Condition;
use super::definition::Definition;
use super::literal::{Atom, Literal};
use super::pattern_grammar::matching;
use super::reaching::{Times, occurring};
use super::structure::{before, inside};
use super::token::Token;

/// A specialized nonterminal: a base nonterminal and what its trees satisfy.
type Pair = (NonterminalId, Condition);

/// Constructs all that is referred to from the start symbol, garbage included.
pub struct Construction<'a> {
    algebra: &'a Algebra<'a>,
    builder: GrammarBuilder,
    origin: Origin,
    known: HashMap<Pair, NonterminalId>,
    undefined: VecDeque<(Pair, NonterminalId)>,
    of_literals: HashMap<(NonterminalId, Literal), Rc<Definition>>,
}

impl<'a> Construction<'a> {
    /// Nothing is constructed yet.
    pub fn new(algebra: &'a Algebra<'a>) -> Self {
        Self {
            algebra,
            builder: GrammarBuilder::new(),
            origin: Origin::default(),
            known: HashMap::new(),
            undefined: VecDeque::new(),
            of_literals: HashMap::new(),
        }
    }

    /// The grammar of the trees of `start` that satisfy `condition`.
    pub fn run(
        mut self,
        start: NonterminalId,
        condition: &Condition,
    ) -> Result<(Grammar, Origin), TransformError> {
        let condition = self.algebra.simplify(start, condition)?;
        let start = self.nonterminal(start, &condition);
        while let Some(((of, condition), id)) = self.undefined.pop_front() {
            let definition = self.definition(of, &condition)?;
            self.define(id, &definition);
        }
        Ok((self.builder.finish(start), self.origin))
    }

    /// The definition of a nonterminal, made from the definitions of the literals of its condition.
    fn definition(&mut self, of: NonterminalId, condition: &Condition) -> Result<Definition, TransformError> {
        let mut any = Definition::none(of, self.algebra);
        for term in condition.terms() {
            let mut all = Definition::whole(of, self.algebra)?;
            for &literal in term.literals() {
                all = all.and(&*self.of_literal(of, literal)?, self.algebra)?;
            }
            any = any.or(&all, self.algebra)?;
        }
        Ok(any)
    }

    fn of_literal(&mut self, of: NonterminalId, literal: Literal) -> Result<Rc<Definition>, TransformError> {
        if let Some(known) = self.of_literals.get(&(of, literal)) {
            return Ok(Rc::clone(known));
        }
        let definition = match (literal.atom, literal.holds) {
            (Atom::Occurs { pattern, at_least: least }, true) => {
                occurring(of, pattern, Times { least, most: None }, self.algebra)?
            }
            (Atom::Occurs { pattern, at_least }, false) => {
                occurring(of, pattern, Times { least: 0, most: Some(at_least - 1) }, self.algebra)?
            }
            (Atom::Matches { pattern, node }, true) => matching(pattern, node, self.algebra)?,
            (Atom::Inside { inner, outer }, true) => inside(of, inner, outer, self.algebra)?,
            (Atom::Before { first, second }, true) => before(of, first, second, self.algebra)?,
            (Atom::Matches { .. } | Atom::Inside { .. } | Atom::Before { .. }, false) => {
                self.of_literal(of, literal.opposite())?.neg(self.algebra)?
            }
        };
        let definition = Rc::new(definition);
        self.of_literals.insert((of, literal), Rc::clone(&definition));
        Ok(definition)
    }

    fn define(&mut self, id: NonterminalId, definition: &Definition) {
        let algebra = self.algebra;
        for ruleset in definition.rulesets() {
            for rule in ruleset.rules() {
                let symbols: Vec<Symbol> = rule
                    .tokens()
                    .iter()
                    .zip(&algebra.grammar.rule(ruleset.base).symbols)
                    .filter_map(|(token, &symbol)| match (token, symbol) {
                        (Token::Chars { chars, .. }, _) => Some(self.builder.class(chars.clone())),
                        (Token::Nonterminal { of, condition }, _) => {
                            Some(Symbol::Nonterminal(self.nonterminal(*of, condition)))
                        }
                        (_, Symbol::Literal(literal)) => {
                            self.builder.literal(algebra.grammar.literal(literal))
                        }
                        (token, symbol) => unreachable!("{token:?} for {symbol:?}"),
                    })
                    .collect();
                self.builder.rule(id, symbols);
                self.origin.rules.push(ruleset.base);
            }
        }
    }

    /// The nonterminal of a pair, which is yet to be defined if it is new.
    fn nonterminal(&mut self, of: NonterminalId, condition: &Condition) -> NonterminalId {
        let pair = (of, condition.clone());
        if let Some(&known) = self.known.get(&pair) {
            return known;
        }
        let base = self.algebra.grammar.nonterminal(of);
        let text = (!condition.is_always()).then(|| condition.text(self.algebra.patterns));
        let id = self.builder.fresh(match text {
            None => base.name.clone(),
            Some(text) => Name::specialized(base.name.text(), text),
        });
        debug_assert_eq!(self.origin.nonterminals.len(), id.index(), "each pair has its own name");
        self.builder.set_role(id, base.role);
        self.builder.set_token_like(id, self.algebra.grammar, of);
        self.origin.nonterminals.push(of);
        self.known.insert(pair.clone(), id);
        self.undefined.push_back((pair, id));
        id
    }
}
