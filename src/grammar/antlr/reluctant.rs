//! Non-greedy repetitions, `.*?` and the like, at the end of a token.
//!
//! ANTLR's lexer ends a token with a non-greedy repetition as soon as what follows the repetition
//! matches: `'/*' .*? '*/'` ends at the first `*/`. Where what is repeated is one character and what
//! follows is one of a few texts, that is a regular language: the states of its automaton are the proper
//! prefixes of these texts, as in Aho and Corasick 1975, and become nonterminals.

use std::collections::BTreeMap;

use super::super::class::CharClass;

/// What follows a repetition up to the end of the token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// One of these texts, none of which is empty.
    pub texts: Vec<Vec<char>>,
    /// Or the end of the input.
    pub or_end: bool,
}

/// What may come next in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// One of these characters, then the rest from another state, or nothing more.
    pub moves: Vec<(CharClass, Option<usize>)>,
    /// Whether the text may end here.
    pub ends: bool,
}

/// The states of "any number of `repeated`, up to the first of `tail`", of which the first is the
/// initial one; `None` when it cannot be said like this.
pub(super) fn states(repeated: &CharClass, tail: &Tail) -> Option<Vec<State>> {
    let letters = CharClass::of(tail.texts.iter().flatten().copied());
    // With several texts, one that begins earlier could fail while one that begins later goes on.
    if tail.texts.len() > 1 && !letters.difference(repeated).is_empty() {
        return None;
    }
    // A greedy operator behind the repetition: `'+/' ';'?` goes on where it can.
    let begins =
        |text: &Vec<char>| tail.texts.iter().any(|other| other.len() > text.len() && other.starts_with(text));
    if tail.texts.iter().any(begins) {
        return None;
    }
    let mut names: Vec<Vec<char>> = vec![Vec::new()];
    let mut states = Vec::new();
    while let Some(prefix) = names.get(states.len()).cloned() {
        let mut moves: BTreeMap<Option<usize>, CharClass> = BTreeMap::new();
        let mut add = |target: Option<usize>, class: CharClass| {
            let known = moves.entry(target).or_insert_with(|| CharClass::new([]));
            *known = known.union(&class);
        };
        let all_repeated = |text: &[char]| text.iter().all(|&c| repeated.contains(c));
        for c in letters.chars() {
            let mut text = prefix.clone();
            text.push(c);
            let complete = tail
                .texts
                .iter()
                .any(|end| text.ends_with(end) && all_repeated(&text[..text.len() - end.len()]));
            if complete {
                add(None, CharClass::of([c]));
                continue;
            }
            let is_prefix = |suffix: &[char]| tail.texts.iter().any(|end| end.starts_with(suffix));
            let from = (0..=text.len()).find(|&from| is_prefix(&text[from..])).unwrap_or(text.len());
            if all_repeated(&text[..from]) {
                let target = text.split_off(from);
                let index = names.iter().position(|name| *name == target).unwrap_or_else(|| {
                    names.push(target);
                    names.len() - 1
                });
                add(Some(index), CharClass::of([c]));
            }
        }
        if all_repeated(&prefix) {
            add(Some(0), repeated.difference(&letters));
        }
        let moves = moves.into_iter().filter(|(_, class)| !class.is_empty());
        states.push(State {
            moves: moves.map(|(target, class)| (class, target)).collect(),
            ends: tail.or_end && all_repeated(&prefix),
        });
    }
    Some(states)
}

/// Whether an automaton accepts a text.
#[cfg(test)]
pub(super) fn accepts(states: &[State], text: &str) -> bool {
    let mut state = Some(0);
    for c in text.chars() {
        let Some(from) = state else { return false };
        match states[from].moves.iter().find(|(class, _)| class.contains(c)) {
            Some(&(_, target)) => state = target,
            None => return false,
        }
    }
    state.is_none_or(|state| states[state].ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether `text` is some of `repeated` and then a tail, and no shorter beginning of it is.
    fn first_match(repeated: &CharClass, tail: &Tail, text: &str) -> bool {
        let whole = |text: &[char]| {
            tail.texts.iter().any(|end| {
                text.ends_with(end) && text[..text.len() - end.len()].iter().all(|&c| repeated.contains(c))
            })
        };
        let text: Vec<char> = text.chars().collect();
        let ends_at = (0..=text.len()).find(|&length| whole(&text[..length]));
        match ends_at {
            Some(length) => length == text.len(),
            None => tail.or_end && text.iter().all(|&c| repeated.contains(c)),
        }
    }

    #[test]
    fn a_comment_ends_at_its_first_end() {
        let tail = Tail { texts: vec!["*/".chars().collect()], or_end: false };
        let states = states(&CharClass::any(), &tail).expect("one text");
        for (text, expected) in
            [("*/", true), ("a**/", true), ("*", false), ("", false), ("*/ */", false), ("/*/", true)]
        {
            assert_eq!(accepts(&states, text), expected, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn the_automaton_accepts_what_ends_at_the_first_tail(
            repeated in "[abc]{0,3}",
            ends in proptest::collection::vec("[abc]{1,3}", 1..3),
            or_end: bool,
            inputs in proptest::collection::vec("[abc]{0,6}", 20),
        ) {
            let repeated = CharClass::of(repeated.chars());
            let tail = Tail { texts: ends.iter().map(|end| end.chars().collect()).collect(), or_end };
            if let Some(states) = states(&repeated, &tail) {
                for input in inputs {
                    prop_assert_eq!(accepts(&states, &input), first_match(&repeated, &tail, &input), "{}", input);
                }
            }
        }
    }
}
