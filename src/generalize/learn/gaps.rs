//! Lists in which more may stand between what the hypothesis asks for.
//!
//! A pattern of one input has its parts next to each other, as they stand there. Most programs do not mind another element between two of a
//! list, and that is found out at once for all lists of a pattern, rather than one failing input after the other.

use crate::grammar::{RuleId, Symbol};
use crate::oracle::{Halt, Verdict};

use super::hypothesis::{Alternative, ClassId, Want};
use super::session::Learning;
use super::words::SHARE_OF_ONE;

/// The part of all executions, one in this number, that may be spent on all lists.
const SHARE: u64 = 8;

/// The number of inputs with another element that are drawn, of those that fail that are enough, and the fewest that tell anything.
const DRAWS: usize = 24;
const SAMPLES: usize = 6;
const FEWEST: usize = 3;

impl Learning<'_, '_, '_> {
    /// Lets each class that is a list, or the rest of one, be met behind another element or before it, if the program agrees.
    pub(super) fn try_gaps(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE;
        let mut classes: Vec<ClassId> = Vec::new();
        for root in self.hypothesis.roots_and_needs() {
            if let Some((input, _)) = self.first_place(root) {
                classes.extend(self.classes_outside_of_words(&input));
            }
        }
        for class in classes {
            if self.judge.executions() > most {
                break;
            }
            self.try_gaps_of(class)?;
        }
        Ok(())
    }

    /// The same for one class.
    pub(super) fn try_gaps_of(&mut self, class: ClassId) -> Result<(), Halt> {
        for (rule, rest) in self.longer(class) {
            self.try_gap(class, rule, rest)?;
        }
        Ok(())
    }

    /// The rules by which a list that a class describes has one element more, each with the place of what is the list without it.
    fn longer(&self, class: ClassId) -> Vec<(RuleId, usize)> {
        let grammar = self.example.grammar;
        let content = self.hypothesis.class(class);
        if content.alternatives.iter().any(|alternative| matches!(alternative, Alternative::Open(_))) {
            return Vec::new();
        }
        let own = Symbol::Nonterminal(content.nonterminal);
        let of_rule = |&rule: &RuleId| {
            let symbols = &grammar.rule(rule).symbols;
            let has_class = symbols.iter().any(|symbol| matches!(symbol, Symbol::Class(_)));
            let rest = symbols.iter().position(|&symbol| symbol == own)?;
            (!has_class).then_some((rule, rest))
        };
        grammar.rules_of(content.nonterminal).iter().filter_map(of_rule).collect()
    }

    /// Lets a class be met with one element more by this rule, if inputs with one fail but for a few.
    fn try_gap(&mut self, class: ClassId, rule: RuleId, rest: usize) -> Result<(), Halt> {
        let nonterminal = self.hypothesis.class(class).nonterminal;
        let number = self.example.grammar.rule(rule).symbols.len();
        let mut wants = vec![Want::Any; number];
        wants[rest] = Want::In(class);
        let longer = Alternative::Rule(rule, wants.into());
        let places = self.places_of(class, self.settings.contexts);
        if places.is_empty() || self.hypothesis.class(class).alternatives.contains(&longer) {
            return Ok(());
        }
        let (mut failed, mut passed) = (0, 0);
        for turn in 0..DRAWS {
            let (input, node, _) = &places[turn % places.len()];
            let inside = input.text_of(*node).to_vec();
            let Some(text) = self.text_beside(rule, rest, &inside, turn == 0) else { continue };
            match self.ask(input.with(self.example, &[(*node, text)]))? {
                Some((Verdict::Fail, _)) => failed += 1,
                Some((Verdict::Pass, _)) => passed += 1,
                _ => {}
            }
            if failed >= SAMPLES + 2 * passed || passed > SAMPLES / 2 {
                break;
            }
        }
        if failed < FEWEST || failed < 2 * passed {
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
