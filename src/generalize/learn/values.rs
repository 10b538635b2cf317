//! Values: numbers of which it depends whether an input fails, and lengths with which they are compared.
//!
//! No tree grammar compares numbers. So, where a root class has numbers in it, these and what else it leaves open become
//! bound nodes; inputs with other texts there are asked for, and the simplest constraint is sought that tells
//! those that fail from those that pass ([`super::dividing`]). Texts that are likely to show it wrong are asked for then: those that differ
//! little from known ones, and are near each other. What is found later and contradicts the constraint is one more sample.

use std::collections::HashSet;
use std::rc::Rc;

use crate::base::integer::Integer;
use crate::grammar::NonterminalId;
use crate::grammar::lexis::is_gap;
use crate::oracle::{Halt, Verdict};
use crate::pattern::Constraint;
use crate::tree::NodeId;

use super::dividing::{Sample, divide, is_order};
use super::hypothesis::{Alternative, ClassId, Want};
use super::input::Input;
use super::matching::{Bindings, Matcher, bare_text};
use super::session::Learning;

/// The number of samples that are asked for before a constraint is sought, and after it was found to be right.
const SAMPLES: usize = 40;
const RIGHT: usize = 40;

/// After this number without one that fails there is none.
const FUTILE: usize = 24;

/// The number of samples for one root class.
const MOST: usize = 240;

/// The number of texts that show whether a nonterminal derives whole numbers.
const DRAWS: usize = 16;

/// The number of texts that are compared.
const MOST_SLOTS: usize = 5;

/// The number of levels above a root class at which values are looked for.
const MOST_AROUND: usize = 3;

/// A number can be longer than its text; a text is made at most so long.
const LONGEST: usize = 60;

/// What is learned of the values in one root class.
pub(super) struct Values {
    root: ClassId,
    slots: Vec<Slot>,
    samples: Vec<Sample>,
}

/// A place whose text is compared.
#[derive(Clone, Debug)]
struct Slot {
    number: u32,
    nonterminal: NonterminalId,
    is_integer: bool,
}

/// Which nodes become bound ones, beside those with numbers and those that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Those beside numbers, and those with nothing in them.
    Beside,
    /// Those with nothing in them.
    Empty,
    /// No others.
    Open,
}

impl Learning<'_, '_, '_> {
    /// Learns which numbers in a root class make an input fail. Says whether that became a part of the hypothesis.
    fn values_in(&mut self, root: ClassId) -> Result<bool, Halt> {
        for extent in [Extent::Beside, Extent::Empty, Extent::Open] {
            let before = self.hypothesis.clone();
            let Some((input, node)) = self.first_place(root) else { return Ok(false) };
            let mut slots = Vec::new();
            let bound = self.with_slots(&input, root, node, extent, &mut slots);
            let is_sensible = slots.iter().any(|slot| slot.is_integer) && slots.len() <= MOST_SLOTS;
            let Some(bound) = bound.filter(|_| is_sensible) else {
                self.hypothesis = before;
                continue;
            };
            self.hypothesis.replace_root(root, bound);
            let mut values = Values { root: bound, slots, samples: Vec::new() };
            if self.sample(&input, node, &mut values)? && self.is_right_about_passing()? {
                self.values = Some(values);
                return Ok(true);
            }
            self.hypothesis = before;
        }
        Ok(false)
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

    /// One more sample for the constraint, from an input about which the hypothesis was wrong. Says whether it is right now.
    pub(super) fn reconsider_values(&mut self, input: &Input, fails: bool) -> bool {
        let Some(mut values) =
            self.values.take().filter(|values| self.hypothesis.roots().contains(&values.root))
        else {
            return false;
        };
        let before = self.hypothesis.clone();
        let known = self.accepted();
        self.hypothesis.constrain(values.root, None);
        let ways = self.texts_in(input, values.root);
        let mut is_right = false;
        if let [texts] = ways.as_slice() {
            values.samples.push(Sample { texts: texts.clone(), fails });
            if let Some(constraint) = divide(&values.samples) {
                self.hypothesis.constrain(values.root, Some(constraint));
                is_right = self.accepts(input) == fails && self.keeps(&known);
            }
            if !is_right {
                values.samples.pop();
            }
        }
        if !is_right {
            self.hypothesis = before;
        }
        self.values = Some(values);
        is_right
    }

    /// The numbers of bound nodes whose texts are compared otherwise than for being equal.
    pub(super) fn compared_numbers(&self) -> Vec<u32> {
        let constraints = self.hypothesis.roots().iter().filter_map(|&root| self.hypothesis.constraint(root));
        constraints.flat_map(Constraint::numbers).collect()
    }

    /// Whether a node is a whole number, of a nonterminal of which all are.
    fn is_integer(&mut self, input: &Input, node: NodeId) -> bool {
        let grammar = self.example.grammar;
        Integer::read(&bare_text(grammar, &input.tree, node)).is_some()
            && input
                .tree
                .nonterminal(grammar, node)
                .is_some_and(|nonterminal| self.derives_integers(nonterminal))
    }

    /// Whether all that a nonterminal derives seem to be whole numbers: otherwise a grammar says more of them than comparisons.
    fn derives_integers(&mut self, nonterminal: NonterminalId) -> bool {
        (0..DRAWS).all(|turn| self.fill(nonterminal, turn).is_none_or(|text| Integer::read(&text).is_some()))
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
            let is_empty = || extent != Extent::Open && bare_text(grammar, &input.tree, child).is_empty();
            let is_text = !is_gap(grammar, nonterminal) && (is_open || is_empty());
            bound.push(match want {
                Want::Bound(number) => {
                    if !slots.iter().any(|slot| slot.number == *number) {
                        slots.push(Slot { number: *number, nonterminal, is_integer });
                    }
                    want.clone()
                }
                _ if is_integer || is_text => {
                    let number = self.hypothesis.new_number();
                    slots.push(Slot { number, nonterminal, is_integer });
                    Want::Bound(number)
                }
                Want::In(inner) => Want::In(self.with_slots(input, *inner, child, extent, slots)?),
                _ => want.clone(),
            });
        }
        let nonterminal = self.hypothesis.class(class).nonterminal;
        Some(self.hypothesis.add(nonterminal, vec![Alternative::Rule(rule, bound.into())]))
    }

    /// Asks for inputs with other values until there is a constraint that is right about many in a row. Says whether there is one.
    fn sample(&mut self, input: &Rc<Input>, node: NodeId, values: &mut Values) -> Result<bool, Halt> {
        let mut right = 0;
        let mut constraint = None;
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        self.take_sample(input, values, Verdict::Fail);
        for _ in 0..2 * MOST {
            if right >= RIGHT || values.samples.len() >= MOST {
                break;
            }
            let failing = values.samples.iter().filter(|sample| sample.fails).count();
            if values.samples.len() > FUTILE && failing < 2 {
                return Ok(false);
            }
            if values.samples.len() >= SAMPLES && failing == values.samples.len() {
                // Whatever the values are.
                return Ok(false);
            }
            let texts = self.other_values(values);
            let Some(member) = self.member(values.root, texts) else { continue };
            let text = input.with(self.example, &[(node, member)]);
            if !seen.insert(text.clone()) {
                continue;
            }
            let Some((verdict, other)) = self.ask(text)? else { continue };
            let Some(is_right) = self.take_sample(&other, values, verdict) else { continue };
            right = if is_right { right + 1 } else { 0 };
            if values.samples.len() >= SAMPLES && (!is_right || constraint.is_none()) {
                let found = divide(&values.samples).filter(is_order);
                let Some(found) = found else { return Ok(false) };
                right = 0;
                self.hypothesis.constrain(values.root, Some(found.clone()));
                constraint = Some(found);
            }
        }
        Ok(right >= RIGHT)
    }

    /// Takes note of an input that was asked for; says whether the constraint is right about it. Nothing where its values
    /// are not clear, or it has no verdict.
    fn take_sample(&mut self, input: &Input, values: &mut Values, verdict: Verdict) -> Option<bool> {
        let fails = match verdict {
            Verdict::Fail => true,
            Verdict::Pass => false,
            Verdict::Unresolved | Verdict::Timeout => return None,
        };
        let is_right = self.accepts(input) == fails;
        let constraint = self.hypothesis.constraint(values.root).cloned();
        self.hypothesis.constrain(values.root, None);
        let mut ways = self.texts_in(input, values.root);
        self.hypothesis.constrain(values.root, constraint);
        match (ways.pop(), ways.pop()) {
            (Some(texts), None) => {
                values.samples.push(Sample { texts, fails });
                Some(is_right)
            }
            _ => None,
        }
    }

    /// The texts of the bound nodes of a root class, in each way in which it stands in an input.
    fn texts_in(&self, input: &Input, root: ClassId) -> Vec<Bindings> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let occurrences = matcher.occurrences(&input.tree, &matched);
        let nodes = occurrences.iter().filter(|(found, _)| *found == root);
        nodes.flat_map(|&(_, node)| matcher.bindings_at(&input.tree, &matched, root, node)).collect()
    }

    /// Texts for the bound nodes: those of a sample, with one or more of them changed.
    fn other_values(&mut self, values: &Values) -> Bindings {
        let mut texts = match self.stream.below(4) {
            1.. if !values.samples.is_empty() => self.stream.pick(&values.samples).texts.clone(),
            _ => Bindings::new(),
        };
        let is_one = self.stream.below(2) == 0;
        let one = self.stream.below(values.slots.len());
        for (index, slot) in values.slots.iter().enumerate() {
            let is_changed = if is_one { index == one } else { self.stream.below(2) == 0 };
            if texts.contains_key(&slot.number) && !is_changed {
                continue;
            }
            let text = match slot.is_integer {
                true => Some(self.other_number(&texts)),
                false => self.other_text(slot, texts.get(&slot.number)),
            };
            if let Some(text) = text {
                texts.insert(slot.number, text);
            }
        }
        texts
    }

    /// A number that is likely to be near others, or to their lengths.
    fn other_number(&mut self, texts: &Bindings) -> Vec<u8> {
        let small = self.stream.below(10) as i64;
        let value = match self.stream.below(6) {
            0 => small,
            1 => 10_i64.pow(self.stream.below(6) as u32) * (1 + small % 9),
            2 => -small,
            _ => {
                let near: Vec<i64> = texts
                    .values()
                    .map(|text| {
                        let digits = std::str::from_utf8(text).ok().and_then(|digits| digits.parse().ok());
                        digits.unwrap_or(i64::try_from(text.len()).unwrap_or(i64::MAX))
                    })
                    .collect();
                let offset = self.stream.below(3) as i64 - 1;
                match near.is_empty() {
                    true => small,
                    false => self.stream.pick(&near).saturating_add(offset),
                }
            }
        };
        value.to_string().into_bytes()
    }

    /// A text: any, or one that was there with a part of it more or less.
    fn other_text(&mut self, slot: &Slot, own: Option<&Vec<u8>>) -> Option<Vec<u8>> {
        let turn = self.stream.below(8);
        match own.filter(|own| !own.is_empty() && own.len() <= LONGEST && turn > 2) {
            None => self.fill(slot.nonterminal, turn),
            Some(own) => {
                let (one, other) = (self.stream.below(own.len() + 1), self.stream.below(own.len() + 1));
                Some([&own[..one], &own[other..]].concat())
            }
        }
    }
}
