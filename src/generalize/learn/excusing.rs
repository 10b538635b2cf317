//! A passing input that a new alternative makes the hypothesis accept, although it is not to blame.
//!
//! What is admitted to a class is to be as right as what is there. Where an input passes with the new alternative in it, and with a known
//! one in its place as well, something else in the input makes it pass, of which the hypothesis knows nothing yet: a variable that is declared with a size is no mistake in any
//! instruction. That is a finding about the hypothesis as it was, and no reason not to admit anything.

use std::rc::Rc;

use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::hypothesis::ClassId;
use super::input::Input;
use super::matching::{Bindings, Matcher};
use super::session::Learning;

/// The number of passing inputs that are looked at for one alternative.
const MOST_EXCUSED: usize = 24;

impl Learning<'_, '_, '_> {
    /// Gives up on known passing inputs that only a new alternative of a class accepts, where they pass with another alternative in its place too.
    pub(super) fn excuse(&mut self, class: ClassId, number: usize) -> Result<(), Halt> {
        for _ in 0..MOST_EXCUSED {
            let Some(wrong) = self.wrongly_accepted() else { break };
            let Some(control) = self.passing_with_known(&wrong, class, number)? else { break };
            self.give_up(&control);
            self.give_up(&wrong);
        }
        Ok(())
    }

    /// An accepted passing input in which a new alternative of a class stands, with a known one in its place, if that is accepted and passes as well.
    fn passing_with_known(
        &mut self,
        wrong: &Rc<Input>,
        class: ClassId,
        number: usize,
    ) -> Result<Option<Rc<Input>>, Halt> {
        let wrong = self.as_accepted(wrong);
        let Some((node, bound)) = self.place_of_alternative(&wrong, class, number) else { return Ok(None) };
        let known = (0..self.hypothesis.class(class).alternatives.len()).find(|&known| known != number);
        let Some(member) = known.and_then(|known| self.member_of(class, known, bound)) else {
            return Ok(None);
        };
        let control = self.ask(wrong.with(self.example, &[(node, member)]))?;
        let passing = control.filter(|(verdict, _)| *verdict == Verdict::Pass);
        Ok(passing.map(|(_, control)| control).filter(|control| self.accepts(control)))
    }

    /// Where an alternative of a class stands in an accepted input, with the texts that are bound around it.
    fn place_of_alternative(
        &self,
        input: &Input,
        class: ClassId,
        number: usize,
    ) -> Option<(NodeId, Bindings)> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let places = matcher.places_in(&input.tree, class).into_iter();
        let mut here = places
            .filter(|(node, _)| matcher.alternative(&input.tree, &matched, class, *node) == Some(number));
        here.next()
    }
}
