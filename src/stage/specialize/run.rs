//! Makes the specialized grammar of an expression, and that of its negation, and counts what they derive.
//!
//! Nothing is believed of a transformer. Two laws are checked by counting derivations of each length: F
//! and not F together have as many as the base grammar, and each has as many as the grammar that
//! `automaton` makes. The first needs no second transformer, the second finds what is wrong on both sides
//! alike. Lengths below that of the shortest input of F would show nothing of F, so counting goes beyond it. Where an expression makes a transformer give up on one side, the other is still a result.

use std::sync::Arc;

use num_bigint::BigUint;

use crate::automaton::{CountError, exact_counts};
use crate::base::limits::{Exceeded, Limits};
use crate::grammar::Grammar;
use crate::grammar::analysis::least_length;
use crate::parse::Parser;
use crate::transform::{AutomatonTransformer, Transformer};

use super::super::context::Context;
use super::super::error::StageError;
use super::super::produce::Side;
use super::{DerivationCounts, Equality, Size, SpecializeRecord, SpecializeTask};

/// Specializes a grammar both ways; tells the sizes, and what counting up to a length says. The
/// time is that of specializing alone.
pub(super) fn specialize(
    task: &SpecializeTask,
    context: &Context<'_>,
) -> Result<SpecializeRecord, StageError> {
    let given = context.expression(&task.expression)?;
    let transformer = context.transformer(&task.transformer)?;
    let (grammar, expression, limits) = (&given.grammar, &given.expression, context.limits());
    let sides = [Side::F, Side::NotF].map(|side| given.specialize(&*transformer, side));
    context.stopwatch.stop();
    let [specialized, negated] = sides;
    let sides = [specialized, negated].map(|made| made.map_err(StageError::from));
    if sides.iter().any(|side| matches!(side, Err(StageError::Interrupted))) {
        return Err(StageError::Interrupted);
    }
    // Why a transformer made nothing is a part of the record.
    let sides = sides.map(|side| side.map_err(|error| error.to_string()));
    // Where the reference gives up there is none.
    let automaton = AutomatonTransformer::within(limits.clone());
    let reference = match transformer.name() == automaton.name() {
        // It would agree with itself whatever it does.
        true => [None, None],
        false => [Side::F, Side::NotF].map(|side| given.specialized(&automaton, side).ok()),
    };
    let base = Arc::new(grammar.with_start(expression.start));
    let made = sides.each_ref().map(|side| side.as_deref().ok());
    let mut counts = counts(&base, made, &reference, context.settings.specialize.length, &limits);
    if let (true, Ok(counts)) = (expression.is_bound(), &mut counts) {
        // Both sides take bound nodes as abstract, so what differs in their texts alone is in both.
        counts.complement = None;
    }
    let [specialized, negated] = sides.map(|side| side.map(|grammar| size(&grammar)));
    Ok(SpecializeRecord {
        grammar_file: given.file.clone(),
        formula: expression.formula_text(),
        expression: expression.text(grammar),
        base: size(grammar),
        // Where the tables reach a limit nothing is proved.
        is_unambiguous: Parser::within(base, &limits).is_ok_and(|parser| parser.is_proved_unambiguous()),
        specialized,
        negated,
        counts,
    })
}

fn size(grammar: &Grammar) -> Size {
    Size { nonterminals: grammar.nonterminals().len() as u64, rules: grammar.rules().len() as u64 }
}

/// What can be said by counting of the grammars that there are: up to `beyond` bytes more than the shortest input of F has, or
/// as many as the limits allow. Counting that does not reach F says nothing of it.
fn counts(
    base: &Grammar,
    made: [Option<&Grammar>; 2],
    reference: &[Option<Arc<Grammar>>; 2],
    beyond: usize,
    limits: &Limits,
) -> Result<DerivationCounts, String> {
    let shortest = |grammar: &Grammar| least_length(grammar).cost[grammar.start()];
    let of_f = made[0].into_iter().chain(reference[0].as_deref());
    let shortest =
        of_f.filter_map(shortest).max().map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    let begin = shortest.unwrap_or(0);
    let halves = std::iter::successors(Some(beyond), |&beyond| (beyond > 0).then_some(beyond / 2));
    let mut lengths: Vec<usize> = halves.map(|beyond| begin.saturating_add(beyond)).collect();
    // Where F is out of reach, the others can still be counted.
    lengths.extend(Some(beyond).filter(|&beyond| beyond < begin));
    let mut found = Err(String::new());
    for longest in lengths {
        match counts_up_to(base, made, reference, shortest, longest, limits) {
            Err(NotCounted {
                error: CountError::TooLong(_) | CountError::Exceeded(Exceeded::Steps(_)),
                what,
            }) => {
                let wrong = format!("{what} cannot be counted up to {longest} bytes: there are too many");
                found = found.and(Err(wrong));
            }
            counted => {
                return counted
                    .map_err(|NotCounted { what, error }| format!("{what} cannot be counted: {error}"));
            }
        }
    }
    found
}

/// What cannot be counted, and why.
struct NotCounted {
    what: &'static str,
    error: CountError,
}

/// What counting up to a length says. `shortest` is the length of the shortest input of F, if it has any.
fn counts_up_to(
    base: &Grammar,
    [specialized, negated]: [Option<&Grammar>; 2],
    [of_specialized, of_negated]: &[Option<Arc<Grammar>>; 2],
    shortest: Option<usize>,
    longest: usize,
    limits: &Limits,
) -> Result<DerivationCounts, NotCounted> {
    let count = |what, grammar: Option<&Grammar>| match grammar {
        None => Ok(None),
        Some(grammar) => match exact_counts(grammar, grammar.start(), longest, &mut limits.meter()) {
            Ok(numbers) => Ok(Some(numbers)),
            Err(error) => Err(NotCounted { what, error }),
        },
    };
    let base = count("the derivations of the base grammar", Some(base))?.unwrap_or_default();
    let specialized = count("the derivations of F", specialized)?;
    let negated = count("the derivations of not F", negated)?;
    let of_specialized = count("the derivations of F of `automaton`", of_specialized.as_deref())?;
    let of_negated = count("the derivations of not F of `automaton`", of_negated.as_deref())?;
    let is_reached = shortest.is_none_or(|shortest| shortest <= longest);
    let complement = specialized.as_ref().zip(negated.as_ref()).filter(|_| is_reached).map(|(one, other)| {
        let sums: Vec<BigUint> = one.iter().zip(other).map(|(one, other)| one + other).collect();
        compare([(&sums, &base)])
    });
    let pairs = [(&specialized, &of_specialized), (&negated, &of_negated)];
    let pairs: Vec<_> =
        pairs.into_iter().filter_map(|(one, other)| one.as_ref().zip(other.as_ref())).collect();
    let total = |numbers: &Vec<BigUint>| numbers.iter().sum::<BigUint>().to_string();
    Ok(DerivationCounts {
        shortest: shortest.map(|shortest| shortest as u64),
        longest: longest as u64,
        base: total(&base),
        specialized: specialized.as_ref().map(total),
        negated: negated.as_ref().map(total),
        complement,
        reference: (is_reached && !pairs.is_empty()).then(|| compare(pairs)),
    })
}

/// Whether the lists of each pair are equal, or the first place at which one is not.
fn compare<'a>(pairs: impl IntoIterator<Item = (&'a Vec<BigUint>, &'a Vec<BigUint>)>) -> Equality {
    let first = |(one, other): (&Vec<BigUint>, &Vec<BigUint>)| {
        one.iter().zip(other).position(|(one, other)| one != other)
    };
    match pairs.into_iter().filter_map(first).min() {
        None => Equality::Equal,
        Some(length) => Equality::DiffersAt(length as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diagnostic::Source;
    use crate::base::limits::Sizes;
    use crate::grammar::ebnf;

    const WORD: &str = "0123456789012345678901234";

    fn grammar(text: &str) -> Grammar {
        ebnf::read(&Source::new("a", text.replace("WORD", WORD))).unwrap().grammar
    }

    fn counted(f: &str, steps: u64) -> DerivationCounts {
        let base = grammar("<s> ::= <x>*\n<x> ::= \"a\" | \"WORD\"");
        let (f, not_f) = (grammar(f), grammar("<s> ::= \"a\"*"));
        let limits = Limits::of(Sizes { steps, ..Sizes::default() });
        counts(&base, [Some(&f), Some(&not_f)], &[None, None], 8, &limits).unwrap()
    }

    /// The word occurs.
    const RIGHT: &str = "<s> ::= \"a\"* \"WORD\" <x>*\n<x> ::= \"a\" | \"WORD\"";

    #[test]
    fn counting_goes_beyond_the_shortest_input_however_long_it_is() {
        let all = counted(RIGHT, 1_000_000);
        assert_eq!((all.shortest, all.longest, all.complement), (Some(25), 33, Some(Equality::Equal)));
        let wrong = counted("<s> ::= \"WORD\" \"a\"*", 1_000_000);
        assert_eq!((wrong.shortest, wrong.complement), (Some(25), Some(Equality::DiffersAt(26))));
    }

    #[test]
    fn as_many_lengths_are_counted_as_are_affordable_and_where_f_is_out_of_reach_nothing_is_said() {
        let steps = |longest| {
            let is_reached = |limits: &Limits| {
                let base = grammar(RIGHT);
                exact_counts(&base, base.start(), longest, &mut limits.meter()).is_ok()
            };
            Limits::fewest_steps(is_reached)
        };
        let fewer = counted(RIGHT, steps(29));
        assert_eq!((fewer.longest, fewer.complement), (29, Some(Equality::Equal)));
        let least = counted(RIGHT, steps(25));
        assert_eq!((least.longest, least.complement), (25, Some(Equality::Equal)));
        let none = counted(RIGHT, steps(24));
        assert_eq!((none.shortest, none.longest, none.complement), (Some(25), 8, None));
    }
}
