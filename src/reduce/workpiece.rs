//! The input under reduction: its text, its tree, and the edits that a reducer on trees may try.
//!
//! A candidate is made by splicing byte spans of the current text, for one edit or for many at once; the tree is edited
//! only once the candidate is known to fail. Then spans and sizes are computed anew, which costs about what making
//! one more candidate would.

mod first_element;

use std::collections::VecDeque;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::grammar::analysis::recursive;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::oracle::{Halt, Judge};
use crate::tree::{Label, NodeId, Tree, TreeBuilder};

use super::minimal::MinimalDerivations;

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

/// A part of the text with what comes into its place.
struct Splice {
    begin: usize,
    end: usize,
    insert: Vec<u8>,
}

/// Where a node stands, and how large it is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The node is in the tree.
    live: bool,
    begin: usize,
    end: usize,
    /// Tokens below the node, itself included: token nodes, and terminals outside of tokens.
    tokens: usize,
    depth: usize,
}

/// The input under reduction.
#[derive(Clone)]
pub(super) struct Workpiece<'g> {
    grammar: &'g Grammar,
    tree: Tree,
    text: Vec<u8>,
    places: IdVec<NodeId, Place>,
    minimal: MinimalDerivations,
    /// Only below these can there be a node of the same nonterminal.
    recursive: BitSet<NonterminalId>,
    /// Whether tokens are edited inside.
    opens_tokens: bool,
}

impl<'g> Workpiece<'g> {
    pub(super) fn new(grammar: &'g Grammar, tree: Tree) -> Self {
        let mut piece = Self {
            grammar,
            tree,
            text: Vec::new(),
            places: IdVec::new(),
            minimal: MinimalDerivations::new(grammar),
            recursive: recursive(grammar),
            opens_tokens: false,
        };
        piece.refresh();
        piece
    }

    /// A token, which is edited inside.
    pub(super) fn inside(grammar: &'g Grammar, token: Tree) -> Self {
        Self { opens_tokens: true, ..Self::new(grammar, token) }
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
        self.places.get(node).is_some_and(|place| place.live)
    }

    /// The number of tokens below `node`.
    pub(super) fn tokens(&self, node: NodeId) -> usize {
        self.places[node].tokens
    }

    /// The distance of `node` from the root.
    pub(super) fn depth(&self, node: NodeId) -> usize {
        self.places[node].depth
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
        let Place { begin, end, .. } = self.places[node];
        end - begin
    }

    /// The text of `node`.
    pub(super) fn text_of(&self, node: NodeId) -> &[u8] {
        let Place { begin, end, .. } = self.places[node];
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
        let mut places: Vec<Place> = nodes.iter().map(|&node| self.places[node]).collect();
        places.sort_by_key(|place| place.begin);
        let (mut text, mut at) = (Vec::with_capacity(self.text.len()), 0);
        for Place { begin, end, .. } in places {
            text.extend_from_slice(&self.text[at..begin]);
            text.extend_from_slice(&by);
            at = end;
        }
        text.extend_from_slice(&self.text[at..]);
        if text.len() > self.text.len() || !judge.fails(&text)? {
            return Ok(None);
        }
        let new = nodes.iter().map(|&node| self.tree.replace(node, tree, tree.root())).collect();
        self.refresh();
        Ok(Some(new))
    }

    /// Where `node` begins in the text.
    pub(super) fn begin(&self, node: NodeId) -> usize {
        self.places[node].begin
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

    /// The edits of `node` that change its rule.
    pub(super) fn shorter_rules(&self, node: NodeId) -> Vec<Edit> {
        let Some(nonterminal) = self.editable(node) else { return Vec::new() };
        self.grammar
            .rules_of(nonterminal)
            .iter()
            .filter(|&&rule| Some(rule) != self.tree.rule(node))
            .filter(|&&rule| self.kept(node, rule).is_some())
            .map(|&rule| Edit::Shorten(node, rule))
            .collect()
    }

    /// The rules by which `node` could be expanded instead so that the child `dropped` is gone.
    pub(super) fn rules_without(&self, node: NodeId, dropped: NodeId) -> Vec<Edit> {
        let children = self.tree.children(node);
        let mut edits = self.shorter_rules(node);
        edits.retain(|edit| {
            let Edit::Shorten(_, rule) = *edit else { return false };
            self.kept(node, rule)
                .is_some_and(|kept| kept.into_iter().flatten().all(|index| children[index] != dropped))
        });
        edits
    }

    /// For each symbol of `rule` the child of `node` that can stand for it; `None` for literals,
    /// whose bytes must all occur in the literals of the node's own rule.
    fn kept(&self, node: NodeId, rule: RuleId) -> Option<Vec<Option<usize>>> {
        let symbols = &self.grammar.rule(self.tree.rule(node)?).symbols;
        let wanted = &self.grammar.rule(rule).symbols;
        let mut bytes = self.literal_bytes(symbols);
        if !self.literal_bytes(wanted).all(|byte| bytes.any(|found| found == byte)) {
            return None;
        }
        let mut next = 0;
        wanted
            .iter()
            .map(|wanted| {
                if matches!(wanted, Symbol::Literal(_)) {
                    return Some(None);
                }
                let index = next + symbols[next..].iter().position(|symbol| symbol == wanted)?;
                next = index + 1;
                Some(Some(index))
            })
            .collect()
    }

    fn literal_bytes<'s>(&'s self, symbols: &'s [Symbol]) -> impl Iterator<Item = u8> + 's {
        symbols
            .iter()
            .filter_map(|symbol| match symbol {
                Symbol::Literal(literal) => Some(self.grammar.literal(*literal)),
                Symbol::Class(_) | Symbol::Nonterminal(_) => None,
            })
            .flatten()
            .copied()
    }

    /// Makes `edit` if the text it leads to is smaller and fails. Says which node then stands where
    /// the edited one stood.
    pub(super) fn attempt(&mut self, edit: Edit, judge: &mut Judge<'_>) -> Result<Option<NodeId>, Halt> {
        match self.candidate(edit) {
            Some(text) if judge.fails(&text)? => Ok(Some(self.apply(edit))),
            _ => Ok(None),
        }
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

    /// Whether the text that these edits lead to is smaller and fails.
    pub(super) fn fails_with(&self, edits: &[Edit], judge: &mut Judge<'_>) -> Result<bool, Halt> {
        self.candidate_of(edits).map_or(Ok(false), |text| judge.fails(&text))
    }

    /// The text that `edit` leads to, if the edit is one that makes the input smaller.
    pub(super) fn candidate(&self, edit: Edit) -> Option<Vec<u8>> {
        self.candidate_of(&[edit])
    }

    /// The text that these edits lead to, if they are such that make the input smaller. An edit of a node that another one
    /// takes out has no effect.
    pub(super) fn candidate_of(&self, edits: &[Edit]) -> Option<Vec<u8>> {
        let mut splices = Vec::new();
        for &edit in edits {
            self.splice(edit, &mut splices)?;
        }
        splices.sort_by_key(|splice| (splice.begin, splice.end));
        let mut text = Vec::with_capacity(self.text.len());
        let mut at = 0;
        for Splice { begin, end, insert } in splices {
            if begin < at {
                continue;
            }
            text.extend_from_slice(&self.text[at..begin]);
            text.extend_from_slice(&insert);
            at = end;
        }
        text.extend_from_slice(&self.text[at..]);
        // Hoisting makes the tree smaller even where the text stays as it is.
        let hoists = || edits.iter().any(|edit| matches!(edit, Edit::Hoist(..)));
        (text.len() < self.text.len() || (hoists() && text.len() == self.text.len())).then_some(text)
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
                let Place { begin, end, .. } = self.places[node];
                self.editable(node).filter(|nonterminal| self.minimal.is_empty(*nonterminal))?;
                push(begin, end, Vec::new());
            }
            Edit::Minimal(node) => {
                let Place { begin, end, .. } = self.places[node];
                let nonterminal = self.editable(node)?;
                push(begin, end, self.minimal.tree(self.grammar, nonterminal)?.text(self.grammar));
            }
            Edit::Character(node, c) => {
                let Place { begin, end, .. } = self.places[node];
                push(begin, end, c.to_string().into_bytes());
            }
            Edit::Hoist(node, descendant) => {
                let (outer, inner) = (self.places[node], self.places[descendant]);
                push(outer.begin, inner.begin, Vec::new());
                push(inner.end, outer.end, Vec::new());
            }
            Edit::Shorten(node, rule) => {
                let Place { mut begin, end, .. } = self.places[node];
                let mut literals: Vec<u8> = Vec::new();
                for (symbol, kept) in self.grammar.rule(rule).symbols.iter().zip(self.kept(node, rule)?) {
                    match (symbol, kept) {
                        (_, Some(index)) => {
                            let child = self.places[self.tree.children(node)[index]];
                            push(begin, child.begin, std::mem::take(&mut literals));
                            begin = child.end;
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
                let (begin, end) =
                    (self.places[children[place + 1 - second.len()]].begin, self.places[children[place]].end);
                push(begin, end, second.iter().flat_map(|&child| self.text_of(child)).copied().collect());
            }
        }
        Some(())
    }

    /// Makes these edits, which were found to fail. Says which nodes are expanded by other rules now, and which nodes
    /// they became.
    pub(super) fn apply_all(&mut self, edits: &[Edit]) -> Vec<(NodeId, NodeId)> {
        let mut expanded = Vec::new();
        for &edit in edits {
            let new = self.edit(edit);
            if let Edit::Shorten(old, _) = edit {
                expanded.push((old, new));
            }
        }
        self.refresh();
        expanded
    }

    fn apply(&mut self, edit: Edit) -> NodeId {
        let new = self.edit(edit);
        self.refresh();
        new
    }

    fn edit(&mut self, edit: Edit) -> NodeId {
        match edit {
            Edit::Hoist(node, descendant) => {
                self.tree.hoist(node, descendant);
                descendant
            }
            Edit::Empty(node) | Edit::Minimal(node) => {
                let minimal = self
                    .tree
                    .nonterminal(self.grammar, node)
                    .and_then(|nonterminal| self.minimal.tree(self.grammar, nonterminal))
                    .expect("only nonterminals that derive something are in a tree");
                self.tree.replace(node, &minimal, minimal.root())
            }
            Edit::Character(node, c) => {
                let mut builder = TreeBuilder::new();
                let leaf = builder.leaf(Label::Char(c));
                self.tree.replace(node, &builder.finish(leaf), leaf)
            }
            Edit::Shorten(node, rule) => self.shorten(node, rule),
            Edit::DropFirst(node, place) => {
                let second = self.second_element(node, place).map(<[_]>::to_vec).unwrap_or_default();
                let first = self.tree.children(node)[place + 1 - second.len()..=place].to_vec();
                // What is taken out of the repetition goes first: then that is replaced by its own rest.
                for (old, new) in first.into_iter().zip(second) {
                    self.tree.hoist(old, new);
                }
                node
            }
        }
    }

    fn shorten(&mut self, node: NodeId, rule: RuleId) -> NodeId {
        let kept = self.kept(node, rule).expect("the candidate was made from these children");
        let children = self.tree.children(node).to_vec();
        // A tree of the new rule alone, with stand-ins for the children that it keeps.
        let mut builder = TreeBuilder::new();
        let leaves: Vec<NodeId> = self
            .grammar
            .rule(rule)
            .symbols
            .iter()
            .map(|symbol| match symbol {
                Symbol::Literal(literal) => builder.leaf(Label::Literal(*literal)),
                Symbol::Class(_) | Symbol::Nonterminal(_) => builder.node(rule, &[]),
            })
            .collect();
        let root = builder.node(rule, &leaves);
        let frame = builder.finish(root);
        let new = self.tree.replace(node, &frame, root);
        let stand_ins = self.tree.children(new).to_vec();
        for (stand_in, kept) in stand_ins.into_iter().zip(kept) {
            if let Some(index) = kept {
                self.tree.hoist(stand_in, children[index]);
            }
        }
        new
    }

    /// Computes text, spans and sizes anew.
    fn refresh(&mut self) {
        let spans = self.tree.spans(self.grammar);
        self.text = self.tree.text(self.grammar);
        self.places = IdVec::filled(Place::default(), spans.len());
        let order: Vec<NodeId> = self.tree.preorder(self.tree.root()).collect();
        for &node in &order {
            let (begin, end) = spans[node];
            let depth = self.tree.parent(node).map_or(0, |parent| self.places[parent].depth + 1);
            self.places[node] = Place { live: true, begin, end, tokens: 0, depth };
        }
        for &node in order.iter().rev() {
            let is_token = match self.tree.nonterminal(self.grammar, node) {
                Some(nonterminal) => self.grammar.nonterminal(nonterminal).token.is_some(),
                None => true,
            };
            if is_token {
                self.places[node].tokens = 1;
            }
            let tokens = self.places[node].tokens;
            if let Some(parent) = self.tree.parent(node) {
                self.places[parent].tokens += tokens;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{json, random_tree};
    use super::*;
    use crate::base::random_stream::RandomStream;
    use proptest::prelude::*;

    /// Whether every node of a tree has children as its rule says.
    fn is_derivation(grammar: &Grammar, tree: &Tree) -> bool {
        tree.preorder(tree.root()).all(|node| {
            let Some(rule) = tree.rule(node) else { return true };
            let symbols = &grammar.rule(rule).symbols;
            symbols.len() == tree.children(node).len()
                && symbols.iter().zip(tree.children(node)).all(|(symbol, &child)| {
                    match (*symbol, tree.label(child)) {
                        (Symbol::Literal(wanted), Label::Literal(found)) => wanted == found,
                        (Symbol::Class(class), Label::Char(c)) => grammar.class(class).contains(c),
                        (Symbol::Nonterminal(wanted), Label::Rule(rule)) => grammar.rule(rule).lhs == wanted,
                        _ => false,
                    }
                })
        })
    }

    /// Lists in the notation of our own, of one symbol and of several, with white space between words.
    fn lists() -> Grammar {
        let text = "@skip <space>\n<list> ::= \"[\" (<list> (\",\" <list>)*)? \"]\" | <key> \":\" <list> (\";\" <key> \":\" <list>)* \".\" | <key>\n\
                    @token <key> ::= [ab]+\n<space> ::= \" \"";
        crate::grammar::ebnf::read(&crate::base::diagnostic::Source::new("lists.ebnf", text)).unwrap().grammar
    }

    #[test]
    fn the_first_element_of_a_list_can_go() {
        let grammar = lists();
        let mut seen = 0;
        for seed in 0..200 {
            let piece =
                Workpiece::new(&grammar, random_tree(&grammar, &mut RandomStream::derive(seed, "list"), 6));
            for node in piece.tree.preorder(piece.tree.root()) {
                for edit in piece.without_first(node) {
                    let (before, after) = (piece.text(), piece.candidate(edit).unwrap());
                    assert!(after.len() < before.len());
                    seen += 1;
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    proptest! {
        #[test]
        fn an_edited_tree_is_a_derivation_of_the_candidate(seed: u64, which in 0usize..2, pick: prop::sample::Index) {
            let grammar = [json(), lists()][which].clone();
            let tree = random_tree(&grammar, &mut RandomStream::derive(seed, "tree"), 7);
            let mut piece = Workpiece::new(&grammar, tree);
            let mut edits = Vec::new();
            for node in piece.tree.preorder(piece.tree.root()) {
                edits.push(Edit::Empty(node));
                edits.extend(piece.shorter_rules(node));
                edits.extend(piece.without_first(node));
                if let Some(nonterminal) = piece.editable(node) {
                    edits.extend(piece.tree.preorder(node).skip(1)
                        .filter(|&below| piece.editable(below) == Some(nonterminal))
                        .map(|below| Edit::Hoist(node, below)));
                }
            }
            edits.retain(|&edit| piece.candidate(edit).is_some());
            if !edits.is_empty() {
                let edit = *pick.get(&edits);
                let candidate = piece.candidate(edit).unwrap();
                let new = piece.apply(edit);
                prop_assert_eq!(piece.text(), candidate.as_slice());
                prop_assert_eq!(piece.tree.text(&grammar), candidate);
                prop_assert!(is_derivation(&grammar, &piece.tree));
                prop_assert!(piece.is_live(new));
            }
        }
    }
}
