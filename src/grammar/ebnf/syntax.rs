//! The text of a grammar as a tree: what the parser makes, what lowering turns into a grammar, and
//! what a grammar is raised to before it is written.

use std::ops::Range;

use super::super::class::CharClass;
use super::super::model::{HelperKind, Name};

/// How deep groups may nest. Reading and writing recurse over groups, and over nothing else.
pub(in super::super) const MOST_NESTED: usize = 200;

/// A place in the text, in bytes.
pub(in super::super) type Span = Range<usize>;

/// A name with its place.
#[derive(Clone, Debug)]
pub(in super::super) struct Use {
    pub name: Name,
    pub span: Span,
}

/// A whole grammar.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Text {
    pub start: Option<Use>,
    pub skip: Option<Skip>,
    pub lexer: Option<Use>,
    pub helpers: Vec<(HelperKind, Use)>,
    pub definitions: Vec<Definition>,
}

/// `@skip <name>`.
#[derive(Clone, Debug)]
pub(in super::super) struct Skip {
    pub target: Use,
    /// `@skip(written)`: the rules already say where it may stand.
    pub written: bool,
}

/// `<name> ::= ...`
#[derive(Clone, Debug)]
pub(in super::super) struct Definition {
    pub name: Use,
    pub token: Option<TokenOptions>,
    /// None at all for `@nothing <name>`.
    pub alternatives: Vec<Sequence>,
}

/// What `@token(...)` says in its parentheses.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct TokenOptions {
    pub except: Vec<Use>,
    pub not_before: Option<CharClass>,
}

/// What stands between two bars.
pub(in super::super) type Sequence = Vec<Item>;

/// An atom with the operator after it.
#[derive(Clone, Debug)]
pub(in super::super) struct Item {
    pub atom: Atom,
    pub operator: Option<Operator>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(in super::super) enum Atom {
    Literal(Vec<u8>),
    Class(CharClass),
    Nonterminal(Name),
    Group(Vec<Sequence>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Operator {
    Star,
    Plus,
    Optional,
}

impl Operator {
    pub fn sign(self) -> char {
        match self {
            Self::Star => '*',
            Self::Plus => '+',
            Self::Optional => '?',
        }
    }

    pub fn kind(self) -> HelperKind {
        match self {
            Self::Star => HelperKind::Star,
            Self::Plus => HelperKind::Plus,
            Self::Optional => HelperKind::Optional,
        }
    }
}

/// The words for helpers in `@helper(...)`.
pub(in super::super) const HELPER_KINDS: [(&str, HelperKind); 5] = [
    ("star", HelperKind::Star),
    ("plus", HelperKind::Plus),
    ("optional", HelperKind::Optional),
    ("group", HelperKind::Group),
    ("skip", HelperKind::Skip),
];

/// From what the name of a helper inside the definition of `name` is made; a number follows.
pub(in super::super) fn hint(name: &Name, kind: HelperKind) -> String {
    let sign = match kind {
        HelperKind::Star => "*",
        HelperKind::Plus => "+",
        HelperKind::Optional => "?",
        HelperKind::Group | HelperKind::Skip => "|",
    };
    format!("{}{sign}", name.base)
}
