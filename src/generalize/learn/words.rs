//! Another word in the place of each that the hypothesis asks for.
//!
//! An option has a short form, a test has others like it. Random inputs have them now and then; to try each rule of the grammar once where
//! the hypothesis asks for one of them takes less, and misses none.

use std::collections::HashSet;
use std::rc::Rc;

use crate::grammar::lexis::is_gap;
use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::bare_text::bare_text;
use super::cases::Cases;
use super::hypothesis::{Alternative, ClassId};
use super::input::Input;
use super::matching::Matcher;
use super::session::Learning;

/// The part of all executions, one in this number, that may be spent on all words, and on one.
const SHARE: u64 = 4;
pub(super) const SHARE_OF_ONE: u64 = 30;

/// The same for words of inputs.
const SHARE_OF_KNOWN: u64 = 30;

/// The same for rules that are like those of inputs.
const SHARE_OF_LIKE: u64 = 30;

/// The number of rules of a nonterminal that are tried, and of known words.
const MOST_RULES: usize = 100;
const MOST_WORDS: usize = 60;

impl Learning<'_, '_, '_> {
    /// Tries each rule of the nonterminal of each class in the place of those that the class has. One that fails alike is one more
    /// alternative.
    pub(super) fn try_other_words(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE;
        let places = self.hypothesis.roots().iter().filter_map(|&root| self.first_place(root));
        let mut classes: Vec<ClassId> = Vec::new();
        for (input, _) in places {
            classes.extend(self.classes_outside_of_words(&input));
        }
        for class in classes {
            let rules = self.example.grammar.rules_of(self.hypothesis.class(class).nonterminal).to_vec();
            for rule in rules.into_iter().take(MOST_RULES) {
                if self.judge.executions() > most {
                    return Ok(());
                }
                if !self.hypothesis.class(class).has_rule(rule) {
                    self.try_rule(class, rule)?;
                }
            }
        }
        Ok(())
    }

    /// Tries other rules that have something in common with those of which root classes are made, with the same parts as far as they fit: one
    /// test compares times, and another one, with nearly the same words, dates.
    pub(super) fn try_like_rules(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE_OF_LIKE;
        for root in self.hypothesis.roots().to_vec() {
            let Some((input, node)) = self.first_place(root) else { continue };
            let places = input.tree.preorder(node).filter(|&place| !self.is_in_word(&input, place));
            let rules: Vec<(NodeId, RuleId)> = places
                .flat_map(|place| self.like_rules(&input, place).map(move |rule| (place, rule)))
                .collect();
            for (place, rule) in rules {
                for is_cheapest in [false, true] {
                    if self.judge.executions() > most {
                        return Ok(());
                    }
                    let Some(text) = self.text_like(rule, &input, place, is_cheapest) else { continue };
                    let text = input.with(self.example, &[(place, text)]);
                    if let Some((Verdict::Fail, failing)) = self.ask(text)?
                        && !self.accepts(&failing)
                    {
                        self.counterexample(&failing)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The other rules of a part's nonterminal that have a symbol of its own rule.
    fn like_rules<'s>(&'s self, input: &Input, place: NodeId) -> impl Iterator<Item = RuleId> + use<'s> {
        let grammar = self.example.grammar;
        let own = input.tree.rule(place);
        let rules = own.map_or(&[][..], |own| grammar.rules_of(grammar.rule(own).lhs));
        let has_common = move |rule: RuleId| {
            let known = own.map_or(&[][..], |own| &*grammar.rule(own).symbols);
            grammar.rule(rule).symbols.iter().any(|symbol| match *symbol {
                Symbol::Nonterminal(inner) => !is_gap(grammar, inner) && known.contains(symbol),
                Symbol::Literal(_) => known.contains(symbol),
                Symbol::Class(_) => false,
            })
        };
        let rules = rules.iter().copied().take(MOST_RULES);
        rules.filter(move |&rule| Some(rule) != own && has_common(rule))
    }

    /// Tries other words that inputs have, of the nonterminal of each word that the hypothesis asks for: functions have names that no grammar
    /// tells apart. One that fails alike is one more alternative.
    pub(super) fn try_known_words(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE_OF_KNOWN;
        for (class, input, node) in self.words() {
            for (from, word) in self.known_words(self.hypothesis.class(class).nonterminal) {
                if self.judge.executions() > most {
                    return Ok(());
                }
                let text = input.with(self.example, &[(node, from.text_of(word).to_vec())]);
                let Some((Verdict::Fail, failing)) = self.ask(text)? else { continue };
                let Some(rule) = from.tree.rule(word).filter(|_| !self.accepts(&failing)) else { continue };
                if !self.admit_exact(class, &from, word, rule)? {
                    self.counterexample(&failing)?;
                }
            }
        }
        Ok(())
    }

    /// Has a class admit a word as well, with letters in either case where it is known of such words that it makes no difference, and else, or if the
    /// program does not agree, as it is.
    pub(super) fn admit_exact(
        &mut self,
        class: ClassId,
        input: &Rc<Input>,
        word: NodeId,
        rule: RuleId,
    ) -> Result<bool, Halt> {
        if self.cases.are_same_in(self.hypothesis.class(class).nonterminal) {
            let exact = self.exact_with(Cases::are_same, input, word, rule);
            if self.within(SHARE_OF_ONE, |session| session.admit(class, exact))? {
                return Ok(true);
            }
        }
        let exact = self.exact(input, word, rule);
        self.within(SHARE_OF_ONE, |session| session.admit(class, exact))
    }

    /// The words of which root classes are made, each with its class and where it stands in a failing input.
    pub(super) fn words(&self) -> Vec<(ClassId, Rc<Input>, NodeId)> {
        let grammar = self.example.grammar;
        let matcher = Matcher::new(grammar, &self.hypothesis);
        let mut words: Vec<(ClassId, Rc<Input>, NodeId)> = Vec::new();
        for &root in self.hypothesis.roots() {
            let Some((input, node)) = self.first_place(root) else { continue };
            let matched = matcher.matched(&input.tree);
            for (class, node) in matcher.derivation(&input.tree, &matched, root, node) {
                let is_word = |node| {
                    let nonterminal = input.tree.nonterminal(grammar, node);
                    nonterminal.is_some_and(|it| grammar.nonterminal(it).token.is_some())
                };
                if is_word(node) && !input.tree.parent(node).is_some_and(is_word) {
                    words.push((class, Rc::clone(&input), node));
                }
            }
        }
        words
    }

    /// The different words of a nonterminal in the given input and in the longest ones that pass.
    fn known_words(&self, nonterminal: NonterminalId) -> Vec<(Rc<Input>, NodeId)> {
        let grammar = self.example.grammar;
        let given = self.failing.iter().find(|input| input.text == self.example.given).map(Rc::clone);
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let mut words: Vec<(Rc<Input>, NodeId)> = Vec::new();
        for input in given.into_iter().chain(self.hosts()) {
            for node in input.nodes() {
                if input.tree.nonterminal(grammar, node) == Some(nonterminal)
                    && seen.insert(bare_text(grammar, &input.tree, node))
                    && words.len() < MOST_WORDS
                {
                    words.push((Rc::clone(&input), node));
                }
            }
        }
        words
    }

    /// The classes of which root classes are made in a failing input, from the outermost to the innermost.
    pub(super) fn classes_outside_of_words(&self, input: &Input) -> Vec<ClassId> {
        let grammar = self.example.grammar;
        let matcher = Matcher::new(grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let mut classes: Vec<ClassId> = Vec::new();
        for (root, node) in matcher.occurrences(&input.tree, &matched) {
            for (class, node) in matcher.derivation(&input.tree, &matched, root, node) {
                if class != root && !classes.contains(&class) && !self.is_in_word(input, node) {
                    classes.push(class);
                }
            }
        }
        classes
    }

    /// Whether a part of an input is inside of a word.
    pub(super) fn is_in_word(&self, input: &Input, node: NodeId) -> bool {
        let grammar = self.example.grammar;
        let is_word = |at: NodeId| {
            input.tree.nonterminal(grammar, at).is_some_and(|it| grammar.nonterminal(it).token.is_some())
        };
        std::iter::successors(input.tree.parent(node), |&at| input.tree.parent(at)).any(is_word)
    }

    /// Tries one rule in the place of a class.
    fn try_rule(&mut self, class: ClassId, rule: RuleId) -> Result<(), Halt> {
        let Some((input, node)) = self.first_place(class) else { return Ok(()) };
        let Some(text) = self.cheapest.string_of_rule(rule) else { return Ok(()) };
        let text = input.with(self.example, &[(node, text)]);
        let Some((Verdict::Fail, failing)) = self.ask(text)? else { return Ok(()) };
        if self.accepts(&failing) {
            return Ok(());
        }
        let content = self.example.grammar.rule(rule);
        if !content.has_class() {
            let alternative = Alternative::of_rule(self.example.grammar, rule);
            if self.within(SHARE_OF_ONE, |session| session.admit(class, alternative))? {
                return Ok(());
            }
        }
        self.counterexample(&failing)?;
        Ok(())
    }
}
