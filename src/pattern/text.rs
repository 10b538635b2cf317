//! Reads statements and whole expressions from text.
//!
//! Whole expressions are read in the papers' notation:
//! `<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null"`. A part of the formula
//! can have a name of its own: `<json X | D> where X is E & !N, ..`.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::id::IdVec;
use crate::grammar::Grammar;

use super::expression::{Expression, Formula, NamedPattern, PatternId};
use super::formula_text::{RESERVED, is_name_character, read_with};
use super::model::Pattern;
use super::scanner::{Scanner, nonterminal, unknown};

/// Something that was read, and warnings of what the user may not have meant.
#[derive(Clone, Debug)]
pub struct WithWarnings<T> {
    /// What was read.
    pub value: T,
    /// That texts of patterns are ambiguous.
    pub warnings: Vec<Diagnostic>,
}

/// Reads one statement: `<item> is "\"\": <elt>"`.
///
/// # Errors
/// When it is no statement, names an unknown nonterminal, or its text is not of the grammar.
pub fn read_statement(
    source: &Arc<Source>,
    span: Range<usize>,
    grammar: &Grammar,
) -> Result<Pattern, Diagnostic> {
    statement(source, span, grammar).map(|reading| reading.value)
}

fn statement(
    source: &Arc<Source>,
    span: Range<usize>,
    grammar: &Grammar,
) -> Result<WithWarnings<Pattern>, Diagnostic> {
    let mut scanner = Scanner::new(source, span);
    let (head, head_span) = scanner.bracketed()?;
    let nonterminal = nonterminal(source, head, head_span, grammar)?;
    let pattern = scanner.is_text(grammar, nonterminal)?;
    scanner.expect_end()?;
    Ok(WithWarnings { value: pattern, warnings: scanner.warnings })
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
    read_named_warned(source, number, grammar).map(|reading| reading.value)
}

/// As [`read_named`], with warnings.
///
/// # Errors
/// As [`read_statement`].
pub fn read_named_warned(
    source: &Arc<Source>,
    number: usize,
    grammar: &Grammar,
) -> Result<WithWarnings<NamedPattern>, Diagnostic> {
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
    let WithWarnings { value: pattern, warnings } = statement(source, start..text.len(), grammar)?;
    Ok(WithWarnings { value: NamedPattern { name, pattern }, warnings })
}

/// Reads a whole expression in the papers' notation.
///
/// # Errors
/// When it is no expression, or something in it is unknown.
pub fn read_expression(source: &Arc<Source>, grammar: &Grammar) -> Result<Expression, Diagnostic> {
    read_expression_warned(source, grammar).map(|reading| reading.value)
}

/// Reads the whole expression that stands in a part of a text.
///
/// # Errors
/// As [`read_expression`].
pub fn read_expression_in(
    source: &Arc<Source>,
    span: Range<usize>,
    grammar: &Grammar,
) -> Result<WithWarnings<Expression>, Diagnostic> {
    read(source, span, grammar)
}

/// As [`read_expression`], with warnings.
///
/// # Errors
/// As [`read_expression`].
pub fn read_expression_warned(
    source: &Arc<Source>,
    grammar: &Grammar,
) -> Result<WithWarnings<Expression>, Diagnostic> {
    read(source, 0..source.text().len(), grammar)
}

fn read(
    source: &Arc<Source>,
    span: Range<usize>,
    grammar: &Grammar,
) -> Result<WithWarnings<Expression>, Diagnostic> {
    let mut scanner = Scanner::new(source, span);
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
    Ok(WithWarnings { value: Expression { start, patterns, formula }, warnings: scanner.warnings })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::grammar::format;
    use crate::pattern::arbitrary::{bound_expression, recipes};
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

    const SUMS: &str = r#"<s> ::= <s> "+" <s> | "1" | <s> "-" <s>"#;

    fn sums() -> Grammar {
        format::read(&Source::new("sums.ebnf", SUMS), None).unwrap().grammar
    }

    #[test]
    fn an_ambiguous_text_is_told_and_its_trees_can_be_chosen() {
        let grammar = sums();
        let read = |text: &str| read_named_warned(&Source::new("--pattern", text), 1, &grammar);
        let first = read(r#"<s> is "1+1-<s>""#).unwrap();
        insta::assert_snapshot!(first.warnings[0].to_string());
        let choices = [1, 2].map(|choice| read(&format!(r#"<s> is "1+1-<s>" choice {choice}"#)).unwrap());
        assert!(choices.iter().all(|choice| choice.warnings.is_empty()));
        let [one, two] = choices.map(|choice| choice.value.pattern);
        assert_eq!(one, first.value.pattern);
        assert_ne!(one, two);
        let wrong = [r#""1+1-<s>" choice 3"#, r#""1+1-<s>" choice"#, r#""1" choice 0"#, r#""1" choose"#];
        let errors = wrong.map(|wrong| read(&format!("<s> is {wrong}")).unwrap_err().to_string());
        insta::assert_snapshot!("choices_that_are_not_there", errors.join("\n\n"));
        let many = read(&format!(r#"<s> is "{}1""#, "1+".repeat(9))).unwrap();
        assert!(many.warnings[0].to_string().contains("more than 100 trees"));
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
        fn every_pattern_of_an_ambiguous_grammar_reads_back(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let Some(expression) = bound_expression(&grammar, &recipe) else { return Ok(()) };
            for named in &expression.patterns {
                let text = named.pattern.statement(&grammar);
                let source = Source::new("pattern", text.clone());
                let read = read_statement(&source, 0..text.len(), &grammar).unwrap();
                // Where the text has too many trees, or infinitely many, the first one is read.
                let is_chosen = read == named.pattern;
                prop_assert!(is_chosen || named.pattern.choice(&grammar).is_none(), "{}", text);
            }
        }

        #[test]
        fn no_text_makes_the_readers_panic(
            text in r#"(<(item|elt|json|x| E|\$elt:1)>| is |"|where| choice 2|[\\a-z:,{}\[\]0é]){0,14}"#,
        ) {
            let grammar = json();
            let source = Source::new("text", text.clone());
            let _ = read_statement(&source, 0..text.len(), &grammar);
            let _ = read_named(&source, 1, &grammar);
            let _ = read_expression(&source, &grammar);
        }
    }
}
