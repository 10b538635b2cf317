//! Reads what a pattern asks of the texts of its bound nodes: `int($1) < int($2) & ($3 = $4 | len($3) > 2)`.
//!
//! Outside of parentheses there is no `|`, since it ends a pattern.

use crate::base::diagnostic::Diagnostic;
use crate::base::integer::Integer;

use super::constraint::{Constraint, Quantity, Relation};
use super::scanner::Scanner;

/// Deeper nesting than this is refused: reading is recursive.
const DEEPEST: usize = 100;

/// The maximum number of comparisons of one constraint, which nests once for each of them.
const MOST: usize = 500;

/// One side of a comparison.
enum Term {
    Text(u32),
    Quantity(Quantity),
}

/// Reads one constraint.
struct Reader<'a, 's> {
    scanner: &'a mut Scanner<'s>,
    comparisons: usize,
}

impl Scanner<'_> {
    /// The constraint that stands here, `if` having been read.
    ///
    /// # Errors
    /// When there is none.
    pub fn constraint(&mut self) -> Result<Constraint, Diagnostic> {
        Reader { scanner: self, comparisons: 0 }.all(0)
    }
}

impl Reader<'_, '_> {
    fn either(&mut self, depth: usize) -> Result<Constraint, Diagnostic> {
        let mut left = self.all(depth)?;
        while self.scanner.symbol('|') || self.scanner.word("or") {
            self.scanner.symbol('|');
            left = left | self.all(depth)?;
        }
        Ok(left)
    }

    fn all(&mut self, depth: usize) -> Result<Constraint, Diagnostic> {
        let mut left = self.operand(depth)?;
        while self.scanner.symbol('&') || self.scanner.word("and") {
            self.scanner.symbol('&');
            left = left & self.operand(depth)?;
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<Constraint, Diagnostic> {
        if depth > DEEPEST || self.comparisons > MOST {
            let here = self.scanner.at..self.scanner.at;
            return Err(Diagnostic::error(format!(
                "a constraint has at most {MOST} comparisons, nested at most {DEEPEST} deep"
            ))
            .at(self.scanner.source, here, "here"));
        }
        let open = self.scanner.at;
        if self.scanner.symbol('!') || self.scanner.word("not") {
            return Ok(Constraint::Not(Box::new(self.operand(depth + 1)?)));
        }
        if self.scanner.symbol('(') {
            let inner = self.either(depth + 1)?;
            return match self.scanner.symbol(')') {
                true => Ok(inner),
                false => {
                    let error = self.scanner.expected("`)`, `&` or `|`");
                    Err(error.at(self.scanner.source, open..open + 1, "in what begins here"))
                }
            };
        }
        self.comparisons += 1;
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Constraint, Diagnostic> {
        self.scanner.rest();
        let begin = self.scanner.at;
        let one = self.term()?;
        let rest = self.scanner.rest();
        let Some(sign) = Relation::ALL.into_iter().find(|sign| rest.starts_with(sign.as_str())) else {
            return Err(self.scanner.expected("`<`, `<=`, `=`, `!=`, `>=` or `>`"));
        };
        self.scanner.at += sign.as_str().len();
        let other = self.term()?;
        match (one, sign, other) {
            (Term::Text(one), Relation::Equal, Term::Text(other)) => Ok(Constraint::Texts(one, true, other)),
            (Term::Text(one), Relation::Unequal, Term::Text(other)) => {
                Ok(Constraint::Texts(one, false, other))
            }
            (Term::Quantity(one), sign, Term::Quantity(other)) => {
                Ok(Constraint::Quantities(one, sign, other))
            }
            (Term::Text(number), ..) | (.., Term::Text(number)) => {
                let span = begin..self.scanner.at;
                Err(Diagnostic::error("texts are equal or not, and compared with texts only")
                    .at(self.scanner.source, span, "")
                    .help(format!(
                        "write `int(${number})` for the number that it is, `len(${number})` for its length"
                    )))
            }
        }
    }

    /// `$1`, `int($1)`, `len($1)`, or a number, in decimal or hexadecimal digits.
    fn term(&mut self) -> Result<Term, Diagnostic> {
        for (function, quantity) in
            [("int", Quantity::Integer as fn(u32) -> Quantity), ("len", Quantity::Length)]
        {
            if self.scanner.word(function) {
                if !self.scanner.symbol('(') {
                    return Err(self.scanner.expected("`(`"));
                }
                let Some(number) = self.number() else {
                    return Err(self.scanner.expected("the number of a bound node, such as `$1`"));
                };
                return match self.scanner.symbol(')') {
                    true => Ok(Term::Quantity(quantity(number))),
                    false => Err(self.scanner.expected("`)`")),
                };
            }
        }
        if let Some(number) = self.number() {
            return Ok(Term::Text(number));
        }
        let rest = self.scanner.rest();
        let length = Integer::length_in(rest.as_bytes());
        let Some(value) = Integer::read(&rest.as_bytes()[..length]) else {
            return Err(self.scanner.expected("`int($1)`, `len($1)`, `$1` or a number"));
        };
        let Some(value) = value.to_i64() else {
            let span = self.scanner.at..self.scanner.at + length;
            let error = Diagnostic::error("this number is too large");
            return Err(error.at(self.scanner.source, span, "at most 2^63 - 1"));
        };
        self.scanner.at += length;
        Ok(Term::Quantity(Quantity::Constant(value)))
    }

    /// `$1`.
    fn number(&mut self) -> Option<u32> {
        let digits = self.scanner.rest().strip_prefix('$')?;
        let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let number = digits[..length].parse().ok()?;
        self.scanner.at += 1 + length;
        Some(number)
    }
}
