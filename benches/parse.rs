//! How fast the parser is: recognizing and parsing a large document with a grammar of JSON that goes
//! down to characters, and an input of a very ambiguous grammar.
//!
//! `cargo bench --bench parse`

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use grambench::base::id::Id;
use grambench::grammar::{Grammar, GrammarBuilder, Name, Symbol};
use grambench::parse::Parser;

#[allow(dead_code, reason = "each benchmark uses some of them")]
mod sample;

use sample::{command_line, document, json, large, sums};

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    group.sample_size(10);

    let parser = Parser::new(json());
    let input = document(1_000_000);
    group.throughput(Throughput::Bytes(input.len() as u64));
    group.bench_function("json/recognize", |b| {
        b.iter(|| assert!(parser.recognizes(black_box(&input)).expect("it is short")))
    });
    group.bench_function("json/forest", |b| {
        b.iter(|| parser.parse(black_box(&input)).expect("it is JSON").root());
    });
    let forest = parser.parse(&input).expect("it is JSON");
    eprintln!("json: {:.2} nodes per byte", forest.node_bound() as f64 / input.len() as f64);
    group.bench_function("json/first tree", |b| b.iter(|| black_box(&forest).first_tree().root()));

    let parser = Parser::new(sums());
    let input = [vec![b'a'], b"+a".repeat(150)].concat();
    group.throughput(Throughput::Bytes(input.len() as u64));
    group.bench_function("sum/recognize", |b| {
        b.iter(|| assert!(parser.recognizes(black_box(&input)).expect("it is short")))
    });
    group.bench_function("sum/forest", |b| {
        b.iter(|| parser.parse(black_box(&input)).expect("it is a sum").root());
    });

    let parser = Parser::new(command_line());
    let input = [&b"find"[..], &b" . -name *.c -not -print -name x-name  -print".repeat(500)].concat();
    group.throughput(Throughput::Bytes(input.len() as u64));
    group.bench_function("command line/recognize", |b| {
        b.iter(|| assert!(parser.recognizes(black_box(&input)).expect("it is short")));
    });
    group.bench_function("command line/forest", |b| {
        b.iter(|| parser.parse(black_box(&input)).expect("it is a command line").root());
    });
    group.finish();
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
