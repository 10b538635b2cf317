//! Makes the specialized grammar of an expression, and that of its negation, and counts what they derive.
//!
//! Nothing is believed of a transformer. Two laws are checked by counting derivations of each length: F
//! and not F together have as many as the base grammar, and each has as many as the grammar that
//! `automaton` makes. The first needs no second transformer, the second finds what is wrong on both sides
//! alike. Where an expression makes a transformer give up on one side, the other is still a result.

use std::sync::Arc;

use num_bigint::BigUint;

use crate::automaton::exact_counts;
use crate::base::limits::Limits;
use crate::grammar::Grammar;
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
    if context.interrupt.is_raised() {
        // The reference, or the counts, may be missing for that reason.
        return Err(StageError::Interrupted);
    }
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

/// What can be said by counting of the grammars that there are.
fn counts(
    base: &Grammar,
    [specialized, negated]: [Option<&Grammar>; 2],
    [of_specialized, of_negated]: &[Option<Arc<Grammar>>; 2],
    longest: usize,
    limits: &Limits,
) -> Result<DerivationCounts, String> {
    let count = |what: &str, grammar: Option<&Grammar>| match grammar {
        None => Ok(None),
        Some(grammar) => match exact_counts(grammar, grammar.start(), longest, &mut limits.meter()) {
            Ok(numbers) => Ok(Some(numbers)),
            Err(error) => Err(format!("{what} cannot be counted: {error}")),
        },
    };
    let base = count("the derivations of the base grammar", Some(base))?.unwrap_or_default();
    let specialized = count("the derivations of F", specialized)?;
    let negated = count("the derivations of not F", negated)?;
    let complement = specialized.as_ref().zip(negated.as_ref()).map(|(one, other)| {
        let sums: Vec<BigUint> = one.iter().zip(other).map(|(one, other)| one + other).collect();
        compare([(&sums, &base)])
    });
    let of_specialized = count("the derivations of F of `automaton`", of_specialized.as_deref())?;
    let of_negated = count("the derivations of not F of `automaton`", of_negated.as_deref())?;
    let pairs = [(&specialized, &of_specialized), (&negated, &of_negated)];
    let pairs: Vec<_> =
        pairs.into_iter().filter_map(|(one, other)| one.as_ref().zip(other.as_ref())).collect();
    let total = |numbers: &Vec<BigUint>| numbers.iter().sum::<BigUint>().to_string();
    Ok(DerivationCounts {
        longest: longest as u64,
        base: total(&base),
        specialized: specialized.as_ref().map(total),
        negated: negated.as_ref().map(total),
        complement,
        reference: (!pairs.is_empty()).then(|| compare(pairs)),
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
