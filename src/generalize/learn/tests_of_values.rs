//! What is learned of values: how numbers compare with each other, with lengths, and with limits.

use std::sync::Arc;

use super::super::NoDictionary;
use super::hypothesis::{Alternative, Want};
use super::tests::{is_learned, is_learned_by, learn_with, quick};
use super::tests_of_lists::with_learning;
use super::*;
use crate::base::integer::Integer;
use crate::parse::Parser;
use crate::pattern::{Constraint, Quantity, Relation};
use crate::reduce::sample::{failing_oracle, grammar};

/// Two numbers and a text.
const VALUES: &[&str] = &[
    "list = number , number : word",
    "number = digit | digit number",
    "digit = 0 | 1 | 2 | 3",
    "word = x | x word",
];

#[test]
fn how_numbers_compare_with_each_other_and_with_lengths_is_learned() {
    let parts = |text: &str| {
        let (numbers, word) = text.split_once(':')?;
        let (one, other) = numbers.split_once(',')?;
        Some((one.parse::<usize>().ok()?, other.parse::<usize>().ok()?, word.len()))
    };
    let is_less = |text: &str| parts(text).is_some_and(|(one, other, _)| one < other);
    let learned = is_learned(VALUES, "1,2:x", "1,32:xx", is_less);
    assert_eq!(learned.found.stop, StopReason::Done);
    is_learned(VALUES, "2,0:x", "31,0:xx", |text| parts(text).is_some_and(|(one, _, length)| one > length));
    is_learned(VALUES, "2,1:x", "2,1:x", |text| {
        parts(text).is_some_and(|(one, other, length)| other < one && other >= length)
    });
}

/// With some seeds the first generalization finds a number that failed in all contexts that were tried.
#[test]
fn a_number_is_compared_with_what_stands_around_it() {
    let rules = &[
        "beat = number : word",
        "number = digit | digit number",
        "digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9",
        "word = x | x word",
    ];
    let is_bad = |text: &str| {
        text.split_once(':').is_some_and(|(number, word)| number.parse().is_ok_and(|n: usize| n > word.len()))
    };
    for seed in 1..=8 {
        let settings = LearnSettings { executions: 300, ..LearnSettings::default() };
        let learner = Learn::new(GeneralizerSettings::of_checks(8), settings);
        is_learned_by(learner, seed, rules, "90:x", "90:x", is_bad);
    }
}

/// With whole numbers alone it would be said that those below zero fail.
#[test]
fn whole_numbers_are_not_compared_where_others_fail_too() {
    let rules = &[
        "call = root number | sine number",
        "number = whole | - whole | - whole . digit",
        "whole = digit | digit whole",
        "digit = 1 | 2 | 3",
    ];
    let is_bad = |text: &str| text.starts_with("root-");
    for seed in 1..=8 {
        let settings = LearnSettings { executions: 150, ..LearnSettings::default() };
        let learner = Learn::new(GeneralizerSettings::of_checks(20), settings);
        is_learned_by(learner, seed, rules, "root-2", "root-21.3", is_bad);
    }
}

/// Instructions of which two take small numbers only.
const INSTRUCTIONS: &[&str] = &[
    "program = line | line program",
    "line = instruction ;",
    "instruction = a register , number | b register , number | c register , number | d register",
    "register = p | q | r | s",
    "number = digits | - digits | 0x hexes",
    "digits = digit | digit digits",
    "digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9",
    "hexes = hex | hex hexes",
    "hex = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | a | b | c | d | e | f",
];

/// Asks what was learned about texts that are written down, not enumerated: limits are large numbers.
fn judges(
    seed: u64,
    rules: &[&str],
    reduced: &str,
    given: &str,
    asked: &[String],
    is_bad: impl Fn(&str) -> bool + Sync,
) {
    let grammar = Arc::new(grammar(rules));
    let fails = |input: &[u8]| is_bad(&String::from_utf8_lossy(input));
    let learned = learn_with(seed, &grammar, reduced, given, &failing_oracle(&fails), quick());
    let expression = learned.hypothesis.expression(&grammar);
    let parser = Parser::new(Arc::clone(&grammar));
    for text in asked {
        let tree = parser.first_tree(text.as_bytes()).unwrap().unwrap();
        let shown = || format!("{seed}: {text}: {}", expression.lines(&grammar));
        assert_eq!(expression.holds(&grammar, &tree), is_bad(text), "{}", shown());
    }
}

#[test]
fn limits_of_numbers_are_found_in_each_instruction_and_notation() {
    let is_out = |number: &str| {
        let (low, high) = (Integer::read(b"-200"), Integer::read(b"190"));
        Integer::read(number.as_bytes())
            .is_some_and(|it| Some(&it) < low.as_ref() || Some(&it) > high.as_ref())
    };
    let is_bad = |text: &str| {
        let mut limited = text.split(';').filter(|line| line.starts_with(['a', 'b']));
        limited.any(|line| line.split_once(',').is_some_and(|(_, number)| is_out(number)))
    };
    let numbers =
        ["-100000", "-201", "-200", "-1", "0", "9", "190", "191", "0xbe", "0xbf", "0x10000", "123456789"];
    let asked: Vec<String> = numbers
        .iter()
        .flat_map(|number| ["a", "b", "c"].map(|name| format!("dp;{name}q,{number};ar,7;ds;")))
        .collect();
    for seed in 1..=3 {
        judges(seed, INSTRUCTIONS, "bq,300;", "dp;ap,5;bq,300;cq,8000;", &asked, is_bad);
    }
}

#[test]
fn numbers_that_are_equal_may_be_written_otherwise() {
    let rules = &[
        "pair = number = number ;",
        "number = digits | 0x hexes",
        "digits = digit | digit digits",
        "digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9",
        "hexes = hex | hex hexes",
        "hex = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | a | b | c | d | e | f",
    ];
    let is_bad = |text: &str| {
        let sides = text.trim_end_matches(';').split_once('=');
        sides.is_some_and(|(one, other)| Integer::read(one.as_bytes()) == Integer::read(other.as_bytes()))
    };
    let numbers = ["0", "00", "0x0", "7", "16", "0x10", "0x010", "99", "0x63", "12345", "0x3039"];
    let asked: Vec<String> =
        numbers.iter().flat_map(|one| numbers.map(|other| format!("{one}={other};"))).collect();
    for reduced in ["7=7;", "16=0x10;"] {
        judges(1, rules, reduced, reduced, &asked, is_bad);
    }
}

/// Else whatever number there is would be accepted.
#[test]
fn what_is_asked_of_a_number_is_asked_in_the_contexts_in_which_it_fails() {
    let grammar = Arc::new(grammar(&[
        "doc = plain item | quoted item",
        "item = [ number ]",
        "number = digit | digit number",
        "digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9",
    ]));
    let number = |text: &str| text.trim_matches(|it: char| !it.is_ascii_digit()).parse::<u64>().unwrap();
    let fails = |text: &str| text.starts_with("plain") && number(text) > 65;
    with_learning(&grammar, "plain[93]", &fails, &NoDictionary, |learning, accepts| {
        let item = grammar.find("item").unwrap();
        let of_number = learning.hypothesis.new_number();
        let bound = [(1, Want::Bound(of_number))];
        let rule = Alternative::of_rule_with(&grammar, grammar.rules_of(item)[0], bound);
        let root = learning.hypothesis.add(item, vec![rule]);
        learning.hypothesis.set_roots(vec![root]);
        let constraint =
            Constraint::Quantities(Quantity::Integer(of_number), Relation::More, Quantity::Constant(65));
        learning.hypothesis.constrain(root, Some(constraint));
        assert!(accepts(learning, "quoted[93]"));
        let (_, passing) = learning.ask("quoted[93]".into()).unwrap().unwrap();
        assert!(learning.lift(&passing));
        for text in ["plain[66]", "plain[65]", "plain[4]", "plain[1000]", "quoted[66]", "quoted[7]"] {
            assert_eq!(accepts(learning, text), fails(text), "{text}");
        }
    });
}
