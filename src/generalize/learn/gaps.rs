//! Lists in which more may stand between what the hypothesis asks for.
//!
//! A pattern of one input has its parts next to each other, as they stand there. Most programs do not mind another element between two of a
//! list, and that is found out at once for all lists of a pattern, rather than one failing input after the other.

use crate::grammar::{RuleId, Symbol};
use crate::oracle::{Halt, Verdict};

use super::hypothesis::{Alternative, ClassId, Want};
use super::session::Learning;
use super::words::SHARE_OF_ONE;

/// The part of all executions, one in this number, that may be spent on more elements in all lists.
const SHARE: u64 = 8;

/// The number of inputs with another element that are drawn for each place in two rounds: a few for all lists, before there are more for any,
const DRAWS: [usize; 2] = [6, 24];
/// of those that fail that are enough, and the fewest that tell anything.
const SAMPLES: usize = 6;
const FEWEST: usize = 3;

/// One element more in a list, and what became of inputs with one.
struct Gap {
    class: ClassId,
    rule: RuleId,
    /// The place of what is the list without the element.
    rest: usize,
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
        let of_rule = |&rule: &RuleId| {
            let symbols = &grammar.rule(rule).symbols;
            let rest = symbols.iter().position(|&symbol| symbol == own)?;
            (!grammar.rule(rule).has_class()).then_some(Gap {
                class,
                rule,
                rest,
                drawn: 0,
                failed: 0,
                passed: 0,
            })
        };
        grammar.rules_of(content.nonterminal).iter().filter_map(of_rule).collect()
    }

    /// Draws inputs with one element more, until it is clear what becomes of them or so many were drawn.
    fn draw_with(&mut self, gap: &mut Gap, draws: usize) -> Result<(), Halt> {
        let Gap { class, rule, rest, .. } = *gap;
        let places = self.places_of(class, self.settings.contexts);
        if places.is_empty() {
            gap.drawn = DRAWS[1];
        }
        while gap.drawn < draws && !gap.is_clear() {
            let (input, node, _) = &places[gap.drawn % places.len()];
            let inside = input.text_of(*node).to_vec();
            let text = self.text_beside(rule, rest, &inside, gap.drawn == 0);
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
        let Gap { class, rule, rest, failed, passed, .. } = gap;
        let nonterminal = self.hypothesis.class(class).nonterminal;
        let mut wants = vec![Want::Any; self.example.grammar.rule(rule).symbols.len()];
        wants[rest] = Want::In(class);
        let longer = Alternative::Rule(rule, wants.into());
        if failed < FEWEST
            || failed < 2 * passed
            || self.hypothesis.class(class).alternatives.contains(&longer)
        {
            return Ok(());
        }
        // Nothing, or an element before such a list, is any list.
        let is_any = self.is_nothing(class) && self.example.grammar.rules_of(nonterminal).len() == 2;
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
