//! Reads formulas.
//!
//! Two notations, which mix freely: operators (`E & !N`, `A -> B | C`) and functions
//! (`and(E,neg(N))`). From the tightest: `!`, `&`, `^` (xor), `|`, `->` (implies, to the right).
//! Words may stand for the operators: `not neg and xor or implies`.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};

use super::expression::{Formula, PatternId};

/// Deeper nesting than this is refused: nobody writes it, and reading it is recursive.
const DEEPEST: usize = 200;

const OPERATORS: &str = "`&`, `|`, `^`, `->` or the end";

/// Reads the formula in `span` of `source`; `find` says which pattern a name stands for, and `names`
/// are all names there are.
///
/// # Errors
/// When it is no formula, or a name stands for nothing.
pub fn read_formula(
    source: &Arc<Source>,
    span: Range<usize>,
    names: &[String],
) -> Result<Formula, Diagnostic> {
    let mut reader = Reader { source, end: span.end, at: span.start, names, depth: 0 };
    let formula = reader.binary(0)?;
    match reader.next()? {
        (Token::End, _) => Ok(formula),
        (_, span) => Err(reader.unexpected(span, OPERATORS)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'s> {
    Word(&'s str),
    Open,
    Close,
    Comma,
    Not,
    Operator(Operator),
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Implies,
    Or,
    Xor,
    And,
}

impl Operator {
    fn join(self, left: Formula, right: Formula) -> Formula {
        let (left, right) = (Box::new(left), Box::new(right));
        match self {
            Self::Implies => Formula::Implies(left, right),
            Self::Or => Formula::Or(left, right),
            Self::Xor => Formula::Xor(left, right),
            Self::And => Formula::And(left, right),
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "implies" => Self::Implies,
            "or" => Self::Or,
            "xor" => Self::Xor,
            "and" => Self::And,
            _ => return None,
        })
    }
}

struct Reader<'s> {
    source: &'s Arc<Source>,
    end: usize,
    at: usize,
    names: &'s [String],
    depth: usize,
}

impl<'s> Reader<'s> {
    fn rest(&self) -> &'s str {
        &self.source.text()[self.at..self.end]
    }

    fn next(&mut self) -> Result<(Token<'s>, Range<usize>), Diagnostic> {
        let blank = self.rest().len() - self.rest().trim_start().len();
        self.at += blank;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok((Token::End, self.end..self.end));
        };
        let word = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
        let doubled = |c| if rest[1..].starts_with(c) { 2 } else { 1 };
        let (token, length) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            ',' => (Token::Comma, 1),
            '!' => (Token::Not, 1),
            '^' => (Token::Operator(Operator::Xor), 1),
            '&' => (Token::Operator(Operator::And), doubled('&')),
            '|' => (Token::Operator(Operator::Or), doubled('|')),
            '-' if rest.starts_with("->") => (Token::Operator(Operator::Implies), 2),
            _ if word > 0 => (Token::Word(&rest[..word]), word),
            other => {
                let span = self.at..self.at + other.len_utf8();
                return Err(self.unexpected(span, "a pattern's name or an operator"));
            }
        };
        let span = self.at..self.at + length;
        self.at = span.end;
        Ok((token, span))
    }

    fn peek(&mut self) -> Result<(Token<'s>, Range<usize>), Diagnostic> {
        let at = self.at;
        let token = self.next();
        self.at = at;
        token
    }

    /// Reads operators that bind at least as tightly as the `least`th.
    fn binary(&mut self, least: u8) -> Result<Formula, Diagnostic> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let here = self.at..self.at;
            return Err(Diagnostic::error(format!("the formula is nested more than {DEEPEST} deep"))
                .at(self.source, here, "here")
                .help("give parts of it as formulas of their own"));
        }
        let mut left = self.operand()?;
        loop {
            let operator = match self.peek()?.0 {
                Token::Operator(operator) => operator,
                Token::Word(word) => match Operator::of_word(word) {
                    Some(operator) => operator,
                    None => break,
                },
                _ => break,
            };
            if (operator as u8) < least {
                break;
            }
            self.next()?;
            // Implication associates to the right, the others to the left.
            let tighter = if operator == Operator::Implies { operator as u8 } else { operator as u8 + 1 };
            let right = self.binary(tighter)?;
            left = operator.join(left, right);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<Formula, Diagnostic> {
        let mut negated = false;
        loop {
            let (token, span) = self.next()?;
            let formula = match token {
                Token::Not | Token::Word("not" | "neg") => {
                    negated = !negated;
                    continue;
                }
                Token::Open => {
                    let formula = self.binary(0)?;
                    self.expect_close(&span)?;
                    formula
                }
                Token::Word(word) => match Operator::of_word(word) {
                    Some(operator) if self.peek()?.0 == Token::Open => self.function(operator)?,
                    Some(_) => return Err(self.unexpected(span, "a pattern's name, `!` or `(`")),
                    None => self.name(word, span)?,
                },
                _ => return Err(self.unexpected(span, "a pattern's name, `!` or `(`")),
            };
            return Ok(if negated { !formula } else { formula });
        }
    }

    /// `and(E, F, G)`: the operator over all arguments, from the left.
    fn function(&mut self, operator: Operator) -> Result<Formula, Diagnostic> {
        let (_, open) = self.next()?;
        let mut formula = self.binary(0)?;
        while self.peek()?.0 == Token::Comma {
            self.next()?;
            let argument = self.binary(0)?;
            formula = operator.join(formula, argument);
        }
        self.expect_close(&open)?;
        Ok(formula)
    }

    fn expect_close(&mut self, open: &Range<usize>) -> Result<(), Diagnostic> {
        match self.next()? {
            (Token::Close, _) => Ok(()),
            (_, span) => {
                Err(self.unexpected(span, "`)` or an operator").at(self.source, open.clone(), "opened here"))
            }
        }
    }

    fn name(&self, word: &str, span: Range<usize>) -> Result<Formula, Diagnostic> {
        if let Some(index) = self.names.iter().position(|name| name == word) {
            return Ok(Formula::Contains(<PatternId as crate::base::id::Id>::new(index)));
        }
        match word {
            "true" => Ok(Formula::Constant(true)),
            "false" => Ok(Formula::Constant(false)),
            _ => {
                let names = self.names.join(", ");
                let error = Diagnostic::error(format!("there is no pattern called `{word}`"))
                    .at(self.source, span, "used here")
                    .suggest(word, self.names.iter().map(String::as_str));
                Err(if names.is_empty() { error } else { error.help(format!("the patterns are: {names}")) })
            }
        }
    }

    fn unexpected(&self, span: Range<usize>, expected: &str) -> Diagnostic {
        let found = match &self.source.text()[span.clone()] {
            "" => "the end".to_owned(),
            text => format!("`{text}`"),
        };
        Diagnostic::error(format!("expected {expected}, found {found}")).at(self.source, span, "")
    }
}

/// Whether a pattern's name may hold this character.
pub(super) fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

#[cfg(test)]
mod tests {
    use super::super::expression::{Expression, NamedPattern};
    use super::*;
    use crate::base::id::Id;
    use proptest::prelude::*;

    fn names() -> Vec<String> {
        ["A", "B", "C", "1"].map(String::from).to_vec()
    }

    fn read(text: &str) -> Result<Formula, Diagnostic> {
        read_formula(&Source::new("formula", text), 0..text.len(), &names())
    }

    fn write(formula: Formula) -> String {
        let mut builder = crate::grammar::GrammarBuilder::new();
        let start = builder.nonterminal(crate::grammar::Name::base("s"));
        let rule = builder.rule(start, []);
        let grammar = builder.finish(start);
        let mut tree = crate::tree::TreeBuilder::new();
        let root = tree.node(rule, &[]);
        let tree = tree.finish(root);
        let pattern = super::super::Pattern::from_tree(&grammar, &tree, tree.root(), |_, _| None);
        let patterns =
            names().into_iter().map(|name| NamedPattern { name, pattern: pattern.clone() }).collect();
        Expression { start, patterns, formula }.formula_text()
    }

    fn formula() -> impl Strategy<Value = Formula> {
        let leaf = prop_oneof![
            (0usize..4).prop_map(|index| Formula::Contains(PatternId::new(index))),
            any::<bool>().prop_map(Formula::Constant),
        ];
        leaf.prop_recursive(5, 24, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Operator::And.join(a, b)),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Operator::Or.join(a, b)),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Operator::Xor.join(a, b)),
                (inner.clone(), inner).prop_map(|(a, b)| Operator::Implies.join(a, b)),
            ]
        })
    }

    #[test]
    fn both_notations_mean_the_same() {
        for (one, other) in [
            ("A & !B", "and(A,neg(B))"),
            ("A | B & C", "or(A, and(B, C))"),
            ("!(A & B & C)", "neg(and(A,B,C))"),
            ("A and not B or C xor 1", "A & !B | (C ^ 1)"),
            ("A -> B -> C", "implies(A, implies(B, C))"),
            ("A && B || C", "or(and(A,B),C)"),
        ] {
            assert_eq!(read(one), read(other), "{one} and {other}");
        }
    }

    #[test]
    fn what_is_no_formula_is_refused_with_its_place() {
        let errors: Vec<String> = ["", "A &", "A B", "(A", "A & (B | D)", "and(A,", "A % B", "and", "A & a"]
            .into_iter()
            .map(|text| read(text).unwrap_err().to_string())
            .collect();
        insta::assert_snapshot!(errors.join("\n\n"));
        assert!(read(&"(".repeat(100_000)).is_err());
        assert!(read(&"!".repeat(100_001)).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_with_the_same_meaning(formula in formula()) {
            let text = write(formula.clone());
            let back = read(&text).unwrap();
            for bits in 0u8..16 {
                let occurs = |pattern: PatternId| bits >> pattern.index() & 1 == 1;
                prop_assert_eq!(formula.holds(&occurs), back.holds(&occurs), "{}", text);
            }
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[AB1()!&|^, \\->a-z%é]{0,40}") {
            let _ = read(&text);
        }
    }
}
