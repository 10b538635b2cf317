//! What instances of abstract inputs are.

use std::sync::{Arc, Mutex};

use proptest::collection::vec;
use proptest::prelude::*;

use std::collections::HashSet;

use super::super::{Settings, StageError, StageRecord};
use super::InstantiateRecord;
use super::run::{judge_instances, record};
use crate::base::budget::{Budget, Interrupt};
use crate::base::id::{Id, IdVec};
use crate::base::limits::Limits;
use crate::base::random_stream::RandomStream;
use crate::grammar::Grammar;
use crate::grammar::arbitrary::{GrammarShape, grammars, lexical_grammars};
use crate::oracle::{Judge, Judgement, Oracle, OracleError, TimeoutAs, Verdict};
use crate::parse::Parser;
use crate::pattern::{Expression, Formula, NamedPattern, Openness, Pattern, PatternId};
use crate::produce::producer;
use crate::reduce::sample::grammar;
use crate::stage::target::Syntax;
use crate::store::Verdicts;
use crate::transform::{AutomatonTransformer, Transformer};
use crate::tree::{Tree, trees_up_to};
use crate::validate::{Answer, AutomatonValidator, Unanswered, Validator};

/// Remembers what it was asked.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<Vec<u8>>>>);

/// Each verdict now and then.
fn verdict(input: &[u8]) -> Verdict {
    Verdict::ALL[input.iter().map(|&byte| usize::from(byte)).sum::<usize>() % 4]
}

impl Oracle for Asked {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        self.0.lock().unwrap().push(input.to_vec());
        Ok(Judgement::new(verdict(input), "seen"))
    }
}

/// The record, and the instances in the order in which they were judged.
fn instances(
    grammar: &Arc<Grammar>,
    pattern: &Pattern,
    settings: &Settings,
    seed: u64,
) -> (InstantiateRecord, Vec<Vec<u8>>) {
    let (asked, parser) = (Asked::default(), Arc::new(Parser::new(Arc::clone(grammar))));
    let syntax = Syntax { grammar: Arc::clone(grammar), parser };
    let limits = Limits::default();
    let producer =
        producer("limit", grammar, syntax.parser.lexis(), settings.produce.depth, &limits).unwrap();
    let (wanted, timeout_as) = (settings.instantiate.inputs, settings.oracle.timeout_as);
    let mut judge = Judge::new(&asked).with_timeout_as(timeout_as);
    let mut stream = RandomStream::derive(seed, "instances");
    judge_instances(&syntax, pattern, &*producer, wanted, &mut judge, &mut stream).unwrap();
    let record = record(wanted, judge.into_log(), timeout_as);
    let asked = asked.0.lock().unwrap().clone();
    assert_eq!(record.instances, asked.len() as u64);
    (record, asked)
}

/// The tree with some nodes open, as the numbers say; its leaves and its rules stay.
fn pattern(grammar: &Grammar, tree: &Tree, numbers: &[u8]) -> Pattern {
    let mut numbers = numbers.iter().cycle();
    Pattern::from_tree(grammar, tree, tree.root(), |_, nonterminal| match numbers.next()? % 4 {
        0 => Some(Openness::Abstract),
        // As generalizers do, only nodes of one nonterminal are bound to each other.
        1 => Some(Openness::Bound(nonterminal.index() as u32)),
        _ => None,
    })
}

/// A tree of the grammar; `None` when there is none that is small.
fn any_tree(grammar: &Grammar, number: u16) -> Option<Tree> {
    let mut trees = trees_up_to(grammar, grammar.start(), 5);
    trees.truncate(300);
    (!trees.is_empty()).then(|| trees.swap_remove(usize::from(number) % trees.len()))
}

/// A pattern that some input of the grammar has; `None` when there is no input.
fn drawn(grammar: &Grammar, number: u16, numbers: &[u8]) -> Option<Pattern> {
    Some(pattern(grammar, &any_tree(grammar, number)?, numbers))
}

/// The expression that says that a derivation tree is of the pattern.
fn all_of(grammar: &Grammar, pattern: &Pattern) -> Arc<Expression> {
    let patterns = IdVec::from_iter([NamedPattern::new("P", pattern.clone())]);
    let formula = Formula::Root(PatternId::new(0));
    Arc::new(Expression { start: grammar.start(), patterns, formula })
}

fn few() -> Settings {
    // Random grammars are very ambiguous: to recognize one input of thousands of bytes could take hours.
    let mut settings = wanted(20);
    settings.produce.depth = 3;
    settings
}

fn wanted(inputs: usize) -> Settings {
    let mut settings = Settings::default();
    settings.instantiate.inputs = inputs;
    settings
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn instances_are_distinct_members_of_the_pattern_and_the_stream_determines_them(
        grammar in grammars(GrammarShape::default()),
        number: u16,
        numbers in vec(any::<u8>(), 12),
        seed: u64,
    ) {
        let grammar = Arc::new(grammar);
        let Some(pattern) = drawn(&grammar, number, &numbers) else { return Ok(()) };
        let (record, found) = instances(&grammar, &pattern, &few(), seed);
        prop_assert_eq!(&(record.clone(), found.clone()), &instances(&grammar, &pattern, &few(), seed));
        prop_assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len());
        // The tree that the pattern was cut from is an instance of it, so there is one.
        prop_assert!(!found.is_empty() && found.len() <= 20);
        prop_assert_eq!((record.wanted, record.instances), (20, found.len() as u64));

        let expression = all_of(&grammar, &pattern);
        let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
        let validator = AutomatonValidator::new(parser, Arc::clone(&expression), Limits::default()).unwrap();
        let special = AutomatonTransformer::default().specialize(&grammar, &expression).unwrap();
        let special = Parser::new(special.grammar);
        for instance in &found {
            let answer = validator.validate(instance);
            let is_member = matches!(
                answer,
                Ok(Answer::Every | Answer::Some) | Err(Unanswered::TooAmbiguous { .. })
            );
            prop_assert!(is_member, "{}: {answer:?}", instance.escape_ascii());
            prop_assert!(special.recognizes(instance).unwrap(), "{}", instance.escape_ascii());
        }
    }

    /// Where words have become one, nothing is judged.
    #[test]
    fn instances_are_inputs_of_the_grammar(
        (_, grammar) in lexical_grammars(GrammarShape::default()),
        number: u16,
        numbers in vec(any::<u8>(), 12),
        seed: u64,
    ) {
        let grammar = Arc::new(grammar);
        let Some(pattern) = drawn(&grammar, number, &numbers) else { return Ok(()) };
        let (record, found) = instances(&grammar, &pattern, &few(), seed);
        prop_assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len());
        prop_assert_eq!(record.instances, found.len() as u64);
        let parser = Parser::new(Arc::clone(&grammar));
        for instance in &found {
            prop_assert!(parser.recognizes(instance).unwrap(), "{}", instance.escape_ascii());
        }
    }

    #[test]
    fn verdicts_are_counted_and_instances_that_pass_are_shown(
        timeout_as in 0usize..3,
        number in 1usize..40,
        seed: u64,
    ) {
        let timeout_as = [TimeoutAs::Pass, TimeoutAs::Unresolved, TimeoutAs::Fail][timeout_as];
        let (grammar, pattern) = pairs(Openness::Abstract);
        let mut settings = wanted(number);
        settings.oracle.timeout_as = timeout_as;
        let (record, found) = instances(&grammar, &pattern, &settings, seed);
        prop_assert_eq!((record.wanted, record.instances), (number as u64, number as u64));
        prop_assert_eq!(found.len(), number);
        let verdicts = found.iter().map(|input| (verdict(input), None));
        prop_assert_eq!(record.verdicts, Verdicts::of(verdicts, timeout_as));
        let passes = |input: &&Vec<u8>| timeout_as.count(verdict(input)) == Verdict::Pass;
        let escapes: Vec<&[u8]> = record.escapes.iter().map(|escape| escape.input.bytes()).collect();
        prop_assert_eq!(escapes, found.iter().filter(passes).map(Vec::as_slice).collect::<Vec<_>>());
    }
}

/// A hundred pairs of digits, and the pattern of them in which both digits are open.
fn pairs(openness: Openness) -> (Arc<Grammar>, Pattern) {
    let grammar = Arc::new(grammar(&["pair = digit - digit", "digit = [0123456789]"]));
    let tree = Parser::new(Arc::clone(&grammar)).parse(b"1-1").unwrap().first_tree();
    let start = grammar.start();
    let open = |_, nonterminal| (nonterminal != start).then_some(openness.clone());
    let pattern = Pattern::from_tree(&grammar, &tree, tree.root(), open);
    (grammar, pattern)
}

#[test]
fn where_there_are_fewer_instances_than_wanted_all_of_them_are_found() {
    let settings = wanted(1_000);
    for (openness, all) in [(Openness::Abstract, 100), (Openness::Bound(1), 10)] {
        let (grammar, pattern) = pairs(openness);
        for seed in 0..5 {
            let (record, found) = instances(&grammar, &pattern, &settings, seed);
            assert_eq!(found.len(), all);
            let equal = found.iter().filter(|pair| pair[0] == pair[2]).count();
            assert_eq!(equal, 10, "all that are equal are among them, and no others if they are bound");
            let warning = record.warning().expect("there are fewer");
            assert!(warning.contains(&format!("{all} of 1000 instances")), "{warning}");
        }
    }
}

#[test]
fn other_seeds_give_other_instances() {
    let (grammar, pattern) = pairs(Openness::Abstract);
    let found = |seed| instances(&grammar, &pattern, &few(), seed).1;
    assert!((1..10).all(|seed| found(seed) != found(0)));
}

#[test]
fn an_interrupt_ends_it_without_a_record() {
    let (grammar, pattern) = pairs(Openness::Abstract);
    let (asked, parser) = (Asked::default(), Arc::new(Parser::new(Arc::clone(&grammar))));
    let syntax = Syntax { grammar: Arc::clone(&grammar), parser };
    let producer = producer("limit", &grammar, None, few().produce.depth, &Limits::default()).unwrap();
    let interrupt = Interrupt::new();
    interrupt.raise();
    let mut judge = Judge::new(&asked).with_budget(Budget { interrupt, ..Budget::default() });
    let mut stream = RandomStream::derive(1, "instances");
    let done = judge_instances(&syntax, &pattern, &*producer, 20, &mut judge, &mut stream);
    assert_eq!(done, Err(StageError::Interrupted));
    assert!(asked.0.lock().unwrap().is_empty());
}
