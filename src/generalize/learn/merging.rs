//! Two classes that are one: what fails at the places of one of them fails at those of the other, too.
//!
//! Each alternative that is learned has classes of its own for its parts. A product is nothing when one of its factors is, and whatever is known of
//! what is nothing holds of that factor as well; by itself it would be learned once more, alternative by alternative. So classes of one nonterminal are
//! merged where the program agrees, as learners of automata merge states (Oncina and García, "Inferring regular languages in polynomial
//! updated time", 1992), with the program in the place of a fixed sample.

use crate::oracle::{Halt, Verdict};

use super::hypothesis::{Alternative, Class, ClassId, Hypothesis, Want};
use super::matching::Matcher;
use super::session::{Learning, Trial};

/// The most pairs of classes that are tried at a time.
const MOST_PAIRS: usize = 16;

/// The part of all executions, one in this number, that merging may take at a time.
const SHARE: u64 = 20;

/// Two classes that were found not to be one, as they were then.
pub(super) type Apart = (Class, Class);

impl Learning<'_, '_, '_> {
    /// Merges classes of the hypothesis as long as the program agrees.
    pub(super) fn try_merging(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE;
        let mut pairs = self.mergeable();
        pairs.truncate(MOST_PAIRS);
        for (one, other) in pairs {
            if self.judge.executions() > most {
                break;
            }
            let reachable = self.hypothesis.positive();
            if ![one, other].iter().all(|class| reachable.contains(class)) {
                continue;
            }
            let [first, second] = [one, other].map(|class| self.hypothesis.class(class).clone());
            if !self.apart.contains(&(first.clone(), second.clone())) && !self.merge(one, other)? {
                self.apart.insert((first, second));
            }
        }
        Ok(())
    }

    /// Pairs of classes of the same nonterminal that may be one. Of those with one alternative each nothing says that they belong together.
    fn mergeable(&self) -> Vec<(ClassId, ClassId)> {
        let roots = self.hypothesis.roots_and_needs();
        let (binding, excepted) = (self.hypothesis.binding(), self.hypothesis.excepted());
        let is_free = |class: &ClassId| {
            !roots.contains(class) && !binding.contains(*class) && !excepted.contains(*class)
        };
        let classes: Vec<ClassId> = self.hypothesis.positive().into_iter().filter(is_free).collect();
        let mut pairs = Vec::new();
        for (index, &one) in classes.iter().enumerate() {
            for &other in &classes[index + 1..] {
                let [first, second] = [one, other].map(|class| self.hypothesis.class(class));
                let is_several = first.alternatives.len().max(second.alternatives.len()) > 1;
                let is_below = self.hypothesis.is_at(one, other) || self.hypothesis.is_at(other, one);
                if first.nonterminal == second.nonterminal && is_several && !is_below {
                    pairs.push((one, other));
                }
            }
        }
        pairs
    }

    /// Merges two classes if inputs fail with what either of them has got at the places of the other one, and none that is known to pass is
    /// accepted by it.
    fn merge(&mut self, one: ClassId, other: ClassId) -> Result<bool, Halt> {
        let before = self.hypothesis.clone();
        let places: Vec<_> = [one, other]
            .map(|class| self.places_of(class, self.settings.contexts))
            .into_iter()
            .flatten()
            .collect();
        self.hypothesis.merge(one, other);
        if !places.is_empty() && self.accepts_no_more_passing(&before) {
            let vary = &mut |session: &mut Self, turn: usize| {
                let place = &places[turn % places.len()];
                let member = session.member(one, place.bound.clone())?;
                let made = session.input_with(place, member)?;
                let was_accepted = Matcher::new(session.example.grammar, &before).accepts(&made);
                (!was_accepted && session.accepts(&made)).then(|| made.text.clone())
            };
            if let Trial::Holds = self.trial(Verdict::Fail, self.settings.screening, vary)? {
                return Ok(true);
            }
        }
        self.hypothesis = before;
        Ok(false)
    }
}

impl Hypothesis {
    /// Lets a class have all alternatives of another one, and stand wherever that one is wanted.
    fn merge(&mut self, class: ClassId, other: ClassId) {
        for alternative in self.class(other).alternatives.clone() {
            self.widen(class, alternative);
        }
        for at in self.positive() {
            let mut alternatives = self.class(at).alternatives.clone();
            for alternative in &mut alternatives {
                match alternative {
                    Alternative::Has(inner, _) if *inner == other => *inner = class,
                    Alternative::Open(_) | Alternative::Has(..) => {}
                    Alternative::Rule(_, wants) => {
                        let of_other = wants.iter_mut().filter(|want| **want == Want::In(other));
                        of_other.for_each(|want| *want = Want::In(class));
                    }
                }
            }
            self.set(at, Vec::new());
            alternatives.into_iter().for_each(|alternative| self.widen(at, alternative));
        }
    }
}
