//! Which inputs a hypothesis is compared on, and when it is right often enough.

use std::sync::Arc;

use super::comparing::Right;
use super::hypothesis::{Alternative, Want};
use super::tests_of_lists::with_learning;
use super::*;
use crate::parse::Parser;
use crate::produce::{LimitProducer, all_producers};
use crate::reduce::sample::{failing_oracle, grammar};

use super::super::{NoDictionary, RandomContextSampler};

/// What no exception can say is wrong now, and will be wrong again.
#[test]
fn an_answer_that_stays_wrong_ends_the_row_of_right_ones() {
    let grammar = Arc::new(grammar(&["doc = a text | b text", "text = . | c text | d text"]));
    with_learning(&grammar, "acd.", &|text| text == "acd.", &NoDictionary, |learning, accepts| {
        let doc = grammar.find("doc").unwrap();
        let starts_with_a = Alternative::Rule(grammar.rules_of(doc)[0], vec![Want::Any; 2].into());
        learning.hypothesis = Hypothesis::default();
        let root = learning.hypothesis.add(doc, vec![starts_with_a]);
        learning.hypothesis.add_root(root);
        learning.settings = LearnSettings { executions: 0, longest_exact: 0, ..learning.settings };
        let (_, passing) = learning.ask("acdcdcdcdc.".into()).unwrap().unwrap();
        let mut stable = learning.hypothesis.clone();
        let mut right = Right { failing: 9, passing: 9, random: 9, drawn: 9 };
        learning.narrow_by(&passing, &mut stable, &mut right).unwrap();
        assert!(accepts(learning, "acdcdcdcdc."));
        assert_eq!(right, Right { failing: 0, passing: 9, random: 9, drawn: 0 });
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
