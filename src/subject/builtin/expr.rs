//! `expr-double-paren`: one and the same expression stands in two pairs of parentheses.

use crate::oracle::Judgement;

use super::arithmetic::{Token, read};
use super::{judged, unreadable};

/// Fails when some pair of parentheses encloses nothing but another pair.
pub(super) fn double_paren(input: &[u8]) -> Judgement {
    let Some(tokens) = read(input) else { return unreadable() };
    let mut open: Vec<usize> = Vec::new();
    // The pair that was closed by the token before.
    let mut last: Option<usize> = None;
    let mut doubled = false;
    for (index, token) in tokens.iter().enumerate() {
        let mut closed = None;
        match token {
            Token::Open => open.push(index),
            Token::Close => {
                closed = open.pop();
                doubled |= closed.is_some_and(|outer| last == Some(outer + 1));
            }
            Token::Sign(_) | Token::Operator(_) | Token::Number(_) => {}
        }
        last = closed;
    }
    judged(doubled, "doubled parentheses")
}
