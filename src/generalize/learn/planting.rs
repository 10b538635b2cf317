//! Inputs in which a class masks a root class, made to see whether they pass.

use std::collections::HashSet;
use std::rc::Rc;

use crate::grammar::{NonterminalId, Symbol};
use crate::oracle::{Halt, Verdict};
use crate::pattern::Side;
use crate::tree::NodeId;

use super::binding::Bindings;
use super::blame::beside;
use super::host::Context;
use super::hypothesis::{Alternative, ClassId};
use super::input::Input;
use super::matched::Places;
use super::matching::Matcher;
use super::session::Learning;

/// The number of inputs that must pass before a part is taken for one that masks,
pub(super) const CHECKS: usize = 6;

/// and how often one is drawn.
const DRAWS: usize = 100;

/// One input in this number has a root class somewhere in what is around it; in the others it is where that is nearest.
const SELDOM: usize = 8;

impl Learning<'_, '_, '_> {
    /// Of random inputs in which a class masks a root class, the number of those that pass and of those that fail for the root class.
    pub(super) fn masked_elsewhere(
        &mut self,
        root: ClassId,
        side: Side,
        class: ClassId,
    ) -> Result<(usize, usize), Halt> {
        let (mut passed, mut failed) = (0, 0);
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        for turn in 0..DRAWS {
            if passed == CHECKS || failed > CHECKS / 3 {
                break;
            }
            let Some((planted, is_host)) = self.planted(root, side, class, turn)? else { continue };
            // The same once more is no more evidence.
            if !seen.insert(planted.text.clone()) {
                continue;
            }
            match self.ask(planted.text.clone())? {
                // It may fail for another reason.
                Some((Verdict::Fail, planted)) if is_host || self.is_cause(&planted, root)? => failed += 1,
                Some((Verdict::Pass, planted)) if !self.is_hidden_in_gaps(&planted)? => passed += 1,
                _ => {}
            }
        }
        Ok((passed, failed))
    }

    /// An input in which a class, and nothing else, masks a root class: in turn a random one, and one that is known to fail with
    /// the class in it. Also says whether it is one that passes without both.
    fn planted(
        &mut self,
        root: ClassId,
        side: Side,
        class: ClassId,
        turn: usize,
    ) -> Result<Option<(Rc<Input>, bool)>, Halt> {
        let Some(mask) = self.member(class, Bindings::new()) else { return Ok(None) };
        let unknown = |text| Context { text, is_host: false };
        let context = match (side, turn % 2) {
            (Side::Around, _) => self.around_root(root, class, turn),
            (_, 0) => self.in_random(root, side, class, &mask)?.map(unknown),
            (_, _) => self.in_failing(root, side, class, &mask).map(unknown),
        };
        let Some(Context { text, is_host }) = context else { return Ok(None) };
        let Some(text) = self.completed(root, text)? else { return Ok(None) };
        let planted = self.parsed(text)?;
        Ok(planted
            .filter(|planted| self.is_masked_by(planted, root, class))
            .map(|planted| (planted, is_host)))
    }

    /// A random input with a text of a class in it, and of a root class beside it.
    fn in_random(
        &mut self,
        root: ClassId,
        side: Side,
        class: ClassId,
        mask: &[u8],
    ) -> Result<Option<Vec<u8>>, Halt> {
        let grammar = self.example.grammar;
        let [target, hidden]: [NonterminalId; 2] =
            [class, root].map(|class| self.hypothesis.class(class).nonterminal);
        let Some(member) = self.member(root, Bindings::new()) else { return Ok(None) };
        let Some(Context { text, .. }) = self.in_context(target, mask) else { return Ok(None) };
        let Some(input) = self.parsed(text)? else { return Ok(None) };
        let places: Vec<NodeId> = {
            let matcher = Matcher::new(grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            let places = Places::new(&input.tree, &matched);
            let nodes = input.nodes().into_iter();
            let of_it = nodes.filter(|&node| input.tree.nonterminal(grammar, node) == Some(hidden));
            of_it.filter(|&node| places.has(class, side, node)).collect()
        };
        if places.is_empty() {
            return Ok(None);
        }
        let place = *self.stream.pick(&places);
        Ok(Some(input.with(self.example, &[(place, member)])))
    }

    /// An input with a class in it around a root class: in turn a random one, and one that is known to pass without it. In turn, too, the
    /// cheapest strings are beside the root class in the class, which are least likely to be refused for something else.
    fn around_root(&mut self, root: ClassId, class: ClassId, turn: usize) -> Option<Context> {
        let grammar = self.example.grammar;
        let content = self.hypothesis.class(class);
        let (outer, hidden) = (content.nonterminal, self.hypothesis.class(root).nonterminal);
        let alternatives = content.alternatives.clone();
        let Alternative::Rule(rule, _) = *self.stream.pick(&alternatives) else { return None };
        let mut ways: Vec<(usize, NonterminalId)> = Vec::new();
        for (child, symbol) in grammar.rule(rule).symbols.iter().enumerate() {
            if let Symbol::Nonterminal(inner) = *symbol
                && self.cheapest.reaches(inner, hidden)
            {
                ways.push((child, inner));
            }
        }
        if ways.is_empty() {
            return None;
        }
        // What a loop is around is its body, which is nearest, rather than a function in its condition.
        ways.sort_by_key(|&(_, inner)| self.cheapest.distance(inner, hidden));
        let (child, inner) = if self.stream.below(SELDOM) == 0 { *self.stream.pick(&ways) } else { ways[0] };
        let member = self.member_or_known(root)?;
        let inside = self.cheapest.around(inner, hidden, &member)?;
        let text = self.text_beside(rule, child, &inside, turn.is_multiple_of(2))?;
        if turn / 2 % 2 == 1
            && let Some(text) = self.hosted(outer, &text)
        {
            return Some(Context { text, is_host: true });
        }
        self.in_context(outer, &text)
    }

    /// An input that is known to fail for a root class, with a text of a class beside that.
    fn in_failing(&mut self, root: ClassId, side: Side, class: ClassId, mask: &[u8]) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let target = self.hypothesis.class(class).nonterminal;
        let input = Rc::clone(self.stream.pick(&self.failing));
        let node = {
            let matcher = Matcher::new(grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            matcher.occurrences(&input.tree, &matched).into_iter().find(|&(found, _)| found == root)?.1
        };
        let mut places: Vec<(NodeId, NonterminalId)> = Vec::new();
        for (_, place) in beside(&input, node).into_iter().filter(|&(found, _)| found == side) {
            if let Some(nonterminal) = input.tree.nonterminal(grammar, place)
                && self.cheapest.reaches(nonterminal, target)
            {
                places.push((place, nonterminal));
            }
        }
        if places.is_empty() {
            return None;
        }
        let (place, nonterminal) = *self.stream.pick(&places);
        let text = self.cheapest.around(nonterminal, target, mask)?;
        Some(input.with(self.example, &[(place, text)]))
    }

    /// Whether the first tree of an input is accepted if and only if one class does not mask a root class.
    pub(super) fn is_masked_by(&self, input: &Input, root: ClassId, class: ClassId) -> bool {
        let grammar = self.example.grammar;
        if self.accepts_first(input) {
            return false;
        }
        let mut without = self.hypothesis.clone();
        without.unmask(root, class);
        Matcher::new(grammar, &without).accepts_tree(&input.tree)
    }

    /// The number of inputs that are known to fail for a root class in them and that a class masks, counted up to `most`.
    pub(super) fn lost(&mut self, root: ClassId, class: ClassId, most: usize) -> Result<usize, Halt> {
        let masked: Vec<Rc<Input>> =
            self.failing.iter().filter(|input| self.is_masked_by(input, root, class)).cloned().collect();
        let mut lost = 0;
        for input in masked {
            if lost == most {
                break;
            }
            lost += usize::from(self.is_cause(&input, root)?);
        }
        Ok(lost)
    }
}
