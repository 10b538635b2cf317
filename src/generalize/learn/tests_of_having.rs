//! What fails with something in it at any depth.

use super::tests::is_learned_with;

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
        let grammar = crate::reduce::sample::grammar(PARTS);
        println!(
            "{seed} {} {:?}",
            learned.executions,
            learned.hypothesis.expression(&grammar).lines(&grammar)
        );
    }
}
