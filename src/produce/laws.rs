//! What must hold of every producer, on random grammars.

use std::sync::Arc;

use proptest::prelude::*;

use crate::base::id::Id;
use crate::base::limits::Limits;
use crate::base::stream::Stream;
use crate::grammar::analysis::productive;
use crate::grammar::arbitrary::{GrammarShape, grammars};
use crate::grammar::{Grammar, NonterminalId};
use crate::parse::Parser;

use super::{Lengths, PRODUCERS, Producer, ProducerSettings, Unproductive, producer};

fn all(grammar: &Arc<Grammar>, settings: &ProducerSettings) -> Vec<(&'static str, Box<dyn Producer>)> {
    // `uniform` is not for every grammar.
    PRODUCERS
        .names()
        .filter_map(|name| Some((name, producer(name, grammar, None, settings, &Limits::default()).ok()?)))
        .collect()
}

/// This many inputs, or why there are none.
fn inputs(producer: &dyn Producer, from: NonterminalId, seed: u64) -> Result<Vec<Vec<u8>>, Unproductive> {
    let mut stream = Stream::derive(seed, "laws");
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
        let lengths = Lengths { least: 0, most: 12 };
        let settings = ProducerSettings { depth, lengths, ..ProducerSettings::default() };
        let parser = Parser::new(Arc::new(grammar.with_start(from)));
        for (name, producer) in all(&grammar, &settings) {
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
