//! Patterns as text: `"\"\": <elt>"`.
//!
//! Concrete terminals stand for themselves, open nodes are placeholders: `<elt>` for an abstract
//! node, `<$elt:1>` for a bound one. A `<` of the text itself is written `\<`.

use crate::grammar::Grammar;

use super::model::{Pattern, PatternNode};

impl Pattern {
    /// The text of the pattern without quotes, as a person reads it: `((<expr>))`.
    pub fn plain(&self, grammar: &Grammar) -> String {
        self.write(grammar, |bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The text of the pattern as a quoted string.
    pub fn quoted(&self, grammar: &Grammar) -> String {
        format!("\"{}\"", self.write(grammar, escape))
    }

    /// The text in quotes, and which of its trees the pattern is when it is not the first:
    /// `"aab" choice 2`. It reads back, unless there are too many trees to choose from.
    pub fn text(&self, grammar: &Grammar) -> String {
        let quoted = self.quoted(grammar);
        match self.choice(grammar) {
            None | Some(1) => quoted,
            Some(choice) => format!("{quoted} choice {choice}"),
        }
    }

    /// The pattern as a statement: `<item> is "\"\": <elt>"`.
    pub fn statement(&self, grammar: &Grammar) -> String {
        format!("{} is {}", grammar.name(self.characteristic()), self.text(grammar))
    }

    fn write(&self, grammar: &Grammar, literal: impl Fn(&[u8]) -> String) -> String {
        let mut text = String::new();
        for node in self.preorder() {
            match self.node(node) {
                PatternNode::Rule(..) => {}
                PatternNode::Literal(id) => text.push_str(&literal(grammar.literal(*id))),
                PatternNode::Char(c) => text.push_str(&literal(c.encode_utf8(&mut [0; 4]).as_bytes())),
                PatternNode::Abstract(nonterminal) => text.push_str(&grammar.name(*nonterminal).to_string()),
                PatternNode::Bound(nonterminal, number) => {
                    text.push_str(&format!("<${}:{number}>", grammar.name(*nonterminal).text()));
                }
            }
        }
        text
    }
}

/// Bytes as they stand between the quotes of a pattern's text.
fn escape(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '<' => text.push_str("\\<"),
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                '\r' => text.push_str("\\r"),
                c if c.is_control() => text.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}
