//! Turns the syntax tree of a grammar into the grammar: names become ids, operators and groups
//! become helper nonterminals.
//!
//! Nonterminals are numbered in the order of their definitions; helpers follow, in the order in which
//! their operators begin in the text. A helper is called after the nonterminal in whose definition
//! it stands: `items*1`.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source, nearest};
use crate::base::id::IdVec;

use super::super::check::{MOST_ERRORS, Places};
use super::super::model::{Grammar, GrammarBuilder, HelperKind, Name, NonterminalId, Role, Symbol, Token};
use super::super::numbering;
use super::skip;
use super::syntax::{Atom, Definition, Item, Operator, Sequence, Span, Text, Use, hint};

/// The grammar of a text and the places of its nonterminals.
///
/// # Errors
/// When names are undefined or defined twice, or when nothing is defined.
pub(in super::super) fn lower(
    source: &Arc<Source>,
    text: &Text,
) -> Result<(Grammar, Places), Vec<Diagnostic>> {
    let names = Names::of(source, text)?;
    let mut lowering = Lowering { builder: GrammarBuilder::new(), places: IdVec::new() };
    for definition in &text.definitions {
        lowering.builder.nonterminal(definition.name.name.clone());
        lowering.places.push(definition.name.span.clone());
    }
    for (kind, target) in &text.helpers {
        let id = lowering.find(&target.name);
        lowering.builder.set_role(id, Role::Helper(*kind));
    }
    for definition in &text.definitions {
        lowering.definition(definition);
    }
    let start = lowering.find(&names.start);
    let Lowering { mut builder, mut places } = lowering;
    if let Some(skip) = &text.skip {
        let target = builder.nonterminal(skip.target.name.clone());
        builder.set_skip(target);
    }
    if let Some(lexer) = &text.lexer {
        let target = builder.nonterminal(lexer.name.clone());
        builder.set_lexer(target);
    }
    let mut grammar = builder.finish(start);
    if let Some(lexer) = &text.lexer {
        words(source, text, lexer)?;
    }
    if let Some(skip) = text.skip.as_ref().filter(|skip| !skip.written) {
        let errors = mixed(source, &grammar, &places);
        if !errors.is_empty() {
            return Err(errors);
        }
        grammar = skip::insert(&grammar);
        while places.len() < grammar.nonterminals().len() {
            places.push(skip.target.span.clone());
        }
    }
    Ok((numbering::renumbered(&grammar), places))
}

/// What `@lexer` names has a token or a literal in each alternative, a token with `?` behind it, or a nonterminal with such alternatives, a
/// mode. Behind these stand the modes that are entered, what derives only the empty text, or what `@lexer` names itself.
///
/// # Errors
/// For each alternative that has something else.
fn words(source: &Arc<Source>, text: &Text, lexer: &Use) -> Result<(), Vec<Diagnostic>> {
    let is_token = |name: &Name| {
        text.definitions.iter().any(|definition| definition.name.name == *name && definition.token.is_some())
    };
    let is_word = |item: &Item| match (&item.atom, item.operator) {
        (Atom::Literal(bytes), None) => !bytes.is_empty(),
        (Atom::Nonterminal(name), None | Some(Operator::Optional)) => is_token(name),
        _ => false,
    };
    let alternatives = |name: &Name| {
        let definition = text.definitions.iter().find(|definition| definition.name.name == *name);
        definition.map_or(&[][..], |definition| &definition.alternatives)
    };
    let own = alternatives(&lexer.name);
    let mode = |sequence: &Sequence| match sequence.as_slice() {
        [Item { atom: Atom::Nonterminal(name), operator: None, .. }] if !is_token(name) => Some(name.clone()),
        _ => None,
    };
    let modes: Vec<Name> =
        own.iter().filter_map(mode).filter(|name| !alternatives(name).is_empty()).collect();
    let is_empty = |sequence: &Sequence| {
        sequence.iter().all(|item| matches!(&item.atom, Atom::Literal(bytes) if bytes.is_empty()))
    };
    let is_move = |item: &Item| match (&item.atom, item.operator) {
        (Atom::Nonterminal(name), None) => {
            modes.contains(name)
                || *name == lexer.name
                || matches!(alternatives(name), [only] if is_empty(only))
        }
        _ => false,
    };
    let is_right = |sequence: &&Sequence| match sequence.as_slice() {
        [word, moves @ ..] => is_word(word) && moves.iter().all(is_move),
        [] => false,
    };
    let wrong: Vec<Diagnostic> = own
        .iter()
        .filter(|sequence| mode(sequence).is_none_or(|name| !modes.contains(&name)))
        .chain(modes.iter().flat_map(alternatives))
        .filter(|sequence| !is_right(sequence))
        .take(MOST_ERRORS)
        .map(|sequence| {
            let (place, expected) = match sequence.as_slice() {
                [] => (lexer.span.clone(), "expected a token or a literal"),
                [word, moves @ ..] if is_word(word) => (
                    moves
                        .iter()
                        .find(|item| !is_move(item))
                        .map_or(lexer.span.clone(), |item| item.span.clone()),
                    "expected a mode, or what derives only the empty text",
                ),
                [word, ..] => (word.span.clone(), "expected a token or a literal"),
            };
            Diagnostic::error(format!("`{}` names all words, and this is none", lexer.name))
                .at(source, place, expected)
                .help(format!(
                    "write `@lexer` for alternatives such as in `{} ::= \"+\" | <number>`",
                    lexer.name
                ))
        })
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// What is wrong with nonterminals that are used both inside and outside tokens.
fn mixed(source: &Arc<Source>, grammar: &Grammar, places: &Places) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for (user, used) in skip::mixed(grammar) {
        let name = grammar.name(used);
        errors.push(
            Diagnostic::error(format!("`{name}` is used both inside a token and outside of tokens"))
                .at(source, places[used].clone(), "nothing may stand between its parts inside a token")
                .at(source, places[user].clone(), "used here, where `@skip` applies")
                .help(format!("make it a token, `@token {name} ::= ...`, or define it once for each")),
        );
        if errors.len() == MOST_ERRORS {
            break;
        }
    }
    errors
}

/// What is known of the names once they are checked.
struct Names {
    start: Name,
}

impl Names {
    fn of(source: &Arc<Source>, text: &Text) -> Result<Self, Vec<Diagnostic>> {
        let Some(first) = text.definitions.first() else {
            return Err(vec![
                Diagnostic::error("the grammar defines nothing")
                    .at(source, 0..0, "expected a definition")
                    .help("a definition is written `<item> ::= \"x\" | \"y\" <item>`"),
            ]);
        };
        let mut errors = Vec::new();
        let mut defined: HashMap<String, Span> = HashMap::new();
        for Definition { name, .. } in &text.definitions {
            if let Some(earlier) = defined.insert(name.name.text(), name.span.clone()) {
                errors.push(
                    Diagnostic::error(format!("`{}` is defined twice", name.name))
                        .at(source, name.span.clone(), "defined again here")
                        .at(source, earlier, "first defined here")
                        .help("put the alternatives of both into one definition, separated by `|`"),
                );
            }
        }
        let mut uses: Vec<Use> = Vec::new();
        uses.extend(text.start.clone());
        uses.extend(text.skip.as_ref().map(|skip| skip.target.clone()));
        uses.extend(text.lexer.clone());
        uses.extend(text.helpers.iter().map(|(_, target)| target.clone()));
        for definition in &text.definitions {
            if let Some(options) = &definition.token {
                uses.extend(options.except.iter().cloned());
            }
            definition.alternatives.iter().for_each(|sequence| collect(sequence, &mut uses));
        }
        // The names in the order of their definitions, so that suggestions do not vary.
        let names: Vec<String> =
            text.definitions.iter().map(|definition| definition.name.name.text()).collect();
        let mut reported: HashMap<String, ()> = HashMap::new();
        for Use { name, span } in uses {
            let wrong = name.text();
            if defined.contains_key(&wrong)
                || errors.len() >= MOST_ERRORS
                || reported.insert(wrong.clone(), ()).is_some()
            {
                continue;
            }
            let error =
                Diagnostic::error(format!("there is no nonterminal `{name}`")).at(source, span, "used here");
            errors.push(match nearest(&wrong, names.iter().map(String::as_str)) {
                Some(name) => error.help(format!("did you mean `<{name}>`?")),
                None => error.help(format!("define it: `{name} ::= ...`")),
            });
        }
        let mut kinds: HashMap<String, (HelperKind, Span)> = HashMap::new();
        for (kind, Use { name, span }) in &text.helpers {
            if let Some((other, earlier)) = kinds.insert(name.text(), (*kind, span.clone()))
                && other != *kind
            {
                errors.push(
                    Diagnostic::error(format!("`{name}` is declared a helper of two kinds"))
                        .at(source, span.clone(), "of another kind here")
                        .at(source, earlier, "first declared here"),
                );
            }
        }
        if errors.is_empty() {
            let start = text.start.as_ref().map_or(&first.name.name, |target| &target.name);
            Ok(Self { start: start.clone() })
        } else {
            Err(errors)
        }
    }
}

fn collect(sequence: &Sequence, uses: &mut Vec<Use>) {
    for item in sequence {
        match &item.atom {
            Atom::Nonterminal(name) => uses.push(Use { name: name.clone(), span: item.span.clone() }),
            Atom::Group(alternatives) => alternatives.iter().for_each(|sequence| collect(sequence, uses)),
            Atom::Literal(_) | Atom::Class(_) => {}
        }
    }
}

struct Lowering {
    builder: GrammarBuilder,
    places: Places,
}

impl Lowering {
    /// The nonterminal of a name that was checked to be defined.
    fn find(&mut self, name: &Name) -> NonterminalId {
        self.builder.nonterminal(name.clone())
    }

    fn definition(&mut self, definition: &Definition) {
        let name = &definition.name.name;
        let id = self.find(name);
        if let Some(options) = &definition.token {
            let except = options.except.iter().map(|target| self.find(&target.name)).collect();
            let not_before = options.not_before.clone().map(|class| self.builder.class_id(class));
            self.builder.set_token(id, Token { except, not_before });
        }
        self.rules(id, name, &definition.alternatives);
    }

    fn rules(&mut self, lhs: NonterminalId, enclosing: &Name, alternatives: &[Sequence]) {
        for sequence in alternatives {
            let symbols = self.sequence(enclosing, sequence);
            self.builder.rule(lhs, symbols);
        }
    }

    fn sequence(&mut self, enclosing: &Name, sequence: &Sequence) -> Vec<Symbol> {
        let mut symbols = Vec::with_capacity(sequence.len());
        for item in sequence {
            match item.operator {
                None => self.atom(enclosing, item, &mut symbols),
                Some(operator) => symbols.push(self.repeated(enclosing, item, operator)),
            }
        }
        symbols
    }

    fn atom(&mut self, enclosing: &Name, item: &Item, symbols: &mut Vec<Symbol>) {
        match &item.atom {
            Atom::Literal(bytes) => symbols.extend(self.builder.literal(bytes)),
            Atom::Class(class) => symbols.push(self.builder.class(class.clone())),
            Atom::Nonterminal(name) => symbols.push(Symbol::Nonterminal(self.find(name))),
            Atom::Group(alternatives) => match alternatives.as_slice() {
                [sequence] => symbols.extend(self.sequence(enclosing, sequence)),
                _ => {
                    let group = self.helper(enclosing, HelperKind::Group, item);
                    self.rules(group, enclosing, alternatives);
                    symbols.push(Symbol::Nonterminal(group));
                }
            },
        }
    }

    fn repeated(&mut self, enclosing: &Name, item: &Item, operator: Operator) -> Symbol {
        let helper = self.helper(enclosing, operator.kind(), item);
        let mut body = Vec::new();
        self.atom(enclosing, item, &mut body);
        let itself = Symbol::Nonterminal(helper);
        let again = body.iter().copied().chain([itself]).collect::<Vec<_>>();
        let (first, second) = match operator {
            Operator::Star => (Vec::new(), again),
            Operator::Plus => (body, again),
            Operator::Optional => (Vec::new(), body),
        };
        self.builder.rule(helper, first);
        self.builder.rule(helper, second);
        itself
    }

    fn helper(&mut self, enclosing: &Name, kind: HelperKind, item: &Item) -> NonterminalId {
        self.places.push(item.span.clone());
        self.builder.helper(&hint(enclosing, kind), kind)
    }
}
