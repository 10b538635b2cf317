//! Prints a syntax tree: `::=` and `|` in one column, lines of at most 100 characters where possible.

use super::super::model::Name;
use super::super::spelling;
use super::syntax::{Atom, Definition, HELPER_KINDS, Item, Sequence, Text, TokenOptions, Use};

/// The longest line, in characters, unless one word is longer.
const WIDTH: usize = 100;
/// Names up to this length are padded so that `::=` stands in one column.
const MOST_PADDED: usize = 16;
/// How far a line that goes on is indented behind a long head, and further than its beginning.
const INDENT: usize = 4;

/// The text of a grammar.
pub(super) fn print(text: &Text) -> String {
    let mut page = String::new();
    if let Some(start) = &text.start {
        fill(&mut page, &format!("@start {}", start.name), INDENT, &[]);
    }
    if let Some(skip) = &text.skip {
        let option = if skip.written { "(written)" } else { "" };
        fill(&mut page, &format!("@skip{option} {}", skip.target.name), INDENT, &[]);
    }
    if let Some(lexer) = &text.lexer {
        fill(&mut page, &format!("@lexer {}", lexer.name), INDENT, &[]);
    }
    for (word, kind) in HELPER_KINDS {
        let of_kind = text.helpers.iter().filter(|(other, _)| *other == kind);
        let words: Vec<String> = of_kind.map(|(_, target)| target.name.to_string()).collect();
        if !words.is_empty() {
            fill(&mut page, &format!("@helper({word})"), INDENT, &words);
        }
    }
    if !page.is_empty() {
        page.push('\n');
    }
    let heads: Vec<String> = text.definitions.iter().map(head).collect();
    let padding = heads.iter().map(|head| width(head)).filter(|&width| width <= MOST_PADDED).max();
    for (definition, head) in text.definitions.iter().zip(heads) {
        let space = " ".repeat(padding.unwrap_or(0).saturating_sub(width(&head)));
        if definition.alternatives.is_empty() {
            fill(&mut page, &head, INDENT, &[]);
        } else {
            print_definition(&mut page, &format!("{head}{space} ::="), &definition.alternatives);
        }
    }
    page
}

fn head(definition: &Definition) -> String {
    let name = &definition.name.name;
    let nothing = if definition.alternatives.is_empty() { "@nothing " } else { "" };
    match &definition.token {
        None => format!("{nothing}{name}"),
        Some(options) => format!("@token{} {nothing}{name}", token_options(options)),
    }
}

fn token_options(options: &TokenOptions) -> String {
    let mut parts = Vec::new();
    if !options.except.is_empty() {
        let names: Vec<String> = options.except.iter().map(|Use { name, .. }| name.to_string()).collect();
        parts.push(format!("except: {}", names.join(" ")));
    }
    if let Some(class) = &options.not_before {
        parts.push(format!("not-before: {class}"));
    }
    if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) }
}

fn print_definition(page: &mut String, head: &str, alternatives: &[Sequence]) {
    let alternatives: Vec<Vec<String>> = alternatives.iter().map(words).collect();
    let line = alternatives.iter().map(|words| words.join(" ")).collect::<Vec<_>>().join(" | ");
    // The bar stands below the last character of `::=`.
    let bar = if width(head) > WIDTH / 2 { INDENT } else { width(head) - 1 };
    if width(head) + 1 + width(&line) <= WIDTH {
        fill(page, head, bar, &[line]);
    } else if alternatives.iter().all(|words| words.len() == 1) {
        let bars = std::iter::once("").chain(std::iter::repeat("| "));
        let words: Vec<String> =
            bars.zip(alternatives.iter().flatten()).map(|(bar, word)| format!("{bar}{word}")).collect();
        fill(page, head, bar, &words);
    } else {
        for (index, words) in alternatives.iter().enumerate() {
            let head = if index == 0 { head.to_owned() } else { format!("{}|", " ".repeat(bar)) };
            fill(page, &head, bar + INDENT, words);
        }
    }
}

/// Prints `head` and `words` with spaces between them, on several lines if need be, of which all but
/// the first are indented.
fn fill(page: &mut String, head: &str, indent: usize, words: &[String]) {
    page.push_str(head);
    let mut column = width(head);
    for word in words {
        if column + 1 + width(word) > WIDTH && column > indent {
            page.push('\n');
            page.push_str(&" ".repeat(indent));
            column = indent;
        } else {
            page.push(' ');
            column += 1;
        }
        page.push_str(word);
        column += width(word);
    }
    page.push('\n');
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// The parts of a sequence between which a line may end.
fn words(sequence: &Sequence) -> Vec<String> {
    if sequence.is_empty() {
        return vec![spelling::literal(b"")];
    }
    sequence.iter().flat_map(item).collect()
}

fn item(item: &Item) -> Vec<String> {
    let mut words = match &item.atom {
        Atom::Literal(bytes) => vec![spelling::literal(bytes)],
        Atom::Class(class) => vec![class.to_string()],
        Atom::Nonterminal(name) => vec![Name::to_string(name)],
        Atom::Group(alternatives) => {
            let mut all = Vec::new();
            for (index, sequence) in alternatives.iter().enumerate() {
                if index > 0 {
                    all.push("|".to_owned());
                }
                all.extend(words(sequence));
            }
            if let Some(first) = all.first_mut() {
                first.insert(0, '(');
            }
            if let Some(last) = all.last_mut() {
                last.push(')');
            }
            all
        }
    };
    if let (Some(operator), Some(last)) = (item.operator, words.last_mut()) {
        last.push(operator.sign());
    }
    words
}
