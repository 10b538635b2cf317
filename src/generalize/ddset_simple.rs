//! `ddset-simple`: abstraction alone, as the chapter "Generalizing Failure Circumstances" of "The Debugging Book"
//! (Zeller) has it: the first step of DDSET in its plainest form, to compare others with.
//!
//! From the root down: where all of a number of random instances of a node's nonterminal still fail in the node's place, the
//! node is abstract; otherwise its children are asked about. Nothing makes sure that nodes may vary
//! together, nodes of the same text are not bound to each other, and the whole input is taken for what brings the failure about.
//! So the number of checks decides by itself how much to rely on what is found.
//!
//! What the chapter leaves open: instances are distinct, and where there are fewer than checks, all of
//! them must fail, which is so of a nonterminal with one string. Unresolved instances do not count, and are replaced by
//! others; a node of which nearly all are unresolved stays concrete ([`run_trial`]). A token varies as a whole or not at
//! all.

use std::sync::Arc;

use serde::Serialize;

use crate::base::budget::StopReason;
use crate::base::keys::Keys;
use crate::base::random_stream::RandomStream;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::oracle::{Halt, Judge, Verdict};
use crate::pattern::Expression;
use crate::tree::NodeId;

use super::abstract_input::AbstractInput;
use super::ddset::{Generalization, Splicer, Substitution};
use super::trial::{Candidate, TrialOutcome, TrialSize, run_trial};
use super::{
    ContextSampler, EXPRESSION_NAME, Example, GeneralizeError, Generalized, Generalizer, GeneralizerSettings,
    MakeGeneralizer, Phase,
};

/// DDSET without anything but abstraction.
#[derive(Clone, Copy, Debug)]
struct DdsetSimple {
    settings: GeneralizerSettings,
}

pub(super) const PLUG_IN: PlugIn<MakeGeneralizer> = PlugIn::of::<Settings>();

/// What a config can say.
#[derive(Default, Serialize)]
struct Settings {
    /// Another number of checks than that of all generalizers.
    checks: Option<usize>,
}

impl PlugInSettings<MakeGeneralizer> for Settings {
    const NAME: &'static str = "ddset-simple";

    fn read(keys: &mut Keys<'_>) -> Self {
        let checks = keys.positive("checks", 0);
        Self { checks: Some(checks).filter(|&checks| checks > 0) }
    }

    fn make(self) -> MakeGeneralizer {
        Arc::new(move |checks| {
            let settings = GeneralizerSettings::of_checks(self.checks.unwrap_or(checks));
            Box::new(DdsetSimple { settings })
        })
    }
}

impl Generalizer for DdsetSimple {
    fn generalize(
        &self,
        example: Example<'_>,
        _: &mut dyn ContextSampler,
        judge: &mut Judge<'_>,
        stream: &mut RandomStream,
    ) -> Result<Generalized, GeneralizeError> {
        let Example { grammar, tree, .. } = example;
        let begin = judge.executions();
        let mut session = Generalization::new(self.settings, example, judge, stream);
        let stop = match session.judge.judge(&session.text) {
            Ok(Verdict::Fail) => match session.abstract_simply() {
                Ok(()) => StopReason::Done,
                Err(halt) => halt.reason::<GeneralizeError>()?,
            },
            Ok(verdict) => return Err(GeneralizeError::NotFailing(verdict)),
            Err(halt) => halt.reason::<GeneralizeError>()?,
        };
        let executions = session.judge.executions() - begin;
        let abstract_input = AbstractInput::new(grammar, tree, session.grouped_abstract_nodes());
        let pattern = abstract_input.pattern.clone();
        Ok(Generalized {
            expression: Expression::contains(grammar.start(), EXPRESSION_NAME, pattern),
            // Nobody asked about other contexts.
            verified: false,
            abstract_input: Some(abstract_input),
            refutations: session.standing_refutations(),
            phases: vec![Phase { name: "abstraction", executions }],
            stop,
        })
    }
}

impl Generalization<'_, '_, '_> {
    /// Opens the highest nodes that may vary, each by itself, from left to right.
    fn abstract_simply(&mut self) -> Result<(), Halt> {
        let tree = self.example.tree;
        let mut nodes = vec![tree.root()];
        while let Some(node) = nodes.pop() {
            // What derives nothing is a character or a literal.
            if tree.rule(node).is_none() {
                continue;
            }
            if self.all_instances_fail(node)? {
                self.open(self.group([node]));
            } else if !self.is_token(node) {
                nodes.extend(tree.children(node).iter().rev());
            }
        }
        Ok(())
    }

    /// Whether random instances of a node's nonterminal fail in its place, all else being as it was.
    fn all_instances_fail(&mut self, node: NodeId) -> Result<bool, Halt> {
        let group = self.group([node]);
        let nonterminal = self.nonterminal(&group);
        let splicer = Splicer {
            text: &self.text,
            spans: &self.spans,
            order: &self.order,
            tree: self.example.tree,
            example: self.example,
        };
        let (example, stream) = (self.example, &mut *self.stream);
        let outcome = run_trial(
            TrialSize::full(self.settings),
            self.judge,
            |text| example.parser.recognizes(text),
            || {
                let mut instance = Vec::new();
                example.producer.produce(nonterminal, stream, &mut instance).ok()?;
                let origin: Vec<Substitution> = vec![(Arc::clone(&group), instance)];
                Some(Candidate { text: splicer.splice_groups(&origin), origin })
            },
        )?;
        match outcome {
            TrialOutcome::Holds(_) => return Ok(true),
            TrialOutcome::Refuted(origin) => self.does_not_vary(&group, Some(&origin)),
            TrialOutcome::Unclear(origins) => {
                self.does_not_vary(&group, origins.last().map(Vec::as_slice));
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::budget::Budget;
    use crate::generalize::{RandomContextSampler, generalizer};
    use crate::grammar::Grammar;
    use crate::oracle::{Judgement, Oracle, OracleError};
    use crate::parse::Parser;
    use crate::produce::LimitProducer;
    use crate::reduce::sample::{failing_oracle, grammar, json, random_tree};
    use crate::tree::Tree;

    fn generalize(
        grammar: &Arc<Grammar>,
        tree: &Tree,
        checks: usize,
        judge: &mut Judge<'_>,
    ) -> Result<Generalized, GeneralizeError> {
        let producer = LimitProducer::new(Arc::clone(grammar), 6);
        let parser = Parser::new(Arc::clone(grammar));
        let given = tree.text(grammar);
        let example = Example::new(tree, &parser, &producer, &given);
        let mut sampler = RandomContextSampler::new(&parser, &producer, 6);
        let mut stream = RandomStream::derive(1, "generalize");
        generalizer("ddset-simple", checks).unwrap().generalize(example, &mut sampler, judge, &mut stream)
    }

    /// The abstract input of `text`.
    fn abstracted(grammar: &Arc<Grammar>, text: &str, checks: usize, oracle: &dyn Oracle) -> String {
        let tree = Parser::new(Arc::clone(grammar)).parse(text.as_bytes()).unwrap().first_tree();
        let found = generalize(grammar, &tree, checks, &mut Judge::new(oracle)).unwrap();
        assert_eq!((found.stop, found.verified), (StopReason::Done, false));
        let whole = found.abstract_input.unwrap();
        assert_eq!(found.expression.only_pattern(), Some(&whole.pattern), "the whole input is the pattern");
        whole.pattern.plain(grammar)
    }

    /// The square root of a negative number: its sign stays.
    #[test]
    fn the_sign_of_a_negative_number_stays() {
        let grammar = Arc::new(grammar(&["int = n | - n", "n = d | d n", "d = [0123456789]"]));
        let oracle = failing_oracle(&|text: &[u8]| text.starts_with(b"-"));
        assert_eq!(abstracted(&grammar, "-25", 30, &oracle), "-<n>");
    }

    /// What tells it from DDSET: each part may be anything, but not both.
    #[test]
    fn nodes_vary_one_by_one_and_nobody_asks_whether_they_may_together() {
        let grammar = Arc::new(grammar(&["s = a , a", "a = [abcdefghij]"]));
        let oracle = failing_oracle(&|text: &[u8]| text.contains(&b'c'));
        assert_eq!(abstracted(&grammar, "c,c", 100, &oracle), "<a>,<a>");
    }

    /// With one check a digit varies as soon as one other one fails; with as many as there are digits it never does.
    #[test]
    fn more_checks_leave_less_abstract() {
        let grammar = Arc::new(grammar(&["s = d d d d d d d d", "d = [0123456789]"]));
        // Fails unless the sum of the digits is divisible by four.
        let oracle =
            failing_oracle(&|text: &[u8]| text.iter().map(|&digit| digit as u64).sum::<u64>() % 4 != 0);
        let concrete = |checks| {
            let text = abstracted(&grammar, "12345671", checks, &oracle);
            text.chars().filter(char::is_ascii_digit).count()
        };
        assert_eq!(concrete(10), 8);
        assert!(concrete(2) < 8, "three in four digits fail");
    }

    /// What is abstract failed for each of its instances that was asked about.
    #[test]
    fn no_instance_of_an_abstract_node_that_was_asked_about_passed() {
        let grammar = Arc::new(json());
        let mut concrete = 0;
        for seed in 0..40 {
            let tree = random_tree(&grammar, &mut RandomStream::derive(seed, "simple"), 4);
            let own = tree.text(&grammar);
            let fails = |text: &[u8]| text == own.as_slice() || text.len() % 3 == own.len() % 3;
            let oracle = failing_oracle(&fails);
            let mut judge = Judge::new(&oracle);
            let found = generalize(&grammar, &tree, 5, &mut judge).unwrap();
            let whole = found.abstract_input.unwrap();
            // An input that passed differs from the given one at one node alone; no such node is abstract.
            for refutation in &found.refutations {
                concrete += 1;
                let is_open = whole.abstract_nodes.groups().any(|group| group.contains(&refutation.node));
                assert!(!is_open, "seed {seed}");
                assert_eq!(refutation.verdict, Some(Verdict::Pass));
            }
        }
        assert!(concrete > 40, "{concrete}");
    }

    #[test]
    fn unresolved_instances_are_replaced_by_others() {
        struct Even;
        impl Oracle for Even {
            fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
                let is_odd = input.last().is_some_and(|&last| last % 2 == 1);
                Ok(Judgement::new(if is_odd { Verdict::Unresolved } else { Verdict::Fail }, ""))
            }
        }
        let grammar = Arc::new(grammar(&["s = x n", "n = d | d n", "d = [0123456789]"]));
        assert_eq!(abstracted(&grammar, "x12", 20, &Even), "<s>");
    }

    #[test]
    fn the_budget_ends_the_work_and_an_input_that_passes_is_refused() {
        let grammar = Arc::new(json());
        let tree = random_tree(&grammar, &mut RandomStream::derive(7, "budget"), 5);
        let fails = failing_oracle(&|_| true);
        let mut judge = Judge::new(&fails).with_budget(Budget::of_executions(10));
        let found = generalize(&grammar, &tree, 100, &mut judge).unwrap();
        assert_eq!((found.stop, judge.executions()), (StopReason::Budget, 10));
        assert!(found.abstract_input.unwrap().abstract_nodes.is_empty());
        let passes = failing_oracle(&|_| false);
        let refused = generalize(&grammar, &tree, 100, &mut Judge::new(&passes)).unwrap_err();
        assert_eq!(refused, GeneralizeError::NotFailing(Verdict::Pass));
    }
}
