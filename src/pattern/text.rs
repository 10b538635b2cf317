//! Reads patterns and expressions from text.
//!
//! A pattern's text, such as `"\"\": <elt>"`, is parsed with the grammar itself, from the pattern's
//! nonterminal: for this a placeholder becomes a token of its own, which the placeholder's nonterminal
//! derives. Where the grammar is ambiguous the first tree is taken, as for inputs.
//!
//! Whole expressions are read in the papers' notation:
//! `<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null"`. A part of the formula
//! can have a name of its own: `<json X | D> where X is E & !N, ..`.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::id::{Id, IdVec};
use crate::grammar::spelling::{Escape, escape};
use crate::grammar::{Grammar, GrammarBuilder, NonterminalId, RuleId, Symbol};
use crate::parse::{Expected, Parser, SyntaxError};

use super::expression::{Expression, Formula, NamedPattern, PatternId};
use super::formula_text::{RESERVED, is_name_character, read_with};
use super::model::{Openness, Pattern};

/// Reads one statement: `<item> is "\"\": <elt>"`.
///
/// # Errors
/// When it is no statement, names an unknown nonterminal, or its text is not of the grammar.
pub fn read_statement(
    source: &Arc<Source>,
    span: Range<usize>,
    grammar: &Grammar,
) -> Result<Pattern, Diagnostic> {
    let mut scanner = Scanner { source, at: span.start, end: span.end };
    let (head, head_span) = scanner.bracketed()?;
    let nonterminal = nonterminal(source, head, head_span, grammar)?;
    let pattern = scanner.is_text(grammar, nonterminal)?;
    scanner.expect_end()?;
    Ok(pattern)
}

/// Reads a statement that may begin with the pattern's name: `E=<item> is "\"\": <elt>"`.
/// Without one, the pattern is called after its position: `1`, `2`.
///
/// # Errors
/// As [`read_statement`].
pub fn read_named(
    source: &Arc<Source>,
    number: usize,
    grammar: &Grammar,
) -> Result<NamedPattern, Diagnostic> {
    let text = source.text();
    let head = text.find('<').unwrap_or(text.len());
    let (name, start) = match text[..head].split_once('=') {
        Some((name, _)) if !name.trim().is_empty() && name.trim().chars().all(is_name_character) => {
            (name.trim().to_owned(), text.find('=').map_or(0, |at| at + 1))
        }
        Some((name, _)) => {
            return Err(Diagnostic::error("a pattern's name has letters, digits, `_`, `.` and `$` only")
                .at(source, 0..name.len(), "")
                .help("write for instance `E=<item> is \"...\"`"));
        }
        None => (number.to_string(), 0),
    };
    refuse_reserved(source, &name, 0..start.saturating_sub(1))?;
    Ok(NamedPattern { name, pattern: read_statement(source, start..text.len(), grammar)? })
}

/// Reads a whole expression in the papers' notation.
///
/// # Errors
/// When it is no expression, or something in it is unknown.
pub fn read_expression(source: &Arc<Source>, grammar: &Grammar) -> Result<Expression, Diagnostic> {
    read_expression_in(source, 0..source.text().len(), grammar)
}

/// Reads the whole expression that stands in a part of a text.
///
/// # Errors
/// As [`read_expression`].
pub fn read_expression_in(
    source: &Arc<Source>,
    span: Range<usize>,
    grammar: &Grammar,
) -> Result<Expression, Diagnostic> {
    let mut scanner = Scanner { source, at: span.start, end: span.end };
    let (head, head_span) = scanner.bracketed()?;
    // The start symbol is the longest beginning that is a name: names of specialized grammars have
    // spaces in them.
    let split = head
        .char_indices()
        .rev()
        .filter(|&(_, c)| c == ' ')
        .find_map(|(at, _)| grammar.find(&head[..at]).map(|start| (at, start)));
    let Some((at, start)) = split else {
        let first = head.split(' ').next().unwrap_or(head);
        if grammar.find(head).is_some() {
            return Err(Diagnostic::error("the start symbol has no formula")
                .at(source, head_span, "")
                .help(format!("write for instance `<{head} E>`")));
        }
        let span = head_span.start + 1..head_span.start + 1 + first.len();
        return Err(unknown(source, first, span, grammar));
    };
    let formula_span = head_span.start + 1 + at..head_span.end - 1;
    let mut patterns: IdVec<PatternId, NamedPattern> = IdVec::new();
    // Every name, and where it is defined.
    let mut places: Vec<(String, Range<usize>)> = Vec::new();
    let mut formulas: Vec<(String, Range<usize>)> = Vec::new();
    if scanner.word("where") {
        loop {
            let (name, span) = if scanner.rest().starts_with('<') {
                let (named, span) = scanner.definition(grammar)?;
                let name = named.name.clone();
                patterns.push(named);
                (name, span)
            } else {
                let (name, span) = scanner.name()?;
                formulas.push((name.clone(), scanner.is_formula()?));
                (name, span)
            };
            refuse_reserved(source, &name, span.clone())?;
            if let Some((_, first)) = places.iter().find(|(known, _)| *known == name) {
                return Err(Diagnostic::error(format!("`{name}` is defined twice"))
                    .at(source, span, "here")
                    .at(source, first.clone(), "and here"));
            }
            places.push((name, span));
            if !scanner.symbol(',') {
                break;
            }
        }
    }
    scanner.expect_end()?;
    let names: Vec<String> = patterns.iter().map(|named| named.name.clone()).collect();
    let mut definitions =
        Definitions { source, names: &names, formulas: &formulas, open: Vec::new(), uses: 0 };
    let formula = definitions.read(formula_span)?;
    Ok(Expression { start, patterns, formula })
}

/// Named formulas within named formulas beyond this are refused: reading them, and all that is done with the
/// formula, is recursive.
const MOST_LEVELS: usize = 20;

/// More uses of named formulas, counted in what they are replaced by as well, are refused: a few lines can ask
/// for more than there is memory.
const MOST_USES: usize = 10_000;

/// Formulas that refer to each other by name.
struct Definitions<'a> {
    source: &'a Arc<Source>,
    names: &'a [String],
    formulas: &'a [(String, Range<usize>)],
    /// The formulas that are being read, from the outside in.
    open: Vec<usize>,
    /// How often a name has been replaced by its formula.
    uses: usize,
}

impl Definitions<'_> {
    /// Reads the formula in `span`, with everything that it refers to in its place.
    fn read(&mut self, span: Range<usize>) -> Result<Formula, Diagnostic> {
        let (source, names) = (self.source, self.names);
        read_with(source, span, names, &mut |name| {
            let index = self.formulas.iter().position(|(known, _)| known == name)?;
            let span = self.formulas[index].1.clone();
            if self.open.contains(&index) {
                let error = Diagnostic::error(format!("`{name}` is defined by itself"));
                return Some(Err(error.at(source, span, "this formula needs its own value")));
            }
            self.uses += 1;
            if self.open.len() >= MOST_LEVELS || self.uses > MOST_USES {
                let what = match self.open.len() >= MOST_LEVELS {
                    true => format!("formulas refer to each other more than {MOST_LEVELS} deep"),
                    false => format!("the formula uses named formulas more than {MOST_USES} times"),
                };
                return Some(Err(Diagnostic::error(what).at(source, span, "in the end it needs this one")));
            }
            self.open.push(index);
            let formula = self.read(span);
            self.open.pop();
            Some(formula)
        })
    }
}

/// Words of the language of formulas cannot be names.
fn refuse_reserved(source: &Arc<Source>, name: &str, span: Range<usize>) -> Result<(), Diagnostic> {
    if !RESERVED.contains(&name) {
        return Ok(());
    }
    Err(Diagnostic::error(format!("`{name}` means something in formulas, and cannot be a pattern's name"))
        .at(source, span, "")
        .help(format!("call it for instance `{}1`", name.to_uppercase())))
}

/// The nonterminal called `name`.
fn nonterminal(
    source: &Arc<Source>,
    name: &str,
    span: Range<usize>,
    grammar: &Grammar,
) -> Result<NonterminalId, Diagnostic> {
    grammar.find(name).ok_or_else(|| unknown(source, name, span, grammar))
}

fn unknown(source: &Arc<Source>, name: &str, span: Range<usize>, grammar: &Grammar) -> Diagnostic {
    let names: Vec<String> = grammar
        .nonterminals()
        .iter()
        .filter(|nonterminal| !nonterminal.is_helper())
        .map(|nonterminal| nonterminal.name.to_string())
        .collect();
    Diagnostic::error(format!("the grammar has no nonterminal `<{name}>`"))
        .at(source, span, "")
        .suggest(&format!("<{name}>"), names.iter().map(String::as_str))
}

struct Scanner<'s> {
    source: &'s Arc<Source>,
    at: usize,
    end: usize,
}

impl<'s> Scanner<'s> {
    fn rest(&mut self) -> &'s str {
        let source: &'s Source = self.source;
        let rest = &source.text()[self.at..self.end];
        self.at += rest.len() - rest.trim_start().len();
        rest.trim_start()
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.rest().strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_name_character));
        if found {
            self.at += word.len();
        }
        found
    }

    fn symbol(&mut self, symbol: char) -> bool {
        let found = self.rest().starts_with(symbol);
        if found {
            self.at += symbol.len_utf8();
        }
        found
    }

    fn expected(&mut self, expected: &str) -> Diagnostic {
        let rest = self.rest();
        let length = rest.chars().next().map_or(0, char::len_utf8);
        let found = if length == 0 { "the end".to_owned() } else { format!("`{}`", &rest[..length]) };
        let span = self.at..self.at + length;
        Diagnostic::error(format!("expected {expected}, found {found}")).at(self.source, span, "")
    }

    fn expect_end(&mut self) -> Result<(), Diagnostic> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.expected("the end")) }
    }

    /// What stands between `<` and `>`, and where, brackets included. The `>` of `->` closes nothing.
    fn bracketed(&mut self) -> Result<(&'s str, Range<usize>), Diagnostic> {
        let rest = self.rest();
        if !rest.starts_with('<') {
            return Err(self.expected("a nonterminal in angle brackets, such as `<item>`"));
        }
        let close = rest
            .char_indices()
            .find(|&(at, c)| c == '\n' || (c == '>' && !rest[..at].ends_with('-')))
            .filter(|&(_, c)| c == '>');
        let Some((close, _)) = close else {
            return Err(Diagnostic::error("`<` is never closed").at(
                self.source,
                self.at..self.at + 1,
                "opened here",
            ));
        };
        let span = self.at..self.at + close + 1;
        self.at = span.end;
        Ok((&rest[1..close], span))
    }

    /// `<item E> is "text"`, and where its head is.
    fn definition(&mut self, grammar: &Grammar) -> Result<(NamedPattern, Range<usize>), Diagnostic> {
        let (head, span) = self.bracketed()?;
        let Some((base, name)) = head.rsplit_once(' ') else {
            return Err(Diagnostic::error("the pattern has no name")
                .at(self.source, span, "")
                .help(format!("write for instance `<{head} E> is \"...\"`")));
        };
        let base_span = span.start + 1..span.start + 1 + base.len();
        let nonterminal = nonterminal(self.source, base, base_span, grammar)?;
        let pattern = self.is_text(grammar, nonterminal)?;
        Ok((NamedPattern { name: name.to_owned(), pattern }, span))
    }

    /// The name of a formula.
    fn name(&mut self) -> Result<(String, Range<usize>), Diagnostic> {
        let rest = self.rest();
        let length = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self
                .expected("a pattern, such as `<item E> is \"...\"`, or a formula, such as `X is E & !N`"));
        }
        let span = self.at..self.at + length;
        self.at = span.end;
        Ok((rest[..length].to_owned(), span))
    }

    /// `is formula`, up to the comma outside of parentheses that ends it: where the formula is.
    fn is_formula(&mut self) -> Result<Range<usize>, Diagnostic> {
        if !self.word("is") {
            return Err(self.expected("`is` and a formula"));
        }
        let start = self.at;
        let mut depth = 0_usize;
        let rest = &self.source.text()[start..self.end];
        let length = rest.find(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        self.at = start + length.unwrap_or(rest.len());
        Ok(start..self.at)
    }

    /// `is "text"`.
    fn is_text(&mut self, grammar: &Grammar, root: NonterminalId) -> Result<Pattern, Diagnostic> {
        if !self.word("is") {
            return Err(self.expected("`is` and the pattern's text in quotes"));
        }
        let quote = match self.rest().chars().next() {
            Some(quote @ ('"' | '\'')) => quote,
            _ => return Err(self.expected("the pattern's text in quotes")),
        };
        self.pattern_text(grammar, root, quote)
    }

    fn pattern_text(
        &mut self,
        grammar: &Grammar,
        root: NonterminalId,
        quote: char,
    ) -> Result<Pattern, Diagnostic> {
        let source = self.source;
        let open = self.at;
        let mut parts = Parts::new(grammar);
        self.at += 1;
        loop {
            let rest = &source.text()[self.at..self.end];
            let Some(c) = rest.chars().next() else {
                return Err(Diagnostic::error("the pattern's text is never closed").at(
                    source,
                    open..open + 1,
                    "opened here",
                ));
            };
            let from = self.at;
            self.at += c.len_utf8();
            match c {
                c if c == quote => break,
                '\\' => match escape(rest, "<") {
                    Ok((escaped, length)) => {
                        self.at = from + length;
                        match escaped {
                            Escape::Byte(byte) => parts.text(&[byte], from),
                            Escape::Character(c) => parts.text(c.encode_utf8(&mut [0; 4]).as_bytes(), from),
                        }
                    }
                    Err(error) => {
                        return Err(Diagnostic::error("this is no escape")
                            .at(source, from..from + error.length, "")
                            .help(error.help));
                    }
                },
                '<' => {
                    self.at = from;
                    let (name, span) =
                        self.bracketed().map_err(|error| error.help("write `\\<` for a `<` of the text"))?;
                    let (name, bound) = match name.strip_prefix('$').and_then(|name| name.rsplit_once(':')) {
                        Some((name, number)) => match number.parse() {
                            Ok(number) => (name, Some(number)),
                            Err(_) => {
                                return Err(Diagnostic::error("a bound node has a number")
                                    .at(source, span, "")
                                    .help("write for instance `<$name:1>`"));
                            }
                        },
                        None => (name, None),
                    };
                    let nonterminal = nonterminal(source, name, span.clone(), grammar)
                        .map_err(|error| error.help("write `\\<` for a `<` of the text"))?;
                    parts.placeholder(nonterminal, bound, span.start);
                }
                c => parts.text(c.encode_utf8(&mut [0; 4]).as_bytes(), from),
            }
        }
        let close = self.at - 1;
        parts.parse(root).map_err(|(at, expected)| {
            let from = parts.origins.get(at).copied().unwrap_or(close);
            let length = source.text()[from..].chars().next().map_or(0, char::len_utf8);
            let name = grammar.name(root);
            Diagnostic::error(format!("the pattern's text is no {name}")).at(
                source,
                from..from + length,
                format!("expected {expected}"),
            )
        })
    }
}

/// The text of a pattern, its placeholders turned into tokens.
struct Parts<'g> {
    grammar: &'g Grammar,
    bytes: Vec<u8>,
    /// Where in the source each byte comes from.
    origins: Vec<usize>,
    placeholders: Vec<(NonterminalId, Option<u32>)>,
}

impl<'g> Parts<'g> {
    fn new(grammar: &'g Grammar) -> Self {
        Self { grammar, bytes: Vec::new(), origins: Vec::new(), placeholders: Vec::new() }
    }

    fn text(&mut self, bytes: &[u8], origin: usize) {
        self.bytes.extend_from_slice(bytes);
        self.origins.resize(self.bytes.len(), origin);
    }

    fn placeholder(&mut self, nonterminal: NonterminalId, bound: Option<u32>, origin: usize) {
        let known = self.placeholders.iter().position(|&known| known == (nonterminal, bound));
        let number = known.unwrap_or_else(|| {
            self.placeholders.push((nonterminal, bound));
            self.placeholders.len() - 1
        });
        self.text(&token(number), origin);
    }

    /// Parses the text; an error says where it is wrong and what was expected.
    fn parse(&self, root: NonterminalId) -> Result<Pattern, (usize, String)> {
        let mut builder = GrammarBuilder::from(self.grammar.clone());
        let mut openness: Vec<Openness> = Vec::new();
        for (number, &(nonterminal, bound)) in self.placeholders.iter().enumerate() {
            let symbol: Vec<Symbol> = builder.literal(&token(number)).into_iter().collect();
            builder.rule(nonterminal, symbol);
            openness.push(bound.map_or(Openness::Abstract, Openness::Bound));
        }
        let extended = builder.finish(root);
        let extended = Arc::new(extended);
        let forest = Parser::new(Arc::clone(&extended))
            .parse(&self.bytes)
            .map_err(|error| (error.offset(), expectation(&error)))?;
        let tree = forest.first_tree();
        let first_placeholder = self.grammar.rules().len();
        let open = |rule: RuleId| rule.index().checked_sub(first_placeholder).map(|number| openness[number]);
        Ok(Pattern::from_tree(&extended, &tree, tree.root(), |node, _| tree.rule(node).and_then(open)))
    }
}

/// What a syntax error expected, placeholders' tokens apart.
fn expectation(error: &SyntaxError) -> String {
    let is_token = |expected: &&Expected| matches!(expected, Expected::Literal { missing, read } if missing.contains(&0xff) || read.contains(&0xff));
    let texts: Vec<String> =
        error.expected().iter().filter(|expected| !is_token(expected)).map(Expected::to_string).collect();
    if texts.is_empty() { "a placeholder".to_owned() } else { texts.join(", ") }
}

/// The token of a placeholder: bytes that are not part of any UTF-8 text.
fn token(number: usize) -> [u8; 6] {
    let [a, b, c, d] = (number as u32).to_be_bytes();
    [0xff, 0xfe, a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::format;
    use proptest::prelude::*;

    fn json() -> Grammar {
        let source = Source::new("json.ebnf", include_str!("../../grammars/json.ebnf"));
        format::read(&source, None).unwrap().grammar
    }

    fn statement(text: &str) -> Result<Pattern, Diagnostic> {
        read_statement(&Source::new("pattern", text), 0..text.len(), &json())
    }

    fn expression(text: &str) -> Result<Expression, Diagnostic> {
        read_expression(&Source::new("expression", text), &json())
    }

    #[test]
    fn a_pattern_is_written_as_it_was_read() {
        let grammar = json();
        for text in [
            r#"<item> is "\"\": <elt>""#,
            r#"<item> is "<string>: null""#,
            r#"<array> is "[[<$elt:1>, <$elt:1>]]""#,
            r#"<elt> is "<elt>""#,
            r#"<chars> is """#,
        ] {
            assert_eq!(statement(text).unwrap().statement(&grammar), text);
        }
    }

    #[test]
    fn a_whole_expression_is_written_as_it_was_read() {
        let grammar = json();
        let text = r#"<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null""#;
        let read = expression(text).unwrap();
        assert_eq!(read.text(&grammar), text);
        assert_eq!(read.formula_text(), "E & !N");
        assert_eq!(read.patterns.len(), 2);
    }

    #[test]
    fn a_named_formula_stands_for_itself() {
        let patterns = r#"<item E> is "\"\": <elt>", <item N> is "<string>: null""#;
        let one = expression(&format!("<json X & !Y> where Y is and(N, E before N), X is E | Y, {patterns}"))
            .unwrap();
        let other =
            expression(&format!("<json (E | N & E before N) & !(N & E before N)> where {patterns}")).unwrap();
        assert_eq!(one.formula, other.formula);
    }

    #[test]
    fn named_formulas_that_grow_beyond_measure_are_refused() {
        let chain = |levels: usize, formula: fn(usize) -> String| {
            let all: Vec<String> = (0..levels).map(|n| format!("a{n} is {}", formula(n + 1))).collect();
            let end = format!(r#"a{levels} is E, <item E> is "<item>""#);
            expression(&format!("<json a0> where {}, {end}", all.join(", ")))
                .map_err(|error| error.to_string())
        };
        let error = chain(20_000, |next| format!("!a{next}")).unwrap_err();
        assert!(error.contains("more than 20 deep"), "{error}");
        let error = chain(18, |next| format!("a{next} & a{next}")).unwrap_err();
        assert!(error.contains("more than 10000 times"), "{error}");
        assert!(chain(10, |next| format!("a{next} ^ a{next}")).is_ok());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let patterns = [
            r#"<itme> is "x""#,
            r#"<item> is "\"\": <elf>""#,
            r#"<item> is "\"\": ""#,
            r#"<item> is "\"\" <elt>""#,
            r#"<item> is "\"\q""#,
            r#"<item> is "<string"#,
            r#"<item> are"#,
            r#"<item> is "\"a b\": <elt>""#,
            r#"<item> is "<$string:x>: <elt>""#,
            "item",
            "",
        ];
        let expressions = [
            r#"<json>"#,
            r#"<jsn E> where <item E> is "<item>""#,
            r#"<json E & F> where <item E> is "<item>""#,
            r#"<json E> where <item E> is "<item>", <item E> is "<item>""#,
            r#"<json E> where <item> is "<item>""#,
            r#"<json X> where X is Y | E, Y is !X, <item E> is "<item>""#,
            r#"<json X> where X is E &, <item E> is "<item>""#,
            r#"<json X> where "E""#,
            r#"<json not> where <item not> is "<item>""#,
        ];
        let errors: Vec<String> = patterns
            .into_iter()
            .map(|text| statement(text).unwrap_err().to_string())
            .chain(expressions.into_iter().map(|text| expression(text).unwrap_err().to_string()))
            .collect();
        insta::assert_snapshot!(errors.join("\n\n"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(
            text in r#"(<(item|elt|json|x| E|\$elt:1)>| is |"|where|[\\a-z:,{}\[\]0é]){0,14}"#,
        ) {
            let grammar = json();
            let source = Source::new("text", text.clone());
            let _ = read_statement(&source, 0..text.len(), &grammar);
            let _ = read_named(&source, 1, &grammar);
            let _ = read_expression(&source, &grammar);
        }
    }
}
