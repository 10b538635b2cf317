//! Inputs of expressions with bound nodes.
//!
//! A specialized grammar takes bound nodes as abstract (see [`Expression::relaxed`]), so what is drawn
//! from it seldom has equal texts where the expression asks for them. [`BoundTextProducer`] repairs that: it
//! parses what was drawn, takes a node at which a name would occur if its bound nodes did not differ, copies the text of
//! one of them over the others of its number, and looks again, until the first tree of the input
//! satisfies the expression. It repairs one occurrence at a time, because an expression may well ask for an exact number of
//! equal ones (`exactly 1 E`) or for none (`!E`), and leaves alone what satisfies it as it is.
//!
//! Where they are equal and a constraint is not met (`if int($1) < 5`), one of the texts is replaced: by a number near one that it may be
//! compared with, by a longer text, or by any of its nonterminal.
//!
//! That may fail, for instance where a copied text is not of the other node's nonterminal, or where an
//! other parse betrays the input. So whoever draws has to validate, as always.

use std::sync::Arc;

use crate::base::limits::{Limits, Sizes};
use crate::base::random_stream::RandomStream;
use crate::grammar::NonterminalId;
use crate::parse::Parser;
use crate::pattern::{Constraint, Expression, Pattern, bound_range};
use crate::tree::{NodeId, Tree};

use super::limit::LimitProducer;
use super::{Producer, ProducerSession, Unproductive};

/// The maximum number of occurrences that are repaired: nested ones can undo each other.
const MOST_ROUNDS: usize = 24;

/// The same where constraints are to be met, each by trying: a number of inputs in a row for which that was in vain, and the number of
/// tries until then; afterwards there is one.
const TRIES: [(usize, usize); 2] = [(30, 100), (100, 6)];

/// New texts make an input at most this factor longer, and this number of bytes beyond that.
const MOST_GROWTH: (usize, usize) = (2, 64);

/// Inputs whose forests are larger than this are left as they are: they are very ambiguous.
const MOST_NODES: usize = 50_000;

/// The number of steps for each byte that parsing a text that is tried may take.
const STEPS_OF_BYTE: u64 = 1_000;

/// How deep new texts nest where they can.
const DEPTH: u32 = 5;

/// A copy can double an input; beyond this length (in bytes) it is given up.
const MOST_LENGTH: usize = 1 << 16;

/// A producer whose inputs are made to satisfy an expression with bound nodes.
pub struct BoundTextProducer {
    inner: Box<dyn Producer>,
    parser: Arc<Parser>,
    expression: Arc<Expression>,
    satisfies: bool,
    /// What makes new texts, where there are constraints.
    fresh: Option<LimitProducer>,
    /// The numbers with which constraints compare.
    constants: Vec<i64>,
}

impl BoundTextProducer {
    /// `producer` itself when the expression has no bound nodes. Otherwise one that repairs its inputs
    /// until their first tree in the grammar of `parser` satisfies the expression, or until it does not, as
    /// `satisfies` says.
    pub fn around(
        producer: Box<dyn Producer>,
        parser: &Arc<Parser>,
        expression: &Arc<Expression>,
        satisfies: bool,
    ) -> Box<dyn Producer> {
        if !expression.is_bound() {
            return producer;
        }
        let patterns = expression.patterns.iter().flat_map(|named| &named.alternatives);
        let constraints: Vec<&Constraint> = patterns.filter_map(Pattern::constraint).collect();
        Box::new(Self {
            fresh: (!constraints.is_empty()).then(|| LimitProducer::new(Arc::clone(parser.grammar()), DEPTH)),
            constants: constraints.into_iter().flat_map(Constraint::constants).collect(),
            inner: producer,
            parser: Arc::clone(parser),
            expression: Arc::clone(expression),
            satisfies,
        })
    }

    /// Mends an input as far as it goes, after some others for which it did not go far enough; says whether it is mended.
    fn repair(&self, mut text: Vec<u8>, futile: usize, stream: &mut RandomStream) -> (Vec<u8>, bool) {
        let mut before: Option<Vec<u8>> = None;
        let longest = MOST_GROWTH.0 * text.len() + MOST_GROWTH.1;
        let rounds = match self.fresh {
            Some(_) => TRIES.iter().find(|(most, _)| futile < *most).map_or(1, |(_, tries)| *tries),
            None => MOST_ROUNDS,
        };
        for round in 0..rounds {
            if text.len() > MOST_LENGTH {
                break;
            }
            let parsed = match self.fresh {
                // What was changed may be very ambiguous, and there is more to try.
                Some(_) if round > 0 => {
                    let steps = STEPS_OF_BYTE * (text.len() as u64 + 100);
                    let limits = Limits::of(Sizes { steps, ..Sizes::default() });
                    self.parser.parse_limited(&text, MOST_NODES, &limits)
                }
                _ => self.parser.parse_within(&text, MOST_NODES),
            };
            let Ok(Some(forest)) = parsed else {
                // The last text was not of its nonterminal.
                match before.take() {
                    Some(before) => text = before,
                    None => break,
                }
                continue;
            };
            let tree = forest.first_tree();
            if self.expression.holds(self.parser.grammar(), &tree) == self.satisfies {
                return (text, true);
            }
            before = None;
            let mut places = self.places(&tree, false, stream);
            if places.is_empty() && self.fresh.is_some() {
                // Where a constraint is met it may be one that should not be.
                places = self.places(&tree, true, stream);
            }
            places.retain(|nodes| !nodes.is_empty());
            if places.is_empty() {
                break;
            }
            let place: &Vec<(u32, NodeId)> = stream.pick(&places);
            let equal = self.equalize(&text, &tree, place, stream);
            let is_equal = equal == text;
            text = match &self.fresh {
                Some(fresh) if is_equal || stream.below(3) == 0 => {
                    let changed = self.vary(&text, &tree, place, fresh, stream);
                    if changed.len() <= longest {
                        before = Some(std::mem::replace(&mut text, changed));
                    }
                    continue;
                }
                _ => equal,
            };
        }
        (text, false)
    }

    /// Where a name occurs, or would but for texts.
    fn places(&self, tree: &Tree, occurs: bool, stream: &mut RandomStream) -> Vec<Vec<(u32, NodeId)>> {
        self.expression.bound_places(self.parser.grammar(), tree, occurs, |ways| stream.below(ways))
    }

    /// The text in which all of these nodes with the same number have the same text, that of one of them.
    fn equalize(
        &self,
        text: &[u8],
        tree: &Tree,
        nodes: &[(u32, NodeId)],
        stream: &mut RandomStream,
    ) -> Vec<u8> {
        let spans = self.spans(tree, nodes);
        let mut sources: Vec<(u32, &[u8])> = Vec::new();
        for &(number, _) in nodes {
            if !sources.iter().any(|known| known.0 == number) {
                let equal: Vec<&Span> = spans.iter().filter(|span| span.number == number).collect();
                let source = stream.pick(&equal);
                sources.push((number, &text[source.start..source.end]));
            }
        }
        let source = |number| sources.iter().find(|known| known.0 == number).map(|known| known.1);
        replaced(text, &spans, source)
    }

    /// The text in which all of these nodes with one of the numbers have another text.
    fn vary(
        &self,
        text: &[u8],
        tree: &Tree,
        nodes: &[(u32, NodeId)],
        fresh: &LimitProducer,
        stream: &mut RandomStream,
    ) -> Vec<u8> {
        let spans = self.spans(tree, nodes);
        let &(number, node) = stream.pick(nodes);
        let of = |span: &Span| &text[span.start..span.end];
        let own = spans.iter().find(|span| span.number == number).map_or(&[][..], of);
        let new = match stream.below(8) {
            0..=2 => {
                let near: Vec<i64> = spans
                    .iter()
                    .flat_map(|span| {
                        let digits = std::str::from_utf8(of(span)).ok();
                        let value = digits.and_then(|digits| digits.parse::<i64>().ok());
                        value.into_iter().chain([i64::try_from(span.end - span.start).unwrap_or(i64::MAX)])
                    })
                    .chain(self.constants.iter().copied())
                    .collect();
                let offset = [0, 1, -1, 2, -2, 10, -10][stream.below(7)];
                stream.pick(&near).saturating_add(offset).to_string().into_bytes()
            }
            3..=6 => {
                // A part of it once more.
                let (one, other) = (stream.below(own.len() + 1), stream.below(own.len() + 1));
                [&own[..one.max(other)], &own[one.min(other)..]].concat()
            }
            _ => {
                let mut new = Vec::new();
                let nonterminal = tree.nonterminal(self.parser.grammar(), node);
                match nonterminal.map(|nonterminal| fresh.produce(nonterminal, stream, &mut new)) {
                    Some(Ok(())) => new,
                    _ => return text.to_vec(),
                }
            }
        };
        replaced(text, &spans, |other| (other == number).then_some(&new))
    }

    /// The bound texts of these nodes.
    fn spans(&self, tree: &Tree, nodes: &[(u32, NodeId)]) -> Vec<Span> {
        let grammar = self.parser.grammar();
        let whole = tree.spans(grammar);
        let span = |&(number, node): &(u32, NodeId)| {
            let (range, start) = (bound_range(grammar, tree, node), whole[node].0);
            Span { number, start: start + range.start, end: start + range.end }
        };
        nodes.iter().map(span).collect()
    }
}

/// The text of a bound node.
struct Span {
    number: u32,
    start: usize,
    end: usize,
}

/// The text with others in place of those of some numbers.
fn replaced<'t>(text: &[u8], spans: &[Span], new: impl Fn(u32) -> Option<&'t [u8]>) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        // Otherwise it is a part of a node whose text has been replaced.
        if let Some(new) = new(span.number)
            && span.start >= at
        {
            result.extend_from_slice(&text[at..span.start]);
            result.extend_from_slice(new);
            at = span.end;
        }
    }
    result.extend_from_slice(&text[at..]);
    result
}

impl Producer for BoundTextProducer {
    fn begin(&self) -> Box<dyn ProducerSession + '_> {
        Box::new(BoundTextSession { producer: self, inner: self.inner.begin(), futile: 0 })
    }
}

struct BoundTextSession<'a> {
    producer: &'a BoundTextProducer,
    inner: Box<dyn ProducerSession + 'a>,
    /// The number of inputs in a row that could not be mended.
    futile: usize,
}

impl ProducerSession for BoundTextSession<'_> {
    fn produce(
        &mut self,
        nonterminal: NonterminalId,
        stream: &mut RandomStream,
        text: &mut Vec<u8>,
    ) -> Result<(), Unproductive> {
        let mut drawn = Vec::new();
        self.inner.produce(nonterminal, stream, &mut drawn)?;
        let (mended, is_mended) = self.producer.repair(drawn, self.futile, stream);
        self.futile = if is_mended { 0 } else { self.futile + 1 };
        text.extend(mended);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::diagnostic::Source;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::grammar::{Grammar, format};
    use crate::pattern::arbitrary::{bound_expression, recipes};
    use crate::pattern::read_expression;
    use crate::produce::{distinct, producer};
    use crate::transform::{AutomatonTransformer, Transformer};
    use crate::tree::trees_up_to;
    use crate::validate::{Answer, AutomatonValidator, Validator};

    /// Inputs of an expression that were validated, at most `wanted` of at most `longest` bytes;
    /// `None` when its grammar is empty.
    fn inputs(
        grammar: &Arc<Grammar>,
        expression: &Arc<Expression>,
        wanted: usize,
        (depth, longest): (u32, usize),
    ) -> Option<Vec<Vec<u8>>> {
        let special = AutomatonTransformer::default().specialize(grammar, expression).unwrap();
        let parser = Arc::new(Parser::new(Arc::clone(grammar)));
        let validator =
            AutomatonValidator::new(Arc::clone(&parser), Arc::clone(expression), Limits::default()).unwrap();
        let producer =
            producer("limit", &special.grammar, parser.lexis(), depth, &Limits::default()).unwrap();
        let producer = BoundTextProducer::around(producer, &parser, expression, true);
        let accept = |text: &[u8]| -> Result<bool, Unproductive> {
            // Long texts of very ambiguous grammars take long.
            Ok(text.len() <= longest && validator.validate(text) == Ok(Answer::Every))
        };
        let mut stream = RandomStream::derive(1, "bound");
        let found = distinct(&*producer, special.grammar.start(), &mut stream, wanted, accept).ok()?;
        Some(found.inputs.into_iter().map(Vec::from).collect())
    }

    fn json(expression: &str) -> (Arc<Grammar>, Arc<Expression>) {
        let source = Source::new("json.ebnf", include_str!("../../grammars/json.ebnf"));
        let grammar = Arc::new(format::read(&source, None).unwrap().grammar);
        let expression = read_expression(&Source::new("expression", expression), &grammar).unwrap();
        (grammar, Arc::new(expression))
    }

    #[test]
    fn equal_texts_are_made_where_the_expression_asks_for_them_and_no_others() {
        let same_key = r#"<items D> is "<$string:1>: <elt>, <$string:1>: <elt>""#;
        for formula in ["D", "!D", "exactly 1 D", "at least 2 D & at most 3 D", "D & !N", "root J -> D"] {
            let (grammar, expression) = json(&format!(
                r#"<json {formula}> where {same_key}, <elt N> is "null", <json J> is "<elt>""#
            ));
            let found = inputs(&grammar, &expression, 30, (5, 1_000)).unwrap();
            assert_eq!(found.len(), 30, "{formula}");
            let parser = Parser::new(Arc::clone(&grammar));
            for text in &found {
                let tree = parser.parse(text).unwrap().first_tree();
                assert!(expression.holds(&grammar, &tree), "{formula}: {}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn equal_texts_are_made_at_different_places_of_a_list() {
        let list = r#"<array L> is "[<elts L>]", <elts L> is "<elt>, <elts L>" | "<$elt:1>, <elts M>",
            <elts M> is "<elt>, <elts M>" | "<$elt:1>, <elts>" | "<$elt:1>""#;
        let keys = r#"<item K> is "<$string:1>: <$elt:1 !has L>""#;
        for formula in ["L", "!L & at least 1 K", "L & K"] {
            let (grammar, expression) = json(&format!("<json {formula}> where {list}, {keys}"));
            let found = inputs(&grammar, &expression, 20, (5, 1_000)).unwrap();
            assert_eq!(found.len(), 20, "{formula}");
            let parser = Parser::new(Arc::clone(&grammar));
            for text in &found {
                let tree = parser.parse(text).unwrap().first_tree();
                assert!(expression.holds(&grammar, &tree), "{formula}: {}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn a_negation_lets_texts_differ_where_the_pattern_matches_but_for_them() {
        let (grammar, expression) =
            json(r#"<json !D & T> where <array D> is "[<$elt:1>, <$elt:1>]", <array T> is "[<elt>, <elt>]""#);
        assert_eq!(inputs(&grammar, &expression, 20, (5, 1_000)).unwrap().len(), 20);
    }

    #[test]
    fn texts_are_made_that_meet_constraints() {
        for expression in [
            r#"<json E> where <array E> is "[<$number:1>, <$number:2>]" if int($1) < int($2)"#,
            r#"<json E> where <array E> is "[<$number:1>, <$number:2>]" if int($1) = 417 & int($2) > 1000000"#,
            r#"<json !E & L> where <array E> is "[<$elt:1>]" if len($1) < 12, <array L> is "[<elt>]""#,
            r#"<json E> where <array E> is "[<$elt:1>, <$elt:2>]" if $1 != $2 & len($1) = len($2)"#,
            r#"<json E> where <item E> is "<$string:1>: <$elt:1>" if len($1) > 20 | "\"n\": <$number:1>" if int($1) = 5"#,
        ] {
            let (grammar, expression) = json(expression);
            let found = inputs(&grammar, &expression, 5, (5, 1_000)).unwrap();
            assert_eq!(found.len(), 5, "{}", expression.text(&grammar));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn whatever_few_trees_satisfy_is_found(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(mut expression) = bound_expression(&grammar, &recipe) else { return Ok(()) };
            // With constraints it is not said that something is found, and trying takes seconds where nothing is.
            for name in expression.patterns.ids() {
                for pattern in &mut expression.patterns[name].alternatives {
                    *pattern = pattern.clone().constrained(None);
                }
            }
            let expression = Arc::new(expression);
            let parser = Parser::new(Arc::clone(&grammar));
            // A small tree whose input has no other parse, and satisfies: then something must be produced.
            let possible = trees_up_to(&grammar, grammar.start(), 4).into_iter().any(|tree| {
                expression.holds(&grammar, &tree)
                    && !parser.parse(&tree.text(&grammar)).unwrap().is_ambiguous()
            });
            let found = inputs(&grammar, &expression, 3, (3, 10)).unwrap_or_default();
            prop_assert!(!possible || !found.is_empty());
            for text in found {
                let trees = parser.parse(&text).unwrap().trees(500).unwrap_or_default();
                prop_assert!(trees.iter().all(|tree| expression.holds(&grammar, tree)));
            }
        }
    }
}
