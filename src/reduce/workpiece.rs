//! The input under reduction: its text, its tree, and the edits that a reducer on trees may try.
//!
//! A candidate is made by splicing byte spans of the current text, for one edit or for many at once; the tree is edited
//! only once the candidate is known to fail (`change`). What is known of its nodes is kept up to date then ([`super::places`]).

mod change;
mod first_element;
mod other_rules;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::base::bitset::BitSet;
use crate::base::limits::Exceeded;
use crate::grammar::analysis::recursive;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::oracle::{Halt, Judge};
use crate::tree::{Label, NodeId, Tree};

use super::Syntax;
use super::derivable::Derivable;
use super::minimal::{Frame, MinimalDerivations};
use super::places::Places;

/// A change to the tree that keeps it a derivation tree and makes its text no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// The node derives the empty string instead.
    Empty(NodeId),
    /// The node derives the shortest string that it can.
    Minimal(NodeId),
    /// The node is replaced by a node of the same nonterminal below it.
    Hoist(NodeId, NodeId),
    /// The character is another one of its class.
    Character(NodeId, char),
    /// The node is expanded by another rule, all of which is found, in this order, in the rule that
    /// it was expanded by, so that text is only deleted. It is what a reducer gets for free where a
    /// list is written as a repetition, and needs where it is not:
    /// `<elts> ::= <elt> "," <elts> | <elt>`.
    Shorten(NodeId, RuleId),
    /// The node has a list among its children, `x (sep x)*`, and loses the first element: the second takes its place. The
    /// number is that of the repetition among the children.
    DropFirst(NodeId, usize),
}

impl Edit {
    /// The node that is edited.
    fn node(self) -> NodeId {
        match self {
            Self::Empty(node)
            | Self::Minimal(node)
            | Self::Hoist(node, _)
            | Self::Character(node, _)
            | Self::Shorten(node, _)
            | Self::DropFirst(node, _) => node,
        }
    }
}

/// A part of the text with what comes into its place.
struct Splice {
    begin: usize,
    end: usize,
    insert: Vec<u8>,
}

/// The input under reduction.
#[derive(Clone)]
pub(super) struct Workpiece<'g> {
    grammar: &'g Grammar,
    tree: Tree,
    text: Vec<u8>,
    places: Places,
    minimal: Arc<MinimalDerivations>,
    /// Only below these can there be a node of the same nonterminal.
    recursive: Arc<BitSet<NonterminalId>>,
    /// Whether tokens are edited inside.
    opens_tokens: bool,
    /// Which candidates count, if not all do.
    derivable: Option<&'g Derivable<'g>>,
    /// What parses texts that are no edits of the tree, if anything does.
    syntax: Option<Syntax<'g>>,
}

impl<'g> Workpiece<'g> {
    pub(super) fn new(grammar: &'g Grammar, tree: Tree) -> Self {
        Self {
            grammar,
            text: tree.text(grammar),
            places: Places::new(grammar, &tree),
            tree,
            minimal: Arc::new(MinimalDerivations::new(grammar)),
            recursive: Arc::new(recursive(grammar)),
            opens_tokens: false,
            derivable: None,
            syntax: None,
        }
    }

    /// The same, of which only such candidates are taken that are inputs of the grammar.
    pub(super) fn derived(self, derivable: Option<&'g Derivable<'g>>) -> Self {
        Self { derivable, ..self }
    }

    /// The same, whose text may become another one that the grammar derives.
    pub(super) fn parsed(self, syntax: Syntax<'g>) -> Self {
        Self { syntax: Some(syntax), ..self }
    }

    /// The token at `node`, which is edited inside.
    pub(super) fn inside(&self, node: NodeId) -> Self {
        let tree = self.tree.subtree(node);
        Self {
            grammar: self.grammar,
            text: tree.text(self.grammar),
            places: Places::new(self.grammar, &tree),
            tree,
            minimal: Arc::clone(&self.minimal),
            recursive: Arc::clone(&self.recursive),
            opens_tokens: true,
            derivable: None,
            syntax: None,
        }
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    pub(super) fn grammar(&self) -> &'g Grammar {
        self.grammar
    }

    /// The input as it is now.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(super) fn into_parts(self) -> (Vec<u8>, Tree) {
        (self.text, self.tree)
    }

    /// Whether `node` is still in the tree.
    pub(super) fn is_live(&self, node: NodeId) -> bool {
        self.places.is_live(node)
    }

    /// The number of tokens below `node`.
    pub(super) fn tokens(&self, node: NodeId) -> usize {
        self.places.tokens(node)
    }

    /// The distance of `node` from the root.
    pub(super) fn depth(&self, node: NodeId) -> usize {
        self.places.depth(&self.tree, node)
    }

    /// The nonterminal of a node that may be edited: tokens are not reduced inside, and a terminal
    /// is what it is.
    pub(super) fn editable(&self, node: NodeId) -> Option<NonterminalId> {
        self.tree
            .nonterminal(self.grammar, node)
            .filter(|&nonterminal| self.opens_tokens || self.grammar.nonterminal(nonterminal).token.is_none())
    }

    /// The number of bytes below `node`.
    pub(super) fn length(&self, node: NodeId) -> usize {
        self.places.length(node)
    }

    /// The text of `node`.
    pub(super) fn text_of(&self, node: NodeId) -> &[u8] {
        let (begin, end) = self.span(node);
        &self.text[begin..end]
    }

    /// The tokens of the text that are tokens of the grammar, with what they are, from left to right.
    pub(super) fn token_nodes(&self) -> Vec<(NonterminalId, NodeId)> {
        let kind = |node| Some((self.tree.nonterminal(self.grammar, node)?, node));
        self.tokens_of(self.tree.root()).filter_map(kind).collect()
    }

    /// The tokens below `node`, from left to right: those of the grammar, and the terminals outside of them.
    pub(super) fn tokens_of(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut open = vec![node];
        std::iter::from_fn(move || {
            loop {
                let node = open.pop()?;
                let nonterminal = self.tree.nonterminal(self.grammar, node);
                if nonterminal.is_none_or(|id| self.grammar.nonterminal(id).token.is_some()) {
                    return Some(node);
                }
                open.extend(self.tree.children(node).iter().rev());
            }
        })
    }

    /// Puts copies of `tree` into the places of all `nodes`, which are of its nonterminal, if the text is not longer then and fails. Says
    /// which nodes they became.
    pub(super) fn attempt_trees(
        &mut self,
        nodes: &[NodeId],
        tree: &Tree,
        judge: &mut Judge<'_>,
    ) -> Result<Option<Vec<NodeId>>, Halt> {
        let by = tree.text(self.grammar);
        let mut spans: Vec<(usize, usize)> = nodes.iter().map(|&node| self.span(node)).collect();
        spans.sort_by_key(|&(begin, _)| begin);
        let taken: usize = spans.iter().map(|&(begin, end)| end - begin).sum();
        if by.len() * nodes.len() > taken {
            return Ok(None);
        }
        let (mut text, mut at) = (Vec::with_capacity(self.text.len()), 0);
        for (begin, end) in spans {
            text.extend_from_slice(&self.text[at..begin]);
            text.extend_from_slice(&by);
            at = end;
        }
        text.extend_from_slice(&self.text[at..]);
        Ok(if self.fails(&text, judge)? { Some(self.put(nodes, tree, text)) } else { None })
    }

    /// The text with another one in the place of `node`.
    pub(super) fn text_with(&self, node: NodeId, by: &[u8]) -> Vec<u8> {
        let (begin, end) = self.span(node);
        [&self.text[..begin], by, &self.text[end..]].concat()
    }

    /// Takes a text for the input, if it is one of the grammar and fails: says whether it is. The tree is another one then. Nothing is asked about
    /// a text that is none, or that takes too much to parse.
    pub(super) fn attempt_text(&mut self, text: &[u8], judge: &mut Judge<'_>) -> Result<bool, Halt> {
        let Some(syntax) = self.syntax else { return Ok(false) };
        let is_derived = match (syntax.derives)(text) {
            Err(Exceeded::Interrupted) => return Err(Exceeded::Interrupted.into()),
            derived => derived.unwrap_or(false),
        };
        if !is_derived || !judge.fails(text)? {
            return Ok(false);
        }
        let Some(tree) = (syntax.parse)(text)? else { return Ok(false) };
        self.text = text.to_vec();
        self.places = Places::new(self.grammar, &tree);
        self.tree = tree;
        Ok(true)
    }

    /// Where `node` begins in the text.
    pub(super) fn begin(&self, node: NodeId) -> usize {
        self.span(node).0
    }

    /// Where `node` begins and ends in the text.
    fn span(&self, node: NodeId) -> (usize, usize) {
        self.places.span(&self.tree, node)
    }

    /// Whether `node` could derive the empty string, which it does not do now.
    pub(super) fn can_be_empty(&self, node: NodeId) -> bool {
        let is_empty = |nonterminal| self.minimal.is_empty(nonterminal);
        self.length(node) > 0 && self.editable(node).is_some_and(is_empty)
    }

    /// The nodes of the same nonterminal below `node` with none between, the shallowest first.
    pub(super) fn nearest_alike(&self, node: NodeId) -> Vec<NodeId> {
        let Some(nonterminal) = self.editable(node).filter(|id| self.recursive.contains(*id)) else {
            return Vec::new();
        };
        let (mut found, mut open) = (Vec::new(), VecDeque::from([node]));
        while let Some(current) = open.pop_front() {
            for &child in self.tree.children(current) {
                match self.editable(child) {
                    Some(inner) if inner == nonterminal => found.push(child),
                    Some(_) => open.push_back(child),
                    None => {}
                }
            }
        }
        found
    }

    /// Whether another rule than its own makes `node` shorter.
    pub(super) fn can_be_shorter(&self, node: NodeId) -> bool {
        let shortest = self.editable(node).and_then(|nonterminal| self.minimal.length(nonterminal));
        shortest.is_some_and(|shortest| shortest < self.length(node))
    }

    /// The edit that puts the first character of its class into the place of `node`, if that is another one.
    pub(super) fn lower_character(&self, node: NodeId) -> Option<Edit> {
        let Label::Char(now) = self.tree.label(node) else { return None };
        let parent = self.tree.parent(node)?;
        let place = self.tree.children(parent).iter().position(|&child| child == node)?;
        let Symbol::Class(class) = *self.grammar.rule(self.tree.rule(parent)?).symbols.get(place)? else {
            return None;
        };
        let first = self.grammar.class(class).nth(0)?;
        (first < now && first.len_utf8() <= now.len_utf8()).then_some(Edit::Character(node, first))
    }

    /// Makes `edit` if the text it leads to is smaller and fails. Says which node then stands where
    /// the edited one stood.
    pub(super) fn attempt(&mut self, edit: Edit, judge: &mut Judge<'_>) -> Result<Option<NodeId>, Halt> {
        match self.candidate(edit) {
            Some(text) if self.fails(&text, judge)? => Ok(Some(self.apply(edit, text))),
            _ => Ok(None),
        }
    }

    /// Has `node` derive the shortest string that it can, if that has no more tokens, and fails. Says which node then stands where it stood.
    pub(super) fn attempt_minimal(
        &mut self,
        node: NodeId,
        judge: &mut Judge<'_>,
    ) -> Result<Option<NodeId>, Halt> {
        let is_less = self.minimal_tokens(node).is_some_and(|tokens| tokens <= self.tokens(node));
        if is_less { self.attempt(Edit::Minimal(node), judge) } else { Ok(None) }
    }

    /// The number of tokens of the shortest string that `node` can derive, which may have more of them than a longer one has; `None` where
    /// there is no such edit.
    pub(super) fn minimal_tokens(&self, node: NodeId) -> Option<usize> {
        self.minimal.tokens(self.grammar, self.editable(node)?)
    }

    /// The shortest derivation of `outer` around an `inner`, if there is one.
    pub(super) fn frame(&self, outer: NonterminalId, inner: NonterminalId) -> Option<Frame> {
        self.minimal.frame(self.grammar, outer, inner)
    }

    /// Puts a part of `node` in a frame into its place, if the text is not longer then and fails. Says which node stands there then.
    pub(super) fn attempt_frame(
        &mut self,
        node: NodeId,
        frame: &Frame,
        part: NodeId,
        judge: &mut Judge<'_>,
    ) -> Result<Option<NodeId>, Halt> {
        if frame.length() + self.length(part) > self.length(node) {
            return Ok(None);
        }
        let text = self.text_with(node, &frame.text_around(self.text_of(part)));
        if !self.fails(&text, judge)? {
            return Ok(None);
        }
        Ok(Some(self.put_around(node, frame, part, text)))
    }

    /// Makes the first of these edits that leads to a smaller text that fails. Says which node then stands where the edited one
    /// stood.
    pub(super) fn attempt_first(
        &mut self,
        edits: impl IntoIterator<Item = Edit>,
        judge: &mut Judge<'_>,
    ) -> Result<Option<NodeId>, Halt> {
        for edit in edits {
            if let Some(new) = self.attempt(edit, judge)? {
                return Ok(Some(new));
            }
        }
        Ok(None)
    }

    /// Whether a candidate fails.
    pub(super) fn fails(&self, text: &[u8], judge: &mut Judge<'_>) -> Result<bool, Halt> {
        match self.derivable {
            Some(derivable) => derivable.fails(text, judge),
            None => judge.fails(text),
        }
    }

    /// Whether the text that these edits lead to is smaller and fails.
    pub(super) fn fails_with(&self, edits: &[Edit], judge: &mut Judge<'_>) -> Result<bool, Halt> {
        self.candidate_of(edits).map_or(Ok(false), |text| self.fails(&text, judge))
    }

    /// The text that `edit` leads to, if the edit is one that makes the input smaller.
    pub(super) fn candidate(&self, edit: Edit) -> Option<Vec<u8>> {
        self.candidate_of(&[edit])
    }

    /// The text that these edits lead to, if they are such that make the input smaller. An edit of a node that another one
    /// takes out has no effect.
    pub(super) fn candidate_of(&self, edits: &[Edit]) -> Option<Vec<u8>> {
        let splices = self.splices(edits)?;
        self.is_smaller(edits, self.length_with(&splices)).then(|| self.spliced(&splices))
    }

    /// The length of the text that `edit` leads to, if the edit is one that makes the input smaller.
    pub(super) fn candidate_length(&self, edit: Edit) -> Option<usize> {
        let length = self.length_with(&self.splices(&[edit])?);
        self.is_smaller(&[edit], length).then_some(length)
    }

    /// Whether edits that lead to a text of this length make the input smaller.
    fn is_smaller(&self, edits: &[Edit], length: usize) -> bool {
        // Hoisting makes the tree smaller even where the text stays as it is.
        let hoists = || edits.iter().any(|edit| matches!(edit, Edit::Hoist(..)));
        length < self.text.len() || (length == self.text.len() && hoists())
    }

    /// What becomes of the text by these edits, from left to right, without what others take out; `None` if one of them is not possible.
    fn splices(&self, edits: &[Edit]) -> Option<Vec<Splice>> {
        let mut splices = Vec::new();
        for &edit in edits {
            self.splice(edit, &mut splices)?;
        }
        splices.sort_by_key(|splice| (splice.begin, splice.end));
        let mut at = 0;
        splices.retain(|splice| {
            let has_effect = splice.begin >= at;
            at = if has_effect { splice.end } else { at };
            has_effect
        });
        Some(splices)
    }

    fn length_with(&self, splices: &[Splice]) -> usize {
        let taken: usize = splices.iter().map(|splice| splice.end - splice.begin).sum();
        let inserted: usize = splices.iter().map(|splice| splice.insert.len()).sum();
        self.text.len() - taken + inserted
    }

    fn spliced(&self, splices: &[Splice]) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.length_with(splices));
        let mut at = 0;
        for Splice { begin, end, insert } in splices {
            text.extend_from_slice(&self.text[at..*begin]);
            text.extend_from_slice(insert);
            at = *end;
        }
        text.extend_from_slice(&self.text[at..]);
        text
    }

    /// Adds what becomes of the text by `edit`, if it is possible.
    fn splice(&self, edit: Edit, splices: &mut Vec<Splice>) -> Option<()> {
        let mut push = |begin, end, insert: Vec<u8>| {
            if end > begin || !insert.is_empty() {
                splices.push(Splice { begin, end, insert });
            }
        };
        match edit {
            Edit::Empty(node) => {
                let (begin, end) = self.span(node);
                self.editable(node).filter(|nonterminal| self.minimal.is_empty(*nonterminal))?;
                push(begin, end, Vec::new());
            }
            Edit::Minimal(node) => {
                let (begin, end) = self.span(node);
                let nonterminal = self.editable(node)?;
                push(begin, end, self.minimal.tree(self.grammar, nonterminal)?.text(self.grammar));
            }
            Edit::Character(node, c) => {
                let (begin, end) = self.span(node);
                push(begin, end, c.to_string().into_bytes());
            }
            Edit::Hoist(node, descendant) => {
                let (outer, inner) = (self.span(node), self.span(descendant));
                push(outer.0, inner.0, Vec::new());
                push(inner.1, outer.1, Vec::new());
            }
            Edit::Shorten(node, rule) => {
                let (mut begin, end) = self.span(node);
                let mut literals: Vec<u8> = Vec::new();
                for (symbol, kept) in self.grammar.rule(rule).symbols.iter().zip(self.kept(node, rule)?) {
                    match (symbol, kept) {
                        (_, Some(index)) => {
                            let child = self.span(self.tree.children(node)[index]);
                            push(begin, child.0, std::mem::take(&mut literals));
                            begin = child.1;
                        }
                        (Symbol::Literal(literal), None) => {
                            literals.extend_from_slice(self.grammar.literal(*literal));
                        }
                        (_, None) => return None,
                    }
                }
                push(begin, end, literals);
            }
            Edit::DropFirst(node, place) => {
                let second = self.second_element(node, place)?;
                let children = self.tree.children(node);
                let begin = self.begin(children[place + 1 - second.len()]);
                let (_, end) = self.span(children[place]);
                push(begin, end, second.iter().flat_map(|&child| self.text_of(child)).copied().collect());
            }
        }
        Some(())
    }
}
