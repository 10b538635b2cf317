//! What is learned of members of a hypothesis and their exceptions, and of inputs with several trees.

use std::rc::Rc;
use std::sync::Arc;

use super::hypothesis::{Alternative, Want};
use super::tests_of_lists::{lists, with_learning};
use super::*;
use crate::base::diagnostic::Source;
use crate::grammar::ebnf;
use crate::reduce::sample::grammar;

use super::super::NoDictionary;
use super::session::Learning;

/// The verdict on an input, and the input.
fn asked(learning: &mut Learning<'_, '_, '_>, text: &str) -> (Verdict, Rc<Input>) {
    learning.ask(text.into()).unwrap().unwrap()
}

#[test]
fn an_input_is_accepted_in_whichever_of_its_trees() {
    let grammar = Arc::new(grammar(&["doc = left | right", "left = x", "right = x"]));
    with_learning(&grammar, "x", &|_| true, &NoDictionary, |learning, _| {
        let right = grammar.find("right").unwrap();
        let alternative = Alternative::Rule(grammar.rules_of(right)[0], vec![Want::Any].into());
        let root = learning.hypothesis.add(right, vec![alternative]);
        learning.hypothesis.set_roots(vec![root]);
        let (_, input) = asked(learning, "x");
        assert!(learning.accepts(&input) && !learning.accepts_first(&input));
        let accepted = learning.as_accepted(&input);
        assert!(learning.accepts_first(&accepted));
        assert_eq!(accepted.trees().count(), 2);
    });
}

#[test]
fn what_differs_from_an_exception_is_anything_if_inputs_pass_with_anything_there() {
    let fails = |text: &str| !text.contains('(');
    with_learning(&lists(), "<a>", &fails, &NoDictionary, |learning, accepts| {
        let (_, excepted) = asked(learning, "<(a)>");
        let [_, list, _] = *excepted.tree.children(excepted.tree.root()) else {
            panic!("it has three parts")
        };
        let exact = learning.exact(&excepted, list, excepted.tree.rule(list).unwrap());
        let list = excepted.tree.nonterminal(learning.example.grammar, list).unwrap();
        let exception = learning.hypothesis.add(list, vec![exact]);
        let rule = excepted.tree.rule(excepted.tree.root()).unwrap();
        let wants = vec![Want::Any, Want::NotIn(vec![exception]), Want::Any];
        let start = learning.example.grammar.start();
        let root = learning.hypothesis.add(start, vec![Alternative::Rule(rule, wants.into())]);
        learning.hypothesis.set_roots(vec![root]);
        assert!(!accepts(learning, "<(a)>") && accepts(learning, "<(b)>"));
        let (_, passing) = asked(learning, "<(b)>");
        assert!(learning.negative(&passing).unwrap());
        for text in ["<(a)>", "<(b)>", "<(c)>", "<(cc)>"] {
            assert!(!accepts(learning, text), "{text}");
        }
        assert!(accepts(learning, "<a>"));
    });
}

#[test]
fn a_member_that_is_wrong_more_often_than_right_is_dropped() {
    let fails = |text: &str| text.contains('a');
    for (others, is_kept) in [(["<b>", "<c>"], false), (["<b>", "<ba>"], true)] {
        with_learning(&lists(), "<a>", &fails, &NoDictionary, |learning, accepts| {
            let start = learning.example.grammar.start();
            let all = learning.hypothesis.add(start, vec![Alternative::Open(Vec::new())]);
            learning.hypothesis.add_root(all);
            for text in others {
                let compared = asked(learning, text);
                learning.compared.push(compared);
            }
            learning.prune_wrong();
            assert!(accepts(learning, "<a>"));
            assert_eq!(accepts(learning, "<bb>"), is_kept);
        });
    }
}

/// Learns of two items, with this hypothesis of them: the first is of a class with these alternatives, and of the second that is wanted which
/// `second` makes.
fn with_items(
    fails: &(dyn Fn(&str) -> bool + Sync),
    first: &[usize],
    second: impl Fn(&mut Learning<'_, '_, '_>, &dyn Fn(&[usize]) -> Vec<Alternative>) -> Want,
    work: impl Fn(&mut Learning<'_, '_, '_>),
) {
    let grammar = Arc::new(grammar(&["doc = < item > item", "item = a | b | c | d"]));
    with_learning(&grammar, "<a>a", fails, &NoDictionary, |learning, _| {
        let rules = |name: &str| grammar.rules_of(grammar.find(name).unwrap()).to_vec();
        let alternatives = |numbers: &[usize]| -> Vec<Alternative> {
            numbers.iter().map(|&at| Alternative::Rule(rules("item")[at], vec![Want::Any].into())).collect()
        };
        let class = learning.hypothesis.add(grammar.find("item").unwrap(), alternatives(first));
        let wants = vec![Want::Any, Want::In(class), Want::Any, second(learning, &alternatives)];
        let doc = Alternative::Rule(rules("doc")[0], wants.into());
        let root = learning.hypothesis.add(grammar.start(), vec![doc]);
        learning.hypothesis.set_roots(vec![root]);
        work(learning);
    });
}

/// Narrows the hypothesis by a passing input, and holds it against what is right.
fn is_narrowed(learning: &mut Learning<'_, '_, '_>, known: &[&str], passing: &str, right: &[(&str, bool)]) {
    for text in known {
        asked(learning, text);
    }
    let (verdict, passing) = asked(learning, passing);
    assert!(verdict == Verdict::Pass && learning.accepts(&passing));
    assert!(learning.negative(&passing).unwrap());
    for &(text, is_failing) in right {
        let (verdict, input) = asked(learning, text);
        assert_eq!(verdict == Verdict::Fail, is_failing, "{text}");
        assert_eq!(learning.accepts(&input), is_failing, "{text}");
    }
}

/// A passing input shows that what stands at an open place matters. There is a class that all failing inputs have there, and nothing else
/// fails, so that is asked for, and what has not been met is right, too.
#[test]
fn a_known_class_is_asked_for_rather_than_excepting_all_else() {
    let fails = |text: &str| !text.contains('c') && !text.contains('d');
    with_items(
        &fails,
        &[0, 1],
        |_, _| Want::Any,
        |learning| {
            let right = [("<a>b", true), ("<b>a", true), ("<a>d", false), ("<b>c", false)];
            is_narrowed(learning, &["<a>a", "<b>b"], "<a>c", &right);
        },
    );
}

/// What was excepted at the place is in the class: to ask for it would accept that again.
#[test]
fn a_known_class_with_what_was_excepted_is_not_asked_for() {
    let fails = |text: &str| text.ends_with('a') || text.ends_with('b');
    let second = |learning: &mut Learning<'_, '_, '_>,
                  alternatives: &dyn Fn(&[usize]) -> Vec<Alternative>| {
        let item = learning.example.grammar.find("item").unwrap();
        Want::NotIn(vec![learning.hypothesis.add(item, alternatives(&[2]))])
    };
    with_items(&fails, &[0, 1, 2], second, |learning| {
        let right = [("<a>a", true), ("<c>b", true), ("<a>c", false), ("<a>d", false)];
        is_narrowed(learning, &["<a>a", "<c>b", "<a>c"], "<a>d", &right);
    });
}

/// All letters of a word but one give way to those that are wanted, if the input fails without them as well; of two that only fail together none does.
#[test]
fn a_failing_input_is_brought_near_to_what_is_wanted() {
    let text = "@start <doc>\n<doc> ::= \"<\" <word> \">\"\n@token <word> ::= <letter> <letter> <letter>\n\
        <letter> ::= \"a\" | \"b\" | \"c\"\n";
    let grammar = Arc::new(ebnf::read(&Source::new("words", text)).unwrap().grammar);
    let given = "<aaa>";
    let in_pairs = |text: &str| text.matches('b').count() != 1;
    for (fails, text, different) in
        [(&(|_: &str| true) as &(dyn Fn(&str) -> bool + Sync), "<bcb>", 1), (&in_pairs, "<bba>", 2)]
    {
        with_learning(&grammar, given, fails, &NoDictionary, |learning, accepts| {
            let (verdict, input) = asked(learning, text);
            assert!(verdict == Verdict::Fail && !accepts(learning, text));
            let nearer = learning.approach(input).unwrap();
            assert!(fails(&String::from_utf8_lossy(&nearer.text)));
            let differs = nearer.text.iter().zip(given.as_bytes()).filter(|(one, other)| one != other);
            assert_eq!(differs.count(), different);
        });
    }
}

#[test]
fn what_does_not_come_to_its_end_leaves_the_hypothesis_as_it_was() {
    with_learning(&lists(), "<ab>", &|_| true, &NoDictionary, |learning, accepts| {
        let widen = |learning: &mut Learning<'_, '_, '_>| {
            let root = learning.hypothesis.roots()[0];
            learning.hypothesis.set(root, vec![Alternative::Open(Vec::new())]);
        };
        let halted = learning.within(1, |learning| {
            widen(learning);
            Err(Halt::Stop(StopReason::Interrupted))
        });
        assert!(halted.is_err() && !accepts(learning, "<c>"));
        let ended = learning.within(1, |learning| {
            widen(learning);
            Ok(true)
        });
        assert!(ended.unwrap() && accepts(learning, "<c>"));
    });
}
