//! Rules that have a word in common with those of which root classes are made.
//!
//! Go declares a name with `:=`, and so it does in the head of a loop and in that of a switch, each by a rule of another nonterminal. What is asked of one
//! says nothing of the others, and where a program refuses most random inputs, these do not show them either. A word that few rules have is what they
//! have in common, and each of these is tried once, where the failing part of an input stands.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, RuleId, Symbol};
use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::hypothesis::Alternative;
use super::input::Input;
use super::matching::Matcher;
use super::session::Learning;

/// The part of all executions, one in this number, that may be spent on all such rules.
const SHARE: u64 = 20;

/// The most rules that have a word which says anything.
const MOST_RULES: usize = 8;

impl Learning<'_, '_, '_> {
    /// Tries the rules of other nonterminals that have a word of a rule of which a root class is made, the rarest words first. One with which an input fails
    /// is a root class, if the program agrees.
    pub(super) fn try_sharing_rules(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE;
        for (input, node, rule) in self.sharing_rules() {
            for is_cheapest in [false, true] {
                if self.judge.executions() > most {
                    return Ok(());
                }
                let Some(text) = self.text_like(rule, &input, node, is_cheapest) else { continue };
                let Some(other) = self.in_place_of_outer(&input, node, rule, &text)? else { continue };
                let is_failing = matches!(self.ask(other.text.clone())?, Some((Verdict::Fail, _)));
                let anything = Alternative::of_rule(self.example.grammar, rule);
                if is_failing && self.try_root_of_rule(rule, anything, false)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Rules that have a word in common with those of parts of root classes in failing inputs, with these parts.
    fn sharing_rules(&self) -> Vec<(Rc<Input>, NodeId, RuleId)> {
        let grammar = self.example.grammar;
        let rules_with = self.rules_with_words();
        let matcher = Matcher::new(grammar, &self.hypothesis);
        let mut found: Vec<(usize, Rc<Input>, NodeId, RuleId)> = Vec::new();
        for &root in self.hypothesis.roots() {
            let Some((input, node)) = self.first_place(root) else { continue };
            let matched = matcher.matched(&input.tree);
            let derivation = matcher.derivation(&input.tree, &matched, root, node).into_iter();
            for (part, own) in derivation.flat_map(|(_, part)| self.outermost_with_words(&input, part)) {
                let words = grammar.rule(own).symbols.iter().filter_map(|symbol| rules_with.get(symbol));
                for rules in words.filter(|rules| rules.len() <= MOST_RULES) {
                    let others = rules.iter().filter(|&&rule| {
                        grammar.rule(rule).lhs != grammar.rule(own).lhs && !grammar.rule(rule).has_class()
                    });
                    found.extend(others.map(|&rule| (rules.len(), Rc::clone(&input), part, rule)));
                }
            }
        }
        found.sort_by_key(|&(number, ..)| number);
        let mut known = HashSet::new();
        found.retain(|&(.., rule)| known.insert(rule));
        found.into_iter().map(|(_, input, part, rule)| (input, part, rule)).collect()
    }

    /// A part of an input, or the outermost parts of it whose rules have words where its own has none; with these rules.
    fn outermost_with_words(&self, input: &Input, part: NodeId) -> Vec<(NodeId, RuleId)> {
        let grammar = self.example.grammar;
        let (mut found, mut open) = (Vec::new(), vec![part]);
        while let Some(node) = open.pop() {
            let Some(rule) = input.tree.rule(node).filter(|_| !self.is_in_word(input, node)) else {
                continue;
            };
            if grammar.rule(rule).symbols.iter().any(|&symbol| is_word(grammar, symbol)) {
                found.push((node, rule));
            } else {
                open.extend(input.tree.children(node).iter().rev());
            }
        }
        found
    }

    /// The rules that have a word, but for those of words themselves.
    fn rules_with_words(&self) -> HashMap<Symbol, Vec<RuleId>> {
        let grammar = self.example.grammar;
        let mut rules: HashMap<Symbol, Vec<RuleId>> = HashMap::new();
        for (id, rule) in grammar.rules().entries() {
            if grammar.nonterminal(rule.lhs).token.is_some() {
                continue;
            }
            for &symbol in rule.symbols.iter().filter(|&&symbol| is_word(grammar, symbol)) {
                let of_it = rules.entry(symbol).or_default();
                if of_it.last() != Some(&id) {
                    of_it.push(id);
                }
            }
        }
        rules
    }

    /// The input with a text of a rule in the place of the smallest part around a node in which that can stand and with which the input is not accepted.
    fn in_place_of_outer(
        &mut self,
        input: &Input,
        node: NodeId,
        rule: RuleId,
        text: &[u8],
    ) -> Result<Option<Rc<Input>>, Halt> {
        let grammar = self.example.grammar;
        let target = grammar.rule(rule).lhs;
        for at in std::iter::successors(Some(node), |&at| input.tree.parent(at)) {
            let Some(nonterminal) = input.tree.nonterminal(grammar, at) else { continue };
            if !self.cheapest.reaches(nonterminal, target) {
                continue;
            }
            let Some(around) = self.cheapest.around(nonterminal, target, text) else { continue };
            let other = self.parsed(input.with(self.example, &[(at, around)]))?;
            if let Some(other) = other.filter(|other| !self.accepts(other)) {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }
}

/// Whether a symbol is characters that stand there, or a nonterminal of words.
fn is_word(grammar: &Grammar, symbol: Symbol) -> bool {
    match symbol {
        Symbol::Literal(_) => true,
        Symbol::Nonterminal(inner) => grammar.nonterminal(inner).token.is_some() && !is_gap(grammar, inner),
        Symbol::Class(_) => false,
    }
}
