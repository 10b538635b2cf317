//! Reads statements and whole expressions from text.
//!
//! Whole expressions are read in the papers' notation:
//! `<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null"`. A part of the formula
//! can have a name of its own: `<json X | D> where X is E & !N, ..`.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::id::{Id, IdVec};
use crate::grammar::Grammar;

use super::definitions::Definitions;
use super::expression::{Expression, Formula, NamedPattern, PatternId};
use super::formula_text::{RESERVED, is_name_character};
use super::model::Pattern;
use super::named_formulas::NamedFormulas;
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
    let whole = span.clone();
    let mut scanner = Scanner::new(source, span);
    let (head, head_span) = scanner.bracketed()?;
    let nonterminal = nonterminal(source, head, head_span, grammar)?;
    let mut patterns = scanner.is_texts(grammar, nonterminal)?;
    scanner.expect_end()?;
    std::mem::take(&mut scanner.definitions).finish(&[])?;
    match (patterns.pop(), patterns.is_empty()) {
        (Some(pattern), true) => Ok(pattern),
        _ => Err(Diagnostic::error("one text is expected, and there are several").at(source, whole, "")),
    }
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
    let mut definitions = Definitions::default();
    let _ = option(source, number, grammar, &mut definitions)?;
    let named = definitions.finish(&[])?.iter().next().cloned();
    named.ok_or_else(|| Diagnostic::error("a pattern is expected"))
}

/// Reads several such statements, each of a source of its own, which may refer to each other. A name may have
/// several nonterminals: `E=<item> is "..", <elt> is ".." | ".."`.
///
/// # Errors
/// As [`read_statement`], or when a name is defined twice, unknown, or depends on itself at one node.
pub fn read_patterns(
    sources: &[Arc<Source>],
    grammar: &Grammar,
) -> Result<WithWarnings<IdVec<PatternId, NamedPattern>>, Diagnostic> {
    let mut definitions = Definitions::default();
    let mut warnings = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        warnings.extend(option(source, index + 1, grammar, &mut definitions)?);
    }
    Ok(WithWarnings { value: definitions.finish(&[])?, warnings })
}

/// Takes note of the statement of one option; gives the warnings.
fn option(
    source: &Arc<Source>,
    number: usize,
    grammar: &Grammar,
    definitions: &mut Definitions,
) -> Result<Vec<Diagnostic>, Diagnostic> {
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
    if let Some((first, place)) = definitions.place(&name) {
        return Err(Diagnostic::error(format!("two patterns are called `{name}`"))
            .at(source, 0..start.saturating_sub(1), "here")
            .at(first, place.clone(), "and here")
            .help(format!(
                "write all that `{name}` is as one: `{name}=<item> is \"...\" | \"...\", <elt> is \"...\"`"
            )));
    }
    let mut scanner = Scanner::new(source, start..text.len());
    scanner.definitions = std::mem::take(definitions);
    loop {
        let (head, span) = scanner.bracketed()?;
        refuse_whole(source, head, span.clone(), grammar)?;
        let nonterminal = nonterminal(source, head, span.clone(), grammar)?;
        let alternatives = scanner.is_texts(grammar, nonterminal)?;
        scanner.definitions.define(&name, nonterminal, alternatives, source, span)?;
        if !scanner.symbol(',') {
            break;
        }
    }
    scanner.expect_end()?;
    *definitions = std::mem::take(&mut scanner.definitions);
    Ok(scanner.warnings)
}

/// Reads a whole expression in the papers' notation, or a pattern without a name, which then must occur.
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
    if let Some(nonterminal) = grammar.find(head)
        && scanner.rest().starts_with("is")
    {
        let patterns = scanner.lone_pattern(grammar, nonterminal, head_span)?;
        let value =
            Expression { start: grammar.start(), patterns, formula: Formula::Contains(PatternId::new(0)) };
        return Ok(WithWarnings { value, warnings: scanner.warnings });
    }
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
    if scanner.rest().starts_with("is") {
        let (whole, name) = (grammar.nonterminal(grammar.start()).name.to_string(), head[at..].trim());
        let whole = whole.trim_matches(['<', '>']);
        return Err(Diagnostic::error("what a name is stands behind `where`")
            .at(source, head_span, "")
            .help(format!("write for instance `<{whole} {name}> where <{head}> is \"...\"`")));
    }
    let formula_span = head_span.start + 1 + at..head_span.end - 1;
    let mut formulas: Vec<(String, Range<usize>)> = Vec::new();
    // The formulas' names, and where they are defined.
    let mut places: Vec<(String, Range<usize>)> = Vec::new();
    scanner.may_follow = "`where` or ";
    if scanner.word("where") {
        loop {
            if scanner.rest().starts_with('<') {
                let (name, span) = scanner.definition(grammar)?;
                refuse_reserved(source, &name, span.clone())?;
                if let Some((_, first)) = places.iter().find(|(known, _)| *known == name) {
                    return Err(twice(source, &name, span, first.clone()));
                }
            } else {
                let (name, span) = scanner.name()?;
                formulas.push((name.clone(), scanner.is_formula()?));
                scanner.may_follow = "`,` or ";
                refuse_reserved(source, &name, span.clone())?;
                let of_pattern = scanner.definitions.place(&name).map(|(_, place)| place);
                let mut of_formula =
                    places.iter().filter(|(known, _)| *known == name).map(|(_, place)| place);
                if let Some(first) = of_pattern.or_else(|| of_formula.next()) {
                    return Err(twice(source, &name, span, first.clone()));
                }
                places.push((name, span));
            }
            if !scanner.symbol(',') {
                break;
            }
        }
    }
    scanner.expect_end()?;
    let of_formulas: Vec<&str> = places.iter().map(|(name, _)| &**name).collect();
    let patterns = std::mem::take(&mut scanner.definitions).finish(&of_formulas)?;
    let names: Vec<String> = patterns.iter().map(|named| named.name.clone()).collect();
    let formula = NamedFormulas::new(source, &names, &formulas).read(formula_span)?;
    Ok(WithWarnings { value: Expression { start, patterns, formula }, warnings: scanner.warnings })
}

/// In a whole expression a nonterminal stands with a name or a formula; in a pattern it stands alone.
fn refuse_whole(
    source: &Arc<Source>,
    head: &str,
    span: Range<usize>,
    grammar: &Grammar,
) -> Result<(), Diagnostic> {
    match head.split_once(' ') {
        Some((first, name)) if grammar.find(head).is_none() && grammar.find(first).is_some() => {
            let mut error =
                Diagnostic::error(format!("in a pattern `<{first}>` stands alone")).at(source, span, "");
            let name = name.trim();
            // A formula stands there in whole expressions, as tables have them, and is no name.
            if name.chars().all(is_name_character) {
                error = error.help(format!("the pattern's name comes first: `{name}=<{first}> is \"...\"`"));
            }
            Err(error.help(format!("`expression` takes whole expressions: `<{head}> where ...`")))
        }
        _ => Ok(()),
    }
}

fn twice(source: &Arc<Source>, name: &str, second: Range<usize>, first: Range<usize>) -> Diagnostic {
    let error = Diagnostic::error(format!("`{name}` is defined twice"));
    error.at(source, second, "here").at(source, first, "and here")
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
mod tests;
