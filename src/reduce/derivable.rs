//! What fails and is no input of the grammar.
//!
//! An edit of a derivation tree leads to a derivation tree, but where a grammar has tokens, words may run into one another in its text: without the space
//! between them `for` and `Metre` are one word. A program may take that for what it takes, and fail with it as before, but nobody could go on from
//! it: there is no tree of it. Such a candidate is taken for one that does not fail.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::oracle::{Halt, Judge};

use super::{DerivesFn, Syntax};

/// Which candidates are inputs of the grammar. Copies of a reduction that look ahead meet those that were accepted again, so what is known is kept.
pub(super) struct Derivable<'g> {
    derives: &'g DerivesFn<'g>,
    known: Mutex<HashMap<[u8; 32], bool>>,
}

impl<'g> Derivable<'g> {
    pub(super) fn new(syntax: Syntax<'g>) -> Self {
        Self { derives: syntax.derives, known: Mutex::default() }
    }

    /// The same for texts of derivation trees, which are all inputs of a grammar without tokens.
    pub(super) fn of_trees(syntax: Syntax<'g>) -> Option<Self> {
        syntax.grammar.has_tokens().then(|| Self::new(syntax))
    }

    /// Whether a text fails and is an input of the grammar.
    pub(super) fn fails(&self, text: &[u8], judge: &mut Judge<'_>) -> Result<bool, Halt> {
        Ok(judge.fails(text)? && self.derives(text)?)
    }

    fn derives(&self, text: &[u8]) -> Result<bool, Halt> {
        let digest = *blake3::hash(text).as_bytes();
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&derives) = known().get(&digest) {
            return Ok(derives);
        }
        let derives = (self.derives)(text)?;
        known().insert(digest, derives);
        Ok(derives)
    }
}

#[cfg(test)]
mod tests {
    use super::super::REDUCERS;
    use super::super::sample::{failing_oracle, reduce};
    use crate::base::diagnostic::Source;
    use crate::grammar::format;
    use crate::parse::Parser;

    /// Words that run into one another without what may stand between them, and quoted texts that begin wherever there is a quotation mark.
    const WORDS: &str = r#"@start <item>
        @skip <space>
        <item>  ::= "pub"? <name> ("for" <name>)? "{" (<item> | <text> ";")* "}"
        <space> ::= [ \n]+
        @token(except: <keyword>) <name> ::= [A-Za-z] [A-Za-z0-9]*
        @token <text> ::= "'" [^']* "'"
        <keyword> ::= "pub" | "for"
    "#;

    #[test]
    fn what_comes_of_reducing_is_an_input_of_the_grammar() {
        let grammar = format::read(&Source::new("items.ebnf", WORDS), None).unwrap().grammar;
        let grammar = std::sync::Arc::new(grammar);
        let parser = Parser::new(std::sync::Arc::clone(&grammar));
        let text = b"Unit for Metre { pub factor for Metre { 'a'; 'b c'; } pub name { 'for'; 'pub d'; } }";
        let tree = parser.first_tree(text).unwrap().unwrap();
        // The program makes sense of nearly anything.
        let has = |text: &[u8], part: &[u8]| text.windows(part.len()).any(|window| window == part);
        for wanted in [&b"forM"[..], b"pub", b"'{'", b"}'"] {
            let fails = |candidate: &[u8]| {
                candidate == text
                    || has(candidate, wanted)
                    || (has(candidate, b"for") && has(candidate, b"pub"))
            };
            let oracle = failing_oracle(&fails);
            for name in REDUCERS.names().filter(|name| !["passes", "example"].contains(name)) {
                let reduced = reduce(name, &grammar, &tree, &oracle);
                let shown = String::from_utf8_lossy(&reduced.text);
                assert!(parser.recognizes(&reduced.text).unwrap(), "{name}: {shown}");
                assert!(reduced.text.len() < text.len(), "{name}: {shown}");
            }
        }
    }
}
