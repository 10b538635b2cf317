//! Values: numbers of which it depends whether an input fails, and lengths with which they are compared.
//!
//! No tree grammar compares numbers. So, where a root class has numbers in it, these and what else it leaves open become
//! bound nodes; inputs with other texts there are asked for, and the simplest constraint is sought that tells
//! those that fail from those that pass ([`super::dividing`]). How these are chosen is in [`super::samples`]. What is found later and contradicts the
//! constraint is one more sample. Where values matter in one root class, they do in others, too, and what stands around them is as for any root class.

use std::rc::Rc;

use crate::base::integer::Integer;
use crate::grammar::lexis::is_gap;
use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::oracle::{Halt, Verdict};
use crate::pattern::Constraint;
use crate::tree::NodeId;

use super::alike::SHARE_OF_ALIKE;
use super::bare_text::bare_text;
use super::binding::Bindings;
use super::dividing::{Sample, divide};
use super::hypothesis::{Alternative, ClassId, Want};
use super::input::Input;
use super::samples::{Notation, Slot, Values};
use super::session::Learning;

/// The number of texts that are compared.
const MOST_SLOTS: usize = 5;

/// The number of levels above a root class at which values are looked for.
const MOST_AROUND: usize = 3;

/// The part of all executions, one in this number, that may be spent on the same numbers elsewhere.
const SHARE_ELSEWHERE: u64 = 20;

/// Which nodes become bound ones, beside those with numbers and those that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// None: numbers alone are, and those that are bound to be equal, and are numbers that may be so with different texts, are each by themselves.
    Apart,
    /// Those beside numbers, and those with nothing in them.
    Beside,
    /// Those with nothing in them.
    Empty,
    /// No others.
    Open,
    /// None: numbers alone are, where the others are too many.
    Numbers,
}

impl Extent {
    /// In the order in which they are tried.
    const ALL: [Self; 5] = [Self::Apart, Self::Beside, Self::Empty, Self::Open, Self::Numbers];

    /// Whether texts become bound nodes that are no numbers.
    fn has_texts(self) -> bool {
        !matches!(self, Self::Apart | Self::Numbers)
    }
}

impl Learning<'_, '_, '_> {
    /// Learns which numbers in a root class make an input fail. Says whether that became a part of the hypothesis.
    fn values_in(&mut self, root: ClassId) -> Result<bool, Halt> {
        let mut are_texts_tried = false;
        for extent in Extent::ALL {
            let before = self.hypothesis.clone();
            let Some((input, node)) = self.first_place(root) else { return Ok(false) };
            let mut slots = Vec::new();
            let bound = self.with_slots(&input, root, node, extent, &mut slots);
            let is_one = |slot: &Slot| slot.is_integer && (extent != Extent::Apart || slot.is_apart);
            let is_sensible = slots.iter().any(is_one)
                && slots.len() <= MOST_SLOTS
                && (extent != Extent::Numbers || !are_texts_tried);
            let Some(bound) = bound.filter(|_| is_sensible) else {
                self.hypothesis = before;
                continue;
            };
            are_texts_tried |= extent.has_texts();
            self.hypothesis.replace_root(root, bound);
            let mut values = Values { root: bound, slots, samples: Vec::new() };
            if !self.fails_with_others(&values)
                && self.sample(&input, &mut values)?
                && self.is_right_but_for_gaps()?
            {
                self.values.push(values);
                return Ok(true);
            }
            self.hypothesis = before;
        }
        Ok(false)
    }

    /// Whether an input is known to fail that has something else in the place of a whole number: `-900.5` fails as `-900` does, and a constraint of
    /// whole numbers says nothing of it.
    fn fails_with_others(&self, values: &Values) -> bool {
        let is_other = |slot: &Slot, texts: &Bindings| {
            slot.is_integer && texts.get(&slot.number).is_some_and(|text| Integer::read(text).is_none())
        };
        let has_other = |texts: &Bindings| values.slots.iter().any(|slot| is_other(slot, texts));
        self.failing.iter().any(|input| self.texts_in(input, values.root).iter().any(has_other))
    }

    /// Whether no input that is known to pass is accepted but such as pass for what is skipped in them, of which no hypothesis says anything.
    fn is_right_but_for_gaps(&mut self) -> Result<bool, Halt> {
        while let Some(wrong) = self.wrongly_accepted() {
            if !self.is_hidden_in_gaps(&wrong)? {
                break;
            }
            self.give_up(&wrong);
        }
        self.is_right_about_passing()
    }

    /// Takes the smallest part of the root class whose values were learned last that is enough, as of any other one; says whether there is one.
    pub(super) fn narrow_values(&mut self) -> Result<bool, Halt> {
        let Some(root) = self.values.last().map(|values| values.root) else { return Ok(false) };
        let narrowed = self.narrow_root(root)?;
        if let (Some(narrowed), Some(values)) = (narrowed, self.values.last_mut()) {
            values.root = narrowed;
        }
        Ok(narrowed.is_some())
    }

    /// Learns the values in one more root class, if those in another one were learned: what matters is a number again. What is found has to accept the input
    /// of which it was made.
    pub(super) fn learn_values_of_other(&mut self, root: ClassId, input: &Rc<Input>) -> Result<(), Halt> {
        if self.values.is_empty() {
            return Ok(());
        }
        let before = (self.hypothesis.clone(), self.is_hosting);
        if !self.learn_values(root)? {
            return Ok(());
        }
        if !self.narrow_values()? {
            self.is_hosting = before.1;
        }
        if !self.accepts(input) {
            (self.hypothesis, self.is_hosting) = before;
            self.values.pop();
            return Ok(());
        }
        let Some(root) = self.values.last().map(|values| values.root) else { return Ok(()) };
        let most = self.judge.executions() + self.settings.executions / SHARE_OF_ALIKE;
        self.try_alike_rules(root, most)?;
        match self.first_place(root) {
            Some((input, _)) => self.try_gaps_of(&self.classes_outside_of_words(&input), most),
            None => Ok(()),
        }
    }

    /// Puts numbers with which inputs fail, and what stands beside them, in other rules of the grammar that have such a number: each instruction has its own
    /// rule, and the limits are those of all. What fails there is learned from.
    pub(super) fn try_values_elsewhere(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE_ELSEWHERE;
        let numbers = |slot: &Slot| slot.is_integer.then_some(slot.nonterminal);
        let known: Vec<(ClassId, Vec<NonterminalId>)> = self
            .values
            .iter()
            .map(|values| (values.root, values.slots.iter().filter_map(numbers).collect()))
            .collect();
        for (root, numbers) in known {
            for rule in self.other_rules_with(root, &numbers) {
                let Some((input, node)) = self.first_place(root) else { break };
                if self.judge.executions() > most {
                    return Ok(());
                }
                let Some(text) = self.text_like(rule, &input, node, true) else { continue };
                let Some(text) = self.in_place_of(&input, node, rule, &text) else { continue };
                if let Some((Verdict::Fail, failing)) = self.ask(text)?
                    && !self.accepts(&failing)
                {
                    self.counterexample(&failing)?;
                }
            }
        }
        Ok(())
    }

    /// The rules that have one of some nonterminals, but those of a class.
    fn other_rules_with(&self, class: ClassId, parts: &[NonterminalId]) -> Vec<RuleId> {
        let grammar = self.example.grammar;
        let has_part = |rule: RuleId| {
            let symbols = &grammar.rule(rule).symbols;
            symbols.iter().any(|symbol| matches!(symbol, Symbol::Nonterminal(inner) if parts.contains(inner)))
        };
        let content = self.hypothesis.class(class);
        grammar.rules().ids().filter(|&rule| has_part(rule) && !content.has_rule(rule)).collect()
    }

    /// An input with a text of a rule in the place of the innermost node around another one of which it can be a part.
    fn in_place_of(&mut self, input: &Input, node: NodeId, rule: RuleId, text: &[u8]) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let target = grammar.rule(rule).lhs;
        let mut above = std::iter::successors(Some(node), |&at| input.tree.parent(at));
        above.find_map(|at| {
            let nonterminal = input.tree.nonterminal(grammar, at)?;
            let text = self.cheapest.around(nonterminal, target, text)?;
            Some(input.with(self.example, &[(at, text)]))
        })
    }

    /// The texts of bound nodes with which a root class fails, if its values were learned.
    pub(super) fn known_values(&mut self, root: ClassId) -> Option<Bindings> {
        let constraint = self.hypothesis.constraint(root)?;
        let values = self.values.iter().find(|values| self.root_with(values) == Some(root))?;
        let holds =
            |sample: &&Sample| constraint.holds(&|number| sample.texts.get(&number).map(Vec::as_slice));
        let samples: Vec<&Sample> = values.samples.iter().filter(holds).collect();
        (!samples.is_empty()).then(|| self.stream.pick(&samples).texts.clone())
    }

    /// Learns the values in a root class, or, where it is a number and nothing else, with what stands around it: it may have failed wherever
    /// it was tried because of what it is compared with outside of it. Says whether that became a part of the hypothesis.
    pub(super) fn learn_values(&mut self, root: ClassId) -> Result<bool, Halt> {
        if self.values_in(root)? {
            return Ok(true);
        }
        let is_number = match self.first_place(root) {
            Some((input, node)) => self.is_integer(&input, node),
            None => false,
        };
        Ok(is_number && self.values_around(root)?)
    }

    fn values_around(&mut self, mut root: ClassId) -> Result<bool, Halt> {
        let before = self.hypothesis.clone();
        for _ in 0..MOST_AROUND {
            let Some((input, node)) = self.first_place(root) else { break };
            let Some(outer) = self.class_around(&input, node, root) else { break };
            self.hypothesis.replace_root(root, outer);
            root = outer;
            let parent = input.tree.parent(node);
            // A part of a number is compared with nothing.
            if !parent.is_some_and(|parent| self.is_integer(&input, parent)) && self.values_in(root)? {
                return Ok(true);
            }
        }
        self.hypothesis = before;
        Ok(false)
    }

    /// The class of what has a class at a node, and anything beside it.
    fn class_around(&mut self, input: &Input, node: NodeId, class: ClassId) -> Option<ClassId> {
        let parent = input.tree.parent(node)?;
        let rule = input.tree.rule(parent)?;
        let want = |&child: &NodeId| if child == node { Want::In(class) } else { Want::Any };
        let wants = input.tree.children(parent).iter().map(want).collect();
        let nonterminal = self.example.grammar.rule(rule).lhs;
        Some(self.hypothesis.add(nonterminal, vec![Alternative::Rule(rule, wants)]))
    }

    /// The root class whose constraint compares these values: what stands around the one with which they were learned may have become a part of it
    /// ([`Self::lift`]).
    fn root_with(&self, values: &Values) -> Option<ClassId> {
        let is_compared = |number: &u32| values.slots.iter().any(|slot| slot.number == *number);
        let compares = |&&root: &&ClassId| {
            let constraint = self.hypothesis.constraint(root);
            constraint.is_some_and(|constraint| constraint.numbers().iter().any(is_compared))
        };
        self.hypothesis.roots().iter().find(compares).copied()
    }

    /// One more sample for the constraint, from an input about which the hypothesis was wrong. Says whether it is right now.
    pub(super) fn reconsider_values(&mut self, input: &Input, fails: bool) -> bool {
        (0..self.values.len()).any(|index| self.reconsider(index, input, fails))
    }

    fn reconsider(&mut self, index: usize, input: &Input, fails: bool) -> bool {
        let Some(root) = self.root_with(&self.values[index]) else { return false };
        let before = self.hypothesis.clone();
        let known = self.accepted();
        self.hypothesis.constrain(root, None);
        let ways = self.texts_in(input, root);
        let mut is_right = false;
        if let [texts] = ways.as_slice() {
            self.values[index].samples.push(Sample { texts: texts.clone(), fails });
            if let Some(constraint) = divide(&self.values[index].samples) {
                self.hypothesis.constrain(root, Some(constraint));
                is_right = self.accepts(input) == fails && self.keeps(&known);
            }
            if !is_right {
                self.values[index].samples.pop();
            }
        }
        if !is_right {
            self.hypothesis = before;
        }
        is_right
    }

    /// The numbers of bound nodes whose texts are compared otherwise than for being equal.
    pub(super) fn compared_numbers(&self) -> Vec<u32> {
        let constraints = self.hypothesis.roots().iter().filter_map(|&root| self.hypothesis.constraint(root));
        constraints.flat_map(Constraint::numbers).collect()
    }

    /// Whether a node is a whole number, of a nonterminal of which most are.
    fn is_integer(&mut self, input: &Input, node: NodeId) -> bool {
        let grammar = self.example.grammar;
        Integer::read(&bare_text(grammar, &input.tree, node)).is_some()
            && input
                .tree
                .nonterminal(grammar, node)
                .is_some_and(|nonterminal| self.notation(nonterminal).is_some())
    }

    /// A class as the one that a root class's match at a node is, with bound nodes where texts are compared. Nothing
    /// where it has several alternatives. Recursion is as deep as the pattern.
    fn with_slots(
        &mut self,
        input: &Rc<Input>,
        class: ClassId,
        node: NodeId,
        extent: Extent,
        slots: &mut Vec<Slot>,
    ) -> Option<ClassId> {
        let [Alternative::Rule(rule, wants)] = self.hypothesis.class(class).alternatives.as_slice() else {
            return None;
        };
        let (rule, wants) = (*rule, wants.clone());
        let grammar = self.example.grammar;
        let integers: Vec<bool> =
            input.tree.children(node).iter().map(|&child| self.is_integer(input, child)).collect();
        let is_beside = extent == Extent::Beside && integers.contains(&true);
        let mut bound = Vec::with_capacity(wants.len());
        for ((want, &child), &is_integer) in wants.iter().zip(input.tree.children(node)).zip(&integers) {
            let Some(nonterminal) = input.tree.nonterminal(grammar, child) else {
                bound.push(want.clone());
                continue;
            };
            let is_open = matches!(want, Want::Any | Want::NotIn(_)) || is_beside;
            let is_empty = || {
                matches!(extent, Extent::Beside | Extent::Empty)
                    && bare_text(grammar, &input.tree, child).is_empty()
            };
            let is_text = extent.has_texts() && !is_gap(grammar, nonterminal) && (is_open || is_empty());
            bound.push(match want {
                Want::Bound(number) => {
                    let is_apart = extent == Extent::Apart
                        && is_integer
                        && self.notation(nonterminal) == Some(Notation::Both);
                    let number = if is_apart { self.hypothesis.new_number() } else { *number };
                    match slots.iter_mut().find(|slot| slot.number == number) {
                        Some(slot) => slot.nodes.push(child),
                        None => {
                            slots.push(Slot { number, nonterminal, nodes: vec![child], is_integer, is_apart })
                        }
                    }
                    Want::Bound(number)
                }
                _ if is_integer || is_text => {
                    let number = self.hypothesis.new_number();
                    slots.push(Slot { number, nonterminal, nodes: vec![child], is_integer, is_apart: false });
                    Want::Bound(number)
                }
                Want::In(inner) => Want::In(self.with_slots(input, *inner, child, extent, slots)?),
                _ => want.clone(),
            });
        }
        let nonterminal = self.hypothesis.class(class).nonterminal;
        Some(self.hypothesis.add(nonterminal, vec![Alternative::Rule(rule, bound.into())]))
    }
}
