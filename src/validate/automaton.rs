//! The `automaton` validator: parses once with the base grammar, and runs the expression's automaton.
//!
//! As long as each part of the input has one set of states, it is computed while parsing (see
//! [`super::states`]). Otherwise the automaton runs over the packed forest. Each node of the forest gets the set of states in which its derivation trees can end: the union
//! over its alternatives of what the rule's fold makes of the children's sets. Where the forest has
//! cycles, the sets grow to a fixpoint. The answer is read off the root's set. (DESIGN, section 2.)

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::automaton::{Automaton, FoldId, StateId, TooLarge};
use crate::base::id::Id;
use crate::grammar::Symbol;
use crate::parse::{Child, Evaluation, Forest, ForestNodeId, Parser, SyntaxError};
use crate::pattern::Expression;

use super::states::StateSets;
use super::{Answer, Survey, Unanswered, Validator};

/// Validates by running a tree automaton over the parse forest.
pub struct AutomatonValidator {
    parser: Arc<Parser>,
    /// That of the expression, or of the relaxed one when it has bound nodes.
    automaton: Arc<Automaton>,
    /// The expression, when it has bound nodes.
    bound: Option<Arc<Expression>>,
    /// What validating has found out so far, for one thread each.
    evaluations: Mutex<Vec<Evaluation<StateSets>>>,
}

impl AutomatonValidator {
    /// A validator for `expression` over the grammar of `parser`, whose start symbol must be the
    /// expression's.
    ///
    /// # Errors
    /// When the automaton is too large.
    pub fn new(parser: Arc<Parser>, expression: Arc<Expression>) -> Result<Self, TooLarge> {
        debug_assert_eq!(parser.grammar().start(), expression.start);
        let (expression, bound) = match expression.is_bound() {
            true => (Arc::new(expression.relaxed()), Some(expression)),
            false => (expression, None),
        };
        let automaton = Automaton::new(Arc::clone(parser.grammar()), expression, Automaton::DEFAULT_LIMIT)?;
        Ok(Self { parser, automaton: Arc::new(automaton), bound, evaluations: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Evaluation<StateSets>>> {
        self.evaluations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the states say in which all parses of an input end.
    fn answer(&self, states: &[StateId]) -> Answer {
        let accepted = states.iter().filter(|&&state| self.automaton.accepts(state)).count();
        Answer::of(accepted, states.len())
    }

    /// The automaton's answer, which is exact without bound nodes. With them it is that of the relaxed
    /// expression, so that only `none` is certain.
    fn run(&self, input: &[u8]) -> Result<Answer, SyntaxError> {
        let evaluation = self.lock().pop();
        let mut evaluation = evaluation
            .unwrap_or_else(|| Evaluation::new(&self.parser, StateSets::new(Arc::clone(&self.automaton))));
        let value = evaluation.evaluate(&self.parser, input);
        let answer = value.map(|value| value.map(|value| self.answer(evaluation.algebra().states(value))));
        self.lock().push(evaluation);
        match answer? {
            Some(answer) => Ok(answer),
            None => Ok(self.answer(&self.states(&self.parser.parse(input)?))),
        }
    }

    /// The states in which the derivation trees of a forest can end.
    fn states(&self, forest: &Forest) -> Vec<StateId> {
        let mut states: Vec<Vec<StateId>> = vec![Vec::new(); forest.node_bound()];
        let mut scratch = Scratch::default();
        for (nodes, is_cycle) in forest.groups() {
            loop {
                let mut grown = false;
                for &node in nodes {
                    grown |= self.visit(forest, node, &mut states, &mut scratch);
                }
                if !(is_cycle && grown) {
                    break;
                }
            }
        }
        std::mem::take(&mut states[forest.root().index()])
    }

    /// Adds the states that the alternatives of `node` lead to; says whether any was new.
    fn visit(
        &self,
        forest: &Forest,
        node: ForestNodeId,
        states: &mut [Vec<StateId>],
        scratch: &mut Scratch,
    ) -> bool {
        let Scratch { children, folds, next, found } = scratch;
        found.clear();
        forest.visit_alternatives(node, children, |rule, children| {
            let symbols = &self.automaton.grammar().rule(rule).symbols;
            folds.clear();
            folds.push(self.automaton.begin(rule));
            for (position, (&symbol, child)) in symbols.iter().zip(children).enumerate() {
                match (symbol, child) {
                    (Symbol::Class(class), Child::Char(c)) => {
                        for fold in folds.iter_mut() {
                            *fold = self.automaton.step_char(*fold, position, class, *c);
                        }
                    }
                    (Symbol::Nonterminal(_), Child::Node(child)) => {
                        next.clear();
                        for &fold in folds.iter() {
                            for &state in &states[child.index()] {
                                let step = self.automaton.step(fold, position, state);
                                if !next.contains(&step) {
                                    next.push(step);
                                }
                            }
                        }
                        std::mem::swap(folds, next);
                    }
                    _ => {}
                }
            }
            found.extend(folds.iter().map(|&fold| self.automaton.end(rule, fold)));
        });
        let known = &mut states[node.index()];
        let before = known.len();
        for &state in found.iter() {
            if !known.contains(&state) {
                known.push(state);
            }
        }
        known.len() > before
    }
}

/// Space that is used again for each node.
#[derive(Default)]
struct Scratch {
    children: Vec<Child>,
    folds: Vec<FoldId>,
    next: Vec<FoldId>,
    found: Vec<StateId>,
}

impl Validator for AutomatonValidator {
    fn name(&self) -> &'static str {
        "automaton"
    }

    fn validate(&self, input: &[u8]) -> Result<Answer, Unanswered> {
        match (self.run(input)?, &self.bound) {
            (Answer::None, _) => Ok(Answer::None),
            (answer, None) => Ok(answer),
            // No automaton can compare texts.
            (_, Some(expression)) => {
                let most = Survey::DEFAULT_LIMIT;
                let forest = self.parser.parse_within(input, most)?;
                let forest = forest.ok_or(Unanswered::TooAmbiguous { limit: most })?;
                Ok(Survey::new(expression, &forest, Survey::DEFAULT_LIMIT)?.answer())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::one_by_one;
    use super::*;
    use crate::base::diagnostic::Source;
    use crate::grammar::arbitrary::{GrammarShape, grammars, strings};
    use crate::grammar::ebnf;
    use crate::pattern::arbitrary::{expression, recipes};
    use crate::pattern::read_expression;
    use crate::transform::{AutomatonTransformer, Transformer};
    use proptest::prelude::*;

    /// Random grammars seldom have several long rules that end alike, of which patterns know one.
    #[test]
    fn rules_that_end_alike_are_told_apart() {
        let text = "<s> ::= \"x\" <a> <b> <c> | \"y\" <a> <b> <c> | <a> <a> <b> <c>\n\
            <a> ::= \"1\" | \"2\"\n<b> ::= \"1\" | \"2\"\n<c> ::= \"1\" | \"2\" <c>";
        let grammar = Arc::new(ebnf::read(&Source::new("s.ebnf", text)).unwrap().grammar);
        let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
        for formula in ["P", "Q", "R", "P | Q", "!Q & !R", "P ^ R", "Q -> R"] {
            let text = format!(
                "<s {formula}> where <s P> is \"x1<b>21\", <s Q> is \"y<a>1<c>\", <s R> is \"1<a>21\""
            );
            let expression = read_expression(&Source::new("expression", text), &grammar).unwrap();
            let validator =
                AutomatonValidator::new(Arc::clone(&parser), Arc::new(expression.clone())).unwrap();
            let mut evaluation = Evaluation::new(&parser, StateSets::new(Arc::clone(&validator.automaton)));
            for begin in ["x", "y", "1", "2"] {
                for rest in ["111", "211", "121", "221", "1121", "1221", "2121", "2221"] {
                    let input = [begin, rest].concat().into_bytes();
                    let tree = parser.parse(&input).unwrap().first_tree();
                    let value = evaluation.evaluate(&parser, &input).unwrap().expect("it is not ambiguous");
                    let &[state] = evaluation.algebra().states(value) else { panic!("one tree, one state") };
                    assert_eq!(validator.automaton.accepts(state), expression.holds(&grammar, &tree));
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn the_answer_is_that_of_all_parses_on_every_string(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = expression(&grammar, &recipe) else { return Ok(()) };
            let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
            let validator = AutomatonValidator::new(Arc::clone(&parser), Arc::new(expression.clone())).unwrap();
            for input in strings(5) {
                // Cyclic inputs have infinitely many trees: these are covered by the next test.
                let Ok(forest) = parser.parse(&input) else {
                    prop_assert!(validator.validate(&input).is_err());
                    continue;
                };
                let Some(trees) = forest.trees(2_000) else { continue };
                let wanted = one_by_one(&expression, &grammar, &trees);
                prop_assert_eq!(validator.validate(&input).unwrap(), wanted, "{:?}", String::from_utf8_lossy(&input));
            }
        }

        /// What `not` means for strings: a string is derived by the specialized grammar, or none of its
        /// parses satisfies the expression, and never both.
        #[test]
        fn each_string_is_of_the_specialized_grammar_or_none_of_its_parses_satisfies(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = expression(&grammar, &recipe) else { return Ok(()) };
            let expression = Arc::new(expression);
            let validator =
                AutomatonValidator::new(Arc::new(Parser::new(Arc::clone(&grammar))), Arc::clone(&expression)).unwrap();
            let special = |expression: &Arc<Expression>| {
                let special = AutomatonTransformer::default().specialize(&grammar, expression).unwrap();
                Parser::new(special.grammar)
            };
            let (yes, no) = (special(&expression), special(&Arc::new(expression.negated())));
            for input in strings(5) {
                let wanted = match (yes.recognizes(&input), no.recognizes(&input)) {
                    (true, false) => Some(Answer::Every),
                    (true, true) => Some(Answer::Some),
                    (false, true) => Some(Answer::None),
                    (false, false) => None,
                };
                prop_assert_eq!(validator.validate(&input).ok(), wanted, "{:?}", String::from_utf8_lossy(&input));
            }
        }

        #[test]
        fn what_is_computed_while_parsing_is_what_the_forest_says(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = expression(&grammar, &recipe) else { return Ok(()) };
            let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
            let validator = AutomatonValidator::new(Arc::clone(&parser), Arc::new(expression)).unwrap();
            let mut evaluation = Evaluation::new(&parser, StateSets::new(Arc::clone(&validator.automaton)));
            for input in strings(5) {
                let Ok(forest) = parser.parse(&input) else { continue };
                let value = evaluation.evaluate(&parser, &input).unwrap();
                // Giving up is for ambiguity.
                prop_assert!(value.is_some() || forest.is_ambiguous() || !parser.is_proved_unambiguous());
                let Some(value) = value else { continue };
                let mut states = validator.states(&forest);
                states.sort_unstable();
                prop_assert_eq!(evaluation.algebra().states(value), &states[..]);
            }
        }

        #[test]
        fn the_trees_that_are_enumerated_agree_with_the_answer_on_cyclic_grammars_too(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = expression(&grammar, &recipe) else { return Ok(()) };
            let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
            let validator = AutomatonValidator::new(parser, Arc::new(expression.clone())).unwrap();
            for tree in crate::tree::trees_up_to(&grammar, grammar.start(), 5) {
                let answer = validator.validate(&tree.text(&grammar)).unwrap();
                let possible = if expression.holds(&grammar, &tree) { Answer::Every } else { Answer::None };
                prop_assert!(answer == possible || answer == Answer::Some);
            }
        }
    }
}
