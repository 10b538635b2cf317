//! Divisions by zero, seen in two ways. `expr-zero-divisor` inspects the text alone;
//! `expr-division-by-zero` evaluates, so that no finite set of patterns says when it fails.

use crate::oracle::Judgement;

use super::arithmetic::{Token, read};
use super::rational::Rational;
use super::{judged, unreadable};

/// Fails when `/0` stands directly before a closing parenthesis.
pub(super) fn zero_divisor(input: &[u8]) -> Judgement {
    match read(input) {
        Some(_) => judged(input.windows(3).any(|part| part == b"/0)"), "a zero divisor"),
        None => unreadable(),
    }
}

/// Fails when some divisor is exactly zero.
pub(super) fn division_by_zero(input: &[u8]) -> Judgement {
    match read(input) {
        Some(tokens) => judged(evaluate(&tokens).is_none(), "division by zero"),
        None => unreadable(),
    }
}

/// An operator that waits for its right operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Open,
    Negate,
    Binary(u8),
}

impl Waiting {
    /// Operators bind more closely the larger this is.
    fn rank(self) -> u8 {
        match self {
            Self::Open => 0,
            Self::Binary(b'+' | b'-') => 1,
            Self::Binary(_) => 2,
            Self::Negate => 3,
        }
    }
}

/// The value of an expression, if no divisor is zero (Dijkstra's shunting-yard algorithm; operators
/// of one rank go from left to right).
fn evaluate(tokens: &[Token<'_>]) -> Option<Rational> {
    let mut values: Vec<Rational> = Vec::new();
    let mut waiting: Vec<Waiting> = Vec::new();
    for token in tokens {
        match *token {
            Token::Open => waiting.push(Waiting::Open),
            Token::Sign(b'-') => waiting.push(Waiting::Negate),
            Token::Sign(_) => {}
            Token::Number(text) => values.push(Rational::decimal(text)),
            Token::Operator(operator) => {
                let operator = Waiting::Binary(operator);
                settle(&mut values, &mut waiting, operator.rank())?;
                waiting.push(operator);
            }
            Token::Close => {
                settle(&mut values, &mut waiting, 1)?;
                waiting.pop();
            }
        }
    }
    settle(&mut values, &mut waiting, 1)?;
    values.pop()
}

/// Applies the operators that wait, down to a rank.
fn settle(values: &mut Vec<Rational>, waiting: &mut Vec<Waiting>, rank: u8) -> Option<()> {
    while let Some(&operator) = waiting.last().filter(|operator| operator.rank() >= rank) {
        waiting.pop();
        let right = values.pop()?;
        let value = match operator {
            Waiting::Open => return None,
            Waiting::Negate => right.negated(),
            Waiting::Binary(operator) => {
                let left = values.pop()?;
                match operator {
                    b'+' => left.plus(&right),
                    b'-' => left.plus(&right.negated()),
                    b'*' => left.times(&right),
                    _ => left.times(&right.inverse()?),
                }
            }
        };
        values.push(value);
    }
    Some(())
}
