//! `@lexer`: the words of each mode, as ANTLR's lexer takes them.

use std::collections::BTreeSet;

use super::super::ebnf::syntax as ours;
use super::literals::Literal;
use super::lower::{Lowering, item, nonterminal, used};
use super::syntax::{Dropped, Rule, Use};

/// What the mode is called in which a lexer begins.
const DEFAULT_MODE: &str = "DEFAULT_MODE";

impl Lowering<'_> {
    /// `@lexer`: all tokens, literals of the parser first and then in the order of their rules; where there are modes, those of each mode.
    /// Not where tokens are put together by `more`: then a part would be taken for a word.
    pub(super) fn lexer(&mut self) {
        let rules: Vec<&Rule> =
            self.order.iter().filter(|rule| rule.is_lexical() && !rule.is_fragment).collect();
        let Some(first) = rules.first() else { return };
        if self.lowered.dropped.iter().any(|(what, _)| *what == Dropped::More) {
            return;
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
                words.extend(names.map(|name| vec![ours::Item { operator, ..nonterminal(&name, span) }]));
            }
            lists.push((mode, words));
        }
        let words = match lists.len() {
            1 => lists.remove(0).1,
            _ => lists
                .into_iter()
                .map(|(mode, words)| {
                    let name = format!("{}-words", mode.unwrap_or(DEFAULT_MODE));
                    self.define(&name, &span, None, words);
                    vec![nonterminal(&name, &span)]
                })
                .collect(),
        };
        self.define("any-word", &span, None, words);
        self.lowered.text.lexer = Some(used("any-word", &span));
    }

    /// The tokens that a lexer may take or not: those with predicates, of which nothing is known here, and those with operators that are
    /// read as greedy ones.
    pub(super) fn uncertain(&self) -> BTreeSet<String> {
        let is_cause = |what: &Dropped| matches!(what, Dropped::Predicate | Dropped::Reluctant);
        let causes = self.lowered.dropped.iter().filter(|(what, _)| is_cause(what));
        let rules = causes.filter_map(|(_, span)| self.rule_at(span)).filter(|rule| rule.is_lexical());
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
