//! What is learned where no part of an input is the cause, but what it has and what it has not.

use std::sync::Arc;

use super::features::Clause;
use super::formula::Cover;
use super::hypothesis::{Alternative, Want};
use super::taking_over::When;
use super::tests_of_lists::with_learning;
use super::*;
use crate::grammar::Grammar;
use crate::parse::Parser;
use crate::pattern::Expression;
use crate::produce::{LimitProducer, Producer};
use crate::reduce::sample::grammar;

use super::super::NoDictionary;

/// A program with options, in whatever order.
const OPTIONS: &[&str] = &[
    "line = run options files",
    "options = {} | _ option options",
    "option = -a | -b | -c | -d | -e | -f | -h | -x: word | -y: word | -z: word | -w: word | -i | -j | -k",
    "files = {} | _ word files",
    "word = m | n | o",
];

/// The number of inputs that are known.
const KNOWN: usize = 3_000;

fn has(text: &str, options: &[&str]) -> bool {
    options.iter().any(|option| text.contains(option))
}

/// Calls `test` with random inputs and their trees.
fn on_random_inputs(grammar: &Arc<Grammar>, number: usize, mut test: impl FnMut(&str, &crate::tree::Tree)) {
    let producer = LimitProducer::new(Arc::clone(grammar), 8);
    let parser = Parser::new(Arc::clone(grammar));
    let mut stream = RandomStream::derive(number as u64, "inputs");
    for _ in 0..number {
        let mut text = Vec::new();
        producer.produce(grammar.start(), &mut stream, &mut text).unwrap();
        let tree = parser.first_tree(&text).unwrap().unwrap();
        test(&String::from_utf8(text).unwrap(), &tree);
    }
}

/// Calls `test` with learning from an input that fails, to which many random ones are known.
fn with_known(
    grammar: &Arc<Grammar>,
    given: &str,
    fails: &(dyn Fn(&str) -> bool + Sync),
    test: impl FnOnce(&mut Learning<'_, '_, '_>),
) {
    with_learning(grammar, given, fails, &NoDictionary, |learning, _| {
        on_random_inputs(grammar, KNOWN, |text, _| {
            learning.ask(text.into()).unwrap();
        });
        test(learning);
    });
}

/// One name of either kind is needed, and one option ends the program: no part of the input is the cause.
#[test]
fn any_of_some_parts_beside_any_of_others_are_told_by_what_inputs_have() {
    let grammar = Arc::new(grammar(OPTIONS));
    let is_bad = |text: &str| {
        has(text, &["-a", "-b", "-c", "-d"]) && has(text, &["-x", "-y", "-z"]) && !has(text, &["-h"])
    };
    with_known(&grammar, "run -a -x:m", &is_bad, |learning| {
        let cover = learning.cover(When::Last).unwrap();
        let said = learning.if_better(cover, When::Last).unwrap().unwrap().expression(&grammar);
        let (mut wrong, mut bad) = (0, 0);
        on_random_inputs(&grammar, KNOWN + 1, |text, tree| {
            bad += usize::from(is_bad(text));
            wrong += usize::from(said.holds(&grammar, tree) != is_bad(text));
        });
        let lines = said.lines(&grammar).to_string();
        assert!(bad > 100 && 50 * wrong < bad, "{wrong} wrong, {bad} bad: {lines}");
        for option in ["-a", "-b", "-c", "-d", "-x", "-y", "-z", "-h"] {
            assert!(lines.contains(option), "{option}: {lines}");
        }
    });
}

/// Whether there is one of two options, and none of those before it at which the program ends.
fn is_bad_before_an_end(text: &str) -> bool {
    let first = text.split(' ').find(|option| has(option, &["-a", "-b", "-h", "-i", "-x"]));
    first.is_some_and(|option| has(option, &["-a", "-b"]))
}

/// The same, but `-x` masks only with a word other than one, which says nothing of other options.
fn is_bad_before_an_end_but_for_one(text: &str) -> bool {
    let ends = |option: &str| has(option, &["-h", "-i", "-x"]) && option != "-x:n";
    let first = text.split(' ').find(|option| has(option, &["-a", "-b"]) || ends(option));
    first.is_some_and(|option| has(option, &["-a", "-b"]))
}

/// What stands behind does not matter, so nothing must be nowhere.
#[test]
fn what_masks_is_told_from_what_must_be_nowhere() {
    for is_bad in [is_bad_before_an_end, is_bad_before_an_end_but_for_one] {
        tells_what_masks(&is_bad);
    }
}

fn tells_what_masks(is_bad: &(dyn Fn(&str) -> bool + Sync)) {
    let grammar = Arc::new(grammar(OPTIONS));
    with_known(&grammar, "run -a", is_bad, |learning| {
        let cover = learning.cover(When::Last).unwrap();
        let said = learning.if_better(cover, When::Last).unwrap().unwrap();
        let [expression, others] = [said.taken, 0].map(|formula| {
            let expression = said.features.expression(&grammar, &said.formulas[formula]);
            let (mut wrong, mut bad) = (0, 0);
            on_random_inputs(&grammar, KNOWN + 1, |text, tree| {
                let is_bad = is_bad(text);
                bad += usize::from(is_bad);
                let is_accepted = expression.holds(&grammar, tree);
                wrong += usize::from(is_accepted != is_bad);
                // New inputs are judged as examples are.
                let features = said.features.of_tree(&grammar, tree);
                let holds = said.formulas[formula].iter().all(|clause| clause.holds(&features));
                assert_eq!(holds, is_accepted, "{text}: {}", expression.lines(&grammar));
            });
            (wrong, bad, expression.lines(&grammar).to_string())
        });
        let (wrong, bad, lines) = expression;
        assert!(bad > 100 && 50 * wrong < bad, "{wrong} wrong, {bad} bad: {lines}");
        assert!(lines.contains(" before it)"), "{lines}");
        // Without that it is not sayable.
        assert!(10 * others.0 > bad, "{} wrong, {bad} bad: {}", others.0, others.2);
    });
}

/// Whichever of the two is fitted to more.
#[test]
fn of_two_formulas_the_one_is_taken_that_is_right_more_often_about_new_inputs() {
    let grammar = Arc::new(grammar(OPTIONS));
    let is_bad = |text: &str| has(text, &["-a", "-b"]) && !has(text, &["-h"]);
    for is_wrong_first in [true, false] {
        with_known(&grammar, "run -a", &is_bad, |learning| {
            let right = learning.cover(When::Last).unwrap();
            let mut wrong = learning.cover(When::Last).unwrap();
            // Nothing must be nowhere any more.
            let taken = wrong.taken;
            wrong.formulas[taken].retain(|clause| clause.is_positive);
            let size = right.clauses().len();
            assert!(wrong.clauses().len() < size);
            let taken = match is_wrong_first {
                true => learning.better_of(wrong, right),
                false => learning.better_of(right, wrong),
            };
            assert_eq!(taken.unwrap().clauses().len(), size, "{is_wrong_first}");
        });
    }
}

#[test]
fn a_hypothesis_that_is_right_stays() {
    let grammar = Arc::new(grammar(OPTIONS));
    with_known(&grammar, "run -a", &|text| text.contains("-a"), |learning| {
        let option = grammar.find("option").unwrap();
        let alternative = Alternative::Rule(grammar.rules_of(option)[0], vec![Want::Any].into());
        let root = learning.hypothesis.add(option, vec![alternative]);
        learning.hypothesis.set_roots(vec![root]);
        assert!(learning.cover(When::Last).is_none());
    });
}

/// Statements in blocks and in loops.
const BLOCKS: &[&str] =
    &["program = stmts", "stmts = {} | stmt stmts", "stmt = x | y | z | w | { stmts } | [ stmts ]"];

/// Whether there is an `x` in square brackets, at any depth.
fn has_inside(text: &str) -> bool {
    let mut open = Vec::new();
    text.chars().any(|c| {
        match c {
            '{' | '[' => open.push(c),
            '}' | ']' => drop(open.pop()),
            _ => {}
        }
        c == 'x' && open.contains(&'[')
    })
}

/// All inputs that are known have an `x` in square brackets or none at all, so nothing shows that the brackets matter.
#[test]
fn what_a_formula_asks_for_is_put_at_other_places_of_passing_inputs() {
    let grammar = Arc::new(grammar(BLOCKS));
    with_learning(&grammar, "y[x]", &has_inside, &NoDictionary, |learning, _| {
        on_random_inputs(&grammar, KNOWN, |text, _| {
            if has_inside(text) || !text.contains('x') {
                learning.ask(text.into()).unwrap();
            }
        });
        let cover = learning.cover(When::Early).unwrap();
        let mut passed = 0;
        for _ in 0..40 {
            let Some(input) = learning.composed(&cover, cover.clauses()).unwrap() else { continue };
            assert!(cover.accepts(&grammar, &input));
            passed += usize::from(!has_inside(&String::from_utf8_lossy(&input.text)));
        }
        assert!(passed > 0, "{}", cover.expression(&grammar).lines(&grammar));
    });
}

#[test]
fn what_is_inside_of_what_is_told_by_features_below_others() {
    let grammar = Arc::new(grammar(BLOCKS));
    with_known(&grammar, "[x]", &has_inside, |learning| {
        let cover = learning.cover(When::Last).unwrap();
        let said = learning.if_better(cover, When::Last).unwrap().unwrap().expression(&grammar);
        let (mut wrong, mut bad) = (0, 0);
        on_random_inputs(&grammar, KNOWN + 1, |text, tree| {
            bad += usize::from(has_inside(text));
            wrong += usize::from(said.holds(&grammar, tree) != has_inside(text));
        });
        let lines = said.lines(&grammar).to_string();
        assert!(bad > 50 && wrong == 0, "{wrong} wrong, {bad} bad: {lines}");
        assert!(lines.contains("has part_1"), "{lines}");
    });
}

/// Records of fields.
const RECORDS: &[&str] = &[
    "file = {} | record file",
    "record = ( kind fields )",
    "kind = a | b",
    "fields = {} | field fields",
    "field = k | l | m | y value",
    "value = 0 | 1 | 2",
];

/// Whether a record of the first kind has no `y`.
fn lacks_one(text: &str) -> bool {
    text.split('(').any(|record| record.starts_with('a') && !record.contains('y'))
}

/// Each of the other records may have what one of them lacks.
#[test]
fn what_one_of_many_nodes_has_and_lacks_is_told() {
    let grammar = Arc::new(grammar(RECORDS));
    with_known(&grammar, "(a)", &lacks_one, |learning| {
        let cover = learning.cover(When::Last).unwrap();
        let said = cover.expression(&grammar);
        let mut bad = 0;
        on_random_inputs(&grammar, KNOWN + 1, |text, tree| {
            bad += usize::from(lacks_one(text));
            assert_eq!(said.holds(&grammar, tree), lacks_one(text), "{text}: {}", said.lines(&grammar));
            // What is measured is what is said.
            let features = cover.features.of_tree(&grammar, tree);
            let holds = cover.clauses().iter().all(|clause| clause.holds(&features));
            assert_eq!(holds, lacks_one(text), "{text}");
        });
        assert!(bad > 100, "{bad}");
        let lines = said.lines(&grammar).to_string();
        assert!(lines.contains("& !has part_"), "{lines}");
    });
}

/// An option after another one fails, which no feature tells, but for one that ends the program. The hypothesis has the former only.
#[test]
fn a_formula_asks_for_the_hypothesis_where_that_is_right_but_for_something_else() {
    let grammar =
        Arc::new(grammar(&[OPTIONS[0], OPTIONS[1], "option = -a | -b | -h", OPTIONS[3], OPTIONS[4]]));
    let is_bad = |text: &str| text.contains(" -a -b") && !text.contains("-h");
    with_known(&grammar, "run -a -b", &is_bad, |learning| {
        let [options, option] = ["options", "option"].map(|name| grammar.find(name).unwrap());
        let [a, b] = [0, 1].map(|number| {
            let alternative = Alternative::Rule(grammar.rules_of(option)[number], vec![Want::Any].into());
            learning.hypothesis.add(option, vec![alternative])
        });
        let more = grammar.rules_of(options)[1];
        let mut list = |element, rest| {
            let alternative = Alternative::Rule(more, vec![Want::Any, Want::In(element), rest].into());
            learning.hypothesis.add(options, vec![alternative])
        };
        let second = list(b, Want::Any);
        let first = list(a, Want::In(second));
        learning.hypothesis.set_roots(vec![first]);
        let cover = learning.cover(When::Last).unwrap();
        let own = |clause: &Clause| clause.features.iter().any(|&it| !cover.features.roots(it).is_empty());
        assert!(cover.clauses().iter().any(own), "{}", cover.expression(&grammar).lines(&grammar));
        let said = cover.expression(&grammar);
        let mut bad = 0;
        on_random_inputs(&grammar, KNOWN + 1, |text, tree| {
            bad += usize::from(is_bad(text));
            assert_eq!(said.holds(&grammar, tree), is_bad(text), "{text}: {}", said.lines(&grammar));
        });
        assert!(bad > 50, "{bad}");
    });
}

/// Of the forms in which an option is needed only one is known.
#[test]
fn inputs_that_were_asked_about_for_a_formula_have_what_it_asks_for_in_other_forms() {
    let grammar = Arc::new(grammar(OPTIONS));
    let is_bad = |text: &str| has(text, &["-a", "-b", "-c", "-d"]);
    with_learning(&grammar, "run -a", &is_bad, &NoDictionary, |learning, _| {
        on_random_inputs(&grammar, KNOWN, |text, _| {
            // Of those that fail only such with `-a`.
            if !is_bad(text) || !has(text, &["-b", "-c", "-d"]) {
                learning.ask(text.into()).unwrap();
            }
        });
        let has_met = |learning: &Learning<'_, '_, '_>, option: &str| {
            learning.failing.iter().any(|input| String::from_utf8_lossy(&input.text).contains(option))
        };
        assert!(!["-b", "-c", "-d"].iter().any(|option| has_met(learning, option)));
        let cover = learning.cover(When::Last).unwrap();
        learning.probe(&cover.features, cover.clauses()).unwrap();
        assert!(["-b", "-c", "-d"].iter().all(|option| has_met(learning, option)));
    });
}

/// Of what is needed, and of what ends the program, one form each is not known.
#[test]
fn a_formula_is_refined_by_inputs_around_those_that_show_it_wrong() {
    let grammar = Arc::new(grammar(OPTIONS));
    let is_bad =
        |text: &str| has(text, &["-a", "-b", "-c"]) && has(text, &["-x", "-y"]) && !has(text, &["-h", "-i"]);
    with_learning(&grammar, "run -a -x:m", &is_bad, &NoDictionary, |learning, _| {
        on_random_inputs(&grammar, 4 * KNOWN, |text, _| {
            if !has(text, &["-c", "-y", "-i"]) {
                learning.ask(text.into()).unwrap();
            }
        });
        let mut cover = learning.cover(When::Last).unwrap();
        let wrong = |said: &Expression| {
            let (mut wrong, mut bad) = (0, 0);
            on_random_inputs(&grammar, KNOWN + 1, |text, tree| {
                bad += usize::from(is_bad(text));
                wrong += usize::from(said.holds(&grammar, tree) != is_bad(text));
            });
            (wrong, bad)
        };
        let (before, bad) = wrong(&cover.expression(&grammar));
        assert!(3 * before > bad, "{before} of {bad}");
        learning.refine_cover(&mut cover).unwrap();
        let said = cover.expression(&grammar);
        let (after, bad) = wrong(&said);
        assert!(50 * after < bad, "{after} wrong, {bad} bad: {}", said.lines(&grammar));
    });
}

/// How many options are asked for does not show by the simplest formulas.
#[test]
fn of_formulas_fitted_in_several_manners_one_is_taken_that_is_right_about_new_inputs() {
    let grammar = Arc::new(grammar(OPTIONS));
    let is_bad = |text: &str| has(text, &["-a", "-b"]) && has(text, &["-x", "-y"]) && !has(text, &["-h"]);
    with_learning(&grammar, "run -a -x:m", &is_bad, &NoDictionary, |learning, _| {
        let given = learning.ask(b"run -a -x:m".into()).unwrap().unwrap().1;
        on_random_inputs(&grammar, KNOWN, |text, _| {
            learning.ask(text.into()).unwrap();
        });
        let mut cover = learning.cover(When::Last).unwrap();
        let wrong = |cover: &Cover, manner: usize| {
            let said = cover.features.expression(&grammar, &cover.formulas[manner]);
            let mut wrong = [(0_u32, 0_u32); 2];
            on_random_inputs(&grammar, KNOWN + 1, |text, tree| {
                let side = &mut wrong[usize::from(is_bad(text))];
                side.0 += u32::from(said.holds(&grammar, tree) != is_bad(text));
                side.1 += 1;
            });
            wrong.iter().map(|&(wrong, all)| f64::from(wrong) / f64::from(all)).sum::<f64>()
        };
        let errors: Vec<f64> = (0..cover.formulas.len()).map(|manner| wrong(&cover, manner)).collect();
        let most = errors.iter().copied().fold(0.0, f64::max);
        learning.choose_manner(&mut cover).unwrap();
        let after = wrong(&cover, cover.taken);
        let better = errors.iter().filter(|&&error| error < after).count();
        assert!(most > 0.1 && 4 * better <= errors.len(), "{after} of {errors:?}");
        assert!(cover.accepts(&grammar, &given));
    });
}
