//! The texts of the bound nodes of a match: equal numbers stand for equal texts.
//!
//! Classes are matched without regard to bound nodes. Where these matter, the ways in which a class matches at a node are listed, with the texts that
//! they bind: of what may be anywhere below a node, those of each place at which it is.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::tree::{NodeId, Tree};

use super::bare_text::bare_text;
use super::hypothesis::{Alternative, ClassId, Want};
use super::matched::Matched;
use super::matching::{Matcher, is_met};
use super::near_miss::Mismatch;

/// The number of ways to match that are told apart by what they bind.
const MOST_BINDINGS: usize = 64;

/// The text of each number.
pub(super) type Bindings = BTreeMap<u32, Vec<u8>>;

/// The texts that the matches of each binding class bind at each node at which it matches.
pub(super) type Ways = FxHashMap<(NodeId, ClassId), Vec<Bindings>>;

/// One way in which a class matches at a node, and what the others bind below.
pub(super) struct Whole {
    ways: Ways,
    texts: Bindings,
}

impl Whole {
    /// Whether a class binds these texts at a node, or none that they have.
    pub(super) fn may_be(&self, class: ClassId, node: NodeId) -> bool {
        let ways = self.ways.get(&(node, class)).map_or(&[][..], Vec::as_slice);
        !joined(std::slice::from_ref(&self.texts), ways).is_empty()
    }
}

impl Matcher<'_> {
    /// Whether texts are as a root class asks.
    pub(super) fn meets(&self, root: ClassId, way: &Bindings) -> bool {
        let text = |number| way.get(&number).map(Vec::as_slice);
        self.hypothesis.constraint(root).is_none_or(|constraint| constraint.holds(&text))
    }

    /// The texts that a root class binds at a node at which it occurs, in each way in which it does.
    pub(super) fn bindings_at(
        &self,
        tree: &Tree,
        matched: &Matched,
        root: ClassId,
        node: NodeId,
    ) -> Vec<Bindings> {
        let mut ways = self.bindings(tree, matched).remove(&(node, root)).unwrap_or_default();
        ways.retain(|way| self.meets(root, way));
        ways
    }

    /// The first way in which a class matches at a node as it should.
    pub(super) fn whole(&self, tree: &Tree, matched: &Matched, class: ClassId, node: NodeId) -> Whole {
        let ways = self.bindings(tree, matched);
        let mut of_class = ways.get(&(node, class)).into_iter().flatten();
        let texts = of_class.find(|way| self.meets(class, way)).cloned().unwrap_or_default();
        Whole { ways, texts }
    }

    /// The texts that the matches of each binding class bind at each node at which it matches.
    pub(super) fn bindings(&self, tree: &Tree, matched: &Matched) -> Ways {
        let mut known = Ways::default();
        for node in tree.postorder(tree.root()) {
            if tree.rule(node).is_none() {
                continue;
            }
            for class in matched[node].iter().filter(|&class| self.binding.contains(class)) {
                let mut all: Vec<Bindings> = Vec::new();
                let numbers = 0..self.hypothesis.class(class).alternatives.len();
                for number in numbers.filter(|&number| self.satisfies_at(tree, matched, node, class, number))
                {
                    let alternative = &self.hypothesis.class(class).alternatives[number];
                    for way in self.ways(tree, matched, &known, alternative, node) {
                        if all.len() < MOST_BINDINGS && !all.contains(&way) {
                            all.push(way);
                        }
                    }
                }
                if !all.is_empty() {
                    known.insert((node, class), all);
                }
            }
        }
        known
    }

    /// The ways in which an alternative matches at a node that it does match, bound nodes apart.
    fn ways(
        &self,
        tree: &Tree,
        matched: &Matched,
        known: &Ways,
        alternative: &Alternative,
        node: NodeId,
    ) -> Vec<Bindings> {
        let mut ways = vec![Bindings::new()];
        let wants = match alternative {
            Alternative::Rule(_, wants) => wants,
            &Alternative::Has(inner, _) if self.binding.contains(inner) => {
                let below = tree.preorder(node).filter(|&below| matched.is_in(below, inner));
                let mut all: Vec<Bindings> = Vec::new();
                for way in below.filter_map(|below| known.get(&(below, inner))).flatten() {
                    if all.len() < MOST_BINDINGS && !all.contains(way) {
                        all.push(way.clone());
                    }
                }
                return all;
            }
            // Nothing is bound in what may be anything.
            Alternative::Open(_) | Alternative::Has(..) => return ways,
        };
        for (want, &child) in wants.iter().zip(tree.children(node)) {
            match want {
                Want::Bound(number) => {
                    let text = bare_text(self.grammar, tree, child);
                    ways = joined(&ways, &[Bindings::from([(*number, text)])]);
                }
                Want::In(class) if self.binding.contains(*class) => {
                    let more = known.get(&(child, *class)).map_or(&[][..], Vec::as_slice);
                    ways = joined(&ways, more);
                }
                _ => {}
            }
        }
        ways
    }

    /// The texts of the numbers that are bound around a place, by the root class in whose match it is, or nearly is. Where
    /// the same number has several texts, nothing is said of it.
    pub(super) fn bound_around(&self, tree: &Tree, matched: &Matched, place: Mismatch) -> Bindings {
        let mut ancestors = vec![place.node];
        while let Some(parent) = tree.parent(ancestors[ancestors.len() - 1]) {
            ancestors.push(parent);
        }
        for &node in &ancestors {
            let Some(nonterminal) = tree.nonterminal(self.grammar, node) else { continue };
            for &root in self.hypothesis.roots() {
                if self.hypothesis.class(root).nonterminal != nonterminal {
                    continue;
                }
                let mut bound = Bindings::new();
                let mut unclear: Vec<u32> = Vec::new();
                let mut is_around = false;
                let mut work = vec![(root, node)];
                while let Some((class, node)) = work.pop() {
                    if class == place.class && node == place.node {
                        is_around = true;
                        continue;
                    }
                    for alternative in &self.hypothesis.class(class).alternatives {
                        // What is looked for below is at the place or around it, or says nothing of that.
                        let &Alternative::Has(inner, _) = alternative else { continue };
                        let Some(depth) = ancestors.iter().position(|&at| at == node) else { continue };
                        let of_inner = Some(self.hypothesis.class(inner).nonterminal);
                        let inside = ancestors[..=depth].iter();
                        let inside = inside.filter(|&&at| tree.nonterminal(self.grammar, at) == of_inner);
                        work.extend(inside.map(|&at| (inner, at)));
                    }
                    let nearest =
                        self.hypothesis.class(class).alternatives.iter().filter_map(|alternative| {
                            let Alternative::Rule(rule, wants) = alternative else { return None };
                            let children = tree.children(node);
                            let unmet = wants
                                .iter()
                                .zip(children)
                                .filter(|(want, child)| !is_met(want, tree, matched, **child));
                            (tree.rule(node) == Some(*rule)).then(|| (unmet.count(), wants))
                        });
                    let Some((_, wants)) = nearest.min_by_key(|(unmet, _)| *unmet) else { continue };
                    for (want, &child) in wants.iter().zip(tree.children(node)) {
                        match want {
                            Want::In(class) => work.push((*class, child)),
                            Want::Bound(number) => {
                                let text = bare_text(self.grammar, tree, child);
                                if bound.get(number).is_some_and(|known| *known != text) {
                                    unclear.push(*number);
                                }
                                bound.insert(*number, text);
                            }
                            _ => {}
                        }
                    }
                }
                if is_around {
                    bound.retain(|number, _| !unclear.contains(number));
                    return bound;
                }
            }
        }
        Bindings::new()
    }
}

fn joined(ways: &[Bindings], more: &[Bindings]) -> Vec<Bindings> {
    let mut all = Vec::new();
    for way in ways {
        for other in more {
            if other.iter().all(|(number, text)| way.get(number).is_none_or(|known| known == text)) {
                let mut both = way.clone();
                both.extend(other.iter().map(|(number, text)| (*number, text.clone())));
                if all.len() < MOST_BINDINGS && !all.contains(&both) {
                    all.push(both);
                }
            }
        }
    }
    all
}
