//! Which classes of a hypothesis others lead to.

use crate::base::bitset::BitSet;

use super::hypothesis::{Alternative, ClassId, Hypothesis, Want};

impl Hypothesis {
    /// The classes that are reached from the roots.
    pub(super) fn reachable(&self) -> BitSet<ClassId> {
        let mut work: Vec<ClassId> =
            self.roots_and_needs().into_iter().chain(self.masking()).chain(self.bounding()).collect();
        let mut reached: BitSet<ClassId> = work.iter().copied().collect();
        while let Some(class) = work.pop() {
            for next in self.mentioned(class) {
                if reached.insert(next) {
                    work.push(next);
                }
            }
        }
        reached
    }

    /// The classes that are reached from the roots and what they need through what is wanted, not through exceptions.
    pub(super) fn positive(&self) -> Vec<ClassId> {
        let mut positive = self.wanted_from(&self.roots_and_needs());
        positive.sort_unstable();
        positive.dedup();
        positive
    }

    /// Some classes, and those that they want, directly or not, each after one that wants it.
    pub(super) fn wanted_from(&self, classes: &[ClassId]) -> Vec<ClassId> {
        let mut found = classes.to_vec();
        let mut reached: BitSet<ClassId> = found.iter().copied().collect();
        let mut next = 0;
        while let Some(&class) = found.get(next) {
            next += 1;
            for alternative in &self.class(class).alternatives {
                found.extend(alternative.wanted().into_iter().filter(|&inner| reached.insert(inner)));
            }
        }
        found
    }

    /// A class and all that it mentions, directly or not.
    pub(super) fn below(&self, class: ClassId) -> BitSet<ClassId> {
        let mut below = BitSet::from_iter([class]);
        let mut work = vec![class];
        while let Some(class) = work.pop() {
            work.extend(self.mentioned(class).into_iter().filter(|&next| below.insert(next)));
        }
        below
    }

    /// How often a class is mentioned by those that are reached from the roots.
    pub(super) fn mentions(&self, class: ClassId) -> usize {
        let reached = self.reachable();
        let mentioned = reached.iter().flat_map(|other| self.mentioned(other));
        mentioned.filter(|&other| other == class).count()
    }

    /// The classes that a class mentions.
    pub(super) fn mentioned(&self, class: ClassId) -> Vec<ClassId> {
        let mut mentioned = Vec::new();
        for alternative in &self.class(class).alternatives {
            match alternative {
                Alternative::Open(except) => mentioned.extend_from_slice(except),
                Alternative::Has(inner, except) => {
                    mentioned.push(*inner);
                    mentioned.extend_from_slice(except);
                }
                Alternative::Rule(_, wants) => {
                    for want in wants {
                        match want {
                            Want::In(class) => mentioned.push(*class),
                            Want::NotIn(classes) => mentioned.extend_from_slice(classes),
                            Want::Any | Want::Bound(_) | Want::Char(_) | Want::Letter(_) => {}
                        }
                    }
                }
            }
        }
        mentioned
    }

    /// Whether bound nodes can be reached from a class through what it wants.
    pub(super) fn binding(&self) -> BitSet<ClassId> {
        let mut binding = BitSet::new();
        loop {
            let mut changed = false;
            for id in self.ids() {
                let class = self.class(id);
                if binding.contains(id) {
                    continue;
                }
                let binds = class.alternatives.iter().any(|alternative| match alternative {
                    Alternative::Open(_) => false,
                    Alternative::Has(inner, _) => binding.contains(*inner),
                    Alternative::Rule(_, wants) => wants.iter().any(|want| match want {
                        Want::Bound(_) => true,
                        Want::In(class) => binding.contains(*class),
                        Want::Any | Want::NotIn(_) | Want::Char(_) | Want::Letter(_) => false,
                    }),
                });
                if binds {
                    changed |= binding.insert(id);
                }
            }
            if !changed {
                return binding;
            }
        }
    }

    /// The classes that mask roots or that exceptions mention, and those below: to narrow one of them is to widen the hypothesis.
    pub(super) fn excepted(&self) -> BitSet<ClassId> {
        let mut excepted: BitSet<ClassId> = BitSet::new();
        let mut work: Vec<ClassId> = self.masking().collect();
        for class in self.reachable().iter() {
            for alternative in &self.class(class).alternatives {
                work.extend_from_slice(alternative.except());
                let Alternative::Rule(_, wants) = alternative else { continue };
                for want in wants {
                    if let Want::NotIn(except) = want {
                        work.extend_from_slice(except);
                    }
                }
            }
        }
        while let Some(class) = work.pop() {
            if excepted.insert(class) {
                work.extend(self.mentioned(class));
            }
        }
        excepted
    }
}
