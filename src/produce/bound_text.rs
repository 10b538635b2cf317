//! Inputs of expressions with bound nodes.
//!
//! A specialized grammar takes bound nodes as abstract (see [`Expression::relaxed`]), so what is drawn
//! from it seldom has equal texts where the expression asks for them. [`BoundTextProducer`] repairs that: it
//! parses what was drawn, takes a node at which a name would occur if its bound nodes did not differ, copies the text of
//! one of them over the others of its number, and looks again, until the first tree of the input
//! satisfies the expression. It repairs one occurrence at a time, because an expression may well ask for an exact number of
//! equal ones (`exactly 1 E`) or for none (`!E`), and leaves alone what satisfies it as it is.
//!
//! That may fail, for instance where a copied text is not of the other node's nonterminal, or where an
//! other parse betrays the input. So whoever draws has to validate, as always.

use std::sync::Arc;

use crate::base::stream::Stream;
use crate::grammar::NonterminalId;
use crate::parse::Parser;
use crate::pattern::{Expression, bound_range};
use crate::tree::{NodeId, Tree};

use super::{Producer, ProducerSession, Unproductive};

/// The maximum number of occurrences that are repaired: nested ones can undo each other.
const MOST_ROUNDS: usize = 24;

/// Inputs whose forests are larger than this are left as they are: they are very ambiguous.
const MOST_NODES: usize = 50_000;

/// A copy can double an input; beyond this length (in bytes) it is given up.
const MOST_LENGTH: usize = 1 << 16;

/// A producer whose inputs are made to satisfy an expression with bound nodes.
pub struct BoundTextProducer {
    inner: Box<dyn Producer>,
    parser: Arc<Parser>,
    expression: Arc<Expression>,
    satisfies: bool,
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
        Box::new(Self {
            inner: producer,
            parser: Arc::clone(parser),
            expression: Arc::clone(expression),
            satisfies,
        })
    }

    /// Mends an input as far as it goes.
    fn repair(&self, mut text: Vec<u8>, stream: &mut Stream) -> Vec<u8> {
        for _ in 0..MOST_ROUNDS {
            if text.len() > MOST_LENGTH {
                break;
            }
            let Ok(Some(forest)) = self.parser.parse_within(&text, MOST_NODES) else { break };
            let tree = forest.first_tree();
            if self.expression.holds(self.parser.grammar(), &tree) == self.satisfies {
                break;
            }
            let places = self.expression.unequal(self.parser.grammar(), &tree, |ways| stream.below(ways));
            if places.is_empty() {
                break;
            }
            let place: &Vec<(u32, NodeId)> = stream.pick(&places);
            text = self.equalize(&text, &tree, place, stream);
        }
        text
    }

    /// The text in which all of these nodes with the same number have the same text, that of one of them.
    fn equalize(&self, text: &[u8], tree: &Tree, nodes: &[(u32, NodeId)], stream: &mut Stream) -> Vec<u8> {
        let grammar = self.parser.grammar();
        let whole = tree.spans(grammar);
        let mut spans = whole.clone();
        for &(_, node) in nodes {
            let range = bound_range(grammar, tree, node);
            let start = whole[node].0;
            spans[node] = (start + range.start, start + range.end);
        }
        let mut sources: Vec<(u32, &[u8])> = Vec::new();
        let mut result = Vec::with_capacity(text.len());
        let mut at = 0;
        for &(number, node) in nodes {
            let known = sources.iter().find(|known| known.0 == number).map(|known| known.1);
            let source = known.unwrap_or_else(|| {
                let equal: Vec<NodeId> =
                    nodes.iter().filter(|other| other.0 == number).map(|other| other.1).collect();
                let (start, end) = spans[*stream.pick(&equal)];
                sources.push((number, &text[start..end]));
                &text[start..end]
            });
            let (start, end) = spans[node];
            if start < at {
                // A part of a node whose text has been replaced.
                continue;
            }
            result.extend_from_slice(&text[at..start]);
            result.extend_from_slice(source);
            at = end;
        }
        result.extend_from_slice(&text[at..]);
        result
    }
}

impl Producer for BoundTextProducer {
    fn begin(&self) -> Box<dyn ProducerSession + '_> {
        Box::new(BoundTextSession { producer: self, inner: self.inner.begin() })
    }
}

struct BoundTextSession<'a> {
    producer: &'a BoundTextProducer,
    inner: Box<dyn ProducerSession + 'a>,
}

impl ProducerSession for BoundTextSession<'_> {
    fn produce(
        &mut self,
        nonterminal: NonterminalId,
        stream: &mut Stream,
        text: &mut Vec<u8>,
    ) -> Result<(), Unproductive> {
        let mut drawn = Vec::new();
        self.inner.produce(nonterminal, stream, &mut drawn)?;
        text.extend(self.producer.repair(drawn, stream));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::diagnostic::Source;
    use crate::base::limits::Limits;
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
        let mut stream = Stream::derive(1, "bound");
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
    fn a_negation_lets_texts_differ_where_the_pattern_matches_but_for_them() {
        let (grammar, expression) =
            json(r#"<json !D & T> where <array D> is "[<$elt:1>, <$elt:1>]", <array T> is "[<elt>, <elt>]""#);
        assert_eq!(inputs(&grammar, &expression, 20, (5, 1_000)).unwrap().len(), 20);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn whatever_few_trees_satisfy_is_found(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = bound_expression(&grammar, &recipe) else { return Ok(()) };
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
