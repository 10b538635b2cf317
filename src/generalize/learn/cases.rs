//! Words in upper and lower case.
//!
//! Many languages take keywords, or names of headers, attributes and commands, in either case, where the grammar has just letters. Random inputs never have
//! the same word with other letters, and one letter that may be another one says nothing of the others. So each word is asked about as a
//! whole.

use std::collections::HashMap;
use std::rc::Rc;

use crate::grammar::{Grammar, NonterminalId};
use crate::oracle::{Halt, Verdict};
use crate::tree::{Label, NodeId, Tree};

use super::hypothesis::{Alternative, Want};
use super::input::Input;
use super::matching::{Classes, Matcher};
use super::session::{Learning, Trial};

/// The number of words of a root class that are asked about.
const MOST_WORDS: usize = 12;

/// Where the letters of a word stand in a text.
type Letters = Vec<usize>;

/// Whether a node of a tree is a letter that is taken for the same in upper and lower case.
pub(super) type AreSame = fn(&Cases, &Grammar, &Tree, NodeId) -> bool;

/// Where upper and lower case are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Cases {
    /// Whether they are, for the words of which it is known.
    of_words: HashMap<NonterminalId, bool>,
}

impl Cases {
    /// Whether it is known that the letters of such words are the same in either case.
    pub(super) fn are_same_in(&self, word: NonterminalId) -> bool {
        self.of_words.get(&word) == Some(&true)
    }

    /// Whether a node is a letter of which the grammar has both cases there and nothing else, and it is not known to make a difference.
    pub(super) fn are_written(&self, grammar: &Grammar, tree: &Tree, node: NodeId) -> bool {
        let class = tree.class_of_both_cases(grammar, node);
        class.is_some_and(|class| class.len() == 2) && self.in_word(grammar, tree, node) != Some(false)
    }

    /// The same, or a letter of a word of which it is known that it makes no difference.
    pub(super) fn are_same(&self, grammar: &Grammar, tree: &Tree, node: NodeId) -> bool {
        let class = tree.class_of_both_cases(grammar, node);
        class.is_some_and(|class| self.in_word(grammar, tree, node).unwrap_or(class.len() == 2))
    }

    /// Whether upper and lower case are the same in the word of which a letter is, as far as it is known.
    fn in_word(&self, grammar: &Grammar, tree: &Tree, node: NodeId) -> Option<bool> {
        let mut above = std::iter::successors(tree.parent(node), |&at| tree.parent(at));
        above.find_map(|at| self.of_words.get(&tree.nonterminal(grammar, at)?).copied())
    }
}

impl Learning<'_, '_, '_> {
    /// What is wanted of a character of an input that stays as it is.
    pub(super) fn want_of_char(&self, are_same: AreSame, input: &Input, node: NodeId, c: char) -> Want {
        match are_same(&self.cases, self.example.grammar, &input.tree, node) {
            true => Want::Letter(c.to_ascii_lowercase()),
            false => Want::Char(c),
        }
    }

    /// Tries words with their letters in the other case. Where inputs fail with each letter in whatever case, either is an alternative of it.
    pub(super) fn try_cases(&mut self) -> Result<(), Halt> {
        for root in self.hypothesis.roots_and_needs() {
            let Some((input, node)) = self.first_place(root) else { continue };
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let derivation = matcher.derivation(&input.tree, &matcher.matched(&input.tree), root, node);
            let classes: Classes = derivation.into_iter().map(|(class, node)| (node, class)).collect();
            for letters in self.words_of(&input, &classes).into_iter().take(MOST_WORDS) {
                let text = with_other_case(&input.text, &letters, |_| true);
                match self.ask(text)? {
                    Some((Verdict::Fail, other))
                        if !self.accepts(&other) && self.fails_in_any_case(&input, &letters)? =>
                    {
                        self.learn_cases(&input, &letters, true);
                        self.admit_case(&input, node, &other, &classes);
                    }
                    Some((Verdict::Pass, _)) => self.learn_cases(&input, &letters, false),
                    _ => {}
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

    /// Takes note for the words that have some of the letters of an input of whether upper and lower case are the same.
    fn learn_cases(&mut self, input: &Input, letters: &[usize], are_same: bool) {
        let grammar = self.example.grammar;
        for node in input.nodes() {
            let (begin, end) = input.spans[node];
            if let Some(nonterminal) = input.tree.nonterminal(grammar, node)
                && grammar.nonterminal(nonterminal).token.is_some()
                && letters.iter().any(|letter| (begin..end).contains(letter))
            {
                let known = self.cases.of_words.entry(nonterminal).or_insert(are_same);
                *known &= are_same;
            }
        }
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
                        let mut alternatives = self.hypothesis.class(class).alternatives.clone();
                        for alternative in &mut alternatives {
                            if let Alternative::Rule(of, wants) = alternative
                                && *of == rule
                                && wants[place] == Want::Char(known)
                            {
                                wants[place] = Want::Letter(known.to_ascii_lowercase());
                            }
                        }
                        self.hypothesis.set(class, alternatives);
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
