//! What validating an input counts as, written down.
//!
//! Limits decide which inputs of a campaign have an answer, so a change of what something counts as is a change of
//! results.

use std::fmt::Write;
use std::sync::Arc;

use crate::base::diagnostic::Source;
use crate::base::limits::{Limits, fewest};
use crate::grammar::format;
use crate::parse::Parser;
use crate::pattern::read_expression;

use super::{AutomatonValidator, Survey, Validator};

/// Grammars with expressions and inputs: of long lists; of an ambiguous input; of equal texts.
const SAMPLES: [(&str, &str, &str, &str); 3] = [
    (
        "a document",
        include_str!("../../grammars/json.ebnf"),
        r#"<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null""#,
        r#"{"": [1, 22, 333], "a": {"": null, "b": "x"}, "c": true}"#,
    ),
    (
        "an ambiguous sum",
        "<e> ::= <e> \"+\" <e> | <n>\n<n> ::= [0-9] | <n> [0-9]",
        r#"<e A & !B> where <e A> is "<e>+1", <n B> is "<n>0""#,
        "1+20+3+1+4+1",
    ),
    (
        "equal texts",
        "<s> ::= <p> | <p> \",\" <s>\n<p> ::= <w> \"=\" <w>\n<w> ::= [a-c] | [a-c] <w>",
        r#"<s A & !B> where <p A> is "<$w:1>=<$w:1>", <s B> is "<$p:1>,<$p:1>""#,
        "a=b,ab=ab,c=a,cab=cab",
    ),
];

#[test]
fn validating_counts_as_so_many_steps() {
    let mut text = String::new();
    for (name, grammar, expression, input) in SAMPLES {
        let source = Source::new("grammar.ebnf", grammar);
        let grammar = Arc::new(format::read(&source, None).expect("a grammar").grammar);
        let expression = read_expression(&Source::new("expression", expression), &grammar);
        let expression = Arc::new(expression.expect("an expression"));
        let parser = Arc::new(Parser::new(grammar));
        let validate = |limits: &Limits| {
            let validator =
                AutomatonValidator::new(Arc::clone(&parser), Arc::clone(&expression), limits.clone());
            validator.is_ok_and(|validator| validator.validate(input.as_bytes()).is_ok())
        };
        let forest = parser.parse(input.as_bytes()).expect("an input");
        let survey = |limits: &Limits| Survey::new(&expression, &forest, usize::MAX, limits).is_ok();
        let findings =
            |limit: u64| Survey::new(&expression, &forest, limit as usize, &Limits::default()).is_ok();
        writeln!(text, "{name}").expect("it is text");
        writeln!(text, "    validate: {} steps", Limits::fewest_steps(validate)).expect("it is text");
        writeln!(text, "    survey: {} steps", Limits::fewest_steps(survey)).expect("it is text");
        writeln!(text, "    survey: {} findings beyond the first", fewest(findings)).expect("it is text");
    }
    insta::assert_snapshot!(text);
}
