//! An ANTLR grammar as a tree: what the parser makes, and what lowering turns into a grammar.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::class::CharClass;

/// How deep groups may nest. Reading recurses over groups, and over nothing else.
pub(super) const MOST_NESTED: usize = 200;

/// A place, in bytes; places count through all texts that are read together.
pub(super) type Span = Range<usize>;

/// A name with its place.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub name: String,
    pub span: Span,
}

/// What the first line of a grammar says it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum GrammarKind {
    #[default]
    Combined,
    Parser,
    Lexer,
}

/// What has no counterpart and is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dropped {
    Action,
    Predicate,
    NamedAction,
    Arguments,
    Exception,
    Option,
    Precedence,
    More,
    Deep,
    Mode,
    EndOfInput,
    EndWithin,
    Reluctant,
    Surrogate,
    Import,
    Hidden,
}

/// One file.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub kind: GrammarKind,
    /// `options { tokenVocab = X; }`
    pub vocabulary: Option<Use>,
    pub imports: Vec<Use>,
    /// `tokens { A, B }`
    pub tokens: Vec<Use>,
    pub rules: Vec<Rule>,
    pub dropped: Vec<(Dropped, Span)>,
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub name: Use,
    pub is_fragment: bool,
    /// Whether upper and lower case are the same, as `options { caseInsensitive = true; }` says.
    pub any_case: bool,
    /// The lexer mode it stands in; `None` is the default mode, and that of parser rules.
    pub mode: Option<String>,
    pub alternatives: Vec<Alternative>,
}

impl Rule {
    /// Whether it is a rule of the lexer: those begin with a capital.
    pub fn is_lexical(&self) -> bool {
        is_lexical(&self.name.name)
    }

    /// Whether it is a fragment that was made of other rules: no rule of ANTLR has such a name.
    pub fn is_made(&self) -> bool {
        self.is_fragment && self.is_part()
    }

    /// Whether it has some alternatives of another rule.
    pub fn is_part(&self) -> bool {
        self.name.name.contains('-')
    }
}

/// Whether a name is one of a token or fragment.
pub(super) fn is_lexical(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// What stands between two bars.
#[derive(Clone, Debug, Default)]
pub(super) struct Alternative {
    pub items: Vec<Item>,
    /// Whether a predicate stands among them, one that asks what a grammar does not say.
    pub has_predicate: bool,
    /// Whether an action does, one that may do what a grammar does not say.
    pub has_action: bool,
    /// `-> skip, ...`
    pub commands: Vec<Command>,
    /// The rule from which `-> type(X)` moved it to `X`.
    pub moved_from: Option<String>,
}

/// A lexer command: `skip`, `channel(HIDDEN)`.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub name: Use,
    pub argument: Option<String>,
}

/// An atom with the operator after it.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub atom: Atom,
    pub operator: Option<Operator>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operator {
    pub sign: Sign,
    /// `*?` and the like: as few as possible.
    pub is_reluctant: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Star,
    Plus,
    Optional,
}

#[derive(Clone, Debug)]
pub(super) enum Atom {
    /// `'text'`, not empty.
    Literal(String),
    /// `[a-z]`, `'a'..'z'`
    Set(CharClass),
    /// `.`
    Any,
    Name(String),
    /// `EOF`
    EndOfInput,
    /// `~x`, `~(x | y)`: none of these.
    Not(Vec<Item>),
    Group(Vec<Alternative>),
}

/// All items, those within groups and sets included.
pub(super) fn collect<'a>(alternatives: &'a [Alternative], found: &mut Vec<&'a Item>) {
    for item in alternatives.iter().flat_map(|alternative| &alternative.items) {
        match &item.atom {
            Atom::Group(inner) => collect(inner, found),
            Atom::Not(members) => found.extend(members),
            _ => found.push(item),
        }
    }
}

/// The names that some rules use.
pub(super) fn names<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> BTreeSet<&'a str> {
    let mut found = Vec::new();
    rules.into_iter().for_each(|rule| collect(&rule.alternatives, &mut found));
    let names = found.into_iter().filter_map(|item| match &item.atom {
        Atom::Name(name) => Some(name.as_str()),
        _ => None,
    });
    names.collect()
}
