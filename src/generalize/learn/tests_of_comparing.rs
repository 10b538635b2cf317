//! Which inputs a hypothesis is compared on, and when it is right often enough.

use std::sync::Arc;

use super::hypothesis::{Alternative, Want};
use super::tests_of_lists::with_learning;
use super::*;
use crate::parse::Parser;
use crate::produce::{LimitProducer, all_producers};
use crate::reduce::sample::{failing_oracle, grammar};

use super::super::{NoDictionary, RandomContextSampler};

/// No expression says which inputs pass of those that are accepted, so there are always some.
#[test]
fn what_is_wrong_now_and_then_is_never_right_often_enough_in_a_row() {
    let grammar = Arc::new(grammar(&["doc = a text | b text", "text = . | c text | d text"]));
    let hash = |text: &str| text.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31) + u32::from(byte));
    let fails = |text: &str| text.starts_with('a') && (hash(text) / 8) % 6 != 0;
    with_learning(&grammar, "acd.", &fails, &NoDictionary, |learning, _| {
        let doc = grammar.find("doc").unwrap();
        let starts_with_a = Alternative::Rule(grammar.rules_of(doc)[0], vec![Want::Any; 2].into());
        learning.hypothesis = Hypothesis::default();
        let root = learning.hypothesis.add(doc, vec![starts_with_a]);
        learning.hypothesis.add_root(root);
        learning.settings = LearnSettings { right: 30, executions: 160, ..learning.settings };
        learning.judge.allow(2_000);
        let mut stable = learning.hypothesis.clone();
        let compared = learning.refine(&mut stable, &mut Comparison::default(), u64::MAX);
        assert!(matches!(compared, Err(Halt::Stop(StopReason::Budget))), "{compared:?}");
    });
}

#[test]
fn random_inputs_have_the_habits_of_no_single_producer() {
    let grammar =
        Arc::new(grammar(&["doc = constant | call", "constant = p", "call = name", "name = f | g"]));
    let parser = Parser::new(Arc::clone(&grammar));
    let producer = LimitProducer::new(Arc::clone(&grammar), 0);
    let producers = all_producers(&grammar, parser.lexis(), 0, parser.limits()).unwrap();
    let given = parser.first_tree(b"p").unwrap().unwrap();
    let oracle = failing_oracle(&|_| true);
    for (producers, expected) in [(&producers[..], vec!["f", "g", "p"]), (&[], vec!["p"])] {
        let example = Example { producers, ..Example::new(&given, &parser, &producer, b"p") };
        let mut judge = Judge::new(&oracle);
        let mut sampler = RandomContextSampler::new(&parser, &producer, 0);
        let mut stream = RandomStream::derive(1, "random");
        let mut learning =
            Learning::new(LearnSettings::default(), example, &mut sampler, &mut judge, &mut stream);
        let mut found: Vec<String> =
            (0..100).map(|_| String::from_utf8(learning.random_input().unwrap().unwrap()).unwrap()).collect();
        found.sort();
        found.dedup();
        assert_eq!(found, expected);
    }
}
