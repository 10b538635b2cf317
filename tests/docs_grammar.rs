//! The examples of docs/grammar.md are what the text says: those marked `error` are refused, and all
//! others are read without a warning and written back.

use grambench::base::diagnostic::Source;
use grambench::grammar::format::{self, Format};
use grambench::grammar::numbering;

/// The fenced blocks of a page: the words after the fence, the line of the fence, and the text.
fn blocks(page: &str) -> Vec<(Vec<&str>, usize, String)> {
    let mut blocks: Vec<(Vec<&str>, usize, String)> = Vec::new();
    let mut inside = false;
    for (index, line) in page.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                blocks.push((info.split(' ').collect(), index + 1, String::new()));
            }
        } else if let Some((_, _, text)) = blocks.last_mut().filter(|_| inside) {
            text.push_str(line);
            text.push('\n');
        }
    }
    blocks
}

#[test]
fn the_examples_of_the_guide_to_grammars_are_right() {
    let blocks = blocks(include_str!("../docs/grammar.md"));
    assert!(blocks.len() > 6, "the guide has examples");
    for (words, line, text) in blocks {
        let source = Source::new(format!("docs/grammar.md:{line}.{}", words[0]), text);
        let read = format::read(&source, None);
        if words.contains(&"error") {
            assert!(read.is_err(), "line {line} of the guide reads without an error");
            continue;
        }
        let read = read.unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(read.warnings, [], "line {line} of the guide");
        let written =
            format::write(&read.grammar, Format::Ebnf, false).unwrap_or_else(|errors| panic!("{errors}"));
        let again = format::read(&Source::new("again.ebnf", written), None)
            .unwrap_or_else(|errors| panic!("{errors}"));
        assert!(numbering::same(&again.grammar, &read.grammar), "line {line} of the guide");
    }
}
