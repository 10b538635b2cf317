//! What fails with something in it at any depth.

use std::sync::Arc;

use crate::reduce::sample::grammar;

use super::super::NoDictionary;
use super::hypothesis::Want;
use super::tests::is_learned_with;
use super::tests_of_lists::with_learning;

/// Parts in lists, in brackets of two kinds.
const PARTS: &[&str] = &["list = . | part list", "part = a | n | f ( list ) | ( list )"];

/// Whether an `n` stands in the brackets of an `f`, however deep.
fn is_in_f(text: &str) -> bool {
    let mut open: Vec<bool> = Vec::new();
    let mut previous = ' ';
    for c in text.chars() {
        match c {
            '(' => open.push(previous == 'f' || open.last() == Some(&true)),
            ')' => {
                open.pop();
            }
            'n' if open.last() == Some(&true) => return true,
            _ => {}
        }
        previous = c;
    }
    false
}

#[test]
fn a_part_that_fails_inside_of_another_one_does_so_at_any_depth() {
    for seed in 1..=3 {
        let learned = is_learned_with(seed, PARTS, "f(n.).", "af(a(n.)a.)n.", is_in_f);
        let grammar = grammar(PARTS);
        println!(
            "{seed} {} {:?}",
            learned.executions,
            learned.hypothesis.expression(&grammar).lines(&grammar)
        );
    }
}

#[test]
fn an_equal_part_may_be_anywhere_in_another_one() {
    let rules = &["pair = name = sum", "name = a | b | c", "sum = name | ( sum ) | name + sum"];
    let is_there = |text: &str| text.split_once('=').is_some_and(|(name, sum)| sum.contains(name));
    for seed in 1..=3 {
        let learned = is_learned_with(seed, rules, "a=a", "b=(a+(b+c))", is_there);
        println!("{seed} {}", learned.executions);
    }
    let grammar = Arc::new(grammar(rules));
    with_learning(&grammar, "a=a", &is_there, &NoDictionary, |learning, accepts| {
        let number = learning.hypothesis.new_number();
        let root = learning.hypothesis.roots()[0];
        let sum = learning.hypothesis.mentioned(root)[1];
        for class in [root, sum] {
            learning.hypothesis.set_want(class, 0, 0, Want::Bound(number));
        }
        let (_, other) = learning.ask(b"b=(a+(b+c))".to_vec()).unwrap().unwrap();
        learning.positive_in_steps(&other, u64::MAX).unwrap();
        for text in ["a=a", "b=(a+(b+c))", "c=(((c)))", "a=a+(b+c)"] {
            assert_eq!(accepts(learning, text), is_there(text), "{text}");
        }
        assert!(!accepts(learning, "a=(b+(c+b))"));
    });
}
