//! Evocative expressions: Boolean combinations of statements about occurrences of patterns.

use std::fmt;

use crate::base::id::{Id, IdVec};
use crate::grammar::{Grammar, NonterminalId};
use crate::id_type;
use crate::tree::Tree;

use super::model::Pattern;

id_type!(
    /// A pattern of an expression.
    PatternId
);

/// A Boolean formula about the occurrences of patterns in a derivation tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Always (`true`) or never (`false`).
    Constant(bool),
    /// The pattern occurs at one or more nodes.
    Contains(PatternId),
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
    /// Whether the formula holds where `occurs` says which patterns occur.
    pub fn holds(&self, occurs: &impl Fn(PatternId) -> bool) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Contains(pattern) => occurs(*pattern),
            Self::Not(inner) => !inner.holds(occurs),
            Self::And(left, right) => left.holds(occurs) && right.holds(occurs),
            Self::Or(left, right) => left.holds(occurs) || right.holds(occurs),
            Self::Xor(left, right) => left.holds(occurs) != right.holds(occurs),
            Self::Implies(left, right) => !left.holds(occurs) || right.holds(occurs),
        }
    }
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPattern {
    /// The name, such as `E`.
    pub name: String,
    /// The pattern.
    pub pattern: Pattern,
}

/// A formula over patterns of one grammar, about the derivation trees of one nonterminal of it.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// Whether a derivation tree satisfies the expression: the definition, against which everything
    /// faster is tested.
    pub fn holds(&self, grammar: &Grammar, tree: &Tree) -> bool {
        let occurs: IdVec<PatternId, bool> =
            self.patterns.iter().map(|named| !named.pattern.occurrences(grammar, tree).is_empty()).collect();
        self.formula.holds(&|pattern| occurs[pattern])
    }

    /// The formula as text that reads back: `E & !N`.
    pub fn formula_text(&self) -> String {
        let mut text = String::new();
        self.write_formula(&self.formula, 0, &mut text);
        text
    }

    /// `binding` is how tightly the surrounding operator binds.
    fn write_formula(&self, formula: &Formula, binding: u8, text: &mut String) {
        let (own, left, operator, right): (u8, &Formula, &str, &Formula) = match formula {
            Formula::Constant(value) => return text.push_str(if *value { "true" } else { "false" }),
            Formula::Contains(pattern) => return text.push_str(&self.patterns[*pattern].name),
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
            text.push_str(&format!("<{nonterminal} {}> is {}", named.name, named.pattern.quoted(grammar)));
        }
        text
    }
}

impl fmt::Display for PatternId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index().fmt(f)
    }
}
