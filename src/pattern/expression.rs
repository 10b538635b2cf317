//! Evocative expressions: Boolean combinations of statements about occurrences of patterns.

use std::fmt;

use crate::base::id::{Id, IdVec};
use crate::grammar::{Grammar, NonterminalId};
use crate::id_type;
use crate::tree::{NodeId, Tree};

use super::condition::Condition;
use super::formula_text::{Place, formula_text};
use super::matching::Matching;
use super::model::{Pattern, PatternNode};
use super::surrounding::Surrounding;

id_type!(
    /// A pattern of an expression.
    PatternId
);

/// How many occurrences there must be, compared with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Bound {
    /// That many or more.
    AtLeast,
    /// That many or fewer.
    AtMost,
    /// Just that many.
    Exactly,
}

impl Bound {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::AtLeast, Self::AtMost, Self::Exactly];

    /// The words used in formulas.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AtLeast => "at least",
            Self::AtMost => "at most",
            Self::Exactly => "exactly",
        }
    }

    /// Whether `number` compares so with `wanted`.
    pub fn holds(self, number: usize, wanted: u32) -> bool {
        let wanted = wanted as usize;
        match self {
            Self::AtLeast => number >= wanted,
            Self::AtMost => number <= wanted,
            Self::Exactly => number == wanted,
        }
    }
}

/// A Boolean formula about the occurrences of patterns in a derivation tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Formula {
    /// Always (`true`) or never (`false`).
    Constant(bool),
    /// The pattern occurs at one or more nodes.
    Contains(PatternId),
    /// The pattern occurs at this many nodes.
    Count(Bound, u32, PatternId),
    /// The first pattern occurs at or below a node at which the second occurs.
    Inside(PatternId, PatternId),
    /// The first pattern occurs at a node that ends, in document order, before one begins at which the
    /// second occurs.
    Before(PatternId, PatternId),
    /// The pattern occurs at the root.
    Root(PatternId),
    /// The pattern occurs at a node of which all of these hold. Those that must hold bind no texts.
    Some(PatternId, Vec<Surrounding>),
    /// The formula does not hold.
    Not(Box<Formula>),
    /// Both hold.
    And(Box<Formula>, Box<Formula>),
    /// At least one holds.
    Or(Box<Formula>, Box<Formula>),
    /// Exactly one holds.
    Xor(Box<Formula>, Box<Formula>),
    /// The second holds if the first does.
    Implies(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Whether the formula holds of a tree, given where each pattern occurs in it: the definition of
    /// what formulas mean.
    pub fn holds(&self, occurrences: &IdVec<PatternId, Vec<Occurrence>>) -> bool {
        self.value(&mut |statement| match statement {
            Self::Contains(pattern) => !occurrences[*pattern].is_empty(),
            Self::Count(bound, number, pattern) => bound.holds(occurrences[*pattern].len(), *number),
            Self::Inside(inner, outer) => {
                any_pair(&occurrences[*inner], &occurrences[*outer], |inner, outer| {
                    outer.begin <= inner.begin && inner.end <= outer.end
                })
            }
            Self::Before(first, second) => {
                any_pair(&occurrences[*first], &occurrences[*second], |first, second| {
                    first.end <= second.begin
                })
            }
            Self::Root(pattern) => occurrences[*pattern].iter().any(|occurrence| occurrence.begin == 0),
            Self::Some(pattern, surroundings) => occurrences[*pattern]
                .iter()
                .any(|it| surroundings.iter().all(|around| around.holds(it, |name| &occurrences[name]))),
            other => unreachable!("{other:?} is no statement about occurrences"),
        })
    }

    /// The truth of the formula, given that of each of its statements about occurrences: `statement` is
    /// asked about parts of the formula that are neither constants nor operators.
    pub fn value<F: FnMut(&Self) -> bool>(&self, statement: &mut F) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Not(inner) => !inner.value(statement),
            Self::And(left, right) => left.value(statement) && right.value(statement),
            Self::Or(left, right) => left.value(statement) || right.value(statement),
            Self::Xor(left, right) => left.value(statement) != right.value(statement),
            Self::Implies(left, right) => !left.value(statement) || right.value(statement),
            _ => statement(self),
        }
    }
}

impl Formula {
    /// Visits each statement about occurrences.
    pub fn statements<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        match self {
            Self::Constant(_) => {}
            Self::Not(inner) => inner.statements(visit),
            Self::And(left, right)
            | Self::Or(left, right)
            | Self::Xor(left, right)
            | Self::Implies(left, right) => {
                left.statements(visit);
                right.statements(visit);
            }
            _ => visit(self),
        }
    }

    /// The names that the formula speaks of, some of them several times.
    pub fn names(&self) -> Vec<PatternId> {
        let mut names = Vec::new();
        self.statements(&mut |statement| match statement {
            Self::Contains(name) | Self::Count(_, _, name) | Self::Root(name) => names.push(*name),
            Self::Inside(one, other) | Self::Before(one, other) => names.extend([*one, *other]),
            Self::Some(name, surroundings) => {
                names.push(*name);
                names.extend(surroundings.iter().flat_map(Surrounding::names));
            }
            _ => {}
        });
        names
    }

    /// The formula with other names.
    #[must_use]
    pub fn renamed(&self, name: &impl Fn(PatternId) -> PatternId) -> Self {
        self.replaced(&|statement| {
            Some(match statement {
                Self::Contains(pattern) => Self::Contains(name(*pattern)),
                Self::Count(bound, number, pattern) => Self::Count(*bound, *number, name(*pattern)),
                Self::Inside(one, other) => Self::Inside(name(*one), name(*other)),
                Self::Before(one, other) => Self::Before(name(*one), name(*other)),
                Self::Root(pattern) => Self::Root(name(*pattern)),
                Self::Some(pattern, surroundings) => {
                    Self::Some(name(*pattern), surroundings.iter().map(|it| it.renamed(name)).collect())
                }
                _ => return None,
            })
        })
    }

    /// The formula with other formulas in the place of statements about occurrences, where there are any.
    #[must_use]
    pub fn replaced(&self, statement: &impl Fn(&Self) -> Option<Self>) -> Self {
        let of = |inner: &Self| Box::new(inner.replaced(statement));
        match self {
            Self::Not(inner) => Self::Not(of(inner)),
            Self::And(left, right) => Self::And(of(left), of(right)),
            Self::Or(left, right) => Self::Or(of(left), of(right)),
            Self::Xor(left, right) => Self::Xor(of(left), of(right)),
            Self::Implies(left, right) => Self::Implies(of(left), of(right)),
            other => statement(other).unwrap_or_else(|| other.clone()),
        }
    }
}

fn any_pair(
    left: &[Occurrence],
    right: &[Occurrence],
    mut related: impl FnMut(&Occurrence, &Occurrence) -> bool,
) -> bool {
    left.iter().any(|one| right.iter().any(|other| related(one, other)))
}

/// A node at which a pattern occurs, as the range of its subtree in document order: the root of the
/// tree begins at 0, and every node ends where the node behind its subtree begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Occurrence {
    /// The node.
    pub node: NodeId,
    /// How many nodes begin before it.
    pub begin: usize,
    /// How many nodes begin before it or in its subtree.
    pub end: usize,
}

impl std::ops::Not for Formula {
    type Output = Self;
    fn not(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            Self::Constant(value) => Self::Constant(!value),
            other => Self::Not(Box::new(other)),
        }
    }
}

impl std::ops::BitAnd for Formula {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self::And(Box::new(self), Box::new(other))
    }
}

impl std::ops::BitOr for Formula {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self::Or(Box::new(self), Box::new(other))
    }
}

/// What a name stands for: a set of subtrees.
///
/// The name occurs at a node when one of the alternatives matches there, or several: that is one occurrence. The
/// conditions of their nodes may refer to all names of the expression, this one included, as long as a name does not
/// refer to itself at the same node ([`super::reference::circular`]).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct NamedPattern {
    /// The name, such as `E`.
    pub name: String,
    /// The alternatives, which may be of different nonterminals; without one, the name occurs nowhere. Their text
    /// has those of the same nonterminal side by side.
    pub alternatives: Vec<Pattern>,
}

impl NamedPattern {
    /// A name for one pattern.
    pub fn new(name: impl Into<String>, pattern: Pattern) -> Self {
        Self { name: name.into(), alternatives: vec![pattern] }
    }

    /// The pattern, when there is one that refers to no names.
    pub fn only(&self) -> Option<&Pattern> {
        match &self.alternatives[..] {
            [pattern] if pattern.conditions().next().is_none() => Some(pattern),
            _ => None,
        }
    }
}

/// A formula over patterns of one grammar, about the derivation trees of one nonterminal of it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Expression {
    /// The nonterminal whose trees the formula is about; usually the start symbol.
    pub start: NonterminalId,
    /// The patterns that the formula refers to.
    pub patterns: IdVec<PatternId, NamedPattern>,
    /// The formula.
    pub formula: Formula,
}

impl Expression {
    /// Whether letters of a pattern are in either case.
    pub fn has_letters_in_either_case(&self) -> bool {
        let patterns = self.patterns.iter().flat_map(|named| &named.alternatives);
        let mut nodes = patterns.flat_map(|pattern| pattern.nodes().iter());
        nodes.any(|node| matches!(node, PatternNode::Letter(_)))
    }

    /// The expression that says that `pattern`, called `name`, occurs.
    pub fn contains(start: NonterminalId, name: impl Into<String>, pattern: Pattern) -> Self {
        let patterns = IdVec::from_iter([NamedPattern::new(name, pattern)]);
        Self { start, patterns, formula: Formula::Contains(PatternId::new(0)) }
    }

    /// The pattern whose occurrence is all that the expression says, if that is so.
    pub fn only_pattern(&self) -> Option<&Pattern> {
        match (self.patterns.as_slice(), &self.formula) {
            ([named], Formula::Contains(_)) => named.only(),
            _ => None,
        }
    }

    /// The expression as it is shown: the statement of the one pattern that it is about, such as
    /// `<item> is "\"\": <elt>"`, or the whole expression.
    pub fn statement(&self, grammar: &Grammar) -> String {
        match self.only_pattern() {
            Some(pattern) => pattern.statement(grammar),
            None => self.text(grammar),
        }
    }

    /// The expression that holds where this one does not.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { formula: !self.formula.clone(), ..self.clone() }
    }

    /// Where each pattern occurs in a derivation tree, in document order.
    pub fn occurrences(&self, grammar: &Grammar, tree: &Tree) -> IdVec<PatternId, Vec<Occurrence>> {
        let order: Vec<NodeId> = tree.preorder(tree.root()).collect();
        let mut ends: Vec<usize> = (1..=order.len()).collect();
        let begins: std::collections::HashMap<NodeId, usize> =
            order.iter().enumerate().map(|(index, &node)| (node, index)).collect();
        for (begin, &node) in order.iter().enumerate().rev() {
            if let Some(last) = tree.children(node).last() {
                ends[begin] = ends[begins[last]];
            }
        }
        let matching = Matching::new(grammar, &self.patterns, tree);
        let occurrence = |&node: &NodeId| Occurrence { node, begin: begins[&node], end: ends[begins[&node]] };
        self.patterns
            .ids()
            .map(|name| order.iter().filter(|&&node| matching.occurs(name, node)).map(occurrence).collect())
            .collect()
    }

    /// Whether a derivation tree satisfies the expression: the definition, against which everything
    /// faster is tested.
    pub fn holds(&self, grammar: &Grammar, tree: &Tree) -> bool {
        self.formula.holds(&self.occurrences(grammar, tree))
    }

    /// The formula as text that reads back: `E & !N`.
    pub fn formula_text(&self) -> String {
        formula_text(&self.formula, Place::Tree, &|name| self.name(&name))
    }

    /// A condition of one of the patterns as text: `X & !has Y`.
    pub fn condition_text(&self, condition: &Condition) -> String {
        formula_text(condition.formula(), Place::Node, &|name| self.name(&name))
    }

    /// What a name is called; its number, where there is no such name.
    fn name(&self, name: &PatternId) -> String {
        self.patterns.get(*name).map_or_else(|| name.to_string(), |named| named.name.clone())
    }

    /// The whole expression in the papers' notation:
    /// `<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null" | "\"\": null"`.
    pub fn text(&self, grammar: &Grammar) -> String {
        self.written(grammar, " where ", ", ")
    }

    /// The same with a line for each name.
    pub fn lines(&self, grammar: &Grammar) -> String {
        self.written(grammar, " where\n    ", ",\n    ")
    }

    fn written(&self, grammar: &Grammar, first: &str, next: &str) -> String {
        let mut text = format!("<{} {}>", grammar.name(self.start).text(), self.formula_text());
        let definitions =
            self.patterns.iter().flat_map(|named| named.definitions(grammar, &|name| self.name(name)));
        for (index, definition) in definitions.enumerate() {
            text.push_str(if index == 0 { first } else { next });
            text.push_str(&definition);
        }
        text
    }
}

impl fmt::Display for PatternId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index().fmt(f)
    }
}
