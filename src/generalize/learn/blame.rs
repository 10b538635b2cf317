//! Which part of a passing input masks what would make it fail: with something else in its place, it fails.

use std::rc::Rc;

use crate::grammar::Rule;
use crate::grammar::lexis::is_gap;
use crate::oracle::{Halt, Verdict};
use crate::pattern::Side;
use crate::tree::NodeId;

use super::hypothesis::ClassId;
use super::input::Input;
use super::matching::Matcher;
use super::session::Learning;

/// The number of other texts that are tried in the place of a part.
const SAMPLES: usize = 4;

/// The number of parts in a root class of which each may be the one for which an input fails.
const MOST_CAUSES: usize = 4;

/// A part of an input that masks what would make it fail.
pub(super) struct Blame {
    /// Where it stands as seen from that.
    pub(super) side: Side,
    /// The part.
    pub(super) part: NodeId,
    /// The largest subtree around it that stands there, too.
    pub(super) outermost: NodeId,
}

impl Learning<'_, '_, '_> {
    /// The input with what is known to fail in the place of what is in the root class, if it passes with that too: then it is not
    /// for what stands there.
    pub(super) fn with_known(
        &mut self,
        input: &Rc<Input>,
        root: ClassId,
        node: NodeId,
    ) -> Result<(Rc<Input>, NodeId), Halt> {
        if let Some((known, place)) = self.first_place(root)
            && known.text_of(place) != input.text_of(node)
        {
            let text = input.with(self.example, &[(node, known.text_of(place).to_vec())]);
            if let Some((Verdict::Pass, changed)) = self.ask(text)? {
                let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
                let found = matcher.occurrences(&changed.tree, &matcher.matched(&changed.tree));
                if let [(found, node)] = found[..]
                    && found == root
                {
                    return Ok((changed, node));
                }
            }
        }
        Ok((Rc::clone(input), node))
    }

    /// The smallest part beside a node, or else around it, with which an input passes: with something else in its place, or without it, it
    /// fails.
    pub(super) fn part_to_blame(
        &mut self,
        input: &Rc<Input>,
        root: ClassId,
        node: NodeId,
    ) -> Result<Option<Blame>, Halt> {
        let mut beside = beside(input, node);
        // What is long is more likely to do it.
        beside.sort_by_key(|(_, child)| std::cmp::Reverse(input.text_of(*child).len()));
        for turn in 0..SAMPLES {
            for &(side, outermost) in &beside {
                if let Some(changed) = self.fails_without(input, outermost, turn)?
                    && self.is_cause(&changed, root)?
                {
                    let part = self.smallest_part(input, outermost)?;
                    return Ok(Some(Blame { side, part, outermost }));
                }
            }
        }
        self.part_around(input, root, node)
    }

    /// The smallest part around a node with which an input passes: without it, but with what is in it, it fails.
    fn part_around(&mut self, input: &Rc<Input>, root: ClassId, node: NodeId) -> Result<Option<Blame>, Halt> {
        let grammar = self.example.grammar;
        let mut path = vec![node];
        while let Some(parent) = input.tree.parent(path[path.len() - 1]) {
            path.push(parent);
        }
        for (index, &outer) in path.iter().enumerate() {
            let nonterminal = input.tree.nonterminal(grammar, outer);
            let is_same = |&at: &NodeId| input.tree.nonterminal(grammar, at) == nonterminal;
            let (Some(nearest), Some(innermost)) =
                (path[..index].iter().rposition(is_same), path[..index].iter().position(is_same))
            else {
                continue;
            };
            let own = input.text_of(path[nearest]);
            let text = input.with(self.example, &[(outer, own.to_vec())]);
            let Some((Verdict::Fail, changed)) = self.ask(text)? else { continue };
            // Where there is much in the nearest one, the innermost one alone shows better what it fails for.
            let is_it = self.accepts(&changed)
                && (self.is_cause(&changed, root)?
                    || innermost < nearest && self.fails_with_only(input, outer, path[innermost], root)?);
            if is_it {
                let part = path[nearest + 1..=index].iter().find(|&&at| input.text_of(at) != own);
                return Ok(part.map(|&part| Blame { side: Side::Around, part, outermost: outer }));
            }
        }
        Ok(None)
    }

    /// Whether an input fails for a root class with just what is in an inner node in the place of an outer one.
    fn fails_with_only(
        &mut self,
        input: &Rc<Input>,
        outer: NodeId,
        inner: NodeId,
        root: ClassId,
    ) -> Result<bool, Halt> {
        let text = input.with(self.example, &[(outer, input.text_of(inner).to_vec())]);
        let Some((Verdict::Fail, changed)) = self.ask(text)? else { return Ok(false) };
        Ok(self.accepts(&changed) && self.is_cause(&changed, root)?)
    }

    /// The smallest subtree of one with the same effect.
    fn smallest_part(&mut self, input: &Rc<Input>, outermost: NodeId) -> Result<NodeId, Halt> {
        let mut part = outermost;
        'deeper: loop {
            for turn in 0..SAMPLES {
                for &child in input.tree.children(part) {
                    if !self.is_word(input, child) && self.fails_without(input, child, turn)?.is_some() {
                        part = child;
                        continue 'deeper;
                    }
                }
            }
            return Ok(part);
        }
    }

    /// Whether a part is made of single characters.
    fn is_word(&self, input: &Input, part: NodeId) -> bool {
        let rule = input.tree.rule(part).map(|rule| self.example.grammar.rule(rule));
        rule.is_none_or(Rule::has_class)
    }

    /// The input with another text in the place of a part, if it fails then and the hypothesis says so.
    fn fails_without(
        &mut self,
        input: &Rc<Input>,
        part: NodeId,
        turn: usize,
    ) -> Result<Option<Rc<Input>>, Halt> {
        let grammar = self.example.grammar;
        let nonterminal = input.tree.nonterminal(grammar, part);
        let Some(nonterminal) = nonterminal.filter(|&nonterminal| !is_gap(grammar, nonterminal)) else {
            return Ok(None);
        };
        let fill = self.fill(nonterminal, turn).filter(|fill| fill != input.text_of(part));
        let Some(fill) = fill else { return Ok(None) };
        let text = input.with(self.example, &[(part, fill)]);
        let failing = self.ask(text)?.filter(|(verdict, _)| *verdict == Verdict::Fail);
        // Not for what the other text has in it.
        let most = self.occurrences_in(input);
        let is_for_the_same =
            |changed: &Rc<Input>| self.accepts(changed) && self.occurrences_in(changed) <= most;
        Ok(failing.map(|(_, changed)| changed).filter(is_for_the_same))
    }

    /// The number of places in an input at which root classes stand, masked or not.
    pub(super) fn occurrences_in(&self, input: &Input) -> usize {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        matcher.occurrences_in_all(&input.tree, &matcher.matched(&input.tree)).len()
    }

    /// Whether what is skipped in a passing input, such as a comment, makes it pass: with a blank in the place of each it does not.
    pub(super) fn is_hidden_in_gaps(&mut self, input: &Input) -> Result<bool, Halt> {
        let grammar = self.example.grammar;
        let is_long = |&node: &NodeId| {
            input.text_of(node).len() > 1
                && input
                    .tree
                    .nonterminal(grammar, node)
                    .is_some_and(|nonterminal| is_gap(grammar, nonterminal))
        };
        let gaps: Vec<NodeId> = input.nodes().into_iter().filter(is_long).collect();
        let blanks: Vec<(NodeId, Vec<u8>)> =
            outermost(input, &gaps).into_iter().map(|gap| (gap, b" ".to_vec())).collect();
        if blanks.is_empty() {
            return Ok(false);
        }
        let asked = self.ask(input.with(self.example, &blanks))?;
        Ok(asked.is_some_and(|(verdict, _)| verdict != Verdict::Pass))
    }

    /// Whether a failing input passes with something else in the place of the parts of it that are in a root class, or of one of them.
    pub(super) fn is_cause(&mut self, input: &Rc<Input>, root: ClassId) -> Result<bool, Halt> {
        let all = {
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            let of_root = |found: Vec<(ClassId, NodeId)>| -> Vec<NodeId> {
                found.into_iter().filter(|&(found, _)| found == root).map(|(_, node)| node).collect()
            };
            let unmasked = of_root(matcher.occurrences(&input.tree, &matched));
            if unmasked.is_empty() {
                of_root(matcher.occurrences_in_all(&input.tree, &matched))
            } else {
                unmasked
            }
        };
        // Where most inputs are refused a verdict is worth more executions.
        let is_thorough = self.is_often_refused();
        if all.len() != 1 && !is_thorough {
            return Ok(false);
        }
        let mut sets = vec![outermost(input, &all)];
        if all.len() > 1 {
            sets.extend(all.into_iter().take(MOST_CAUSES).map(|node| vec![node]));
        }
        for turn in 0..SAMPLES {
            // Of several, one at a time is tried only with what is most likely to be taken.
            let most = if turn == 0 { sets.len() } else { 1 };
            for set in &sets[..most] {
                if self.passes_without(input, set, turn)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether an input passes with other texts in the place of some parts of it: texts of the part's own nonterminal, and of the largest one
    /// that derives just the part. Where most inputs are refused that comes first, and otherwise where the first says nothing.
    fn passes_without(&mut self, input: &Rc<Input>, parts: &[NodeId], turn: usize) -> Result<bool, Halt> {
        let grammar = self.example.grammar;
        let largest: Vec<NodeId> = parts.iter().map(|&part| largest_same(input, part)).collect();
        let is_thorough = self.is_often_refused();
        let choices = match largest == parts {
            true => vec![largest],
            false if is_thorough => vec![largest, parts.to_vec()],
            false => vec![parts.to_vec(), largest],
        };
        for parts in choices {
            let mut fills: Vec<(NodeId, Vec<u8>)> = Vec::new();
            for part in parts {
                let nonterminal = input.tree.nonterminal(grammar, part);
                let Some(fill) = nonterminal.and_then(|nonterminal| self.fill(nonterminal, turn)) else {
                    continue;
                };
                fills.push((part, fill));
            }
            if fills.is_empty() {
                continue;
            }
            match self.ask(input.with(self.example, &fills))? {
                Some((Verdict::Pass, _)) => return Ok(true),
                Some((Verdict::Fail, _)) if !is_thorough => return Ok(false),
                _ => {}
            }
        }
        Ok(false)
    }
}

/// Those of some nodes that are not inside of another one of them, with which they go.
fn outermost(input: &Input, nodes: &[NodeId]) -> Vec<NodeId> {
    let parent = |node| input.tree.parent(node);
    let is_inside =
        |node: NodeId| std::iter::successors(parent(node), |&at| parent(at)).any(|at| nodes.contains(&at));
    nodes.iter().copied().filter(|&node| !is_inside(node)).collect()
}

/// The largest subtree around a node with nothing else in it.
fn largest_same(input: &Input, node: NodeId) -> NodeId {
    let mut largest = node;
    while let Some(parent) = input.tree.parent(largest)
        && input.text_of(parent) == input.text_of(node)
    {
        largest = parent;
    }
    largest
}

/// The largest subtrees beside a node, with the side on which they are.
pub(super) fn beside(input: &Input, node: NodeId) -> Vec<(Side, NodeId)> {
    let mut beside: Vec<(Side, NodeId)> = Vec::new();
    let mut inner = node;
    while let Some(parent) = input.tree.parent(inner) {
        let children = input.tree.children(parent);
        let own = children.iter().position(|&child| child == inner).unwrap_or(0);
        beside.extend(children[..own].iter().map(|&child| (Side::Before, child)));
        beside.extend(children[own + 1..].iter().map(|&child| (Side::Behind, child)));
        inner = parent;
    }
    beside
}
