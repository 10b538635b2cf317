//! Lists in which more may stand between what the hypothesis asks for.
//!
//! A pattern of one input has its parts next to each other, as they stand there. Most programs do not mind another element between two of a
//! list, and that is found out at once for all lists of a pattern, rather than one failing input after the other. The last element of a list that is not
//! empty is mostly written by a rule of its own, so that more behind it is looked for as well.

use crate::grammar::{RuleId, Symbol};
use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::hypothesis::{Alternative, ClassId, Want};
use super::input::Input;
use super::places::Place;
use super::session::Learning;
use super::words::SHARE_OF_ONE;

/// The part of all executions, one in this number, that may be spent on more elements in all lists.
const SHARE: u64 = 8;

/// The number of inputs with another element that are drawn for each place in two rounds: a few for all lists, before there are more for any,
const DRAWS: [usize; 2] = [6, 24];
/// of those that fail that are enough, and the fewest that tell anything.
const SAMPLES: usize = 6;
const FEWEST: usize = 3;

/// Where a list has more than a class describes.
#[derive(Clone, Copy, Debug)]
enum More {
    /// Elements around what is the list without them, which is at this place.
    Around(usize),
    /// Elements behind all that the rule of this alternative has.
    Behind(usize),
}

/// A longer list, and what became of inputs with one.
struct Gap {
    class: ClassId,
    /// The rule by which it is longer.
    rule: RuleId,
    more: More,
    drawn: usize,
    failed: usize,
    passed: usize,
}

impl Gap {
    fn is_clear(&self) -> bool {
        self.failed >= SAMPLES + 2 * self.passed || self.passed > SAMPLES / 2
    }
}

impl Learning<'_, '_, '_> {
    /// Lets each class that is a list, or the rest of one, be met behind another element or before it, and what is asked of the first element
    /// stand further behind, if the program agrees.
    pub(super) fn try_lists(&mut self) -> Result<(), Halt> {
        let roots = self.hypothesis.roots_and_needs();
        let mut classes: Vec<ClassId> = Vec::new();
        for &root in &roots {
            if let Some((input, _)) = self.first_place(root) {
                classes.extend(self.classes_outside_of_words(&input));
            }
        }
        let begin = self.judge.executions();
        self.try_gaps_of(&classes, begin + self.settings.executions / SHARE)?;
        // A root class may stand behind anything as it is, but its first element stands first in it.
        let others = classes.into_iter().filter(|class| !roots.contains(class));
        let all: Vec<ClassId> = roots.iter().copied().chain(others).collect();
        self.try_shifts_of(&all)?;
        self.try_first_elements()
    }

    /// Lets some classes that are lists be met with one element more, until there were so many executions.
    pub(super) fn try_gaps_of(&mut self, classes: &[ClassId], most: u64) -> Result<(), Halt> {
        let mut gaps: Vec<Gap> = classes.iter().flat_map(|&class| self.longer(class)).collect();
        for draws in DRAWS {
            let mut unclear = Vec::new();
            for mut gap in gaps {
                if self.judge.executions() > most {
                    return Ok(());
                }
                self.draw_with(&mut gap, draws)?;
                if gap.is_clear() || gap.drawn >= DRAWS[1] {
                    self.settle_gap(gap)?;
                } else {
                    unclear.push(gap);
                }
            }
            gaps = unclear;
        }
        Ok(())
    }

    /// The rules by which a list that a class describes has one element more.
    fn longer(&self, class: ClassId) -> Vec<Gap> {
        let grammar = self.example.grammar;
        let content = self.hypothesis.class(class);
        if content.alternatives.iter().any(|alternative| !matches!(alternative, Alternative::Rule(..))) {
            return Vec::new();
        }
        let own = Symbol::Nonterminal(content.nonterminal);
        let mut gaps = Vec::new();
        let lists = grammar.rules_of(content.nonterminal).iter().copied();
        for rule in lists.filter(|&rule| !grammar.rule(rule).has_class()) {
            let symbols = &grammar.rule(rule).symbols;
            let Some(rest) = symbols.iter().position(|&symbol| symbol == own) else { continue };
            let is_shorter = |of: &RuleId| {
                let shorter = &grammar.rule(*of).symbols;
                !shorter.is_empty() && shorter.len() <= rest && symbols.starts_with(shorter)
            };
            let alternatives = content.alternatives.iter().enumerate();
            let behind = alternatives
                .filter(|(_, it)| matches!(it, Alternative::Rule(of, _) if is_shorter(of)))
                .map(|(number, _)| More::Behind(number));
            let all = std::iter::once(More::Around(rest)).chain(behind);
            gaps.extend(all.map(|more| Gap { class, rule, more, drawn: 0, failed: 0, passed: 0 }));
        }
        gaps
    }

    /// The text of a longer list, for one that a class describes.
    fn text_longer(&mut self, gap: &Gap, input: &Input, node: NodeId) -> Option<Vec<u8>> {
        let is_cheapest = gap.drawn == 0;
        match gap.more {
            More::Around(rest) => {
                let inside = input.text_of(node).to_vec();
                self.text_beside(gap.rule, rest, &inside, is_cheapest)
            }
            More::Behind(number) => {
                let Alternative::Rule(of, _) = self.hypothesis.class(gap.class).alternatives[number] else {
                    return None;
                };
                if input.tree.rule(node) != Some(of) {
                    return None;
                }
                let mut own = self.parts_at(input, node).into_iter();
                self.text_filled(gap.rule, usize::MAX, &[], |session, inner| match own.next() {
                    Some(part) => Some(input.text_of(part).to_vec()),
                    None if is_cheapest => session.cheapest.string(inner).map(<[u8]>::to_vec),
                    None => {
                        let turn = session.stream.below(10);
                        session.fill(inner, turn)
                    }
                })
            }
        }
    }

    /// Draws inputs with one element more, until it is clear what becomes of them or so many were drawn.
    fn draw_with(&mut self, gap: &mut Gap, draws: usize) -> Result<(), Halt> {
        let places = self.places_of(gap.class, self.settings.contexts);
        if places.is_empty() {
            gap.drawn = DRAWS[1];
        }
        while gap.drawn < draws && !gap.is_clear() {
            let Place { input, node, .. } = &places[gap.drawn % places.len()];
            let text = self.text_longer(gap, input, *node);
            gap.drawn += 1;
            let Some(text) = text else { continue };
            match self.ask(input.with(self.example, &[(*node, text)]))? {
                Some((Verdict::Fail, _)) => gap.failed += 1,
                Some((Verdict::Pass, _)) => gap.passed += 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// Lets a class be met with one element more, if inputs with one failed but for a few.
    fn settle_gap(&mut self, gap: Gap) -> Result<(), Halt> {
        let Gap { class, rule, more, failed, passed, .. } = gap;
        let nonterminal = self.hypothesis.class(class).nonterminal;
        let wanted = match more {
            More::Around(rest) => vec![(rest, Want::In(class))],
            More::Behind(number) => match &self.hypothesis.class(class).alternatives[number] {
                Alternative::Rule(_, own) => own.iter().cloned().enumerate().collect(),
                Alternative::Open(_) | Alternative::Has(..) => Vec::new(),
            },
        };
        let longer = Alternative::of_rule_with(self.example.grammar, rule, wanted);
        if failed < FEWEST
            || failed < 2 * passed
            || self.hypothesis.class(class).alternatives.contains(&longer)
        {
            return Ok(());
        }
        // Nothing, or an element before such a list, is any list.
        let is_any = matches!(more, More::Around(_))
            && self.is_nothing(class)
            && self.example.grammar.rules_of(nonterminal).len() == 2;
        let before = self.hypothesis.clone();
        self.within(SHARE_OF_ONE, |session| {
            match is_any {
                true => session.hypothesis.set(class, vec![Alternative::Open(Vec::new())]),
                false => session.hypothesis.widen(class, longer),
            }
            // Elements with which the inputs passed are exceptions.
            let is_right = session.is_right_about_passing()?;
            if !is_right {
                session.hypothesis = before;
            }
            Ok(is_right)
        })?;
        Ok(())
    }
}
