//! Inputs of which a formula holds, made of inputs that pass.
//!
//! A formula says that this stands somewhere and that stands somewhere. It is fitted to inputs most of which have both at the places at which the given one
//! has them, so nothing shows that the places matter. Here what a formula asks for is put into inputs that pass, at any places where it may stand.

use std::rc::Rc;

use crate::base::id::Id;
use crate::grammar::NonterminalId;
use crate::oracle::Halt;

use super::features::{Clause, FeatureId};
use super::formula::Cover;
use super::input::Input;
use super::session::Learning;

impl Learning<'_, '_, '_> {
    /// An input that is known to pass, with as much more in it as a formula of these clauses asks for. Nothing where that does not come about.
    ///
    /// # Errors
    /// Parsing takes more than it may.
    pub(super) fn composed(&mut self, cover: &Cover, clauses: &[Clause]) -> Result<Option<Rc<Input>>, Halt> {
        let grammar = self.example.grammar;
        let Some(mut input) = self.passing_base() else { return Ok(None) };
        for _ in 0..=clauses.len() {
            let features = cover.features.of_tree(grammar, &input.tree);
            let Some(clause) = clauses.iter().find(|clause| !clause.holds(&features)) else {
                return Ok(Some(input));
            };
            if !clause.is_positive {
                break;
            }
            let feature = *self.stream.pick(&clause.features);
            let Some((nonterminal, text)) = self.part_having(cover, feature) else { break };
            let Some(text) = self.hosted_in(&input, nonterminal, &text) else { break };
            match self.parsed(text)? {
                Some(with_part) => input = with_part,
                None => break,
            }
        }
        Ok(None)
    }

    /// What has a feature in one of the failing inputs to which a formula is fitted.
    fn part_having(&mut self, cover: &Cover, feature: FeatureId) -> Option<(NonterminalId, Vec<u8>)> {
        let grammar = self.example.grammar;
        let examples: Vec<usize> =
            cover.features.seen[feature.index()].examples[0].iter().map(Id::index).collect();
        if examples.is_empty() {
            return None;
        }
        let input = Rc::clone(&cover.features.examples[0][*self.stream.pick(&examples)]);
        let node = cover.features.outermost(grammar, &input.tree, feature)?;
        Some((input.tree.nonterminal(grammar, node)?, input.text_of(node).to_vec()))
    }
}
