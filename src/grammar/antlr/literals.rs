//! The literals in the rules of a parser, and the rules of the lexer that are just a literal.

use std::collections::{HashMap, HashSet};

use super::syntax::{Alternative, Atom, Item, Rule, Span};

/// A literal that is used by a rule of the parser.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    pub text: String,
    /// Where it is used first.
    pub span: Span,
    /// What its token is called, if its case matters not.
    pub any_case: Option<String>,
}

/// The literals of a grammar.
#[derive(Debug)]
pub(super) struct Literals<'a> {
    /// In the order of their first uses.
    order: Vec<Literal>,
    places: HashMap<String, usize>,
    /// Those that are names of tokens, in small letters.
    words: HashSet<String>,
    /// The first rule of the lexer that is just this text, before others were moved to it.
    rules: HashMap<&'a str, &'a Rule>,
}

impl<'a> Literals<'a> {
    /// Those of a grammar with these rules, of which none is used yet.
    pub fn new(rules: &'a [Rule]) -> Self {
        let mut by_text = HashMap::new();
        for rule in rules {
            if let Some(text) = own_literal(rule) {
                by_text.entry(text).or_insert(rule);
            }
        }
        Self { order: Vec::new(), places: HashMap::new(), words: HashSet::new(), rules: by_text }
    }

    /// Adds a literal, unless it is known.
    pub fn add(&mut self, text: &str, span: &Span, any_case: bool) {
        if !self.places.contains_key(text) {
            let place = self.order.len();
            self.places.insert(text.to_owned(), place);
            let any_case = any_case.then(|| self.new_name(text, place));
            self.order.push(Literal { text: text.to_owned(), span: span.clone(), any_case });
        }
    }

    /// A name for the token of a literal in any case: its text, where that is a word, and else its number, counted from 1.
    fn new_name(&mut self, text: &str, place: usize) -> String {
        let small = text.to_lowercase();
        let is_word = small.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
        match is_word && self.words.insert(small.clone()) {
            true => format!("literal-{small}"),
            false => format!("literal-{}", place + 1),
        }
    }

    /// All of them, in the order of their first uses.
    pub fn all(&self) -> &[Literal] {
        &self.order
    }

    /// What the token of a literal is called, if its case matters not.
    pub fn any_case(&self, text: &str) -> Option<&str> {
        self.order[*self.places.get(text)?].any_case.as_deref()
    }

    /// The rule of the lexer that is just this literal, before others were moved to it.
    pub fn rule(&self, text: &str) -> Option<&'a Rule> {
        self.rules.get(text).copied()
    }
}

/// The text of a rule of the lexer that is nothing but a literal.
pub(super) fn only_literal(rule: &Rule) -> Option<&str> {
    let (first, rest) = rule.alternatives.split_first()?;
    let text = literal(first).filter(|_| rule.is_lexical() && !rule.is_fragment)?;
    rest.iter().all(|alternative| literal(alternative) == Some(text)).then_some(text)
}

/// The text of a rule of the lexer that was nothing but a literal before others were moved to it by `-> type(X)`.
fn own_literal(rule: &Rule) -> Option<&str> {
    let mut own = rule.alternatives.iter().filter(|alternative| alternative.moved_from.is_none());
    let (Some(only), None) = (own.next(), own.next()) else { return None };
    literal(only).filter(|_| rule.is_lexical() && !rule.is_fragment)
}

fn literal(alternative: &Alternative) -> Option<&str> {
    match alternative.items.as_slice() {
        [Item { atom: Atom::Literal(text), operator: None, .. }] => Some(text),
        _ => None,
    }
}
