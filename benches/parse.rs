//! How fast the parser is: recognizing and parsing a large document with a grammar of JSON that goes
//! down to characters, and an input of a very ambiguous grammar.
//!
//! `cargo bench --bench parse`

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use grambench::base::stream::Stream;
use grambench::grammar::{CharClass, Grammar, GrammarBuilder, Name, Symbol};
use grambench::parse::Parser;

/// A symbol of a rule in the tables below.
enum Word {
    Text(&'static str),
    Class(CharClass),
    Of(&'static str),
}

use Word::{Class, Of, Text};

fn grammar(rules: Vec<(&str, Vec<Vec<Word>>)>) -> Arc<Grammar> {
    let mut builder = GrammarBuilder::new();
    let ids: Vec<_> = rules.iter().map(|(name, _)| builder.nonterminal(Name::base(*name))).collect();
    for (&lhs, (_, alternatives)) in ids.iter().zip(rules) {
        for alternative in alternatives {
            let symbols: Vec<Symbol> = alternative
                .into_iter()
                .map(|word| match word {
                    Text(text) => builder.literal(text.as_bytes()).expect("not empty"),
                    Class(class) => builder.class(class),
                    Of(name) => Symbol::Nonterminal(builder.nonterminal(Name::base(name))),
                })
                .collect();
            builder.rule(lhs, symbols);
        }
    }
    Arc::new(builder.finish(ids[0]))
}

/// JSON without white space, after the grammar of the papers.
fn json() -> Arc<Grammar> {
    let digits = || Class(CharClass::new([('0', '9')]));
    grammar(vec![
        ("json", vec![vec![Of("elt")]]),
        (
            "elt",
            vec![
                vec![Of("object")],
                vec![Of("array")],
                vec![Of("string")],
                vec![Of("number")],
                vec![Text("true")],
                vec![Text("false")],
                vec![Text("null")],
            ],
        ),
        ("object", vec![vec![Text("{"), Of("items"), Text("}")], vec![Text("{}")]]),
        ("items", vec![vec![Of("item"), Text(","), Of("items")], vec![Of("item")]]),
        ("item", vec![vec![Of("string"), Text(":"), Of("elt")]]),
        ("array", vec![vec![Text("["), Of("elts"), Text("]")], vec![Text("[]")]]),
        ("elts", vec![vec![Of("elt"), Text(","), Of("elts")], vec![Of("elt")]]),
        ("string", vec![vec![Text("\""), Of("chars"), Text("\"")]]),
        ("chars", vec![vec![], vec![Of("char"), Of("chars")]]),
        (
            "char",
            vec![
                vec![Class(CharClass::of(['"', '\\']).complement())],
                vec![Text("\\"), Class(CharClass::of("\"\\/bfnrt".chars()))],
            ],
        ),
        (
            "number",
            vec![
                vec![Of("digits")],
                vec![Text("-"), Of("digits")],
                vec![Of("digits"), Text("."), Of("digits")],
            ],
        ),
        ("digits", vec![vec![Of("digit")], vec![Of("digit"), Of("digits")]]),
        ("digit", vec![vec![digits()]]),
    ])
}

/// A document of at least `length` bytes.
fn document(length: usize) -> Vec<u8> {
    let mut stream = Stream::derive(1, "document");
    let mut text = String::from("[");
    while text.len() < length {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str("{\"id\":");
        text.push_str(&stream.below(1_000_000).to_string());
        text.push_str(",\"name\":\"");
        for _ in 0..5 + stream.below(40) {
            text.push(*stream.pick(&['a', 'e', 'k', 'n', 's', ' ', 'Z', '7', 'ü', '–']));
        }
        text.push_str("\",\"tags\":[true,null,[]],\"size\":12.5}");
    }
    text.push(']');
    text.into_bytes()
}

/// `<e> ::= <e> "+" <e> | "a"`
fn sums() -> Arc<Grammar> {
    grammar(vec![("e", vec![vec![Of("e"), Text("+"), Of("e")], vec![Text("a")]])])
}

/// A command line: options in any order, words that are also made of letters, optional blanks.
fn command_line() -> Arc<Grammar> {
    grammar(vec![
        ("line", vec![vec![Text("find"), Of("words")]]),
        ("words", vec![vec![], vec![Of("blanks"), Of("word"), Of("words")]]),
        ("blanks", vec![vec![Text(" ")], vec![Text(" "), Of("blanks")]]),
        (
            "word",
            vec![
                vec![Text("-name"), Of("blanks"), Of("name")],
                vec![Text("-print")],
                vec![Text("-not"), Of("blanks"), Of("word")],
                vec![Of("name")],
            ],
        ),
        ("name", vec![vec![Of("letter")], vec![Of("name"), Of("letter")]]),
        ("letter", vec![vec![Class(CharClass::new([('a', 'z'), ('-', '.'), ('*', '*')]))]]),
    ])
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    group.sample_size(10);

    let parser = Parser::new(json());
    let input = document(1_000_000);
    group.throughput(Throughput::Bytes(input.len() as u64));
    group.bench_function("json/recognize", |b| b.iter(|| assert!(parser.recognizes(black_box(&input)))));
    group.bench_function("json/forest", |b| {
        b.iter(|| parser.parse(black_box(&input)).expect("it is JSON").root());
    });
    let forest = parser.parse(&input).expect("it is JSON");
    group.bench_function("json/first tree", |b| b.iter(|| black_box(&forest).first_tree().root()));

    let parser = Parser::new(sums());
    let input = [vec![b'a'], b"+a".repeat(150)].concat();
    group.throughput(Throughput::Bytes(input.len() as u64));
    group.bench_function("sum/recognize", |b| b.iter(|| assert!(parser.recognizes(black_box(&input)))));
    group.bench_function("sum/forest", |b| {
        b.iter(|| parser.parse(black_box(&input)).expect("it is a sum").root());
    });

    let parser = Parser::new(command_line());
    let input = [&b"find"[..], &b" . -name *.c -not -print -name x-name  -print".repeat(500)].concat();
    group.throughput(Throughput::Bytes(input.len() as u64));
    group.bench_function("command line/recognize", |b| {
        b.iter(|| assert!(parser.recognizes(black_box(&input))));
    });
    group.bench_function("command line/forest", |b| {
        b.iter(|| parser.parse(black_box(&input)).expect("it is a command line").root());
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
