//! Subjects that are small functions of this program: the examples of the papers.
//!
//! One file per subject. A table gives each function the name of its bug. The functions read their
//! inputs by themselves and know nothing of grammars: they are the ground truth that grammars are
//! compared with. An input that makes no sense to its function is unresolved.

mod arithmetic;
mod calc;
mod calculator;
mod expr;
mod heartbleed;
mod html;
mod json;
mod numbers;
mod rational;
mod triples;

use crate::oracle::{Judgement, Oracle, OracleError, Verdict};

/// Judges an input. Its evidence is the same at every run.
pub type Function = fn(&[u8]) -> Judgement;

/// The names of all builtin bugs and their functions, by name.
const TABLE: &[(&str, Function)] = &[
    ("calculator", calculator::calculator),
    ("expr-division-by-zero", calc::division_by_zero),
    ("expr-double-paren", expr::double_paren),
    ("expr-zero-divisor", calc::zero_divisor),
    ("heartbleed", heartbleed::heartbleed),
    ("html-markup", html::markup),
    ("json-check", json::check),
    ("middle", triples::middle),
    ("square-root", numbers::square_root),
];

/// The judgement on an input that a function could read: whether it brings the bug about, and what
/// shows it then.
fn judged(fails: bool, evidence: &str) -> Judgement {
    if fails { Judgement::new(Verdict::Fail, evidence) } else { Judgement::new(Verdict::Pass, "ok") }
}

/// The judgement on an input that a function could not read.
fn unreadable() -> Judgement {
    Judgement::new(Verdict::Unresolved, "cannot be read")
}

/// An oracle that is a function.
#[derive(Clone, Copy, Debug)]
pub struct Builtin(pub Function);

impl Builtin {
    /// The oracle of the builtin bug called `bug`.
    pub fn named(bug: &str) -> Option<Self> {
        TABLE.iter().find(|&&(name, _)| name == bug).map(|&(_, function)| Self(function))
    }

    /// The names of all builtin bugs.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|&(name, _)| name)
    }
}

impl Oracle for Builtin {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        Ok((self.0)(input))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Inputs of one bug, those with each verdict.
    #[track_caller]
    fn check(bug: &str, fail: &[&str], pass: &[&str], unresolved: &[&str]) {
        let oracle = Builtin::named(bug).unwrap();
        let of_verdict = [(Verdict::Fail, fail), (Verdict::Pass, pass), (Verdict::Unresolved, unresolved)];
        for (verdict, inputs) in of_verdict {
            for input in inputs {
                assert_eq!(oracle.judge(input.as_bytes()).unwrap().verdict, verdict, "{bug}: {input}");
            }
        }
    }

    #[test]
    fn an_expression_fails_when_it_stands_in_two_pairs_of_parentheses() {
        check(
            "expr-double-paren",
            &["1 + ((2 * 3 / 4))", "((4))", "(((1)))", "(1) + ((2) + 3) * (((1) + (2)))", "((-1.5))"],
            &["1", "(1)", "((1) + (2))", "((1) + 2)", "(1 + (2))", "(-(1))", "-(+(1)) + (2)"],
            &["", "(", "((1)", "((1)))", "1 +", "1 2", "()", "(())", "x", "1.", "\u{e9}"],
        );
    }

    #[test]
    fn an_expression_fails_when_its_text_divides_by_zero_before_a_parenthesis() {
        check(
            "expr-zero-divisor",
            &["1+((2*3)/0)", "(1/0)", "((1+2/0))"],
            &["1/0", "(1/(0))", "(0/1)", "(1/00)", "(1/0.0)", "(1/0*2)", "(1/0+1)"],
            &["(1/0", "/0)", "1+((2*3)/0))"],
        );
    }

    #[test]
    fn an_expression_fails_when_a_divisor_is_exactly_zero() {
        check(
            "expr-division-by-zero",
            &[
                "1+((2*3)/0)",
                "2/0",
                "1/(2-2)",
                "1/(1/3-2/6)",
                "1/(0.1+0.2-0.3)",
                "1/0*0",
                "8/4/(2-4/2)",
                "1/-0",
            ],
            &[
                "0",
                "0/1",
                "1/(1/3-0.333333333333333333333333)",
                "1/(100000000000000000000-99999999999999999999)",
                "1-1/2",
            ],
            &["1/", "", "1/0)", "/0"],
        );
    }

    #[test]
    fn markup_fails_when_a_quote_opens_outside_of_a_tag() {
        check(
            "html-markup",
            &["<foo>\"bar</foo>", "\"<b>", ">\">"],
            &[
                "",
                "Be <em>quiet</em>, he said",
                "<a b=\"'\">x</a>",
                "<b>\"\"</b>",
                "<a b='\"'>\"bar</a>",
                "'<b>'",
            ],
            &[],
        );
    }

    #[test]
    fn a_square_root_of_a_negative_number_fails() {
        check(
            "square-root",
            &["-1", "-100000000000000000000000"],
            &["0", "-0", "-000", "7"],
            &["", "-", "1x", "--1"],
        );
    }

    #[test]
    fn a_calculation_fails_when_it_is_the_square_root_of_a_negative_number() {
        check(
            "calculator",
            &["sqrt(-900.5)", "sqrt(-1)", "sqrt(-0.0001)", "sqrt(-100000000000000000000000)"],
            &["sqrt(16)", "cos(-900.5)", "sin(-1)", "tan(-2.5)", "sqrt(-0)", "sqrt(-0.00)", "sqrt(0)"],
            &[
                "",
                "sqrt",
                "sqrt(",
                "sqrt(-)",
                "sqrt(-1",
                "sqrt(--1)",
                "sqrt(-1.)",
                "sqrt(-.5)",
                "log(-1)",
                "sqrt(-1.2.3)",
            ],
        );
    }

    #[test]
    fn a_heartbeat_fails_when_its_length_is_beyond_its_payload() {
        check(
            "heartbleed",
            &["500:hat", "4:hat", "1:", "99999999999999999999999:a", "3:é"],
            &["3:hat", "0:", "0:hat", "2:é", "3:a:b", "000:"],
            &["", "hat", ":hat", "-1:hat", "x:hat", "1"],
        );
    }

    #[test]
    fn the_middle_is_wrong_when_the_first_lies_between_the_others() {
        check(
            "middle",
            &["2, 1, 3", "5, -7, 10", "0,-1,1", "2, 1, 10000000000000000000000"],
            &["1, 2, 3", "3, 2, 1", "2, 3, 1", "1, 3, 2", "3, 1, 2", "1, 1, 1", "2, 1, 2", "-0, 0, 0"],
            &["1, 2", "1, 2, 3, 4", "a, b, c", ""],
        );
    }

    #[test]
    fn a_document_fails_with_an_empty_key_and_without_a_null_item() {
        check(
            "json-check",
            &[
                "{\"\": 123}",
                "[1, {\"a\": {\"\": \"\"}}]",
                "{\"\": 1, \"b\": [null]}",
                " { \"\" : [ ] } ",
                "[null, {\"\": 0}]",
            ],
            &[
                "{}",
                "{\"a\": 1}",
                "{\"\": null}",
                "[{\"\": 1}, {\"a\": null}]",
                "\"\"",
                "{\"a\": \"\"}",
                "{\"a\": {\"b\": null, \"\": 1}}",
            ],
            &[
                "",
                "{",
                "{\"\" 1}",
                "{\"\": 1,}",
                "[1 2]",
                "{1: 2}",
                "nul",
                "{}{}",
                "[}",
                "\"a",
                "{\"\"}",
                "[,1]",
                "{\"\": 1]",
            ],
        );
    }

    #[test]
    fn the_table_is_in_order_and_without_repetition() {
        assert!(TABLE.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(Builtin::named("double-paren").is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_judged(input in prop::collection::vec(prop::sample::select(b"()[]{}+-*/0.19,:\"' <>ntulx\xff".to_vec()), 0..40)) {
            for (_, function) in TABLE {
                prop_assert_eq!(function(&input), function(&input));
            }
        }
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let nested = |open: &str, inner: &str, close: &str| {
            [open.repeat(50_000).as_str(), inner, close.repeat(50_000).as_str()].concat()
        };
        check(
            "expr-double-paren",
            &[&nested("(", "1", ")")],
            &[&nested("(-", "1", ")")],
            &[&nested("(", "1", "")],
        );
        check("expr-division-by-zero", &[&nested("(", "1/0", ")")], &[&nested("(-", "1", ")")], &[]);
        check("json-check", &[&nested("[", "{\"\": 1}", "]")], &[&nested("{\"\": ", "null", "}")], &[]);
    }
}
