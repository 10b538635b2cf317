//! A passing input that is accepted: something that stands at an open place makes it pass, which becomes an exception of
//! that place.

use std::rc::Rc;

use crate::grammar::NonterminalId;
use crate::oracle::{Halt, Verdict};

use super::binding::Bindings;
use super::hypothesis::{Alternative, ClassId, Want};
use super::input::Input;
use super::matching::{Matcher, OpenPlace};
use super::near_miss::Mismatch;
use super::session::{Learning, Trial};

/// The executions that making a counterexample smaller may take.
const SHRINKING: usize = 25;

/// How often it is tried to reject one input, before the hypothesis is another one.
const MOST_TRIES: usize = 2;

/// The number of other texts that are tried at a place, to see whether the input fails then.
const SAMPLES: usize = 4;

impl Learning<'_, '_, '_> {
    /// Narrows the hypothesis so that it rejects an input that passes; says whether it does now. All inputs that are known
    /// to fail are accepted as before, or the hypothesis stays what it was.
    pub(super) fn negative(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        let accepted = &|session: &Self, candidate: &Input| session.accepts(candidate);
        let input = self.shrink(Rc::clone(input), Verdict::Pass, SHRINKING, accepted)?;
        // What was in vain takes as much to be in vain again, in whatever way the hypothesis is being widened.
        let tries = self.stubborn.get(&input.text).filter(|(widened, _)| *widened == self.widened);
        let tries = tries.map_or(0, |(_, tries)| *tries);
        if tries == MOST_TRIES {
            return Ok(false);
        }
        if self.narrow_for(&self.as_accepted(&input))? {
            return Ok(true);
        }
        self.stubborn.insert(input.text.clone(), (self.widened, tries + 1));
        Ok(false)
    }

    /// Narrows the hypothesis so that it rejects an input that passes and is as small as can be; says whether it does now.
    fn narrow_for(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        if self.split_class(input)? {
            return Ok(true);
        }
        let before = self.hypothesis.clone();
        // An input may be accepted in several ways.
        for _ in 0..=self.settings.repairs {
            // In each of its trees, in turn.
            let input = self.as_accepted(input);
            let place = match self.guilty(&input)? {
                Some(place) => place,
                // Nothing can be said of what is skipped around it.
                None if self.is_hidden_in_gaps(&input)? => break,
                // It is the context then: something in it that masks the failure,
                None if self.mask(&input)? => {
                    if !self.accepts(&input) {
                        return Ok(true);
                    }
                    continue;
                }
                // or it may not be one in which anything is known to fail.
                None if !self.has_masks() && self.lift(&input) => {
                    if !self.accepts(&input) {
                        return Ok(true);
                    }
                    continue;
                }
                None => break,
            };
            if !self.except(&input, place)? {
                break;
            }
            if !self.accepts(&input) {
                return Ok(true);
            }
        }
        self.hypothesis = before;
        Ok(false)
    }

    /// The open place whose content makes an accepted input pass: with something else there it fails.
    fn guilty(&mut self, input: &Rc<Input>) -> Result<Option<OpenPlace>, Halt> {
        let mut places = {
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            let Some(&(root, node)) = matcher.occurrences(&input.tree, &matched).first() else {
                return Ok(None);
            };
            matcher.open_places(&input.tree, &matched, root, node)
        };
        let is_any = self.is_lack_excepted;
        places.retain(|place| is_any || !input.text_of(place.node).is_empty() || place.child.is_none());
        places.sort_by_key(|place| std::cmp::Reverse(input.text_of(place.node).len()));
        for turn in 0..SAMPLES {
            for &place in &places {
                let Some(nonterminal) = input.tree.nonterminal(self.example.grammar, place.node) else {
                    continue;
                };
                let fill = match input.text_of(place.node) {
                    [] => self.something(nonterminal),
                    _ => self.fill(nonterminal, turn),
                };
                let Some(fill) = fill else { continue };
                let text = input.with(self.example, &[(place.node, fill)]);
                if let Some((Verdict::Fail, _)) = self.ask(text)? {
                    return Ok(Some(place));
                }
            }
        }
        Ok(None)
    }

    /// Makes an exception of what stands at an open place: as generally as inputs with it pass, if that loses no input
    /// that fails, and else of just what stands there.
    fn except(&mut self, input: &Rc<Input>, place: OpenPlace) -> Result<bool, Halt> {
        let Some(rule) = input.tree.rule(place.node) else { return Ok(false) };
        let before = self.hypothesis.clone();
        let accepted = self.accepted();
        if self.ask_for_known(input, place)? || self.widen_exception(input, place, &accepted)? {
            return Ok(true);
        }
        let described = self.describe(input, place.node, Verdict::Pass, &Bindings::new())?;
        let class = self.hypothesis.add(self.example.grammar.rule(rule).lhs, vec![described]);
        self.exclude(place, class);
        if self.keeps(&accepted) {
            return Ok(true);
        }
        self.hypothesis = before.clone();
        if input.text_of(place.node).len() > self.settings.longest_exact {
            return Ok(false);
        }
        let exact = self.exact(input, place.node, rule);
        let class = self.hypothesis.add(self.example.grammar.rule(rule).lhs, vec![exact]);
        self.exclude(place, class);
        if self.keeps(&accepted) {
            return Ok(true);
        }
        self.hypothesis = before;
        Ok(false)
    }

    /// Asks for a class that is known at an open place, where all inputs that fail have something of it there, and inputs pass with anything
    /// else: what makes a divisor zero makes a term of it zero, too, and takes many exceptions to say otherwise.
    fn ask_for_known(&mut self, input: &Rc<Input>, place: OpenPlace) -> Result<bool, Halt> {
        let (Some(child), Some(rule)) = (place.child, input.tree.rule(place.node)) else { return Ok(false) };
        let nonterminal = self.example.grammar.rule(rule).lhs;
        for class in self.known_classes(nonterminal) {
            let before = self.hypothesis.clone();
            self.hypothesis.set_want(place.class, place.alternative, child, Want::In(class));
            // What was excepted there before may be in the class.
            if self.is_narrower(input, &before) {
                let vary = &mut |session: &mut Self, turn: usize| {
                    let fill = session.fill(nonterminal, turn)?;
                    let other = session.parsed(input.with(session.example, &[(place.node, fill)])).ok()??;
                    (!session.accepts(&other)).then(|| other.text.clone())
                };
                if let Trial::Holds = self.trial(Verdict::Pass, self.settings.screening, vary)? {
                    return Ok(true);
                }
            }
            self.hypothesis = before;
        }
        Ok(false)
    }

    /// Classes of a nonterminal that the hypothesis wants somewhere; not those of one tree only.
    fn known_classes(&self, nonterminal: NonterminalId) -> Vec<ClassId> {
        let binding = self.hypothesis.binding();
        let is_known = |&id: &ClassId| {
            let class = self.hypothesis.class(id);
            class.nonterminal == nonterminal && class.alternatives.len() > 1 && !binding.contains(id)
        };
        self.widest(self.hypothesis.positive().into_iter().filter(is_known).collect())
    }

    /// Widens an exception that there is at an open place, if what stands there is nearly one.
    fn widen_exception(
        &mut self,
        input: &Rc<Input>,
        place: OpenPlace,
        accepted: &[usize],
    ) -> Result<bool, Halt> {
        let chains: Vec<Vec<Mismatch>> = {
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            let excepted = self.excepted(place).into_iter();
            excepted.map(|class| matcher.near(&input.tree, &matched, class, place.node)).collect()
        };
        for chain in chains {
            // Where the exception differs as a whole it is another one.
            let Some((_, inner)) = chain.split_last() else { continue };
            if self.open_in_exception(input, inner, accepted)? {
                return Ok(true);
            }
            let Some(&Mismatch { class, node }) = inner.first() else { continue };
            let before = self.hypothesis.clone();
            let described = self.describe(input, node, Verdict::Pass, &Bindings::new())?;
            self.hypothesis.widen(class, described);
            if self.keeps(accepted) && !self.accepts_first(input) {
                return Ok(true);
            }
            self.hypothesis = before;
        }
        Ok(false)
    }

    /// Lets a part of an exception be anything, the largest of those in which an input differs from it: inputs pass with whatever stands
    /// there. Says whether there is one.
    fn open_in_exception(
        &mut self,
        input: &Rc<Input>,
        places: &[Mismatch],
        accepted: &[usize],
    ) -> Result<bool, Halt> {
        let mut is_open = false;
        for &Mismatch { class, node } in places {
            let nonterminal = self.hypothesis.class(class).nonterminal;
            let vary = &mut |session: &mut Self, turn: usize| {
                let fill = session.fill(nonterminal, turn)?;
                Some(input.with(session.example, &[(node, fill)]))
            };
            let Trial::Holds = self.trial(Verdict::Pass, self.settings.screening, vary)? else { break };
            let before = self.hypothesis.clone();
            self.hypothesis.set(class, vec![Alternative::Open(Vec::new())]);
            if !self.keeps(accepted) || self.accepts_first(input) {
                self.hypothesis = before;
                break;
            }
            is_open = true;
        }
        Ok(is_open)
    }

    /// The classes that are excepted at an open place.
    fn excepted(&self, place: OpenPlace) -> Vec<ClassId> {
        match (&self.hypothesis.class(place.class).alternatives[place.alternative], place.child) {
            (alternative, None) => alternative.except().to_vec(),
            (Alternative::Rule(_, wants), Some(child)) => match &wants[child] {
                Want::NotIn(except) => except.clone(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Excludes a class at an open place.
    pub(super) fn exclude(&mut self, place: OpenPlace, excluded: ClassId) {
        let mut except = self.excepted(place);
        except.push(excluded);
        let OpenPlace { class, alternative, child, .. } = place;
        match child {
            Some(child) => self.hypothesis.set_want(class, alternative, child, Want::NotIn(except)),
            None => {
                let mut alternatives = self.hypothesis.class(class).alternatives.clone();
                if let Some(known) = alternatives[alternative].except_mut() {
                    *known = except;
                }
                self.hypothesis.set(class, alternatives);
            }
        }
    }

    /// The numbers of the failing inputs that are accepted.
    pub(super) fn accepted(&self) -> Vec<usize> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        (0..self.failing.len()).filter(|&index| matcher.accepts(&self.failing[index])).collect()
    }

    /// Whether these failing inputs are accepted still.
    pub(super) fn keeps(&self, accepted: &[usize]) -> bool {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        accepted.iter().all(|&index| matcher.accepts(&self.failing[index]))
    }
}
