//! What fails, said by what inputs have and have not: for who has no pattern that tells it.
//!
//! Some failures have no one part of the input as their cause. A program crashes with any of some options beside any of some others, wherever
//! they stand. A pattern that is widened then gets one member for each pair, and there are always more of them. So the inputs that were met in
//! learning are taken as examples, and a formula is fitted to them: a conjunction of clauses, each of which asks for at least one of some *features*,
//! or for none of them. A feature is a small part of a tree: a rule, a rule below another one, or a short text; or that the hypothesis holds there, which
//! may be right about most of what fails.
//!
//! Each clause is found by covering, as in FOIL (Quinlan, "Learning logical definitions from relations", 1990): the feature that gains most is
//! taken, and the examples that have it are put aside, until no failing one is left. How it is learned on is in [`super::formula`].

use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::grammar::Grammar;

use super::features::{Clause, ExampleId, FeatureId, Features, LEAST_SUPPORT};
use super::instances;
use super::joint::FoundJoint;
use super::unmasked::Preceding;

/// The number of passing examples that a clause has to reject for each of its features, from the simplest formulas to the most exact ones. How many it
/// should be is found by what they say of other examples.
const GAINS: [usize; 5] = [48, 24, 12, 6, 3];

/// The numbers of rejected passing examples that make good for a rejected failing one. Which it should be is found in the same way.
const PRICES: [f64; 2] = [10.0, 3.0];

/// The number of ways in which clauses are fitted to the same examples.
const MANNERS: usize = PRICES.len() * GAINS.len();

/// The kinds of formulas: without what single nodes have and have not, with it, and without it but with what stands before others.
pub(super) const KINDS: usize = 3;

/// The most clauses.
const MOST_CLAUSES: usize = 40;

/// How often each clause is found anew, when the others are known.
const TURNS: usize = 2;

/// The parts into which examples are divided: what is fitted to all others is measured on each.
const FOLDS: usize = 3;

/// Which examples there are still, first of those that fail.
pub(super) type Left = [BitSet<ExampleId>; 2];

/// How clauses are fitted to examples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// The number of passing examples that a clause has to reject for each of its features.
    pub(super) least_gain: usize,
    /// The number of them that make good for a rejected failing one.
    pub(super) price: f64,
}

/// The number of rejected passing examples that make good for a rejected failing one: fewer of them where there are few.
pub(super) fn price(price: f64, all: &Left) -> f64 {
    let [failing, passing] = all.each_ref().map(|side| side.len() as f64);
    price * (passing / failing.max(1.0)).min(1.0)
}

/// Clauses that are fitted to examples.
pub(super) struct Fit {
    pub(super) clauses: Vec<Clause>,
    pub(super) error: f64,
}

impl Features {
    /// The clauses that are fitted to examples, first without what single nodes have and have not, then with it; both from the simplest to the most exact ones for
    /// each price, each with its error on others than it is fitted to.
    pub(super) fn fits(&mut self, grammar: &Grammar) -> [Vec<Fit>; KINDS] {
        let all = self.examples.each_ref().map(|examples| BitSet::full(examples.len()));
        let folds: Vec<Left> = (0..FOLDS).map(|fold| fold_of(&all, fold)).collect();
        let mut fitted_to = vec![all.clone()];
        fitted_to.extend(folds.iter().map(|of_fold| {
            let mut others = all.clone();
            others.iter_mut().zip(of_fold).for_each(|(others, of_fold)| others.subtract(of_fold));
            others
        }));
        let mut joints: Vec<Vec<FoundJoint>> = fitted_to.iter().map(|_| Vec::new()).collect();
        instances::for_each(self, grammar, |instances| {
            for (joints, examples) in joints.iter_mut().zip(&fitted_to) {
                joints.extend(instances.joints(examples));
            }
        });
        let of_all = joints.remove(0);
        self.set_joints(Vec::new());
        let mut preceding = self.preceding(grammar);
        let mut accepted = [[0, 0]; KINDS * MANNERS];
        for ((of_fold, others), joints) in folds.iter().zip(&fitted_to[1..]).zip(joints) {
            let fitted = self.of_all_kinds(grammar, joints, &mut preceding, others);
            for (accepted, clauses) in accepted.iter_mut().zip(fitted) {
                let held = self.held(&clauses, of_fold);
                accepted.iter_mut().zip(held).for_each(|(accepted, held)| *accepted += held.len());
            }
        }
        let numbers = all.each_ref().map(BitSet::len);
        let fitted = self.of_all_kinds(grammar, of_all, &mut preceding, &all);
        self.keep_fitted_of(fitted.iter().flatten());
        let mut fits = fitted
            .into_iter()
            .zip(accepted)
            .map(|(clauses, accepted)| Fit { clauses, error: error(numbers, accepted) });
        [(); KINDS].map(|()| fits.by_ref().take(MANNERS).collect())
    }

    /// The clauses of each kind that are fitted to examples, from the simplest to the most exact ones for each price; these joints are features from then on.
    fn of_all_kinds(
        &mut self,
        grammar: &Grammar,
        joints: Vec<FoundJoint>,
        preceding: &mut Preceding,
        examples: &Left,
    ) -> Vec<Vec<Clause>> {
        let manners: Vec<Manner> = PRICES
            .iter()
            .flat_map(|&most| GAINS.map(|least_gain| Manner { least_gain, price: price(most, examples) }))
            .collect();
        let fitted = |features: &Self| -> Vec<Vec<Clause>> {
            manners.iter().map(|&manner| features.fit(examples.clone(), manner)).collect()
        };
        self.set_joints(Vec::new());
        let plain = fitted(self);
        self.set_joints(joints);
        let with_joints = fitted(self);
        let with_masks: Vec<Vec<Clause>> = plain
            .iter()
            .zip(&manners)
            .map(|(clauses, &manner)| self.with_masks(grammar, preceding, clauses, examples, manner))
            .collect();
        plain.into_iter().chain(with_joints).chain(with_masks).collect()
    }

    /// The number of examples that have a feature, of those that are left.
    fn count(&self, feature: FeatureId, side: usize, left: &Left) -> usize {
        self.seen[feature.index()].examples[side].common(&left[side])
    }

    /// All features, in their order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = FeatureId> + use<> {
        (0..self.seen.len()).map(FeatureId::new)
    }

    /// The examples, of some, for which clauses hold.
    pub(super) fn held<'c>(&self, clauses: impl IntoIterator<Item = &'c Clause>, examples: &Left) -> Left {
        let mut held = examples.clone();
        for clause in clauses {
            for (side, held) in held.iter_mut().enumerate() {
                let having = self.having(&clause.features, side);
                if clause.is_positive {
                    held.intersect_with(&having);
                } else {
                    held.subtract(&having);
                }
            }
        }
        held
    }

    /// The examples that have one of some features.
    pub(super) fn having(&self, features: &[FeatureId], side: usize) -> BitSet<ExampleId> {
        let mut having = BitSet::new();
        for feature in features {
            having.union_with(&self.seen[feature.index()].examples[side]);
        }
        having
    }

    /// Clauses that tell the failing examples that are left from the passing ones.
    fn fit(&self, mut left: Left, manner: Manner) -> Vec<Clause> {
        let all = left.clone();
        let mut clauses: Vec<Clause> = Vec::new();
        while clauses.len() < MOST_CLAUSES {
            let both = [
                self.needed(&with_failing(&all, &left), manner),
                self.unwanted(self.numbers(), &left, manner),
            ];
            let gains = both.into_iter().flatten().map(|clause| (self.gain(&clause, &left, manner), clause));
            let Some((gain, clause)) = gains.max_by(|(a, _), (b, _)| a.total_cmp(b)) else { break };
            if gain < (manner.least_gain * self.size(&clause)) as f64 {
                break;
            }
            left = self.held([&clause], &left);
            clauses.push(clause);
        }
        for _ in 0..TURNS {
            for index in 0..clauses.len() {
                self.fit_again(&mut clauses, index, &all, manner);
            }
        }
        self.without_idle_clauses(&mut clauses, &all, manner);
        clauses
    }

    /// Finds one of the clauses anew, now that the others are known: what they reject counts no more.
    fn fit_again(&self, clauses: &mut [Clause], index: usize, examples: &Left, manner: Manner) {
        if !clauses[index].is_positive {
            return;
        }
        let left = self.held(without(clauses, index), examples);
        if let Some(new) = self.needed(&with_failing(examples, &left), manner)
            && self.gain(&new, &left, manner) > self.gain(&clauses[index], &left, manner)
        {
            clauses[index] = new;
        }
    }

    /// The number of passing examples that a clause rejects, of those that are left, less what the failing ones cost that it rejects.
    pub(super) fn gain(&self, clause: &Clause, left: &Left, manner: Manner) -> f64 {
        let held = self.held([clause], left);
        let rejected = |side: usize| (left[side].len() - held[side].len()) as f64;
        rejected(1) - manner.price * rejected(0)
    }

    /// Drops the clauses, the first ones first, without which hardly a passing example more is accepted: later ones say more.
    pub(super) fn without_idle_clauses(&self, clauses: &mut Vec<Clause>, examples: &Left, manner: Manner) {
        let mut index = 0;
        while index < clauses.len() {
            let left = self.held(without(clauses, index), examples);
            let of_it = left[1].len() - self.held([&clauses[index]], &left)[1].len();
            if of_it < manner.least_gain * self.size(&clauses[index]) {
                clauses.remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// A clause of which each failing example that is left has a feature, and few passing ones have.
    fn needed(&self, left: &Left, manner: Manner) -> Option<Clause> {
        let mut open = left.clone();
        let mut features = Vec::new();
        loop {
            let [failing, passing] = open.each_ref().map(BitSet::len);
            if failing == 0 || passing == 0 {
                break;
            }
            let bits = |fail: usize, pass: usize| (fail as f64 / (fail + pass) as f64).log2();
            let before = bits(failing, passing);
            let best = self
                .numbers()
                .map(|feature| {
                    let fail = self.count(feature, 0, &open);
                    if fail < LEAST_SUPPORT {
                        return (0.0, feature);
                    }
                    let gain = fail as f64 * (bits(fail, self.count(feature, 1, &open)) - before);
                    (gain * self.seen[feature.index()].weight(), feature)
                })
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((gain, feature)) = best else { break };
            if gain <= 0.0 {
                break;
            }
            for (open, examples) in open.iter_mut().zip(&self.seen[feature.index()].examples) {
                open.subtract(examples);
            }
            features.push(feature);
        }
        self.without_idle(&mut features, left, manner);
        (!features.is_empty()).then(|| Clause::wanted(features))
    }

    /// Drops the features that too many passing examples have alone for the failing ones that do.
    fn without_idle(&self, features: &mut Vec<FeatureId>, left: &Left, manner: Manner) {
        for index in (0..features.len()).rev() {
            let feature = features.remove(index);
            let alone = [0, 1].map(|side| {
                let mut alone = left[side].clone();
                alone.subtract(&self.having(features, side));
                self.seen[feature.index()].examples[side].common(&alone)
            });
            if manner.price * alone[0] as f64 > alone[1] as f64 {
                features.insert(index, feature);
            }
        }
    }

    /// The feature, of some, that most passing examples have that are left, and no or few failing ones.
    pub(super) fn unwanted(
        &self,
        features: impl Iterator<Item = FeatureId>,
        left: &Left,
        manner: Manner,
    ) -> Option<Clause> {
        let worth = |feature: FeatureId| {
            self.count(feature, 1, left) as f64 - manner.price * self.count(feature, 0, left) as f64
        };
        let best = features.map(|feature| (worth(feature).max(0.0), feature));
        let (_, best) = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
        Some(Clause::unwanted(vec![best]))
    }
}

/// The examples of a fold, of all.
fn fold_of(all: &Left, fold: usize) -> Left {
    all.each_ref().map(|side| side.iter().filter(|example| example.index() % FOLDS == fold).collect())
}

/// The passing examples that are left, with all that fail: what one clause rejects wrongly another one must not.
fn with_failing(all: &Left, left: &Left) -> Left {
    [all[0].clone(), left[1].clone()]
}

/// All clauses but one.
fn without(clauses: &[Clause], index: usize) -> impl Iterator<Item = &Clause> {
    clauses[..index].iter().chain(&clauses[index + 1..])
}

/// The mean of the shares of failing and of passing examples that are judged wrongly.
pub(super) fn error(numbers: [usize; 2], accepted: [usize; 2]) -> f64 {
    let share = |side: usize, wrong: usize| wrong as f64 / numbers[side].max(1) as f64;
    f64::midpoint(share(0, numbers[0] - accepted[0]), share(1, accepted[1]))
}
