//! Evocative expressions: Boolean combinations of statements about occurrences of patterns.

use std::fmt;

use crate::base::id::{Id, IdVec};
use crate::grammar::{Grammar, NonterminalId};
use crate::id_type;
use crate::tree::{NodeId, Tree};

use super::model::Pattern;

id_type!(
    /// A pattern of an expression.
    PatternId
);

/// How many occurrences there must be, compared with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
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
            other => unreachable!("{other:?} is no statement about occurrences"),
        })
    }

    /// The truth of the formula, given that of each of its statements about occurrences: `statement` is
    /// asked about parts of the formula that are neither constants nor operators.
    pub fn value<F: FnMut(&Self) -> bool>(&self, statement: &mut F) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Contains(_) | Self::Count(..) | Self::Inside(..) | Self::Before(..) | Self::Root(_) => {
                statement(self)
            }
            Self::Not(inner) => !inner.value(statement),
            Self::And(left, right) => left.value(statement) && right.value(statement),
            Self::Or(left, right) => left.value(statement) || right.value(statement),
            Self::Xor(left, right) => left.value(statement) != right.value(statement),
            Self::Implies(left, right) => !left.value(statement) || right.value(statement),
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

/// A pattern under the name that formulas use.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct NamedPattern {
    /// The name, such as `E`.
    pub name: String,
    /// The pattern.
    pub pattern: Pattern,
}

/// A formula over patterns of one grammar, about the derivation trees of one nonterminal of it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Expression {
    /// The nonterminal whose trees the formula is about; usually the start symbol.
    pub start: NonterminalId,
    /// The patterns that the formula refers to.
    pub patterns: IdVec<PatternId, NamedPattern>,
    /// The formula.
    pub formula: Formula,
}

impl Expression {
    /// The expression that says that `pattern`, called `name`, occurs.
    pub fn contains(start: NonterminalId, name: impl Into<String>, pattern: Pattern) -> Self {
        let patterns = IdVec::from_iter([NamedPattern { name: name.into(), pattern }]);
        Self { start, patterns, formula: Formula::Contains(PatternId::new(0)) }
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
        self.patterns
            .iter()
            .map(|named| {
                let nodes = named.pattern.occurrences(grammar, tree).into_iter();
                nodes
                    .map(|node| Occurrence { node, begin: begins[&node], end: ends[begins[&node]] })
                    .collect()
            })
            .collect()
    }

    /// Whether a derivation tree satisfies the expression: the definition, against which everything
    /// faster is tested.
    pub fn holds(&self, grammar: &Grammar, tree: &Tree) -> bool {
        self.formula.holds(&self.occurrences(grammar, tree))
    }

    /// The formula as text that reads back: `E & !N`.
    pub fn formula_text(&self) -> String {
        let mut text = String::new();
        self.write_formula(&self.formula, 0, &mut text);
        text
    }

    fn name(&self, pattern: PatternId) -> &str {
        &self.patterns[pattern].name
    }

    /// `binding` is how tightly the surrounding operator binds.
    fn write_formula(&self, formula: &Formula, binding: u8, text: &mut String) {
        let (own, left, operator, right): (u8, &Formula, &str, &Formula) = match formula {
            Formula::Constant(value) => return text.push_str(if *value { "true" } else { "false" }),
            Formula::Contains(pattern) => return text.push_str(self.name(*pattern)),
            Formula::Count(bound, number, pattern) => {
                return text.push_str(&format!("{} {number} {}", bound.as_str(), self.name(*pattern)));
            }
            Formula::Inside(inner, outer) => {
                return text.push_str(&format!("{} inside {}", self.name(*inner), self.name(*outer)));
            }
            Formula::Before(first, second) => {
                return text.push_str(&format!("{} before {}", self.name(*first), self.name(*second)));
            }
            Formula::Root(pattern) => return text.push_str(&format!("root {}", self.name(*pattern))),
            Formula::Not(inner) => {
                text.push('!');
                return self.write_formula(inner, 4, text);
            }
            Formula::And(left, right) => (4, left, " & ", right),
            Formula::Xor(left, right) => (3, left, " ^ ", right),
            Formula::Or(left, right) => (2, left, " | ", right),
            Formula::Implies(left, right) => (1, left, " implies ", right),
        };
        // Equal operators need no brackets on the side on which they associate.
        let (of_left, of_right) = if own == 1 { (own, own - 1) } else { (own - 1, own) };
        if own <= binding {
            text.push('(');
        }
        self.write_formula(left, of_left, text);
        text.push_str(operator);
        self.write_formula(right, of_right, text);
        if own <= binding {
            text.push(')');
        }
    }

    /// The whole expression in the papers' notation:
    /// `<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null"`.
    pub fn text(&self, grammar: &Grammar) -> String {
        let mut text = format!("<{} {}>", grammar.name(self.start).text(), self.formula_text());
        for (index, named) in self.patterns.iter().enumerate() {
            text.push_str(if index == 0 { " where " } else { ", " });
            let nonterminal = grammar.name(named.pattern.characteristic()).text();
            text.push_str(&format!("<{nonterminal} {}> is {}", named.name, named.pattern.text(grammar)));
        }
        text
    }
}

impl fmt::Display for PatternId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index().fmt(f)
    }
}
