//! Texts that may be no grammars at all: reading them ends with a grammar, which can be written and read again, or with errors.

use proptest::prelude::*;

use super::{ARITHMETIC, JSON, LEXER, STATEMENTS, read_all};
use crate::base::diagnostic::{Diagnostics, Source};
use crate::grammar::{ebnf, numbering, sample};

/// Reading, and writing what was read, without a panic.
fn try_reading(text: &str) -> Result<(), TestCaseError> {
    match read_all(text, &[]) {
        Ok(read) => {
            let _ = Diagnostics(read.warnings).to_string();
            let written = ebnf::write(&read.grammar);
            match ebnf::read(&Source::new("g.ebnf", written.as_str())) {
                Ok(again) => {
                    prop_assert!(numbering::same(&again.grammar, &read.grammar), "{}\n{}", text, written);
                }
                Err(errors) => return Err(TestCaseError::fail(format!("{text}\n{written}\n{errors}"))),
            }
        }
        Err(errors) => prop_assert!(!errors.0.is_empty() && !errors.to_string().is_empty()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_makes_the_reader_panic(text: String) {
        try_reading(&text)?;
        try_reading(&format!("grammar G; s : {text}"))?;
        try_reading(&format!("grammar G; s : A ; A : {text}"))?;
    }

    #[test]
    fn no_mixture_of_the_notation_makes_the_reader_panic(text in sample::fragments(&FRAGMENTS)) {
        try_reading(&text)?;
        try_reading(&format!("grammar G; s : A | 'x' ; A : 'a'+ ; B : 'b' -> skip ; {text} ;"))?;
    }

    #[test]
    fn no_damage_to_a_grammar_makes_the_reader_panic(
        which in 0usize..4,
        damage in sample::damage(),
    ) {
        try_reading(&damage.of([JSON, ARITHMETIC, STATEMENTS, LEXER][which]))?;
    }
}

const FRAGMENTS: [&str; 46] = [
    "grammar G;",
    "lexer ",
    "parser ",
    "s : ",
    "t : ",
    "A : ",
    "fragment F : ",
    "s ",
    "t ",
    "A ",
    "F ",
    "EOF ",
    ";",
    ";",
    "|",
    "'x'",
    "'y' ",
    "'a'..'z'",
    "'",
    "\\",
    "\\p{L}",
    "[a-z]",
    "[a]",
    "[",
    "]",
    "~",
    "~(",
    "(",
    ")",
    "*",
    "+",
    "?",
    ".",
    ".*? ",
    "-> skip",
    "-> mode(X)",
    "{",
    "}",
    "{ f(); }",
    "{x}?",
    "<assoc=right>",
    "# l ",
    "options { caseInsensitive = true; } ",
    "tokens { X } ",
    "mode M;",
    "\n",
];
