//! Tests of both JSON forms.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::base::diagnostic::{Diagnostics, Source};

use super::super::format::{self, Format};
use super::super::model::Grammar;
use super::super::{ebnf, numbering, sample};
use super::{Piece, pieces, read, write};

const FORMS: [Format; 2] = [Format::Fuzzingbook, Format::Canonical];

fn source(text: &str) -> Arc<Source> {
    Source::new("g.json", text)
}

fn grammar(text: &str) -> Grammar {
    read(&source(text), None, None).unwrap_or_else(|errors| panic!("{errors}")).grammar
}

/// The grammar of a text in this form that should be right.
fn again(text: &str, form: Format) -> Result<Grammar, TestCaseError> {
    match format::read(&source(text), Some(form)) {
        Ok(read) => Ok(read.grammar),
        Err(errors) => Err(TestCaseError::fail(format!("{text}\n{errors}"))),
    }
}

fn ebnf(text: &str) -> Grammar {
    ebnf::read(&source(text)).unwrap_or_else(|errors| panic!("{errors}")).grammar
}

#[test]
fn both_forms_say_the_same() {
    let plain = ebnf("<start> ::= \"a < b\" <x> | \"\"\n<x> ::= \"x\" <start> <x> | \"<\" <x>");
    assert_eq!(grammar(r#"{"<start>": ["a < b<x>", ""], "<x>": ["x<start><x>", "<<x>"]}"#), plain);
    assert_eq!(
        grammar(r#"{"<start>": [["a < b", "<x>"], []], "<x>": [["x", "<start>", "<x>"], ["<", "<x>"]]}"#),
        plain
    );
}

#[test]
fn the_only_rule_of_a_name_may_stand_without_a_list() {
    let plain = ebnf("<start> ::= <d> \" + \" <d> <d> ::= \"1\" <e f> ::= \"\"");
    let mixed = r#"{"<start>": "<d> + <d>", "<d>": [["1"]], "<e f>": ""}"#;
    assert!(numbering::same(&grammar(mixed), &plain));
    // Rules that are strings are the fuzzing book's, where names have no spaces.
    assert!(read(&source(r#"{"<start>": "<e f>", "<e f>": "x"}"#), None, None).is_err());
    assert_eq!(grammar(r#"{"<start>": "1"}"#), grammar(r#"{"<start>": ["1"]}"#));
    assert_eq!(grammar(r#"{"<start>": ""}"#), grammar(r#"{"<start>": [[]]}"#));
}

#[test]
fn the_envelope_names_the_start_symbol() {
    let text = r#"{"[start]": "<b E>", "[grammar]": {"<a>": [["x", "", "y"]], "<b E>": [["<a>"]]}}"#;
    let plain = ebnf("@start <b E> <a> ::= \"x\" \"y\" <b E> ::= <a>");
    assert_eq!(grammar(text), plain);
}

#[test]
fn a_rule_is_cut_at_its_names() {
    let cut =
        |text: &str| pieces(text).into_iter().map(|(piece, _)| format!("{piece:?}")).collect::<Vec<_>>();
    assert_eq!(cut("a<b>c"), [r#"Text("a")"#, r#"Name("b")"#, r#"Text("c")"#]);
    assert_eq!(cut("<<b>>"), [r#"Text("<")"#, r#"Name("b")"#, r#"Text(">")"#]);
    assert_eq!(cut("1 < 2 > <"), [r#"Text("1 < 2 > <")"#]);
    assert_eq!(cut("<><a><"), [r#"Name("")"#, r#"Name("a")"#, r#"Text("<")"#]);
    assert_eq!(pieces("é<b>")[1], (Piece::Name("b"), 2..5));
}

/// What is wrong with each of these texts, one after the other.
fn report(cases: &[(&str, &str)]) -> String {
    let mut report = String::new();
    for (title, text) in cases {
        let found = match read(&source(text), None, None) {
            Ok(read) if read.warnings.is_empty() => "nothing is wrong".to_owned(),
            Ok(read) => Diagnostics(read.warnings).to_string(),
            Err(errors) => errors.to_string(),
        };
        report += &format!("== {title}\n{found}\n\n");
    }
    report
}

#[test]
fn mistakes_in_the_json_are_shown() {
    let found = report(&[
        ("nothing", ""),
        ("no comma", "{\"<start>\": [\"x\" \"y\"]}"),
        ("a comma too much", "{\"<start>\": [\"x\", ]}"),
        ("single quotes", "{'<start>': ['x']}"),
        ("a comment", "{\"<start>\": [\"x\"]} # start"),
        ("a string without an end", "{\"<start>\": [\"x\n]}"),
        ("an escape that is none", "{\"<start>\": [\"\\x41\"]}"),
        ("half a character", "{\"<start>\": [\"\\ud83d\"]}"),
        ("a control character", "{\"<start>\": [\"\t\"]}"),
        ("a word", "{\"<start>\": [x]}"),
        ("no key", "{[\"x\"]}"),
        ("lists in lists", &"[".repeat(65)),
    ]);
    insta::assert_snapshot!(found);
}

#[test]
fn mistakes_in_what_the_json_means_are_shown() {
    let found = report(&[
        ("a list", "[\"<start>\"]"),
        ("no definition", "{}"),
        ("no start symbol", "{\"<s>\": [\"x\"]}"),
        ("an undefined start symbol", "{\"[start]\": \"<itm>\", \"[grammar]\": {\"<item>\": [\"x\"]}}"),
        ("no rules in the envelope", "{\"[start]\": \"<s>\", \"<s>\": [\"x\"]}"),
        ("an envelope of other things", "{\"[start]\": 1, \"[grammar]\": []}"),
        ("a name without brackets", "{\"start\": [\"<item>\"], \"<item>\": [\"x\"]}"),
        ("a name with a space", "{\"<start>\": [\"<a>\"], \"<a b>\": [\"x\"]}"),
        ("a name with a quote", "{\"<start>\": [[\"<\\\"a>\"]]}"),
        (
            "an undefined name",
            "{\n  \"<start>\": [\n    \"\\n\\u00e9 <strin>: <oth>\"\n  ],\n  \"<string>\": [\"<oth>\"]\n}",
        ),
        ("an undefined name in a list", "{\"<start>\": [[\"x\", \"<strt>\"]]}"),
        ("two definitions", "{\"<start>\": [\"x\"],\n \"<start>\": [\"y\"]}"),
        ("no list", "{\"<start>\": 1}"),
        ("options", "{\"<start>\": [[\"x\", {\"prob\": 0.1}], \"y\"]}"),
        ("both forms", "{\"<start>\": [[\"x\"], \"y\"]}"),
        ("a number for a rule", "{\"<start>\": [1, \"x\"]}"),
        ("a number for a symbol", "{\"<start>\": [[1]]}"),
        ("not used", "{\"<start>\": [\"x\"], \"<a>\": [\"x\"]}"),
    ]);
    insta::assert_snapshot!(found);
}

#[test]
fn a_grammar_is_written_in_lines_that_can_be_read() {
    let grammar = ebnf(
        "@start <json E> <json E> ::= <elt>* | \"<b>\" <elt> <tag E & !N>
         <elt> ::= '\"' <char> '\"' | \"{\" <json E> \"}\" | \"[\" <json E> \",\" <json E> \"]\"
             | \"true\" | \"false\" | \"null\" | \"\"
         <char> ::= [a-e<] <tag E & !N> ::= \"<i>\" | \"< i>\"",
    );
    let written =
        |form, envelope| write(&grammar, form, envelope).unwrap_or_else(|errors| panic!("{errors}"));
    let page = [(Format::Fuzzingbook, false), (Format::Fuzzingbook, true), (Format::Canonical, true)]
        .map(|(form, envelope)| written(form, envelope))
        .concat();
    insta::assert_snapshot!(page);
}

#[test]
fn what_json_cannot_express_is_shown() {
    let errors =
        |text: &str| write(&ebnf(text), Format::Fuzzingbook, false).expect_err("inexpressible").to_string();
    let found = [
        errors("<s> ::= <char> \"\\xff\"\n<char> ::= [^\"]"),
        errors("@start <s> <s> ::= <start> <start> ::= \"x\""),
    ]
    .join("\n\n");
    insta::assert_snapshot!(found);
}

/// JSON grammars, mostly right, in either form and with or without the envelope.
fn json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => select(vec!["<start>", "<a>", "<b-c>", "<é>"]).prop_map(str::to_owned),
        2 => select(vec!["x", "<", ">", "< ", " ", "\"", "\\", "\n", "<1", "é", ""]).prop_map(str::to_owned),
        1 => "[a-z<> ]{0,3}",
    ];
    (vec(vec(vec(piece, 0..4), 0..4), 4), any::<bool>(), any::<bool>()).prop_map(
        |(bodies, lists, envelope)| {
            let names = ["<start>", "<a>", "<b-c>", "<é>"];
            let rules: serde_json::Map<String, serde_json::Value> = names
                .iter()
                .zip(bodies)
                .map(|(name, body)| {
                    let rule = |rule: Vec<String>| {
                        if lists { serde_json::Value::from(rule) } else { rule.concat().into() }
                    };
                    ((*name).to_owned(), body.into_iter().map(rule).collect())
                })
                .collect();
            if envelope {
                serde_json::json!({"[start]": "<a>", "[grammar]": rules}).to_string()
            } else {
                serde_json::Value::Object(rules).to_string()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn what_was_read_is_written_and_read_back_equal(text in json()) {
        let lists = text.contains("[[");
        let form = if lists { Format::Canonical } else { Format::Fuzzingbook };
        if let Ok(first) = read(&source(&text), Some(form), None) {
            let envelope = text.contains("[start]");
            let written = write(&first.grammar, form, envelope).expect("it came from JSON");
            prop_assert_eq!(&again(&written, form)?, &first.grammar, "{}", written);
            let notation = ebnf::write(&first.grammar);
            prop_assert_eq!(&again(&notation, Format::Ebnf)?, &first.grammar, "{}", notation);
        }
    }

    #[test]
    fn what_is_written_reads_back_and_is_then_written_alike(grammar in sample::grammar(), envelope: bool) {
        for form in FORMS {
            if let Ok(written) = write(&grammar, form, envelope) {
                let second = again(&written, form)?;
                let twice = write(&second, form, envelope).expect("it came from JSON");
                prop_assert_eq!(&twice, &written);
                prop_assert!(numbering::same(&again(&twice, form)?, &second));
            }
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text: String) {
        let _ = read(&source(&text), None, None).map_err(|errors| errors.to_string());
    }

    #[test]
    fn no_mixture_of_the_notation_makes_the_reader_panic(text in sample::fragments(&FRAGMENTS)) {
        for form in [None, Some(Format::Fuzzingbook), Some(Format::Canonical)] {
            if let Err(errors) = read(&source(&text), form, None) {
                prop_assert!(!errors.0.is_empty() && !errors.to_string().is_empty());
            }
        }
    }

    #[test]
    fn no_damage_to_a_grammar_makes_the_reader_panic(text in json(), damage in sample::damage()) {
        let _ = read(&source(&damage.of(&text)), None, None).map_err(|errors| errors.to_string());
    }
}

const FRAGMENTS: [&str; 22] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\"<start>\": [",
    "\"<a>\": [[",
    "\"[start]\": ",
    "\"[grammar]\": {",
    "\"x\"",
    "\"<a>\"",
    "\"a<start>b\"",
    "\"<a> <start><\"",
    "\"\\ud800\"",
    "\\u",
    "1",
    "null",
    "\n",
    "é",
];
