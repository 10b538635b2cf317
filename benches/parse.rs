//! How fast the parser is: recognizing and parsing a large document with a grammar of JSON that goes
//! down to characters, and an input of a very ambiguous grammar.
//!
//! `cargo bench --bench parse`

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use grambench::base::id::Id;
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
    eprintln!("json: {:.2} nodes per byte", forest.node_bound() as f64 / input.len() as f64);
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

/// A grammar as large as that of a programming language: keywords and punctuation, blanks after each
/// token, a ladder of operators, and a few hubs that everything leads back to.
fn large() -> Grammar {
    const NONTERMINALS: usize = 600;
    let mut stream = Stream::derive(1, "large grammar");
    let mut builder = GrammarBuilder::new();
    let ids: Vec<_> = (0..NONTERMINALS).map(|n| builder.nonterminal(Name::base(format!("n{n}")))).collect();
    let blank = builder.nonterminal(Name::base("blank"));
    let name = builder.nonterminal(Name::base("name"));
    let space = builder.class(CharClass::of([' ', '\n']));
    let letter = builder.class(CharClass::new([('a', 'z'), ('A', 'Z'), ('ä', 'ü')]));
    builder.rule(blank, []);
    builder.rule(blank, [space, Symbol::Nonterminal(blank)]);
    builder.rule(name, [letter]);
    builder.rule(name, [letter, Symbol::Nonterminal(name)]);
    for (n, &lhs) in ids.iter().enumerate() {
        for rule in 0..3 + usize::from(n % 3 == 0) {
            let mut symbols = Vec::new();
            let below = |stream: &mut Stream| {
                let far = if stream.below(4) == 0 { NONTERMINALS } else { n + 6 };
                match n + 1 + stream.below((far.min(NONTERMINALS) - n).max(2)) {
                    next if next < NONTERMINALS => Symbol::Nonterminal(ids[next]),
                    _ => Symbol::Nonterminal(name),
                }
            };
            let word = |stream: &mut Stream, builder: &mut GrammarBuilder| {
                let text: String = match stream.below(3) {
                    0 => {
                        (0..3 + stream.below(6)).map(|_| char::from(b'a' + stream.below(26) as u8)).collect()
                    }
                    _ => (0..1 + stream.below(2))
                        .map(|_| *stream.pick(&['(', '+', '-', '*', '=', ';', '<', '{', '.', ',', '!']))
                        .collect(),
                };
                builder.literal(text.as_bytes()).expect("not empty")
            };
            match rule {
                0 => symbols.push(below(&mut stream)),
                1 => symbols.extend([
                    below(&mut stream),
                    word(&mut stream, &mut builder),
                    Symbol::Nonterminal(blank),
                    Symbol::Nonterminal(lhs),
                ]),
                _ => {
                    for _ in 0..1 + stream.below(3) {
                        symbols.extend([word(&mut stream, &mut builder), Symbol::Nonterminal(blank)]);
                        if stream.below(2) == 0 {
                            symbols.push(below(&mut stream));
                        }
                        if stream.below(3) == 0 {
                            symbols.push(Symbol::Nonterminal(ids[stream.below(5)]));
                        }
                    }
                }
            }
            builder.rule(lhs, symbols);
        }
    }
    builder.finish(ids[0])
}

/// `large` as the specialized grammar of "contains this rule": for each nonterminal all trees, those
/// that contain it, and those that do not, the second in disjoint boxes.
fn specialized(base: &Grammar, rule: usize) -> Grammar {
    let mut builder = GrammarBuilder::new();
    let all: Vec<[_; 3]> = base
        .nonterminals()
        .iter()
        .map(|n| {
            ["", "with", "without"].map(|condition| {
                builder.nonterminal(match condition {
                    "" => n.name.clone(),
                    condition => Name::specialized(n.name.base.clone(), condition),
                })
            })
        })
        .collect();
    let id = |n: grambench::grammar::NonterminalId, kind: usize| all[n.index()][kind];
    for (number, r) in base.rules().iter().enumerate() {
        let add = |builder: &mut GrammarBuilder, kind: usize, kinds: &dyn Fn(usize) -> usize| {
            let mut child = 0;
            let symbols: Vec<Symbol> = r
                .symbols
                .iter()
                .map(|&symbol| match symbol {
                    Symbol::Literal(literal) => builder.literal(base.literal(literal)).expect("not empty"),
                    Symbol::Class(class) => builder.class(base.class(class).clone()),
                    Symbol::Nonterminal(n) => {
                        child += 1;
                        Symbol::Nonterminal(id(n, kinds(child - 1)))
                    }
                })
                .collect();
            builder.rule(id(r.lhs, kind), symbols);
        };
        add(&mut builder, 0, &|_| 0);
        if number == rule {
            add(&mut builder, 1, &|_| 0);
            continue;
        }
        add(&mut builder, 2, &|_| 2);
        for first in 0..r.symbols.iter().filter(|s| matches!(s, Symbol::Nonterminal(_))).count() {
            add(&mut builder, 1, &|child| match child.cmp(&first) {
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 0,
            });
        }
    }
    builder.finish(id(base.start(), 1))
}

fn bench_tables(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tables");
    group.sample_size(10);
    let base = Arc::new(large());
    let specialized = Arc::new(specialized(&base, 1000));
    for (name, grammar) in [("large", base), ("specialized", specialized)] {
        let begin = std::time::Instant::now();
        let size = Parser::new(Arc::clone(&grammar)).size();
        eprintln!("{name}: {} rules, {size:?}, {:?}", grammar.rules().len(), begin.elapsed());
        group.bench_function(name, |b| b.iter(|| Parser::new(Arc::clone(&grammar)).size()));
    }
    group.finish();
}

criterion_group!(benches, bench, bench_tables);
criterion_main!(benches);
