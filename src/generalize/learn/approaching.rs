//! A failing input that is rejected, brought near to one that is known: as few letters of a word as can be differ from what is wanted.
//!
//! What differs in one letter shows what that letter may be. Where several differ from what is wanted, nobody knows which of them matter, and each
//! spelling of a word would be an alternative of its own. So letters that are wanted take the place of those that stand there, as long as the
//! input fails and is rejected. Larger parts stay as they are: inputs that differ much from each other tell more of what else may fail.

use std::rc::Rc;

use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::hypothesis::{Alternative, ClassId};
use super::input::Input;
use super::matched::Matched;
use super::matching::{Matcher, is_met};
use super::near_miss::Mismatch;
use super::session::Learning;

/// The number of parts that may take the place of others.
const MOST_PARTS: usize = 16;

/// The number of root classes that come near, of which one has several parts that differ.
const MOST_CHAINS: usize = 4;

impl Learning<'_, '_, '_> {
    /// A failing input that is rejected, with letters that are wanted in the place of all but one of those that differ in a word.
    pub(super) fn approach(&mut self, mut input: Rc<Input>) -> Result<Rc<Input>, Halt> {
        let mut left = MOST_PARTS;
        'nearer: loop {
            for (class, node) in self.several_unmet(&input) {
                let Some((known, at)) = self.first_place(class) else { continue };
                let text = input.with(self.example, &[(node, known.text_of(at).to_vec())]);
                if left == 0 {
                    break 'nearer;
                }
                left -= 1;
                if let Some((Verdict::Fail, nearer)) = self.ask(text)?
                    && !self.accepts(&nearer)
                {
                    input = nearer;
                    continue 'nearer;
                }
            }
            break;
        }
        Ok(input)
    }

    /// The parts of a node that differ from what is wanted of it, where these are several.
    fn several_unmet(&self, input: &Input) -> Vec<(ClassId, NodeId)> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let chains = matcher.mismatches(&input.tree, &matched).into_iter().take(MOST_CHAINS);
        let innermost = chains.filter_map(|chain| chain.first().copied());
        let is_word = |place: &Mismatch| {
            let nonterminal = self.hypothesis.class(place.class).nonterminal;
            self.example.grammar.nonterminal(nonterminal).token.is_some() || self.is_fragment(nonterminal)
        };
        let innermost = innermost.filter(is_word);
        let mut unmet = innermost.map(|place| self.unmet(input, &matched, place));
        unmet.find(|unmet| unmet.len() > 1).unwrap_or_default()
    }

    /// The parts of a node that differ from what the alternative of a class wants that is nearest.
    fn unmet(&self, input: &Input, matched: &Matched, place: Mismatch) -> Vec<(ClassId, NodeId)> {
        let (tree, alternatives) = (&input.tree, &self.hypothesis.class(place.class).alternatives);
        let of_alternative = alternatives.iter().filter_map(|alternative| match alternative {
            Alternative::Rule(rule, wants) if tree.rule(place.node) == Some(*rule) => {
                let children = wants.iter().zip(tree.children(place.node));
                let unmet = children.filter(|&(want, &child)| !is_met(want, tree, matched, child));
                unmet.map(|(want, &child)| Some((want.class()?, child))).collect::<Option<Vec<_>>>()
            }
            _ => None,
        });
        of_alternative.min_by_key(Vec::len).unwrap_or_default()
    }
}
