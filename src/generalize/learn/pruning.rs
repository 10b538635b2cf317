//! What is learned, made smaller: whatever no known input needs is dropped, and what is wrong about more of them than it is right about.

use crate::oracle::Verdict;

use super::hypothesis::Hypothesis;
use super::matching::Matcher;
use super::session::Learning;

impl Learning<'_, '_, '_> {
    /// Drops root classes, and alternatives of classes, that no input needs that is known to fail.
    pub(super) fn prune(&mut self) {
        let accepted = self.accepted();
        self.drop_members(|session, _| session.keeps(&accepted));
    }

    /// Drops root classes, and alternatives of classes, for which the hypothesis accepts more of the passing inputs than of the failing ones
    /// among those it was compared on: whatever was tried to tell the two apart. What was made in trying is no fair sample.
    pub(super) fn prune_wrong(&mut self) {
        self.drop_members(|session, before| {
            let [old, new] =
                [before, &session.hypothesis].map(|it| Matcher::new(session.example.grammar, it));
            let dropped = |verdict: Verdict| {
                let of_it = session.compared.iter().filter(|&&(known, _)| known == verdict);
                of_it.filter(|(_, input)| !new.accepts(input) && old.accepts(input)).count()
            };
            let passing = dropped(Verdict::Pass);
            passing > 0 && dropped(Verdict::Fail) < passing
        });
    }

    /// Drops each root class, and each alternative of a class that is no exception, without which the hypothesis is better; that is also
    /// told what it was.
    fn drop_members(&mut self, is_better: impl Fn(&Self, &Hypothesis) -> bool) {
        for root in self.hypothesis.roots().to_vec().into_iter().rev() {
            let others: Vec<_> =
                self.hypothesis.roots().iter().copied().filter(|&other| other != root).collect();
            if !others.is_empty() {
                let before = self.hypothesis.clone();
                self.hypothesis.set_roots(others);
                if !is_better(self, &before) {
                    self.hypothesis = before;
                }
            }
        }
        let excepted = self.hypothesis.excepted();
        for class in self.hypothesis.positive().into_iter().filter(|&class| !excepted.contains(class)) {
            for index in (0..self.hypothesis.class(class).alternatives.len()).rev() {
                let mut alternatives = self.hypothesis.class(class).alternatives.clone();
                if alternatives.len() > 1 {
                    alternatives.remove(index);
                    let before = self.hypothesis.clone();
                    self.hypothesis.set(class, alternatives);
                    if !is_better(self, &before) {
                        self.hypothesis = before;
                    }
                }
            }
        }
    }

    /// Drops what masks root classes, and boundaries, where no input that is known needs it: what was found later is more general, or
    /// more frequent, as often as not.
    pub(super) fn prune_masks(&mut self) {
        let rejected = self.masked_passing();
        for masking in self.hypothesis.maskings.clone() {
            let before = self.hypothesis.clone();
            self.hypothesis.unmask(masking.root, masking.class());
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            if rejected.iter().any(|input| matcher.accepts(input)) {
                self.hypothesis = before;
            }
        }
        let accepted = self.accepted();
        for root in self.hypothesis.roots().to_vec() {
            for boundary in self.hypothesis.boundaries(root).to_vec() {
                let before = self.hypothesis.clone();
                self.hypothesis.unbound(root, boundary);
                if !self.keeps(&accepted) {
                    self.hypothesis = before;
                }
            }
        }
    }
}
