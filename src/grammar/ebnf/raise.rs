//! Turns a grammar back into a syntax tree from which the same grammar is lowered.
//!
//! A helper is put back as an operator in the one place where it is used when lowering would make
//! exactly this helper there: rules, role and name. The name depends on which other helpers are put
//! back, so those that do not fit are given definitions of their own until all others fit.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;

use super::super::model::{Grammar, HelperKind, Name, NonterminalId, Role, Symbol};
use super::skip;
use super::syntax::{
    Atom, Definition, Item, MOST_NESTED, Operator, Sequence, Skip, Text, TokenOptions, Use, hint,
};

/// The syntax tree of a grammar.
pub(super) fn raise(grammar: &Grammar) -> Text {
    let (plain, written) = match skip::remove(grammar) {
        Some(plain) => (Cow::Owned(plain), false),
        None => (Cow::Borrowed(grammar), true),
    };
    let raising = Raising { grammar: &plain, inline: inline(&plain) };
    raising.text(written)
}

/// What is in the parentheses before an operator, or in a group: its alternatives.
///
/// `None` when the helper's rules are not what lowering makes of its operator.
fn content(grammar: &Grammar, id: NonterminalId) -> Option<Vec<&[Symbol]>> {
    let Role::Helper(kind) = grammar.nonterminal(id).role else { return None };
    let rules: Vec<&[Symbol]> =
        grammar.rules_of(id).iter().map(|&rule| grammar.rule(rule).symbols.as_ref()).collect();
    let itself = Symbol::Nonterminal(id);
    let content = match (kind, rules.as_slice()) {
        (HelperKind::Star, &[[], [body @ .., last]]) if *last == itself => vec![body],
        (HelperKind::Plus, &[body, [again @ .., last]]) if *last == itself && body == again => vec![body],
        (HelperKind::Optional, &[[], body]) => vec![body],
        (HelperKind::Group, alternatives) if alternatives.len() > 1 => alternatives.to_vec(),
        _ => return None,
    };
    (!content.iter().any(|sequence| sequence.contains(&itself))).then_some(content)
}

/// The helpers that can be written as operators.
fn inline(grammar: &Grammar) -> BitSet<NonterminalId> {
    let mut inline: BitSet<NonterminalId> = grammar
        .nonterminals()
        .entries()
        .filter(|&(id, nonterminal)| {
            nonterminal.token.is_none()
                && nonterminal.name.condition.is_none()
                && id != grammar.start()
                && Some(id) != grammar.skip()
                && Some(id) != grammar.lexer()
                && content(grammar, id).is_some()
        })
        .map(|(id, _)| id)
        .collect();
    for nonterminal in grammar.nonterminals() {
        if let Some(token) = &nonterminal.token {
            for &id in &token.except {
                inline.remove(id);
            }
        }
    }
    loop {
        let uses = uses(grammar, &inline);
        let mut fitting: BitSet<NonterminalId> = inline.iter().filter(|&id| uses[id] == 1).collect();
        if fitting == inline {
            fitting = Naming::fitting(grammar, &inline);
            if fitting == inline {
                return inline;
            }
        }
        inline = fitting;
    }
}

/// How often each nonterminal would be written.
fn uses(grammar: &Grammar, inline: &BitSet<NonterminalId>) -> IdVec<NonterminalId, usize> {
    let mut uses = IdVec::filled(0, grammar.nonterminals().len());
    for id in grammar.nonterminals().ids() {
        for sequence in written(grammar, inline, id) {
            for &symbol in sequence {
                if let Symbol::Nonterminal(used) = symbol {
                    uses[used] += 1;
                }
            }
        }
    }
    uses
}

/// The alternatives that are written for a nonterminal.
fn written<'a>(grammar: &'a Grammar, inline: &BitSet<NonterminalId>, id: NonterminalId) -> Vec<&'a [Symbol]> {
    let operand = if inline.contains(id) { content(grammar, id) } else { None };
    operand.unwrap_or_else(|| {
        grammar.rules_of(id).iter().map(|&rule| grammar.rule(rule).symbols.as_ref()).collect()
    })
}

/// Gives helpers the names that lowering would give them.
struct Naming<'a> {
    grammar: &'a Grammar,
    inline: &'a BitSet<NonterminalId>,
    names: HashSet<String>,
    /// For each hint the number below which all names are taken.
    numbers: HashMap<String, usize>,
    fitting: BitSet<NonterminalId>,
}

impl<'a> Naming<'a> {
    /// Those of the helpers in `inline` that would get the name they have.
    fn fitting(grammar: &'a Grammar, inline: &'a BitSet<NonterminalId>) -> BitSet<NonterminalId> {
        let defined = || grammar.nonterminals().entries().filter(|&(id, _)| !inline.contains(id));
        let names = defined().map(|(_, nonterminal)| nonterminal.name.text()).collect();
        let mut naming = Self { grammar, inline, names, numbers: HashMap::new(), fitting: BitSet::new() };
        for (id, nonterminal) in defined() {
            naming.definition(id, &nonterminal.name, 0);
        }
        naming.fitting
    }

    fn definition(&mut self, id: NonterminalId, enclosing: &Name, depth: usize) {
        for sequence in written(self.grammar, self.inline, id) {
            for &symbol in sequence {
                if let Symbol::Nonterminal(used) = symbol
                    && self.inline.contains(used)
                    && depth < MOST_NESTED
                {
                    self.helper(used, enclosing);
                    self.definition(used, enclosing, depth + 1);
                }
            }
        }
    }

    fn helper(&mut self, id: NonterminalId, enclosing: &Name) {
        let helper = self.grammar.nonterminal(id);
        let Role::Helper(kind) = helper.role else { return };
        let hint = hint(enclosing, kind);
        let mut number = self.numbers.get(&hint).copied().unwrap_or(1);
        while self.names.contains(&format!("{hint}{number}")) {
            number += 1;
        }
        let name = format!("{hint}{number}");
        if name == helper.name.base {
            self.fitting.insert(id);
        }
        self.names.insert(name);
        self.numbers.insert(hint, number + 1);
    }
}

struct Raising<'a> {
    grammar: &'a Grammar,
    inline: BitSet<NonterminalId>,
}

impl Raising<'_> {
    fn text(&self, written: bool) -> Text {
        let grammar = self.grammar;
        let mut text = Text::default();
        for (id, nonterminal) in grammar.nonterminals().entries() {
            if self.inline.contains(id) {
                continue;
            }
            if let Role::Helper(kind) = nonterminal.role {
                text.helpers.push((kind, self.target(id)));
            }
            let token = nonterminal.token.as_ref().map(|token| TokenOptions {
                except: token.except.iter().map(|&id| self.target(id)).collect(),
                not_before: token.not_before.map(|class| grammar.class(class).clone()),
            });
            let rules = grammar.rules_of(id).iter();
            let alternatives = rules.map(|&rule| self.sequence(&grammar.rule(rule).symbols)).collect();
            text.definitions.push(Definition { name: self.target(id), token, alternatives });
        }
        let start = grammar.name(grammar.start());
        if text.definitions.first().is_some_and(|first| first.name.name != *start) {
            text.start = Some(self.target(grammar.start()));
        }
        text.lexer = grammar.lexer().map(|lexer| self.target(lexer));
        text.skip = grammar.skip().map(|skip| Skip { target: self.target(skip), written });
        text
    }

    fn target(&self, id: NonterminalId) -> Use {
        Use { name: self.grammar.name(id).clone(), span: 0..0 }
    }

    fn sequence(&self, symbols: &[Symbol]) -> Sequence {
        symbols.iter().map(|&symbol| self.item(symbol)).collect()
    }

    fn item(&self, symbol: Symbol) -> Item {
        let plain = |atom| Item { atom, operator: None, span: 0..0 };
        match symbol {
            Symbol::Literal(literal) => plain(Atom::Literal(self.grammar.literal(literal).to_vec())),
            Symbol::Class(class) => plain(Atom::Class(self.grammar.class(class).clone())),
            Symbol::Nonterminal(id) => {
                let operand = if self.inline.contains(id) { content(self.grammar, id) } else { None };
                match operand {
                    Some(alternatives) => self.helper(id, &alternatives),
                    None => plain(Atom::Nonterminal(self.grammar.name(id).clone())),
                }
            }
        }
    }

    fn helper(&self, id: NonterminalId, alternatives: &[&[Symbol]]) -> Item {
        let operator = match self.grammar.nonterminal(id).role {
            Role::Helper(HelperKind::Star) => Some(Operator::Star),
            Role::Helper(HelperKind::Plus) => Some(Operator::Plus),
            Role::Helper(HelperKind::Optional) => Some(Operator::Optional),
            Role::Helper(HelperKind::Group | HelperKind::Skip) | Role::Named => None,
        };
        let mut sequences: Vec<Sequence> =
            alternatives.iter().map(|symbols| self.sequence(symbols)).collect();
        let atom = match sequences.as_mut_slice() {
            [sequence] if sequence.is_empty() => Atom::Literal(Vec::new()),
            // One thing needs no parentheses unless an operator follows it already.
            [sequence] if sequence.len() == 1 && sequence[0].operator.is_none() => sequence.remove(0).atom,
            _ => Atom::Group(sequences),
        };
        Item { atom, operator, span: 0..0 }
    }
}
