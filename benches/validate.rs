//! How fast inputs are validated: documents of 1 MB over the grammar of the papers' Fig. 1 and over one
//! with any white space, and long command lines, whose grammars are ambiguous; and the same documents for an
//! expression of forty patterns, whose whole automaton nobody could make, the making of the validator included.
//!
//! `cargo bench --bench validate`

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on may panic")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use grambench::base::diagnostic::Source;
use grambench::base::limits::Limits;
use grambench::base::random_stream::RandomStream;
use grambench::grammar::{Grammar, format};
use grambench::parse::Parser;
use grambench::pattern::read_expression;
use grambench::validate::{Answer, AutomatonValidator, Validator};

#[allow(dead_code, reason = "each benchmark uses some of them")]
mod sample;

/// JSON with white space between tokens, and numbers and strings in full but for escapes.
const SPACED: &str = r#"
@start <json>
@skip <space>
<space> ::= [ \t\n\r]*
<json>   ::= <elt>
<elt>    ::= <object> | <array> | <string> | <number> | "true" | "false" | "null"
<object> ::= "{" (<item> ("," <item>)*)? "}"
<item>   ::= <string> ":" <elt>
<array>  ::= "[" (<elt> ("," <elt>)*)? "]"
@token <string> ::= '"' [^"\\]* '"'
@token <number> ::= "-"? [0-9]+ ("." [0-9]+)?
"#;

fn read(name: &str, text: &str) -> Arc<Grammar> {
    Arc::new(format::read(&Source::new(name, text), None).unwrap().grammar)
}

/// A document of at least `length` bytes with `space` after each comma and colon.
fn document(length: usize, space: &str) -> Vec<u8> {
    let mut stream = RandomStream::derive(1, "document");
    let mut text = String::from("[");
    while text.len() < length {
        if text.len() > 1 {
            text.push_str(&format!(",{space}"));
        }
        text.push_str(&format!("{{\"id\":{space}{},{space}\"name\":{space}\"", stream.below(1_000_000)));
        for _ in 0..5 + stream.below(40) {
            text.push(*stream.pick(&['a', 'e', 'k', 'n', 's', 'Z', '7']));
        }
        text.push_str(&format!(
            "\",{space}\"tags\":{space}[true,{space}false,{space}[]],{space}\"\":{space}1}}"
        ));
    }
    text.push(']');
    text.into_bytes()
}

/// The most memory that the process has had so far, in bytes.
fn most_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

fn validate(criterion: &mut Criterion) {
    let fig1 = read("json.ebnf", include_str!("../grammars/json.ebnf"));
    let spaced = read("spaced.ebnf", SPACED);
    let find = read("find/tailored.ebnf", include_str!("../subjects/find/tailored.ebnf"));
    let words = sample::command_line();
    let json = r#"<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null""#;
    let loose = r#"<json E & !N> where <item E> is "\"\":<elt>", <item N> is "<string>:null""#;
    let line = [&b"find"[..], &b" . -name *.c -not -print -name x-name  -print".repeat(500)].concat();
    let command = [&b"find ."[..], &b" -name x -o -type f -size +1 -a -print".repeat(500)].concat();
    let cases: [(&str, &Arc<Grammar>, &str, Vec<u8>); 4] = [
        ("json of Fig. 1", &fig1, json, document(1_000_000, " ")),
        ("json with any space", &spaced, loose, document(1_000_000, "\n  ")),
        ("ambiguous command line", &words, r#"<line P> where <word P> is "-print""#, line),
        ("find", &find, r#"<command P> where <test P> is "-type f""#, command),
    ];
    let mut group = criterion.benchmark_group("validate");
    group.sample_size(10);
    for (name, grammar, expression, input) in cases {
        let expression = read_expression(&Source::new("expression", expression), grammar).unwrap();
        let parser = Arc::new(Parser::new(Arc::clone(grammar)));
        let validator = AutomatonValidator::new(parser, Arc::new(expression), Limits::default()).unwrap();
        let before = most_memory();
        let answer = validator.validate(&input);
        assert!(answer.is_ok(), "{name}: {answer:?}");
        let more = (most_memory() - before) as f64 / input.len() as f64;
        eprintln!("{name}: {} bytes, {answer:?}, {more:.1} bytes of memory for each", input.len());
        group.throughput(Throughput::Bytes(input.len() as u64));
        group.bench_function(name, |b| b.iter(|| validator.validate(black_box(&input)).unwrap()));
    }
    for (operator, answer) in [("and", Answer::Every), ("xor", Answer::None)] {
        let keys: Vec<char> = ('A'..='Z').chain('a'..='n').collect();
        let names: Vec<String> = keys.iter().map(|key| format!("P{key}")).collect();
        let patterns: Vec<String> =
            keys.iter().map(|key| format!(r#"<item P{key}> is "\"{key}\": <elt>""#)).collect();
        let text = format!("<json {operator}({})> where {}", names.join(","), patterns.join(", "));
        let expression = Arc::new(read_expression(&Source::new("expression", text), &fig1).unwrap());
        let items: Vec<String> = keys.iter().map(|key| format!(r#"{{"{key}": 1}}"#)).collect();
        let text = String::from_utf8(document(1_000_000, " ")).unwrap();
        let input = format!("[{}, {text}]", items.join(", ")).into_bytes();
        let parser = Arc::new(Parser::new(Arc::clone(&fig1)));
        let validate = || {
            let expression = Arc::clone(&expression);
            let validator = AutomatonValidator::new(Arc::clone(&parser), expression, Limits::default());
            validator.unwrap().validate(black_box(&input)).unwrap()
        };
        assert_eq!(validate(), answer);
        group.throughput(Throughput::Bytes(input.len() as u64));
        group.bench_function(format!("{operator} of {} patterns, begun anew", keys.len()), |b| {
            b.iter(validate)
        });
    }
    group.finish();
}

criterion_group!(benches, validate);
criterion_main!(benches);
