//! What is believed to fail: a regular tree grammar over the base grammar.
//!
//! A *class* is a set of subtrees of one nonterminal. It has alternatives, each of which is a rule with
//! what is wanted of its children, or anything but some other classes, or anything with something of another class in it. A tree is accepted when
//! one of its nodes is in one of the *root* classes. A pattern is the special case in which each class has one alternative.
//!
//! What fails may be *masked*: a program that ends at the first mistake in its input never comes to the second one. So a root class
//! may have classes none of which may stand anywhere before the node, or behind it, or around it, however the tree is built.
//!
//! What fails may take several parts at once, whatever the places at which they are. So a root class may have classes each of which has to
//! stand somewhere in the tree as well: what it *needs*.

use std::collections::BTreeMap;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, NonterminalId, RuleId};
use crate::id_type;
use crate::pattern::{Constraint, Pattern, PatternNode, Side};

use super::masking::Masking;

id_type!(
    /// A class of a hypothesis.
    ClassId
);

/// What is wanted of a child.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Want {
    /// Anything.
    Any,
    /// A subtree of this class.
    In(ClassId),
    /// A subtree that is in none of these classes.
    NotIn(Vec<ClassId>),
    /// A subtree whose text, without what stands between words, is that of all others with this number.
    Bound(u32),
    /// This character.
    Char(char),
    /// This small letter, or the capital one.
    Letter(char),
}

impl Want {
    /// The class of which a subtree is wanted.
    pub(super) fn class(&self) -> Option<ClassId> {
        match self {
            Self::In(class) => Some(*class),
            Self::Any | Self::NotIn(_) | Self::Bound(_) | Self::Char(_) | Self::Letter(_) => None,
        }
    }
}

/// One way to be in a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Alternative {
    /// The rule, and what is wanted of each of its symbols.
    Rule(RuleId, Box<[Want]>),
    /// Any tree that is in none of these classes.
    Open(Vec<ClassId>),
    /// Any tree with something of the class at its root or below, that is in none of the others.
    Has(ClassId, Vec<ClassId>),
}

impl Alternative {
    /// Whatever a rule derives.
    pub(super) fn of_rule(grammar: &Grammar, rule: RuleId) -> Self {
        Self::of_rule_with(grammar, rule, [])
    }

    /// What a rule derives with this wanted of some of its symbols, by their numbers.
    pub(super) fn of_rule_with(
        grammar: &Grammar,
        rule: RuleId,
        wanted: impl IntoIterator<Item = (usize, Want)>,
    ) -> Self {
        let mut wants = vec![Want::Any; grammar.rule(rule).symbols.len()];
        wanted.into_iter().for_each(|(symbol, want)| wants[symbol] = want);
        Self::Rule(rule, wants.into())
    }

    /// The classes that are wanted of a child, or somewhere in the tree.
    pub(super) fn wanted(&self) -> Vec<ClassId> {
        match self {
            Self::Open(_) => Vec::new(),
            Self::Has(inner, _) => vec![*inner],
            Self::Rule(_, wants) => wants.iter().filter_map(Want::class).collect(),
        }
    }

    /// The same with other classes.
    pub(super) fn renamed(&self, class: &impl Fn(ClassId) -> ClassId) -> Self {
        let all = |classes: &[ClassId]| classes.iter().map(|&it| class(it)).collect();
        match self {
            Self::Open(except) => Self::Open(all(except)),
            Self::Has(inner, except) => Self::Has(class(*inner), all(except)),
            Self::Rule(rule, wants) => {
                let wants = wants.iter().map(|want| match want {
                    Want::In(inner) => Want::In(class(*inner)),
                    Want::NotIn(except) => Want::NotIn(all(except)),
                    Want::Any | Want::Bound(_) | Want::Char(_) | Want::Letter(_) => want.clone(),
                });
                Self::Rule(*rule, wants.collect())
            }
        }
    }

    /// The classes in none of which a tree may be at its root.
    pub(super) fn except(&self) -> &[ClassId] {
        match self {
            Self::Open(except) | Self::Has(_, except) => except,
            Self::Rule(..) => &[],
        }
    }

    /// The same, to be changed; `None` where there can be none.
    pub(super) fn except_mut(&mut self) -> Option<&mut Vec<ClassId>> {
        match self {
            Self::Open(except) | Self::Has(_, except) => Some(except),
            Self::Rule(..) => None,
        }
    }
}

/// A set of subtrees of one nonterminal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class {
    pub(super) nonterminal: NonterminalId,
    pub(super) alternatives: Vec<Alternative>,
}

impl Class {
    /// Whether an alternative is of a rule, or of any.
    pub(super) fn has_rule(&self, rule: RuleId) -> bool {
        self.alternatives.iter().any(|alternative| match alternative {
            Alternative::Rule(known, _) => *known == rule,
            Alternative::Open(_) | Alternative::Has(..) => true,
        })
    }
}

/// The classes that mask a root class, by the side on which they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Masks([Vec<ClassId>; 3]);

impl Masks {
    /// Those that stand on one side.
    pub(super) fn on(&self, side: Side) -> &[ClassId] {
        &self.0[side as usize]
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = (Side, ClassId)> {
        Side::ALL.into_iter().flat_map(|side| self.on(side).iter().map(move |&class| (side, class)))
    }
}

/// What is believed to fail.
#[derive(Clone, Debug, Default)]
pub(super) struct Hypothesis {
    classes: IdVec<ClassId, Class>,
    roots: Vec<ClassId>,
    /// The roots that must hold at the root of the tree, where others may hold anywhere.
    anchored: BitSet<ClassId>,
    /// What masks the roots that anything masks.
    masks: BTreeMap<ClassId, Masks>,
    /// The classes beyond which nothing around a root class masks it.
    boundaries: BTreeMap<ClassId, Vec<ClassId>>,
    /// What else has to stand in a tree for a root class to hold, of the roots that need anything.
    needs: BTreeMap<ClassId, Vec<ClassId>>,
    /// What root classes ask of the texts of their bound nodes.
    constraints: BTreeMap<ClassId, Constraint>,
    /// Where these come from.
    pub(super) maskings: Vec<Masking>,
    numbers: u32,
}

impl Hypothesis {
    /// The classes of which one must hold somewhere.
    pub(super) fn roots(&self) -> &[ClassId] {
        &self.roots
    }

    /// The number of classes.
    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    /// All classes, also those that nothing leads to any more.
    pub(super) fn ids(&self) -> impl Iterator<Item = ClassId> + use<> {
        self.classes.ids()
    }

    pub(super) fn class(&self, id: ClassId) -> &Class {
        &self.classes[id]
    }

    /// Adds a class.
    pub(super) fn add(&mut self, nonterminal: NonterminalId, alternatives: Vec<Alternative>) -> ClassId {
        self.classes.push(Class { nonterminal, alternatives })
    }

    /// Adds an alternative to a class, if it is new there.
    pub(super) fn widen(&mut self, class: ClassId, alternative: Alternative) {
        let alternatives = &mut self.classes[class].alternatives;
        if !alternatives.contains(&alternative) {
            alternatives.push(alternative);
        }
    }

    /// Replaces the alternatives of a class.
    pub(super) fn set(&mut self, class: ClassId, alternatives: Vec<Alternative>) {
        self.classes[class].alternatives = alternatives;
    }

    /// Replaces what an alternative wants of one child.
    pub(super) fn set_want(&mut self, class: ClassId, alternative: usize, child: usize, want: Want) {
        if let Alternative::Rule(_, wants) = &mut self.classes[class].alternatives[alternative] {
            wants[child] = want;
        }
    }

    /// Adds a root class.
    pub(super) fn add_root(&mut self, class: ClassId) {
        if !self.roots.contains(&class) {
            self.roots.push(class);
        }
    }

    /// Says that a root class must hold at the root of the tree.
    pub(super) fn anchor(&mut self, class: ClassId) {
        self.anchored.insert(class);
    }

    /// Whether a root class must hold at the root of the tree.
    pub(super) fn is_anchored(&self, class: ClassId) -> bool {
        self.anchored.contains(class)
    }

    /// Whether a root class asks for nothing but what stands below it, wherever it is.
    pub(super) fn is_plain_root(&self, class: ClassId) -> bool {
        self.masks(class).is_none()
            && self.needs(class).is_empty()
            && self.constraint(class).is_none()
            && !self.is_anchored(class)
    }

    /// Replaces the roots.
    pub(super) fn set_roots(&mut self, roots: Vec<ClassId>) {
        self.masks.retain(|root, _| roots.contains(root));
        self.boundaries.retain(|root, _| roots.contains(root));
        self.needs.retain(|root, _| roots.contains(root));
        self.constraints.retain(|root, _| roots.contains(root));
        self.roots = roots;
    }

    /// Puts one root in the place of another one. What that asks of the texts of bound nodes is asked of the new one.
    pub(super) fn replace_root(&mut self, root: ClassId, other: ClassId) {
        if let Some(constraint) = self.constraints.remove(&root) {
            self.constraints.insert(other, constraint);
        }
        let roots = self.roots.iter().map(|&known| if known == root { other } else { known });
        self.set_roots(roots.collect());
    }

    /// Says which classes have to stand somewhere in the tree as well for a root class to hold.
    pub(super) fn need(&mut self, root: ClassId, classes: Vec<ClassId>) {
        self.needs.insert(root, classes);
    }

    /// The classes that have to stand somewhere in the tree as well for a root class to hold.
    pub(super) fn needs(&self, root: ClassId) -> &[ClassId] {
        self.needs.get(&root).map_or(&[], Vec::as_slice)
    }

    /// The roots, and what they need.
    pub(super) fn roots_and_needs(&self) -> Vec<ClassId> {
        let needs = self.roots.iter().flat_map(|&root| self.needs(root));
        self.roots.iter().chain(needs).copied().collect()
    }

    /// Lets a root class ask for this of the texts of its bound nodes, or for nothing.
    pub(super) fn constrain(&mut self, root: ClassId, constraint: Option<Constraint>) {
        match constraint {
            Some(constraint) => self.constraints.insert(root, constraint),
            None => self.constraints.remove(&root),
        };
    }

    /// What a root class asks of the texts of its bound nodes.
    pub(super) fn constraint(&self, root: ClassId) -> Option<&Constraint> {
        self.constraints.get(&root)
    }

    /// A number for bound nodes that none has.
    pub(super) fn new_number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    /// What masks a root class, if anything does.
    pub(super) fn masks(&self, root: ClassId) -> Option<&Masks> {
        self.masks.get(&root)
    }

    /// The classes beyond which nothing around a root class masks it.
    pub(super) fn boundaries(&self, root: ClassId) -> &[ClassId] {
        self.boundaries.get(&root).map_or(&[], Vec::as_slice)
    }

    /// Says that nothing beyond a class masks a root class that is inside of it.
    pub(super) fn bound(&mut self, root: ClassId, class: ClassId) {
        self.boundaries.entry(root).or_default().push(class);
    }

    /// Says that this is no boundary of a root class.
    pub(super) fn unbound(&mut self, root: ClassId, class: ClassId) {
        if let Some(classes) = self.boundaries.get_mut(&root) {
            classes.retain(|&known| known != class);
        }
    }

    /// Takes over the classes that another hypothesis has beyond these, which was made of this one.
    pub(super) fn adopt_classes(&mut self, other: &Self) {
        for id in other.classes.ids().skip(self.classes.len()) {
            self.classes.push(other.classes[id].clone());
        }
    }

    /// Says that a class masks a root class from one side.
    pub(super) fn mask(&mut self, root: ClassId, side: Side, class: ClassId) {
        self.masks.entry(root).or_default().0[side as usize].push(class);
    }

    /// Says that a class does not mask a root class any more.
    pub(super) fn unmask(&mut self, root: ClassId, class: ClassId) {
        if let Some(masks) = self.masks.get_mut(&root) {
            masks.0.iter_mut().for_each(|classes| classes.retain(|&known| known != class));
            if masks.all().next().is_none() {
                self.masks.remove(&root);
            }
        }
    }

    /// The classes that mask a root.
    pub(super) fn masking(&self) -> impl Iterator<Item = ClassId> {
        self.masks.values().flat_map(Masks::all).map(|(_, class)| class)
    }

    /// The classes beyond which nothing around a root masks it.
    pub(super) fn bounding(&self) -> impl Iterator<Item = ClassId> {
        self.boundaries.values().flatten().copied()
    }

    /// Adds the classes of a pattern, one for each concrete node, and says which one its root is. What stands between
    /// words is anything. `None` for a pattern that is a placeholder and nothing else.
    pub(super) fn add_pattern(&mut self, grammar: &Grammar, pattern: &Pattern) -> Option<ClassId> {
        let mut wants: IdVec<_, Want> = IdVec::new();
        let mut most = 0;
        for node in pattern.nodes().iter() {
            let want = match node {
                // No generalizer that learning begins with makes conditions.
                PatternNode::Literal(_)
                | PatternNode::AnyChar
                | PatternNode::Abstract(_)
                | PatternNode::Where(..) => Want::Any,
                PatternNode::Char(c) => Want::Char(*c),
                PatternNode::Letter(c) => Want::Letter(*c),
                PatternNode::Bound(_, number) => {
                    most = most.max(*number);
                    Want::Bound(self.numbers + *number)
                }
                PatternNode::Rule(rule, children) => {
                    let nonterminal = grammar.rule(*rule).lhs;
                    if is_gap(grammar, nonterminal) {
                        Want::Any
                    } else {
                        let children = children.iter().map(|&child| wants[child].clone()).collect();
                        Want::In(self.add(nonterminal, vec![Alternative::Rule(*rule, children)]))
                    }
                }
            };
            wants.push(want);
        }
        self.numbers += most;
        match wants[pattern.root()] {
            Want::In(root) => Some(root),
            _ => None,
        }
    }
}
