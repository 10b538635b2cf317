//! What work on an expression counts as, written down.
//!
//! Limits on steps decide which tasks of a campaign have a result, so a change of what something counts as is a
//! change of results.

use std::fmt::Write;
use std::sync::Arc;

use crate::automaton::count::{CountError, exact_counts};
use crate::automaton::describe::Describer;
use crate::automaton::dot;
use crate::automaton::minimize::Partition;
use crate::automaton::{Automaton, StateId};
use crate::base::diagnostic::Source;
use crate::base::limits::{Exceeded, Limits, Meter};
use crate::grammar::{Grammar, format};
use crate::pattern::{Expression, read_expression};

use super::{AutomatonTransformer, SymbolicTransformer, Transformer};

/// Grammars with expressions: of names, classes and literals; of long rules; of many occurrences; of ambiguity.
const SAMPLES: [(&str, &str, &str); 5] = [
    (
        "the papers' example",
        include_str!("../../grammars/json.ebnf"),
        r#"<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null""#,
    ),
    (
        "characters of classes",
        "<s> ::= <w> | <s> \",\" <w>\n<w> ::= [a-z] | [a-z] <w>",
        r#"<s A & !B | C> where <w A> is "x<w>", <w B> is "y", <w C> is "zz""#,
    ),
    (
        "a long rule",
        "<line> ::= <x> <x> <x> <x> <x> <x> <x> <x> | <x> <x> <x> <x> <x> <x> <x> <x> \"!\"\n\
         <x> ::= <y> <y>\n<y> ::= \"a\" | \"b\" | \"c\" | \"d\"",
        r#"<line A & B & C> where <y A> is "a", <y B> is "b", <y C> is "c""#,
    ),
    (
        "numbers and places",
        "<s> ::= <a> | <a> <s>\n<a> ::= \"x\" | \"y\" | \"(\" <s> \")\"",
        r#"<s at least 3 A & A inside B> where <a A> is "x", <a B> is "(<s>)""#,
    ),
    (
        "an ambiguous grammar",
        "<e> ::= <e> \"+\" <e> | <n>\n<n> ::= [0-9] | <n> [0-9]",
        r#"<e A & !B> where <e A> is "<e>+1", <n B> is "<n>0""#,
    ),
];

fn read(grammar: &str, expression: &str) -> (Arc<Grammar>, Arc<Expression>) {
    let source = Source::new("grammar.ebnf", grammar);
    let grammar = Arc::new(format::read(&source, None).expect("a grammar").grammar);
    let expression =
        read_expression(&Source::new("expression", expression), &grammar).expect("an expression");
    (grammar, Arc::new(expression))
}

/// The fewest steps with which each piece of work on an expression ends that takes a meter.
fn steps(grammar: &Arc<Grammar>, expression: &Arc<Expression>) -> Vec<(&'static str, u64)> {
    let make = |meter: &mut Meter| Automaton::new(Arc::clone(grammar), Arc::clone(expression), meter);
    let automaton = make(&mut Meter::default()).expect("a small automaton");
    let all: Vec<StateId> = automaton.reachable(expression.start).to_vec();
    let accepted: Vec<StateId> = all.iter().copied().filter(|&state| automaton.accepts(state)).collect();
    let metered = |work: &dyn Fn(&mut Meter) -> Result<(), Exceeded>| {
        Limits::fewest_steps(|limits| work(&mut limits.meter()).is_ok())
    };
    let count = |longest| {
        Limits::fewest_steps(|limits| {
            match exact_counts(grammar, grammar.start(), longest, &mut limits.meter()) {
                Ok(_) => true,
                Err(CountError::Exceeded(_)) => false,
                Err(error) => panic!("{error}"),
            }
        })
    };
    vec![
        ("explore", metered(&|meter| make(meter).map(drop))),
        ("minimize", metered(&|meter| Partition::new(&automaton, meter).map(drop))),
        (
            "describe",
            metered(&|meter| {
                let describer = Describer::new(&automaton, meter)?;
                describer.condition(expression.start, &accepted, meter)?;
                describer.condition(expression.start, &all[..1], meter).map(drop)
            }),
        ),
        (
            "draw",
            metered(&|meter| dot::graph(&automaton, |_| String::new(), |_| String::new(), meter).map(drop)),
        ),
        ("count 10", count(10)),
        ("count 100", count(100)),
        (
            "automaton",
            Limits::fewest_steps(|limits| {
                AutomatonTransformer::within(limits.clone()).specialize(grammar, expression).is_ok()
            }),
        ),
        (
            "automaton, no end shared",
            Limits::fewest_steps(|limits| {
                let transformer = AutomatonTransformer { limits: limits.clone(), most_boxes: usize::MAX };
                transformer.specialize(grammar, expression).is_ok()
            }),
        ),
    ]
}

#[test]
fn work_counts_as_so_many_steps() {
    let mut text = String::new();
    for (name, grammar, expression) in SAMPLES {
        let (grammar, expression) = read(grammar, expression);
        writeln!(text, "{name}").expect("it is text");
        let mut steps = steps(&grammar, &expression);
        // The symbolic transformer knows names only.
        let symbolic = |limits: &Limits| {
            SymbolicTransformer::within(limits.clone()).specialize(&grammar, &expression).is_ok()
        };
        if symbolic(&Limits::default()) {
            steps.push(("symbolic", Limits::fewest_steps(symbolic)));
        }
        for (work, steps) in steps {
            writeln!(text, "    {work}: {steps}").expect("it is text");
        }
    }
    insta::assert_snapshot!(text);
}
