//! What must hold of every producer, on random grammars.

use std::sync::Arc;

use proptest::prelude::*;

use crate::base::id::Id;
use crate::base::limits::Limits;
use crate::base::random_stream::RandomStream;
use crate::grammar::analysis::productive;
use crate::grammar::arbitrary::{GrammarShape, grammars};
use crate::grammar::{Grammar, NonterminalId};
use crate::parse::Parser;

use super::{PRODUCERS, Producer, ProducerSpec, Unproductive};

fn all(grammar: &Arc<Grammar>, depth: u32) -> Vec<(&'static str, Box<dyn Producer>)> {
    let short = |name| if name == "uniform" { vec![("length", "\"0..12\"".to_owned())] } else { Vec::new() };
    let limits = Limits::default();
    let spec = ProducerSpec { grammar, words: None, depth, limits: &limits };
    let made = |name| (PRODUCERS.parse(name, &short(name)).unwrap().make)(spec);
    // `uniform` is not for every grammar.
    PRODUCERS.names().filter_map(|name| Some((name, made(name).ok()?))).collect()
}

/// This many inputs, or why there are none.
fn inputs(producer: &dyn Producer, from: NonterminalId, seed: u64) -> Result<Vec<Vec<u8>>, Unproductive> {
    let mut stream = RandomStream::derive(seed, "laws");
    let mut session = producer.begin();
    (0..20)
        .map(|_| {
            let mut text = Vec::new();
            session.produce(from, &mut stream, &mut text).map(|()| text)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_produced_parses_and_the_stream_determines_it(
        grammar in grammars(GrammarShape { nonterminals: 6, ..GrammarShape::default() }),
        from in 0usize..6,
        depth in 0u32..5,
        seed: u64,
    ) {
        let from = NonterminalId::new(from % grammar.nonterminals().len());
        let grammar = Arc::new(grammar);
        let parser = Parser::new(Arc::new(grammar.with_start(from)));
        for (name, producer) in all(&grammar, depth) {
            let found = inputs(&*producer, from, seed);
            prop_assert_eq!(&found, &inputs(&*producer, from, seed), "{} depends on more", name);
            match found {
                Ok(found) => {
                    for text in found {
                        prop_assert!(parser.recognizes(&text).unwrap(), "{name}: {}", text.escape_ascii());
                    }
                }
                Err(Unproductive::Length(_)) => prop_assert_eq!(name, "uniform"),
                Err(Unproductive::Nothing) => prop_assert!(!productive(&grammar).contains(from)),
            }
        }
    }
}
