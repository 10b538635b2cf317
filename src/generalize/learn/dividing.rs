//! The simplest constraint that tells the values with which inputs fail from those with which they pass.
//!
//! A constraint is an alternative of conjunctions of at most three comparisons: of two quantities, of a quantity with a number
//! that was met, or of two texts. One conjunction is sought first, the shortest there is; else such that cover most of
//! the failing samples and none of the others, one after the other, as rule learners do (Fürnkranz, "Separate-and-conquer
//! rule learning", Artificial Intelligence Review 13, 1999).

use std::collections::HashSet;

use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::base::integer::Integer;
use crate::id_type;
use crate::pattern::{Constraint, Quantity, Relation};

use super::binding::Bindings;

/// The texts of bound nodes in one input, and whether it fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) texts: Bindings,
    pub(super) fails: bool,
}

/// The number of conjunctions of a constraint.
const MOST_TERMS: usize = 4;

/// The number of comparisons that are looked at: all triples of them are.
const MOST_COMPARISONS: usize = 160;

/// The simplest constraint that holds of the failing samples and of no other; nothing where none as simple does.
pub(super) fn divide(samples: &[Sample]) -> Option<Constraint> {
    let fails = those(samples, |sample| sample.fails);
    let passes = those(samples, |sample| !sample.fails);
    let comparisons = comparisons(samples);
    let mut left = fails;
    let mut terms: Vec<Constraint> = Vec::new();
    while !left.is_empty() {
        if terms.len() == MOST_TERMS {
            return None;
        }
        let (term, covered) = conjunction(&comparisons, &left, &passes)?;
        // What holds of one sample only says nothing of others, unless there is no limit to them.
        if covered.len() == 1 && samples.len() > 1 && !is_limit(&term) {
            return None;
        }
        left.subtract(&covered);
        terms.push(term);
    }
    terms.into_iter().reduce(|all, next| all | next)
}

/// Whether a constraint says more than that some texts are certain numbers, which a grammar says as well.
pub(super) fn is_order(constraint: &Constraint) -> bool {
    match constraint {
        Constraint::Quantities(one, comparison, other) => {
            one.number().is_some() && other.number().is_some()
                || !matches!(comparison, Relation::Equal | Relation::Unequal)
        }
        Constraint::Texts(..) => false,
        Constraint::Not(inner) => is_order(inner),
        Constraint::And(left, right) | Constraint::Or(left, right) => is_order(left) || is_order(right),
    }
}

/// Whether a constraint is one comparison that says which of two quantities is larger.
fn is_limit(constraint: &Constraint) -> bool {
    matches!(constraint, Constraint::Quantities(_, Relation::Less | Relation::More, _))
}

id_type!(
    /// A sample, by its place.
    SampleId
);

/// Some of the samples.
type Samples = BitSet<SampleId>;

fn those(samples: &[Sample], is_one: impl Fn(&Sample) -> bool) -> Samples {
    let places = samples.iter().enumerate().filter(|(_, sample)| is_one(sample));
    places.map(|(index, _)| SampleId::new(index)).collect()
}

fn both(one: &Samples, other: &Samples) -> Samples {
    let mut both = one.clone();
    both.intersect_with(other);
    both
}

/// A comparison, with the samples of which it holds.
type Candidate = (Constraint, Samples);

/// All comparisons that differ on the samples, those first that say most: of two quantities.
fn comparisons(samples: &[Sample]) -> Vec<Candidate> {
    let mut numbers: Vec<u32> = samples.iter().flat_map(|sample| sample.texts.keys().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let is_integer = |number: &u32| {
        let texts = samples.iter().filter_map(|sample| sample.texts.get(number));
        let (whole, all) = texts
            .fold((0, 0), |(whole, all), text| (whole + usize::from(Integer::read(text).is_some()), all + 1));
        5 * whole >= 4 * all
    };
    let (integers, texts): (Vec<u32>, Vec<u32>) = numbers.iter().partition(|number| is_integer(number));
    let mut found: Vec<Constraint> = Vec::new();
    let quantities: Vec<Quantity> = integers
        .iter()
        .map(|&number| Quantity::Integer(number))
        .chain(texts.iter().map(|&number| Quantity::Length(number)))
        .collect();
    for (index, &one) in quantities.iter().enumerate() {
        for &other in &quantities[index + 1..] {
            let all = [
                Relation::Less,
                Relation::More,
                Relation::Equal,
                Relation::AtMost,
                Relation::AtLeast,
                Relation::Unequal,
            ];
            found.extend(all.map(|comparison| Constraint::Quantities(one, comparison, other)));
        }
    }
    for (index, &one) in texts.iter().enumerate() {
        for &other in &texts[index + 1..] {
            found.extend([true, false].map(|equal| Constraint::Texts(one, equal, other)));
        }
    }
    for &quantity in &quantities {
        for value in values(samples, quantity) {
            let constant = Quantity::Constant(value);
            let all = [Relation::Equal, Relation::More, Relation::Less, Relation::Unequal];
            found.extend(all.map(|comparison| Constraint::Quantities(quantity, comparison, constant)));
        }
    }
    let mut known: HashSet<Samples> = HashSet::new();
    let with_places = found.into_iter().map(|constraint| {
        let places =
            those(samples, |sample| constraint.holds(&|number| sample.texts.get(&number).map(Vec::as_slice)));
        (constraint, places)
    });
    let mut different: Vec<Candidate> =
        with_places.filter(|(_, places)| !places.is_empty() && known.insert(places.clone())).collect();
    keep_telling(&mut different, samples);
    different
}

/// Keeps those comparisons that tell most failing samples from passing ones, in their order, if there are too many.
fn keep_telling(comparisons: &mut Vec<Candidate>, samples: &[Sample]) {
    let sides = [true, false].map(|fails| those(samples, |sample| sample.fails == fails));
    let share = |side: &Samples, places: &Samples| side.common(places) as f64 / side.len().max(1) as f64;
    let tells = |places: &Samples| (share(&sides[0], places) - share(&sides[1], places)).abs();
    let mut order: Vec<usize> = (0..comparisons.len()).collect();
    order.sort_by(|&one, &other| tells(&comparisons[other].1).total_cmp(&tells(&comparisons[one].1)));
    let kept: HashSet<usize> = order.into_iter().take(MOST_COMPARISONS).collect();
    let mut index = 0..;
    comparisons.retain(|_| index.next().is_some_and(|index| kept.contains(&index)));
}

/// The values of a quantity in the samples.
fn values(samples: &[Sample], quantity: Quantity) -> Vec<i64> {
    let value = |sample: &Sample| match quantity {
        Quantity::Integer(number) => Integer::read(sample.texts.get(&number)?)?.to_i64(),
        Quantity::Length(number) => i64::try_from(sample.texts.get(&number)?.len()).ok(),
        Quantity::Constant(_) => None,
    };
    let mut values: Vec<i64> = samples.iter().filter_map(value).collect();
    // Round numbers and small ones first.
    values.sort_by_key(|value| (value.unsigned_abs().checked_ilog10(), *value));
    values.dedup();
    values
}

/// The shortest conjunction that holds of most of the wanted samples and of no unwanted one, with those of which it holds.
fn conjunction(comparisons: &[Candidate], wanted: &Samples, unwanted: &Samples) -> Option<Candidate> {
    let all = wanted.len();
    let mut best: Option<(usize, Candidate)> = None;
    for size in 1..=3 {
        let mut take = |places: Samples, parts: &[&Constraint]| {
            let count = both(&places, wanted).len();
            if count > best.as_ref().map_or(0, |(known, _)| *known)
                && !places.intersects(unwanted)
                && let Some(constraint) = parts.iter().copied().cloned().reduce(|all, next| all & next)
            {
                best = Some((count, (constraint, places)));
            }
        };
        for (index, (one, of_one)) in comparisons.iter().enumerate() {
            if size == 1 {
                take(of_one.clone(), &[one]);
                continue;
            }
            for (second, (other, of_other)) in comparisons.iter().enumerate().skip(index + 1) {
                let of_both = both(of_one, of_other);
                if size == 2 {
                    take(of_both, &[one, other]);
                    continue;
                }
                if of_both.intersects(wanted) {
                    for (third, of_third) in &comparisons[second + 1..] {
                        take(both(&of_both, of_third), &[one, other, third]);
                    }
                }
            }
        }
        if best.as_ref().is_some_and(|(count, _)| *count == all) {
            break;
        }
    }
    best.map(|(_, found)| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(texts: &[(&[&str], bool)]) -> Vec<Sample> {
        let sample = |(texts, fails): &(&[&str], bool)| Sample {
            texts: (1..).zip(texts.iter().map(|text| text.as_bytes().to_vec())).collect(),
            fails: *fails,
        };
        texts.iter().map(sample).collect()
    }

    #[test]
    fn the_simplest_constraint_is_found() {
        let texts = |texts: &[(&[&str], bool)]| divide(&samples(texts)).map(|found| found.to_string());
        let order = [
            (&["1", "2"][..], true),
            (&["2", "1"], false),
            (&["5", "5"], false),
            (&["7", "10"], true),
            (&["9", "3"], false),
        ];
        assert_eq!(texts(&order).as_deref(), Some("int($1) < int($2)"));
        let length =
            [(&["3", "ab"][..], true), (&["2", "ab"], false), (&["12", "abc"], true), (&["0", ""], false)];
        assert_eq!(texts(&length).as_deref(), Some("int($1) > len($2)"));
        let constant = [
            (&["417", "1"][..], true),
            (&["418", "1"], false),
            (&["416", "1"], false),
            (&["417", "9"], true),
        ];
        assert_eq!(texts(&constant).as_deref(), Some("int($1) = 417"));
        let different =
            [(&["ab", "cd"][..], true), (&["ab", "ab"], false), (&["x", "y"], true), (&["x", "x"], false)];
        assert_eq!(texts(&different).as_deref(), Some("$1 != $2"));
        let contradiction = [(&["1"][..], true), (&["1"], false)];
        assert_eq!(texts(&contradiction), None);
    }

    #[test]
    fn between_two_others_is_a_conjunction_and_outside_of_them_an_alternative() {
        let mut between = Vec::new();
        for x in 0..4 {
            for y in 0..4 {
                for z in 0..4 {
                    let texts =
                        (1..).zip([x, y, z].map(|value: i32| value.to_string().into_bytes())).collect();
                    between.push(Sample { texts, fails: y < x && x < z });
                }
            }
        }
        let found = divide(&between).map(|found| found.to_string());
        assert_eq!(found.as_deref(), Some("int($1) > int($2) & int($1) < int($3)"));
        between.iter_mut().for_each(|sample| sample.fails = !sample.fails);
        let found = divide(&between).map(|found| found.to_string());
        assert_eq!(found.as_deref(), Some("(int($1) <= int($2) | int($1) >= int($3))"));
    }
}
