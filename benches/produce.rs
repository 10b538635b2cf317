//! How fast the producers are, in bytes of inputs made.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on may panic")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use grambench::base::diagnostic::Source;
use grambench::base::limits::Limits;
use grambench::base::random_stream::RandomStream;
use grambench::grammar::Grammar;
use grambench::grammar::format;
use grambench::produce::{Producer, producer};

/// Every round makes so many inputs, from the same stream as all others.
const INPUTS: usize = 10_000;

fn read(path: &str) -> Arc<Grammar> {
    let text = std::fs::read_to_string(path).unwrap();
    Arc::new(format::read(&Source::new(path, text), None).unwrap().grammar)
}

fn make(grammar: &Grammar, producer: &dyn Producer, text: &mut Vec<u8>) {
    let mut session = producer.begin();
    let mut stream = RandomStream::derive(0, "bench");
    text.clear();
    for _ in 0..INPUTS {
        session.produce(grammar.start(), &mut stream, text).unwrap();
    }
}

fn limit(criterion: &mut Criterion) {
    for (file, depths) in [("grammars/json.ebnf", vec![10, 20]), ("subjects/find/tailored.ebnf", vec![10])] {
        let grammar = read(file);
        let mut group = criterion.benchmark_group(format!("limit on {file}"));
        for depth in depths {
            let mut text = Vec::new();
            let producer = producer("limit", &grammar, None, depth, &Limits::default()).unwrap();
            make(&grammar, &*producer, &mut text);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(format!("depth {depth}, {} bytes each", text.len() / INPUTS), |bencher| {
                bencher.iter(|| {
                    make(&grammar, &*producer, &mut text);
                    black_box(&text);
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, limit);
criterion_main!(benches);
