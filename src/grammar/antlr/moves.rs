//! What ANTLR's lexer does behind a token: the modes that its commands enter and leave.
//!
//! `@lexer` says this of a word, so tokens whose alternatives have different commands become several, each with its own; the rules of the
//! parser take any of them. What code does behind a token is not known. A mode to which no command leads is come to by code, if at all: then
//! it can be at work anywhere, and nothing is said of modes.

use std::collections::{BTreeSet, HashMap};

use super::lexical::is_skipped;
use super::merge::rename;
use super::modes::DEFAULT_MODE;
use super::syntax::{Alternative, Atom, Command, Rule, Use, names};

/// The command that stands for an action.
const CODE: &str = "{}";

/// What is done behind a token, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Move {
    /// The mode is left for the one below it.
    Back,
    /// A mode is entered on top of this one.
    Enter(String),
    /// What code does.
    Anywhere,
}

/// What commands do in a mode, without what takes itself back.
pub(super) fn moves(mode: &str, commands: &[Command]) -> Vec<Move> {
    let mut moves = Vec::new();
    let back = |moves: &mut Vec<Move>| {
        if !matches!(moves.last(), Some(Move::Enter(_))) || moves.pop().is_none() {
            moves.push(Move::Back);
        }
    };
    for command in commands {
        match (command.name.name.as_str(), &command.argument) {
            (CODE, _) => return vec![Move::Anywhere],
            ("popMode", _) => back(&mut moves),
            ("pushMode", Some(to)) => moves.push(Move::Enter(to.clone())),
            ("mode", Some(to)) => {
                back(&mut moves);
                moves.push(Move::Enter(to.clone()));
            }
            _ => {}
        }
    }
    if matches!(&moves[..], [Move::Back, Move::Enter(to)] if to == mode) { Vec::new() } else { moves }
}

/// Notes actions among the commands of tokens.
pub(super) fn mark_actions(rules: &mut [Rule]) {
    for rule in rules.iter_mut().filter(|rule| rule.is_lexical() && !rule.is_fragment) {
        let name = Use { name: CODE.to_owned(), span: rule.name.span.clone() };
        for alternative in rule.alternatives.iter_mut().filter(|alternative| has_action(alternative)) {
            alternative.commands.push(Command { name: name.clone(), argument: None });
        }
    }
}

fn has_action(alternative: &Alternative) -> bool {
    let within = |atom: &Atom| matches!(atom, Atom::Group(inner) if inner.iter().any(has_action));
    alternative.has_action || alternative.items.iter().any(|item| within(&item.atom))
}

/// Gives each token that has alternatives with different moves one rule for each of these. What the others are called is
/// added to `other_names`. Whether it is known which mode is at work: if not, nothing is changed.
pub(super) fn divide(rules: &mut Vec<Rule>, other_names: &mut HashMap<String, Vec<String>>) -> bool {
    if !are_known(rules) {
        return false;
    }
    let lexical = rules.iter().filter(|rule| rule.is_lexical());
    let parts: BTreeSet<String> = names(lexical).into_iter().map(str::to_owned).collect();
    let mut whole: HashMap<String, String> = HashMap::new();
    let mut divided = Vec::with_capacity(rules.len());
    for rule in std::mem::take(rules) {
        let ways = by_moves(&rule);
        if ways.len() <= 1 {
            divided.push(rule);
            continue;
        }
        let own = &rule.name.name;
        if parts.contains(own) {
            // Other tokens have all of it as a part.
            let name = Use { name: format!("{own}-whole"), span: rule.name.span.clone() };
            whole.insert(own.clone(), name.name.clone());
            let mut all = Rule { name, is_fragment: true, ..rule.clone() };
            all.alternatives.iter_mut().for_each(|alternative| alternative.commands.clear());
            divided.push(all);
        }
        // The one that keeps the name is one that the parser sees.
        let kept = ways.iter().position(|way| !way.iter().all(is_skipped)).unwrap_or(0);
        let mut number = 1;
        for (place, alternatives) in ways.into_iter().enumerate() {
            let mut name = rule.name.clone();
            if place != kept {
                number += 1;
                // No rule of ANTLR has such a name.
                name.name = format!("{own}-{number}");
                other_names.entry(own.clone()).or_default().push(name.name.clone());
            }
            // What is said of a place within it is said of this rule.
            if let Some(item) = alternatives.first().and_then(|alternative| alternative.items.first()) {
                name.span = item.span.start..item.span.start.max(name.span.end);
            }
            divided.push(Rule { name, alternatives, ..rule.clone() });
        }
    }
    for rule in divided.iter_mut().filter(|rule| rule.is_lexical() && !whole.is_empty()) {
        rename(&mut rule.alternatives, &whole);
    }
    *rules = divided;
    true
}

/// The alternatives of a token that have the same moves.
fn by_moves(rule: &Rule) -> Vec<Vec<Alternative>> {
    if !is_token(rule) {
        return Vec::new();
    }
    let mut ways: Vec<(Vec<Move>, Vec<Alternative>)> = Vec::new();
    for alternative in &rule.alternatives {
        let own = moves(mode_of(rule), &alternative.commands);
        match ways.iter_mut().find(|(known, _)| *known == own) {
            Some((_, alternatives)) => alternatives.push(alternative.clone()),
            None => ways.push((own, vec![alternative.clone()])),
        }
    }
    ways.into_iter().map(|(_, alternatives)| alternatives).collect()
}

/// Whether commands say which mode is at work: they lead to all modes that have tokens, and to no others. Not so where a token leads from one mode to another
/// without any text, wherever nothing else begins: what stands there is no word that a text could show.
fn are_known(rules: &[Rule]) -> bool {
    let tokens = || rules.iter().filter(|rule| is_token(rule) && !rule.alternatives.is_empty());
    let modes: BTreeSet<String> = tokens().map(|rule| mode_of(rule).to_owned()).collect();
    let leads_silently = |rule: &Rule, one: &Alternative| {
        one.items.is_empty() && !moves(mode_of(rule), &one.commands).is_empty()
    };
    if tokens().any(|rule| rule.alternatives.iter().any(|one| leads_silently(rule, one))) {
        return false;
    }
    let mut led_to = BTreeSet::from([DEFAULT_MODE.to_owned()]);
    for rule in tokens() {
        for action in rule.alternatives.iter().flat_map(|one| moves(mode_of(rule), &one.commands)) {
            if let Move::Enter(to) = action {
                led_to.insert(to);
            }
        }
    }
    modes.len() > 1 && led_to == modes
}

fn is_token(rule: &Rule) -> bool {
    rule.is_lexical() && !rule.is_fragment
}

fn mode_of(rule: &Rule) -> &str {
    rule.mode.as_deref().unwrap_or(DEFAULT_MODE)
}
