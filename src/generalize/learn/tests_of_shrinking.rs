//! What makes an input plainer, and what of it may be anything as long as it is the same.

use std::sync::Arc;

use super::super::NoDictionary;
use super::super::RandomContextSampler;
use super::session::Learning;
use super::tests_of_lists::{lists, with_learning};
use super::*;
use crate::oracle::{Judgement, Oracle, OracleError};
use crate::parse::Parser;
use crate::produce::LimitProducer;
use crate::reduce::sample::grammar;

/// Refuses a name that is not declared, and fails with a `!`.
struct Declared;

impl Oracle for Declared {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let text = String::from_utf8_lossy(input);
        let verdict = match (text.contains("nn") && !text.contains("dnn"), text.contains('!')) {
            (true, _) => Verdict::Unresolved,
            (false, true) => Verdict::Fail,
            (false, false) => Verdict::Pass,
        };
        Ok(Judgement::new(verdict, ""))
    }
}

/// Blocks that jump to each other, of which the first one is `a` and only the last one has no jump; one to a block that is not there is refused. Fails with a `!`.
struct Jumps;

impl Oracle for Jumps {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let text = String::from_utf8_lossy(input);
        let blocks: Vec<(&str, &str)> = text.split(';').filter_map(|block| block.split_once(':')).collect();
        let is_there = |name: char| blocks.iter().any(|(known, _)| known.contains(name));
        let mut targets = blocks.iter().flat_map(|(_, body)| body.chars()).filter(|c| "abc".contains(*c));
        let ends = blocks.iter().filter(|(_, body)| body.ends_with('x')).count();
        let is_refused = !text.starts_with('a')
            || ends != 1
            || !text.ends_with("x;")
            || targets.any(|name| !is_there(name));
        let verdict = match (is_refused, text.contains('!')) {
            (true, _) => Verdict::Unresolved,
            (false, true) => Verdict::Fail,
            (false, false) => Verdict::Pass,
        };
        Ok(Judgement::new(verdict, ""))
    }
}

fn simplified(text: &str) -> Option<String> {
    simplified_by(
        &["doc = use decl end", "decl = . | d n n", "use = 0 | n n", "end = . | !"],
        &Declared,
        text,
    )
}

fn simplified_by(rules: &[&str], oracle: &dyn Oracle, text: &str) -> Option<String> {
    let grammar = Arc::new(grammar(rules));
    let (parser, producer) = (Parser::new(Arc::clone(&grammar)), LimitProducer::new(Arc::clone(&grammar), 4));
    let tree = parser.first_tree(text.as_bytes()).unwrap().unwrap();
    let example = Example::new(&tree, &parser, &producer, text.as_bytes());
    let mut judge = Judge::new(oracle);
    let mut sampler = RandomContextSampler::new(&parser, &producer, 4);
    let mut stream = RandomStream::derive(1, "shrinking");
    let settings = LearnSettings::default();
    let mut learning = Learning::new(settings, example, &mut sampler, &mut judge, &mut stream);
    let simplified = learning.simplified().unwrap();
    simplified.map(|input| String::from_utf8(input.text.clone()).unwrap())
}

#[test]
fn what_nothing_asks_for_any_more_is_left_out() {
    assert_eq!(simplified("nndnn!").as_deref(), Some("0.!"));
    // Nothing was refused for want of anything.
    assert_eq!(simplified("0dnn!"), None);
    assert_eq!(simplified("0.!"), None);
}

#[test]
fn a_shorter_part_that_stands_elsewhere_frees_what_a_longer_one_needs() {
    let rules = &[
        "program = block | block program",
        "block = name : body ;",
        "body = jump | ! jump",
        "jump = x | g name | i name name",
        "name = a | b | c",
    ];
    assert_eq!(simplified_by(rules, &Jumps, "a:ibc;b:gc;c:!x;").as_deref(), Some("a:gc;c:!x;"));
}

#[test]
fn a_long_list_is_made_shorter_by_halves() {
    let (many, few) = ("c".repeat(500), "b".repeat(200));
    let given = format!("<{many}a{few}a{many}>");
    let fails = |text: &str| text.matches('a').count() == 2;
    with_learning(&lists(), &given, &fails, &NoDictionary, |learning, _| {
        let input = Rc::clone(&learning.failing[0]);
        let before = learning.judge.executions();
        let shrunk = learning.shrink(input, Verdict::Fail, 100, &|_, _| true).unwrap();
        assert_eq!(String::from_utf8_lossy(&shrunk.text), "<aa>");
        assert!(learning.judge.executions() - before <= 100);
    });
}

#[test]
fn equal_parts_of_what_is_described_are_bound_where_they_may_be_anything() {
    let grammar = Arc::new(grammar(&["doc = < pair >", "pair = - | item item", "item = a | b | c"]));
    let fails = |text: &str| matches!(text, "<->" | "<aa>" | "<bb>" | "<cc>");
    with_learning(&grammar, "<->", &fails, &NoDictionary, |learning, accepts| {
        let (_, equal) = learning.ask(b"<bb>".to_vec()).unwrap().unwrap();
        assert!(!accepts(learning, "<bb>"));
        assert!(learning.positive(&equal).unwrap());
        for text in ["<->", "<aa>", "<bb>", "<cc>"] {
            assert!(accepts(learning, text), "{text}");
        }
        assert!(!accepts(learning, "<ab>") && !accepts(learning, "<ca>"));
    });
}
