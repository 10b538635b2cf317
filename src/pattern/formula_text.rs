//! Formulas as text.
//!
//! Two notations, which mix freely: operators (`E & !N`, `A -> B | C`) and functions
//! (`and(E,neg(N))`). From the tightest: `!`, `&`, `^` (xor), `|`, `->` (implies, to the right).
//! Words may stand for the operators: `not neg and xor or implies`. What is said of occurrences:
//! `E`, `at least 2 E`, `at most 2 E`, `exactly 2 E`, `E inside N`, `E before N`, `root E`, and of one occurrence
//! `some E with !(S before it) & !(it inside G)`.
//!
//! The condition of a placeholder is a formula as well, about its node: there `E` says that E occurs at that very
//! node, and `has E` that it occurs at or below it.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::id::Id;

use super::condition::Condition;
use super::definitions::Definitions;
use super::expression::{Formula, PatternId};
use super::formula_reader::Reader;

/// Words that mean something in formulas, and so are no names.
pub const RESERVED: [&str; 19] = [
    "not", "neg", "and", "or", "xor", "implies", "true", "false", "at", "exactly", "inside", "before",
    "root", "where", "has", "some", "with", "it", "within",
];

/// What a formula is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A derivation tree.
    Tree,
    /// The node of a placeholder.
    Node,
}

/// Reads the formula in `span` of `source`, in which `names` stand for patterns.
///
/// # Errors
/// When it is no formula, or a name stands for nothing.
pub fn read_formula(
    source: &Arc<Source>,
    span: Range<usize>,
    names: &[String],
) -> Result<Formula, Diagnostic> {
    read_with(source, span, names, &mut |_| None)
}

/// As [`read_formula`]; what is no pattern's name may be the name of a formula, which `named` gives.
pub(super) fn read_with(
    source: &Arc<Source>,
    span: Range<usize>,
    names: &[String],
    named: &mut dyn FnMut(&str) -> Option<Result<Formula, Diagnostic>>,
) -> Result<Formula, Diagnostic> {
    let find = &mut |word: &str, _| names.iter().position(|name| name == word).map(PatternId::new);
    let place = Place::Tree;
    let at = span.start;
    Reader { source, end: span.end, at, place, find, names, named, depth: 0 }.whole()
}

/// Reads the condition of a placeholder in `span` of `source`. Its names may be defined later.
///
/// # Errors
/// When it is no condition.
pub(super) fn read_condition(
    source: &Arc<Source>,
    span: Range<usize>,
    definitions: &mut Definitions,
) -> Result<Condition, Diagnostic> {
    let find = &mut |word: &str, span| Some(definitions.used(word, source, span));
    let named = &mut |_: &str| None;
    let (place, at, end) = (Place::Node, span.start, span.end);
    let formula = Reader { source, end, at, place, find, names: &[], named, depth: 0 }.whole()?;
    let condition = Condition::of_formula(&formula);
    Ok(condition.expect("what is read about a node is a condition"))
}

/// A formula as text that reads back, given what its names are called.
pub(super) fn formula_text(formula: &Formula, place: Place, names: &dyn Fn(PatternId) -> String) -> String {
    let mut text = String::new();
    write(formula, place, names, 0, &mut text);
    text
}

/// `binding` is how tightly the surrounding operator binds.
fn write(
    formula: &Formula,
    place: Place,
    names: &dyn Fn(PatternId) -> String,
    binding: u8,
    text: &mut String,
) {
    let (own, left, operator, right): (u8, &Formula, &str, &Formula) = match formula {
        Formula::Constant(value) => return text.push_str(if *value { "true" } else { "false" }),
        Formula::Contains(name) if place == Place::Node => {
            return text.push_str(&format!("has {}", names(*name)));
        }
        Formula::Root(name) if place == Place::Node => return text.push_str(&names(*name)),
        Formula::Contains(name) => return text.push_str(&names(*name)),
        Formula::Count(bound, number, name) => {
            return text.push_str(&format!("{} {number} {}", bound.as_str(), names(*name)));
        }
        Formula::Inside(inner, outer) => {
            return text.push_str(&format!("{} inside {}", names(*inner), names(*outer)));
        }
        Formula::Before(first, second) => {
            return text.push_str(&format!("{} before {}", names(*first), names(*second)));
        }
        Formula::Root(name) => return text.push_str(&format!("root {}", names(*name))),
        Formula::Some(name, surroundings) if surroundings.is_empty() => return text.push_str(&names(*name)),
        Formula::Some(name, surroundings) => {
            let said: Vec<String> = surroundings.iter().map(|it| it.text(&names)).collect();
            let statement = format!("some {} with {}", names(*name), said.join(" & "));
            // What is joined to it by `&` would be taken as said of the occurrence.
            let (open, close) = if binding >= 3 { ("(", ")") } else { ("", "") };
            return text.push_str(&format!("{open}{statement}{close}"));
        }
        Formula::Not(inner) => {
            text.push('!');
            return write(inner, place, names, 4, text);
        }
        Formula::And(left, right) => (4, left, " & ", right),
        Formula::Xor(left, right) => (3, left, " ^ ", right),
        Formula::Or(left, right) => (2, left, " | ", right),
        Formula::Implies(left, right) => (1, left, " implies ", right),
    };
    // Equal operators need no brackets on the side on which they associate.
    let (of_left, of_right) = if own == 1 { (own, own - 1) } else { (own - 1, own) };
    if own <= binding {
        text.push('(');
    }
    write(left, place, names, of_left, text);
    text.push_str(operator);
    write(right, place, names, of_right, text);
    if own <= binding {
        text.push(')');
    }
}

/// Whether a pattern's name may hold this character.
pub(super) fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

#[cfg(test)]
mod tests {
    use super::super::expression::Occurrence;
    use super::*;
    use crate::base::id::IdVec;
    use crate::pattern::arbitrary::formulas_with_surroundings;
    use proptest::prelude::*;

    fn names() -> Vec<String> {
        ["A", "B", "C", "1"].map(String::from).to_vec()
    }

    fn read(text: &str) -> Result<Formula, Diagnostic> {
        read_formula(&Source::new("formula", text), 0..text.len(), &names())
    }

    fn write(formula: &Formula) -> String {
        formula_text(formula, Place::Tree, &|id| names()[id.index()].clone())
    }

    #[test]
    fn both_notations_mean_the_same() {
        for (one, other) in [
            ("A & !B", "and(A,neg(B))"),
            ("A | B & C", "or(A, and(B, C))"),
            ("!(A & B & C)", "neg(and(A,B,C))"),
            ("A and not B or C xor 1", "A & !B | (C ^ 1)"),
            ("A -> B -> C", "implies(A, implies(B, C))"),
            ("A && B || C", "or(and(A,B),C)"),
            ("!at least 2 A & B inside C", "and(neg(at least 2 A), B inside C)"),
            (
                "some A with !(B before it) & it inside C | B",
                "or((some A with not B before it and (it inside C)), B)",
            ),
            ("(some A with it before B) & C", "and(some A with !!it before B, C)"),
        ] {
            assert_eq!(read(one), read(other), "{one} and {other}");
        }
    }

    #[test]
    fn what_is_no_formula_is_refused_with_its_place() {
        let errors: Vec<String> = [
            "",
            "A &",
            "A B",
            "(A",
            "A & (B | D)",
            "and(A,",
            "A % B",
            "and",
            "A & a",
            "at 2 A",
            "exactly A",
            "A inside",
            "root (A)",
            "at most 9999 A",
            "some A",
            "some A with B",
            "some A with B before C",
            "some A with it inside D",
            "some A with !(it before B & C",
            "some A with (it before B & A before it)",
            "some A with A before it & A before it & A before it & A before it & A before it & A before it & A before it",
        ]
        .into_iter()
        .map(|text| read(text).unwrap_err().to_string())
        .collect();
        insta::assert_snapshot!(errors.join("\n\n"));
        assert!(read(&"(".repeat(100_000)).is_err());
        assert!(read(&"!".repeat(100_001)).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_with_the_same_meaning(
            formula in formulas_with_surroundings(4),
            spans in proptest::collection::vec((0usize..4, 0usize..6, 1usize..4), 0..8),
        ) {
            let mut occurrences: IdVec<PatternId, Vec<Occurrence>> = IdVec::filled(Vec::new(), 4);
            for (pattern, begin, length) in spans {
                let node = crate::tree::NodeId::new(begin);
                occurrences[PatternId::new(pattern)].push(Occurrence { node, begin, end: begin + length });
            }
            let text = write(&formula);
            let back = read(&text).unwrap();
            prop_assert_eq!(formula.holds(&occurrences), back.holds(&occurrences), "{}", text);
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[AB1()!&|^, \\->a-z%é]{0,40}") {
            let _ = read(&text);
        }
    }
}
