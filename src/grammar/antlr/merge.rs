//! Puts the files of a grammar together: the lexer grammar that `tokenVocab` names, and imports.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};

use super::super::check::{MOST_ERRORS, Texts};
use super::Resolver;
use super::syntax::{Alternative, Atom, Dropped, GrammarKind, Item, Rule, Span, Text, Use, names};
use super::{lexer, parser};
use super::{more, moves};

/// The maximum number of files that make one grammar.
const MOST_FILES: usize = 100;

/// All rules of a grammar.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub texts: Texts,
    pub rules: Vec<Rule>,
    pub tokens: Vec<Use>,
    /// What tokens are called in modes other than their own, and where they lead to others.
    pub other_names: HashMap<String, Vec<String>>,
    /// Whether commands say which lexer mode is at work.
    pub modes_are_known: bool,
    /// What `more` puts together.
    pub joined: more::Texts,
    pub dropped: Vec<(Dropped, Span)>,
}

/// Reads a file and all that it needs; and what is wrong with them.
pub(super) fn merge(source: &Arc<Source>, resolve: &Resolver<'_>) -> (Merged, Vec<Diagnostic>) {
    let mut merged = Merged::default();
    let mut errors = Vec::new();
    let mut known: HashMap<String, Span> = HashMap::new();
    let mut asked: BTreeSet<String> = BTreeSet::new();
    // Files to read: the first is the grammar itself, and how the others came in decides about twice
    // defined rules.
    let mut open: Vec<(Arc<Source>, bool)> = vec![(Arc::clone(source), false)];
    let mut next = 0;
    while let Some((source, is_import)) = open.get(next).cloned() {
        next += 1;
        let base = merged.texts.add(&source);
        let (lexemes, wrong) = lexer::lex(&source, base);
        let unfinished = wrong.len() >= MOST_ERRORS;
        errors.extend(wrong);
        if unfinished {
            break;
        }
        let (text, wrong) = parser::parse(&merged.texts, &lexemes);
        errors.extend(wrong);
        let Text { kind, vocabulary, imports, tokens, rules, dropped } = text;
        merged.tokens.extend(tokens);
        merged.dropped.extend(dropped);
        for rule in rules {
            let Use { name, span } = &rule.name;
            match known.get(name) {
                Some(earlier) if !is_import => {
                    let error = Diagnostic::error(format!("the rule `{name}` is defined twice"));
                    let error = merged.texts.point(error, span, "defined again here");
                    errors.push(merged.texts.point(error, earlier, "first defined here"));
                }
                Some(_) => merged.dropped.push((Dropped::Import, span.clone())),
                None => {
                    known.insert(name.clone(), span.clone());
                    merged.rules.push(rule);
                }
            }
        }
        // The vocabulary of other grammars only numbers the tokens that they define themselves.
        let vocabulary = vocabulary.filter(|_| kind == GrammarKind::Parser);
        let needed = vocabulary.map(|name| (name, false)).into_iter();
        for (Use { name, span }, is_import) in needed.chain(imports.into_iter().map(|name| (name, true))) {
            if !asked.insert(name.clone()) {
                continue;
            }
            match resolve(&name).filter(|_| open.len() < MOST_FILES) {
                Some(source) => open.push((source, is_import)),
                None => {
                    let error = Diagnostic::error(format!("the grammar `{name}` was not found"));
                    let error = merged.texts.point(error, &span, "needed here");
                    errors.push(error.help(format!("`{name}.g4` must lie beside the file that needs it")));
                }
            }
        }
        if errors.len() >= MOST_ERRORS {
            break;
        }
    }
    distinguish(&mut merged.rules, &merged.tokens);
    moves::mark_actions(&mut merged.rules);
    merged.joined = more::join(&mut merged.rules, &mut merged.dropped);
    merged.other_names = retype(&mut merged.rules);
    merged.modes_are_known = moves::divide(&mut merged.rules, &mut merged.other_names);
    (merged, errors)
}

/// Gives fragments another name where a token has theirs, one that is declared, that other tokens become, or that the parser uses (to ANTLR
/// it then is a token that no rule makes): rules of the lexer use the fragment, those of the parser the token.
fn distinguish(rules: &mut [Rule], tokens: &[Use]) {
    let types =
        rules.iter().flat_map(|rule| &rule.alternatives).flat_map(|alternative| &alternative.commands);
    let types =
        types.filter(|command| command.name.name == "type").filter_map(|command| command.argument.as_ref());
    let used = names(rules.iter().filter(|rule| !rule.is_lexical()));
    let declared = types.map(String::as_str).chain(tokens.iter().map(|token| token.name.as_str()));
    let named: BTreeSet<&str> = declared.chain(used).collect();
    let fragments = rules.iter().filter(|rule| rule.is_fragment && named.contains(rule.name.name.as_str()));
    // No rule of ANTLR has such a name.
    let new: HashMap<String, String> =
        fragments.map(|rule| (rule.name.name.clone(), fragment(&rule.name.name))).collect();
    for rule in rules.iter_mut().filter(|rule| rule.is_lexical() && !new.is_empty()) {
        if rule.is_fragment
            && let Some(name) = new.get(&rule.name.name)
        {
            rule.name.name.clone_from(name);
        }
        rename(&mut rule.alternatives, &new);
    }
}

/// What a fragment is called if there is a token of its name.
pub(super) fn fragment(name: &str) -> String {
    format!("{name}|fragment")
}

/// Uses names in the place of others.
pub(super) fn rename(alternatives: &mut [Alternative], new: &HashMap<String, String>) {
    for item in alternatives.iter_mut().flat_map(|alternative| &mut alternative.items) {
        rename_item(item, new);
    }
}

fn rename_item(item: &mut Item, new: &HashMap<String, String>) {
    match &mut item.atom {
        Atom::Name(name) => {
            if let Some(new) = new.get(name.as_str()) {
                name.clone_from(new);
            }
        }
        Atom::Group(inner) => rename(inner, new),
        Atom::Not(members) => members.iter_mut().for_each(|member| rename_item(member, new)),
        Atom::Literal(_) | Atom::Set(_) | Atom::Any | Atom::EndOfInput => {}
    }
}

/// Moves what becomes a token of another name by `-> type(X)` to the rule `X`, which is made where the first of them stands if
/// there is none. A rule of which nothing is left stays if others have it as a part, or if the parser names it: then it
/// derives nothing, for ANTLR's parser never sees it.
///
/// What comes from another mode than that of `X` becomes a rule of its own. Returns what these are called, by `X`.
fn retype(rules: &mut Vec<Rule>) -> HashMap<String, Vec<String>> {
    let mut other_names: HashMap<String, Vec<String>> = HashMap::new();
    let target = |alternative: &Alternative| {
        let mut commands = alternative.commands.iter().filter(|command| command.name.name == "type");
        commands.next_back().and_then(|command| {
            Some(Use { name: command.argument.clone()?, span: command.name.span.clone() })
        })
    };
    let mut place = 0;
    while place < rules.len() {
        let rule = &mut rules[place];
        let is_moved =
            |alternative: &Alternative| target(alternative).is_some_and(|to| to.name != rule.name.name);
        if rule.is_fragment || !rule.is_lexical() || !rule.alternatives.iter().any(is_moved) {
            place += 1;
            continue;
        }
        let (moved, kept): (Vec<_>, Vec<_>) = rule.alternatives.iter().cloned().partition(is_moved);
        let from = rule.clone();
        let uses = |rules: &[Rule], is_lexical: bool| {
            let of_kind = rules.iter().filter(|rule| rule.is_lexical() == is_lexical);
            names(of_kind).contains(from.name.name.as_str())
        };
        rules[place].alternatives = kept;
        let mut next = place + 1;
        if rules[place].alternatives.is_empty() {
            if uses(rules, true) {
                rules[place].is_fragment = true;
                rules[place].alternatives = moved.iter().cloned().map(without_commands).collect();
            } else if !uses(rules, false) {
                rules.remove(place);
                next = place;
            }
        }
        for mut alternative in moved {
            alternative.moved_from = Some(from.name.name.clone());
            let Some(to) = target(&alternative) else { continue };
            let mut own = to.name.clone();
            if rules.iter().any(|rule| rule.name.name == own && rule.mode != from.mode) {
                // No rule of ANTLR has such a name.
                own = format!("{own}-{}", from.mode.as_deref().unwrap_or("DEFAULT_MODE"));
                let others = other_names.entry(to.name).or_default();
                if !others.contains(&own) {
                    others.push(own.clone());
                }
            }
            match rules.iter_mut().find(|rule| rule.name.name == own && rule.is_lexical()) {
                Some(rule) => rule.alternatives.push(alternative),
                None => {
                    let name = Use { name: own, span: to.span };
                    rules.insert(next, Rule { name, alternatives: vec![alternative], ..from.clone() });
                    next += 1;
                }
            }
        }
        place = next;
    }
    other_names
}

fn without_commands(mut alternative: Alternative) -> Alternative {
    alternative.commands.clear();
    alternative
}
