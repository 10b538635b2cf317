//! Texts for bound nodes, with which the program is asked what matters of them.
//!
//! Texts that are likely to show a constraint wrong are asked for: those that differ little from known ones, are near each other, and are between a number
//! with which an input fails and one with which it passes, so that limits are found by bisection.

use std::collections::HashSet;
use std::rc::Rc;

use crate::base::integer::Integer;
use crate::grammar::NonterminalId;
use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::binding::Bindings;
use super::dividing::{Sample, divide, is_order};
use super::hypothesis::ClassId;
use super::input::Input;
use super::matching::Matcher;
use super::session::Learning;

/// The number of samples that are asked for before a constraint is sought, and after it was found to be right.
const SAMPLES: usize = 40;
const RIGHT: usize = 40;

/// After this number without one that fails there is none.
const FUTILE: usize = 24;

/// The number of samples for one root class.
const MOST: usize = 240;

/// The number of texts that show whether a nonterminal derives whole numbers, and how many of them have to be such: two of three. Some assemblers have labels
/// such as `1f` in the same place.
const DRAWS: usize = 16;
const MOST_ARE: (usize, usize) = (2, 3);

/// One sample in so many is sought between known ones.
const BETWEEN: usize = 3;

/// One number in so many is written in hexadecimal digits where it may be.
const HEXADECIMAL: usize = 3;

/// A number can be longer than its text; a text is made at most so long.
const LONGEST: usize = 60;

/// What is learned of the values in one root class.
pub(super) struct Values {
    pub(super) root: ClassId,
    pub(super) slots: Vec<Slot>,
    pub(super) samples: Vec<Sample>,
}

/// A place whose text is compared.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) number: u32,
    pub(super) nonterminal: NonterminalId,
    /// The nodes that are bound in the input of which the root class was made.
    pub(super) nodes: Vec<NodeId>,
    pub(super) is_integer: bool,
    /// It was bound to be equal to another one.
    pub(super) is_apart: bool,
}

/// How a nonterminal writes whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Decimal,
    /// In hexadecimal digits as well, so that equal numbers have different texts.
    Both,
}

impl Learning<'_, '_, '_> {
    /// How a nonterminal writes whole numbers, if most of what it derives are such: otherwise a grammar says more of them than comparisons.
    pub(super) fn notation(&mut self, nonterminal: NonterminalId) -> Option<Notation> {
        if let Some(&known) = self.notations.get(&nonterminal) {
            return known;
        }
        let texts: Vec<Vec<u8>> = (0..DRAWS).filter_map(|turn| self.fill(nonterminal, turn)).collect();
        let numbers = texts.iter().filter(|text| Integer::read(text).is_some()).count();
        let notation = match texts.iter().any(|text| Integer::is_hexadecimal(text)) {
            true => Notation::Both,
            false => Notation::Decimal,
        };
        let found = (MOST_ARE.1 * numbers >= MOST_ARE.0 * texts.len()).then_some(notation);
        self.notations.insert(nonterminal, found);
        found
    }

    /// Asks for inputs with other values until there is a constraint that is right about many in a row. Says whether there is one.
    pub(super) fn sample(&mut self, input: &Rc<Input>, values: &mut Values) -> Result<bool, Halt> {
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
            let texts = match self.stream.below(BETWEEN) {
                0 => self.values_between(values),
                _ => None,
            };
            let texts = texts.unwrap_or_else(|| self.other_values(values));
            let of_slot = |slot: &Slot| {
                let text = texts.get(&slot.number);
                slot.nodes.iter().filter_map(|&node| Some((node, text?.clone()))).collect::<Vec<_>>()
            };
            let replaced: Vec<_> = values.slots.iter().flat_map(of_slot).collect();
            let text = input.with(self.example, &replaced);
            if !seen.insert(text.clone()) {
                continue;
            }
            let Some((verdict, other)) = self.ask(text)? else { continue };
            let Some(is_right) = self.take_sample(&other, values, verdict) else { continue };
            right = if is_right { right + 1 } else { 0 };
            if values.samples.len() >= SAMPLES && (!is_right || constraint.is_none()) {
                let Some(found) = divide(&values.samples).filter(is_order) else { return Ok(false) };
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
    pub(super) fn texts_in(&self, input: &Input, root: ClassId) -> Vec<Bindings> {
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
                true => Some(self.other_number(slot, &texts)),
                false => self.other_text(slot, texts.get(&slot.number)),
            };
            if let Some(text) = text {
                texts.insert(slot.number, text);
            }
        }
        texts
    }

    /// The texts of a sample with one number that is between those of two others, of which one fails and the other one passes: where the limit is.
    fn values_between(&mut self, values: &Values) -> Option<Bindings> {
        let numbers: Vec<&Slot> = values.slots.iter().filter(|slot| slot.is_integer).collect();
        if numbers.is_empty() || values.samples.is_empty() {
            return None;
        }
        let slot = *self.stream.pick(&numbers);
        let sample = self.stream.pick(&values.samples);
        let value = |sample: &Sample| Integer::read(sample.texts.get(&slot.number)?)?.to_i64();
        let is_other = |texts: &Bindings| {
            texts
                .iter()
                .any(|(number, text)| *number != slot.number && sample.texts.get(number) != Some(text))
        };
        let alike = values.samples.iter().filter(|other| !is_other(&other.texts));
        let mut known: Vec<(i64, bool)> =
            alike.filter_map(|other| Some((value(other)?, other.fails))).collect();
        known.sort_unstable();
        let limits = known.windows(2).filter_map(|pair| {
            let ((one, fails), (other, others)) = (pair[0], pair[1]);
            let between = one.midpoint(other);
            (fails != others && between != one && between != other).then_some(between)
        });
        let limits: Vec<i64> = limits.collect();
        if limits.is_empty() {
            return None;
        }
        let between = *self.stream.pick(&limits);
        let mut texts = sample.texts.clone();
        let text = self.written(slot, between);
        texts.insert(slot.number, text);
        Some(texts)
    }

    /// A number as text.
    fn written(&mut self, slot: &Slot, value: i64) -> Vec<u8> {
        let is_hexadecimal = self.notation(slot.nonterminal) == Some(Notation::Both)
            && value >= 0
            && self.stream.below(HEXADECIMAL) == 0;
        if is_hexadecimal { format!("0x{value:x}") } else { value.to_string() }.into_bytes()
    }

    /// A number that is likely to be near others, or to their lengths.
    fn other_number(&mut self, slot: &Slot, texts: &Bindings) -> Vec<u8> {
        let small = self.stream.below(10) as i64;
        let value = match self.stream.below(8) {
            0 => small,
            2 => -small,
            sign @ (1 | 3) => (2 - sign as i64) * 10_i64.pow(self.stream.below(6) as u32) * (1 + small % 9),
            _ => {
                let near: Vec<i64> = texts
                    .values()
                    .map(|text| {
                        let value = Integer::read(text).and_then(|integer| integer.to_i64());
                        value.unwrap_or(i64::try_from(text.len()).unwrap_or(i64::MAX))
                    })
                    .collect();
                let offset = self.stream.below(3) as i64 - 1;
                match near.is_empty() {
                    true => small,
                    false => self.stream.pick(&near).saturating_add(offset),
                }
            }
        };
        self.written(slot, value)
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
