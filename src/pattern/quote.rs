//! Patterns as text: `"\"\": <elt>"`.
//!
//! Concrete terminals stand for themselves, open nodes are placeholders: `<elt>` for an abstract
//! node, `<$elt:1>` for a bound one, `<elt X>` for one with a condition. A `<` of the text itself is written `\<`.
//!
//! A gap between words, which may hold anything that the grammar skips, is written as nothing, or as a
//! separator where words would run together. Read back, any text between words stands for such a gap. A gap in which
//! just one thing may stand has that in quotes: `<" ">`, or `<"">` for nothing.
//!
//! Letters in either case stand behind `%i`, as in ABNF (RFC 7405): `%i"select" " <name>"`.

use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, Lexis};

use super::expression::{NamedPattern, PatternId};
use super::formula_text::{Place, formula_text};
use super::model::{Pattern, PatternNode, PatternNodeId};

impl Pattern {
    /// The text of the pattern without quotes, as a person reads it: `((<expr>))`.
    pub fn plain(&self, grammar: &Grammar) -> String {
        let literal = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let open = |node: &PatternNode| placeholder(grammar, node, &PatternId::to_string);
        // Gaps do not nest.
        self.write(grammar, literal, open, |gap| gap.plain(grammar))
    }

    /// The text of the pattern, which refers to no names, as a quoted string.
    pub fn quoted(&self, grammar: &Grammar) -> String {
        self.quoted_with(grammar, &PatternId::to_string)
    }

    fn quoted_with(&self, grammar: &Grammar, names: &dyn Fn(&PatternId) -> String) -> String {
        let open = |node: &PatternNode| placeholder(grammar, node, names);
        let gap = |gap: &Self| match gap.text_with(grammar, names) {
            text if text.starts_with('"') => format!("<{text}>"),
            text => format!("<\"\" {text}>"),
        };
        let mut runs: Vec<Run> = vec![Run::default()];
        for piece in self.pieces(grammar) {
            let either_case = piece.either_case();
            let text = piece.text(escape, |node| open(self.node(node)), gap);
            let last = runs.len() - 1;
            match (runs[last].either_case, either_case) {
                (Some(known), Some(new)) if known != new => runs.push(Run { either_case, text }),
                (known, new) => {
                    runs[last].either_case = known.or(new);
                    runs[last].text.push_str(&text);
                }
            }
        }
        let texts: Vec<String> = runs.iter().map(Run::quoted).collect();
        texts.join(" ")
    }

    /// The text in quotes, and which of its trees the pattern is when it is not the first:
    /// `"aab" choice 2`; and behind `if` the constraint. It reads back, unless there are too many trees to choose from.
    ///
    /// The pattern refers to no names; otherwise use [`Self::text_with`].
    pub fn text(&self, grammar: &Grammar) -> String {
        self.text_with(grammar, &PatternId::to_string)
    }

    /// As [`Self::text`], given what the names are called to which its conditions refer.
    pub fn text_with(&self, grammar: &Grammar, names: &dyn Fn(&PatternId) -> String) -> String {
        let quoted = self.quoted_with(grammar, names);
        let text = match self.choice(grammar) {
            None | Some(1) => quoted,
            Some(choice) => format!("{quoted} choice {choice}"),
        };
        match self.constraint() {
            None => text,
            Some(constraint) => format!("{text} if {constraint}"),
        }
    }

    /// The pattern as a statement: `<item> is "\"\": <elt>"`.
    pub fn statement(&self, grammar: &Grammar) -> String {
        format!("{} is {}", grammar.name(self.characteristic()), self.text(grammar))
    }

    fn write(
        &self,
        grammar: &Grammar,
        literal: impl Fn(&[u8]) -> String,
        open: impl Fn(&PatternNode) -> String,
        gap: impl Fn(&Self) -> String,
    ) -> String {
        let text = |piece: Piece| piece.text(&literal, |node| open(self.node(node)), &gap);
        self.pieces(grammar).into_iter().map(text).collect()
    }

    /// What its text is made of. Reading it back makes the same pieces.
    pub(super) fn pieces(&self, grammar: &Grammar) -> Vec<Piece> {
        let is_open_gap = |node| matches!(node, &PatternNode::Abstract(inner) if is_gap(grammar, inner));
        // Only gaps need it, and it takes time.
        let lexis = if self.nodes().iter().any(is_open_gap) { Lexis::new(grammar) } else { None };
        // What is no gap would be read as another word.
        let lexis = lexis.filter(Lexis::is_separator_skipped);
        let mut pieces = Vec::new();
        // What stands before the gap that was met last; `None` when there was none since.
        let mut before: Option<Edge> = None;
        let mut last = Edge::Nothing;
        let mut work = vec![self.root()];
        while let Some(node) = work.pop() {
            let (piece, edge) = match self.node(node) {
                PatternNode::Rule(rule, _)
                    if node != self.root() && is_gap(grammar, grammar.rule(*rule).lhs) =>
                {
                    (Piece::Gap(self.part(grammar, node)), Edge::Nothing)
                }
                PatternNode::Rule(_, children) => {
                    work.extend(children.iter().rev());
                    continue;
                }
                PatternNode::Abstract(inner) if node != self.root() && is_gap(grammar, *inner) => {
                    before = Some(last.clone());
                    continue;
                }
                PatternNode::Literal(id) => {
                    let bytes = grammar.literal(*id).to_vec();
                    (Piece::Literal(bytes.clone()), Edge::Text(bytes))
                }
                PatternNode::Char(c) => {
                    let bytes = c.to_string().into_bytes();
                    (Piece::Text(bytes.clone()), Edge::Text(bytes))
                }
                PatternNode::Letter(c) => (Piece::Letter(*c), Edge::Text(c.to_string().into_bytes())),
                // Not to be read back.
                PatternNode::AnyChar => (Piece::Text(b"<character>".to_vec()), Edge::Open),
                PatternNode::Abstract(_) | PatternNode::Bound(..) | PatternNode::Where(..) => {
                    (Piece::Open(node), Edge::Open)
                }
            };
            let gap = before.take();
            if let (Some(before), Some(lexis)) = (&gap, &lexis) {
                pieces.push(Piece::Literal(between(lexis, before, &edge).to_vec()));
            }
            pieces.push(piece);
            last = match (last, edge) {
                // Words may be made of terminals: what could run on is all of the word.
                (Edge::Text(mut word), Edge::Text(more)) if gap.is_none() => {
                    word.extend(more);
                    Edge::Text(word)
                }
                (_, edge) => edge,
            };
        }
        pieces
    }
}

/// A part of a pattern's text.
pub(super) enum Piece {
    /// A literal of the grammar, which is in the case in which it is, or what sets words apart.
    Literal(Vec<u8>),
    /// A character.
    Text(Vec<u8>),
    /// A letter in either case.
    Letter(char),
    /// An open node.
    Open(PatternNodeId),
    /// A gap in which not just anything may stand: what may is a pattern of its own.
    Gap(Pattern),
}

impl Piece {
    fn text(
        &self,
        literal: impl Fn(&[u8]) -> String,
        open: impl Fn(PatternNodeId) -> String,
        gap: impl Fn(&Pattern) -> String,
    ) -> String {
        match self {
            Self::Literal(bytes) | Self::Text(bytes) => literal(bytes),
            Self::Letter(c) => c.to_string(),
            Self::Open(node) => open(*node),
            Self::Gap(inner) => gap(inner),
        }
    }

    /// Whether letters are in either case here; `None` where it makes no difference.
    fn either_case(&self) -> Option<bool> {
        match self {
            Self::Letter(_) => Some(true),
            Self::Text(bytes) if bytes.iter().any(u8::is_ascii_alphabetic) => Some(false),
            Self::Literal(_) | Self::Text(_) | Self::Open(_) | Self::Gap(_) => None,
        }
    }
}

/// A part of a text in which letters are in either case, or in which they are not.
#[derive(Default)]
struct Run {
    either_case: Option<bool>,
    text: String,
}

impl Run {
    fn quoted(&self) -> String {
        let prefix = if self.either_case == Some(true) { "%i" } else { "" };
        format!("{prefix}\"{}\"", self.text)
    }
}

impl NamedPattern {
    /// The definitions of the name, one for each nonterminal: `<item E> is "\"\": <elt>" | "\"x\": <elt>"`.
    pub fn definitions(&self, grammar: &Grammar, names: &dyn Fn(&PatternId) -> String) -> Vec<String> {
        let mut definitions: Vec<(_, String)> = Vec::new();
        for pattern in &self.alternatives {
            let (nonterminal, text) = (pattern.characteristic(), pattern.text_with(grammar, names));
            match definitions.iter_mut().find(|(known, _)| *known == nonterminal) {
                Some((_, definition)) => definition.push_str(&format!(" | {text}")),
                None => {
                    let head = format!("<{} {}>", grammar.name(nonterminal).text(), self.name);
                    definitions.push((nonterminal, format!("{head} is {text}")));
                }
            }
        }
        definitions.into_iter().map(|(_, definition)| definition).collect()
    }
}

/// An open node: `<elt>`, `<$elt:1>`, `<elt X & !has Y>`.
pub(super) fn placeholder(
    grammar: &Grammar,
    node: &PatternNode,
    names: &dyn Fn(&PatternId) -> String,
) -> String {
    let name =
        node.open().map_or_else(String::new, |nonterminal| grammar.name(nonterminal).text().to_owned());
    let head = match node.number() {
        Some(number) => format!("${name}:{number}"),
        None => name,
    };
    let Some(condition) = node.condition() else { return format!("<{head}>") };
    let mut condition = formula_text(condition.formula(), Place::Node, &|id| names(&id));
    // The names of specialized nonterminals look like conditions.
    while grammar.find(&format!("{head} {condition}")).is_some() {
        condition = format!("({condition})");
    }
    format!("<{head} {condition}>")
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

#[cfg(test)]
mod tests {
    use crate::base::diagnostic::Source;
    use crate::grammar::format;
    use crate::parse::Parser;
    use std::sync::Arc;

    use super::super::model::Openness;
    use super::super::text::read_statement;
    use super::*;

    #[test]
    fn words_made_of_characters_are_kept_apart_from_the_next_one() {
        let text = r#"
            @skip <space>
            <start> ::= <name> <values> <name>
            @token <values> ::= [vV] [aA] [lL]
            @token <name> ::= [a-z] [a-z0-9]* | [0-9]+
            <space> ::= " "+"#;
        let grammar = format::read(&Source::new("grammar.ebnf", text), None).unwrap().grammar;
        let grammar = Arc::new(grammar);
        let parser = Parser::new(Arc::clone(&grammar));
        for input in ["t1 val x", "1 val 7", "1 VAL a1"] {
            let tree = parser.first_tree(input.as_bytes()).unwrap().unwrap();
            let pattern = Pattern::from_tree(&grammar, &tree, tree.root(), |_, nonterminal| {
                is_gap(&grammar, nonterminal).then_some(Openness::Abstract)
            });
            let text = pattern.statement(&grammar);
            let read = read_statement(&Source::new("pattern", text.clone()), 0..text.len(), &grammar);
            assert_eq!(read.unwrap(), pattern, "{text}");
        }
    }

    /// What is printed reads back where a lexer has words that no rule asks for, or takes a space for a word.
    #[test]
    fn words_are_set_apart_by_what_is_read_as_nothing() {
        for (first, parts) in [("<any>", "0 13"), ("<space> | <any>", "0_13")] {
            let text = format!(
                "@skip <gap>\n@lexer <word>\n<start> ::= <pair> <space>*\n<pair> ::= <number> <number>
                <gap> ::= <any>*\n<word> ::= {first} | <number> | <digits>\n@token <any> ::= [ _]
                @token <number> ::= \"0\" | [1-9] [0-9]*\n@token <digits> ::= [0-9]+\n@token <space> ::= [ ]"
            );
            let grammar = Arc::new(format::read(&Source::new("grammar.ebnf", text), None).unwrap().grammar);
            let tree = Parser::new(Arc::clone(&grammar)).first_tree(parts.as_bytes()).unwrap().unwrap();
            let number = grammar.find("number").unwrap();
            let pair = tree.children(tree.root())[0];
            // Two placeholders, which a space would not set apart in the second grammar.
            let pattern = Pattern::from_tree(&grammar, &tree, pair, |_, nonterminal| {
                (is_gap(&grammar, nonterminal) || nonterminal == number).then_some(Openness::Abstract)
            });
            let text = pattern.statement(&grammar);
            let read = read_statement(&Source::new("pattern", text.clone()), 0..text.len(), &grammar);
            assert_eq!(read.unwrap(), pattern, "{text}");
        }
    }
}
