//! Making inputs smaller and plainer by what may stand in the place of their subtrees.

use std::collections::HashMap;
use std::rc::Rc;

use crate::grammar::lexis::is_gap;
use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::input::Input;
use super::session::Learning;

/// The number of parts of a subtree that are tried in its place.
const MOST_INNER: usize = 3;

/// The part of all executions, one in this number, that making the reduced input simpler may take.
const SIMPLIFYING: u64 = 20;

impl Learning<'_, '_, '_> {
    /// Makes an input smaller as long as it keeps its verdict and `is_kept` holds of it, in at most `most` executions: from
    /// the root down, each subtree gives way to the cheapest string or to a part of the same nonterminal inside it.
    pub(super) fn shrink(
        &mut self,
        mut input: Rc<Input>,
        wanted: Verdict,
        mut most: usize,
        is_kept: &dyn Fn(&Self, &Input) -> bool,
    ) -> Result<Rc<Input>, Halt> {
        let mut index = 0;
        // What stands before the node in document order stays as it is, so nodes can be counted.
        'nodes: while let Some(&node) = input.nodes().get(index) {
            for fill in self.smaller(&input, node) {
                let Some(candidate) = self.shorter_with(&input, node, &fill)? else { continue };
                if !is_kept(self, &candidate) {
                    continue;
                }
                if !self.may_ask(&candidate, &mut most) {
                    return Ok(input);
                }
                if let Some((verdict, candidate)) = self.ask(candidate.text.clone())?
                    && verdict == wanted
                {
                    input = candidate;
                    continue 'nodes;
                }
            }
            index += 1;
        }
        Ok(input)
    }

    /// Puts plainer parts in the place of those of the reduced input, as far as it fails; nothing if that frees it of nothing that it asks for. A
    /// reducer only leaves out; what is declared stays as long as anything uses it. So the innermost and last parts come first, and what was refused
    /// around or behind one comes again when that has given way.
    pub(super) fn simplified(&mut self) -> Result<Option<Rc<Input>>, Halt> {
        let text = self.example.tree.text(self.example.grammar);
        let Some(mut input) = Input::parse(self.example.parser, text)? else { return Ok(None) };
        let mut most = (self.settings.executions / SIMPLIFYING) as usize;
        let mut known: HashMap<(Vec<u8>, Vec<u8>), Verdict> = HashMap::new();
        let mut is_freed = false;
        'input: loop {
            for (node, _) in self.changeable(&input).into_iter().rev() {
                for fill in self.smaller(&input, node) {
                    let change = (input.text_of(node).to_vec(), fill);
                    if known.get(&change) == Some(&Verdict::Pass) {
                        continue;
                    }
                    let Some(candidate) = self.shorter_with(&input, node, &change.1)? else { continue };
                    if !self.may_ask(&candidate, &mut most) {
                        return Ok(is_freed.then_some(input));
                    }
                    let Some((verdict, simpler)) = self.ask(candidate.text.clone())? else { continue };
                    let before = known.insert(change, verdict);
                    if verdict == Verdict::Fail {
                        is_freed |= before.is_some_and(|before| before != Verdict::Fail);
                        input = simpler;
                        continue 'input;
                    }
                }
            }
            return Ok(is_freed.then_some(input));
        }
    }

    /// An input with another text in the place of a node, if that makes it shorter.
    fn shorter_with(&self, input: &Input, node: NodeId, fill: &[u8]) -> Result<Option<Rc<Input>>, Halt> {
        let text = input.with(self.example, &[(node, fill.to_vec())]);
        if text.len() >= input.text.len() { Ok(None) } else { Ok(Input::parse(self.example.parser, text)?) }
    }

    /// Whether an input may be asked about, with at most `most` executions more.
    fn may_ask(&self, input: &Input, most: &mut usize) -> bool {
        let is_new = !self.judge.knows(&input.text);
        let is_left = !is_new || *most > 0;
        *most -= usize::from(is_new && is_left);
        is_left
    }

    /// Shorter texts for a node.
    pub(super) fn smaller(&self, input: &Input, node: NodeId) -> Vec<Vec<u8>> {
        let grammar = self.example.grammar;
        let own = input.text_of(node).len();
        let Some(nonterminal) = input.tree.nonterminal(grammar, node) else { return Vec::new() };
        if own == 0 || is_gap(grammar, nonterminal) {
            return Vec::new();
        }
        let cheapest = self.cheapest.string(nonterminal).map(<[u8]>::to_vec);
        // Those directly below: deeper ones get their turn when one of these stands in the place.
        let mut inner: Vec<Vec<u8>> = Vec::new();
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            for &child in input.tree.children(at) {
                match input.tree.nonterminal(grammar, child) {
                    Some(found) if found == nonterminal => inner.push(input.text_of(child).to_vec()),
                    Some(_) => open.push(child),
                    None => {}
                }
            }
        }
        inner.sort_by_key(Vec::len);
        inner.truncate(MOST_INNER);
        let mut texts: Vec<Vec<u8>> = cheapest.into_iter().chain(inner).collect();
        texts.retain(|text| text.len() < own);
        texts
    }
}
