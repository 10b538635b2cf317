//! The examples of docs/grammar.md are what the text says: those marked `error` are refused, those marked
//! `warning` read with one, and all others are read without a warning and written back.

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
    let blocks = blocks(include_str!("../../docs/grammar.md"));
    assert!(blocks.len() > 6, "the guide has examples");
    for (words, line, text) in blocks {
        if words[0] == "text" {
            continue;
        }
        let source = Source::new(format!("docs/grammar.md:{line}.{}", words[0]), text);
        let read = format::read(&source, None);
        if words.contains(&"error") {
            assert!(read.is_err(), "line {line} of the guide reads without an error");
            continue;
        }
        let read = read.unwrap_or_else(|errors| panic!("{errors}"));
        let warned = words.contains(&"warning");
        assert_eq!(!read.warnings.is_empty(), warned, "line {line} of the guide: {:?}", read.warnings);
        let written =
            format::write(&read.grammar, Format::Ebnf, false).unwrap_or_else(|errors| panic!("{errors}"));
        let again = format::read(&Source::new("again.ebnf", written), None)
            .unwrap_or_else(|errors| panic!("{errors}"));
        assert!(numbering::same(&again.grammar, &read.grammar), "line {line} of the guide");
    }
}

#[test]
fn the_example_for_antlr_is_read_as_the_guide_says() {
    let blocks = blocks(include_str!("../../docs/grammar.md"));
    let antlr = blocks.iter().position(|(words, ..)| words == &["g4"]).expect("the guide has the example");
    let grammar = |index: usize| {
        let (words, _, text) = &blocks[index];
        let source = Source::new(format!("example.{}", words[0]), text.as_str());
        format::read(&source, None).unwrap_or_else(|errors| panic!("{errors}")).grammar
    };
    let (read, told) = (grammar(antlr), grammar(antlr + 1));
    let written =
        |grammar| format::write(grammar, Format::Ebnf, false).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(numbering::same(&read, &told), "{}\n{}", written(&read), written(&told));
}
