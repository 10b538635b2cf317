//! A failing input that is rejected: the hypothesis is widened.
//!
//! Where all of the input but one subtree is as the hypothesis wants it, that subtree is offered as an
//! alternative of the class that is wanted there; else the input is generalized by itself, to one more root class.

use std::rc::Rc;

use crate::base::budget::StopReason;
use crate::oracle::{Halt, Verdict};
use crate::pattern::Pattern;

use super::super::ddset::Ddset;
use super::super::{Example, GeneralizeError, Generalizer, GeneralizerSettings};
use super::COUNTEREXAMPLE;
use super::binding::Bindings;
use super::hypothesis::{Alternative, ClassId, Want};
use super::input::Input;
use super::matched::Matched;
use super::matching::{Matcher, root_may_move};
use super::near_miss::Mismatch;
use super::revealing::Revealed;
use super::session::{Learning, Trial};

/// The number of root classes that come near, and of places of each, that are looked at.
const MOST_CHAINS: usize = 4;
const MOST_PLACES: usize = 4;

/// The executions that making a counterexample smaller may take.
const SHRINKING: usize = 60;
const SHRINKING_FOR_ROOT: usize = 80;

/// The part of all executions, one in this number, that letting a class skip something may take.
const SKIPPING: u64 = 20;

/// The number of passing inputs that may be accepted after something is admitted, where masks account for the others.
pub(super) const MOST_UNEXPLAINED: usize = 2;

/// How often the hypothesis is widened before what was in vain is tried again.
const PATIENCE: usize = 3;

/// The number of texts that show how often a subtree may be anything, and the share that has to fail.
const SAMPLES: usize = 12;
const LEAST_SHARE: f64 = 0.6;

impl Learning<'_, '_, '_> {
    /// Widens the hypothesis for an input that fails, with the share of the executions that one counterexample may take; says whether it accepts that now.
    pub(super) fn counterexample(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        self.within(COUNTEREXAMPLE, |session| session.positive(input))
    }

    /// Widens the hypothesis for an input that fails until it accepts that: what is made smaller first may be accepted when all of it is not. It begins again
    /// as long as no more than `most` executions were made in all.
    pub(super) fn positive_in_steps(&mut self, input: &Rc<Input>, most: u64) -> Result<(), Halt> {
        while !self.accepts(input) && self.judge.executions() < most && self.counterexample(input)? {}
        Ok(())
    }

    /// Widens the hypothesis so that it accepts an input that fails; says whether it does now.
    pub(super) fn positive(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        match self.reveal(input)? {
            Revealed::NotMasked => {}
            Revealed::Accepted => return Ok(true),
            Revealed::Masked => return Ok(false),
        }
        let input = self.shrink(Rc::clone(input), Verdict::Fail, SHRINKING, &|session, candidate| {
            !session.accepts(candidate)
        })?;
        let input = self.approach(input)?;
        // What was in vain takes as much to be in vain again, until the hypothesis is another one.
        if self.hopeless.get(&input.text).is_some_and(|&since| self.widened < since + PATIENCE) {
            return Ok(false);
        }
        self.hopeless.insert(input.text.clone(), self.widened);
        let is_widened = self.widen_for(&input)?;
        if is_widened {
            self.widened += 1;
            self.hopeless.remove(&input.text);
        }
        Ok(is_widened)
    }

    /// Widens the hypothesis so that it accepts an input that fails and is as small as can be; says whether it does now.
    fn widen_for(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        if self.release(input)? {
            return Ok(true);
        }
        let (chains, skips) = {
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            let mut chains = matcher.mismatches(&input.tree, &matched);
            // A root of the whole that is not met at its very rule is no near miss, and that nothing stands somewhere tells nothing by itself.
            chains.retain(|chain| {
                let may_move =
                    |place: &Mismatch| root_may_move(self.example.grammar, &self.hypothesis, place.class);
                (chain.len() > 1 || chain.iter().all(may_move))
                    && chain.iter().any(|place| !input.text_of(place.node).is_empty())
            });
            let all = chains.iter().flatten().flat_map(|&place| self.skips(input, &matched, place));
            let skips: Vec<(Mismatch, usize)> = all.take(MOST_CHAINS).collect();
            (chains, skips)
        };
        for (place, child) in skips {
            if self.skip(input, place, child)? && self.accepts(input) {
                return Ok(true);
            }
        }
        for chain in chains.iter().take(MOST_CHAINS) {
            if self.have_inside(input, chain)? && self.accepts(input) {
                return Ok(true);
            }
        }
        for chain in chains.into_iter().take(MOST_CHAINS) {
            for place in extremes(input, &chain).into_iter().take(MOST_PLACES) {
                if self.offer(input, place)? && self.accepts(input) {
                    return Ok(true);
                }
            }
        }
        self.new_root(input)
    }

    /// The children of the node at a place that are in the class that the node should be in: it would be if the class could skip
    /// what stands beside them.
    fn skips(&self, input: &Input, matched: &Matched, place: Mismatch) -> Vec<(Mismatch, usize)> {
        let Mismatch { class, node } = place;
        let Some(rule) = input.tree.rule(node) else { return Vec::new() };
        if self.example.grammar.rule(rule).has_class() {
            // A pattern has no way to say that any character of a class may stand there.
            return Vec::new();
        }
        let children = input.tree.children(node).iter().enumerate();
        let met = children
            .filter(|&(_, &child)| input.tree.rule(child).is_some() && matched[child].contains(class));
        met.map(|(index, _)| (place, index)).collect()
    }

    /// Lets a class be met by such a child with anything beside it, or what is like what stands there, or just that: an element of a list before
    /// those that are wanted. Says whether the program agrees.
    fn skip(&mut self, input: &Rc<Input>, place: Mismatch, child: usize) -> Result<bool, Halt> {
        let Mismatch { class, node } = place;
        let Some(rule) = input.tree.rule(node) else { return Ok(false) };
        let beside = Alternative::of_rule_with(self.example.grammar, rule, [(child, Want::In(class))]);
        if self.within(SKIPPING, |session| session.admit(class, beside))? {
            return Ok(true);
        }
        let own = input.tree.children(node)[child];
        let known = Some((own, class));
        let bound = self.bound_near(input, place);
        let is_like = self.within(SKIPPING, |session| {
            let beside = session.describe_around(input, node, known, Verdict::Fail, &bound)?;
            session.admit(class, beside)
        })?;
        if is_like {
            return Ok(true);
        }
        let part = input.text_of(own).len();
        if input.text_of(node).len() - part > self.settings.longest_exact {
            return Ok(false);
        }
        let exact = self.exact_around(input, node, rule, known);
        self.admit(class, exact)
    }

    /// Offers the subtree at a place as an alternative of the class that is wanted there; says whether the program agrees.
    fn offer(&mut self, input: &Rc<Input>, place: Mismatch) -> Result<bool, Halt> {
        let Mismatch { class, node } = place;
        let nonterminal = self.hypothesis.class(class).nonterminal;
        let (mut failed, mut resolved) = (0, 0);
        for turn in 0..SAMPLES {
            let Some(fill) = self.fill(nonterminal, turn) else { continue };
            let text = input.with(self.example, &[(node, fill)]);
            match self.ask(text)? {
                Some((Verdict::Fail, _)) => (failed, resolved) = (failed + 1, resolved + 1),
                Some((Verdict::Pass, _)) => resolved += 1,
                _ => {}
            }
            // It cannot come to the wanted share any more.
            if (resolved - failed) as f64 > SAMPLES as f64 * (1.0 - LEAST_SHARE) {
                break;
            }
        }
        let share = failed as f64 / resolved.max(1) as f64;
        if resolved >= SAMPLES / 2 && share >= LEAST_SHARE {
            let before = self.hypothesis.clone();
            let mut alternatives = self.hypothesis.class(class).alternatives.iter();
            if !alternatives.any(|alternative| matches!(alternative, Alternative::Open(_))) {
                self.hypothesis.set(class, vec![Alternative::Open(Vec::new())]);
                if self.is_admitted(class, 0, false)? {
                    return Ok(true);
                }
                self.hypothesis = before;
            }
        }
        if resolved >= SAMPLES / 2 && failed == resolved {
            // Whatever stands here, the input fails: for another reason, or one of a larger part.
            return Ok(false);
        }
        let bound = self.bound_near(input, place);
        let described = self.describe(input, node, Verdict::Fail, &bound)?;
        if self.admit(class, described)? {
            return Ok(true);
        }
        let Some(rule) = input.tree.rule(node) else { return Ok(false) };
        if input.text_of(node).len() <= self.settings.longest_exact {
            let exact = self.exact(input, node, rule);
            if self.admit(class, exact)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds an alternative to a class if the program agrees.
    pub(super) fn admit(&mut self, class: ClassId, alternative: Alternative) -> Result<bool, Halt> {
        self.admit_with(class, alternative, false)
    }

    /// The same, with the answer where the program refuses so many inputs that it gives none.
    pub(super) fn admit_with(
        &mut self,
        class: ClassId,
        alternative: Alternative,
        when_unclear: bool,
    ) -> Result<bool, Halt> {
        let before = self.hypothesis.clone();
        self.hypothesis.widen(class, alternative.clone());
        let alternatives = &self.hypothesis.class(class).alternatives;
        let Some(number) = alternatives.iter().position(|known| *known == alternative) else {
            return Ok(false);
        };
        if before.class(class).alternatives.len() < alternatives.len()
            && self.is_admitted(class, number, when_unclear)?
        {
            return Ok(true);
        }
        self.take_back(before);
        Ok(false)
    }

    /// Whether what an alternative of a class describes fails wherever the class stands, after what the hypothesis then
    /// accepts wrongly has been excepted; `when_unclear` where too few inputs were resolved.
    fn is_admitted(&mut self, class: ClassId, number: usize, when_unclear: bool) -> Result<bool, Halt> {
        if !self.is_right_about_passing()? {
            return Ok(false);
        }
        let places = self.places_of(class, self.settings.contexts);
        if places.is_empty() {
            return Ok(true);
        }
        let mut repairs = 0;
        while repairs < self.settings.repairs {
            let masks = self.hypothesis.maskings.len();
            let vary = &mut |session: &mut Self, turn: usize| {
                let place = &places[turn % places.len()];
                let member = session.member_of(class, number, place.bound.clone())?;
                // What is excepted is none of its members.
                let made = session.input_with(place, member)?;
                session.accepts(&made).then(|| made.text.clone())
            };
            match self.trial(Verdict::Fail, self.settings.screening, vary)? {
                Trial::Holds => return Ok(true),
                Trial::Unclear => return Ok(when_unclear),
                Trial::Refuted(input) => {
                    if !self.negative(&input)? {
                        return Ok(false);
                    }
                }
            }
            repairs += usize::from(self.hypothesis.maskings.len() == masks);
            if self.hypothesis.class(class).alternatives.len() <= number {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Whether no input that is known to pass is accepted, after exceptions have been made for a few.
    pub(super) fn is_right_about_passing(&mut self) -> Result<bool, Halt> {
        let mut repairs = 0;
        let mut slack = if self.has_masks() { MOST_UNEXPLAINED } else { 0 };
        while let Some(wrong) = self.wrongly_accepted() {
            let masks = self.hypothesis.maskings.len();
            if self.negative(&wrong)? {
                // What masks does so whatever the hypothesis is going to be.
                repairs += usize::from(self.hypothesis.maskings.len() == masks);
            } else if slack > 0 {
                slack -= 1;
                self.give_up(&wrong);
            } else {
                return Ok(false);
            }
            if repairs >= self.settings.repairs {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The shortest input that is known to pass and accepted, but for those that were given up.
    pub(super) fn wrongly_accepted(&self) -> Option<Rc<Input>> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let wrong = self.explained().filter(|input| matcher.accepts(input));
        wrong.min_by_key(|input| input.text.len()).map(Rc::clone)
    }

    /// An input that would be accepted if bound nodes need not be equal: one of them is bound no more, if the program
    /// agrees.
    fn release(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        let mut bound: Vec<(ClassId, usize, usize)> = Vec::new();
        {
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            for node in input.nodes() {
                for &root in self.hypothesis.roots() {
                    if !matched[node].contains(root) {
                        continue;
                    }
                    for (class, _) in matcher.derivation(&input.tree, &matched, root, node) {
                        for (index, alternative) in
                            self.hypothesis.class(class).alternatives.iter().enumerate()
                        {
                            let Alternative::Rule(_, wants) = alternative else { continue };
                            let of =
                                wants.iter().enumerate().filter(|(_, want)| matches!(want, Want::Bound(_)));
                            bound.extend(of.map(|(child, _)| (class, index, child)));
                        }
                    }
                }
            }
        }
        // Those of values are not bound for the sake of equality.
        let compared = self.compared_numbers();
        for (class, alternative, child) in bound {
            let Alternative::Rule(_, wants) = &self.hypothesis.class(class).alternatives[alternative] else {
                continue;
            };
            if matches!(wants[child], Want::Bound(number) if compared.contains(&number)) {
                continue;
            }
            let before = self.hypothesis.clone();
            self.hypothesis.set_want(class, alternative, child, Want::Any);
            if self.accepts(input) && self.is_admitted(class, alternative, false)? && self.accepts(input) {
                return Ok(true);
            }
            self.hypothesis = before;
        }
        Ok(false)
    }

    /// Generalizes an input by itself, to one more root class.
    pub(super) fn new_root(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        let rejected = &|session: &Self, candidate: &Input| !session.accepts(candidate);
        let input = self.shrink(Rc::clone(input), Verdict::Fail, SHRINKING_FOR_ROOT, rejected)?;
        self.root_of(&input)
    }

    /// Generalizes an input as it is, to one more root class.
    pub(super) fn root_of(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        let ddset = Ddset::new(GeneralizerSettings::of_checks(self.settings.root_checks));
        let example = Example { tree: &input.tree, ..self.example };
        let found = ddset.generalize(example, self.sampler, self.judge, self.stream);
        let found = match found {
            Ok(found) if found.stop == StopReason::Done => found,
            Ok(found) => {
                self.unfinished = found.abstract_input.map(|abstract_input| abstract_input.pattern);
                return Err(Halt::Stop(found.stop));
            }
            Err(GeneralizeError::NotFailing(_)) => return Ok(false),
            Err(GeneralizeError::Oracle(error)) => return Err(Halt::Broken(error)),
            Err(GeneralizeError::Exceeded(exceeded)) => return Err(exceeded.into()),
        };
        self.recall()?;
        let before = self.hypothesis.clone();
        let root =
            found.pattern().and_then(|pattern| self.hypothesis.add_pattern(self.example.grammar, pattern));
        let Some(root) = root else {
            return Ok(false);
        };
        self.hypothesis.add_root(root);
        if self.is_right_about_passing()? && self.accepts(input) {
            self.learn_values_of_other(root, input)?;
            return Ok(true);
        }
        self.hypothesis = before.clone();
        // The smallest part that fails everywhere is no such part; the whole input was tried more often.
        let whole = found.abstract_input.as_ref().map(|abstract_input| &abstract_input.pattern);
        let Some(root) = whole.and_then(|whole| self.hypothesis.add_pattern(self.example.grammar, whole))
        else {
            return Ok(false);
        };
        self.hypothesis.add_root(root);
        if self.is_right_about_passing()? && self.accepts(input) {
            self.learn_values_of_other(root, input)?;
            return Ok(true);
        }
        self.hypothesis = before;
        Ok(false)
    }

    /// Accepts the failing input that was given, if it is not accepted yet: as one more root class of which little or nothing is
    /// generalized, as far as was come to when the share of executions for it ended.
    pub(super) fn accept_given(&mut self) {
        let grammar = self.example.grammar;
        let Some(given) = self.failing.iter().find(|input| input.text == self.example.given).map(Rc::clone)
        else {
            return;
        };
        if self.accepts(&given) {
            return;
        }
        let exact = Pattern::from_tree(grammar, &given.tree, given.tree.root(), |_, _| None);
        for pattern in self.unfinished.take().into_iter().chain([exact]) {
            let before = self.hypothesis.clone();
            let wrong = self.wrongly_accepted().is_some();
            if let Some(root) = self.hypothesis.add_pattern(grammar, &pattern) {
                self.hypothesis.add_root(root);
                self.hypothesis.anchor(root);
                if self.accepts(&given) && (wrong || self.wrongly_accepted().is_none()) {
                    return;
                }
            }
            self.hypothesis = before;
        }
    }

    /// The texts of the numbers that the hypothesis binds around a place at which an input does not match.
    fn bound_near(&self, input: &Input, place: Mismatch) -> Bindings {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        matcher.bound_around(&input.tree, &matched, place)
    }
}

/// Of places with the same text, one inside of the other, the innermost and the outermost: those between them have nothing more to
/// say, and would take the turn of places around them.
fn extremes(input: &Input, chain: &[Mismatch]) -> Vec<Mismatch> {
    let is_same = |one: &Mismatch, other: &Mismatch| input.text_of(one.node) == input.text_of(other.node);
    let mut places = Vec::new();
    for same in chain.chunk_by(is_same) {
        places.extend(same.first());
        places.extend(same.last().filter(|_| same.len() > 1));
    }
    places
}
