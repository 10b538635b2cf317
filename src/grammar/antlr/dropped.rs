//! What has no counterpart in our grammars, said once for each kind, with all places.

use crate::base::diagnostic::Diagnostic;

use super::super::check::Texts;
use super::syntax::{Dropped, Span};

/// The number of places of a kind that are shown; of the others only the lines are listed.
const MOST_SHOWN: usize = 5;

/// A warning for each kind, in the order of their first places.
pub(super) fn warnings(texts: &Texts, dropped: &[(Dropped, Span)]) -> Vec<Diagnostic> {
    let mut kinds: Vec<(Dropped, Vec<Span>)> = Vec::new();
    let mut all = dropped.to_vec();
    all.sort_by_key(|(_, span)| (span.start, span.end));
    all.dedup();
    for (kind, span) in all {
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, spans)) => spans.push(span),
            None => kinds.push((kind, vec![span])),
        }
    }
    kinds.iter().map(|(kind, spans)| warning(texts, *kind, spans)).collect()
}

fn warning(texts: &Texts, kind: Dropped, spans: &[Span]) -> Diagnostic {
    let (message, help) = words(kind);
    let mut warning = Diagnostic::warning(message);
    for span in spans.iter().take(MOST_SHOWN) {
        warning = texts.point(warning, &first_line(texts, span), "");
    }
    if spans.len() > MOST_SHOWN {
        let mut lines: Vec<String> = spans[MOST_SHOWN..].iter().map(|span| line(texts, span)).collect();
        lines.dedup();
        warning = warning.help(format!("also in {}", lines.join(", ")));
    }
    warning.help(help)
}

/// The part of a place that lies on its first line: actions can be long.
fn first_line(texts: &Texts, span: &Span) -> Span {
    let (source, place) = texts.locate(span);
    let length = source.text().get(place.clone()).and_then(|text| text.find(['\n', '\r']));
    span.start..length.map_or(span.end, |length| span.start + length)
}

fn line(texts: &Texts, span: &Span) -> String {
    let (source, place) = texts.locate(span);
    let line = source.text().get(..place.start).map_or(0, |before| before.matches('\n').count()) + 1;
    format!("{}:{line}", source.name())
}

fn words(kind: Dropped) -> (&'static str, &'static str) {
    match kind {
        Dropped::Action => ("actions are dropped", "they do not change what the grammar derives"),
        Dropped::Predicate => (
            "predicates are dropped",
            "the grammar derives all that it would if they were always true: perhaps more than was meant",
        ),
        Dropped::NamedAction => {
            ("named actions are dropped", "code of the target language means nothing in a grammar")
        }
        Dropped::Arguments => (
            "arguments, results and locals of rules are dropped",
            "code of the target language means nothing in a grammar",
        ),
        Dropped::Exception => {
            ("exception handlers are dropped", "they do not change what the grammar derives")
        }
        Dropped::Option => ("options are dropped", "only `tokenVocab` and `caseInsensitive` are known here"),
        Dropped::Precedence => (
            "precedence and associativity are not expressed",
            "these rules are ambiguous here; the first tree of an input need not be ANTLR's",
        ),
        Dropped::More => (
            "the lexer command `more` is not expressed",
            "each of these rules is taken as a token of its own, and what it is a part of has to begin without it",
        ),
        Dropped::Deep => (
            "`more` is followed through six modes in each other",
            "what has more of them within one token is left out",
        ),
        Dropped::Mode => (
            "which lexer mode applies is not expressed",
            "a word may stand wherever the lexer would take it in its own mode: perhaps more than was meant",
        ),
        Dropped::EndOfInput => (
            "`EOF` is not expressed here in a token",
            "it derives the empty text here, so the grammar may derive more than was meant",
        ),
        Dropped::EndWithin => (
            "`EOF` stands where something has to follow",
            "no input goes on behind its end, so these alternatives derive nothing",
        ),
        Dropped::Reluctant => (
            "non-greedy operators are not expressed here",
            "they are taken as greedy ones, so the grammar may derive more than was meant",
        ),
        Dropped::Surrogate => (
            "halves of surrogate pairs stand for nothing",
            "an input consists of characters, for ANTLR as well; those beyond U+FFFF are written `\\u{10000}`",
        ),
        Dropped::Import => (
            "rules are imported although the grammar has rules of these names",
            "the grammar's own rules apply",
        ),
        Dropped::Hidden => (
            "tokens that are skipped are used by rules of the parser",
            "ANTLR's parser never sees such a token; here it may stand there",
        ),
    }
}
