//! The `automaton` validator: parses once with the base grammar, and runs the expression's automaton.
//!
//! As long as each part of the input has one set of states, it is computed while parsing (see
//! [`super::states`]). Otherwise the automaton runs over the packed forest. Each node of the forest gets the set of states in which its derivation trees can end: the union
//! over its alternatives of what the rule's fold makes of the children's sets. Where the forest has
//! cycles, the sets grow to a fixpoint. The answer is read off the root's set. (DESIGN, section 2.)
//!
//! Of the automaton is found what inputs lead to, and that is kept for the next input.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::automaton::{FoldId, StateId};
use crate::base::id::Id;
use crate::base::limits::{Exceeded, Limits};
use crate::grammar::{RuleId, Symbol};
use crate::parse::{Child, Evaluation, Forest, ForestNodeId, Parser};
use crate::pattern::Expression;

use super::states::StateSets;
use super::{Answer, Survey, Unanswered, Validator};

/// Validates by running a tree automaton over the parse forest.
pub struct AutomatonValidator {
    parser: Arc<Parser>,
    /// The expression, or the relaxed one when it has bound nodes.
    expression: Arc<Expression>,
    /// The expression, when it has bound nodes.
    bound: Option<Arc<Expression>>,
    /// What may be spent on each input.
    limits: Limits,
    /// What validating has found out so far, for one thread each.
    evaluations: Mutex<Vec<Evaluation<StateSets>>>,
}

impl AutomatonValidator {
    /// The maximum number of entries kept of earlier inputs, about a hundred megabytes.
    const MOST_KEPT: usize = 1_000_000;

    /// A validator for `expression` over the grammar of `parser`, whose start symbol must be the
    /// expression's.
    ///
    /// # Errors
    /// When the formula is too large.
    pub fn new(parser: Arc<Parser>, expression: Arc<Expression>, limits: Limits) -> Result<Self, Exceeded> {
        debug_assert_eq!(parser.grammar().start(), expression.start);
        let expression = expression.shared_without_surroundings(parser.grammar());
        let (expression, bound) = match expression.is_bound() {
            true => (Arc::new(expression.relaxed()), Some(expression)),
            false => (expression, None),
        };
        let validator = Self { parser, expression, bound, limits, evaluations: Mutex::default() };
        let evaluation = validator.evaluation()?;
        validator.lock().push(evaluation);
        Ok(validator)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Evaluation<StateSets>>> {
        self.evaluations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An evaluation that has seen no input.
    fn evaluation(&self) -> Result<Evaluation<StateSets>, Exceeded> {
        let (grammar, expression) = (Arc::clone(self.parser.grammar()), Arc::clone(&self.expression));
        Ok(Evaluation::new(&self.parser, StateSets::new(grammar, expression, &self.limits)?))
    }

    /// The automaton's answer, which is exact without bound nodes. With them it is that of the relaxed
    /// expression, so that only `none` is certain.
    fn run(&self, input: &[u8]) -> Result<Answer, Unanswered> {
        let warm = self.lock().pop();
        let is_warm = warm.is_some();
        let mut evaluation = match warm {
            Some(evaluation) => evaluation,
            None => self.evaluation()?,
        };
        let mut answer = self.run_with(&mut evaluation, input);
        if is_warm && matches!(answer, Err(Unanswered::Exceeded(Exceeded::States(_) | Exceeded::Steps(_)))) {
            // The limits are for each input, whatever other inputs have led to.
            evaluation = self.evaluation()?;
            answer = self.run_with(&mut evaluation, input);
        }
        if evaluation.size() + evaluation.algebra().machine.size() <= Self::MOST_KEPT {
            self.lock().push(evaluation);
        }
        answer
    }

    fn run_with(&self, evaluation: &mut Evaluation<StateSets>, input: &[u8]) -> Result<Answer, Unanswered> {
        evaluation.algebra().restart();
        let value = evaluation.evaluate(&self.parser, input)?;
        let states = evaluation.algebra();
        match (value, states.exceeded()) {
            (_, Some(exceeded)) => Err(exceeded.into()),
            (Some(value), None) => Ok(answer(states, states.states(value))),
            (None, None) => {
                let ends = ends(states, &self.parser.parse(input)?)?;
                Ok(answer(states, &ends))
            }
        }
    }
}

/// What the states say in which all parses of an input end.
fn answer(states: &StateSets, ends: &[StateId]) -> Answer {
    let accepted = ends.iter().filter(|&&state| states.machine.accepts(state)).count();
    Answer::of(accepted, ends.len())
}

/// The states in which the derivation trees of a forest can end.
fn ends(states: &mut StateSets, forest: &Forest) -> Result<Vec<StateId>, Exceeded> {
    let mut of_nodes: Vec<Vec<StateId>> = vec![Vec::new(); forest.node_bound()];
    let mut scratch = Scratch::default();
    for (nodes, is_cycle) in forest.groups() {
        loop {
            let mut grown = false;
            for &node in nodes {
                grown |= visit(states, forest, node, &mut of_nodes, &mut scratch)?;
            }
            if !(is_cycle && grown) {
                break;
            }
        }
    }
    Ok(std::mem::take(&mut of_nodes[forest.root().index()]))
}

/// Adds the states that the alternatives of `node` lead to; says whether any was new.
fn visit(
    states: &mut StateSets,
    forest: &Forest,
    node: ForestNodeId,
    of_nodes: &mut [Vec<StateId>],
    scratch: &mut Scratch,
) -> Result<bool, Exceeded> {
    let mut children = std::mem::take(&mut scratch.children);
    scratch.found.clear();
    let visited = forest.visit_alternatives(node, &mut children, |rule, children| {
        match alternative(states, rule, children, of_nodes, scratch) {
            Ok(()) => ControlFlow::Continue(()),
            Err(exceeded) => ControlFlow::Break(exceeded),
        }
    });
    scratch.children = children;
    if let ControlFlow::Break(exceeded) = visited {
        return Err(exceeded);
    }
    let known = &mut of_nodes[node.index()];
    let before = known.len();
    for &state in &scratch.found {
        if !known.contains(&state) {
            known.push(state);
        }
    }
    Ok(known.len() > before)
}

/// Adds the states that one alternative leads to.
fn alternative(
    StateSets { machine, meter, .. }: &mut StateSets,
    rule: RuleId,
    children: &[Child],
    of_nodes: &[Vec<StateId>],
    Scratch { folds, next, found, .. }: &mut Scratch,
) -> Result<(), Exceeded> {
    let grammar = Arc::clone(machine.grammar());
    let symbols = &grammar.rule(rule).symbols;
    meter.spend(symbols.len() as u64)?;
    folds.clear();
    folds.push(machine.begin(rule, meter)?);
    for (position, (&symbol, child)) in symbols.iter().zip(children).enumerate() {
        let left = symbols.len() - position;
        match (symbol, child) {
            (Symbol::Class(class), Child::Char(c)) => {
                for fold in folds.iter_mut() {
                    let outcomes = machine.outcomes(*fold, left, class, meter)?;
                    let outcome = outcomes.iter().find(|outcome| outcome.class.contains(*c));
                    *fold = outcome.expect("the character is one of the class").fold;
                }
            }
            (Symbol::Nonterminal(_), Child::Node(child)) => {
                next.clear();
                let of_child = &of_nodes[child.index()];
                meter.spend((folds.len() * of_child.len()) as u64)?;
                for &fold in folds.iter() {
                    for &state in of_child {
                        let step = machine.step(fold, left, state, meter)?;
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
    for &fold in folds.iter() {
        found.push(machine.end(rule, fold, meter)?);
    }
    Ok(())
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
    fn validate(&self, input: &[u8]) -> Result<Answer, Unanswered> {
        match (self.run(input)?, &self.bound) {
            (Answer::None, _) => Ok(Answer::None),
            (answer, None) => Ok(answer),
            // No automaton can compare texts.
            (_, Some(expression)) => {
                let most = Survey::DEFAULT_LIMIT;
                let forest = self.parser.parse_within(input, most)?;
                let forest = forest.ok_or(Unanswered::TooAmbiguous { limit: most })?;
                Ok(Survey::new(expression, &forest, Survey::DEFAULT_LIMIT, &self.limits)?.answer())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::one_by_one;
    use super::*;
    use crate::base::diagnostic::Source;
    use crate::base::limits::Sizes;
    use crate::grammar::arbitrary::{GrammarShape, grammars, strings};
    use crate::grammar::ebnf;
    use crate::pattern::arbitrary::{referring_expression, referring_recipes};
    use crate::pattern::read_expression;
    use crate::transform::{AutomatonTransformer, Transformer};
    use proptest::prelude::*;

    /// The whole automaton of such an expression has more than 2^40 states.
    #[test]
    fn many_patterns_take_as_many_states_as_the_input_has_use_for() {
        let text = "<s> ::= <word> | <word> <s>\n<word> ::= <letter> <letter> \";\"\n<letter> ::= [a-h]";
        let grammar = Arc::new(ebnf::read(&Source::new("s.ebnf", text)).unwrap().grammar);
        let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
        let letters = "abcdefgh";
        let words: Vec<String> =
            letters.chars().flat_map(|a| letters.chars().map(move |b| format!("{a}{b};"))).collect();
        let patterns: Vec<String> =
            words.iter().enumerate().map(|(index, word)| format!("<word P{index}> is \"{word}\"")).collect();
        for (operator, with_all, without_one) in
            [("and", Answer::Every, Answer::None), ("xor", Answer::None, Answer::Every)]
        {
            let names: Vec<String> = (0..words.len()).map(|index| format!("P{index}")).collect();
            let text = format!("<s {operator}({})> where {}", names.join(","), patterns.join(", "));
            let expression = read_expression(&Source::new("expression", text), &grammar).unwrap();
            let sizes = Sizes { states: 20_000, steps: 20_000_000, ..Sizes::default() };
            let limits = Limits::of(sizes);
            let validator =
                AutomatonValidator::new(Arc::clone(&parser), Arc::new(expression), limits).unwrap();
            let all = words.concat().repeat(20).into_bytes();
            assert_eq!(validator.validate(&all), Ok(with_all), "{operator}");
            assert_eq!(validator.validate(words[1..].concat().as_bytes()), Ok(without_one), "{operator}");
        }
    }

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
                AutomatonValidator::new(Arc::clone(&parser), Arc::new(expression.clone()), Limits::default())
                    .unwrap();
            let mut evaluation = validator.evaluation().unwrap();
            for begin in ["x", "y", "1", "2"] {
                for rest in ["111", "211", "121", "221", "1121", "1221", "2121", "2221"] {
                    let input = [begin, rest].concat().into_bytes();
                    let tree = parser.parse(&input).unwrap().first_tree();
                    let value = evaluation.evaluate(&parser, &input).unwrap().expect("it is not ambiguous");
                    let states = evaluation.algebra();
                    let &[state] = states.states(value) else { panic!("one tree, one state") };
                    assert_eq!(states.machine.accepts(state), expression.holds(&grammar, &tree));
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn the_answer_is_that_of_all_parses_on_every_string(
            grammar in grammars(GrammarShape::default()),
            recipe in referring_recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
            let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
            let validator = AutomatonValidator::new(Arc::clone(&parser), Arc::new(expression.clone()), Limits::default()).unwrap();
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
            recipe in referring_recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
            let expression = Arc::new(expression);
            let validator =
                AutomatonValidator::new(Arc::new(Parser::new(Arc::clone(&grammar))), Arc::clone(&expression), Limits::default()).unwrap();
            let special = |expression: &Arc<Expression>| {
                let special = AutomatonTransformer::default().specialize(&grammar, expression).unwrap();
                Parser::new(special.grammar)
            };
            let (yes, no) = (special(&expression), special(&Arc::new(expression.negated())));
            for input in strings(5) {
                let wanted = match (yes.recognizes(&input).unwrap(), no.recognizes(&input).unwrap()) {
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
            recipe in referring_recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
            let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
            let validator = AutomatonValidator::new(Arc::clone(&parser), Arc::new(expression), Limits::default()).unwrap();
            let mut evaluation = validator.evaluation().unwrap();
            for input in strings(5) {
                let Ok(forest) = parser.parse(&input) else { continue };
                let value = evaluation.evaluate(&parser, &input).unwrap();
                // Giving up is for ambiguity.
                prop_assert!(value.is_some() || forest.is_ambiguous() || !parser.is_proved_unambiguous());
                let Some(value) = value else { continue };
                let states = evaluation.algebra();
                let mut wanted = ends(states, &forest).unwrap();
                wanted.sort_unstable();
                prop_assert_eq!(states.states(value), &wanted[..]);
            }
        }

        /// With few steps or states there is the same answer, or the error of that limit.
        #[test]
        fn a_small_limit_ends_with_its_error_and_changes_no_answer(
            grammar in grammars(GrammarShape::default()),
            recipe in referring_recipes(),
            states in 0usize..40,
            steps in 0u64..20_000,
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
            let (parser, expression) = (Arc::new(Parser::new(Arc::clone(&grammar))), Arc::new(expression));
            let whole =
                AutomatonValidator::new(Arc::clone(&parser), Arc::clone(&expression), Limits::default()).unwrap();
            for (sizes, error) in [
                (Sizes { states, ..Sizes::default() }, Exceeded::States(states)),
                (Sizes { steps, ..Sizes::default() }, Exceeded::Steps(steps)),
            ] {
                let limited =
                    AutomatonValidator::new(Arc::clone(&parser), Arc::clone(&expression), Limits::of(sizes));
                let limited = match limited {
                    Ok(limited) => limited,
                    Err(exceeded) => {
                        prop_assert_eq!(exceeded, error);
                        continue;
                    }
                };
                for input in strings(4) {
                    let answer = limited.validate(&input);
                    if answer != Err(Unanswered::Exceeded(error)) {
                        prop_assert_eq!(answer, whole.validate(&input));
                    }
                }
            }
        }

        #[test]
        fn the_trees_that_are_enumerated_agree_with_the_answer_on_cyclic_grammars_too(
            grammar in grammars(GrammarShape::default()),
            recipe in referring_recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
            let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
            let validator = AutomatonValidator::new(parser, Arc::new(expression.clone()), Limits::default()).unwrap();
            for tree in crate::tree::trees_up_to(&grammar, grammar.start(), 5) {
                let answer = validator.validate(&tree.text(&grammar)).unwrap();
                let possible = if expression.holds(&grammar, &tree) { Answer::Every } else { Answer::None };
                prop_assert!(answer == possible || answer == Answer::Some);
            }
        }
    }
}
