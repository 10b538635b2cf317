//! What a pattern asks of the texts of its bound nodes beyond their being equal: `if int($1) < int($2) & len($3) > 4`.
//!
//! Such constraints are those of ISLa (Steinhöfel, Zeller, "Input invariants", ESEC/FSE 2022) and ALHAZEN (Kampmann et al., "When
//! does my program do this?", ESEC/FSE 2020) as far as they compare values of single nodes. No automaton knows
//! them: see [`super::bound`].

use std::cmp::Ordering;
use std::fmt;

use crate::base::integer::Integer;

/// How two quantities compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `>=`
    AtLeast,
    /// `>`
    More,
}

impl Relation {
    /// All of them; one that begins with another one comes before it.
    pub const ALL: [Self; 6] =
        [Self::AtMost, Self::AtLeast, Self::Unequal, Self::Less, Self::Equal, Self::More];

    /// The sign.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Equal => "=",
            Self::Unequal => "!=",
            Self::AtLeast => ">=",
            Self::More => ">",
        }
    }

    /// Whether it holds of two quantities in this order.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
            Self::AtLeast => order.is_ge(),
            Self::More => order.is_gt(),
        }
    }
}

/// A number that has to do with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Quantity {
    /// `int($1)`: the whole number that the text is, of any size. A text that is none has no such quantity.
    Integer(u32),
    /// `len($1)`: the length of the text in bytes.
    Length(u32),
    /// A number.
    Constant(i64),
}

impl Quantity {
    /// The number of the bound node whose text it is about.
    pub fn number(self) -> Option<u32> {
        match self {
            Self::Integer(number) | Self::Length(number) => Some(number),
            Self::Constant(_) => None,
        }
    }

    /// Its digits, given the text of each number.
    fn digits<'t>(self, text: &impl Fn(u32) -> Option<&'t [u8]>) -> Option<std::borrow::Cow<'t, [u8]>> {
        Some(match self {
            Self::Integer(number) => text(number)?.into(),
            Self::Length(number) => text(number)?.len().to_string().into_bytes().into(),
            Self::Constant(value) => value.to_string().into_bytes().into(),
        })
    }
}

/// What is asked of the texts of bound nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Constraint {
    /// Two quantities compare so. It does not hold where one of them is not there.
    Quantities(Quantity, Relation, Quantity),
    /// The texts of two numbers are equal (`true`) or differ (`false`). It does not hold where one of them is not there.
    Texts(u32, bool, u32),
    /// It does not hold.
    Not(Box<Constraint>),
    /// Both hold.
    And(Box<Constraint>, Box<Constraint>),
    /// At least one holds.
    Or(Box<Constraint>, Box<Constraint>),
}

impl Constraint {
    /// Whether it holds, given the text of each number that has one.
    pub fn holds<'t>(&self, text: &impl Fn(u32) -> Option<&'t [u8]>) -> bool {
        match self {
            Self::Quantities(one, comparison, other) => {
                let (Some(one), Some(other)) = (one.digits(text), other.digits(text)) else { return false };
                match (Integer::read(&one), Integer::read(&other)) {
                    (Some(one), Some(other)) => comparison.holds(one.cmp(&other)),
                    _ => false,
                }
            }
            Self::Texts(one, equal, other) => match (text(*one), text(*other)) {
                (Some(one), Some(other)) => (one == other) == *equal,
                _ => false,
            },
            Self::Not(inner) => !inner.holds(text),
            Self::And(left, right) => left.holds(text) && right.holds(text),
            Self::Or(left, right) => left.holds(text) || right.holds(text),
        }
    }

    /// The numbers that it speaks of, some of them several times.
    pub fn numbers(&self) -> Vec<u32> {
        match self {
            Self::Quantities(one, _, other) => {
                [*one, *other].into_iter().filter_map(Quantity::number).collect()
            }
            Self::Texts(one, _, other) => vec![*one, *other],
            Self::Not(inner) => inner.numbers(),
            Self::And(left, right) | Self::Or(left, right) => [left.numbers(), right.numbers()].concat(),
        }
    }

    /// The numbers with which it compares quantities.
    pub fn constants(&self) -> Vec<i64> {
        match self {
            Self::Quantities(one, _, other) => {
                let constant = |quantity: &Quantity| match quantity {
                    Quantity::Constant(value) => Some(*value),
                    _ => None,
                };
                [one, other].into_iter().filter_map(constant).collect()
            }
            Self::Texts(..) => Vec::new(),
            Self::Not(inner) => inner.constants(),
            Self::And(left, right) | Self::Or(left, right) => [left.constants(), right.constants()].concat(),
        }
    }
}

impl std::ops::BitAnd for Constraint {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self::And(Box::new(self), Box::new(other))
    }
}

impl std::ops::BitOr for Constraint {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self::Or(Box::new(self), Box::new(other))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "int(${number})"),
            Self::Length(number) => write!(f, "len(${number})"),
            Self::Constant(value) => value.fmt(f),
        }
    }
}

/// As it reads back. An alternative stands in parentheses, since `|` without them ends a pattern.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quantities(one, comparison, other) => write!(f, "{one} {} {other}", comparison.as_str()),
            Self::Texts(one, equal, other) => {
                let comparison = if *equal { Relation::Equal } else { Relation::Unequal };
                write!(f, "${one} {} ${other}", comparison.as_str())
            }
            Self::Not(inner) => match **inner {
                Self::Or(..) | Self::Not(_) => write!(f, "!{inner}"),
                _ => write!(f, "!({inner})"),
            },
            Self::And(left, right) => match **right {
                Self::And(..) => write!(f, "{left} & ({right})"),
                _ => write!(f, "{left} & {right}"),
            },
            // Those on the left need no parentheses of their own.
            Self::Or(left, right) => {
                f.write_str("(")?;
                let mut sides = vec![&**right];
                let mut first = &**left;
                while let Self::Or(left, right) = first {
                    sides.push(right);
                    first = left;
                }
                write!(f, "{first}")?;
                sides.iter().rev().try_for_each(|side| write!(f, " | {side}"))?;
                f.write_str(")")
            }
        }
    }
}
