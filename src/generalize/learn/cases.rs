//! Words in upper and lower case.
//!
//! Many languages take keywords, or names of headers, attributes and commands, in either case, where the grammar has just letters. Random inputs never have
//! the same word with other letters, and one letter that may be another one says nothing of the others. So each word is asked about as a
//! whole.

use std::rc::Rc;

use crate::oracle::{Halt, Verdict};
use crate::tree::{Label, NodeId};

use super::hypothesis::{Alternative, Want};
use super::input::Input;
use super::matching::{Classes, Matcher};
use super::session::{Learning, Trial};

/// The number of words of a root class that are asked about.
const MOST_WORDS: usize = 12;

/// Where the letters of a word stand in a text.
type Letters = Vec<usize>;

impl Learning<'_, '_, '_> {
    /// Tries words with their letters in the other case. Where inputs fail with each letter in whatever case, either is an alternative of it.
    pub(super) fn try_cases(&mut self) -> Result<(), Halt> {
        for root in self.hypothesis.roots_and_needs() {
            let Some((input, node)) = self.first_place(root) else { continue };
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let derivation = matcher.derivation(&input.tree, &matcher.matched(&input.tree), root, node);
            let classes: Classes = derivation.into_iter().map(|(class, node)| (node, class)).collect();
            for letters in self.words_of(&input, &classes).into_iter().take(MOST_WORDS) {
                let text = with_other_case(&input.text, &letters, |_| true);
                if let Some((Verdict::Fail, other)) = self.ask(text)?
                    && !self.accepts(&other)
                    && self.fails_in_any_case(&input, &letters)?
                {
                    self.admit_case(&input, node, &other, &classes);
                }
            }
        }
        Ok(())
    }

    /// The words with letters that classes ask for.
    fn words_of(&self, input: &Input, classes: &Classes) -> Vec<Letters> {
        let mut letters = Letters::new();
        for &node in classes.keys() {
            for &child in input.tree.children(node) {
                if !matches!(input.tree.label(child), Label::Rule(_)) {
                    let (begin, end) = input.spans[child];
                    letters.extend((begin..end).filter(|&at| input.text[at].is_ascii_alphabetic()));
                }
            }
        }
        letters.sort_unstable();
        letters.dedup();
        let is_word = |&one: &usize, &next: &usize| {
            let between = &input.text[one + 1..next];
            between.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte))
        };
        letters.chunk_by(is_word).map(<[usize]>::to_vec).collect()
    }

    /// Whether inputs fail with each letter of a word in either case.
    fn fails_in_any_case(&mut self, input: &Rc<Input>, letters: &[usize]) -> Result<bool, Halt> {
        let vary = &mut |session: &mut Self, _: usize| {
            Some(with_other_case(&input.text, letters, |_| session.stream.below(2) == 0))
        };
        // A short word has few of them.
        let number = self.settings.screening.min(1 << letters.len().min(4));
        Ok(matches!(self.trial(Verdict::Fail, number, vary)?, Trial::Holds))
    }

    /// Has classes admit the letters of another input in the place of those of one, if it is accepted then and no passing one is that was not before.
    fn admit_case(&mut self, input: &Rc<Input>, node: NodeId, other: &Rc<Input>, classes: &Classes) {
        let (before, was_wrong) = (self.hypothesis.clone(), self.wrongly_accepted().is_some());
        let is_it = |&at: &NodeId| {
            other.spans[at] == input.spans[node]
                && other.tree.nonterminal(self.example.grammar, at)
                    == input.tree.nonterminal(self.example.grammar, node)
        };
        let mut open: Vec<(NodeId, NodeId)> =
            other.nodes().into_iter().find(is_it).map(|at| (node, at)).into_iter().collect();
        while let Some((one, at)) = open.pop() {
            let (Some(&class), Some(rule)) = (classes.get(&one), other.tree.rule(at)) else { continue };
            if input.tree.rule(one) != Some(rule) {
                let exact = self.exact(other, at, rule);
                self.hypothesis.widen(class, exact);
                continue;
            }
            for (place, (&one, &at)) in
                input.tree.children(one).iter().zip(other.tree.children(at)).enumerate()
            {
                match (input.tree.label(one), other.tree.label(at)) {
                    (Label::Char(known), Label::Char(new)) if known != new => {
                        for alternative in self.hypothesis.class(class).alternatives.clone() {
                            if let Alternative::Rule(of, mut wants) = alternative
                                && of == rule
                                && wants[place] == Want::Char(known)
                            {
                                wants[place] = Want::Char(new);
                                self.hypothesis.widen(class, Alternative::Rule(of, wants));
                            }
                        }
                    }
                    (Label::Rule(_), Label::Rule(_)) => open.push((one, at)),
                    _ => {}
                }
            }
        }
        if !self.accepts(other) || !was_wrong && self.wrongly_accepted().is_some() {
            self.hypothesis = before;
        }
    }
}

/// A text in which some of the letters are in the other case.
fn with_other_case(text: &[u8], letters: &[usize], mut is_other: impl FnMut(usize) -> bool) -> Vec<u8> {
    let mut text = text.to_vec();
    for &at in letters {
        if is_other(at) {
            // A letter of ASCII is in the other case with this bit.
            text[at] ^= b' ';
        }
    }
    text
}
