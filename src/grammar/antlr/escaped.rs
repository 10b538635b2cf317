//! `( '\\' x | . )*? q` at the end of a token: text up to a quote that is not escaped.
//!
//! ANTLR prefers the alternative that stands first. So an escape before the dot takes the quote with it,
//! and the token ends at the first quote that no escape took. (ANTLR would also end it at an escaped quote
//! if no other followed; that is not expressed.)

use super::super::class::CharClass;
use super::super::ebnf::syntax as ours;
use super::lexical::MOST_NAMES;
use super::lower::{Lowering, item};
use super::syntax::{Alternative, Atom, Item, Rule, Sign, Span};

impl Lowering<'_> {
    /// The rest of a token that ends with a quote; `None` when it is not of this form.
    pub(super) fn escaped(&self, rule: &Rule, found: &Item, rest: &[Item]) -> Option<ours::Sequence> {
        let Atom::Group(alternatives) = &found.atom else { return None };
        if found.operator.is_none_or(|operator| operator.sign != Sign::Star) {
            return None;
        }
        let tail = self.tail(rule, rest)?;
        let [quote] = tail.texts.as_slice() else { return None };
        let &[quote] = quote.as_slice() else { return None };
        let mut plain = CharClass::new([]);
        let mut escapes: Option<(char, CharClass)> = None;
        for alternative in alternatives {
            if let Some(class) = self.one_of(rule, std::slice::from_ref(alternative), 0) {
                plain = plain.union(&class);
                continue;
            }
            for (escape, class) in self.pairs(rule, &alternative.items, 0)? {
                let (known, classes) = escapes.get_or_insert_with(|| (escape, CharClass::new([])));
                // An escape that comes after the dot is never preferred.
                if *known != escape || plain.contains(escape) {
                    return None;
                }
                *classes = classes.union(&class);
            }
        }
        let (escape, classes) = escapes?;
        if tail.or_end || escape == quote || !classes.contains(quote) || !plain.contains(escape) {
            return None;
        }
        Some(sequence(&plain, escape, &classes, quote, &found.span))
    }

    /// Escapes: a character, and those that may follow it.
    fn pairs(&self, rule: &Rule, items: &[Item], depth: usize) -> Option<Vec<(char, CharClass)>> {
        if items.iter().any(|item| item.operator.is_some()) {
            return None;
        }
        let all = |alternatives: &[Alternative], rule: &Rule| {
            let pairs: Option<Vec<_>> =
                alternatives.iter().map(|a| self.pairs(rule, &a.items, depth + 1)).collect();
            pairs.map(|pairs| pairs.concat())
        };
        match items {
            _ if depth == MOST_NAMES => None,
            [Item { atom: Atom::Literal(text), .. }] if !rule.any_case => {
                let mut chars = text.chars();
                let pair = (chars.next()?, CharClass::of([chars.next()?]));
                chars.next().is_none().then(|| vec![pair])
            }
            [Item { atom: Atom::Group(alternatives), .. }] => all(alternatives, rule),
            [Item { atom: Atom::Name(name), .. }] => {
                let rule = self.rules.get(name.as_str())?;
                all(&rule.alternatives, rule)
            }
            [first, second] => {
                let first = self.characters(rule, &first.atom, depth)?;
                let second = self.characters(rule, &second.atom, depth)?;
                let escape = first.nth(0).filter(|_| first.len() == 1)?;
                Some(vec![(escape, second)])
            }
            _ => None,
        }
    }
}

/// Plain characters and escapes, up to the quote. An escape character that no escape begins with is
/// plain, and the next one may begin an escape.
fn sequence(
    plain: &CharClass,
    escape: char,
    classes: &CharClass,
    quote: char,
    span: &Span,
) -> ours::Sequence {
    let escape_or_quote = CharClass::of([escape, quote]);
    let mark = ours::Atom::Literal(escape.to_string().into_bytes());
    let mut after = classes.union(plain);
    let mut marks = item(mark, span);
    if !classes.contains(escape) {
        marks.operator = Some(ours::Operator::Plus);
        after = after.difference(&CharClass::of([escape]));
    }
    let body = ours::Atom::Group(vec![
        vec![item(ours::Atom::Class(plain.difference(&escape_or_quote)), span)],
        vec![marks, item(ours::Atom::Class(after), span)],
    ]);
    vec![
        ours::Item { atom: body, operator: Some(ours::Operator::Star), span: span.clone() },
        item(ours::Atom::Literal(quote.to_string().into_bytes()), span),
    ]
}
