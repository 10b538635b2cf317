//! The model of a context-free grammar.
//!
//! A grammar is immutable once built. Nonterminals, rules, literals and classes are referred to by
//! ids; rules of one nonterminal keep the order in which they were added, and that order is part of
//! the meaning of "the first tree" and of every random choice.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::base::id::IdVec;
use crate::base::interner::Interner;
use crate::id_type;

use super::class::CharClass;

id_type!(
    /// A nonterminal of a grammar.
    NonterminalId
);
id_type!(
    /// A rule of a grammar. Rules are numbered over the whole grammar.
    RuleId
);
id_type!(
    /// A literal terminal of a grammar: a byte string.
    LiteralId
);
id_type!(
    /// A character class of a grammar.
    ClassId
);

/// One symbol on the right-hand side of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub enum Symbol {
    /// These very bytes; never the empty string.
    Literal(LiteralId),
    /// One character of a class.
    Class(ClassId),
    /// What a nonterminal derives.
    Nonterminal(NonterminalId),
}

/// A rule: a nonterminal and one sequence of symbols that it derives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Rule {
    /// The nonterminal on the left-hand side.
    pub lhs: NonterminalId,
    /// The right-hand side; empty for the empty rule.
    pub symbols: Box<[Symbol]>,
}

impl Rule {
    /// Whether it has a set of characters among its symbols.
    pub fn has_class(&self) -> bool {
        self.symbols.iter().any(|symbol| matches!(symbol, Symbol::Class(_)))
    }
}

/// The name of a nonterminal: a base name, and for a specialized nonterminal its condition.
///
/// Two parts that are never taken apart from a string again. Shown as `<item>` or `<item E & !N>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct Name {
    /// The name of the nonterminal in the base grammar, without brackets.
    pub base: String,
    /// What a derivation tree of a specialized nonterminal satisfies.
    pub condition: Option<String>,
}

impl Name {
    /// The name of a nonterminal of a base grammar.
    pub fn base(name: impl Into<String>) -> Self {
        Self { base: name.into(), condition: None }
    }

    /// The name of a specialized nonterminal.
    pub fn specialized(base: impl Into<String>, condition: impl Into<String>) -> Self {
        Self { base: base.into(), condition: Some(condition.into()) }
    }

    /// The name as written between the brackets.
    pub fn text(&self) -> String {
        match &self.condition {
            Some(condition) => format!("{} {condition}", self.base),
            None => self.base.clone(),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.text())
    }
}

/// What a nonterminal stands for to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Role {
    /// A concept that the grammar's author named.
    Named,
    /// Made from an operator of the notation; reports do not show it (the papers call it invisible).
    Helper(HelperKind),
}

/// The operator from which a helper nonterminal was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum HelperKind {
    /// `x*`: rules `""` and `x self`.
    Star,
    /// `x+`: rules `x` and `x self`.
    Plus,
    /// `x?`: rules `""` and `x`.
    Optional,
    /// `( a | b )`.
    Group,
    /// What may stand between two tokens.
    Skip,
}

/// What makes a nonterminal a token (a lexical rule, `@token`).
///
/// A token takes the longest match, may exclude what other nonterminals derive ("a name is not a
/// keyword"), and may forbid what follows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Token {
    /// Nonterminals whose strings are not of this token.
    pub except: Vec<NonterminalId>,
    /// Characters that must not follow directly.
    pub not_before: Option<ClassId>,
}

/// A nonterminal and its rules.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Nonterminal {
    /// Its name.
    pub name: Name,
    /// What it stands for.
    pub role: Role,
    /// Set for lexical rules.
    pub token: Option<Token>,
    /// Its rules in order. None at all when the nonterminal derives nothing.
    pub rules: Vec<RuleId>,
}

impl Nonterminal {
    /// Whether it was made from an operator of the notation.
    pub fn is_helper(&self) -> bool {
        matches!(self.role, Role::Helper(_))
    }
}

/// A context-free grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grammar {
    nonterminals: IdVec<NonterminalId, Nonterminal>,
    rules: IdVec<RuleId, Rule>,
    literals: Interner<LiteralId, Box<[u8]>>,
    classes: Interner<ClassId, CharClass>,
    start: NonterminalId,
    skip: Option<NonterminalId>,
    lexer: Option<NonterminalId>,
    by_name: FxHashMap<String, NonterminalId>,
}

impl Grammar {
    /// The start symbol.
    pub fn start(&self) -> NonterminalId {
        self.start
    }

    /// What may stand between tokens, if the grammar has `@skip`. It is already part of the rules:
    /// this says only which nonterminal it is.
    pub fn skip(&self) -> Option<NonterminalId> {
        self.skip
    }

    /// What names all words, if the grammar has `@lexer`: each of its rules is a token or a literal.
    pub fn lexer(&self) -> Option<NonterminalId> {
        self.lexer
    }

    /// All nonterminals.
    pub fn nonterminals(&self) -> &IdVec<NonterminalId, Nonterminal> {
        &self.nonterminals
    }

    /// All rules.
    pub fn rules(&self) -> &IdVec<RuleId, Rule> {
        &self.rules
    }

    /// One nonterminal.
    pub fn nonterminal(&self, id: NonterminalId) -> &Nonterminal {
        &self.nonterminals[id]
    }

    /// The rules of one nonterminal.
    pub fn rules_of(&self, id: NonterminalId) -> &[RuleId] {
        &self.nonterminals[id].rules
    }

    /// One rule.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id]
    }

    /// The name of a nonterminal.
    pub fn name(&self, id: NonterminalId) -> &Name {
        &self.nonterminals[id].name
    }

    /// The nonterminal called `name` (as written between the brackets), if there is one.
    pub fn find(&self, name: &str) -> Option<NonterminalId> {
        self.by_name.get(name).copied()
    }

    /// Whether any nonterminal is a token, so that there is a lexical layer.
    pub fn has_tokens(&self) -> bool {
        self.nonterminals.iter().any(|nonterminal| nonterminal.token.is_some())
    }

    /// The bytes of a literal.
    pub fn literal(&self, id: LiteralId) -> &[u8] {
        &self.literals[id]
    }

    /// A character class.
    pub fn class(&self, id: ClassId) -> &CharClass {
        &self.classes[id]
    }

    /// All literals.
    pub fn literals(&self) -> &IdVec<LiteralId, Box<[u8]>> {
        self.literals.values()
    }

    /// All classes.
    pub fn classes(&self) -> &IdVec<ClassId, CharClass> {
        self.classes.values()
    }

    /// This grammar with another start symbol.
    #[must_use]
    pub fn with_start(&self, start: NonterminalId) -> Self {
        Self { start, ..self.clone() }
    }
}

/// Collects nonterminals and rules into a [`Grammar`].
#[derive(Clone, Debug, Default)]
pub struct GrammarBuilder {
    nonterminals: IdVec<NonterminalId, Nonterminal>,
    rules: IdVec<RuleId, Rule>,
    literals: Interner<LiteralId, Box<[u8]>>,
    classes: Interner<ClassId, CharClass>,
    skip: Option<NonterminalId>,
    lexer: Option<NonterminalId>,
    by_name: FxHashMap<String, NonterminalId>,
    /// For each hint the number below which all helpers' names are taken.
    numbers: FxHashMap<String, usize>,
}

/// A builder that goes on where a grammar ends; all its ids stay what they are.
impl From<Grammar> for GrammarBuilder {
    fn from(grammar: Grammar) -> Self {
        let Grammar { nonterminals, rules, literals, classes, start: _, skip, lexer, by_name } = grammar;
        Self { nonterminals, rules, literals, classes, skip, lexer, by_name, numbers: FxHashMap::default() }
    }
}

impl GrammarBuilder {
    /// A builder without any nonterminal.
    pub fn new() -> Self {
        Self::default()
    }

    /// The nonterminal called `name`, which is added if it is new.
    pub fn nonterminal(&mut self, name: Name) -> NonterminalId {
        let text = name.text();
        if let Some(&id) = self.by_name.get(&text) {
            return id;
        }
        self.add(name, text)
    }

    /// A new nonterminal with this name, or, when that is taken, with primes at the end of its
    /// condition: a pattern may be called what a node of another pattern is called, and a base
    /// nonterminal what a specialized one is called.
    pub fn fresh(&mut self, mut name: Name) -> NonterminalId {
        let mut text = name.text();
        while self.by_name.contains_key(&text) {
            name.condition.get_or_insert_default().push('\'');
            text = name.text();
        }
        self.add(name, text)
    }

    fn add(&mut self, name: Name, text: String) -> NonterminalId {
        let id =
            self.nonterminals.push(Nonterminal { name, role: Role::Named, token: None, rules: Vec::new() });
        self.by_name.insert(text, id);
        id
    }

    /// A new nonterminal made from an operator. Its name is `hint` with the first number that makes
    /// it unique among all names so far.
    pub fn helper(&mut self, hint: &str, kind: HelperKind) -> NonterminalId {
        let mut number = self.numbers.get(hint).copied().unwrap_or(1);
        let name = loop {
            let name = format!("{hint}{number}");
            if !self.by_name.contains_key(&name) {
                break name;
            }
            number += 1;
        };
        self.numbers.insert(hint.to_owned(), number + 1);
        let id = self.nonterminal(Name::base(name));
        self.set_role(id, Role::Helper(kind));
        id
    }

    /// Sets what a nonterminal stands for.
    pub fn set_role(&mut self, id: NonterminalId, role: Role) {
        self.nonterminals[id].role = role;
    }

    /// Makes a nonterminal a token.
    pub fn set_token(&mut self, id: NonterminalId, token: Token) {
        self.nonterminals[id].token = Some(token);
    }

    /// Makes a nonterminal the token that another grammar's nonterminal is, if that is one, but for what it
    /// excepts: that is for a text as a whole, and the other grammar's parser tells.
    pub fn set_token_like(&mut self, id: NonterminalId, other: &Grammar, like: NonterminalId) {
        if let Some(token) = &other.nonterminal(like).token {
            let not_before = token.not_before.map(|class| self.class_id(other.class(class).clone()));
            self.set_token(id, Token { except: Vec::new(), not_before });
        }
    }

    /// Says which nonterminal may stand between tokens.
    pub fn set_skip(&mut self, id: NonterminalId) {
        self.skip = Some(id);
    }

    /// Says which nonterminal names all words.
    pub fn set_lexer(&mut self, id: NonterminalId) {
        self.lexer = Some(id);
    }

    /// Leaves the rules without a lexical layer: no nonterminal is a token, and nothing is skipped but what the rules themselves derive.
    pub fn without_words(&mut self) {
        for id in self.nonterminals.ids() {
            self.nonterminals[id].token = None;
        }
        (self.skip, self.lexer) = (None, None);
    }

    /// The symbol of a literal; `None` for the empty string, which is no symbol.
    pub fn literal(&mut self, bytes: &[u8]) -> Option<Symbol> {
        (!bytes.is_empty()).then(|| Symbol::Literal(self.literals.intern(bytes.into())))
    }

    /// The symbol of a class.
    pub fn class(&mut self, class: CharClass) -> Symbol {
        Symbol::Class(self.class_id(class))
    }

    /// The id of a class.
    pub fn class_id(&mut self, class: CharClass) -> ClassId {
        self.classes.intern(class)
    }

    /// Adds a rule.
    pub fn rule(&mut self, lhs: NonterminalId, symbols: impl Into<Box<[Symbol]>>) -> RuleId {
        let rule = self.rules.push(Rule { lhs, symbols: symbols.into() });
        self.nonterminals[lhs].rules.push(rule);
        rule
    }

    /// The nonterminals so far.
    pub fn nonterminals(&self) -> &IdVec<NonterminalId, Nonterminal> {
        &self.nonterminals
    }

    /// The nonterminal called `name` (as written between the brackets), if there is one so far.
    pub fn find(&self, name: &str) -> Option<NonterminalId> {
        self.by_name.get(name).copied()
    }

    /// The grammar with this start symbol.
    pub fn finish(self, start: NonterminalId) -> Grammar {
        Grammar {
            nonterminals: self.nonterminals,
            rules: self.rules,
            literals: self.literals,
            classes: self.classes,
            start,
            skip: self.skip,
            lexer: self.lexer,
            by_name: self.by_name,
        }
    }
}
