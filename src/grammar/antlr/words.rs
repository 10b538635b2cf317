//! `@lexer`: the words of each mode, as ANTLR's lexer takes them.

use std::collections::BTreeSet;

use super::super::ebnf::syntax as ours;
use super::literals::Literal;
use super::lower::{Lowering, item, nonterminal, used};
use super::modes::DEFAULT_MODE;
use super::moves::{Move, moves};
use super::syntax::{Alternative, Atom, Dropped, Item, Rule, Sign, Use};

/// What `@lexer` names, and what stands for going back to the mode below.
const ANY_WORD: &str = "any-word";
const MODE_BEFORE: &str = "mode-before";

/// The nonterminal that names the words of a mode.
fn list_of(mode: &str) -> String {
    format!("{mode}-words")
}

impl Lowering<'_> {
    /// `@lexer`: all tokens, literals of the parser first and then in the order of their rules; where there are modes, those of each mode, with
    /// what their commands do if this says all of modes. Not where tokens are put together by `more`: then a part would be taken for a word.
    pub(super) fn lexer(&mut self, modes_are_known: bool) {
        let rules: Vec<&Rule> =
            self.order.iter().filter(|rule| rule.is_lexical() && !rule.is_fragment).collect();
        let Some(first) = rules.first() else { return };
        if self.is_unjoined {
            return self.skip_without_repetitions();
        }
        let span = first.name.span.clone();
        let uncertain = self.uncertain();
        let mut modes: Vec<Option<&str>> = Vec::new();
        for mode in rules.iter().map(|rule| rule.mode.as_deref()) {
            if !modes.contains(&mode) {
                modes.push(mode);
            }
        }
        let mut lists: Vec<(Option<&str>, Vec<ours::Sequence>)> = Vec::new();
        let mut is_told = modes_are_known;
        for mode in modes {
            let mut words: Vec<ours::Sequence> = Vec::new();
            if mode.is_none() {
                let literals = self.literals.all().iter();
                let literals = literals.filter(|literal| self.literals.rule(&literal.text).is_none());
                words.extend(literals.map(|Literal { text, span, .. }| vec![item(self.literal(text), span)]));
            }
            for rule in rules.iter().filter(|rule| rule.mode.as_deref() == mode) {
                let Use { name, span } = &rule.name;
                let skipped = self.skipped_name(rule).filter(|skipped| skipped != name);
                let names = std::iter::once(name.clone()).chain(skipped).filter(|name| self.defined(name));
                let operator = uncertain.contains(name).then_some(ours::Operator::Optional);
                let first = words.len();
                words.extend(names.map(|name| vec![ours::Item { operator, ..nonterminal(&name, span) }]));
                if operator.is_some() {
                    words.extend(self.certain_part(rule, &uncertain));
                }
                if modes_are_known {
                    let moves = self.moves(rule);
                    is_told &= !moves
                        .iter()
                        .any(|item| matches!(&item.atom, ours::Atom::Nonterminal(to) if to.base == ANY_WORD));
                    words[first..].iter_mut().for_each(|word| word.extend(moves.iter().cloned()));
                }
            }
            lists.push((mode, words));
        }
        if is_told {
            self.lowered.dropped.retain(|(what, _)| *what != Dropped::Mode);
        }
        let words = match lists.len() {
            1 => lists.remove(0).1,
            _ => lists
                .into_iter()
                .map(|(mode, words)| {
                    let name = list_of(mode.unwrap_or(DEFAULT_MODE));
                    self.define(&name, &span, None, words);
                    vec![nonterminal(&name, &span)]
                })
                .collect(),
        };
        self.define(ANY_WORD, &span, None, words);
        self.lowered.text.lexer = Some(used(ANY_WORD, &span));
    }

    /// What a token is followed by in the list of its mode: a mode that is entered is its list, and what goes back derives nothing.
    fn moves(&mut self, rule: &Rule) -> ours::Sequence {
        let Use { span, .. } = &rule.name;
        let mode = rule.mode.as_deref().unwrap_or(DEFAULT_MODE);
        let commands = rule.alternatives.first().map_or(&[][..], |alternative| &alternative.commands);
        let mut items = Vec::new();
        for action in moves(mode, commands) {
            let name = match action {
                Move::Back => {
                    if !self.defined(MODE_BEFORE) {
                        self.define(MODE_BEFORE, span, None, vec![Vec::new()]);
                    }
                    MODE_BEFORE.to_owned()
                }
                Move::Enter(mode) => list_of(&mode),
                Move::Anywhere => ANY_WORD.to_owned(),
            };
            items.push(nonterminal(&name, span));
        }
        items
    }

    /// A word that is what a token matches whatever its predicates say. It follows the token, which so is taken wherever this is; and no
    /// other word is taken where this one is longer.
    fn certain_part(&mut self, rule: &Rule, uncertain: &BTreeSet<String>) -> Option<ours::Sequence> {
        let mut open = vec![rule.name.name.as_str()];
        // What was taken out, as only parts of its tokens are left, is written out.
        let definitions = self.lowered.text.definitions.iter().map(|definition| definition.name.name.text());
        let defined: BTreeSet<String> = definitions.collect();
        let certain = |name: &str| !uncertain.contains(name) && defined.contains(name);
        let alternatives = self.certain(&rule.alternatives, rule, &certain, &mut open);
        if alternatives.is_empty() {
            return None;
        }
        let Use { name, span } = &rule.name;
        let alternatives = self.lexical_alternatives(rule, &alternatives, true);
        let name = format!("{name}-certain");
        self.define(&name, span, Some(ours::TokenOptions::default()), alternatives);
        Some(vec![nonterminal(&name, span)])
    }

    /// The alternatives without predicates. Those with operators that are read as greedy ones are left out as well.
    fn certain<'a>(
        &'a self,
        alternatives: &'a [Alternative],
        rule: &Rule,
        is_certain: &dyn Fn(&str) -> bool,
        open: &mut Vec<&'a str>,
    ) -> Vec<Alternative> {
        let mut certain = Vec::new();
        'alternatives: for alternative in alternatives.iter().filter(|alternative| !alternative.has_predicate)
        {
            let mut items = Vec::new();
            for item in &alternative.items {
                if item.operator.is_some_and(|operator| operator.is_reluctant) {
                    continue 'alternatives;
                }
                let inner = match &item.atom {
                    Atom::Group(inner) => self.certain(inner, rule, is_certain, open),
                    Atom::Name(name) if !is_certain(name) => match self.rules.get(name.as_str()) {
                        Some(used) if used.any_case == rule.any_case && !open.contains(&name.as_str()) => {
                            open.push(name);
                            let inner = self.certain(&used.alternatives, rule, is_certain, open);
                            open.pop();
                            inner
                        }
                        _ => Vec::new(),
                    },
                    _ => {
                        items.push(item.clone());
                        continue;
                    }
                };
                let sign = item.operator.map(|operator| operator.sign);
                if !inner.is_empty() {
                    items.push(Item { atom: Atom::Group(inner), ..item.clone() });
                } else if !matches!(sign, Some(Sign::Star | Sign::Optional)) {
                    continue 'alternatives;
                }
            }
            certain.push(Alternative { items, ..Alternative::default() });
        }
        certain
    }

    /// The tokens that a lexer may take or not: those with predicates, of which nothing is known here, and those with operators that are
    /// read as greedy ones.
    pub(super) fn uncertain(&self) -> BTreeSet<String> {
        let is_cause = |what: &Dropped| matches!(what, Dropped::Predicate | Dropped::Reluctant);
        let causes = self.lowered.dropped.iter().filter(|(what, _)| is_cause(what));
        let rules = causes.filter_map(|(_, span)| self.rule_at(span));
        // What `more` has put together elsewhere has its predicates with it.
        let parts = self.order.iter().filter(|rule| rule.is_part() && has_predicate(&rule.alternatives));
        let rules = rules.chain(parts).filter(|rule| rule.is_lexical());
        let mut open: Vec<&str> = rules.map(|rule| rule.name.name.as_str()).collect();
        let mut uncertain = BTreeSet::new();
        while let Some(name) = open.pop() {
            if uncertain.insert(name.to_owned()) {
                let users = self.uses.get(name).into_iter().flatten();
                open.extend(users.map(String::as_str).filter(|&user| super::syntax::is_lexical(user)));
            }
        }
        uncertain
    }
}

/// Whether a predicate stands in one of these, or in a group within them.
fn has_predicate(alternatives: &[Alternative]) -> bool {
    let within = |item: &Item| matches!(&item.atom, Atom::Group(inner) if has_predicate(inner));
    alternatives.iter().any(|alternative| alternative.has_predicate || alternative.items.iter().any(within))
}
