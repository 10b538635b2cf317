//! Whether a hypothesis accepts a tree.
//!
//! Classes are found from the leaves up, without regard to bound nodes; where these matter, [`super::binding`] says what they bind.

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::grammar::Grammar;
use crate::grammar::lexis::is_gap;
use crate::pattern::Side;
use crate::tree::{Label, NodeId, Tree};

use super::binding::{Bindings, Whole};
use super::hypothesis::{Alternative, ClassId, Hypothesis, Want};
use super::input::Input;
use super::matched::{Matched, Places};
use super::near_miss::Mismatch;

/// The classes of the nodes of which a root class is made.
pub(super) type Classes = FxHashMap<NodeId, ClassId>;

/// The classes of a hypothesis, ready for matching.
pub(super) struct Matcher<'h> {
    pub(super) grammar: &'h Grammar,
    pub(super) hypothesis: &'h Hypothesis,
    /// The classes of each nonterminal; one that another one mentions at the same node comes before it.
    order: IdVec<crate::grammar::NonterminalId, Vec<ClassId>>,
    pub(super) binding: BitSet<ClassId>,
    /// The classes that are looked for in subtrees.
    inner: BitSet<ClassId>,
}

/// An open place of a match: which want of which alternative of which class, and the node there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenPlace {
    /// The class.
    pub(super) class: ClassId,
    /// The alternative's number.
    pub(super) alternative: usize,
    /// The child's number; `None` when the alternative itself is open.
    pub(super) child: Option<usize>,
    /// The node.
    pub(super) node: NodeId,
}

impl<'h> Matcher<'h> {
    pub(super) fn new(grammar: &'h Grammar, hypothesis: &'h Hypothesis) -> Self {
        let mut order: IdVec<_, Vec<ClassId>> = IdVec::filled(Vec::new(), grammar.nonterminals().len());
        let mut done: BitSet<ClassId> = BitSet::new();
        let mut inner: BitSet<ClassId> = BitSet::new();
        for id in hypothesis.reachable().iter() {
            // Exceptions at the same node are few and not nested deeply.
            let mut work = vec![(id, false)];
            while let Some((class, is_ready)) = work.pop() {
                if done.contains(class) {
                    continue;
                }
                if is_ready {
                    done.insert(class);
                    order[hypothesis.class(class).nonterminal].push(class);
                    continue;
                }
                work.push((class, true));
                for alternative in &hypothesis.class(class).alternatives {
                    let mut first = alternative.except().to_vec();
                    if let &Alternative::Has(wanted, _) = alternative {
                        inner.insert(wanted);
                        first.push(wanted);
                    }
                    work.extend(
                        first.into_iter().filter(|&other| other != class).map(|other| (other, false)),
                    );
                }
            }
        }
        Self { grammar, hypothesis, order, binding: hypothesis.binding(), inner }
    }

    /// The classes in which each subtree is.
    pub(super) fn matched(&self, tree: &Tree) -> Matched {
        let nodes = tree.postorder(tree.root());
        let most = nodes.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        let mut matched = Matched::new(most);
        for node in nodes {
            let mut within = BitSet::new();
            if !self.inner.is_empty() {
                let below = tree.children(node).iter();
                below.for_each(|&child| _ = within.union_with(matched.within(child)));
            }
            let Some(nonterminal) = tree.nonterminal(self.grammar, node) else { continue };
            let mut classes = BitSet::new();
            for &class in &self.order[nonterminal] {
                let is_in = (0..self.hypothesis.class(class).alternatives.len()).any(|alternative| {
                    self.satisfies(tree, &matched, [&classes, &within], node, class, alternative)
                });
                if is_in {
                    classes.insert(class);
                    if self.inner.contains(class) {
                        within.insert(class);
                    }
                }
            }
            matched.set(node, classes, within);
        }
        matched
    }

    fn satisfies(
        &self,
        tree: &Tree,
        matched: &Matched,
        [here, within]: [&BitSet<ClassId>; 2],
        node: NodeId,
        class: ClassId,
        alternative: usize,
    ) -> bool {
        match &self.hypothesis.class(class).alternatives[alternative] {
            Alternative::Open(except) => except.iter().all(|&class| !here.contains(class)),
            Alternative::Has(inner, except) => {
                within.contains(*inner) && except.iter().all(|&class| !here.contains(class))
            }
            Alternative::Rule(rule, wants) => {
                tree.rule(node) == Some(*rule)
                    && wants
                        .iter()
                        .zip(tree.children(node))
                        .all(|(want, &child)| is_met(want, tree, matched, child))
            }
        }
    }

    /// Whether a node is in a class by one of its alternatives, where all that is needed to say so is known.
    pub(super) fn satisfies_at(
        &self,
        tree: &Tree,
        matched: &Matched,
        node: NodeId,
        class: ClassId,
        alternative: usize,
    ) -> bool {
        self.satisfies(tree, matched, [&matched[node], matched.within(node)], node, class, alternative)
    }

    /// The nodes at which a root class holds that nothing masks, each with the class.
    pub(super) fn occurrences(&self, tree: &Tree, matched: &Matched) -> Vec<(ClassId, NodeId)> {
        let mut found = self.occurrences_in_all(tree, matched);
        if found.iter().any(|(root, _)| self.hypothesis.masks(*root).is_some()) {
            let places = Places::new(tree, matched);
            found.retain(|&(root, node)| self.mask_of(&places, root, node).is_none());
        }
        found
    }

    /// The nodes at which a class matched, as a part of what the hypothesis accepts: one for each occurrence of a root class, with the texts of the
    /// numbers that are bound around it.
    pub(super) fn places_in(&self, tree: &Tree, class: ClassId) -> Vec<(NodeId, Bindings)> {
        let matched = self.matched(tree);
        let occurrences = self.occurrences(tree, &matched).into_iter();
        let places = occurrences.filter_map(|(root, node)| {
            let mut derivation = self.whole_derivation(tree, &matched, root, node).into_iter();
            derivation.find(|&(found, _)| found == class).map(|(_, node)| node)
        });
        places.map(|node| (node, self.bound_around(tree, &matched, Mismatch { class, node }))).collect()
    }

    /// The first of the classes that mask a root class at a node, if any does.
    pub(super) fn mask_of(
        &self,
        places: &Places<'_>,
        root: ClassId,
        node: NodeId,
    ) -> Option<(Side, ClassId)> {
        let mut masks = self.hypothesis.masks(root)?.all();
        masks.find(|&(side, class)| match side {
            Side::Around => places.is_inside(class, node, self.hypothesis.boundaries(root)),
            Side::Before | Side::Behind => places.has(class, side, node),
        })
    }

    /// The first node at which a class matches.
    pub(super) fn first(&self, tree: &Tree, matched: &Matched, class: ClassId) -> Option<NodeId> {
        tree.preorder(tree.root()).find(|&node| tree.rule(node).is_some() && matched[node].contains(class))
    }

    /// The nodes at which a root class holds, masked or not, each with the class.
    pub(super) fn occurrences_in_all(&self, tree: &Tree, matched: &Matched) -> Vec<(ClassId, NodeId)> {
        let mut found: Vec<(ClassId, NodeId)> = Vec::new();
        for node in tree.preorder(tree.root()).filter(|&node| tree.rule(node).is_some()) {
            let roots = self.hypothesis.roots().iter();
            let may_stand = |root: ClassId| node == tree.root() || !self.hypothesis.is_anchored(root);
            let here = roots.filter(|&&root| matched[node].contains(root) && may_stand(root));
            found.extend(here.map(|&root| (root, node)));
        }
        found.retain(|(root, _)| {
            let mut needs = self.hypothesis.needs(*root).iter();
            needs.all(|&need| self.first(tree, matched, need).is_some())
        });
        if found.iter().any(|(root, _)| self.binding.contains(*root)) {
            let bindings = self.bindings(tree, matched);
            found.retain(|&(root, node)| {
                let ways = || bindings.get(&(node, root)).map_or(&[][..], Vec::as_slice);
                !self.binding.contains(root) || ways().iter().any(|way| self.meets(root, way))
            });
        }
        found
    }

    /// Whether the hypothesis accepts an input: in one of its trees.
    pub(super) fn accepts(&self, input: &Input) -> bool {
        input.trees().any(|tree| self.accepts_tree(tree))
    }

    /// Whether the hypothesis accepts a tree.
    pub(super) fn accepts_tree(&self, tree: &Tree) -> bool {
        !self.occurrences(tree, &self.matched(tree)).is_empty()
    }

    /// The number of the first alternative by which a node is in a class.
    pub(super) fn alternative(
        &self,
        tree: &Tree,
        matched: &Matched,
        class: ClassId,
        node: NodeId,
    ) -> Option<usize> {
        (0..self.hypothesis.class(class).alternatives.len())
            .find(|&number| self.satisfies_at(tree, matched, node, class, number))
    }

    /// The classes and nodes of the match of a class at a node, of one that there is; parents first.
    pub(super) fn derivation(
        &self,
        tree: &Tree,
        matched: &Matched,
        class: ClassId,
        node: NodeId,
    ) -> Vec<(ClassId, NodeId)> {
        let mut found = Vec::new();
        let mut work = vec![(class, node)];
        let mut whole: Option<Whole> = None;
        while let Some((class, node)) = work.pop() {
            found.push((class, node));
            let alternatives = &self.hypothesis.class(class).alternatives;
            let number = self.alternative(tree, matched, class, node);
            match number.map(|number| &alternatives[number]) {
                Some(Alternative::Rule(_, wants)) => {
                    for (want, &child) in wants.iter().zip(tree.children(node)).rev() {
                        work.extend(want.class().map(|class| (class, child)));
                    }
                }
                Some(&Alternative::Has(inner, _)) => {
                    let mut below = tree.preorder(node).filter(|&below| matched.is_in(below, inner));
                    // One that binds texts stands where these are those of the whole.
                    let found = match self.binding.contains(inner) {
                        false => below.next(),
                        true => {
                            let whole = whole
                                .get_or_insert_with(|| self.whole(tree, matched, found[0].0, found[0].1));
                            below.find(|&at| whole.may_be(inner, at))
                        }
                    };
                    work.extend(found.map(|below| (inner, below)));
                }
                Some(Alternative::Open(_)) | None => {}
            }
        }
        found
    }

    /// The same of a root class at a node, and of what it needs beside it.
    pub(super) fn whole_derivation(
        &self,
        tree: &Tree,
        matched: &Matched,
        root: ClassId,
        node: NodeId,
    ) -> Vec<(ClassId, NodeId)> {
        let mut found = self.derivation(tree, matched, root, node);
        for &need in self.hypothesis.needs(root) {
            if let Some(node) = self.first(tree, matched, need) {
                found.extend(self.derivation(tree, matched, need, node));
            }
        }
        found
    }

    /// The open places of the match of a root class at a node, of one that there is, and of what it needs.
    pub(super) fn open_places(
        &self,
        tree: &Tree,
        matched: &Matched,
        root: ClassId,
        node: NodeId,
    ) -> Vec<OpenPlace> {
        let mut places = Vec::new();
        for (class, node) in self.whole_derivation(tree, matched, root, node) {
            let alternatives = &self.hypothesis.class(class).alternatives;
            let found =
                (0..alternatives.len()).find(|&index| self.satisfies_at(tree, matched, node, class, index));
            let Some(index) = found else { continue };
            let place = OpenPlace { class, alternative: index, child: None, node };
            match &alternatives[index] {
                Alternative::Open(_) | Alternative::Has(..) => places.push(place),
                Alternative::Rule(_, wants) => {
                    for (position, (want, &child)) in wants.iter().zip(tree.children(node)).enumerate() {
                        // Nothing can be said of what stands between words.
                        let is_part = tree
                            .nonterminal(self.grammar, child)
                            .is_some_and(|inner| !is_gap(self.grammar, inner));
                        if matches!(want, Want::Any | Want::NotIn(_)) && is_part {
                            places.push(OpenPlace { child: Some(position), node: child, ..place });
                        }
                    }
                }
            }
        }
        places
    }
}

/// Whether a root class may stand at several places, each with something around it.
pub(super) fn root_may_move(grammar: &Grammar, hypothesis: &Hypothesis, root: ClassId) -> bool {
    !hypothesis.is_anchored(root) && hypothesis.class(root).nonterminal != grammar.start()
}

/// Whether a child meets what is wanted of it, bound nodes apart.
pub(super) fn is_met(want: &Want, tree: &Tree, matched: &Matched, child: NodeId) -> bool {
    match want {
        Want::Any | Want::Bound(_) => true,
        Want::In(class) => matched[child].contains(*class),
        Want::NotIn(classes) => classes.iter().all(|&class| !matched[child].contains(class)),
        Want::Char(c) => tree.label(child) == Label::Char(*c),
        Want::Letter(c) => matches!(tree.label(child), Label::Char(found) if found.eq_ignore_ascii_case(c)),
    }
}
