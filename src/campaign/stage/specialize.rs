//! Makes the specialized grammar of an expression, and that of its negation, and counts what they derive.
//!
//! Nothing is believed of a transformer. Two laws are checked by counting derivations of each length: F
//! and not F together have as many as the base grammar, and each has as many as the grammar that
//! `automaton` makes. The first needs no second transformer, the second finds what is wrong on both sides
//! alike. Where an expression makes a transformer give up on one side, the other is still a result.

use std::sync::Arc;

use num_bigint::BigUint;

use crate::automaton::exact_counts;
use crate::base::budget::Interrupt;
use crate::base::limits::Limits;
use crate::grammar::Grammar;
use crate::parse::Parser;
use crate::pattern::Expression;
use crate::store::{Counts, Equality, Record, Side, Size, Specialize};
use crate::transform::{AutomatonTransformer, TransformError, Transformer};

use super::super::config::Settings;
use super::super::stopwatch::Stopwatch;
use super::{Done, limits};

/// An expression, and the grammar that it is about.
pub struct Given<'a> {
    /// The grammar's file, as its user calls it.
    pub file: &'a str,
    /// The grammar.
    pub grammar: &'a Arc<Grammar>,
    /// The expression.
    pub expression: &'a Arc<Expression>,
}

/// The specialized grammar of one side.
pub(super) fn side(
    grammar: &Arc<Grammar>,
    expression: &Arc<Expression>,
    transformer: &dyn Transformer,
    side: Side,
) -> Result<Arc<Grammar>, TransformError> {
    let expression = match side {
        Side::F => Arc::clone(expression),
        Side::NotF => Arc::new(expression.negated()),
    };
    Ok(transformer.specialize(grammar, &expression)?.grammar)
}

/// Specializes a grammar both ways; tells the sizes, and what counting up to a length says. The
/// time is that of specializing alone.
pub fn specialize(
    Given { file, grammar, expression }: Given<'_>,
    transformer: &dyn Transformer,
    settings: &Settings,
    interrupt: &Interrupt,
    stopwatch: &Stopwatch,
) -> Done {
    let limits = limits(settings, interrupt);
    let make = |transformer: &dyn Transformer, of| side(grammar, expression, transformer, of);
    let sides = [Side::F, Side::NotF].map(|of| make(transformer, of).map_err(|error| error.to_string()));
    stopwatch.stop();
    // Where the reference gives up there is none.
    let automaton = AutomatonTransformer::within(limits.clone());
    let reference = [Side::F, Side::NotF].map(|of| make(&automaton, of).ok());
    let base = Arc::new(grammar.with_start(expression.start));
    let given = sides.each_ref().map(|side| side.as_deref().ok());
    let mut counts = counts(&base, given, &reference, settings.counted, &limits);
    if let (true, Ok(counts)) = (expression.is_bound(), &mut counts) {
        // Both sides take bound nodes as abstract, so what differs in their texts alone is in both.
        counts.complement = None;
    }
    let [specialized, negated] = sides.map(|side| side.map(|grammar| size(&grammar)));
    let record = Specialize {
        transformer: transformer.name().to_owned(),
        grammar: file.to_owned(),
        formula: expression.formula_text(),
        expression: expression.text(grammar),
        base: size(grammar),
        // Where the tables reach a limit nothing is proved.
        is_unambiguous: Parser::within(base, &limits).is_ok_and(|parser| parser.is_proved_unambiguous()),
        specialized,
        negated,
        counts,
    };
    Ok((Record::Specialize(Box::new(record)), 0))
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
) -> Result<Counts, String> {
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
    Ok(Counts {
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
