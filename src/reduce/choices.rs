//! `choices`: "Test-Case Reduction via Test-Case Generation: Insights from the Hypothesis Reducer" (MacIver and Donaldson, ECOOP 2020).
//!
//! The input is taken for what a generator made of a sequence of choices, and the sequence is reduced: every sequence gives an input, so every
//! candidate is valid. The generator is the grammar: from the left, each nonterminal chooses one of its rules and each class one of its
//! characters. The rule of the shortest derivation is choice 0, so that a sequence that has come to its end goes on with zeros and
//! ends. Smaller is shortlex: fewer choices, then lower ones.
//!
//! The passes are the paper's: blocks of choices are deleted, the last first, in runs that grow as long as they can be deleted; blocks
//! become zeros; single choices are lowered by bisection; and a choice is lowered while those after it, which it made necessary, are
//! deleted.

use std::sync::Arc;

use serde::Serialize;

use crate::base::id::IdVec;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::oracle::{Halt, Judge};
use crate::tree::{Label, NodeId, Tree, TreeBuilder};

use super::derivable::Derivable;
use super::minimal::MinimalDerivations;
use super::{AnyReducer, Failing, ReduceError, Reduced, Reducer, confirm};

/// The choice sequence of the input is reduced.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Choices;

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Choices>();

impl PlugInSettings<AnyReducer> for Choices {
    const NAME: &'static str = "choices";

    fn make(self) -> AnyReducer {
        Arc::new(self)
    }
}

impl Reducer for Choices {
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError> {
        let syntax = failing.syntax.ok_or(ReduceError::NoSyntax(Self::NAME))?;
        let generator = Generator::new(syntax.grammar);
        let derivable = Derivable::of_trees(syntax);
        let mut choices = generator.choices(syntax.tree);
        let stop = match confirm(failing.text, judge)? {
            Some(stop) => stop,
            None => Halt::stop_reason::<ReduceError>(judge.in_steps(&mut choices, |choices, judge| {
                Shrinker { choices, generator: &generator, derivable: derivable.as_ref(), judge }.round()
            }))?,
        };
        let tree = generator.tree(&choices);
        Ok(Reduced { text: tree.text(syntax.grammar), tree: Some(tree), stop })
    }
}

/// The grammar as what makes inputs of choices.
struct Generator<'g> {
    grammar: &'g Grammar,
    /// The rules of each nonterminal in the order of their choices.
    rules: IdVec<NonterminalId, Vec<RuleId>>,
}

impl<'g> Generator<'g> {
    fn new(grammar: &'g Grammar) -> Self {
        let minimal = MinimalDerivations::new(grammar);
        let of = |id: NonterminalId| {
            let mut rules = grammar.rules_of(id).to_vec();
            rules.sort_by_key(|&rule| (Some(rule) != minimal.rule(id), minimal.length_of_rule(rule)));
            rules
        };
        Self { grammar, rules: grammar.nonterminals().ids().map(of).collect() }
    }

    /// The choices that make a tree.
    fn choices(&self, tree: &Tree) -> Vec<u32> {
        let mut choices = Vec::new();
        for node in tree.preorder(tree.root()) {
            match tree.label(node) {
                Label::Rule(rule) => {
                    let rules = &self.rules[self.grammar.rule(rule).lhs];
                    choices.push(rules.iter().position(|&other| other == rule).unwrap_or(0) as u32);
                }
                Label::Char(c) => {
                    let parent = tree.parent(node).and_then(|parent| Some((tree.rule(parent)?, parent)));
                    let place = |parent| tree.children(parent).iter().position(|&child| child == node);
                    let symbol =
                        parent.and_then(|(rule, parent)| self.grammar.rule(rule).symbols.get(place(parent)?));
                    if let Some(Symbol::Class(class)) = symbol {
                        choices.push(self.grammar.class(*class).position(c).unwrap_or(0) as u32);
                    }
                }
                Label::Literal(_) => {}
            }
        }
        choices
    }

    /// The text that choices make, and how many of them were made: fewer than there are, or more, which are zeros.
    fn text(&self, choices: &[u32], most: usize) -> Option<(Vec<u8>, Vec<u32>)> {
        let (mut text, mut made) = (Vec::new(), Vec::new());
        let mut open = vec![Symbol::Nonterminal(self.grammar.start())];
        while let Some(symbol) = open.pop() {
            let mut choose = |count: usize| {
                let choice = choices.get(made.len()).map_or(0, |&choice| (choice as usize).min(count - 1));
                made.push(choice as u32);
                choice
            };
            match symbol {
                Symbol::Literal(literal) => text.extend_from_slice(self.grammar.literal(literal)),
                Symbol::Class(class) => {
                    let class = self.grammar.class(class);
                    let c = class.nth(choose(class.len()))?;
                    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Symbol::Nonterminal(nonterminal) => {
                    let rules = &self.rules[nonterminal];
                    let rule = *rules.get(choose(rules.len().max(1)))?;
                    open.extend(self.grammar.rule(rule).symbols.iter().rev());
                }
            }
            if made.len() > most {
                return None;
            }
        }
        Some((text, made))
    }

    /// The tree that choices make.
    fn tree(&self, choices: &[u32]) -> Tree {
        enum Step {
            Open(Symbol),
            Close(RuleId),
        }
        let mut builder = TreeBuilder::new();
        let mut done: Vec<NodeId> = Vec::new();
        let mut choices = choices.iter().map(|&choice| choice as usize).chain(std::iter::repeat(0));
        let mut open = vec![Step::Open(Symbol::Nonterminal(self.grammar.start()))];
        while let Some(step) = open.pop() {
            match step {
                Step::Open(Symbol::Literal(literal)) => done.push(builder.leaf(Label::Literal(literal))),
                Step::Open(Symbol::Class(class)) => {
                    let c = choices.next().and_then(|choice| self.grammar.class(class).nth(choice));
                    done.push(builder.leaf(Label::Char(c.unwrap_or_default())));
                }
                Step::Open(Symbol::Nonterminal(nonterminal)) => {
                    let rule = self.rules[nonterminal][choices.next().unwrap_or(0)];
                    open.push(Step::Close(rule));
                    open.extend(
                        self.grammar.rule(rule).symbols.iter().rev().map(|&symbol| Step::Open(symbol)),
                    );
                }
                Step::Close(rule) => {
                    let children = done.split_off(done.len() - self.grammar.rule(rule).symbols.len());
                    done.push(builder.node(rule, &children));
                }
            }
        }
        builder.finish(done[0])
    }
}

struct Shrinker<'s, 'j, 'g> {
    choices: &'s mut Vec<u32>,
    generator: &'s Generator<'g>,
    derivable: Option<&'s Derivable<'g>>,
    judge: &'s mut Judge<'j>,
}

impl Shrinker<'_, '_, '_> {
    /// All passes. Says whether they changed anything.
    fn round(&mut self) -> Result<bool, Halt> {
        let before = self.choices.clone();
        for size in [8, 4, 2, 1] {
            self.delete_blocks(size)?;
        }
        for size in [8, 4, 2] {
            self.zero_blocks(size)?;
        }
        self.lower_each()?;
        self.lower_and_delete()?;
        Ok(*self.choices != before)
    }

    /// Takes these choices if they are smaller and what they make fails.
    fn consider(&mut self, choices: &[u32]) -> Result<bool, Halt> {
        let Some((text, made)) = self.generator.text(choices, self.choices.len()) else { return Ok(false) };
        if (made.len(), &made) >= (self.choices.len(), self.choices) {
            return Ok(false);
        }
        let fails = match self.derivable {
            Some(derivable) => derivable.fails(&text, self.judge)?,
            None => self.judge.fails(&text)?,
        };
        if fails {
            *self.choices = made;
        }
        Ok(fails)
    }

    fn delete(&mut self, begin: usize, end: usize) -> Result<bool, Halt> {
        let end = end.min(self.choices.len());
        let left = [&self.choices[..begin.min(end)], &self.choices[end..]].concat();
        self.consider(&left)
    }

    /// Deletes blocks of `size` choices, the last first; where one could be deleted, ever more of them before it.
    fn delete_blocks(&mut self, size: usize) -> Result<(), Halt> {
        let mut end = self.choices.len();
        while end > 0 {
            end = end.min(self.choices.len());
            let begin = end.saturating_sub(size);
            if !self.delete(begin, end)? {
                end -= 1;
                continue;
            }
            let (mut more, mut last) = (2 * size, begin);
            while last > 0 && self.delete(last.saturating_sub(more), last)? {
                last = last.saturating_sub(more);
                more *= 2;
            }
            end = last;
        }
        Ok(())
    }

    fn zero_blocks(&mut self, size: usize) -> Result<(), Halt> {
        let mut begin = 0;
        while begin + size <= self.choices.len() {
            let mut choices = self.choices.clone();
            choices[begin..begin + size].fill(0);
            let is_zero = self.consider(&choices)?;
            begin += if is_zero { size } else { 1 };
        }
        Ok(())
    }

    /// Lowers each choice as far as bisection finds.
    fn lower_each(&mut self) -> Result<(), Halt> {
        let mut place = 0;
        while place < self.choices.len() {
            let (mut low, mut high) = (0, self.choices[place]);
            while low < high {
                let middle = low + (high - low) / 2;
                let mut choices = self.choices.clone();
                choices[place] = middle;
                if self.consider(&choices)? {
                    high = middle;
                } else {
                    low = middle + 1;
                }
                if self.choices.get(place) != Some(&high) {
                    break;
                }
            }
            place += 1;
        }
        Ok(())
    }

    /// Lowers a choice and deletes some of those after it.
    fn lower_and_delete(&mut self) -> Result<(), Halt> {
        let mut place = 0;
        while place < self.choices.len() {
            let mut is_lower = false;
            for lower in 0..self.choices[place] {
                for count in 1..=8 {
                    if place + 1 + count > self.choices.len() {
                        break;
                    }
                    let mut choices = self.choices.clone();
                    choices[place] = lower;
                    choices.drain(place + 1..place + 1 + count);
                    if self.consider(&choices)? {
                        is_lower = true;
                        break;
                    }
                }
                if is_lower {
                    break;
                }
            }
            place += usize::from(!is_lower);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{failing_oracle, grammar, json, parsed, random_tree, reduce, reduce_asking};
    use super::*;
    use crate::base::random_stream::RandomStream;
    use crate::parse::Parser;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_choices_of_a_tree_make_it_again(seed: u64) {
            let grammar = json();
            let tree = random_tree(&grammar, &mut RandomStream::derive(seed, "tree"), 6);
            let generator = Generator::new(&grammar);
            let choices = generator.choices(&tree);
            let (text, made) = generator.text(&choices, choices.len()).unwrap();
            prop_assert_eq!(&made, &choices);
            prop_assert_eq!(text, tree.text(&grammar));
            prop_assert_eq!(generator.tree(&choices), tree);
        }
    }

    /// Of a list that must have some length a list of the lowest elements is left, however the elements
    /// were.
    #[test]
    fn what_is_left_are_the_lowest_choices() {
        let grammar = grammar(&["list = [ es ]", "es = e | e , es", "e = d | d e", "d = [0123456789]"]);
        let tree = parsed(&grammar, b"[17,4,803,5,22]");
        let oracle = failing_oracle(&|text: &[u8]| text.iter().filter(|&&byte| byte == b',').count() >= 2);
        assert_eq!(reduce("choices", &grammar, &tree, &oracle).text, b"[0,0,0]");
    }

    #[test]
    fn every_candidate_is_of_the_language() {
        let grammar = json();
        let tree = parsed(&grammar, b"{\"a\": [0, {\"ba\": \"ab\"}], \"b\": 10}");
        let oracle = failing_oracle(&|text: &[u8]| text.windows(2).any(|pair| pair == b"ba"));
        let (reduced, asked) = reduce_asking("choices", &grammar, &tree, &oracle);
        let parser = Parser::new(Arc::new(grammar));
        assert!(asked.iter().all(|text| parser.recognizes(text).unwrap()));
        assert_eq!(reduced.text, b"\"ba\"");
    }
}
