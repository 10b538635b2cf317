//! From JSON to a grammar.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source, nearest};

use super::super::check::{self, MOST_ERRORS, Places, Texts};
use super::super::format::{Format, Read, no_start};
use super::super::model::{Grammar, GrammarBuilder, Name, NonterminalId, Symbol};
use super::super::{numbering, spelling};
use super::value::{self, Locator, Node, Text, Value};
use super::{GRAMMAR_KEY, Piece, START, START_KEY, bracketed, pieces};

/// Reads a grammar in this JSON form; if none is given, in the one that its rules are in.
pub(super) fn read(
    source: &Arc<Source>,
    form: Option<Format>,
    start: Option<&str>,
) -> Result<Read, Diagnostics> {
    let root = value::read(source)?;
    let Value::Object(entries) = &root.value else {
        return Err(Diagnostic::error("a grammar in JSON is an object")
            .at(source, root.span.start..root.span.start + 1, format!("found {}", root.kind()))
            .help("it has the form {\"<start>\": [\"<a>x\", ...], ...}")
            .into());
    };
    let mut reader = Reader { source, form: Format::Fuzzingbook, errors: Vec::new() };
    let Some(envelope) = reader.envelope(entries, &root.span) else {
        return Err(check::finish(reader.errors));
    };
    reader.form = form.unwrap_or_else(|| suggested(envelope.rules));
    match reader.grammar(&envelope, start) {
        Some((grammar, places)) if reader.errors.is_empty() => {
            let warnings = check::warnings(&Texts::from(source), &grammar, &places);
            Ok(Read { grammar, warnings })
        }
        _ => Err(check::finish(reader.errors)),
    }
}

/// The form that the first rule in a list is in; where all rules stand outside of lists, the one whose rules are strings. Without
/// rules the forms differ only in the names they allow, and the canonical form allows more.
fn suggested(rules: &[(Text, Node)]) -> Format {
    let firsts = rules.iter().filter_map(|(_, node)| match &node.value {
        Value::Array(rules) => rules.first(),
        _ => None,
    });
    let form = |rule: &Node| match &rule.value {
        Value::String(_) => Some(Format::Fuzzingbook),
        // The options of a rule are a thing of the fuzzing book.
        Value::Array(symbols) if has_options(symbols) => Some(Format::Fuzzingbook),
        Value::Array(_) => Some(Format::Canonical),
        Value::Object(_) | Value::Other => None,
    };
    let is_rule = |(_, node): &(Text, Node)| matches!(node.value, Value::String(_));
    let otherwise = if rules.iter().any(is_rule) { Format::Fuzzingbook } else { Format::Canonical };
    firsts.into_iter().find_map(form).unwrap_or(otherwise)
}

/// Whether this is a rule of the fuzzing book with its options, and no list of symbols.
fn has_options(symbols: &[Node]) -> bool {
    symbols.iter().any(|symbol| matches!(symbol.value, Value::Object(_)))
}

/// The parts of the outermost object.
struct Envelope<'a> {
    /// The name of the start symbol, with its brackets, and where it stands; `None` when the text
    /// does not name it.
    start: Option<(&'a str, Range<usize>)>,
    /// Where the object begins.
    brace: Range<usize>,
    rules: &'a [(Text, Node)],
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    form: Format,
    errors: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error(&mut self, message: impl Into<String>, span: Range<usize>, label: &str, help: &str) {
        if self.errors.len() < MOST_ERRORS {
            let error = Diagnostic::error(message).at(self.source, span, label);
            self.errors.push(error.help(help));
        }
    }

    fn envelope<'n>(&mut self, entries: &'n [(Text, Node)], span: &Range<usize>) -> Option<Envelope<'n>> {
        let brace = span.start..span.start + 1;
        let bare = !entries.iter().any(|(key, _)| key.text == START_KEY || key.text == GRAMMAR_KEY);
        if bare {
            return Some(Envelope { start: None, brace, rules: entries });
        }
        self.duplicates(entries);
        let mut start = None;
        let mut rules = None;
        for (key, node) in entries {
            match (key.text.as_str(), &node.value) {
                (START_KEY, Value::String(text)) => start = Some((text.as_str(), node.span.clone())),
                (START_KEY, _) => {
                    self.error(
                        "the start symbol is a string",
                        node.span.clone(),
                        &format!("found {}", node.kind()),
                        "",
                    );
                }
                (GRAMMAR_KEY, Value::Object(entries)) => rules = Some(entries.as_slice()),
                (GRAMMAR_KEY, _) => {
                    self.error(
                        "the grammar is an object",
                        node.span.clone(),
                        &format!("found {}", node.kind()),
                        "",
                    );
                }
                (other, _) => self.error(
                    format!("there is no key `{other}` beside `{START_KEY}` and `{GRAMMAR_KEY}`"),
                    key.span.clone(),
                    "",
                    "rules stand inside the object of `[grammar]`",
                ),
            }
        }
        if !entries.iter().any(|(key, _)| key.text == GRAMMAR_KEY) {
            let help = "rules stand inside the object of `[grammar]`";
            self.error(format!("`{GRAMMAR_KEY}` is missing"), brace.clone(), "in this object", help);
        }
        if !self.errors.is_empty() {
            return None;
        }
        Some(Envelope { start, brace, rules: rules? })
    }

    fn duplicates(&mut self, entries: &[(Text, Node)]) {
        let mut seen: HashMap<&str, &Range<usize>> = HashMap::new();
        for (key, _) in entries {
            if let Some(earlier) = seen.insert(&key.text, &key.span) {
                let error = Diagnostic::error(format!("`{}` is defined twice", key.text))
                    .at(self.source, key.span.clone(), "defined again here")
                    .at(self.source, earlier.clone(), "first defined here");
                self.errors.push(error);
            }
        }
    }

    /// The name of a nonterminal, which is written with its brackets.
    fn name(&mut self, text: &str, span: &Range<usize>) -> Option<Name> {
        let Some(inner) = bracketed(text) else {
            let help = format!("did you mean \"<{}>\"?", text.trim_matches(['<', '>']));
            self.error("the name of a nonterminal stands in angle brackets", span.clone(), "", &help);
            return None;
        };
        if self.form == Format::Fuzzingbook && inner.contains(' ') {
            let help = "only the canonical form has such names";
            self.error("a name in the fuzzingbook form has no spaces", span.clone(), "", help);
            return None;
        }
        match spelling::name(inner) {
            Ok(name) => Some(name),
            Err(why) => {
                self.error(format!("a name cannot {why}"), span.clone(), "", "");
                None
            }
        }
    }

    fn grammar(&mut self, envelope: &Envelope<'_>, chosen: Option<&str>) -> Option<(Grammar, Places)> {
        self.duplicates(envelope.rules);
        if envelope.rules.is_empty() {
            let help = "a definition is written \"<start>\": [\"x\", \"<start>y\"]";
            self.error("the grammar defines nothing", envelope.brace.clone(), "expected a definition", help);
            return None;
        }
        let mut builder = GrammarBuilder::new();
        let mut places = Places::new();
        let mut defined: Vec<(NonterminalId, &Node)> = Vec::new();
        let mut undefined = HashSet::new();
        for (key, node) in envelope.rules {
            let Some(name) = self.name(&key.text, &key.span) else {
                // Its uses are right.
                undefined.insert(key.text.trim_matches(['<', '>']).to_owned());
                continue;
            };
            let id = builder.nonterminal(name);
            if places.get(id).is_none() {
                places.push(key.span.clone());
                defined.push((id, node));
            }
        }
        let names = builder.nonterminals().iter().map(|nonterminal| nonterminal.name.text()).collect();
        let mut rules = Rules { builder, names, undefined };
        for (id, node) in defined {
            self.rules(&mut rules, id, node);
        }
        let start = match chosen {
            None => self.start(&rules, envelope)?,
            Some(name) => match rules.builder.find(name) {
                Some(start) => start,
                None => {
                    self.errors.push(no_start(name, rules.names.iter().cloned()));
                    return None;
                }
            },
        };
        Some((numbering::renumbered(&rules.builder.finish(start)), places))
    }

    fn start(&mut self, rules: &Rules, envelope: &Envelope<'_>) -> Option<NonterminalId> {
        let (name, span) = match &envelope.start {
            Some((text, span)) => (self.name(text, span)?, span),
            None => (Name::base(START), &envelope.brace),
        };
        let found = rules.find(&name);
        if found.is_none() && !rules.undefined.contains(&name.text()) {
            let error = Diagnostic::error(format!("there is no nonterminal `{name}`, the start symbol")).at(
                self.source,
                span.clone(),
                "",
            );
            self.errors.push(match envelope.start {
                Some(_) => rules.suggest(error, &name.text()),
                None => error.help("name another: {\"[start]\": \"<a>\", \"[grammar]\": {...}}"),
            });
        }
        found
    }

    fn rules(&mut self, rules: &mut Rules, lhs: NonterminalId, node: &Node) {
        // The only alternative may stand without a list.
        if let Value::String(text) = &node.value {
            let symbols = self.string(rules, text, &node.span);
            rules.builder.rule(lhs, symbols);
            return;
        }
        let Value::Array(alternatives) = &node.value else {
            let help = "a single alternative may also be a string";
            return self.error(
                "the alternatives of a nonterminal are a list",
                node.span.clone(),
                &format!("found {}", node.kind()),
                help,
            );
        };
        for rule in alternatives {
            let symbols = match (&rule.value, self.form) {
                // The papers' grammars have both in one file.
                (Value::String(text), _) => self.string(rules, text, &rule.span),
                (Value::Array(symbols), form) if form == Format::Canonical || !has_options(symbols) => {
                    self.list(rules, symbols)
                }
                (Value::Array(_), _) => {
                    let help = "write the rule without options";
                    self.error(
                        "options of a rule are not supported",
                        rule.span.clone(),
                        "expected a string",
                        help,
                    );
                    continue;
                }
                _ => {
                    let found = format!("found {}", rule.kind());
                    self.error("a rule is a string or a list of symbols", rule.span.clone(), &found, "");
                    continue;
                }
            };
            rules.builder.rule(lhs, symbols);
        }
    }

    fn string(&mut self, rules: &mut Rules, text: &str, span: &Range<usize>) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        let mut locator = Locator::new(self.source, span);
        for (piece, part) in pieces(text) {
            match piece {
                Piece::Text(text) => symbols.extend(rules.builder.literal(text.as_bytes())),
                Piece::Name(inner) => {
                    let place = locator.locate(&part);
                    symbols.extend(self.nonterminal(rules, inner, place));
                }
            }
        }
        symbols
    }

    fn list(&mut self, rules: &mut Rules, list: &[Node]) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        for node in list {
            match &node.value {
                Value::String(text) => match bracketed(text) {
                    Some(inner) => symbols.extend(self.nonterminal(rules, inner, node.span.clone())),
                    None => symbols.extend(rules.builder.literal(text.as_bytes())),
                },
                _ => {
                    self.error(
                        "a symbol is a string",
                        node.span.clone(),
                        &format!("found {}", node.kind()),
                        "",
                    );
                }
            }
        }
        symbols
    }

    fn nonterminal(&mut self, rules: &mut Rules, inner: &str, place: Range<usize>) -> Option<Symbol> {
        let name = match spelling::name(inner) {
            Ok(name) => name,
            Err(why) => {
                let help =
                    "text that looks like a name is written in two symbols, or with a nonterminal for `<`";
                self.error(format!("a name cannot {why}"), place, "", help);
                return None;
            }
        };
        if let Some(id) = rules.find(&name) {
            return Some(Symbol::Nonterminal(id));
        }
        if rules.undefined.insert(name.text()) && self.errors.len() < MOST_ERRORS {
            let error = Diagnostic::error(format!("there is no nonterminal `{name}`")).at(
                self.source,
                place,
                "used here",
            );
            self.errors.push(rules.suggest(error, &name.text()));
        }
        None
    }
}

/// The rules so far, all nonterminals being known.
struct Rules {
    builder: GrammarBuilder,
    /// By id.
    names: Vec<String>,
    /// Names that were reported: as undefined, or as no names.
    undefined: HashSet<String>,
}

impl Rules {
    fn find(&self, name: &Name) -> Option<NonterminalId> {
        self.builder.find(&name.text())
    }

    fn suggest(&self, error: Diagnostic, wrong: &str) -> Diagnostic {
        match nearest(wrong, self.names.iter().map(String::as_str)) {
            Some(name) => error.help(format!("did you mean `<{name}>`?")),
            None => error.help(format!("define it: \"<{wrong}>\": [...]")),
        }
    }
}
