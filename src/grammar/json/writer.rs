//! From a grammar to JSON.
//!
//! JSON has strings only: a class becomes a nonterminal with one alternative for each character, and
//! the roles of nonterminals, tokens and `@skip` are lost.

use std::collections::HashSet;

use crate::base::diagnostic::{Diagnostic, Diagnostics};
use crate::base::id::IdVec;

use super::super::class::CharClass;
use super::super::format::Format;
use super::super::model::{ClassId, Grammar, NonterminalId, Symbol};
use super::{GRAMMAR_KEY, Piece, START, START_KEY, bracketed, pieces};

/// The largest class that is written as alternatives.
const MOST_CHARACTERS: usize = 256;
/// The longest line, in characters, that holds several alternatives.
const WIDTH: usize = 100;

/// Writes a grammar in this JSON form, in the envelope of the papers if wanted.
pub(super) fn write(grammar: &Grammar, form: Format, envelope: bool) -> Result<String, Diagnostics> {
    let mut writer = Writer::new(grammar, form);
    let mut definitions = Vec::new();
    if !envelope {
        definitions.extend(writer.start_rule()?);
    }
    for id in grammar.nonterminals().ids() {
        definitions.push(writer.definition(id));
    }
    definitions.append(&mut writer.added);
    if !writer.errors.is_empty() {
        return Err(Diagnostics(writer.errors));
    }
    let start = format!("<{}>", writer.names[grammar.start()]);
    let mut page = String::new();
    if envelope {
        page += &format!("{{\n  {}: {},\n  {}: ", json(START_KEY), json(&start), json(GRAMMAR_KEY));
        object(&mut page, &definitions, "  ");
        page += "\n}";
    } else {
        object(&mut page, &definitions, "");
    }
    page.push('\n');
    Ok(page)
}

/// A nonterminal and its alternatives, which are JSON.
struct Entry {
    name: String,
    rules: Vec<String>,
}

fn object(page: &mut String, definitions: &[Entry], indent: &str) {
    page.push('{');
    for (index, Entry { name, rules }) in definitions.iter().enumerate() {
        *page += if index == 0 { "\n" } else { ",\n" };
        let key = json(&format!("<{name}>"));
        let line = format!("{indent}  {key}: [{}]", rules.join(", "));
        if line.chars().count() <= WIDTH || rules.len() < 2 {
            *page += &line;
        } else {
            let separator = format!(",\n{indent}    ");
            *page += &format!("{indent}  {key}: [\n{indent}    {}\n{indent}  ]", rules.join(&separator));
        }
    }
    *page += &format!("\n{indent}}}");
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

struct Writer<'a> {
    grammar: &'a Grammar,
    form: Format,
    names: IdVec<NonterminalId, String>,
    taken: HashSet<String>,
    /// The nonterminals of classes, by class, as far as they were needed.
    classes: IdVec<ClassId, Option<String>>,
    /// The nonterminal of `<`, if it was needed.
    less_than: Option<String>,
    /// The definitions of both.
    added: Vec<Entry>,
    errors: Vec<Diagnostic>,
}

impl<'a> Writer<'a> {
    fn new(grammar: &'a Grammar, form: Format) -> Self {
        let mut writer = Self {
            grammar,
            form,
            names: IdVec::new(),
            taken: HashSet::new(),
            classes: IdVec::filled(None, grammar.classes().len()),
            less_than: None,
            added: Vec::new(),
            errors: Vec::new(),
        };
        let text = |id: NonterminalId| grammar.name(id).text();
        let fits = |name: &str| form == Format::Canonical || !name.contains(' ');
        // Names that fit stay as they are, whatever becomes of the others.
        writer.taken.extend(grammar.nonterminals().ids().map(text).filter(|name| fits(name)));
        for id in grammar.nonterminals().ids() {
            let name = text(id);
            let name = if fits(&name) { name } else { writer.unique(&name.replace(' ', "_"), "_") };
            writer.names.push(name);
        }
        writer
    }

    /// A name that nothing has: `name`, or `name` with a number from 2 on after `joint`.
    fn unique(&mut self, name: &str, joint: &str) -> String {
        let mut unique = name.to_owned();
        let mut number = 2;
        while !self.taken.insert(unique.clone()) {
            unique = format!("{name}{joint}{number}");
            number += 1;
        }
        unique
    }

    /// The rule for `<start>` where the start symbol is called otherwise.
    fn start_rule(&mut self) -> Result<Option<Entry>, Diagnostics> {
        let start = self.names[self.grammar.start()].clone();
        if start == START {
            return Ok(None);
        }
        if !self.taken.insert(START.to_owned()) {
            return Err(Diagnostic::error(format!(
                "without an envelope the start symbol would be `<{START}>`, which is another than `<{start}>`"
            ))
            .help("write the grammar with its envelope")
            .into());
        }
        let text = json(&format!("<{start}>"));
        let rule = if self.form == Format::Canonical { format!("[{text}]") } else { text };
        Ok(Some(Entry { name: START.to_owned(), rules: vec![rule] }))
    }

    fn definition(&mut self, id: NonterminalId) -> Entry {
        let grammar = self.grammar;
        let rules = grammar.rules_of(id).iter();
        let rules = rules.map(|&rule| {
            let parts =
                grammar.rule(rule).symbols.iter().filter_map(|&symbol| self.part(id, symbol)).collect();
            self.rule(parts)
        });
        let rules = rules.collect();
        Entry { name: self.names[id].clone(), rules }
    }

    /// A symbol of a rule of `lhs`; `None` when JSON cannot express it, which is reported.
    fn part(&mut self, lhs: NonterminalId, symbol: Symbol) -> Option<Part> {
        let grammar = self.grammar;
        let cannot = |what: String| {
            Diagnostic::error(format!("{what} in `{}` cannot be written as JSON", grammar.name(lhs)))
                .help("the ebnf format can express it")
        };
        match symbol {
            Symbol::Nonterminal(id) => Some(Part::Name(self.names[id].clone())),
            Symbol::Literal(literal) => match std::str::from_utf8(grammar.literal(literal)) {
                Ok(text) => Some(Part::Text(text.to_owned())),
                Err(_) => {
                    let literal = super::super::spelling::literal(grammar.literal(literal));
                    self.errors.push(cannot(format!("the literal {literal}, which is not UTF-8,")));
                    None
                }
            },
            Symbol::Class(id) => {
                let class = grammar.class(id);
                if class.len() > MOST_CHARACTERS {
                    let count = class.len();
                    self.errors.push(cannot(format!("the class `{class}` of {count} characters")));
                    return None;
                }
                if self.classes[id].is_none() {
                    let name = self.class(class);
                    self.classes[id] = Some(name);
                }
                self.classes[id].clone().map(Part::Name)
            }
        }
    }

    /// Defines a nonterminal for the characters of a class.
    fn class(&mut self, class: &CharClass) -> String {
        let number = self.classes.iter().flatten().count() + 1;
        let name = self.unique(&format!("class{number}"), "-");
        let rules = class.chars().map(|c| self.rule(vec![Part::Text(c.to_string())])).collect();
        self.added.push(Entry { name: name.clone(), rules });
        name
    }

    fn rule(&mut self, parts: Vec<Part>) -> String {
        match self.form {
            Format::Canonical => {
                let symbols: Vec<String> =
                    parts.iter().flat_map(Part::symbols).map(|text| json(&text)).collect();
                format!("[{}]", symbols.join(", "))
            }
            Format::Ebnf | Format::Fuzzingbook | Format::Antlr => json(&self.string(parts)),
        }
    }

    /// A rule as a string with names in it.
    fn string(&mut self, parts: Vec<Part>) -> String {
        let joined = |parts: &[Part]| parts.iter().map(Part::in_string).collect::<String>();
        let text = joined(&parts);
        let names = parts.iter().filter(|part| matches!(part, Part::Name(_))).count();
        let mut at = 0;
        let mut meant = HashSet::new();
        for part in &parts {
            if let Part::Name(_) = part {
                meant.insert(at);
            }
            at += part.in_string().len();
        }
        let read = pieces(&text).into_iter().filter(|(piece, _)| matches!(piece, Piece::Name(_)));
        let read: Vec<usize> = read.map(|(_, place)| place.start).collect();
        if read.len() == names && read.iter().all(|start| meant.contains(start)) {
            return text;
        }
        // Some literal would be read as a name: then none may have a `<`.
        let less_than = self.less_than();
        let mut safe = Vec::new();
        for part in parts {
            match part {
                Part::Name(_) => safe.push(part),
                Part::Text(text) => {
                    for (index, text) in text.split('<').enumerate() {
                        if index > 0 {
                            safe.push(Part::Name(less_than.clone()));
                        }
                        safe.push(Part::Text(text.to_owned()));
                    }
                }
            }
        }
        joined(&safe)
    }

    fn less_than(&mut self) -> String {
        if let Some(name) = &self.less_than {
            return name.clone();
        }
        let name = self.unique("less-than", "-");
        self.added.push(Entry { name: name.clone(), rules: vec![json("<")] });
        self.less_than = Some(name.clone());
        name
    }
}

/// A symbol on its way to JSON.
enum Part {
    Text(String),
    Name(String),
}

impl Part {
    fn in_string(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Name(name) => format!("<{name}>"),
        }
    }

    /// The symbols of the canonical form: several where a literal looks like a name.
    fn symbols(&self) -> Vec<String> {
        match self {
            Self::Name(name) => vec![format!("<{name}>")],
            Self::Text(text) => {
                let mut symbols = Vec::new();
                let mut rest = text.as_str();
                while bracketed(rest).is_some() {
                    let (first, more) = rest.split_at(1);
                    symbols.push(first.to_owned());
                    rest = more;
                }
                symbols.push(rest.to_owned());
                symbols
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_looks_like_a_name_is_taken_apart() {
        let symbols = |text: &str| Part::Text(text.to_owned()).symbols();
        assert_eq!(symbols("<b>"), ["<", "b>"]);
        assert_eq!(symbols("<<b>"), ["<", "<", "b>"]);
        assert_eq!(symbols("<b"), ["<b"]);
        assert_eq!(symbols("<>"), ["<", ">"]);
    }
}
