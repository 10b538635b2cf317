//! Draws every derivation of a length with equal probability.
//!
//! The recursive method: derivations are counted for each length first; then a rule is chosen in
//! proportion to its derivations of the wanted length, and the length is shared out among its symbols
//! in proportion to what each division allows. (Hickey and Cohen, "Uniform Random Generation of Strings
//! in a Context-Free Language", SIAM J. Comput. 1983; Flajolet, Zimmermann and Van Cutsem, "A calculus
//! for the random generation of labelled combinatorial structures", 1994.) All numbers are exact.
//!
//! For an unambiguous grammar this is uniform over the inputs of a length; otherwise an input is as
//! likely as it has derivations. What is needed of a choice is worked out when it is first met, and
//! kept.

use std::sync::{Arc, OnceLock};

use num_bigint::BigUint;
use serde::Serialize;

use crate::automaton::Counts;
use crate::base::id::IdVec;
use crate::base::keys::Keys;
use crate::base::limits::Limits;
use crate::base::random_stream::RandomStream;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::grammar::{CharClass, ClassId, Grammar, NonterminalId, RuleId, Symbol};

use super::weighted_sampler::WeightedSampler;
use super::{Lengths, MakeProducer, Producer, ProducerError, ProducerSession, ProducerSpec, Unproductive};

/// A choice that is not yet worked out; or that cannot be made, as there is nothing to choose from.
type Lazy = OnceLock<Option<WeightedSampler>>;

/// Uniform among the derivations of given lengths, from the nonterminals that the start symbol
/// reaches.
#[derive(Debug)]
pub struct UniformProducer {
    grammar: Arc<Grammar>,
    counts: Counts<BigUint>,
    lengths: Lengths,
    /// The characters of each class, by encoded length.
    characters: IdVec<ClassId, [CharClass; 4]>,
    /// For each nonterminal the choice of a length,
    whole: IdVec<NonterminalId, Lazy>,
    /// and of a rule, by length.
    rules: IdVec<NonterminalId, Box<[Lazy]>>,
    /// For each rule, and in it for each position and each length up to there, the choice of the length
    /// of the symbol at this position.
    parts: IdVec<RuleId, Box<[Lazy]>>,
}

impl UniformProducer {
    /// A producer of inputs of these lengths; among several, a length is as likely as it has
    /// derivations.
    ///
    /// # Errors
    /// When there are infinitely many derivations, or counting them reaches a limit.
    pub fn new(grammar: Arc<Grammar>, lengths: Lengths, limits: &Limits) -> Result<Self, ProducerError> {
        let counts = Counts::new(&grammar, grammar.start(), lengths.most, &mut limits.meter())?;
        let open = |number: usize| (0..number).map(|_| Lazy::new()).collect::<Box<[Lazy]>>();
        let all = lengths.most + 1;
        let by_length = |class: &CharClass| [1, 2, 3, 4].map(|bytes| class.encoded_in(bytes));
        Ok(Self {
            characters: grammar.classes().iter().map(by_length).collect(),
            whole: grammar.nonterminals().iter().map(|_| Lazy::new()).collect(),
            rules: grammar.nonterminals().iter().map(|_| open(all)).collect(),
            parts: grammar.rules().iter().map(|rule| open(rule.symbols.len() * all)).collect(),
            grammar,
            counts,
            lengths,
        })
    }

    /// How many derivations of `nonterminal` there are to draw from.
    pub fn derivations(&self, nonterminal: NonterminalId) -> BigUint {
        self.length_weights(nonterminal).into_iter().map(|(_, weight)| weight).sum()
    }

    fn length_weights(&self, nonterminal: NonterminalId) -> Vec<(u32, BigUint)> {
        let lengths = self.lengths.least..=self.lengths.most;
        weights(lengths.map(|length| (length, self.counts.number(nonterminal, length).clone())))
    }

    /// Rules are told by their place among those of the nonterminal.
    fn rule_weights(&self, nonterminal: NonterminalId, length: usize) -> Vec<(u32, BigUint)> {
        let rules = self.grammar.rules_of(nonterminal).iter().enumerate();
        weights(rules.filter_map(|(place, &rule)| {
            let symbols = self.grammar.rule(rule).symbols.len();
            Some((place, self.counts.prefix(rule, symbols, length)?.clone()))
        }))
    }

    fn part_weights(&self, rule: RuleId, position: usize, length: usize) -> Vec<(u32, BigUint)> {
        let symbol = self.grammar.rule(rule).symbols[position];
        weights(self.counts.of_symbol(&self.grammar, symbol, length).filter_map(|(part, ways)| {
            Some((part, ways * self.counts.prefix(rule, position, length - part)?))
        }))
    }

    /// Appends a derivation of this many bytes, of which there are some.
    fn draw(&self, nonterminal: NonterminalId, length: usize, stream: &mut RandomStream, text: &mut Vec<u8>) {
        let mut open = vec![(Symbol::Nonterminal(nonterminal), length)];
        while let Some((symbol, length)) = open.pop() {
            match symbol {
                Symbol::Literal(literal) => text.extend_from_slice(self.grammar.literal(literal)),
                Symbol::Class(class) => {
                    let class = &self.characters[class][length - 1];
                    let c = class.nth(stream.below(class.len())).expect("the index is below the length");
                    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Symbol::Nonterminal(nonterminal) => {
                    let weights = || self.rule_weights(nonterminal, length);
                    let place = sample(&self.rules[nonterminal][length], stream, weights)
                        .expect("what was chosen has derivations");
                    let rule = self.grammar.rules_of(nonterminal)[place];
                    // The counts are of beginnings of rules, so the last symbol is given its length first.
                    let mut rest = length;
                    for (position, &symbol) in self.grammar.rule(rule).symbols.iter().enumerate().rev() {
                        let weights = || self.part_weights(rule, position, rest);
                        let choice = &self.parts[rule][position * (self.lengths.most + 1) + rest];
                        let part = sample(choice, stream, weights).expect("what was chosen has derivations");
                        open.push((symbol, part));
                        rest -= part;
                    }
                    debug_assert_eq!(rest, 0);
                }
            }
        }
    }
}

/// Those that are not 0.
fn weights(all: impl Iterator<Item = (usize, BigUint)>) -> Vec<(u32, BigUint)> {
    all.filter(|(_, weight)| *weight != BigUint::ZERO).map(|(item, weight)| (item as u32, weight)).collect()
}

/// Makes a choice; `None` when there is nothing to choose from.
fn sample(
    choice: &Lazy,
    stream: &mut RandomStream,
    weights: impl Fn() -> Vec<(u32, BigUint)>,
) -> Option<usize> {
    let sampler = choice.get_or_init(|| {
        let weights = weights();
        (!weights.is_empty()).then(|| WeightedSampler::new(&weights))
    });
    Some(sampler.as_ref()?.sample(stream, weights) as usize)
}

// Separators between words would change the lengths.
pub(super) const PLUG_IN: PlugIn<MakeProducer> = PlugIn::of::<Settings>();

#[derive(Serialize)]
struct Settings {
    /// The lengths of inputs.
    length: Lengths,
}

impl Default for Settings {
    fn default() -> Self {
        Self { length: Lengths { least: 0, most: 40 } }
    }
}

impl PlugInSettings<MakeProducer> for Settings {
    const NAME: &'static str = "uniform";

    fn read(keys: &mut Keys<'_>) -> Self {
        Self { length: keys.parsed("length", Self::default().length) }
    }

    fn make(self) -> MakeProducer {
        Arc::new(move |ProducerSpec { grammar, limits, .. }| {
            Ok(Box::new(UniformProducer::new(Arc::clone(grammar), self.length, limits)?))
        })
    }
}

impl Producer for UniformProducer {
    fn begin(&self) -> Box<dyn ProducerSession + '_> {
        Box::new(UniformSession { producer: self })
    }

    fn lengths(&self) -> Option<Lengths> {
        Some(self.lengths)
    }
}

/// Draws are independent of each other.
struct UniformSession<'a> {
    producer: &'a UniformProducer,
}

impl ProducerSession for UniformSession<'_> {
    fn produce(
        &mut self,
        nonterminal: NonterminalId,
        stream: &mut RandomStream,
        text: &mut Vec<u8>,
    ) -> Result<(), Unproductive> {
        let producer = self.producer;
        let weights = || producer.length_weights(nonterminal);
        let length = sample(&producer.whole[nonterminal], stream, weights)
            .ok_or(Unproductive::Length(producer.lengths))?;
        producer.draw(nonterminal, length, stream, text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::grammar::arbitrary::{GrammarShape, grammars, strings};
    use crate::grammar::{GrammarBuilder, Name};
    use crate::parse::Parser;
    use proptest::prelude::*;

    /// `<t> ::= "(" <t> ")" <t> | [ab é] | ""`
    fn brackets() -> Arc<Grammar> {
        let mut builder = GrammarBuilder::new();
        let t = builder.nonterminal(Name::base("t"));
        let [open, close] = ["(", ")"].map(|text| builder.literal(text.as_bytes()).unwrap());
        let letters = builder.class(CharClass::of(['a', 'b', 'é']));
        builder.rule(t, [open, Symbol::Nonterminal(t), close, Symbol::Nonterminal(t)]);
        builder.rule(t, [letters]);
        builder.rule(t, []);
        Arc::new(builder.finish(t))
    }

    fn lengths(least: usize, most: usize) -> Lengths {
        Lengths { least, most }
    }

    fn frequencies(producer: &UniformProducer, draws: usize) -> BTreeMap<Vec<u8>, usize> {
        let mut found = BTreeMap::new();
        let mut stream = RandomStream::derive(5, "uniform");
        let mut session = producer.begin();
        for _ in 0..draws {
            let mut text = Vec::new();
            session.produce(producer.grammar.start(), &mut stream, &mut text).unwrap();
            *found.entry(text).or_insert(0) += 1;
        }
        found
    }

    /// How far frequencies are from equal, in the usual measure; its mean is one less than their number.
    fn chi_square(frequencies: impl Iterator<Item = (usize, f64)>) -> f64 {
        frequencies.map(|(found, expected)| (found as f64 - expected).powi(2) / expected).sum()
    }

    #[test]
    fn every_input_of_a_length_is_equally_likely() {
        let producer = UniformProducer::new(brackets(), lengths(0, 7), &Limits::default()).unwrap();
        let all = producer.derivations(producer.grammar.start());
        let found = frequencies(&producer, 30_000);
        // An unambiguous language: each derivation is an input of its own.
        assert_eq!(BigUint::from(found.len()), all);
        let cells = found.len() as f64;
        let distance = chi_square(found.values().map(|&times| (times, 30_000.0 / cells)));
        // Four standard deviations.
        assert!((distance - cells).abs() < 4.0 * (2.0 * cells).sqrt(), "{distance} for {cells} inputs");
    }

    #[test]
    fn long_inputs_have_their_length() {
        let producer = UniformProducer::new(brackets(), lengths(300, 300), &Limits::default()).unwrap();
        assert!(producer.derivations(producer.grammar.start()).bits() > 300);
        for text in frequencies(&producer, 20).into_keys() {
            assert_eq!(text.len(), 300);
            String::from_utf8(text).unwrap();
        }
    }

    #[test]
    fn what_has_no_such_length_or_cannot_be_counted_is_an_error() {
        let mut builder = GrammarBuilder::new();
        let s = builder.nonterminal(Name::base("s"));
        let x = builder.literal(b"xxx").unwrap();
        builder.rule(s, [x]);
        let short = lengths(0, 2);
        let producer =
            UniformProducer::new(Arc::new(builder.clone().finish(s)), short, &Limits::default()).unwrap();
        let produced = producer.produce(s, &mut RandomStream::derive(0, ""), &mut Vec::new());
        assert_eq!(produced, Err(Unproductive::Length(short)));
        builder.rule(s, [Symbol::Nonterminal(s)]);
        assert!(UniformProducer::new(Arc::new(builder.finish(s)), short, &Limits::default()).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn an_input_is_as_likely_as_it_has_derivations(grammar in grammars(GrammarShape::default()), most in 0usize..5) {
            let grammar = Arc::new(grammar);
            let Ok(producer) = UniformProducer::new(Arc::clone(&grammar), lengths(0, most), &Limits::default()) else { return Ok(()) };
            let parser = Parser::new(Arc::clone(&grammar));
            let derivations: Vec<(Vec<u8>, u64)> = strings(most)
                .into_iter()
                .filter_map(|text| {
                    let trees = parser.parse(&text).ok()?.count_trees().unwrap();
                    Some((text, trees))
                })
                .collect();
            let total: u64 = derivations.iter().map(|(_, trees)| trees).sum();
            prop_assert_eq!(producer.derivations(grammar.start()), BigUint::from(total));
            if total == 0 || total > 200 {
                return Ok(());
            }
            let draws = total as usize * 40;
            let found = frequencies(&producer, draws);
            let inputs: Vec<&Vec<u8>> = found.keys().collect();
            let mut parsed: Vec<&Vec<u8>> = derivations.iter().map(|(text, _)| text).collect();
            parsed.sort();
            prop_assert_eq!(inputs, parsed);
            let cells = derivations.len() as f64;
            let distance = chi_square(derivations.iter().map(|(text, trees)| (found[text], *trees as f64 * 40.0)));
            // Far out, as this is tried on other grammars each time.
            prop_assert!(distance < cells + 40.0 + 9.0 * cells.sqrt(), "{distance} for {cells} inputs");
        }
    }
}
