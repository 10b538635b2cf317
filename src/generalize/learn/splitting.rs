//! A class that is right at one place and too wide at another one becomes two.
//!
//! What is learned of a class at one place holds wherever the class is wanted: a quotation mark that is found in an attribute is one in the
//! text of an element, too. Where a passing input shows that it is not, the class and those below it are copied for that place, and
//! the copy does without what only holds elsewhere.

use std::rc::Rc;

use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::hypothesis::{Alternative, ClassId, Hypothesis, Want};
use super::input::Input;
use super::matching::Matcher;
use super::session::{Learning, Trial};

/// The number of other inputs that have to pass with what the copy does without.
const CHECKS: usize = 6;

/// A want of a class that others want as well, and the node of an input at which it is met.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// The class that wants it.
    parent: ClassId,
    /// The number of the alternative that does.
    alternative: usize,
    /// The number of the child.
    child: usize,
    /// The class that is wanted.
    class: ClassId,
    node: NodeId,
}

impl Learning<'_, '_, '_> {
    /// Narrows the hypothesis so that it rejects an input that passes, by splitting a class; says whether it does now. All inputs that are known
    /// to fail are accepted as before.
    pub(super) fn split_class(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        let before = self.hypothesis.clone();
        for Shared { parent, alternative, child, class, node } in self.shared(input) {
            let used = self.alternatives_used(input, class, node);
            let copies = self.hypothesis.copy(class, |_, _| true);
            self.hypothesis.set_want(parent, alternative, child, Want::In(copies[&class]));
            let copied = self.hypothesis.clone();
            // The smallest subtrees say most exactly what is wrong.
            for (original, number) in used.into_iter().rev() {
                let copy = copies[&original];
                let mut alternatives = copied.class(copy).alternatives.clone();
                if alternatives.len() == 1 {
                    continue;
                }
                alternatives.remove(number);
                self.hypothesis.set(copy, alternatives);
                if self.is_narrower(input, &before) && self.passes_there(&before, copy, original, number)? {
                    return Ok(true);
                }
                self.hypothesis = copied.clone();
            }
            self.hypothesis = before.clone();
        }
        Ok(false)
    }

    /// The wants in the derivation of an accepted input of classes that others want as well, without those by which a class comes back to itself.
    fn shared(&self, input: &Input) -> Vec<Shared> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let Some(&(root, node)) = matcher.occurrences(&input.tree, &matched).first() else {
            return Vec::new();
        };
        let mut shared = Vec::new();
        for (parent, at) in matcher.whole_derivation(&input.tree, &matched, root, node) {
            let Some(number) = matcher.alternative(&input.tree, &matched, parent, at) else { continue };
            let Alternative::Rule(_, wants) = &self.hypothesis.class(parent).alternatives[number] else {
                continue;
            };
            for (child, (want, &node)) in wants.iter().zip(input.tree.children(at)).enumerate() {
                if let &Want::In(class) = want
                    && self.hypothesis.mentions(class) > 1
                    && !self.hypothesis.below(class).contains(parent)
                {
                    shared.push(Shared { parent, alternative: number, child, class, node });
                }
            }
        }
        shared
    }

    /// The classes with the alternatives by which a node is in a class, parents first.
    fn alternatives_used(&self, input: &Input, class: ClassId, node: NodeId) -> Vec<(ClassId, usize)> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let derivation = matcher.derivation(&input.tree, &matched, class, node).into_iter();
        let used = derivation.filter_map(|(class, node)| {
            Some((class, matcher.alternative(&input.tree, &matched, class, node)?))
        });
        let mut all: Vec<(ClassId, usize)> = Vec::new();
        for one in used {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }

    /// Whether the hypothesis rejects an input, accepts all inputs that are known to fail and that were accepted before, and no
    /// more of those that pass.
    pub(super) fn is_narrower(&self, input: &Input, before: &Hypothesis) -> bool {
        let grammar = self.example.grammar;
        let [old, new] = [before, &self.hypothesis].map(|hypothesis| Matcher::new(grammar, hypothesis));
        !new.accepts(input)
            && self.failing.iter().all(|input| new.accepts(input) || !old.accepts(input))
            && self.accepts_no_more_passing(before)
    }

    /// Whether the hypothesis accepts no input that is known to pass and was rejected before.
    pub(super) fn accepts_no_more_passing(&self, before: &Hypothesis) -> bool {
        let grammar = self.example.grammar;
        let [old, new] = [before, &self.hypothesis].map(|hypothesis| Matcher::new(grammar, hypothesis));
        self.explained().all(|input| !new.accepts(input) || old.accepts(input))
    }

    /// Whether inputs pass that were accepted before, by an alternative of a class where its copy stands now.
    fn passes_there(
        &mut self,
        before: &Hypothesis,
        copy: ClassId,
        class: ClassId,
        number: usize,
    ) -> Result<bool, Halt> {
        let places = self.places_of(copy, self.settings.contexts);
        if places.is_empty() {
            return Ok(false);
        }
        let next = &mut |session: &mut Self, turn: usize| {
            let place = &places[turn % places.len()];
            let member = session.member_of(class, number, place.bound.clone())?;
            let made = session.input_with(place, member)?;
            let was_accepted = Matcher::new(session.example.grammar, before).accepts(&made);
            (was_accepted && !session.accepts(&made)).then(|| made.text.clone())
        };
        Ok(matches!(self.trial(Verdict::Pass, CHECKS, next)?, Trial::Holds))
    }
}
