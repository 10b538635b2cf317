//! Which token wins where two match the same text: the one that is defined first, and the literals of
//! parser rules before all.
//!
//! Only literals are considered: a keyword is excluded from the more general tokens that are defined after
//! it. Two general tokens that overlap stay ambiguous.

use std::collections::{BTreeSet, HashMap};

use super::super::ebnf::syntax::{Atom, Definition, Operator, Sequence};
use super::super::model::Name;

/// Matching goes so deep into definitions and groups.
const MOST_DEEP: usize = 300;

/// The definitions of a lexer.
pub(super) struct Lexer<'a>(HashMap<String, &'a Definition>);

impl<'a> Lexer<'a> {
    pub fn new(definitions: &'a [Definition]) -> Self {
        Self(definitions.iter().map(|definition| (definition.name.name.text(), definition)).collect())
    }

    /// Whether the token derives this text.
    pub fn derives(&self, token: &Name, text: &[u8]) -> bool {
        let mut matching = Matching { lexer: self, text, depth: 0, known: HashMap::new() };
        matching.name(&token.text(), 0).contains(&text.len())
    }
}

/// The texts of a token that is nothing but literals.
pub(super) fn literals(alternatives: &[Sequence]) -> Option<Vec<Vec<u8>>> {
    alternatives
        .iter()
        .map(|sequence| match sequence.as_slice() {
            [item] if item.operator.is_none() => match &item.atom {
                Atom::Literal(bytes) => Some(vec![bytes.clone()]),
                Atom::Group(inner) => literals(inner),
                _ => None,
            },
            _ => None,
        })
        .collect::<Option<Vec<_>>>()
        .map(|all| all.concat())
        .filter(|all| !all.is_empty())
}

/// Where each definition can end when it begins at a place of the text. A definition that is met
/// inside itself at the same place adds nothing: lexers have no left recursion.
struct Matching<'a> {
    lexer: &'a Lexer<'a>,
    text: &'a [u8],
    /// How many definitions and groups are open.
    depth: usize,
    known: HashMap<(String, usize), BTreeSet<usize>>,
}

impl Matching<'_> {
    fn name(&mut self, name: &str, from: usize) -> BTreeSet<usize> {
        let key = (name.to_owned(), from);
        if let Some(ends) = self.known.get(&key) {
            return ends.clone();
        }
        self.known.insert(key.clone(), BTreeSet::new());
        let Some(definition) = self.lexer.0.get(name) else { return BTreeSet::new() };
        let ends = self.alternatives(&definition.alternatives, from);
        self.known.insert(key, ends.clone());
        ends
    }

    fn alternatives(&mut self, alternatives: &[Sequence], from: usize) -> BTreeSet<usize> {
        let mut ends = BTreeSet::new();
        // What nests deeper is taken not to match; then a keyword is not excluded.
        if self.depth == MOST_DEEP {
            return ends;
        }
        self.depth += 1;
        for sequence in alternatives {
            let mut places = BTreeSet::from([from]);
            for item in sequence {
                places = match item.operator {
                    None => self.atoms(&item.atom, &places),
                    Some(Operator::Optional) => &places | &self.atoms(&item.atom, &places),
                    Some(Operator::Star) => self.repeated(&item.atom, &places),
                    Some(Operator::Plus) => {
                        let once = self.atoms(&item.atom, &places);
                        self.repeated(&item.atom, &once)
                    }
                };
                if places.is_empty() {
                    break;
                }
            }
            ends.extend(places);
        }
        self.depth -= 1;
        ends
    }

    fn repeated(&mut self, atom: &Atom, places: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut all = places.clone();
        let mut new = places.clone();
        while !new.is_empty() {
            new = &self.atoms(atom, &new) - &all;
            all.extend(&new);
        }
        all
    }

    fn atoms(&mut self, atom: &Atom, places: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut ends = BTreeSet::new();
        for &from in places {
            match atom {
                Atom::Literal(bytes) => {
                    ends.extend(self.text[from..].starts_with(bytes).then_some(from + bytes.len()));
                }
                Atom::Class(class) => {
                    let first = std::str::from_utf8(&self.text[from..]).ok().and_then(|t| t.chars().next());
                    ends.extend(first.filter(|&c| class.contains(c)).map(|c| from + c.len_utf8()));
                }
                Atom::Nonterminal(name) => ends.extend(self.name(&name.text(), from)),
                Atom::Group(alternatives) => ends.extend(self.alternatives(alternatives, from)),
            }
        }
        ends
    }
}
