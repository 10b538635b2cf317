//! What is learned of a pattern before failing inputs show it: more elements in lists, other orders, larger equal parts, and other words.

use std::rc::Rc;
use std::sync::Arc;

use super::*;
use crate::base::diagnostic::Source;
use crate::grammar::{Grammar, ebnf};
use crate::parse::Parser;
use crate::produce::LimitProducer;
use crate::reduce::sample::{failing_oracle, grammar};

use super::super::{Dictionary, NoDictionary, RandomContextSampler};
use super::hypothesis::Want;
use super::session::Learning;

/// Whether what was learned accepts an input.
type Accepts<'a> = dyn Fn(&Learning<'_, '_, '_>, &str) -> bool + 'a;

/// Learning that knows one failing input, of which each part is wanted as it is.
pub(super) fn with_learning(
    grammar: &Arc<Grammar>,
    given: &str,
    fails: &(dyn Fn(&str) -> bool + Sync),
    dictionary: &dyn Dictionary,
    test: impl FnOnce(&mut Learning<'_, '_, '_>, &Accepts<'_>),
) {
    let (parser, producer) = (Parser::new(Arc::clone(grammar)), LimitProducer::new(Arc::clone(grammar), 4));
    let tree = parser.first_tree(given.as_bytes()).unwrap().unwrap();
    let example = Example { dictionary, ..Example::new(&tree, &parser, &producer, given.as_bytes()) };
    let judged = |input: &[u8]| fails(&String::from_utf8_lossy(input));
    let oracle = failing_oracle(&judged);
    let mut judge = Judge::new(&oracle);
    let mut sampler = RandomContextSampler::new(&parser, &producer, 4);
    let mut stream = RandomStream::derive(1, "lists");
    let mut learning =
        Learning::new(LearnSettings::default(), example, &mut sampler, &mut judge, &mut stream);
    let (_, input) = learning.ask(given.into()).unwrap().unwrap();
    let root = input.tree.root();
    let exact = learning.exact(&input, root, input.tree.rule(root).unwrap());
    let root = learning.hypothesis.add(grammar.start(), vec![exact]);
    learning.hypothesis.add_root(root);
    let accepts = |learning: &Learning<'_, '_, '_>, text: &str| {
        let input = Input::parse(&parser, text.into(), parser.limits()).unwrap().unwrap();
        learning.accepts(&input)
    };
    assert!(accepts(&learning, given));
    test(&mut learning, &accepts);
}

/// Checks that what was learned accepts some inputs, and rejects others.
fn judges(learning: &Learning<'_, '_, '_>, accepts: &Accepts<'_>, accepted: &[&str], rejected: &[&str]) {
    for (texts, is_accepted) in [(accepted, true), (rejected, false)] {
        for text in texts {
            assert_eq!(accepts(learning, text), is_accepted, "{text}");
        }
    }
}

pub(super) fn lists() -> Arc<Grammar> {
    Arc::new(grammar(&["doc = < list >", "list = {} | item list", "item = a | b | c | ( list )"]))
}

#[test]
fn elements_between_those_of_a_pattern_are_found_not_to_matter() {
    let fails = |text: &str| text.contains('a') && text.find('a') < text.rfind('b');
    with_learning(&lists(), "<ab>", &fails, &NoDictionary, |learning, accepts| {
        assert!(!accepts(learning, "<acb>"));
        learning.try_lists().unwrap();
        judges(
            learning,
            accepts,
            &["<acb>", "<cab>", "<abc>", "<c(c)accb(a)>"],
            &["<>", "<a>", "<ba>", "<cb>"],
        );
    });
}

#[test]
fn nothing_is_let_in_between_where_it_matters() {
    let fails = |text: &str| text.contains("<ab>");
    with_learning(&lists(), "<ab>", &fails, &NoDictionary, |learning, accepts| {
        learning.try_lists().unwrap();
        learning.try_orders().unwrap();
        judges(learning, accepts, &[], &["<acb>", "<cab>", "<abc>", "<ba>"]);
    });
}

/// Learns what of `,a,b` behind the first element of a list fails.
fn with_root_behind_first(
    fails: &(dyn Fn(&str) -> bool + Sync),
    test: impl FnOnce(&mut Learning<'_, '_, '_>, &Accepts<'_>),
) {
    let rules =
        ["doc = < list >", "list = item rest", "rest = {} | , item rest", "item = a | b | c | ( list )"];
    with_learning(&Arc::new(grammar(&rules)), "<c,a,b>", fails, &NoDictionary, |learning, accepts| {
        let input = Rc::clone(&learning.failing[0]);
        let node = input.nodes().into_iter().find(|&node| input.text_of(node) == b",a,b").unwrap();
        let rule = input.tree.rule(node).unwrap();
        let exact = learning.exact(&input, node, rule);
        let rest = learning.hypothesis.add(learning.example.grammar.rule(rule).lhs, vec![exact]);
        learning.hypothesis.set_roots(vec![rest]);
        learning.try_first_elements().unwrap();
        test(learning, accepts);
    });
}

#[test]
fn what_is_asked_of_elements_that_repeat_is_asked_of_the_first_one() {
    with_root_behind_first(&|text| text.contains("a,b"), |learning, accepts| {
        judges(
            learning,
            accepts,
            &["<a,b>", "<c,(a,b),c>", "<c,c,a,b>"],
            &["<b>", "<b,c>", "<b,a>", "<(a),b>", "<a,c,b>"],
        );
    });
}

#[test]
fn what_is_asked_of_elements_that_repeat_is_not_asked_of_a_first_one_that_passes() {
    with_root_behind_first(&|text| text.contains(",a,b"), |learning, accepts| {
        assert!(accepts(learning, "<a,a,b>"));
        assert!(!accepts(learning, "<a,b>"));
    });
}

#[test]
fn elements_that_may_change_places_do_so_with_others_in_between_and_behind() {
    let fails = |text: &str| ["a", "b", "c"].iter().all(|item| text.contains(item));
    with_learning(&lists(), "<abc>", &fails, &NoDictionary, |learning, accepts| {
        learning.try_lists().unwrap();
        assert!(!accepts(learning, "<bac>"));
        learning.try_orders().unwrap();
        judges(
            learning,
            accepts,
            &["<abc>", "<bac>", "<acb>", "<bca>", "<aabbca>", "<b()a()c>"],
            &["<ab>", "<bbaa>", "<cca>"],
        );
    });
}

#[test]
fn elements_may_change_places_where_something_has_to_be_in_them_then() {
    let (list, field) = ("list = {} | field list", "field = a value ; | b value ;");
    let grammar = grammar(&["doc = < list >", list, field, "value = {} | letter value", "letter = v | w"]);
    let fails = |text: &str| match [text.find('a'), text.find('b'), text.find("b;")] {
        [Some(a), Some(b), empty] => a < b || empty != Some(b),
        _ => false,
    };
    with_learning(&Arc::new(grammar), "<a;b;>", &fails, &NoDictionary, |learning, accepts| {
        learning.try_lists().unwrap();
        learning.try_orders().unwrap();
        judges(
            learning,
            accepts,
            &["<a;b;>", "<av;bwv;>", "<bv;a;>", "<bvwv;aw;>"],
            &["<b;a;>", "<b;av;>", "<bv;>", "<a;>"],
        );
    });
}

#[test]
fn an_element_that_may_stand_beside_others_is_described() {
    let others: Vec<String> = ('a'..='p').map(|c| c.to_string()).collect();
    let item = format!("item = digit | {}", others.join(" | "));
    let grammar = grammar(&["doc = < list >", "list = {} | item list", &item, "digit = 0 | 1 | 2 | 3 | 4"]);
    let fails = |text: &str| {
        let digits = text.trim_matches(['<', '>']);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    with_learning(&Arc::new(grammar), "<0>", &fails, &NoDictionary, |learning, accepts| {
        let (_, longer) = learning.ask(b"<10>".to_vec()).unwrap().unwrap();
        // It is made smaller first.
        while !learning.accepts(&longer) {
            assert!(learning.positive(&longer).unwrap());
        }
        judges(learning, accepts, &["<10>", "<20>", "<4210>"], &["<>", "<a0>", "<0a>", "<1p0>"]);
    });
}

/// Lists with at least one element, the last of which is written by a rule of its own.
fn lists_with_a_last_element() -> Arc<Grammar> {
    Arc::new(grammar(&["doc = < list >", "list = item | item list", "item = a | b | c | ( list )"]))
}

#[test]
fn elements_behind_the_last_one_are_found_not_to_matter() {
    let fails = |text: &str| text.contains('a') && text.find('a') < text.rfind('b');
    with_learning(&lists_with_a_last_element(), "<ab>", &fails, &NoDictionary, |learning, accepts| {
        assert!(!accepts(learning, "<abc>"));
        learning.try_lists().unwrap();
        judges(learning, accepts, &["<acb>", "<abc>", "<cabcc>"], &["<a>", "<b>", "<ba>", "<cbc>"]);
    });
}

#[test]
fn nothing_is_let_in_behind_the_last_one_where_it_matters() {
    let fails = |text: &str| text.contains("ab>");
    with_learning(&lists_with_a_last_element(), "<ab>", &fails, &NoDictionary, |learning, accepts| {
        learning.try_lists().unwrap();
        judges(learning, accepts, &["<ab>", "<cab>"], &["<abc>", "<acb>", "<ba>"]);
    });
}

#[test]
fn the_last_element_may_change_places_as_well() {
    let fails = |text: &str| text.contains('a') && text.contains('b');
    with_learning(&lists_with_a_last_element(), "<ab>", &fails, &NoDictionary, |learning, accepts| {
        learning.try_lists().unwrap();
        assert!(!accepts(learning, "<ba>"));
        learning.try_orders().unwrap();
        judges(learning, accepts, &["<ba>", "<cbca>", "<bca>"], &["<b>", "<a>", "<aca>"]);
    });
}

/// Learns what fails of `<0-0>`, of which both digits are known to be equal.
fn with_equal_digits(
    fails: &(dyn Fn(&str) -> bool + Sync),
    test: impl FnOnce(&mut Learning<'_, '_, '_>, &Accepts<'_>),
) {
    let rules = ["doc = < value - value >", "value = number | letter value | letter", "number = sign digit"];
    let words = ["sign = {} | +", "letter = a | b", "digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9"];
    let grammar = Arc::new(grammar(&[rules, words].concat()));
    with_learning(&grammar, "<0-0>", fails, &NoDictionary, |learning, accepts| {
        let number = learning.hypothesis.new_number();
        for value in learning.hypothesis.mentioned(learning.hypothesis.roots()[0]) {
            for of_value in learning.hypothesis.mentioned(value) {
                learning.hypothesis.set_want(of_value, 0, 1, Want::Bound(number));
            }
        }
        judges(learning, accepts, &["<7-7>"], &["<7-8>", "<+7-+7>", "<ab-ab>"]);
        learning.lift_bound(learning.hypothesis.roots()[0]).unwrap();
        test(learning, accepts);
    });
}

#[test]
fn of_equal_parts_the_largest_ones_are_bound() {
    let equal = |text: &str| text.trim_matches(['<', '>']).split_once('-').is_some_and(|(a, b)| a == b);
    with_equal_digits(&equal, |learning, accepts| {
        judges(learning, accepts, &["<7-7>", "<+7-+7>", "<ab-ab>"], &["<7-8>", "<+7-7>", "<ab-ba>"]);
    });
    let numbers = |text: &str| equal(text) && !text.contains(['a', 'b']);
    with_equal_digits(&numbers, |learning, accepts| {
        judges(learning, accepts, &["<7-7>", "<+7-+7>"], &["<7-8>", "<+7-7>", "<ab-ab>"]);
    });
}

/// Two words that stand together, and one that stands beside the second.
struct Words;

impl Dictionary for Words {
    fn similar(&self, word: &[u8], _: usize) -> Vec<Vec<u8>> {
        let near: &[&str] = match word {
            b"let" => &["no word", "put", "loop"],
            b"loop" => &["let", "letfn"],
            _ => &[],
        };
        near.iter().map(|word| word.as_bytes().to_vec()).collect()
    }
}

#[test]
fn words_near_those_of_a_pattern_and_near_these_are_tried_in_their_place() {
    let text = "@start <form>\n<form> ::= \"(\" <word> \")\"\n@token <word> ::= [a-z]+\n";
    let grammar = Arc::new(ebnf::read(&Source::new("words", text)).unwrap().grammar);
    let fails = |text: &str| ["(let)", "(loop)", "(letfn)"].contains(&text);
    with_learning(&grammar, "(let)", &fails, &Words, |learning, accepts| {
        learning.try_program_words().unwrap();
        assert!(accepts(learning, "(loop)") && accepts(learning, "(letfn)"));
        assert!(!accepts(learning, "(put)") && !accepts(learning, "(no)"));
    });
}

#[test]
fn what_is_asked_of_the_first_element_is_asked_of_any() {
    let grammar = grammar(&["doc = < item more >", "more = {} | , item more", "item = a | b | c"]);
    let fails = |text: &str| text.contains("a");
    with_learning(&Arc::new(grammar), "<a>", &fails, &NoDictionary, |learning, accepts| {
        assert!(!accepts(learning, "<b,a>"));
        learning.try_lists().unwrap();
        judges(learning, accepts, &["<a>", "<b,a>", "<b,c,b,a,b>"], &["<b>", "<b,c,b>"]);
    });
}

#[test]
fn what_is_asked_of_a_rule_is_asked_of_one_with_the_same_parts() {
    let rules = ["doc = < more > | [ others ] | more", "more = {} | item more", "others = {} | item others"];
    let grammar = Arc::new(grammar(&[rules[0], rules[1], rules[2], "item = a | b | c"]));
    let fails = |text: &str| text.contains('a') && text.contains(['<', '[']);
    with_learning(&grammar, "<a>", &fails, &NoDictionary, |learning, accepts| {
        learning.try_lists().unwrap();
        assert!(accepts(learning, "<bab>") && !accepts(learning, "[a]"));
        learning.try_alike().unwrap();
        judges(learning, accepts, &["<a>", "[a]", "[cab]"], &["[]", "[b]", "a", "bab"]);
    });
}

/// Lists at two places of a grammar are two nonterminals with the same rules.
#[test]
fn what_is_asked_of_a_list_is_asked_of_one_at_another_place() {
    let rules =
        ["doc = < list > | [ other ]", "list = . | item list", "other = . | item other", "item = a | x"];
    let grammar = Arc::new(grammar(&rules));
    let anywhere = |text: &str| text.contains("xx");
    let in_first = |text: &str| text.contains("xx") && text.starts_with('<');
    for (fails, is_in_both) in [(&anywhere as &(dyn Fn(&str) -> bool + Sync), true), (&in_first, false)] {
        with_learning(&grammar, "<xx.>", fails, &NoDictionary, |learning, accepts| {
            let root = learning.hypothesis.roots()[0];
            let list = learning.hypothesis.mentioned(root)[0];
            learning.hypothesis.set_roots(vec![list]);
            learning.try_alike().unwrap();
            assert!(accepts(learning, "<xx.>"));
            assert_eq!(accepts(learning, "[axx.]"), is_in_both);
            assert!(!accepts(learning, "[xax.]"));
        });
    }
}

/// A statement of its own to a grammar, with the same parts.
#[test]
fn what_is_asked_of_a_statement_is_asked_of_another_one_with_the_same_parts() {
    let rules = [
        "doc = < list >",
        "list = {} | statement list",
        "statement = defer | go | send | label | empty",
        "defer = d expression ;",
        "go = g expression ;",
        "send = s expression , expression ;",
        "label = l name ;",
        "empty = ;",
        "expression = name | name ( )",
        "name = a | b",
    ];
    let grammar = Arc::new(grammar(&rules));
    let fails = |text: &str| ["da;", "db;", "ga;", "gb;"].iter().any(|part| text.contains(part));
    with_learning(&grammar, "<da;>", &fails, &NoDictionary, |learning, accepts| {
        let input = Rc::clone(&learning.failing[0]);
        let node = input.nodes().into_iter().rfind(|&node| input.text_of(node) == b"da;").unwrap();
        let exact = learning.exact(&input, node, input.tree.rule(node).unwrap());
        let defer = learning.hypothesis.add(learning.example.grammar.find("defer").unwrap(), vec![exact]);
        learning.hypothesis.set_roots(vec![defer]);
        learning.try_alike().unwrap();
        judges(learning, accepts, &["<da;>", "<ga;>", "<;ga;lb;>"], &["<sa,a;>", "<ga();>", "<la;>", "<;>"]);
    });
}
