//! How large the grammars of the transformers are, and how long they take: one line for each
//! expression over the papers' JSON grammar, as a table for docs/transformers.md.
//!
//! ```sh
//! cargo run --release --example transformer_sizes
//! ```

use std::sync::Arc;
use std::time::{Duration, Instant};

use grambench::base::diagnostic::Source;
use grambench::base::limits::Limits;
use grambench::grammar::ebnf;
use grambench::pattern::{Expression, NamedPattern, read_formula, read_named};
use grambench::transform::{TRANSFORMERS, transformer};

const PATTERNS: [&str; 4] = [
    r#"E=<item> is "\"\": <elt>""#,
    r#"N=<item> is "<string>: null""#,
    r#"D=<array> is "[[<elts>]]""#,
    r#"O=<elt> is "{}""#,
];

const FORMULAS: [&str; 20] = [
    "E",
    "!E",
    "E & N",
    "E & !N",
    "E | N",
    "!(E | N)",
    "E ^ N",
    "E & D",
    "E | D",
    "E & N & D",
    "!(E & N & D)",
    "E | N | D",
    "E & N & D & O",
    "E | N | D | O",
    "!(E & N & D & O)",
    "exactly 2 E",
    "at most 1 E & N",
    "E inside D",
    "E before N",
    "!(E before N)",
];

/// The median of some repetitions counts.
const REPETITIONS: usize = 11;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = Source::new("json.ebnf", include_str!("../grammars/json.ebnf"));
    let grammar = Arc::new(ebnf::read(&source).map_err(|_| "the JSON grammar cannot be read")?.grammar);
    let patterns: Vec<NamedPattern> = PATTERNS
        .iter()
        .map(|text| read_named(&Source::new("pattern", *text), 1, &grammar))
        .collect::<Result<_, _>>()
        .map_err(|_| "a pattern cannot be read")?;
    let names: Vec<String> = patterns.iter().map(|named| named.name.clone()).collect();
    println!("base: {} nonterminals, {} rules", grammar.nonterminals().len(), grammar.rules().len());
    println!();
    let heads: Vec<String> =
        TRANSFORMERS.names().map(|name| format!("{name}: nonterminals | rules | time")).collect();
    println!("| expression | {} |", heads.join(" | "));
    println!("|---|{}", "--:|--:|--:|".repeat(TRANSFORMERS.names().len()));
    for text in FORMULAS {
        let formula = read_formula(&Source::new("formula", text), 0..text.len(), &names)
            .map_err(|_| "a formula cannot be read")?;
        let start = grammar.start();
        let expression =
            Arc::new(Expression { start, patterns: patterns.iter().cloned().collect(), formula });
        let columns: Vec<String> = TRANSFORMERS
            .names()
            .filter_map(|name| transformer(name, &Limits::default()).ok())
            .map(|transformer| {
                let mut times: Vec<Duration> = Vec::new();
                let mut result = String::new();
                for _ in 0..REPETITIONS {
                    let begin = Instant::now();
                    let special = transformer.specialize(&grammar, &expression);
                    times.push(begin.elapsed());
                    result = match special {
                        Ok(special) => {
                            let grammar = special.grammar;
                            format!("{} | {}", grammar.nonterminals().len(), grammar.rules().len())
                        }
                        Err(error) => format!("{error} | -"),
                    };
                }
                times.sort();
                let median = times[REPETITIONS / 2].as_secs_f64() * 1e3;
                format!("{result} | {median:.2} ms")
            })
            .collect();
        println!("| `{}` | {} |", text.replace('|', "\\|"), columns.join(" | "));
    }
    Ok(())
}
