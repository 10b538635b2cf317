//! What is learned where a program reports all mistakes, and of words in whatever case.

use std::sync::Arc;

use super::super::{NoDictionary, RandomContextSampler};
use super::comparing::Source;
use super::session::Learning;
use super::tests_of_lists::with_learning;
use super::*;
use crate::oracle::{Judgement, Oracle, OracleError};
use crate::parse::Parser;
use crate::produce::LimitProducer;
use crate::reduce::sample::grammar;

/// Functions with parameters of types, some of which have to be declared.
const FUNCTIONS: &[&str] = &[
    "doc = {} | item doc",
    "item = type name ; | def name ( params ) ;",
    "type = t",
    "params = param | param , params",
    "param = name default",
    "default = {} | =0",
    "name = a | b | c | i",
];

/// A compiler that reports all mistakes: a parameter without a default behind one that has one, and a type that is neither `i` nor declared.
struct Compiler;

impl Oracle for Compiler {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let text = String::from_utf8_lossy(input);
        let (mut is_bad, mut is_refused) = (false, false);
        for item in text.split(';').filter_map(|item| item.strip_prefix("def")) {
            let Some((_, params)) = item.split_once('(') else { continue };
            let params: Vec<&str> = params.trim_end_matches(')').split(',').collect();
            is_bad |= params.windows(2).any(|two| two[0].contains('=') && !two[1].contains('='));
            is_refused |= params.iter().any(|param| {
                let of = &param[..1];
                of != "i" && !text.contains(&format!("t{of};"))
            });
        }
        let verdict = if is_bad {
            Verdict::Fail
        } else if is_refused {
            Verdict::Unresolved
        } else {
            Verdict::Pass
        };
        Ok(Judgement::new(verdict, ""))
    }
}

fn controlled(reduced: &str, given: &str) -> Option<String> {
    let grammar = Arc::new(grammar(FUNCTIONS));
    let (parser, producer) = (Parser::new(Arc::clone(&grammar)), LimitProducer::new(Arc::clone(&grammar), 4));
    let tree = parser.first_tree(reduced.as_bytes()).unwrap().unwrap();
    let example = Example::new(&tree, &parser, &producer, given.as_bytes());
    let mut judge = Judge::new(&Compiler);
    let mut sampler = RandomContextSampler::new(&parser, &producer, 4);
    let mut stream = RandomStream::derive(1, "control");
    let settings = LearnSettings::default();
    let mut learning = Learning::new(settings, example, &mut sampler, &mut judge, &mut stream);
    let reduced = Input::parse(&parser, reduced.into(), parser.limits()).unwrap().unwrap();
    learning.simplified().unwrap();
    let controlled = learning.controlled(&reduced).unwrap();
    controlled.map(|input| String::from_utf8(input.text.clone()).unwrap())
}

#[test]
fn where_the_reduced_input_has_other_mistakes_the_given_one_is_reduced_without_them() {
    let given = "ta;tb;defc(i,i=0);defa(i,a=0,b,i);defb(i);";
    assert_eq!(controlled("defa(a=0,b);", given).as_deref(), Some("ta;defa(a=0,a);"));
    // It has none, or there is nothing to begin with.
    assert_eq!(controlled("defa(i=0,i);", given), None);
    assert_eq!(controlled("defa(a=0,b);", "defa(a=0,b);"), None);
}

#[test]
fn letters_of_a_word_are_learned_in_both_cases_where_none_of_them_matters() {
    let letters = "letter = a | b | c | A | B | C";
    let grammar = Arc::new(grammar(&["doc = < word >", "word = letter | letter word", letters]));
    let in_any_case = |text: &str| text.to_lowercase() == "<cab>";
    with_learning(&grammar, "<caB>", &in_any_case, &NoDictionary, |learning, accepts| {
        learning.try_cases().unwrap();
        for text in ["<cab>", "<CAB>", "<Cab>", "<cAb>"] {
            assert!(accepts(learning, text), "{text}");
        }
        for text in ["<cabb>", "<ca>", "<bac>"] {
            assert!(!accepts(learning, text), "{text}");
        }
        // Equal ones have one name, which is that of the word.
        let lines = learning.own_expression().unwrap().lines(&grammar).to_string();
        assert!(lines.contains("c_1>") && lines.contains("\"c\" | \"C\""), "{lines}");
    });
    // One of two cases is not any case.
    let in_two_cases = |text: &str| ["<cab>", "<CAB>"].contains(&text);
    with_learning(&grammar, "<cab>", &in_two_cases, &NoDictionary, |learning, accepts| {
        learning.try_cases().unwrap();
        assert!(!accepts(learning, "<cAb>") && !accepts(learning, "<Cab>"));
    });
}

#[test]
fn where_nothing_makes_the_given_input_pass_its_parts_are_taken_all_the_same() {
    let grammar = Arc::new(grammar(&["doc = < list >", "list = {} | item list", "item = a | b | c | d"]));
    with_learning(&grammar, "<ab>", &|_| true, &NoDictionary, |learning, _| {
        let item = learning.example.grammar.find("item").unwrap();
        assert_eq!(learning.known_part(item), None);
        learning.make_host().unwrap();
        for _ in 0..10 {
            assert!([&b"a"[..], b"b"].contains(&&learning.known_part(item).unwrap()[..]));
        }
    });
}

#[test]
fn passing_inputs_are_changed_as_soon_as_any_are_known() {
    let grammar = Arc::new(grammar(&["doc = < item > | [ item ]", "item = a | b | c"]));
    with_learning(&grammar, "<a>", &|text| text.contains('a'), &NoDictionary, |learning, _| {
        assert_eq!(learning.next(Source::PassingNeighbour).unwrap(), None);
        learning.ask(b"[b]".to_vec()).unwrap();
        let mut texts = Vec::new();
        for _ in 0..50 {
            texts.extend(learning.next(Source::PassingNeighbour).unwrap());
        }
        assert!(texts.contains(&b"[a]".to_vec()), "one that fails in another way than the known one");
        assert!(!texts.contains(&b"[b]".to_vec()));
    });
}
