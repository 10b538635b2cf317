//! What is left for the comparison of what was learned with the program.

use std::sync::Arc;

use super::tests::learn_with;
use super::*;
use crate::reduce::sample::{failing_oracle, grammar};

/// Lists of words, and of lists in brackets.
const COMMANDS: &[&str] = &[
    "line = words ; | words ; line",
    "words = word | word words",
    "word = a | b | c | d | e | f | g | h | ( line )",
];

/// Whether more than one letter stands right before an earlier one of the alphabet, whatever the brackets between them.
fn is_out_of_order(text: &str) -> bool {
    let letters: Vec<char> = text.chars().filter(char::is_ascii_lowercase).collect();
    letters.windows(2).filter(|pair| pair[0] > pair[1]).count() > 1
}

#[test]
fn however_much_there_is_to_try_some_executions_are_left_to_compare_with_new_inputs() {
    let grammar = Arc::new(grammar(COMMANDS));
    let fails = |input: &[u8]| is_out_of_order(&String::from_utf8_lossy(input));
    for executions in [400, 800, 1_600] {
        let settings = LearnSettings { executions, ..LearnSettings::default() };
        let learn = Learn::new(GeneralizerSettings::of_checks(20), settings);
        let learned = learn_with(1, &grammar, "baca;", "h;baca;(d)b;", &failing_oracle(&fails), learn);
        let of = |names: &[&str]| {
            let phases = learned.found.phases.iter().filter(|phase| names.contains(&phase.name));
            phases.map(|phase| phase.executions).sum::<u64>()
        };
        let first = of(&["simplification", "abstraction", "isolation", "characteristic"]);
        let comparing = of(&[COMPARISON, FORMULA, CHOICE]);
        let left = executions - first;
        let before = learned.executions - first - comparing;
        assert!(PARTS * before <= BEFORE * left, "{executions}: {before} of {left}");
        assert!(of(&[COMPARISON]) >= COMPARED * left / PARTS, "{executions}: {:?}", learned.found.phases);
        let all: u64 = learned.found.phases.iter().map(|phase| phase.executions).sum();
        assert_eq!(all, learned.executions, "no execution is outside of all phases");
    }
}
