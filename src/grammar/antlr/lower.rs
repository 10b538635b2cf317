//! Turns the rules of an ANTLR grammar into the syntax tree of our own notation.
//!
//! Rules keep their names. What is made besides has a name with a `-` in it, which no rule of ANTLR can
//! have: `between-tokens` is what `@skip` names, `any-token` is `.` in a rule of the parser, `ID-keywords` is
//! what is not an `ID` although it looks like one.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::base::diagnostic::{Diagnostic, nearest};

use super::super::check::{MOST_ERRORS, Texts};
use super::super::ebnf::syntax as ours;
use super::super::format::no_start;
use super::super::model::{HelperKind, Name};
use super::literals::{Literal, Literals, only_literal};
use super::merge::{self, Merged};
use super::modes::UNFINISHED;
use super::syntax::{Alternative, Atom, Dropped, Item, Rule, Sign, Span, Use, collect, is_lexical, names};

/// The most tokens for which all `~` of a grammar stand together: each is a rule.
const MOST_OTHER_TOKENS: usize = 500_000;

/// What the rules come to.
#[derive(Debug, Default)]
pub(super) struct Lowered {
    pub text: ours::Text,
    pub dropped: Vec<(Dropped, Span)>,
    pub warnings: Vec<Diagnostic>,
}

/// The rules in our notation.
///
/// # Errors
/// What is wrong with the names, and with what they are used for.
pub(super) fn lower(merged: &Merged, start: Option<&str>) -> Result<Lowered, Vec<Diagnostic>> {
    let mut lowering = Lowering {
        texts: &merged.texts,
        rules: merged.rules.iter().map(|rule| (rule.name.name.as_str(), rule)).collect(),
        order: &merged.rules,
        other_names: &merged.other_names,
        uses: uses(&merged.rules),
        skipped: BTreeSet::new(),
        literals: Literals::new(&merged.rules),
        undefined: Vec::new(),
        defined: HashSet::new(),
        others: HashMap::new(),
        other_tokens: 0,
        joined: merged
            .joined
            .joined
            .iter()
            .flat_map(|joined| joined.ends.values())
            .map(String::as_str)
            .collect(),
        is_unjoined: false,
        repeated: BTreeSet::new(),
        lowered: Lowered { dropped: merged.dropped.clone(), ..Lowered::default() },
        errors: Vec::new(),
    };
    lowering.names(merged);
    if lowering.errors.is_empty() {
        lowering.all(merged, start);
    }
    if lowering.errors.is_empty() { Ok(lowering.lowered) } else { Err(lowering.errors) }
}

pub(super) struct Lowering<'a> {
    pub texts: &'a Texts,
    pub rules: HashMap<&'a str, &'a Rule>,
    pub order: &'a [Rule],
    /// What tokens are called besides.
    other_names: &'a HashMap<String, Vec<String>>,
    /// The rules that use each name.
    pub uses: HashMap<String, BTreeSet<String>>,
    /// The tokens that the parser does not see.
    pub skipped: BTreeSet<String>,
    pub literals: Literals<'a>,
    /// The tokens that rules of the parser use, and nothing defines.
    undefined: Vec<Use>,
    /// The names that have a definition.
    defined: HashSet<String>,
    /// The nonterminals that were made for `~` so far, by what they exclude.
    others: HashMap<BTreeSet<TokenKey>, String>,
    /// How many tokens they derive in all.
    other_tokens: usize,
    /// The fragments of the texts that `more` puts together.
    pub joined: HashSet<&'a str>,
    /// Whether there are texts of `more` that are not told.
    pub is_unjoined: bool,
    /// What is skipped however often it occurs, and leads to no other mode.
    pub repeated: BTreeSet<String>,
    pub lowered: Lowered,
    pub errors: Vec<Diagnostic>,
}

impl Lowering<'_> {
    pub fn error(&mut self, message: impl Into<String>, span: &Span, help: &str) {
        if self.errors.len() < MOST_ERRORS {
            let error = self.texts.point(Diagnostic::error(message), span, "");
            self.errors.push(error.help(help));
        }
    }

    pub fn report(&mut self, what: Dropped, span: &Span) {
        self.lowered.dropped.push((what, span.clone()));
    }

    pub fn define(
        &mut self,
        name: &str,
        span: &Span,
        token: Option<ours::TokenOptions>,
        alternatives: Vec<ours::Sequence>,
    ) {
        self.defined.insert(name.to_owned());
        let name = used(name, span);
        self.lowered.text.definitions.push(ours::Definition { name, token, alternatives });
    }

    /// Reports names that are not defined or used where they cannot be.
    fn names(&mut self, merged: &Merged) {
        let declared: BTreeSet<&str> = merged.tokens.iter().map(|token| token.name.as_str()).collect();
        let known: Vec<&str> = self.order.iter().map(|rule| rule.name.name.as_str()).collect();
        let mut reported: BTreeSet<String> = BTreeSet::new();
        for rule in self.order {
            let mut found: Vec<&Item> = Vec::new();
            collect(&rule.alternatives, &mut found);
            for item in found {
                let span = &item.span;
                if let Atom::Literal(text) = &item.atom
                    && !rule.is_lexical()
                {
                    self.literals.add(text, span, rule.any_case);
                }
                let Atom::Name(name) = &item.atom else { continue };
                match self.rules.get(name.as_str()) {
                    None if declared.contains(name.as_str()) => {}
                    None => {
                        if reported.insert(name.clone()) {
                            // For ANTLR such a token is declared by its use, and no lexer makes it.
                            let is_declared = is_lexical(name) && !rule.is_lexical();
                            let what = if is_lexical(name) { "token" } else { "rule" };
                            let is_fragment = self.rules.contains_key(merge::fragment(name).as_str());
                            let message = if is_fragment {
                                format!("the fragment `{name}` is used by a rule of the parser")
                            } else {
                                format!("there is no {what} `{name}`")
                            };
                            let (error, label) = if is_declared {
                                (Diagnostic::warning(message), "derives nothing")
                            } else {
                                (Diagnostic::error(message), "used here")
                            };
                            let mut error = self.texts.point(error, span, label);
                            let alike =
                                known.iter().copied().filter(|known| is_lexical(known) == is_lexical(name));
                            error = match nearest(name, alike) {
                                _ if is_fragment => error.help(
                                    "to ANTLR it is a token that no rule makes; leave out `fragment` to make it one",
                                ),
                                Some(near) => error.help(format!("did you mean `{near}`?")),
                                None if is_lexical(name) => error.help(
                                    "define it, or name the lexer grammar: `options { tokenVocab = X; }`",
                                ),
                                None => error.help(format!("define it: `{name} : ... ;`")),
                            };
                            if is_declared {
                                self.lowered.warnings.push(error);
                                self.undefined.push(Use { name: name.clone(), span: span.clone() });
                            } else {
                                self.errors.push(error);
                            }
                        }
                    }
                    Some(used) if !used.is_lexical() && rule.is_lexical() => self.error(
                        format!("the rule `{name}` of the parser is used by a token"),
                        span,
                        "tokens are made of characters and other rules of the lexer",
                    ),
                    Some(_) => {}
                }
                if self.errors.len() >= MOST_ERRORS {
                    return;
                }
            }
        }
        if self.order.is_empty() && self.errors.is_empty() {
            let error = self.texts.point(Diagnostic::error("the grammar defines nothing"), &(0..0), "");
            self.errors.push(error.help("a rule is written `item : 'x' | 'y' item ;`"));
        }
    }

    fn all(&mut self, merged: &Merged, start: Option<&str>) {
        self.find_skipped();
        for Literal { text, span, any_case } in self.literals.all().to_vec() {
            if let Some(name) = any_case.filter(|_| self.literals.rule(&text).is_none())
                && let Some(classes) = self.any_case(&text, &span)
            {
                self.define(&name, &span, Some(ours::TokenOptions::default()), vec![classes]);
            }
        }
        for rule in self.order {
            if rule.is_lexical() {
                self.lexical_rule(rule);
            } else {
                self.parser_rule(rule);
            }
        }
        for token in &merged.tokens {
            if self.uses.contains_key(&token.name) && !self.rules.contains_key(token.name.as_str()) {
                let warning = format!("the token `{}` is declared without a rule", token.name);
                let warning = self.texts.point(Diagnostic::warning(warning), &token.span, "derives nothing");
                self.lowered.warnings.push(warning);
                if !self.defined(&token.name) {
                    self.define(&token.name, &token.span, Some(ours::TokenOptions::default()), Vec::new());
                }
            }
        }
        for Use { name, span } in std::mem::take(&mut self.undefined) {
            self.define(&name, &span, Some(ours::TokenOptions::default()), Vec::new());
        }
        self.join(&merged.joined);
        self.drop_fragments();
        self.exclude_keywords();
        self.skip();
        self.lexer(merged.modes_are_known);
        let first = match start {
            None => self.order.iter().find(|rule| !rule.is_lexical()),
            Some(start) => {
                let found = self.order.iter().find(|rule| rule.name.name == start);
                if found.is_none() {
                    let names = self.order.iter().map(|rule| rule.name.name.clone());
                    self.errors.push(no_start(start, names));
                }
                found
            }
        };
        let start = match first {
            Some(rule) => used(&rule.name.name, &rule.name.span),
            None => {
                let span = self.order[0].name.span.clone();
                let tokens = self.tokens();
                self.define("token-list", &span, None, vec![vec![repeated(tokens, &span)]]);
                used("token-list", &span)
            }
        };
        self.lowered.text.start = Some(start);
    }

    pub fn defined(&self, name: &str) -> bool {
        self.defined.contains(name)
    }

    /// What a token is called in modes other than its own, and where it leads to others.
    fn other_names(&self, name: &str) -> &[String] {
        self.other_names.get(name).map_or(&[], Vec::as_slice)
    }

    /// The rule in which something stands.
    pub fn rule_at(&self, span: &Span) -> Option<&Rule> {
        let before = self.order.iter().filter(|rule| rule.name.span.start <= span.start);
        before.max_by_key(|rule| rule.name.span.start)
    }

    /// `@skip`: any number of the tokens that are skipped.
    fn skip(&mut self) {
        let Some(first) = self.order.iter().find(|rule| self.skipped.contains(&rule.name.name)) else {
            return;
        };
        let span = first.name.span.clone();
        let skip = "between-tokens";
        let alternatives = self.skip_by_modes(skip, &span).unwrap_or_else(|| {
            // What is skipped only in some alternatives has a definition of its own.
            let names = self.order.iter().filter_map(|rule| self.skipped_name(rule));
            let alternatives = names.map(|name| vec![nonterminal(&name, &span)]).collect();
            vec![vec![repeated(alternatives, &span)]]
        });
        self.define(skip, &span, None, alternatives);
        self.lowered.text.skip = Some(ours::Skip { target: used(skip, &span), written: false });
    }

    /// All tokens that the parser sees: the rules of the lexer, and the literals that are no such rule.
    fn tokens(&self) -> Vec<ours::Sequence> {
        let rules = self
            .order
            .iter()
            .filter(|rule| rule.is_lexical() && !rule.is_fragment && !self.skipped.contains(&rule.name.name));
        let named = rules.map(|rule| vec![nonterminal(&rule.name.name, &rule.name.span)]);
        let literals = self.literals.all().iter();
        let literals = literals.filter(|literal| self.literals.rule(&literal.text).is_none());
        named.chain(literals.map(|Literal { text, span, .. }| vec![item(self.literal(text), span)])).collect()
    }

    /// A literal in a rule of the parser; a token when it stands for text in any case.
    pub fn literal(&self, text: &str) -> ours::Atom {
        let plain = || ours::Atom::Literal(text.as_bytes().to_vec());
        if let Some(rule) = self.literals.rule(text) {
            let named = || ours::Atom::Nonterminal(Name::base(rule.name.name.as_str()));
            return if rule.any_case || only_literal(rule).is_none() { named() } else { plain() };
        }
        match self.literals.any_case(text) {
            Some(name) if self.defined(name) => ours::Atom::Nonterminal(Name::base(name)),
            _ => plain(),
        }
    }

    /// A literal in a rule of the parser, or what else its token is called. What is just this text elsewhere is this literal, too.
    fn literal_in_all_modes(&self, text: &str, span: &Span) -> ours::Atom {
        let literal = self.literal(text);
        let others = self.literals.rule(text).map_or(&[][..], |rule| self.other_names(&rule.name.name));
        let is_another = |other: &&String| {
            !self.skipped.contains(*other)
                && self.rules.get(other.as_str()).is_none_or(|rule| only_literal(rule) != Some(text))
        };
        let others: Vec<_> =
            others.iter().filter(is_another).map(|other| vec![nonterminal(other, span)]).collect();
        if others.is_empty() {
            return literal;
        }
        ours::Atom::Group(std::iter::once(vec![item(literal, span)]).chain(others).collect())
    }

    fn parser_rule(&mut self, rule: &Rule) {
        let name = &rule.name;
        let alternatives = self.parser_alternatives(&rule.alternatives);
        self.define(&name.name, &name.span, None, alternatives);
        let recursive = rule.alternatives.iter().filter(|alternative| {
            let is_itself = |item: Option<&Item>| {
                item.is_some_and(|item| matches!(&item.atom, Atom::Name(used) if *used == name.name))
            };
            is_itself(alternative.items.first())
                && is_itself(alternative.items.last())
                && alternative.items.len() > 1
        });
        if recursive.count() > 0 {
            self.report(Dropped::Precedence, &name.span);
        }
    }

    fn parser_alternatives(&mut self, alternatives: &[Alternative]) -> Vec<ours::Sequence> {
        let mut lowered = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            let mut sequence = Vec::with_capacity(alternative.items.len());
            for item in &alternative.items {
                let atom = match &item.atom {
                    Atom::Literal(text) => self.literal_in_all_modes(text, &item.span),
                    Atom::Name(name) => {
                        if self.skipped.contains(name) {
                            self.report(Dropped::Hidden, &item.span);
                        }
                        match self.other_names(name) {
                            [] => ours::Atom::Nonterminal(Name::base(name)),
                            others => {
                                let all = std::iter::once(name).chain(others);
                                let all = all.filter(|&one| one == name || !self.skipped.contains(one));
                                ours::Atom::Group(all.map(|one| vec![nonterminal(one, &item.span)]).collect())
                            }
                        }
                    }
                    // The input ends there: nothing follows any more.
                    Atom::EndOfInput => {
                        if self.may_be_unfinished() {
                            let end = nonterminal(UNFINISHED, &item.span);
                            sequence.push(ours::Item { operator: Some(ours::Operator::Optional), ..end });
                        }
                        continue;
                    }
                    Atom::Any => {
                        if !self.defined("any-token") {
                            let tokens = self.tokens();
                            self.define("any-token", &item.span, None, tokens);
                        }
                        ours::Atom::Nonterminal(Name::base("any-token"))
                    }
                    Atom::Not(members) => {
                        ours::Atom::Nonterminal(Name::base(self.other_tokens(members, &item.span)))
                    }
                    Atom::Group(inner) => ours::Atom::Group(self.parser_alternatives(inner)),
                    Atom::Set(class) if class.is_empty() => {
                        self.error("half of a surrogate pair is no text", &item.span, "");
                        continue;
                    }
                    Atom::Set(class) => ours::Atom::Class(class.clone()),
                };
                if item.operator.is_some_and(|operator| operator.is_reluctant) {
                    self.report(Dropped::Reluctant, &item.span);
                }
                sequence.push(with_operator(atom, item));
            }
            lowered.push(sequence);
        }
        lowered
    }

    /// `~(A | 'x')` in a rule of the parser: any other token.
    fn other_tokens(&mut self, members: &[Item], span: &Span) -> String {
        let mut excluded: BTreeSet<TokenKey> = BTreeSet::new();
        for member in members {
            let token = match &member.atom {
                Atom::Name(name) if is_lexical(name) => nonterminal(name, &member.span),
                Atom::Literal(text) => match self.literals.rule(text) {
                    Some(rule) => nonterminal(&rule.name.name, &member.span),
                    None => item(self.literal(text), &member.span),
                },
                Atom::EndOfInput => continue,
                _ => {
                    self.error("only tokens can be excluded here", &member.span, "expected a token");
                    continue;
                }
            };
            excluded.extend(key(&token));
            if let ours::Atom::Nonterminal(name) = &token.atom {
                let others = self.other_names(&name.base).iter();
                excluded.extend(others.map(|other| TokenKey::Rule(other.clone())));
            }
        }
        if let Some(known) = self.others.get(&excluded) {
            return known.clone();
        }
        let name = format!("other-token-{}", self.others.len() + 1);
        let is_excluded = |token: &ours::Sequence| match token.as_slice() {
            [token] => key(token).is_some_and(|key| excluded.contains(&key)),
            _ => false,
        };
        let mut tokens = Vec::new();
        if self.other_tokens <= MOST_OTHER_TOKENS {
            tokens = self.tokens();
            tokens.retain(|token| !is_excluded(token));
            self.other_tokens += tokens.len();
            if self.other_tokens > MOST_OTHER_TOKENS {
                self.error(
                    format!("all that `~` stands for comes to more than {MOST_OTHER_TOKENS} tokens"),
                    span,
                    "exclude fewer different sets of tokens",
                );
            }
        }
        self.others.insert(excluded, name.clone());
        self.define(&name, span, None, tokens);
        name
    }

    /// A nonterminal that reports do not show.
    pub fn hide(&mut self, name: &str, span: &Span) {
        self.lowered.text.helpers.push((HelperKind::Group, used(name, span)));
    }
}

fn uses(rules: &[Rule]) -> HashMap<String, BTreeSet<String>> {
    let mut uses: HashMap<String, BTreeSet<String>> = HashMap::new();
    for rule in rules {
        for name in names([rule]) {
            uses.entry(name.to_owned()).or_default().insert(rule.name.name.clone());
        }
    }
    uses
}

/// What tells a token from others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum TokenKey {
    Literal(Vec<u8>),
    Rule(String),
}

fn key(token: &ours::Item) -> Option<TokenKey> {
    match &token.atom {
        ours::Atom::Literal(text) => Some(TokenKey::Literal(text.clone())),
        ours::Atom::Nonterminal(name) => Some(TokenKey::Rule(name.text())),
        _ => None,
    }
}

pub(super) fn used(name: &str, span: &Span) -> ours::Use {
    ours::Use { name: Name::base(name), span: span.clone() }
}

pub(super) fn item(atom: ours::Atom, span: &Span) -> ours::Item {
    ours::Item { atom, operator: None, span: span.clone() }
}

pub(super) fn nonterminal(name: &str, span: &Span) -> ours::Item {
    item(ours::Atom::Nonterminal(Name::base(name)), span)
}

/// Any number of these.
fn repeated(alternatives: Vec<ours::Sequence>, span: &Span) -> ours::Item {
    ours::Item {
        atom: ours::Atom::Group(alternatives),
        operator: Some(ours::Operator::Star),
        span: span.clone(),
    }
}

/// An atom with the operator of the item from which it was made.
pub(super) fn with_operator(atom: ours::Atom, item: &Item) -> ours::Item {
    let operator = item.operator.map(|operator| match operator.sign {
        Sign::Star => ours::Operator::Star,
        Sign::Plus => ours::Operator::Plus,
        Sign::Optional => ours::Operator::Optional,
    });
    ours::Item { atom, operator, span: item.span.clone() }
}
