//! Which part of a passing input masks what would make it fail: with something else in its place, it fails.

use std::rc::Rc;

use crate::grammar::Symbol;
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
            let same =
                path[..index].iter().rposition(|&at| input.tree.nonterminal(grammar, at) == nonterminal);
            let Some(inner) = same else { continue };
            let own = input.text_of(path[inner]);
            let text = input.with(self.example, &[(outer, own.to_vec())]);
            if let Some((Verdict::Fail, changed)) = self.ask(text)?
                && self.accepts(&changed)
                && self.is_cause(&changed, root)?
            {
                let part = path[inner + 1..=index].iter().find(|&&at| input.text_of(at) != own);
                return Ok(part.map(|&part| Blame { side: Side::Around, part, outermost: outer }));
            }
        }
        Ok(None)
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
        rule.is_none_or(|rule| rule.symbols.iter().any(|symbol| matches!(symbol, Symbol::Class(_))))
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
        Ok(failing.map(|(_, changed)| changed).filter(|changed| self.accepts(changed)))
    }

    /// Whether a failing input passes without the one part of it that is in a root class.
    pub(super) fn is_cause(&mut self, input: &Rc<Input>, root: ClassId) -> Result<bool, Halt> {
        let found: Vec<NodeId> = {
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            let all = matcher.occurrences_in_all(&input.tree, &matched).into_iter();
            all.filter(|&(found, _)| found == root).map(|(_, node)| node).collect()
        };
        // Of several, any may be it.
        let [node] = found[..] else { return Ok(false) };
        let nonterminal = self.hypothesis.class(root).nonterminal;
        for turn in 0..SAMPLES {
            let Some(fill) = self.fill(nonterminal, turn) else { continue };
            let text = input.with(self.example, &[(node, fill)]);
            if let Some((Verdict::Pass, _)) = self.ask(text)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
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
