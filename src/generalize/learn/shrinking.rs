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

/// The same of texts of its nonterminal that stand elsewhere.
const MOST_OTHERS: usize = 3;

/// The fewest elements of a list that are left out at once where it is long.
const LEAST_STEPS: usize = 4;

/// The part of all executions, one in this number, that making the reduced input simpler may take.
const SIMPLIFYING: u64 = 10;

/// An input that is made simpler.
struct Simplifying {
    input: Rc<Input>,
    /// The number of executions that are left for it.
    most: usize,
    /// What became of each change of a text to another one.
    known: HashMap<(Vec<u8>, Vec<u8>), Verdict>,
    /// Whether a change was accepted that was refused before.
    is_freed: bool,
}

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
        let Some(input) = self.parsed(text)? else { return Ok(None) };
        let most = (self.settings.executions / SIMPLIFYING) as usize;
        let mut simplifying = Simplifying { input, most, known: HashMap::new(), is_freed: false };
        loop {
            let before = Rc::clone(&simplifying.input);
            let mut open = self.changeable(&before);
            while let Some((node, _)) = open.pop() {
                let rest = simplifying.input.text.len() - simplifying.input.spans[node].1;
                if self.simplify_at(&mut simplifying, node)? {
                    // What stands behind it is as it was.
                    let input = &simplifying.input;
                    let end = input.text.len() - rest;
                    open = self.changeable(input);
                    open.retain(|&(at, _)| input.spans[at].0 < end);
                }
            }
            if simplifying.most == 0 || simplifying.input.text == before.text {
                return Ok(simplifying.is_freed.then_some(simplifying.input));
            }
        }
    }

    /// Puts a plainer part in the place of one; says whether the input fails with one of them.
    fn simplify_at(&mut self, simplifying: &mut Simplifying, node: NodeId) -> Result<bool, Halt> {
        let input = Rc::clone(&simplifying.input);
        let others = self.others_like(&input, node);
        for fill in self.smaller(&input, node).into_iter().chain(others) {
            let change = (input.text_of(node).to_vec(), fill);
            if simplifying.known.get(&change) == Some(&Verdict::Pass) {
                continue;
            }
            let Some(candidate) = self.shorter_with(&input, node, &change.1)? else { continue };
            if !self.may_ask(&candidate, &mut simplifying.most) {
                return Ok(false);
            }
            let Some((verdict, simpler)) = self.ask(candidate.text.clone())? else { continue };
            let before = simplifying.known.insert(change, verdict);
            if verdict == Verdict::Fail {
                simplifying.is_freed |= before.is_some_and(|before| before != Verdict::Fail);
                simplifying.input = simpler;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The shortest texts for a node that stand elsewhere in an input: a jump to another block is in the place of one that needs a condition.
    fn others_like(&self, input: &Input, node: NodeId) -> Vec<Vec<u8>> {
        let grammar = self.example.grammar;
        let own = input.text_of(node);
        let Some(nonterminal) = input.tree.nonterminal(grammar, node) else { return Vec::new() };
        if is_gap(grammar, nonterminal) {
            return Vec::new();
        }
        let alike =
            input.nodes().into_iter().filter(|&at| input.tree.nonterminal(grammar, at) == Some(nonterminal));
        let mut texts: Vec<Vec<u8>> = alike.map(|at| input.text_of(at).to_vec()).collect();
        texts.retain(|text| !text.is_empty() && text.len() < own.len());
        texts.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
        texts.dedup();
        texts.truncate(MOST_OTHERS);
        texts
    }

    /// An input with another text in the place of a node, if that makes it shorter.
    fn shorter_with(&self, input: &Input, node: NodeId, fill: &[u8]) -> Result<Option<Rc<Input>>, Halt> {
        let text = input.with(self.example, &[(node, fill.to_vec())]);
        if text.len() >= input.text.len() { Ok(None) } else { Ok(self.parsed(text)?) }
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
        let mut inner = self.directly_inside(input, node);
        let longest = |inside: &[NodeId]| inside.last().copied();
        let next = |&at: &NodeId| longest(&self.directly_inside(input, at));
        let chain: Vec<NodeId> = std::iter::successors(longest(&inner), next).collect();
        inner.truncate(MOST_INNER);
        // Of a long list, half of what is left, and less.
        let steps = std::iter::successors(Some(chain.len() / 2), |steps| Some(steps / 2));
        let steps = steps.take_while(|&steps| steps >= LEAST_STEPS).map(|steps| chain[steps - 1]);
        let mut texts: Vec<Vec<u8>> = cheapest.into_iter().collect();
        texts.extend(steps.chain(inner).map(|at| input.text_of(at).to_vec()));
        texts.retain(|text| text.len() < own);
        texts
    }

    /// The nodes of the same nonterminal inside of one, but for those inside of others, from the shortest to the longest.
    fn directly_inside(&self, input: &Input, node: NodeId) -> Vec<NodeId> {
        let nonterminal = input.tree.nonterminal(self.example.grammar, node);
        let mut inside: Vec<NodeId> = Vec::new();
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            for &child in input.tree.children(at) {
                match input.tree.nonterminal(self.example.grammar, child) {
                    found @ Some(_) if found == nonterminal => inside.push(child),
                    Some(_) => open.push(child),
                    None => {}
                }
            }
        }
        inside.sort_by_key(|&at| input.text_of(at).len());
        inside
    }
}
