//! List minimizers: which elements of a list can be left out.
//!
//! What a list is, its minimizer does not know: characters, lines, the nodes of a level of a tree. It is given a function
//! that says whether what is left still fails, and is given the number of elements. Nothing is assumed of the function but
//! that all elements together fail.

mod cdd;
mod ddmin;
mod probdd;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::base::diagnostic::nearest;
use crate::oracle::Halt;

/// Whether these elements, ascending, fail without the others. When it says so, they are all that is left.
pub(super) type Test<'t> = dyn FnMut(&[usize]) -> Result<bool, Halt> + 't;

/// A list minimizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Minimizer {
    /// Chunks and what is left without them, ever smaller ones.
    #[default]
    Ddmin,
    /// The same with chunks of equal weight.
    WeightedDdmin,
    /// Probabilistic: what is worth most is tried next.
    Probdd,
    /// The same where worth is weight.
    WeightedProbdd,
    /// Counter-based: the sizes of chunks are known before.
    Cdd,
}

impl Minimizer {
    /// All minimizers with their names.
    pub const ALL: [(&'static str, Self); 5] = [
        ("ddmin", Self::Ddmin),
        ("weighted-ddmin", Self::WeightedDdmin),
        ("probdd", Self::Probdd),
        ("weighted-probdd", Self::WeightedProbdd),
        ("cdd", Self::Cdd),
    ];

    /// Leaves out elements of a list, each of which has a weight, as long as the rest fails. Says which are left.
    /// The empty list is asked first, since a list of one element has no smaller part else.
    ///
    /// # Errors
    /// When the function cannot say; what it last said yes to is what is left then.
    pub(super) fn minimize(self, weights: &[usize], test: &mut Test<'_>) -> Result<Vec<usize>, Halt> {
        if weights.is_empty() || test(&[])? {
            return Ok(Vec::new());
        }
        let ones = vec![1; weights.len()];
        match self {
            Self::Ddmin => ddmin::minimize(&ones, test),
            Self::WeightedDdmin => ddmin::minimize(weights, test),
            Self::Probdd => probdd::minimize(&ones, test),
            Self::WeightedProbdd => probdd::minimize(weights, test),
            Self::Cdd => cdd::minimize(weights.len(), test),
        }
    }
}

impl fmt::Display for Minimizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, minimizer)| minimizer == self).map(|(name, _)| *name);
        f.write_str(name.unwrap_or_default())
    }
}

impl FromStr for Minimizer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::ALL.map(|(name, _)| name);
        Self::ALL.iter().find(|(name, _)| *name == text).map(|&(_, minimizer)| minimizer).ok_or_else(|| {
            let near = nearest(text, names.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
            let near = near.unwrap_or_default();
            format!("there is no list minimizer called `{text}`{near} There are: {}", names.join(", "))
        })
    }
}

/// What is left of a list without one of its parts, both ascending.
fn without(all: &[usize], part: &[usize]) -> Vec<usize> {
    let mut left = Vec::new();
    leave_out(all, part, &mut left);
    left
}

/// Writes what is left of a list without one of its parts, both ascending, to `left`, whose memory is used again: lists are long, and
/// each question takes one.
fn leave_out(all: &[usize], part: &[usize], left: &mut Vec<usize>) {
    left.clear();
    left.reserve(all.len());
    let (mut all, mut part) = (all, part);
    while let Some(&first) = part.first() {
        let (before, rest) = all.split_at(all.partition_point(|&element| element < first));
        left.extend_from_slice(before);
        let run = rest.iter().zip(part).take_while(|(one, other)| one == other).count();
        (all, part) = (&rest[run..], &part[run.max(1)..]);
    }
    left.extend_from_slice(all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is left, and what was asked.
    pub(super) fn run(
        minimizer: Minimizer,
        weights: &[usize],
        fails: &dyn Fn(&[usize]) -> bool,
    ) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut asked = Vec::new();
        let left = minimizer.minimize(weights, &mut |elements| {
            asked.push(elements.to_vec());
            Ok(fails(elements))
        });
        (left.unwrap(), asked)
    }

    fn minimizers() -> impl Strategy<Value = Minimizer> {
        prop::sample::select(Minimizer::ALL.map(|(_, minimizer)| minimizer).to_vec())
    }

    proptest! {
        /// Arbitrary functions, which are as far from monotone as can be.
        #[test]
        fn what_is_left_fails_and_was_asked(minimizer in minimizers(), weights in prop::collection::vec(1usize..9, 1..24), salt: u8) {
            let all: Vec<usize> = (0..weights.len()).collect();
            let fails = |elements: &[usize]| {
                let bytes: Vec<u8> = elements.iter().map(|&element| element as u8).collect();
                elements == all || blake3::hash(&bytes).as_bytes()[0].wrapping_add(salt) < 60
            };
            let (left, asked) = run(minimizer, &weights, &fails);
            prop_assert!(fails(&left));
            prop_assert!(left.is_sorted());
            prop_assert!(left == all || asked.contains(&left));
            prop_assert_eq!(run(minimizer, &weights, &fails).1, asked, "the same is asked again");
        }

        /// Monotone functions: some elements are needed.
        #[test]
        fn what_is_needed_is_left_and_nothing_else(
            minimizer in minimizers(),
            weights in prop::collection::vec(1usize..9, 1..80),
            picks in prop::collection::btree_set(0usize..80, 0..6),
        ) {
            let needed: Vec<usize> = picks.into_iter().filter(|&pick| pick < weights.len()).collect();
            let fails = |elements: &[usize]| needed.iter().all(|element| elements.contains(element));
            prop_assert_eq!(run(minimizer, &weights, &fails).0, needed);
        }
    }

    proptest! {
        #[test]
        fn a_part_is_left_out(all in prop::collection::btree_set(0usize..99, 0..40), out in prop::collection::btree_set(0usize..99, 0..40)) {
            let list = |elements: &std::collections::BTreeSet<usize>| elements.iter().copied().collect::<Vec<_>>();
            let left = list(&all.difference(&out).copied().collect());
            prop_assert_eq!(without(&list(&all), &list(&out)), left);
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for (name, minimizer) in Minimizer::ALL {
            assert_eq!(name.parse(), Ok(minimizer));
            assert_eq!(minimizer.to_string(), name);
        }
        assert!("dmin".parse::<Minimizer>().unwrap_err().contains("did you mean `ddmin`?"));
    }
}
