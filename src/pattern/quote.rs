//! Patterns as text: `"\"\": <elt>"`.
//!
//! Concrete terminals stand for themselves, open nodes are placeholders: `<elt>` for an abstract
//! node, `<$elt:1>` for a bound one. A `<` of the text itself is written `\<`.
//!
//! A gap between words, which may hold anything that the grammar skips, is written as nothing, or as a
//! separator where words would run together. Read back, any text between words stands for such a gap.

use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, Lexis};

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
        let is_open_gap = |node| matches!(node, &PatternNode::Abstract(inner) if is_gap(grammar, inner));
        // Only gaps need it, and it takes time.
        let lexis = if self.nodes().iter().any(is_open_gap) { Lexis::new(grammar) } else { None };
        let mut text = String::new();
        // What stands before the gap that was met last; `None` when there was none since.
        let mut before: Option<Edge> = None;
        let mut last = Edge::Nothing;
        for node in self.preorder() {
            let (piece, edge) = match self.node(node) {
                PatternNode::Rule(..) => continue,
                PatternNode::Abstract(nonterminal) if is_gap(grammar, *nonterminal) => {
                    before = Some(last.clone());
                    continue;
                }
                PatternNode::Literal(id) => {
                    let bytes = grammar.literal(*id).to_vec();
                    (literal(&bytes), Edge::Text(bytes))
                }
                PatternNode::Char(c) => {
                    let bytes = c.to_string().into_bytes();
                    (literal(&bytes), Edge::Text(bytes))
                }
                PatternNode::Abstract(nonterminal) => (grammar.name(*nonterminal).to_string(), Edge::Open),
                PatternNode::Bound(nonterminal, number) => {
                    (format!("<${}:{number}>", grammar.name(*nonterminal).text()), Edge::Open)
                }
            };
            if let (Some(before), Some(lexis)) = (before.take(), &lexis) {
                text.push_str(&literal(between(lexis, &before, &edge)));
            }
            text.push_str(&piece);
            last = edge;
        }
        text
    }
}

/// What stands at one side of a gap.
#[derive(Clone)]
enum Edge {
    Nothing,
    /// A terminal.
    Text(Vec<u8>),
    /// A placeholder.
    Open,
}

/// What to write for a gap: placeholders are set apart from each other, and from words.
fn between<'l>(lexis: &'l Lexis, left: &Edge, right: &Edge) -> &'l [u8] {
    let word = |text: &[u8]| text.iter().any(|byte| byte.is_ascii_alphanumeric());
    let some = || lexis.separator(b"a", b"a");
    match (left, right) {
        (Edge::Text(left), Edge::Text(right)) => lexis.separator(left, right),
        (Edge::Text(text), Edge::Open) | (Edge::Open, Edge::Text(text)) if word(text) => some(),
        (Edge::Open, Edge::Open) => some(),
        _ => b"",
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
