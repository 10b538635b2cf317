//! What is learned by other words in the place of those that a hypothesis asks for.

use std::sync::Arc;

use super::tests_of_lists::with_learning;
use crate::base::diagnostic::Source;
use crate::grammar::ebnf;
use crate::reduce::sample::grammar;

use super::super::NoDictionary;
use super::hypothesis::Alternative;

/// Neither part of a failing pair fails with a part of another one, so no change of one part shows the other pair.
#[test]
fn all_pairs_that_fail_are_found() {
    const LETTERS: [char; 5] = ['a', 'b', 'c', 'd', 'e'];
    let grammar = Arc::new(grammar(&["doc = < item > item", "item = a | b | c | d | e"]));
    let pairs = ["<a>b", "<b>a", "<c>d", "<d>c", "<e>e"];
    let fails = |text: &str| pairs.contains(&text);
    with_learning(&grammar, "<a>b", &fails, &NoDictionary, |learning, accepts| {
        learning.try_pairs().unwrap();
        for one in LETTERS {
            for other in LETTERS {
                let text = format!("<{one}>{other}");
                assert_eq!(accepts(learning, &text), fails(&text), "{text}");
            }
        }
    });
}

#[test]
fn what_was_learned_of_words_stays_when_there_are_no_more_executions() {
    let letters: Vec<String> = ('a'..='t').map(String::from).collect();
    let grammar = Arc::new(grammar(&["doc = < item >", &format!("item = {}", letters.join(" | "))]));
    let fails = |text: &str| text.chars().all(|letter| letter < 'p');
    for executions in [6, 10, 1_000] {
        with_learning(&grammar, "<a>", &fails, &NoDictionary, |learning, accepts| {
            let mut stable = learning.hypothesis.clone();
            learning.judge.allow(executions);
            let is_over = learning.try_words(&mut stable).is_err();
            learning.hypothesis = stable;
            let accepted = letters.iter().filter(|letter| accepts(learning, &format!("<{letter}>"))).count();
            assert!(if is_over { (2..15).contains(&accepted) } else { accepted == 15 }, "{accepted}");
            assert_eq!(is_over, executions < 1_000);
        });
    }
}

#[test]
fn a_word_is_the_same_in_and_without_quotation_marks() {
    let text = "@start <doc>\n<doc> ::= \"{\" <key> \"}\"\n<key> ::= <string> | <name>\n@token <name> ::= [a-z]+\n\
        @token <string> ::= \"'\" [a-z]+ \"'\" | '\"' [a-z]+ '\"'\n";
    let grammar = Arc::new(ebnf::read(&Source::new("words", text)).unwrap().grammar);
    let failing = ["{'key'}", "{key}", "{\"key\"}"];
    let fails = |text: &str| failing.contains(&text);
    for given in failing {
        with_learning(&grammar, given, &fails, &NoDictionary, |learning, accepts| {
            learning.try_quotation().unwrap();
            for text in failing.into_iter().chain(["{'lock'}", "{lock}", "{ke}"]) {
                assert_eq!(accepts(learning, text), fails(text), "{text}");
            }
        });
    }
}

#[test]
fn a_word_that_is_the_same_in_upper_and_lower_case_is_written_once() {
    let text = "<doc> ::= \"<\" <word> \">\"\n@token <word> ::= [a-dA-D] [a-dA-D]";
    let grammar = Arc::new(ebnf::read(&Source::new("words", text)).unwrap().grammar);
    let words = |word: &str| [format!("<{word}>"), format!("<{}>", word.to_uppercase())];
    for is_either in [true, false] {
        let fails = |text: &str| {
            let small = if is_either { text.to_lowercase() } else { text.to_owned() };
            ["<ab>", "<bc>"].contains(&small.as_str())
        };
        with_learning(&grammar, "<ab>", &fails, &NoDictionary, |learning, accepts| {
            learning.try_cases().unwrap();
            // What is known of one word holds for the next.
            let (_, other) = learning.ask(b"<bc>".into()).unwrap().unwrap();
            let (class, _, _) = learning.words()[0];
            let word = other.tree.children(other.tree.root())[1];
            assert!(learning.admit_exact(class, &other, word, other.tree.rule(word).unwrap()).unwrap());
            for text in ["ab", "bc", "cd"].into_iter().flat_map(words).chain(["<aB>".to_owned()]) {
                assert_eq!(accepts(learning, &text), fails(&text), "{text}");
            }
            let written = learning.own_expression().unwrap().text(&grammar);
            let right = if is_either { r#"%i"ab" | %i"bc""# } else { r#""ab" | "bc""# };
            assert!(written.contains(right), "{written}");
        });
    }
}

#[test]
fn what_fails_by_one_rule_is_tried_by_the_others_with_its_word() {
    let grammar = Arc::new(grammar(&[
        "doc = part | part ; doc",
        "part = binding | loop | call",
        "binding = name := value",
        "loop = for head value",
        "head = name := range | range",
        "call = name ( value )",
        "name = a | b",
        "value = 0 | 1",
    ]));
    for are_loops_bad in [true, false] {
        let fails = |text: &str| text.contains(":=") && (are_loops_bad || !text.contains("for"));
        with_learning(&grammar, "a:=0", &fails, &NoDictionary, |learning, accepts| {
            let binding = grammar.find("binding").unwrap();
            let rule = Alternative::of_rule(&grammar, grammar.rules_of(binding)[0]);
            let binding = learning.hypothesis.add(binding, vec![rule]);
            learning.hypothesis.set_roots(vec![binding]);
            learning.try_sharing_rules().unwrap();
            for text in ["b:=1", "a(0)", "a(0);b:=0", "forrange0", "forb:=range1", "a(1);fora:=range0"] {
                assert_eq!(accepts(learning, text), fails(text), "{text}");
            }
        });
    }
}
